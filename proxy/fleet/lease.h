// A lease on something that one node of the fleet owns at a time: an entry of the bucket FLEET-leases, which its owner
// renews.
// Invariant: an owner that cannot renew its lease for kValid stops owning by its own clock. Nobody else takes it before
// it has seen it unrenewed for kTakeAfter, by its own clock. So two never own at once, however long messages take. That
// also holds if NATS has lost the bucket: an entry that is missing is taken after the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "proxy/fleet/bus.h"
#include "proxy/fleet/subjects.h"

namespace entente::fleet {

class Lease final : private net::Ticker::User {
 public:
  static constexpr Millis kRenew = 250;
  static constexpr Millis kValid = 1'500;      ///< from when a renewal was asked for
  static constexpr Millis kTakeAfter = 1'750;  ///< from when a renewal was seen
  /// From taking an entry to its first renewal, which makes this node the owner: if several nodes take an entry at the
  /// same moment, nats-server 2.9 with replicas may confirm it to each of them.
  static constexpr Millis kConfirm = 100;

  struct User {
    virtual ~User() = default;
    /// This node owns it from now on. `epoch`: higher than that of any owner before, also after NATS has lost the
    /// bucket.
    virtual void owns(std::uint64_t epoch) = 0;
    /// This node no longer owns it.
    virtual void lost() = 0;
  };

  /// Until when this node owns it, by Loop::nanos; for other threads that act as the owner.
  using Until = std::shared_ptr<std::atomic<std::uint64_t>>;

  /// Tries to own `key`, until it is released. `run`: of this node (schema/fleet.proto). `line`, `loop` and `user`
  /// outlive it.
  Lease(BusLine& line, net::Loop& loop, User& user, const Subjects& names, std::string key, std::string node,
        std::uint64_t run, std::uint32_t replicas);
  ~Lease() override;

  bool is_owner() const { return epoch_ != 0; }
  const Until& until() const { return until_; }
  /// Releases the lease: another node can take it at once. This one tries again after `pause`; nothing: never.
  void release(std::optional<Millis> pause = std::nullopt);

 private:
  void tick(Millis now) override;
  void open();
  void take();
  void confirm();
  void renew();
  /// An order that is answered: `then` is not called if it failed, or when this lease is gone.
  BusLine::BucketDone answer(std::function<void(const BucketResult&)> then);
  void look(const BucketResult& kept);
  void lose();
  Buffer value(std::uint64_t epoch, bool free = false) const;
  std::uint64_t nanos() const { return loop_.nanos(); }

  BusLine& line_;
  net::Loop& loop_;
  User& user_;
  const std::string bucket_, key_, node_;
  const std::uint64_t run_;
  const std::uint32_t replicas_;
  const Until until_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool opened_ = false, asks_ = false, looked_ = false;
  std::uint64_t bucket_made_ = 0;
  std::uint64_t epoch_ = 0;     // 0: not the owner
  std::uint64_t taken_ = 0;     // epoch of the entry that was taken and waits for confirm(); 0: none
  std::uint64_t highest_ = 0;   // highest epoch of the owners that were seen
  std::uint64_t revision_ = 0;  // of the entry, as last seen; 0: there was none
  Buffer seen_;                 // its content
  // By nanos(): when the lease may be taken if nobody renews it; when this node may try again; when the last order was
  // given.
  std::uint64_t free_at_ = 0, not_before_ = 0, asked_at_ = 0, confirm_at_ = 0;
  std::uint64_t renewals_ = 0;
  net::Ticker ticker_;
};

}  // namespace entente::fleet
