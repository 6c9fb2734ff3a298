// The addresses of a server: the one in its URL, or those that its name has now.
// Invariant: thread-safe. No call waits for a lookup. An address that could not be reached goes behind the others for a
// while.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/net/address.h"
#include "proxy/net/names/host_names.h"

namespace entente::relay {

class ServerAddresses {
 public:
  static constexpr Millis kAvoided = 30'000;  ///< an address that could not be reached is tried last for this long

  /// Which addresses of a name can be used.
  struct Rules {
    bool only_v4 = false;           ///< ENet
    bool only_v4_loopback = false;  ///< SourceMode::kLoopback
  };

  /// These, in this order; at least one.
  ServerAddresses(std::vector<net::Address> fixed) : fixed_(std::move(fixed)) {}  // NOLINT: both are addresses
  /// Those of this name. `port`: of the server.
  ServerAddresses(std::shared_ptr<net::HostNames::Host> host, std::uint16_t port, Rules rules)
      : host_(std::move(host)), port_(port), rules_(rules) {}
  ServerAddresses(ServerAddresses&& other) noexcept
      : host_(std::move(other.host_)), port_(other.port_), rules_(other.rules_), fixed_(std::move(other.fixed_)) {}

  bool by_name() const { return host_ != nullptr; }
  /// As HostNames::Host::look_up().
  bool look_up(Millis now) const { return host_ == nullptr || host_->look_up(now); }
  std::uint64_t lookups() const { return host_ != nullptr ? host_->answers() : 0; }
  /// Those that are known, in the order in which to try them. Empty: there is none (why_none).
  std::vector<net::Address> all(Millis now) const;
  /// Why the last lookup found no address that can be used; empty: it found one.
  std::string why_none() const;

  /// The server was reached at this address, or could not be.
  void reached(const net::Address& address);
  void not_reached(const net::Address& address, Millis now);

 private:
  static constexpr std::size_t kMostAvoided = net::kMostAddresses;

  std::vector<net::Address> usable(std::vector<net::Address> found) const;

  std::shared_ptr<net::HostNames::Host> host_;
  std::uint16_t port_ = 0;
  Rules rules_;
  std::vector<net::Address> fixed_;
  mutable std::mutex mutex_;                              // of avoided_
  std::vector<std::pair<net::Address, Millis>> avoided_;  // with the time until which each is; the oldest first
};

}  // namespace entente::relay
