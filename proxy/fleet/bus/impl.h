// The bus inside: its connection, the threads that use it, and the way from them to the lines.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "proxy/fleet/bus/connection.h"
#include "proxy/net/job_thread.h"
#include "proxy/net/process/stray_connections.h"

namespace entente::fleet {

struct BusCounters {
  std::atomic<std::uint64_t> published{0}, published_bytes{0}, received{0}, received_bytes{0}, dropped_out{0},
      dropped_in{0}, connects{0}, losses{0}, failures{0}, refused{0}, forged{0};
};

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

class Bus::Impl : public std::enable_shared_from_this<Bus::Impl> {
 public:
  explicit Impl(const BusOptions& options) : options_(options), encrypted_(is_tls(options.servers.front())) {}

  void begin() {
    sender_.emplace(
        "bus", options_.most_waiting, [this] { return tend(); }, &nats_ReleaseThreadMemory);
    clerk_.emplace("bus buckets", options_.most_waiting, nullptr, &nats_ReleaseThreadMemory);
    patient_clerk_.emplace("bus patient", options_.most_waiting, nullptr, &nats_ReleaseThreadMemory);
    storer_.emplace("bus streams", options_.most_waiting, nullptr, &nats_ReleaseThreadMemory);
    if (nats_GetVersionNumber() < kNoticesSilence)
      helper_.emplace(
          "bus helper", 0, [this] { return end_silent_attempt(); }, [] {});
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
  /// `job` gets the connection; null: there is none, or the bus has been closing for too long.
  enum class OrderThread : std::uint8_t { kBuckets, kPatient, kStreams };
  bool order(OrderThread whose, std::size_t bytes, std::function<void(BusConnection*)> job) {
    auto& thread = whose == OrderThread::kStreams ? storer_ : whose == OrderThread::kPatient ? patient_clerk_ : clerk_;
    return thread->put(bytes,
                       [this, job = std::move(job)] { job(steady_now() < closes_at_ ? current().get() : nullptr); });
  }
  std::string inbox_prefix() const { return options_.inbox.empty() ? "_INBOX" : options_.inbox; }
  std::size_t most_waiting() const { return options_.most_waiting; }
  bool send(const std::function<void()>& job) { return sender_->put(128, job); }

 private:
  /// The version since which libnats gives up a server that goes silent before it answers CONNECT. Those before it read
  /// on without a pause until the connection ends.
  static constexpr std::uint32_t kNoticesSilence = 0x030800;
  static constexpr Millis kNotTrying = std::numeric_limits<Millis>::max();

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
  Millis tend_connection();
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
      its.trying_since_ = kNotTrying;
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
      const Millis next = its.pause(static_cast<unsigned>(attempts));
      its.trying_since_ = steady_now() + next;
      pause = static_cast<std::int64_t>(next);
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
  void cannot_connect(std::string why);
  void was_refused(const std::string& what);
  void tell_state(bool up);
  /// On the helper's thread: ends an attempt of libnats to connect that outlasted its time. Returns when to look again.
  Millis end_silent_attempt();
  /// Starts the threads of watches that have none. False: the machine has no thread left for one of them.
  bool start_watches();
  void run(Watch& watch);
  void follow(Watch& watch, BusConnection& connection);

  const BusOptions options_;
  const bool encrypted_;
  const std::shared_ptr<BusCounters> counters_ = std::make_shared<BusCounters>();
  std::atomic<bool> up_{false};
  std::atomic<Millis> trying_since_{kNotTrying};  // libnats tries to connect
  std::atomic<Millis> closes_at_{std::numeric_limits<Millis>::max()};  // orders that begin later fail
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
  bool thread_missing_ = false;                  // of a watch, at the last attempt
  std::vector<std::unique_ptr<Watch>> watches_;  // also those that are over, until the next watch() or end()
  // Of the sender's thread.
  std::vector<std::shared_ptr<Hook>> hooks_;  // the last one belongs to the current connection
  std::vector<Subscription> subscriptions_;
  std::atomic<unsigned> attempts_{0};  // since the connection was up
  Millis next_attempt_ = 0;
  net::StrayConnections silent_;  // of the helper's thread
  std::mutex silent_mutex_;
  bool was_silent_ = false;  // the helper ended the attempt to connect

  std::optional<net::JobThread> helper_, sender_, clerk_, patient_clerk_, storer_;  // last, so that they end first
};

}  // namespace entente::fleet
