#include "proxy/fleet/bus.h"

#include <nats/nats.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "proxy/fleet/job_thread.h"
#include "proxy/net/address.h"
#include "proxy/net/network.h"

namespace entente::fleet {
namespace {

constexpr std::int64_t kConnectWait = 2'000;    // ms, for each server
constexpr std::int64_t kJetStreamWait = 2'000;  // ms
constexpr std::int64_t kWriteDeadline = 2'000;  // ms; a server that reads nothing is disconnected
constexpr std::int64_t kPing = 1'000;  // ms; a server is disconnected after two unanswered pings, before kNodeLost
constexpr Millis kWatchStep = 200;     // how soon a watch notices that it must restart or end
constexpr Millis kQuestionStep = 50;
constexpr Millis kGoodbye = 1'000;          // for what waits when the bus closes
constexpr std::size_t kMostRefusals = 100;  // subjects of which a refusal is reported

/// The text of libnats for the last failure on this thread.
std::string failure(natsStatus status) {
  const char* last = nats_GetLastError(nullptr);
  const std::string text = last != nullptr ? last : "";
  if (text.empty()) return natsStatus_GetText(status);
  const std::size_t place = text.starts_with('(') ? text.find("): ") : text.npos;  // in the source of libnats
  return place == text.npos ? text : text.substr(place + 3);
}

/// Why the connection last failed; empty: it did not.
std::string why_failed(natsConnection* connection) {
  const char* text = nullptr;
  const natsStatus status = natsConnection_GetLastError(connection, &text);
  if (status == NATS_OK) return "";
  return text != nullptr && *text != '\0' ? text : natsStatus_GetText(status);
}

Buffer buffer_of(const void* data, int size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  return size > 0 ? Buffer(bytes, bytes + size) : Buffer();
}

BusMessage message_of(const natsMsg* message) {
  const char* reply = natsMsg_GetReply(message);
  return {natsMsg_GetSubject(message), reply != nullptr ? reply : "",
          buffer_of(natsMsg_GetData(message), natsMsg_GetDataLength(message)), 0};
}

BusEntry entry_of(kvEntry* entry) {
  return {kvEntry_Key(entry), buffer_of(kvEntry_Value(entry), kvEntry_ValueLen(entry)), kvEntry_Revision(entry),
          kvEntry_Operation(entry) != kvOp_Put};
}

std::size_t size_of(const BusMessage& message) {
  return message.subject.size() + message.reply.size() + message.bytes.size() + 128;
}

natsStatus sent(natsConnection* by, const std::string& subject, const std::string& reply, const Buffer& bytes) {
  const int length = static_cast<int>(bytes.size());
  return reply.empty() ? natsConnection_Publish(by, subject.c_str(), bytes.data(), length)
                       : natsConnection_PublishRequest(by, subject.c_str(), reply.c_str(), bytes.data(), length);
}

/// 128 random bits.
std::string random_token() {
  std::random_device random;
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x%08x%08x", random(), random(), random(), random());
  return text.data();
}

bool is_tls(const std::string& url) { return url.starts_with("tls://"); }

}  // namespace

struct BusCounters {
  std::atomic<std::uint64_t> published{0}, published_bytes{0}, received{0}, received_bytes{0}, dropped_out{0},
      dropped_in{0}, connects{0}, losses{0}, failures{0}, refused{0}, forged{0};
};

// -- The line's side of letters ---------------------------------------------------------------------------------------

/// Where the threads of the bus post work for a line.
class BusLine::Inbox {
 public:
  Inbox(net::Mailbox<Letter, BusLine>& mailbox, std::size_t most) : mailbox_(&mailbox), most_(most) {}

  enum class Drop : bool { kNever, kIfFull };
  /// False: it is dropped.
  bool post(std::size_t bytes, Drop drop, std::function<void(BusLine&)> read) {
    const std::lock_guard lock(mutex_);
    if (mailbox_ == nullptr) return false;
    if (drop == Drop::kIfFull && waiting_ + bytes > most_) return false;
    waiting_ += bytes;
    return mailbox_->post({std::move(read), bytes});
  }
  void taken(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    waiting_ -= bytes;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    mailbox_ = nullptr;
  }

 private:
  std::mutex mutex_;
  net::Mailbox<Letter, BusLine>* mailbox_;
  const std::size_t most_;
  std::size_t waiting_ = 0;
};

// -- The connection ---------------------------------------------------------------------------------------------------

/// Destroyed with its last user.
struct BusConnection {
  natsConnection* nats = nullptr;
  jsCtx* stream = nullptr;
  std::mutex mutex;
  std::map<std::pair<std::thread::id, std::string>, kvStore*> buckets;  // each thread has its own

  BusConnection() = default;
  BusConnection(const BusConnection&) = delete;
  BusConnection& operator=(const BusConnection&) = delete;
  ~BusConnection() {
    for (const auto& [of, bucket] : buckets) kvStore_Destroy(bucket);
    jsCtx_Destroy(stream);
    natsConnection_Destroy(nats);
  }

  /// Null: it cannot be opened. An opened bucket stays open, even if the server loses it.
  kvStore* bucket(const std::string& name) {
    std::unique_lock lock(mutex);
    kvStore*& store = buckets[{std::this_thread::get_id(), name}];
    lock.unlock();
    if (store == nullptr) js_KeyValue(&store, stream, name.c_str());
    return store;
  }
};

/// The entries of a bucket, as a kvWatcher of libnats reads them. A kvWatcher that is destroyed deletes its consumer by
/// a name that another thread of libnats may replace meanwhile, which crashed after a reconnect (3.4). This one leaves
/// its consumer to the server, which deletes it if nobody listens.
class BucketReader {
 public:
  BucketReader(jsCtx* stream, const std::string& bucket, const std::string& keys) : prefix_("$KV." + bucket + ".") {
    const std::string name = "KV_" + bucket;
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = name.c_str();
    options.Ordered = true;
    options.Config.DeliverPolicy = js_DeliverLastPerSubject;
    jsConsumerInfo* info = nullptr;
    status_ = js_SubscribeSync(&entries_, stream, (prefix_ + keys).c_str(), nullptr, &options, nullptr);
    if (status_ == NATS_OK) status_ = natsSubscription_GetConsumerInfo(&info, entries_, nullptr, nullptr);
    if (status_ == NATS_OK) pending_ = info->NumPending + info->Delivered.Consumer;
    jsConsumerInfo_Destroy(info);
  }
  ~BucketReader() { natsSubscription_Destroy(entries_); }
  BucketReader(const BucketReader&) = delete;
  BucketReader& operator=(const BucketReader&) = delete;

  /// The next entry; null, once, after the entries that were there at first. NATS_TIMEOUT: none within `patience`
  /// milliseconds.
  natsStatus next(std::shared_ptr<BusEntry>& entry, std::int64_t patience) {
    entry = nullptr;
    if (status_ != NATS_OK) return status_;
    if (pending_ == 0U) return pending_.reset(), NATS_OK;
    natsMsg* message = nullptr;
    status_ = natsSubscription_NextMsg(&message, entries_, patience);
    if (status_ == NATS_TIMEOUT) return std::exchange(status_, NATS_OK);
    if (status_ == NATS_OK) status_ = read(*message, entry);
    natsMsg_Destroy(message);
    return status_;
  }

 private:
  natsStatus read(natsMsg& message, std::shared_ptr<BusEntry>& entry) {
    const std::string subject = natsMsg_GetSubject(&message);
    jsMsgMetaData* meta = nullptr;
    if (!subject.starts_with(prefix_)) return NATS_ERR;
    if (const natsStatus status = natsMsg_GetMetaData(&meta, &message); status != NATS_OK) return status;
    const char* operation = nullptr;
    const bool gone = natsMsgHeader_Get(&message, "KV-Operation", &operation) == NATS_OK;
    entry = std::make_shared<BusEntry>(BusEntry{subject.substr(prefix_.size()),
                                                buffer_of(natsMsg_GetData(&message), natsMsg_GetDataLength(&message)),
                                                meta->Sequence.Stream, gone});
    if (pending_) pending_ = std::min(*pending_ - 1, meta->NumPending);
    jsMsgMetaData_Destroy(meta);
    return NATS_OK;
  }

  const std::string prefix_;
  natsSubscription* entries_ = nullptr;
  natsStatus status_ = NATS_OK;
  std::optional<std::uint64_t> pending_;  // entries that were there at first and are not read yet; none: all were read
};

class Bus::Impl : public std::enable_shared_from_this<Bus::Impl> {
 public:
  explicit Impl(const BusOptions& options) : options_(options), encrypted_(is_tls(options.servers.front())) {}

  void begin() {
    sender_.emplace(
        options_.most_waiting, [this] { return tend(); }, &nats_ReleaseThreadMemory);
    clerk_.emplace(options_.most_waiting, nullptr, &nats_ReleaseThreadMemory);
    patient_clerk_.emplace(options_.most_waiting, nullptr, &nats_ReleaseThreadMemory);
    storer_.emplace(options_.most_waiting, nullptr, &nats_ReleaseThreadMemory);
  }
  void end();

  // From any thread.
  bool up() const { return up_; }
  std::optional<Millis> lost_for() const {
    const std::lock_guard lock(mutex_);
    return up_ ? std::nullopt : std::optional(steady_now() - lost_at_);
  }
  std::string error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  const std::shared_ptr<BusCounters>& counters() const { return counters_; }
  void join(const std::shared_ptr<BusLine::Inbox>& inbox) {
    const std::lock_guard lock(mutex_);
    inboxes_.push_back(inbox);
  }

  bool publish(std::string subject, std::string reply, Buffer bytes);
  enum class Brings : bool { kMessages, kAnswers };
  /// kAnswers: `number` is that of a question.
  void subscribe(BusLine::SubscriptionId number, std::string subject, std::shared_ptr<BusLine::Inbox> inbox,
                 Brings brings = Brings::kMessages);
  void unsubscribe(const BusLine::Inbox* inbox, BusLine::SubscriptionId number);
  void unsubscribe_all(const BusLine::Inbox* inbox);
  void watch(BusLine::SubscriptionId number, std::string bucket, std::string keys,
             std::shared_ptr<BusLine::Inbox> inbox);
  void unwatch(const BusLine::Inbox* inbox, BusLine::SubscriptionId number);
  void unwatch_all(const BusLine::Inbox* inbox);
  /// `job` gets the connection; null: there is none.
  enum class OrderThread : std::uint8_t { kBuckets, kPatient, kStreams };
  bool order(OrderThread whose, std::size_t bytes, std::function<void(BusConnection*)> job) {
    auto& thread = whose == OrderThread::kStreams ? storer_ : whose == OrderThread::kPatient ? patient_clerk_ : clerk_;
    return thread->put(bytes, [this, job = std::move(job)] { job(current().get()); });
  }
  std::string inbox_prefix() const { return options_.inbox.empty() ? "_INBOX" : options_.inbox; }
  std::size_t most_waiting() const { return options_.most_waiting; }
  bool send(const std::function<void()>& job) { return sender_->put(128, job); }

 private:
  /// The context of libnats's callbacks, which may come when we are gone.
  struct Hook {
    std::weak_ptr<Impl> impl;
    natsConnection* of = nullptr;
    std::atomic<bool> closed{false};
  };
  struct SubscriptionHook {
    std::shared_ptr<BusLine::Inbox> inbox;
    BusLine::SubscriptionId number;
    std::shared_ptr<BusCounters> counters;
    Brings brings;
  };
  struct Subscription {
    std::shared_ptr<BusLine::Inbox> inbox;
    BusLine::SubscriptionId number;
    std::string subject;
    Brings brings;
    natsSubscription* nats = nullptr;
  };
  struct Watch {
    std::shared_ptr<BusLine::Inbox> inbox;
    BusLine::SubscriptionId number;
    std::string bucket, keys;
    std::atomic<bool> over{false}, ended{false};
    std::thread thread;
  };

  std::shared_ptr<BusConnection> current() const {
    const std::lock_guard lock(mutex_);
    return up_ ? connection_ : nullptr;
  }
  // On the sender's thread.
  Millis tend();
  natsStatus connect();
  class Steps;
  natsStatus set(natsOptions* to);
  void set_account(natsOptions* to, Steps& steps) const;
  void set_tls(natsOptions* to, Steps& steps) const;
  void open(Subscription& one);
  void close(Subscription& one);

  // Called by libnats.
  static void on_up(natsConnection*, void* hook) {
    with(hook, [](Impl& its) { its.went_up(); });
  }
  static void on_down(natsConnection*, void* hook) {
    with(hook, [](Impl& its) { its.went_down(); });
  }
  static void on_closed(natsConnection* of, void* hook) {
    const std::string why = why_failed(of);
    with(hook, [&](Impl& its) {
      its.went_down();
      if (!why.empty()) its.cannot_connect(why);
      static_cast<Hook*>(hook)->closed = true;  // the hook may go once nothing holds `its`
      its.sender_->wake();
    });
  }
  static void on_error(natsConnection*, natsSubscription*, natsStatus what, void* hook) {
    if (what == NATS_NOT_PERMITTED) with(hook, [&](Impl& its) { its.was_refused(failure(what)); });
    // A consumer of a watch is gone: with the server that had it, or because messages were lost.
    if (what == NATS_MISSED_HEARTBEAT || what == NATS_MISMATCH || what == NATS_SLOW_CONSUMER)
      with(hook, [](Impl& its) { ++its.generation_; });
  }
  static std::int64_t on_delay(natsConnection* of, int attempts, void* hook) {
    std::int64_t pause = 0;
    const std::string why = why_failed(of);
    with(hook, [&](Impl& its) {
      if (!why.empty()) its.cannot_connect(why);
      pause = static_cast<std::int64_t>(its.pause(static_cast<unsigned>(attempts)));
    });
    return pause;
  }
  template <class Call>
  static void with(void* hook, Call call) {
    if (const auto impl = static_cast<Hook*>(hook)->impl.lock()) call(*impl);
  }
  static void on_message(natsConnection*, natsSubscription*, natsMsg* message, void* hook);
  static void on_complete(void* hook) { delete static_cast<SubscriptionHook*>(hook); }

  Millis pause(unsigned attempts) const {
    const Millis doubled = options_.reconnect_first << std::min(attempts, 16U);
    return std::min(doubled, options_.reconnect_last);
  }
  void went_up();
  void went_down();
  void cannot_connect(const std::string& why);
  void was_refused(const std::string& what);
  void tell_state(bool up);
  void run(Watch& watch);
  void follow(Watch& watch, BusConnection& connection);

  const BusOptions options_;
  const bool encrypted_;
  const std::shared_ptr<BusCounters> counters_ = std::make_shared<BusCounters>();
  std::atomic<bool> up_{false};
  std::atomic<bool> ended_{false};            // closed by us: the end of the connection is not reported
  std::atomic<std::uint64_t> generation_{0};  // of watches: they restart when it changes
  mutable std::mutex mutex_;                  // of what follows
  std::condition_variable changed_;
  std::shared_ptr<BusConnection> connection_;
  Millis lost_at_ = steady_now();
  std::string error_;
  std::set<std::string> refusals_;
  std::set<std::string> reasons_;  // why it could not connect since it was up
  std::vector<std::weak_ptr<BusLine::Inbox>> inboxes_;
  std::vector<std::unique_ptr<Watch>> watches_;  // also those that are over, until their threads are joined
  // Of the sender's thread.
  std::vector<std::shared_ptr<Hook>> hooks_;  // the last one belongs to the current connection
  std::vector<Subscription> subscriptions_;
  std::atomic<unsigned> attempts_{0};  // since the connection was up
  Millis next_attempt_ = 0;

  std::optional<JobThread> sender_, clerk_, patient_clerk_, storer_;  // last, so that they end first
};

Millis Bus::Impl::tend() {
  {
    const std::lock_guard lock(mutex_);
    if (connection_ != nullptr && !hooks_.back()->closed) return JobThread::kLong;
  }
  // libnats gives up if a server refuses us twice. We retry with longer and longer pauses, because the password may be
  // corrected.
  const Millis now = steady_now();
  if (now < next_attempt_) return next_attempt_ - now;
  const Millis pause = this->pause(attempts_++);
  const natsStatus status = connect();
  next_attempt_ = steady_now() + pause;
  if (status == NATS_OK) {
    for (Subscription& one : subscriptions_) {
      natsSubscription_Destroy(std::exchange(one.nats, nullptr));
      open(one);
    }
    went_up();
    if (natsConnection_Status(connection_->nats) != NATS_CONN_STATUS_CONNECTED) went_down();  // it was lost before
    return JobThread::kLong;
  }
  return pause;
}

/// Calls functions of nats.h, until one fails.
class Bus::Impl::Steps {
 public:
  template <class Next>
  void then(Next&& next) {
    if (status_ == NATS_OK) status_ = next();
  }
  natsStatus status() const { return status_; }

 private:
  natsStatus status_ = NATS_OK;
};

void Bus::Impl::set_account(natsOptions* to, Steps& steps) const {
  if (!options_.user.empty())
    steps.then([&] { return natsOptions_SetUserInfo(to, options_.user.c_str(), options_.password.c_str()); });
  if (!options_.token.empty()) steps.then([&] { return natsOptions_SetToken(to, options_.token.c_str()); });
  if (!options_.credentials_file.empty())
    steps.then([&] { return natsOptions_SetUserCredentialsFromFiles(to, options_.credentials_file.c_str(), nullptr); });
}

void Bus::Impl::set_tls(natsOptions* to, Steps& steps) const {
  const auto optional = [](const std::string& text) { return text.empty() ? nullptr : text.c_str(); };
  // Other servers of the cluster may be on other machines, to which a connection without TLS must not go.
  steps.then([&] { return natsOptions_SetIgnoreDiscoveredServers(to, !encrypted_); });
  if (!encrypted_) return;
  steps.then([&] { return natsOptions_SetSecure(to, true); });
  if (!options_.ca_file.empty())
    steps.then([&] { return natsOptions_LoadCATrustedCertificates(to, options_.ca_file.c_str()); });
  if (!options_.certificate_file.empty())
    steps.then([&] {
      return natsOptions_LoadCertificatesChain(to, options_.certificate_file.c_str(), optional(options_.key_file));
    });
}

natsStatus Bus::Impl::set(natsOptions* to) {
  std::vector<const char*> servers;
  for (const std::string& one : options_.servers) servers.push_back(one.c_str());
  Hook* hook = hooks_.back().get();
  Steps steps;
  const auto then = [&steps](auto&& next) { steps.then(next); };
  then([&] { return natsOptions_SetServers(to, servers.data(), static_cast<int>(servers.size())); });
  then([&] { return natsOptions_SetName(to, options_.client.c_str()); });
  then([&] { return natsOptions_SetTimeout(to, kConnectWait); });
  then([&] { return natsOptions_SetWriteDeadline(to, kWriteDeadline); });
  then([&] { return natsOptions_SetPingInterval(to, kPing); });
  then([&] { return natsOptions_SetMaxPingsOut(to, 2); });
  then([&] { return natsOptions_SetMaxReconnect(to, -1); });
  then([&] { return natsOptions_SetCustomReconnectDelay(to, &on_delay, hook); });
  then([&] { return natsOptions_SetSendAsap(to, true); });
  then([&] { return natsOptions_UseGlobalMessageDelivery(to, true); });  // one thread: the order of messages holds
  if (!options_.inbox.empty()) then([&] { return natsOptions_SetCustomInboxPrefix(to, options_.inbox.c_str()); });
  then([&] { return natsOptions_SetReconnectedCB(to, &on_up, hook); });
  then([&] { return natsOptions_SetDisconnectedCB(to, &on_down, hook); });
  then([&] { return natsOptions_SetClosedCB(to, &on_closed, hook); });
  then([&] { return natsOptions_SetErrorHandler(to, &on_error, hook); });
  set_account(to, steps);
  set_tls(to, steps);
  return steps.status();
}

natsStatus Bus::Impl::connect() {
  hooks_.push_back(std::make_shared<Hook>());
  hooks_.back()->impl = weak_from_this();
  auto fresh = std::make_shared<BusConnection>();
  natsOptions* options = nullptr;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK) status = set(options);
  if (status == NATS_OK) {
    status = natsConnection_Connect(&fresh->nats, options);
    if (status == NATS_OK) {
      jsOptions stream;
      jsOptions_Init(&stream);
      stream.Wait = kJetStreamWait;
      if (const natsStatus context = natsConnection_JetStream(&fresh->stream, fresh->nats, &stream); context != NATS_OK)
        status = context;
    }
  }
  natsOptions_Destroy(options);
  if (status != NATS_OK) {
    cannot_connect(failure(status));
    if (fresh->nats == nullptr)
      hooks_.pop_back();
    else
      hooks_.back()->closed = true;  // libnats still calls back
    return status;
  }
  const std::lock_guard lock(mutex_);
  connection_ = std::move(fresh);
  return status;
}

void Bus::Impl::went_up() {
  {
    const std::lock_guard lock(mutex_);
    if (up_) return;
    up_ = true;
    attempts_ = 0;
    error_.clear();
    reasons_.clear();
  }
  ++counters_->connects;
  if (options_.told) options_.told(true, "");
  ++generation_;
  changed_.notify_all();
  tell_state(true);
}

void Bus::Impl::went_down() {
  {
    const std::lock_guard lock(mutex_);
    if (!up_) return;
    up_ = false;
    lost_at_ = steady_now();
    error_ = "the connection was lost";
  }
  ++counters_->losses;
  if (options_.told && !ended_) options_.told(false, "the connection was lost");
  tell_state(false);
}

/// Reports each reason once, until it is connected.
void Bus::Impl::cannot_connect(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (up_ || ended_) return;
    error_ = why;
    if (reasons_.size() >= kMostRefusals || !reasons_.insert(why).second) return;
  }
  if (options_.told) options_.told(false, why);
}

void Bus::Impl::was_refused(const std::string& what) {
  ++counters_->refused;
  {
    const std::lock_guard lock(mutex_);
    if (refusals_.size() >= kMostRefusals || !refusals_.insert(what).second) return;
  }
  if (options_.refused) options_.refused(what);
}

void Bus::Impl::tell_state(bool up) {
  std::vector<std::shared_ptr<BusLine::Inbox>> all;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(inboxes_, [](const auto& one) { return one.expired(); });
    for (const auto& one : inboxes_)
      if (auto inbox = one.lock()) all.push_back(std::move(inbox));
  }
  for (const auto& inbox : all)
    inbox->post(0, BusLine::Inbox::Drop::kNever, [up](BusLine& line) {
      if (line.state_) line.state_(up);
    });
}

void Bus::Impl::end() {
  std::vector<std::unique_ptr<Watch>> watches;
  {
    const std::lock_guard lock(mutex_);
    watches.swap(watches_);
  }
  for (const auto& one : watches) one->over = true;
  changed_.notify_all();
  for (const auto& one : watches) one->thread.join();
  clerk_->stop();
  patient_clerk_->stop();
  storer_->stop();
  sender_->stop();
  std::shared_ptr<BusConnection> last;
  {
    const std::lock_guard lock(mutex_);
    last = std::exchange(connection_, nullptr);
  }
  for (Subscription& one : subscriptions_) natsSubscription_Destroy(one.nats);
  if (last == nullptr || hooks_.back()->closed) return;
  if (up_) natsConnection_FlushTimeout(last->nats, static_cast<std::int64_t>(kGoodbye));
  ended_ = true;
  natsConnection_Close(last->nats);
  // libnats calls back once more, from its own thread.
  for (Millis waited = 0; waited < kGoodbye && !hooks_.back()->closed; ++waited) nats_Sleep(1);
}

// -- Messages ---------------------------------------------------------------------------------------------------------

bool Bus::Impl::publish(std::string subject, std::string reply, Buffer bytes) {
  const std::size_t size = subject.size() + reply.size() + bytes.size() + 128;
  const bool taken = up_ && sender_->put(size, [this, subject = std::move(subject), reply = std::move(reply),
                                                bytes = std::move(bytes)] {
    const auto connection = current();
    if (connection == nullptr || sent(connection->nats, subject, reply, bytes) != NATS_OK) {
      ++counters_->dropped_out;
      return;
    }
    ++counters_->published;
    counters_->published_bytes += bytes.size();
  });
  if (!taken) ++counters_->dropped_out;
  return taken;
}

void Bus::Impl::on_message(natsConnection*, natsSubscription*, natsMsg* message, void* hook) {
  const auto& its = *static_cast<SubscriptionHook*>(hook);
  BusMessage heard = message_of(message);
  const bool nobody = natsMsg_IsNoResponders(message);
  // A client can have JetStream send a stored message to any subject, even to one where the client may not publish.
  const char* stream = nullptr;
  const bool forged = its.brings == Brings::kMessages && natsMsgHeader_Get(message, "Nats-Stream", &stream) == NATS_OK;
  natsMsg_Destroy(message);
  ++its.counters->received;
  its.counters->received_bytes += heard.bytes.size();
  if (forged) return void(++its.counters->forged);
  const std::size_t size = size_of(heard);
  const auto read = [number = its.number, brings = its.brings, nobody,
                     heard = std::make_shared<BusMessage>(std::move(heard))](BusLine& line) {
    if (brings == Brings::kMessages) return line.heard(number, *heard);
    line.answered(number, std::move(*heard), nobody);
  };
  if (!its.inbox->post(size, BusLine::Inbox::Drop::kIfFull, read)) ++its.counters->dropped_in;
}

void Bus::Impl::open(Subscription& one) {
  auto hook = std::make_unique<SubscriptionHook>(SubscriptionHook{one.inbox, one.number, counters_, one.brings});
  if (natsConnection_Subscribe(&one.nats, connection_->nats, one.subject.c_str(), &on_message, hook.get()) != NATS_OK)
    return;
  natsSubscription_SetOnCompleteCB(one.nats, &on_complete, hook.release());
}

void Bus::Impl::subscribe(BusLine::SubscriptionId number, std::string subject, std::shared_ptr<BusLine::Inbox> inbox,
                          Brings brings) {
  sender_->put(0, [this, number, brings, subject = std::move(subject), inbox = std::move(inbox)] {
    subscriptions_.push_back({inbox, number, subject, brings});
    if (connection_ != nullptr) open(subscriptions_.back());
  });
}

void Bus::Impl::unsubscribe(const BusLine::Inbox* inbox, BusLine::SubscriptionId number) {
  sender_->put(0, [this, inbox, number] {
    std::erase_if(subscriptions_, [&](Subscription& one) {
      if (one.inbox.get() != inbox || one.number != number) return false;
      natsSubscription_Destroy(one.nats);
      return true;
    });
  });
}

void Bus::Impl::unsubscribe_all(const BusLine::Inbox* inbox) {
  sender_->put(0, [this, inbox] {
    std::erase_if(subscriptions_, [&](Subscription& one) {
      if (one.inbox.get() != inbox) return false;
      natsSubscription_Destroy(one.nats);
      return true;
    });
  });
}

// -- Watches ----------------------------------------------------------------------------------------------------------

void Bus::Impl::watch(BusLine::SubscriptionId number, std::string bucket, std::string keys,
                      std::shared_ptr<BusLine::Inbox> inbox) {
  auto fresh = std::make_unique<Watch>();
  fresh->inbox = std::move(inbox);
  fresh->number = number;
  fresh->bucket = std::move(bucket);
  fresh->keys = std::move(keys);
  fresh->thread = std::thread([this, &its = *fresh] { run(its); });
  const std::lock_guard lock(mutex_);
  std::erase_if(watches_, [](const auto& one) {
    if (!one->ended) return false;
    one->thread.join();
    return true;
  });
  watches_.push_back(std::move(fresh));
}

void Bus::Impl::unwatch(const BusLine::Inbox* inbox, BusLine::SubscriptionId number) {
  const std::lock_guard lock(mutex_);
  for (const auto& one : watches_)
    if (one->inbox.get() == inbox && (number == 0 || one->number == number)) one->over = true;
  changed_.notify_all();
}

void Bus::Impl::unwatch_all(const BusLine::Inbox* inbox) { unwatch(inbox, 0); }

void Bus::Impl::run(Watch& watch) {
  while (!watch.over) {
    std::shared_ptr<BusConnection> connection;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(kWatchStep), [&] { return up_ || watch.over; });
      connection = up_ ? connection_ : nullptr;
    }
    if (connection != nullptr && !watch.over) follow(watch, *connection);
  }
  nats_ReleaseThreadMemory();
  watch.ended = true;
}

void Bus::Impl::follow(Watch& watch, BusConnection& connection) {
  const std::uint64_t generation = generation_;
  const auto wanted = [&] { return !watch.over && generation == generation_; };
  BucketReader bucket(connection.stream, watch.bucket, watch.keys);
  while (wanted()) {
    std::shared_ptr<BusEntry> heard;
    const natsStatus status = bucket.next(heard, static_cast<std::int64_t>(kWatchStep));
    if (status == NATS_TIMEOUT) continue;
    if (status != NATS_OK) break;
    const std::size_t size = heard != nullptr ? heard->key.size() + heard->value.size() + 128 : 0;
    const auto read = [number = watch.number, heard](BusLine& line) {
      const auto to = line.watched_.find(number);
      if (to == line.watched_.end()) return;
      const auto watched = to->second;
      (*watched)(heard.get());
    };
    // If too much waits, the watch starts again.
    if (!watch.inbox->post(size, BusLine::Inbox::Drop::kIfFull, read)) break;
  }
  if (!wanted()) return;
  std::unique_lock lock(mutex_);  // it failed: waits before the next attempt
  changed_.wait_for(lock, std::chrono::milliseconds(kWatchStep), [&] { return watch.over.load(); });
}

// -- The bus ----------------------------------------------------------------------------------------------------------

std::optional<std::string> objection_to_server(const std::string& url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos || (!url.starts_with("nats://") && !is_tls(url)))
    return "must be nats://host:port, or with TLS tls://host:port";
  std::string host = url.substr(scheme + 3);
  if (host.find('@') != std::string::npos) return "must not have a user or password; use the keys beside it";
  host.resize(std::min(host.find('/'), host.size()));
  if (const auto colon = host.rfind(':'); colon != std::string::npos && host.find(']', colon) == std::string::npos)
    host.resize(colon);
  if (host.empty()) return "names no host";
  if (is_tls(url) || host == "localhost" || host == "[::1]") return std::nullopt;
  if (const auto address = net::Address::parse(host + ":1"); address && net::is_loopback_v4(*address))
    return std::nullopt;
  return "would carry passwords and chat unencrypted to another machine: use tls://";
}

Bus::Bus(const BusOptions& options) : impl_(std::make_shared<Impl>(options)) {
  assert(!options.servers.empty());
  impl_->begin();
}

Bus::~Bus() { impl_->end(); }

bool Bus::connected() const { return impl_->up(); }
std::optional<Millis> Bus::lost_for() const { return impl_->lost_for(); }
std::string Bus::last_error() const { return impl_->error(); }

BusCounts Bus::counts() const {
  const BusCounters& its = *impl_->counters();
  return {its.published, its.published_bytes, its.received, its.received_bytes, its.dropped_out, its.dropped_in,
          its.connects,  its.losses,          its.failures, its.refused,        its.forged};
}

// -- A line -----------------------------------------------------------------------------------------------------------

/// Checks the time limits of questions while there are any.
class BusLine::Timer final : public net::Ticker::User {
 public:
  Timer(net::Loop& loop, BusLine& line) : line_(line), ticker_(loop, *this, kQuestionStep) {}
  void tick(Millis) override { line_.check_time(); }

 private:
  BusLine& line_;
  net::Ticker ticker_;
};

BusLine::BusLine(Bus& bus, net::Loop& loop, Orders orders)
    : bus_(bus),
      loop_(loop),
      orders_(orders),
      mailbox_(loop, *this),
      inbox_(std::make_shared<Inbox>(mailbox_, bus.impl_->most_waiting())) {
  bus_.impl_->join(inbox_);
}

BusLine::~BusLine() {
  inbox_->close();
  bus_.impl_->unwatch_all(inbox_.get());
  // The inbox stays until that is done.
  bus_.impl_->unsubscribe_all(inbox_.get());
}

void BusLine::mail() {
  mailbox_.take(letters_);
  for (Letter& letter : letters_) {
    inbox_->taken(letter.bytes);
    letter.read(*this);
  }
  letters_.clear();
}

void BusLine::on_state(std::function<void(bool)> state) {
  state_ = std::move(state);
  if (connected())
    inbox_->post(0, Inbox::Drop::kNever, [](BusLine& line) {
      if (line.state_ && line.connected()) line.state_(true);
    });
}

bool BusLine::publish(const std::string& subject, Bytes bytes, const std::string& reply) {
  return bus_.impl_->publish(subject, reply, Buffer(bytes.begin(), bytes.end()));
}

BusLine::SubscriptionId BusLine::subscribe(const std::string& subject, Heard heard) {
  heard_[++last_] = std::make_shared<Heard>(std::move(heard));
  bus_.impl_->subscribe(last_, subject, inbox_);
  return last_;
}

void BusLine::unsubscribe(SubscriptionId subscription) {
  if (heard_.erase(subscription) != 0) bus_.impl_->unsubscribe(inbox_.get(), subscription);
}

void BusLine::heard(SubscriptionId subscription, const BusMessage& message) {
  const auto to = heard_.find(subscription);
  if (to == heard_.end()) return;
  const auto heard = to->second;  // it may unsubscribe
  (*heard)(message);
}

void BusLine::ask(const std::string& subject, Bytes bytes, Millis within, std::size_t most, Answered answered,
                  const std::string& below) {
  const RequestId number = ++last_;
  const std::string at = (below.empty() ? bus_.impl_->inbox_prefix() : below) + "." + random_token();
  questions_[number] = {std::move(answered), {}, most, loop_.nanos() / 1'000'000 + within};
  bus_.impl_->subscribe(number, at, inbox_, Bus::Impl::Brings::kAnswers);
  if (timer_ == nullptr) timer_ = std::make_unique<Timer>(loop_, *this);
  // Without a connection, it is answered as soon as this call has returned.
  if (!publish(subject, bytes, at))
    inbox_->post(0, Inbox::Drop::kNever, [number](BusLine& line) { line.answered(number, {}, true); });
}

void BusLine::answered(RequestId number, BusMessage message, bool nobody) {
  const auto question = questions_.find(number);
  if (question == questions_.end()) return;
  if (!nobody) question->second.answers.push_back(std::move(message));
  if (nobody || question->second.answers.size() >= question->second.most) finish(question);
}

void BusLine::finish(std::unordered_map<RequestId, Question>::iterator question) {
  const Question done = std::move(question->second);
  bus_.impl_->unsubscribe(inbox_.get(), question->first);
  questions_.erase(question);
  done.answered(done.answers);
}

void BusLine::check_time() {
  const Millis now = loop_.nanos() / 1'000'000;
  std::vector<RequestId> late;
  for (const auto& [number, question] : questions_)
    if (question.until <= now) late.push_back(number);
  for (const RequestId number : late)
    if (const auto question = questions_.find(number); question != questions_.end()) finish(question);
  if (questions_.empty()) timer_.reset();
}

// -- JetStream --------------------------------------------------------------------------------------------------------

namespace {

BucketResult kept_failure(natsStatus status) { return {BucketResult::How::kFailed, {}, failure(status)}; }

BucketResult lost() { return {BucketResult::How::kFailed, {}, "there is no connection to NATS"}; }

BucketResult read_entry(BusConnection& connection, const std::string& bucket, const std::string& key) {
  kvStore* store = connection.bucket(bucket);
  if (store == nullptr) return {BucketResult::How::kFailed, {}, "cannot open the bucket " + bucket};
  kvEntry* entry = nullptr;
  const natsStatus status = kvStore_Get(&entry, store, key.c_str());
  if (status == NATS_NOT_FOUND) return {BucketResult::How::kMissing, {}, {}};
  if (status != NATS_OK) return kept_failure(status);
  BucketResult kept{BucketResult::How::kDone, entry_of(entry), {}};
  kvEntry_Destroy(entry);
  return kept;
}

/// Finds out whether the order failed because somebody else was first.
BucketResult after_failure(BusConnection& connection, const std::string& bucket, const std::string& key,
                           std::uint64_t expected, natsStatus status) {
  BucketResult failed = kept_failure(status);
  BucketResult now = read_entry(connection, bucket, key);
  if (now.how == BucketResult::How::kMissing) return expected != 0 ? now : failed;
  if (!now.done() || now.entry.revision == expected) return failed;
  now.how = BucketResult::How::kConflict;
  return now;
}

/// Writes an entry by `write`, which is given the store and where the new revision goes. `expected`: the revision that
/// must be there; nothing: any.
template <class Write>
BucketResult written(BusConnection& connection, const std::string& bucket, const std::string& key,
                     std::optional<std::uint64_t> expected, const Write& write) {
  kvStore* store = connection.bucket(bucket);
  if (store == nullptr) return {BucketResult::How::kFailed, {}, "cannot open the bucket " + bucket};
  BucketResult kept{BucketResult::How::kDone, {key, {}, 0, false}, {}};
  const natsStatus status = write(store, &kept.entry.revision);
  if (status == NATS_OK) return kept;
  return expected ? after_failure(connection, bucket, key, *expected, status) : kept_failure(status);
}

Outcome<std::uint64_t> stream_failure(natsStatus status) { return Error{failure(status)}; }

}  // namespace

void BusLine::bid(std::size_t bytes, BucketDone done, std::function<BucketResult(BusConnection&)> order) {
  const RequestId number = ++last_;
  bids_[number] = std::move(done);
  const auto answer = [inbox = inbox_, number](BucketResult kept) {
    inbox->post(0, Inbox::Drop::kNever, [number, kept = std::move(kept)](BusLine& line) {
      auto one = line.bids_.extract(number);
      if (!one.empty()) one.mapped()(kept);
    });
  };
  const auto counters = bus_.impl_->counters();
  const auto job = [order = std::move(order), answer, counters](BusConnection* connection) {
    BucketResult kept = connection != nullptr ? order(*connection) : lost();
    if (kept.how == BucketResult::How::kFailed) ++counters->failures;
    answer(std::move(kept));
  };
  const auto thread = orders_ == Orders::kPatient ? Bus::Impl::OrderThread::kPatient : Bus::Impl::OrderThread::kBuckets;
  if (!bus_.impl_->order(thread, bytes + 256, job)) answer({BucketResult::How::kFailed, {}, "too much waits for NATS"});
}

void BusLine::bid_stream(std::size_t bytes, Stored stored,
                         std::function<Outcome<std::uint64_t>(BusConnection&)> order) {
  const RequestId number = ++last_;
  stored_[number] = std::move(stored);
  const auto answer = [inbox = inbox_, number](Outcome<std::uint64_t> outcome) {
    inbox->post(0, Inbox::Drop::kNever, [number, outcome = std::move(outcome)](BusLine& line) {
      auto one = line.stored_.extract(number);
      if (!one.empty()) one.mapped()(outcome);
    });
  };
  const auto counters = bus_.impl_->counters();
  const auto job = [order = std::move(order), answer, counters](BusConnection* connection) {
    auto outcome = connection != nullptr ? order(*connection) : Outcome<std::uint64_t>(Error{lost().why});
    if (!outcome) ++counters->failures;
    answer(std::move(outcome));
  };
  if (!bus_.impl_->order(Bus::Impl::OrderThread::kStreams, bytes + 256, job)) answer(Error{"too much waits for NATS"});
}

void BusLine::open_bucket(const BucketOptions& options, BucketDone done) {
  bid(0, std::move(done), [options](BusConnection& connection) -> BucketResult {
    kvConfig config;
    kvConfig_Init(&config);
    config.Bucket = options.name.c_str();
    config.History = static_cast<std::uint8_t>(options.history);
    config.TTL = static_cast<std::int64_t>(options.keep) * 1'000'000;
    config.MaxBytes = options.most_bytes;
    config.Replicas = static_cast<int>(options.replicas);
    config.StorageType = options.in_memory ? js_MemoryStorage : js_FileStorage;
    const auto there = [&, stream = "KV_" + options.name] {
      jsStreamInfo* info = nullptr;
      const natsStatus status = js_GetStreamInfo(&info, connection.stream, stream.c_str(), nullptr, nullptr);
      if (status != NATS_OK) return kept_failure(status);
      BucketResult kept{BucketResult::How::kDone, {}, {}};
      kept.entry.revision = static_cast<std::uint64_t>(info->Created);
      jsStreamInfo_Destroy(info);
      return kept;
    };
    if (BucketResult kept = there(); kept.done()) return kept;
    kvStore* made = nullptr;
    const natsStatus status = js_CreateKeyValue(&made, connection.stream, &config);
    kvStore_Destroy(made);
    const BucketResult failed = kept_failure(status);
    // One that is there with other options is taken as it is.
    if (BucketResult kept = there(); kept.done()) return kept;
    return failed;
  });
}

void BusLine::get(const std::string& bucket, const std::string& key, BucketDone done) {
  bid(0, std::move(done), [=](BusConnection& connection) { return read_entry(connection, bucket, key); });
}

void BusLine::put(const std::string& bucket, const std::string& key, Bytes value, BucketDone done) {
  bid(value.size(), std::move(done),
      [bucket, key, value = Buffer(value.begin(), value.end())](BusConnection& connection) {
        return written(connection, bucket, key, std::nullopt, [&](kvStore* store, std::uint64_t* revision) {
          return kvStore_Put(revision, store, key.c_str(), value.data(), static_cast<int>(value.size()));
        });
      });
}

void BusLine::create(const std::string& bucket, const std::string& key, Bytes value, BucketDone done) {
  bid(value.size(), std::move(done),
      [bucket, key, value = Buffer(value.begin(), value.end())](BusConnection& connection) {
        return written(connection, bucket, key, 0, [&](kvStore* store, std::uint64_t* revision) {
          return kvStore_Create(revision, store, key.c_str(), value.data(), static_cast<int>(value.size()));
        });
      });
}

void BusLine::update(const std::string& bucket, const std::string& key, Bytes value, std::uint64_t revision,
                     BucketDone done) {
  bid(value.size(), std::move(done),
      [bucket, key, revision, value = Buffer(value.begin(), value.end())](BusConnection& connection) {
        return written(connection, bucket, key, revision, [&](kvStore* store, std::uint64_t* next) {
          return kvStore_Update(next, store, key.c_str(), value.data(), static_cast<int>(value.size()), revision);
        });
      });
}

void BusLine::remove(const std::string& bucket, const std::string& key, BucketDone done) {
  bid(0, std::move(done), [=](BusConnection& connection) -> BucketResult {
    kvStore* store = connection.bucket(bucket);
    if (store == nullptr) return {BucketResult::How::kFailed, {}, "cannot open the bucket " + bucket};
    const natsStatus status = kvStore_Delete(store, key.c_str());
    return status == NATS_OK ? BucketResult{BucketResult::How::kDone, {}, {}} : kept_failure(status);
  });
}

BusLine::SubscriptionId BusLine::watch(const std::string& bucket, const std::string& keys, Watched watched) {
  watched_[++last_] = std::make_shared<Watched>(std::move(watched));
  bus_.impl_->watch(last_, bucket, keys, inbox_);
  return last_;
}

void BusLine::unwatch(SubscriptionId watch) {
  if (watched_.erase(watch) != 0) bus_.impl_->unwatch(inbox_.get(), watch);
}

void BusLine::open_stream(const StreamOptions& options, Stored done) {
  bid_stream(0, std::move(done), [options](BusConnection& connection) -> Outcome<std::uint64_t> {
    std::vector<const char*> subjects;
    for (const std::string& one : options.subjects) subjects.push_back(one.c_str());
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = options.name.c_str();
    config.Subjects = subjects.data();
    config.SubjectsLen = static_cast<int>(subjects.size());
    config.MaxAge = static_cast<std::int64_t>(options.keep) * 1'000'000;
    if (options.most_per_subject != 0) config.MaxMsgsPerSubject = options.most_per_subject;
    if (options.most_bytes != 0) config.MaxBytes = options.most_bytes;
    config.Replicas = options.replicas;
    config.Storage = options.in_memory ? js_MemoryStorage : js_FileStorage;
    config.AllowDirect = true;
    jsErrCode code{};
    const natsStatus status = js_AddStream(nullptr, connection.stream, &config, nullptr, &code);
    // One that is there with other options is taken as it is.
    if (status == NATS_OK || code == JSStreamNameExistErr) return std::uint64_t{0};
    return stream_failure(status);
  });
}

void BusLine::store(const std::string& subject, Bytes bytes, const std::string& id, Stored stored) {
  bid_stream(
      bytes.size(), std::move(stored),
      [subject, id, bytes = Buffer(bytes.begin(), bytes.end())](BusConnection& connection) -> Outcome<std::uint64_t> {
        jsPubOptions options;
        jsPubOptions_Init(&options);
        if (!id.empty()) options.MsgId = id.c_str();
        jsPubAck* ack = nullptr;
        const natsStatus status = js_Publish(&ack, connection.stream, subject.c_str(), bytes.data(),
                                             static_cast<int>(bytes.size()), &options, nullptr);
        if (status != NATS_OK) return stream_failure(status);
        const std::uint64_t number = ack->Sequence;
        jsPubAck_Destroy(ack);
        return number;
      });
}

void BusLine::last(const std::string& stream, const std::string& subject,
                   std::function<void(Outcome<std::optional<BusMessage>>)> answered) {
  auto heard = std::make_shared<std::optional<BusMessage>>();
  bid_stream(
      0,
      [heard, answered = std::move(answered)](const Outcome<std::uint64_t>& outcome) {
        if (outcome) return answered(std::move(*heard));
        answered(outcome.error());
      },
      [heard, stream, subject](BusConnection& connection) -> Outcome<std::uint64_t> {
        natsMsg* message = nullptr;
        const natsStatus status =
            js_GetLastMsg(&message, connection.stream, stream.c_str(), subject.c_str(), nullptr, nullptr);
        if (status == NATS_NOT_FOUND) return std::uint64_t{0};
        if (status != NATS_OK) return stream_failure(status);
        *heard = message_of(message);
        natsMsg_Destroy(message);
        return std::uint64_t{1};
      });
}

void BusLine::read(const std::string& stream, const std::string& subject, std::uint64_t from, std::size_t most_bytes,
                   Read answered, Millis within) {
  auto all = std::make_shared<std::vector<BusMessage>>();
  bid_stream(
      0,
      [all, answered = std::move(answered)](const Outcome<std::uint64_t>& outcome) {
        answered(outcome ? Outcome<std::vector<BusMessage>>(std::move(*all))
                         : Outcome<std::vector<BusMessage>>(outcome.error()));
      },
      [all, stream, subject, from, most_bytes, within](BusConnection& connection) -> Outcome<std::uint64_t> {
        const Millis end = steady_now() + within;
        std::size_t bytes = 0;
        jsDirectGetMsgOptions options;
        jsDirectGetMsgOptions_Init(&options);
        options.NextBySubject = subject.c_str();
        for (options.Sequence = std::max<std::uint64_t>(from, 1); bytes < most_bytes; ++options.Sequence) {
          natsMsg* message = nullptr;
          const natsStatus status = js_DirectGetMsg(&message, connection.stream, stream.c_str(), nullptr, &options);
          if (status == NATS_NOT_FOUND) break;
          if (status != NATS_OK) return stream_failure(status);
          all->push_back(message_of(message));
          all->back().number = options.Sequence = natsMsg_GetSequence(message);
          bytes += size_of(all->back());
          natsMsg_Destroy(message);
          if (steady_now() >= end) break;
        }
        return std::uint64_t{0};
      });
}

void BusLine::subjects(const std::string& stream, const std::string& pattern,
                       std::function<void(Outcome<std::vector<std::string>>)> answered) {
  auto all = std::make_shared<std::vector<std::string>>();
  bid_stream(
      0,
      [all, answered = std::move(answered)](const Outcome<std::uint64_t>& outcome) {
        answered(outcome ? Outcome<std::vector<std::string>>(std::move(*all))
                         : Outcome<std::vector<std::string>>(outcome.error()));
      },
      [all, stream, pattern](BusConnection& connection) -> Outcome<std::uint64_t> {
        jsOptions options;
        jsOptions_Init(&options);
        options.Wait = kJetStreamWait;
        options.Stream.Info.SubjectsFilter = pattern.c_str();
        jsStreamInfo* info = nullptr;
        const natsStatus status = js_GetStreamInfo(&info, connection.stream, stream.c_str(), &options, nullptr);
        if (status != NATS_OK) return stream_failure(status);
        if (const jsStreamStateSubjects* subjects = info->State.Subjects; subjects != nullptr)
          for (int i = 0; i < subjects->Count; ++i) all->emplace_back(subjects->List[i].Subject);
        jsStreamInfo_Destroy(info);
        return std::uint64_t{0};
      });
}

}  // namespace entente::fleet
