// The bans of a node and those of its fleet, in the bucket FLEET-bans: what is banned or unbanned at one node is so at
// all. The same holds for the networks that operators allow and deny.
// Law: a node keeps what it knows while it is cut off, and tells it as soon as it is back. Of two changes of one
// network the later one counts, wherever it was made. A ban in a node's file is older than any change. What the bucket
// has is checked like anything that a peer says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/fleet/bus.h"
#include "proxy/fleet/subjects.h"
#include "proxy/program/config/ban_file.h"
#include "schema/fleet.pb.h"

namespace entente {

class FleetBans final : private net::Ticker::User {
 public:
  struct User {
    virtual ~User() = default;
    /// Bans that other nodes made, and networks that they unbanned. They are in force when this returns.
    virtual void learn(const std::vector<relay::Ban>& bans, const std::vector<net::Network>& lifted) = 0;
    /// The same for networks that are allowed or denied, and those that are in no list any more.
    virtual void learn_listed(const std::vector<relay::ListedNetwork>& listed,
                              const std::vector<net::Network>& unlisted) = 0;
  };
  static constexpr std::size_t kMost = 100'000;  ///< entries; more are ignored
  static constexpr Millis kRetry = 30'000;       ///< pause after NATS has refused something, or has not answered

  /// `before`: what this node has of its file. `line`, `loop` and `user` outlive it.
  FleetBans(fleet::BusLine& line, net::Loop& loop, User& user, const fleet::Subjects& names, std::string node,
            std::uint32_t replicas, const BanFile& before);
  ~FleetBans() override;

  /// Here, a ban was made, or this network's were lifted (null).
  void changed(const net::Network& who, const relay::Ban* ban);
  /// Here, a network was allowed or denied, or is in no list any more (null).
  void changed(const net::Network& who, const relay::ListedNetwork* network);

  /// Entries of the bucket that made no sense. From any thread.
  std::uint64_t refused() const { return refused_; }
  /// Changes here that the fleet does not know yet. From any thread.
  std::uint64_t waiting() const { return waiting_; }

 private:
  struct Known {
    bus::SharedBan ban;
    std::uint64_t in_bucket = 0;  // its `changed` as the bucket has it
    std::uint64_t revision = 0;   // there
  };
  void tick(Millis now) override;
  void know(bus::SharedBan ban);
  void change(bus::SharedBan ban);
  void hear(const fleet::BusEntry* entry);
  void take(const fleet::BusEntry& entry);
  void apply();
  void asked(const fleet::BucketResult& kept);
  void tell();
  void sweep();

  fleet::BusLine& line_;
  User& user_;
  const std::string bucket_, node_;
  const std::uint32_t replicas_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  net::Loop& loop_;
  bool opened_ = false, complete_ = false;  // all that the bucket has was told
  bool asks_ = false, fails_ = false;       // one order at a time
  Millis not_before_ = 0;
  std::map<std::string, Known> known_;  // by key
  std::vector<bus::SharedBan> news_;    // that the user has not learnt yet
  std::atomic<std::uint64_t> refused_{0}, waiting_{0};
  net::Ticker ticker_;
};

}  // namespace entente
