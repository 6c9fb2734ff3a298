// The functions of libnats that the program calls, over the simulated NATS (bus.h). As there, a connection has threads
// of its own: one that connects and notices losses, one for what the program is told of that, and one for messages.
#include <nats/nats.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/lab/kernel/bus.h"
#include "tests/lab/kernel/memory.h"

using namespace entente::lab;

// The types that nats.h only names.

struct __natsOptions {
  natsConnectionHandler up = nullptr, down = nullptr, closed = nullptr;
  natsErrHandler failed = nullptr;
  natsCustomReconnectDelayHandler delay = nullptr;
  void *of_up = nullptr, *of_down = nullptr, *of_closed = nullptr, *of_failed = nullptr, *of_delay = nullptr;
  std::string user, password, inbox = "_INBOX";
};

struct __natsMsg {
  std::shared_ptr<const BusMail> mail;
};

struct __natsSubscription {
  std::shared_ptr<natsSubscription> self;  // until it is destroyed
  std::shared_ptr<natsConnection> by;
  std::uint64_t number = 0, first = 0;  // how many messages were there at first
  std::string pattern;
  natsMsgHandler handler = nullptr;  // null: messages wait until they are asked for
  natsOnCompleteCB complete = nullptr;
  void *of_handler = nullptr, *of_complete = nullptr;
  bool open = true;
  std::deque<std::shared_ptr<const BusMail>> waiting;
};

struct __natsConnection : std::enable_shared_from_this<natsConnection> {
  using Ask = std::function<void(BusServer&, const std::shared_ptr<BusLink>&)>;

  natsOptions options;
  std::shared_ptr<natsConnection> self;  // until it is destroyed
  std::shared_ptr<BusLink> link;
  int fd = -1;
  std::size_t server = 0;  // to which it is connected, or was, or tries to connect
  natsConnStatus status = NATS_CONN_STATUS_CONNECTING;
  bool lost = false;
  std::uint64_t last_number = 0;
  std::vector<std::shared_ptr<natsSubscription>> subscriptions;
  std::deque<Ask> asks;                     // that wait for a connection
  std::deque<std::function<void()>> calls;  // of the program
  std::deque<std::pair<std::shared_ptr<natsSubscription>, std::shared_ptr<const BusMail>>> mails;

  /// Tries each server once, first the one after the last.
  natsStatus dial();
  void send(Ask ask);
  void begin();
  void close();
  bool is_closed() const { return status == NATS_CONN_STATUS_CLOSED; }
  void tell(natsConnectionHandler handler, void* of);
  void tell_failed(natsStatus how);
  /// Null: the subscription has ended.
  void deliver(const std::shared_ptr<natsSubscription>& to, std::shared_ptr<const BusMail> mail);
  BusLink::Heard way_to(const std::shared_ptr<natsSubscription>& to);

 private:
  natsStatus dial_one();
  void keep();
  void connect_again();
  void call();
  void hand_out();
};

struct __jsCtx {
  std::shared_ptr<natsConnection> by;
  Nanos wait;
};

struct __kvStore {
  std::shared_ptr<natsConnection> by;
  Nanos wait;
  std::string bucket;
  std::string subject(const char* key) const { return "$KV." + bucket + "." + key; }
};

struct __kvEntry {
  std::string key;
  std::shared_ptr<const BusMail> mail;
};

namespace {

std::string last_refused;  // what an account did not permit

constexpr Nanos kPing = 1'000 * kMilli, kConnectWait = 2'000 * kMilli;
constexpr int kMostPings = 2;
constexpr std::size_t kMostWaiting = 65'536;

void wait_for(const std::function<bool()>& ready, Nanos patience) { kernel().wait(ready, kernel().now() + patience); }

/// Asks the server, by a message to `subject`. Nothing: it has not answered in time, or does not permit it.
template <class Answer>
std::optional<Answer> ask(natsConnection& by, Nanos patience, const std::string& subject,
                          std::function<Answer(BusServer&, const std::shared_ptr<BusLink>&)> what) {
  kernel().call();
  const Aside aside;
  auto answer = std::make_shared<std::optional<Answer>>();
  by.send([answer, subject, inbox = by.options.inbox + ".answers.1", what = std::move(what)](
              BusServer& server, const std::shared_ptr<BusLink>& link) {
    if (!server.may_publish(*link, subject) || !server.may_subscribe(*link, inbox)) return;
    if (!server.has_streams(link->server()) || (server.stalls() && kernel().chance(0.5))) return;
    auto its = what(server, link);
    if (server.stalls()) return;
    link->to_program([answer, its = std::move(its)] { *answer = its; });
  });
  wait_for([&] { return answer->has_value() || by.is_closed(); }, patience);
  return *answer;
}

using Mail = std::shared_ptr<const BusMail>;

BusMail mail_of(const std::string& subject, const void* data, int size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  BusMail mail;
  mail.subject = subject;
  if (size > 0) mail.bytes.assign(bytes, bytes + size);
  return mail;
}

/// `id`: as a header.
bool is_too_large(const BusMail& mail, const std::string& id = "") {
  constexpr std::size_t kHeader = std::string_view("NATS/1.0\r\nNats-Msg-Id: \r\n\r\n").size();
  return kernel().bus().is_too_large(mail.subject, mail.bytes.size() + (id.empty() ? 0 : kHeader + id.size()));
}

/// The subject for a request to JetStream.
std::string api(const std::string& what) { return "$JS.API." + what; }

/// Stores an entry of a bucket.
natsStatus write(kvStore& store, BusMail mail, std::optional<std::uint64_t> expected, std::uint64_t* revision) {
  if (is_too_large(mail)) return NATS_MAX_PAYLOAD;
  const std::string subject = mail.subject;
  const auto stored = ask<std::optional<std::uint64_t>>(
      *store.by, store.wait, subject,
      [mail = std::move(mail), expected](BusServer& server, const auto&) { return server.store(mail, "", expected); });
  if (!stored) return NATS_TIMEOUT;
  if (!*stored) return NATS_ERR;
  if (revision != nullptr) *revision = **stored;
  return NATS_OK;
}

/// The message that `find` returns. `how`: the beginning of the request.
natsStatus get(natsMsg** message, jsCtx& context, const char* how, const std::string& stream,
               const std::function<Mail(const BusServer::Stream&)>& find) {
  const auto found =
      ask<Mail>(*context.by, context.wait, api(how + stream), [stream, find](BusServer& server, const auto&) {
        const auto* const its = server.stream(stream);
        return its != nullptr ? find(*its) : nullptr;
      });
  if (!found) return NATS_TIMEOUT;
  if (*found == nullptr) return NATS_NOT_FOUND;
  const Aside aside;
  *message = new natsMsg{*found};
  return NATS_OK;
}

}  // namespace

// -- A connection -----------------------------------------------------------------------------------------------------

natsStatus natsConnection::dial() {
  for (std::size_t i = 0, count = kernel().bus().servers(); i < count; ++i) {
    server = (server + 1) % count;
    if (const natsStatus dialed = dial_one(); dialed == NATS_OK || i + 1 == count) return dialed;
  }
  return NATS_NO_SERVER;
}

natsStatus natsConnection::dial_one() {
  const Aside aside;
  Kernel& its = kernel();
  const auto by = weak_from_this();
  BusLink::Told told;
  told.lost = [by] {
    if (const auto one = by.lock()) one->lost = true;
  };
  told.missed = [by] {
    if (const auto one = by.lock()) one->tell_failed(NATS_MISSED_HEARTBEAT);
  };
  told.refused = [by](const std::string& what) {
    const Aside inside;
    last_refused = what;
    if (const auto one = by.lock()) one->tell_failed(NATS_NOT_PERMITTED);
  };
  lost = false;  // before it is connected: it can be lost before this thread runs again
  auto fresh = std::make_shared<BusLink>(its, its.host(), server, options.user, std::move(told));
  const int opened = its.open(fresh);
  if (opened < 0) return NATS_IO_ERROR;
  enum class Answer : std::uint8_t { kNone, kYes, kNo };
  auto answer = std::make_shared<Answer>(Answer::kNone);
  if (!its.bus().runs(server) || its.chance(its.faults.refuse) || !its.bus().lets_in(options.user, options.password))
    its.after(2 * its.faults.delay, [answer] { *answer = Answer::kNo; });
  else
    fresh->to_server([fresh, answer](BusServer& bus) {
      bus.join(fresh);
      fresh->to_program([answer] { *answer = Answer::kYes; });
    });
  wait_for([&] { return *answer != Answer::kNone || is_closed(); }, kConnectWait);
  if (*answer != Answer::kYes || is_closed()) return its.close(opened), NATS_NO_SERVER;
  link = std::move(fresh);
  fd = opened;
  for (const auto& one : subscriptions)
    if (one->handler != nullptr)
      link->to_server([to = link, one, heard = way_to(one)](BusServer& bus) {
        bus.subscribe(*to, one->number, one->pattern, heard);
      });
  status = NATS_CONN_STATUS_CONNECTED;
  for (const Ask& one : std::exchange(asks, {})) send(one);
  return NATS_OK;
}

void natsConnection::send(Ask ask) {
  const Aside aside;
  if (status == NATS_CONN_STATUS_CONNECTED)
    link->to_server([to = link, ask = std::move(ask)](BusServer& bus) { ask(bus, to); });
  else if (asks.size() < kMostWaiting)
    asks.push_back(std::move(ask));
}

void natsConnection::begin() {
  const Aside aside;
  const auto its = shared_from_this();
  kernel().start([its] { its->keep(); });
  kernel().start([its] { its->call(); });
  kernel().start([its] { its->hand_out(); });
}

/// Connects again when the connection is lost. A server that does not answer is lost after some pings.
void natsConnection::keep() {
  for (int missed = 0; !is_closed();) {
    wait_for([this] { return lost || is_closed(); }, kPing);
    if (is_closed()) return;
    missed = link->is_cut() ? missed + 1 : 0;
    if (missed > kMostPings) link->lose();
    if (!lost) continue;
    missed = 0;
    status = NATS_CONN_STATUS_RECONNECTING;
    kernel().close(std::exchange(fd, -1));
    tell(options.down, options.of_down);
    connect_again();
  }
}

void natsConnection::connect_again() {
  for (int attempt = 1; !is_closed(); ++attempt) {
    if (dial() == NATS_OK) return tell(options.up, options.of_up);
    const auto pause = options.delay != nullptr ? options.delay(this, attempt, options.of_delay) : 1'000;
    wait_for([this] { return is_closed(); }, static_cast<Nanos>(pause) * kMilli);
  }
}

void natsConnection::tell(natsConnectionHandler handler, void* of) {
  const Aside aside;
  if (handler != nullptr) calls.push_back([this, handler, of] { handler(this, of); });
}

void natsConnection::tell_failed(natsStatus how) {
  const Aside aside;
  if (options.failed != nullptr)
    calls.push_back([this, how] { options.failed(this, nullptr, how, options.of_failed); });
}

void natsConnection::call() {
  for (;;) {
    kernel().wait([this] { return !calls.empty() || is_closed(); });
    if (calls.empty()) return;
    const auto next = std::move(calls.front());
    calls.pop_front();
    next();
  }
}

void natsConnection::deliver(const std::shared_ptr<natsSubscription>& to, std::shared_ptr<const BusMail> mail) {
  const Aside aside;
  if (mail == nullptr || mails.size() < kMostWaiting) mails.emplace_back(to, std::move(mail));
}

void natsConnection::hand_out() {
  for (;;) {
    kernel().wait([this] { return !mails.empty() || is_closed(); });
    if (mails.empty()) return;
    const auto [to, mail] = std::move(mails.front());
    mails.pop_front();
    if (mail == nullptr) {
      if (to->complete != nullptr) to->complete(to->of_complete);
    } else if (to->open) {
      const auto made = [&its = mail] {
        const Aside aside;
        return new natsMsg{its};
      };
      to->handler(this, to.get(), made(), to->of_handler);
    }
  }
}

BusLink::Heard natsConnection::way_to(const std::shared_ptr<natsSubscription>& to) {
  return [to](std::shared_ptr<const BusMail> mail) {
    const Aside aside;
    if (!to->open) return;
    if (to->handler != nullptr)
      to->by->deliver(to, std::move(mail));
    else if (to->waiting.size() < kMostWaiting)
      to->waiting.push_back(std::move(mail));
  };
}

void natsConnection::close() {
  const Aside aside;
  if (is_closed()) return;
  if (status == NATS_CONN_STATUS_CONNECTED) tell(options.down, options.of_down);
  status = NATS_CONN_STATUS_CLOSED;
  if (fd >= 0) kernel().close(std::exchange(fd, -1));
  for (const auto& one : std::exchange(subscriptions, {}))
    if (std::exchange(one->open, false)) deliver(one, nullptr);
  tell(options.closed, options.of_closed);
}

extern "C" {

// -- Options ----------------------------------------------------------------------------------------------------------

natsStatus natsOptions_Create(natsOptions** options) {
  const Aside aside;
  return *options = new natsOptions, NATS_OK;
}
void natsOptions_Destroy(natsOptions* options) { delete options; }
natsStatus natsOptions_SetReconnectedCB(natsOptions* to, natsConnectionHandler handler, void* of) {
  return to->up = handler, to->of_up = of, NATS_OK;
}
natsStatus natsOptions_SetDisconnectedCB(natsOptions* to, natsConnectionHandler handler, void* of) {
  return to->down = handler, to->of_down = of, NATS_OK;
}
natsStatus natsOptions_SetClosedCB(natsOptions* to, natsConnectionHandler handler, void* of) {
  return to->closed = handler, to->of_closed = of, NATS_OK;
}
natsStatus natsOptions_SetErrorHandler(natsOptions* to, natsErrHandler handler, void* of) {
  return to->failed = handler, to->of_failed = of, NATS_OK;
}
natsStatus natsOptions_SetCustomReconnectDelay(natsOptions* to, natsCustomReconnectDelayHandler handler, void* of) {
  return to->delay = handler, to->of_delay = of, NATS_OK;
}
// libnats shuffles the servers.
natsStatus natsOptions_SetServers(natsOptions*, const char**, int) { return NATS_OK; }
natsStatus natsOptions_SetName(natsOptions*, const char*) { return NATS_OK; }
natsStatus natsOptions_SetTimeout(natsOptions*, std::int64_t) { return NATS_OK; }
natsStatus natsOptions_SetWriteDeadline(natsOptions*, std::int64_t) { return NATS_OK; }
natsStatus natsOptions_SetPingInterval(natsOptions*, std::int64_t) { return NATS_OK; }
natsStatus natsOptions_SetMaxPingsOut(natsOptions*, int) { return NATS_OK; }
natsStatus natsOptions_SetMaxReconnect(natsOptions*, int) { return NATS_OK; }
natsStatus natsOptions_SetSendAsap(natsOptions*, bool) { return NATS_OK; }
natsStatus natsOptions_UseGlobalMessageDelivery(natsOptions*, bool) { return NATS_OK; }
natsStatus natsOptions_SetCustomInboxPrefix(natsOptions* to, const char* inbox) {
  const Aside aside;
  return to->inbox = inbox, NATS_OK;
}
natsStatus natsOptions_SetUserInfo(natsOptions* to, const char* user, const char* password) {
  const Aside aside;
  return to->user = user, to->password = password, NATS_OK;
}
natsStatus natsOptions_SetToken(natsOptions*, const char*) { return NATS_OK; }
natsStatus natsOptions_SetUserCredentialsFromFiles(natsOptions*, const char*, const char*) { return NATS_OK; }
natsStatus natsOptions_SetIgnoreDiscoveredServers(natsOptions*, bool) { return NATS_OK; }
natsStatus natsOptions_SetSecure(natsOptions*, bool) { return NATS_OK; }
natsStatus natsOptions_LoadCATrustedCertificates(natsOptions*, const char*) { return NATS_OK; }
natsStatus natsOptions_LoadCertificatesChain(natsOptions*, const char*, const char*) { return NATS_OK; }

// -- Connections ------------------------------------------------------------------------------------------------------

natsStatus natsConnection_Connect(natsConnection** into, natsOptions* options) {
  kernel().call();
  const Aside aside;
  auto fresh = std::make_shared<natsConnection>();
  fresh->options = *options;
  for (std::size_t i = 1; i < kernel().bus().servers(); ++i) fresh->server += kernel().chance(0.5) ? 1 : 0;
  if (const natsStatus dialed = fresh->dial(); dialed != NATS_OK) return dialed;
  fresh->self = fresh;
  fresh->begin();
  *into = fresh.get();
  return NATS_OK;
}

natsConnStatus natsConnection_Status(natsConnection* of) { return of->status; }
natsStatus natsConnection_GetLastError(natsConnection* of, const char** text) {
  *text = "";
  return of->status == NATS_CONN_STATUS_RECONNECTING ? NATS_NO_SERVER : NATS_OK;
}
void natsConnection_Close(natsConnection* of) { of->close(); }
void natsConnection_Destroy(natsConnection* of) {
  if (of == nullptr) return;
  of->close();
  const auto last = std::move(of->self);
}

natsStatus natsConnection_FlushTimeout(natsConnection* of, std::int64_t patience) {
  kernel().call();
  const Aside aside;
  auto came = std::make_shared<bool>(false);
  of->send([came](BusServer&, const auto& link) { link->to_program([came] { *came = true; }); });
  wait_for([&] { return *came || of->is_closed(); }, static_cast<Nanos>(patience) * kMilli);
  return *came ? NATS_OK : NATS_TIMEOUT;
}

natsStatus natsConnection_Publish(natsConnection* by, const char* subject, const void* data, int size) {
  return natsConnection_PublishRequest(by, subject, "", data, size);
}

natsStatus natsConnection_PublishRequest(natsConnection* by, const char* subject, const char* reply, const void* data,
                                         int size) {
  kernel().call();
  if (by->is_closed()) return NATS_CONNECTION_CLOSED;
  const Aside aside;
  BusMail mail = mail_of(subject, data, size);
  if (is_too_large(mail)) return NATS_MAX_PAYLOAD;
  mail.reply = reply;
  by->send([mail = std::move(mail)](BusServer& server, const auto& link) { server.publish(link, mail); });
  return NATS_OK;
}

// -- Subscriptions ----------------------------------------------------------------------------------------------------

natsStatus natsConnection_Subscribe(natsSubscription** into, natsConnection* by, const char* subject,
                                    natsMsgHandler handler, void* of) {
  kernel().call();
  if (by->is_closed()) return NATS_CONNECTION_CLOSED;
  const Aside aside;
  auto fresh = std::make_shared<natsSubscription>();
  fresh->self = fresh;
  fresh->by = by->shared_from_this();
  fresh->number = ++by->last_number;
  fresh->pattern = subject;
  fresh->handler = handler;
  fresh->of_handler = of;
  by->subscriptions.push_back(fresh);
  if (by->status == NATS_CONN_STATUS_CONNECTED)  // else dial() subscribes
    by->send([fresh, heard = by->way_to(fresh)](BusServer& server, const auto& link) {
      server.subscribe(*link, fresh->number, fresh->pattern, heard);
    });
  *into = fresh.get();
  return NATS_OK;
}

natsStatus natsSubscription_SetOnCompleteCB(natsSubscription* of, natsOnCompleteCB complete, void* with) {
  return of->complete = complete, of->of_complete = with, NATS_OK;
}

void natsSubscription_Destroy(natsSubscription* one) {
  if (one == nullptr) return;
  const Aside aside;
  const auto last = std::move(one->self);
  if (!std::exchange(one->open, false)) return;
  std::erase(one->by->subscriptions, last);
  one->by->send([number = one->number](BusServer&, const auto& link) { BusServer::unsubscribe(*link, number); });
  one->by->deliver(last, nullptr);
}

natsStatus natsSubscription_NextMsg(natsMsg** into, natsSubscription* from, std::int64_t patience) {
  kernel().call();
  const Aside aside;
  wait_for([from] { return !from->waiting.empty() || from->by->is_closed(); }, static_cast<Nanos>(patience) * kMilli);
  if (from->by->is_closed()) return NATS_CONNECTION_CLOSED;
  if (from->waiting.empty()) return NATS_TIMEOUT;
  *into = new natsMsg{std::move(from->waiting.front())};
  from->waiting.pop_front();
  return NATS_OK;
}

// -- Messages ---------------------------------------------------------------------------------------------------------

const char* natsMsg_GetSubject(const natsMsg* of) { return of->mail->subject.c_str(); }
const char* natsMsg_GetReply(const natsMsg* of) { return of->mail->reply.empty() ? nullptr : of->mail->reply.c_str(); }
const char* natsMsg_GetData(const natsMsg* of) { return reinterpret_cast<const char*>(of->mail->bytes.data()); }
int natsMsg_GetDataLength(const natsMsg* of) { return static_cast<int>(of->mail->bytes.size()); }
std::uint64_t natsMsg_GetSequence(natsMsg* of) { return of->mail->number; }
bool natsMsg_IsNoResponders(natsMsg* of) { return of->mail->nobody; }
natsStatus natsMsgHeader_Get(natsMsg* of, const char* key, const char** value) {
  if (!of->mail->removes || std::string_view(key) != "KV-Operation") return NATS_NOT_FOUND;
  return *value = "DEL", NATS_OK;
}
natsStatus natsMsg_GetMetaData(jsMsgMetaData** into, natsMsg* of) {
  const Aside aside;
  auto* const its = new jsMsgMetaData{};
  its->Sequence.Stream = of->mail->number;
  its->NumPending = of->mail->pending;
  return *into = its, NATS_OK;
}
void jsMsgMetaData_Destroy(jsMsgMetaData* one) { delete one; }
void natsMsg_Destroy(natsMsg* one) { delete one; }

// -- Streams ----------------------------------------------------------------------------------------------------------

natsStatus jsOptions_Init(jsOptions* its) { return *its = {}, NATS_OK; }
natsStatus jsPubOptions_Init(jsPubOptions* its) { return *its = {}, NATS_OK; }
natsStatus jsSubOptions_Init(jsSubOptions* its) { return *its = {}, NATS_OK; }
natsStatus jsStreamConfig_Init(jsStreamConfig* its) { return *its = {}, NATS_OK; }
natsStatus jsDirectGetMsgOptions_Init(jsDirectGetMsgOptions* its) { return *its = {}, NATS_OK; }

natsStatus natsConnection_JetStream(jsCtx** into, natsConnection* by, jsOptions* options) {
  const Aside aside;
  *into = new jsCtx{by->shared_from_this(), static_cast<Nanos>(options->Wait) * kMilli};
  return NATS_OK;
}
void jsCtx_Destroy(jsCtx* one) { delete one; }

natsStatus js_AddStream(jsStreamInfo**, jsCtx* context, jsStreamConfig* its, jsOptions*, jsErrCode* code) {
  std::vector<std::string> subjects(its->Subjects, its->Subjects + its->SubjectsLen);
  const auto most = static_cast<std::size_t>(its->MaxMsgsPerSubject);
  const auto added =
      ask<bool>(*context->by, context->wait, api("STREAM.CREATE." + std::string(its->Name)),
                [name = std::string(its->Name), subjects, most, age = static_cast<Nanos>(its->MaxAge)](
                    BusServer& server, const auto&) { return server.add_stream(name, subjects, most, age); });
  if (!added) return NATS_TIMEOUT;
  if (!*added) *code = JSStreamNameExistErr;
  return *added ? NATS_OK : NATS_ERR;
}

natsStatus js_GetStreamInfo(jsStreamInfo** into, jsCtx* context, const char* stream, jsOptions* options, jsErrCode*) {
  struct Its {
    std::int64_t created = 0;
    std::vector<std::string> subjects;
  };
  const std::string filter =
      options != nullptr && options->Stream.Info.SubjectsFilter != nullptr ? options->Stream.Info.SubjectsFilter : "";
  const auto found = ask<std::optional<Its>>(
      *context->by, context->wait, api("STREAM.INFO." + std::string(stream)),
      [name = std::string(stream), filter](BusServer& server, const auto&) {
        const auto* const one = server.stream(name);
        if (one == nullptr) return std::optional<Its>();
        Its its{one->created, {}};
        for (const auto& mail : one->mails)
          if (!filter.empty() && BusServer::fits(mail->subject, filter) &&
              std::find(its.subjects.begin(), its.subjects.end(), mail->subject) == its.subjects.end())
            its.subjects.push_back(mail->subject);
        return std::optional(its);
      });
  if (!found) return NATS_TIMEOUT;
  if (!*found) return NATS_NOT_FOUND;
  const Aside aside;
  auto* const info = new jsStreamInfo{};
  info->Created = (*found)->created;
  if (const auto& subjects = (*found)->subjects; !subjects.empty()) {
    info->State.Subjects = new jsStreamStateSubjects{new jsStreamStateSubject[subjects.size()]{}, 0};
    for (const std::string& one : subjects) {
      auto* const text = new char[one.size() + 1]{};
      one.copy(text, one.size());
      info->State.Subjects->List[info->State.Subjects->Count++].Subject = text;
    }
  }
  return *into = info, NATS_OK;
}

void jsStreamInfo_Destroy(jsStreamInfo* one) {
  if (one == nullptr) return;
  if (jsStreamStateSubjects* const subjects = one->State.Subjects; subjects != nullptr) {
    for (int i = 0; i < subjects->Count; ++i) delete[] subjects->List[i].Subject;
    delete[] subjects->List;
    delete subjects;
  }
  delete one;
}

natsStatus js_Publish(jsPubAck** into, jsCtx* context, const char* subject, const void* data, int size,
                      jsPubOptions* options, jsErrCode*) {
  const std::string id = options->MsgId != nullptr ? options->MsgId : "";
  BusMail sent = mail_of(subject, data, size);
  if (is_too_large(sent, id)) return NATS_MAX_PAYLOAD;
  const auto stored = ask<std::optional<std::uint64_t>>(
      *context->by, context->wait, subject,
      [mail = std::move(sent), id](BusServer& server, const auto&) { return server.store(mail, id); });
  if (!stored) return NATS_TIMEOUT;
  if (!*stored) return NATS_NO_RESPONDERS;
  const Aside aside;
  *into = new jsPubAck{};
  (*into)->Sequence = **stored;
  return NATS_OK;
}
void jsPubAck_Destroy(jsPubAck* one) { delete one; }

natsStatus js_GetLastMsg(natsMsg** into, jsCtx* context, const char* stream, const char* subject, jsOptions*,
                         jsErrCode*) {
  return get(into, *context, "STREAM.MSG.GET.", stream,
             [subject = std::string(subject)](const auto& its) { return BusServer::last(its, subject); });
}

natsStatus js_DirectGetMsg(natsMsg** into, jsCtx* context, const char* stream, jsOptions*,
                           jsDirectGetMsgOptions* options) {
  return get(into, *context, "DIRECT.GET.", stream,
             [pattern = std::string(options->NextBySubject), from = options->Sequence](const auto& its) -> Mail {
               const auto found = std::find_if(its.mails.begin(), its.mails.end(), [&](const auto& one) {
                 return one->number >= from && BusServer::fits(one->subject, pattern);
               });
               return found != its.mails.end() ? *found : nullptr;
             });
}

natsStatus js_SubscribeSync(natsSubscription** into, jsCtx* context, const char* subject, jsOptions*,
                            jsSubOptions* options, jsErrCode*) {
  const Aside aside;
  auto fresh = std::make_shared<natsSubscription>();
  fresh->by = context->by;
  fresh->number = ++context->by->last_number;
  const auto heard = context->by->way_to(fresh);
  const auto first = ask<std::optional<std::uint64_t>>(
      *context->by, context->wait, api("CONSUMER.CREATE." + std::string(options->Stream)),
      [fresh, heard, stream = std::string(options->Stream), pattern = std::string(subject)](BusServer& server,
                                                                                            const auto& link) {
        if (server.stream(stream) == nullptr) return std::optional<std::uint64_t>();
        return std::optional(server.consume(*link, fresh->number, stream, pattern, heard));
      });
  fresh->open = first && *first;
  if (!fresh->open) return first ? NATS_NOT_FOUND : NATS_TIMEOUT;
  fresh->first = **first;
  fresh->self = fresh;
  return *into = fresh.get(), NATS_OK;
}

natsStatus natsSubscription_GetConsumerInfo(jsConsumerInfo** into, natsSubscription* of, jsOptions*, jsErrCode*) {
  const Aside aside;
  *into = new jsConsumerInfo{};
  (*into)->NumPending = of->first;
  return NATS_OK;
}
void jsConsumerInfo_Destroy(jsConsumerInfo* one) { delete one; }

// -- Buckets ----------------------------------------------------------------------------------------------------------

natsStatus kvConfig_Init(kvConfig* its) { return *its = {}, NATS_OK; }

natsStatus js_CreateKeyValue(kvStore** into, jsCtx* context, kvConfig* its) {
  const std::string bucket = its->Bucket;
  const std::size_t history = std::max<std::size_t>(its->History, 1);
  const auto added = ask<bool>(*context->by, context->wait, api("STREAM.CREATE.KV_" + bucket),
                               [bucket, history, age = static_cast<Nanos>(its->TTL)](BusServer& server, const auto&) {
                                 return server.add_stream("KV_" + bucket, {"$KV." + bucket + ".>"}, history, age);
                               });
  if (!added) return NATS_TIMEOUT;
  if (!*added) return NATS_ERR;
  const Aside aside;
  return *into = new kvStore{context->by, context->wait, bucket}, NATS_OK;
}

natsStatus js_KeyValue(kvStore** into, jsCtx* context, const char* bucket) {
  const auto there = ask<bool>(
      *context->by, context->wait, api("STREAM.INFO.KV_" + std::string(bucket)),
      [name = "KV_" + std::string(bucket)](BusServer& server, const auto&) { return server.stream(name) != nullptr; });
  if (!there) return NATS_TIMEOUT;
  if (!*there) return NATS_NOT_FOUND;
  const Aside aside;
  return *into = new kvStore{context->by, context->wait, bucket}, NATS_OK;
}
void kvStore_Destroy(kvStore* one) { delete one; }

natsStatus kvStore_Get(kvEntry** into, kvStore* store, const char* key) {
  const auto found = ask<Mail>(
      *store->by, store->wait, api("STREAM.MSG.GET.KV_" + store->bucket),
      [stream = "KV_" + store->bucket, subject = store->subject(key)](BusServer& server, const auto&) -> Mail {
        const auto* const its = server.stream(stream);
        return its != nullptr ? BusServer::last(*its, subject) : nullptr;
      });
  if (!found) return NATS_TIMEOUT;
  if (*found == nullptr || (*found)->removes) return NATS_NOT_FOUND;
  const Aside aside;
  return *into = new kvEntry{key, *found}, NATS_OK;
}

natsStatus kvStore_Put(std::uint64_t* revision, kvStore* store, const char* key, const void* data, int size) {
  return write(*store, mail_of(store->subject(key), data, size), std::nullopt, revision);
}

/// An entry that was removed may be created again.
natsStatus kvStore_Create(std::uint64_t* revision, kvStore* store, const char* key, const void* data, int size) {
  BusMail sent = mail_of(store->subject(key), data, size);
  if (is_too_large(sent)) return NATS_MAX_PAYLOAD;
  const auto stored = ask<std::optional<std::uint64_t>>(
      *store->by, store->wait, store->subject(key),
      [stream = "KV_" + store->bucket, mail = std::move(sent)](BusServer& server, const auto&) {
        const auto* const its = server.stream(stream);
        const Mail before = its != nullptr ? BusServer::last(*its, mail.subject) : nullptr;
        return server.store(mail, "", before != nullptr && before->removes ? before->number : 0);
      });
  if (!stored) return NATS_TIMEOUT;
  if (!*stored) return NATS_ERR;
  return *revision = **stored, NATS_OK;
}

natsStatus kvStore_Update(std::uint64_t* revision, kvStore* store, const char* key, const void* data, int size,
                          std::uint64_t last) {
  return write(*store, mail_of(store->subject(key), data, size), last, revision);
}

natsStatus kvStore_Delete(kvStore* store, const char* key) {
  BusMail mail = mail_of(store->subject(key), nullptr, 0);
  mail.removes = true;
  return write(*store, std::move(mail), std::nullopt, nullptr);
}

const char* kvEntry_Key(kvEntry* of) { return of->key.c_str(); }
const void* kvEntry_Value(kvEntry* of) { return of->mail->bytes.data(); }
int kvEntry_ValueLen(kvEntry* of) { return static_cast<int>(of->mail->bytes.size()); }
std::uint64_t kvEntry_Revision(kvEntry* of) { return of->mail->number; }
kvOperation kvEntry_Operation(kvEntry* of) { return of->mail->removes ? kvOp_Delete : kvOp_Put; }
void kvEntry_Destroy(kvEntry* one) { delete one; }

// -- The library ------------------------------------------------------------------------------------------------------

const char* natsStatus_GetText(natsStatus status) {
  switch (status) {
    case NATS_OK:
      return "OK";
    case NATS_NO_SERVER:
      return "No server available for connection";
    case NATS_TIMEOUT:
      return "Timeout";
    case NATS_NOT_FOUND:
      return "Not Found";
    case NATS_NO_RESPONDERS:
      return "No responders are available for the request";
    case NATS_CONNECTION_CLOSED:
      return "Connection Closed";
    case NATS_NOT_PERMITTED:
      return "Not Permitted";
    default:
      return "Error";
  }
}
const char* nats_GetLastError(natsStatus*) { return last_refused.c_str(); }
void nats_ReleaseThreadMemory() {}
void nats_Sleep(std::int64_t milliseconds) {
  kernel().wait([] { return false; }, kernel().now() + static_cast<Nanos>(milliseconds) * kMilli);
}

}  // extern "C"
