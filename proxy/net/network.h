// A network: all addresses with the same first bits, such as "10.0.0.0/8", "2001:db8::/32", or a single address.
// Invariant: a value. An IPv6 network contains no IPv4 addresses, except in the form ::ffff:a.b.c.d.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/net/address.h"

namespace entente::net {

class Network {
 public:
  /// Parses "10.0.0.0/8" or "::1". Names, and bits set after the prefix, are errors.
  static Outcome<Network> parse(std::string_view text);
  /// The network of the first `bits` bits of an address; not more than it has.
  static Network around(const Address& address, unsigned bits);
  /// What one host owns: an IPv4 address, or an IPv6 /64.
  static Network of_host(const Address& address);

  bool holds(const Address& address) const { return around(address, bits_) == *this; }
  bool v6() const { return v6_; }
  unsigned bits() const { return bits_; }
  bool operator==(const Network&) const = default;
  std::size_t hash() const;
  /// The form that parse() reads; a single address has no "/32" or "/128".
  std::string text() const;

 private:
  std::array<std::uint8_t, 16> first_{};  // of IPv4 the first four
  bool v6_ = false;
  std::uint8_t bits_ = 0;
};

/// Whether the address is in 127.0.0.0/8.
bool is_loopback_v4(const Address& address);

struct NetworkHash {
  std::size_t operator()(const Network& network) const { return network.hash(); }
};

}  // namespace entente::net
