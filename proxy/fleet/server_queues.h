// The queues of players who wait for slots on servers, one for each server, as all nodes know them: the player who has
// waited longest goes first, on whichever node.
// Invariant: what other nodes claim is checked and limited. A new claim is at most as old as the silence of its node
// before it, plus ForeignClaims::kSlack. The claims of a process that is silent do not count. Without NATS, each node
// has its own queues.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/fleet/bus.h"
#include "proxy/fleet/subjects.h"
#include "proxy/relay/upstream/slot_queue.h"
#include "proxy/relay/upstream/upstreams.h"

namespace entente::fleet {

/// A name for the server, which all nodes compute alike: a token. `machine`: the same text only for processes that
/// reach the same server at a loopback address.
std::string queue_key(const relay::UpstreamOptions& server, const std::string& machine);

/// The queues of this process. Thread-safe.
class SlotQueues {
 public:
  /// `machine`: as for queue_key().
  explicit SlotQueues(std::string machine) : machine_(std::move(machine)) {}

  /// The queue for this server; the same one as long as it is in use.
  std::shared_ptr<relay::SlotQueue> of(const relay::UpstreamOptions& server);
  std::vector<std::pair<std::string, std::shared_ptr<relay::SlotQueue>>> all();

 private:
  const std::string machine_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<relay::SlotQueue>> queues_;
};

/// What other processes claim for one queue.
class ForeignClaims {
 public:
  static constexpr Millis kFresh = 2'000;  ///< the claims of a process do not count after this silence
  static constexpr Millis kKept = 60'000;  ///< how long a claim is remembered that is not repeated
  static constexpr Millis kSlack = 3'000;  ///< a new claim may be older than its node's last message by this time
  static constexpr Millis kHint = 1'000;   ///< of the reports of a free slot within this time, only the first counts
  static constexpr std::size_t kMostNodes = 256, kMostRuns = 4, kMostRemembered = 1'024;
  static constexpr std::uint32_t kLongestWait = 86'400'000;  ///< that of `hold_s`, in milliseconds

  explicit ForeignClaims(Millis now) : began_(now) {}

  enum class Heard : std::uint8_t { kNothing, kFreed, kNonsense };
  /// A message of a node. kFreed: a slot is free.
  Heard hear(const std::string& node, Bytes bytes, Millis now);
  /// Since when the player who has waited longest waits; nothing: nobody waits.
  std::optional<Millis> oldest(Millis now) const;

 private:
  struct Claim {
    Millis since = 0, told_at = 0;
    std::uint64_t message = 0;  // the last one that had it
  };
  struct Run {
    Millis heard = 0;
    std::uint64_t freed = 0, messages = 0;
    std::map<std::uint64_t, Claim> claims;  // by link
  };
  struct Node {
    Millis heard = 0;
    std::map<std::uint64_t, Run> runs;
  };
  Millis began_, hinted_ = 0;
  std::map<std::string, Node> nodes_;
};

/// Tells other nodes who waits here, and the queues who waits elsewhere. On its loop's thread.
class QueuePost final : private net::Ticker::User {
 public:
  /// The arguments outlive it.
  QueuePost(BusLine& line, net::Loop& loop, SlotQueues& queues, const Subjects& names, std::string node,
            std::uint64_t run);
  ~QueuePost() override;

  /// Invalid messages. From any thread.
  std::uint64_t refused() const { return refused_; }

 private:
  static constexpr Millis kLook = 100;  // how often
  static constexpr Millis kTell = 500;  // how often claims are sent, if nothing changes

  struct Queue {
    std::weak_ptr<relay::SlotQueue> its;
    ForeignClaims foreign;
    BusLine::SubscriptionId subscription = 0;
    std::vector<relay::SlotQueue::Claim> told;
    std::uint64_t told_freed = 0;
    Millis told_at = 0;
  };
  void tick(Millis now) override;
  void hear(const std::string& key, const BusMessage& message);
  void tell(const std::string& key, Queue& queue, const relay::SlotQueue& its, Millis now);

  BusLine& line_;
  net::Loop& loop_;
  SlotQueues& queues_;
  const Subjects names_;
  const std::string node_;
  const std::uint64_t run_;
  std::map<std::string, Queue> known_;  // by key
  std::atomic<std::uint64_t> refused_{0};
  net::Ticker ticker_;
};

}  // namespace entente::fleet
