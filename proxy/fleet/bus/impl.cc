// Connects, and carries out what lines order: messages, subscriptions, watches.
#include "proxy/fleet/bus/impl.h"

#include <chrono>
#include <utility>

#include "proxy/net/named_thread.h"

namespace entente::fleet {
namespace {

constexpr std::int64_t kConnectWait = 2'000;    // ms, for each server
constexpr std::int64_t kWriteDeadline = 2'000;  // ms; a server that reads nothing is disconnected
constexpr std::int64_t kPing = 1'000;       // ms; a server is disconnected after two unanswered pings, before kNodeLost
constexpr Millis kWatchStep = 200;          // how soon a watch notices that it must restart or end
constexpr Millis kThreadRetry = 1'000;      // after the machine had no thread left for a watch
constexpr Millis kGoodbye = 1'000;          // for what waits when the bus closes
constexpr std::size_t kMostRefusals = 100;  // subjects of which a refusal is reported

natsStatus sent(natsConnection* by, const std::string& subject, const std::string& reply, const Buffer& bytes) {
  const int length = static_cast<int>(bytes.size());
  return reply.empty() ? natsConnection_Publish(by, subject.c_str(), bytes.data(), length)
                       : natsConnection_PublishRequest(by, subject.c_str(), reply.c_str(), bytes.data(), length);
}

}  // namespace

Millis Bus::Impl::tend() {
  const Millis again = tend_connection();
  return start_watches() ? again : std::min(again, kThreadRetry);
}

Millis Bus::Impl::tend_connection() {
  {
    const std::lock_guard lock(mutex_);
    if (connection_ != nullptr && !hooks_.back()->closed) return net::JobThread::kLong;
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
    return net::JobThread::kLong;
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
    trying_since_ = steady_now();
    status = natsConnection_Connect(&fresh->nats, options);
    trying_since_ = kNotTrying;
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

Millis Bus::Impl::end_silent_attempt() {
  constexpr Millis kLook = kConnectWait + 500;
  if (steady_now() < trying_since_) {
    silent_.forget();
    return kLook;
  }
  std::vector<net::Address> peers;
  for (const std::string& url : options_.servers) {
    const ServerPlace place = place_of(url);
    if (const auto found = net::resolve(place.host, place.port)) peers.insert(peers.end(), found->begin(), found->end());
  }
  const std::lock_guard lock(silent_mutex_);  // cannot_connect() waits for what is found
  if (silent_.look(peers) > 0) was_silent_ = true;
  return kLook;
}

void Bus::Impl::went_up() {
  {
    const std::lock_guard lock(silent_mutex_);
    was_silent_ = false;  // that was another server
  }
  {
    const std::lock_guard lock(mutex_);
    if (up_) return;
    up_ = true;
    trying_since_ = kNotTrying;
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
    lost_at_ = trying_since_ = steady_now();
    error_ = "the connection was lost";
  }
  ++counters_->losses;
  if (options_.told && !ended_) options_.told(false, "the connection was lost");
  tell_state(false);
}

/// Reports each reason once, until it is connected.
void Bus::Impl::cannot_connect(std::string why) {
  {
    const std::lock_guard lock(silent_mutex_);
    if (std::exchange(was_silent_, false)) why = "NATS went silent before it answered CONNECT";
  }
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
  closes_at_ = steady_now() + kGoodbye;
  std::vector<std::unique_ptr<Watch>> watches;
  {
    const std::lock_guard lock(mutex_);
    watches.swap(watches_);
  }
  for (const auto& one : watches) one->over = true;
  changed_.notify_all();
  for (const auto& one : watches)
    if (one->thread.joinable()) one->thread.join();
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
  if (last != nullptr && !hooks_.back()->closed) {
    if (up_) natsConnection_FlushTimeout(last->nats, static_cast<std::int64_t>(kGoodbye));
    ended_ = true;
    natsConnection_Close(last->nats);
    // libnats calls back once more, from its own thread.
    for (Millis waited = 0; waited < kGoodbye && !hooks_.back()->closed; ++waited) nats_Sleep(1);
  }
  if (helper_) helper_->stop();  // last: all the above may wait for an attempt that it ends
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
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(watches_, [](const auto& one) {
      if (!one->thread.joinable()) return one->over.load();
      if (!one->ended) return false;
      one->thread.join();
      return true;
    });
    watches_.push_back(std::move(fresh));
  }
  if (!start_watches()) sender_->wake();
}

bool Bus::Impl::start_watches() {
  std::string what;
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& one : watches_) {
      if (one->over || one->thread.joinable()) continue;
      auto started = net::start_thread("bus watch", [this, &its = *one] { run(its); });
      if (started)
        one->thread = std::move(*started);
      else
        what = "the bucket " + one->bucket + " is not watched: " + started.error().text;
    }
    news = !std::exchange(thread_missing_, !what.empty()) && !what.empty();
  }
  if (news && options_.no_thread) options_.no_thread(what);
  return what.empty();
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

}  // namespace entente::fleet
