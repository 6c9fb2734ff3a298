// Gives each client's host an address of its own in 127.0.0.0/8. The host's sessions connect to the server from that
// address. So a server on this machine that does not know the PROXY protocol can limit and ban players one by one.
// Invariant: two hosts never have the same address at once. An address is a hash of the host, or the next free one. A
// host that comes back gets the same address, also after a restart, unless another host has it. The hash has a key of
// this machine, so that nobody can choose hosts that get a certain address, or addresses in a row.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "proxy/base/keyed_hash.h"
#include "proxy/net/address.h"

namespace entente::relay {

/// Thread-safe.
class LoopbackSources {
 public:
  /// Keeps a host's address for it. REQUIRES: destroyed before the LoopbackSources.
  class LoopbackAddress {
   public:
    LoopbackAddress() = default;
    LoopbackAddress(LoopbackAddress&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), host_(other.host_), at_(other.at_) {}
    LoopbackAddress& operator=(LoopbackAddress&& other) noexcept {
      if (this == &other) return *this;
      release();
      owner_ = std::exchange(other.owner_, nullptr);
      host_ = other.host_;
      at_ = other.at_;
      return *this;
    }
    ~LoopbackAddress() { release(); }

    const net::Address& address() const { return at_; }  ///< port 0

   private:
    friend class LoopbackSources;
    void release() {
      if (owner_ != nullptr) owner_->give_back(host_);
      owner_ = nullptr;
    }

    LoopbackSources* owner_ = nullptr;
    net::Address host_, at_;
  };

  LoopbackSources();
  explicit LoopbackSources(std::string key) : key_(std::move(key)) {}

  /// The address for the host that this client is on (of IPv6: its /64).
  LoopbackAddress take(const net::Address& client);

 private:
  /// Addresses of hosts that left are kept for them until there are more than this.
  static constexpr std::size_t kMostKept = 65'536;

  struct Host {
    std::uint32_t number = 0;  // the low 24 bits of the address
    std::size_t sessions = 0;
    std::uint64_t left = 0;  // the number of its last departure; 0: it is here
  };
  std::uint32_t free_number(const net::Address& host) const;
  void give_back(const net::Address& host);
  void forget_oldest();

  const std::string key_;
  std::mutex mutex_;
  std::unordered_map<net::Address, Host, net::AddressHash> hosts_;                   // by Address::host_key()
  std::unordered_map<std::uint32_t, net::Address, KeyedHash<std::uint32_t>> taken_;  // by number
  std::map<std::uint64_t, net::Address> left_;  // hosts without a session, by Host::left
  std::uint64_t departures_ = 0;
};

}  // namespace entente::relay
