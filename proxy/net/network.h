// A net of addresses, those whose first bits are the same: "10.0.0.0/8", "2001:db8::/32", or one address alone.
// Law: a value; IPv4 addresses are in no net of IPv6, except those that are written there (::ffff:a.b.c.d).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/net/address.h"

namespace entente::net {

class Network {
 public:
  /// "10.0.0.0/8", "::1"; never a name, and no bit behind the prefix.
  static Outcome<Network> parse(std::string_view text);
  /// The `bits` first bits of an address; no more than it has.
  static Network around(const Address& address, unsigned bits);
  /// What one host has: an IPv4 address, or an IPv6 /64.
  static Network of_host(const Address& address);

  bool holds(const Address& address) const { return around(address, bits_) == *this; }
  bool v6() const { return v6_; }
  unsigned bits() const { return bits_; }
  bool operator==(const Network&) const = default;
  std::size_t hash() const;
  /// As parse() reads it; one address without "/32" or "/128".
  std::string text() const;

 private:
  std::array<std::uint8_t, 16> first_{};  // of IPv4 the first four
  bool v6_ = false;
  std::uint8_t bits_ = 0;
};

struct NetworkHash {
  std::size_t operator()(const Network& network) const { return network.hash(); }
};

}  // namespace entente::net
