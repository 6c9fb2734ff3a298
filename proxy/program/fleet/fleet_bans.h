// Shares the bans of a node with its fleet, in the bucket FLEET-bans: a ban or unban at one node applies at all nodes.
// The same holds for the networks that operators allow and deny.
// Invariant: a node keeps all changes that it knows while it is cut off, and sends those that the bucket lacks once it
// has reconnected. If NATS has lost the bucket, the node makes it again, and sends all that it knows. Of two changes of
// one network the later one counts, wherever it was made. A ban in a node's file is older than any change. If the files
// of nodes differ, what bans for longer, or denies, counts. After an upgrade, the new process knows all changes that
// the old one knew. Entries of the bucket are checked like a peer's messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proxy/fleet/bus.h"
#include "proxy/fleet/subjects.h"
#include "proxy/program/settings/ban_file.h"
#include "schema/fleet.pb.h"

namespace entente {

class FleetBans final : private net::Ticker::User, private net::Alarm::User {
 public:
  struct User {
    virtual ~User() = default;
    /// Applies bans that other nodes made, and lifts those of networks that they unbanned. They are in force when this
    /// returns. Called for many changes at once, a few times a second. `old`: the bans were made before this node knew
    /// the fleet's.
    virtual void learn(const std::vector<relay::Ban>& bans, const std::vector<net::Network>& lifted, bool old) = 0;
    /// The same for networks that are allowed or denied, and those that were removed from their list.
    virtual void learn_listed(const std::vector<relay::ListedNetwork>& listed,
                              const std::vector<net::Network>& unlisted) = 0;
  };
  static constexpr std::size_t kMost = 100'000;  ///< entries; more are left out until others have ended
  static constexpr Millis kRetry = 30'000;       ///< pause after NATS has refused something, or has not answered
  static constexpr Millis kSweepEvery = 60'000;  ///< how often ended bans are removed
  static constexpr Millis kLookAgain = 10'000;   ///< pause between looks whether NATS still has the bucket

  /// What a node knows when it starts.
  struct Before {
    BanFile file;                       ///< its bans and networks
    std::vector<bus::SharedBan> known;  ///< all() of the process that it has taken over from
  };
  /// `line`, `loop` and `user` outlive it.
  FleetBans(fleet::BusLine& line, net::Loop& loop, User& user, const fleet::Subjects& names, std::string node,
            std::uint32_t replicas, const Before& before, Millis sweep_every = kSweepEvery);
  ~FleetBans() override;

  /// This node made a ban, or lifted this network's bans (null).
  void changed(const net::Network& who, const relay::Ban* ban);
  /// This node allowed or denied a network, or removed it from its list (null).
  void changed(const net::Network& who, const relay::ListedNetwork* network);

  /// All that this node knows and has applied, also what the bucket lacks.
  std::vector<bus::SharedBan> all() const;

  /// Invalid entries of the bucket. From any thread.
  std::uint64_t refused() const { return refused_; }
  /// Entries of the bucket that were left out because there were kMost. From any thread.
  std::uint64_t left_out() const { return left_out_; }
  /// Changes that this node knows and the bucket lacks. From any thread.
  std::uint64_t waiting() const { return waiting_; }

 private:
  /// Of two changes of one network, the greater one counts, on all nodes. Those that say the same are equal.
  struct Version {
    std::uint64_t changed = 0;  // 0: there is no such change
    bool applies = false;       // it was not lifted
    std::uint64_t until = 0;    // the highest number: for good
    bool denies = false;
    std::string why;
    explicit operator bool() const { return changed != 0; }
    auto operator<=>(const Version&) const = default;
  };
  static Version version_of(const bus::SharedBan& ban);
  struct Known {
    bus::SharedBan ban;
    Version in_bucket;           // of its entry in the bucket
    std::uint64_t revision = 0;  // of that entry
    bool listed = false;         // the watch has named the key since its last listing ended
    void forget_entry() { in_bucket = {}, revision = 0, listed = false; }
    bool is_unsent() const { return version_of(ban) > in_bucket; }
  };
  void tick(Millis now) override;
  void rang() override;
  void know(bus::SharedBan ban);
  void change(bus::SharedBan ban);
  void watch();
  void opened(const fleet::BucketResult& kept);
  void list_again();
  void forget_bucket();
  void hear(const fleet::BusEntry* entry);
  void take(const fleet::BusEntry& entry);
  void note_unsent(const std::string& key, const Known& its);
  void forget(std::map<std::string, Known>::iterator one);
  void apply();
  void recover();
  void asked(const fleet::BucketResult& kept, const char* what, const char* advice);
  void tell();
  void send(const std::string& key, const Known& its);
  void sweep();

  fleet::BusLine& line_;
  User& user_;
  const std::string bucket_, node_;
  const std::uint32_t replicas_;
  const Millis sweep_every_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  net::Loop& loop_;
  bool opened_ = false, complete_ = false;  // complete_: all entries of the bucket were received
  bool knows_ = false;                      // they were received once
  bool left_some_out_ = false;              // since the last listing began
  bool asks_ = false;                       // one order at a time
  std::uint32_t failures_ = 0;              // in a row
  std::uint64_t made_ = 0;                  // when the bucket was made, as open_bucket() tells
  fleet::BusLine::SubscriptionId watch_ = 0;
  Millis not_before_ = 0, look_at_ = 0, sweep_at_ = 0;
  std::map<std::string, Known> known_;  // by key
  std::set<std::string> unsent_;        // keys of changes that the bucket lacks; ended bans are sorted out late
  std::set<std::string> news_;          // keys of changes to pass on to the user
  std::set<std::string> replaced_;      // networks about which another node's file counts, not this node's
  std::uint64_t applied_at_ = 0;        // by Loop::nanos
  std::atomic<std::uint64_t> refused_{0}, left_out_{0}, waiting_{0};
  net::Alarm applying_;
  net::Ticker ticker_;
};

}  // namespace entente
