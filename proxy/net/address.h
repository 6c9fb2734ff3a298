// An IP address and a port.
// Invariant: a value, compared bytewise. It never resolves a name (see resolve), and allocates only to print.
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/fault.h"

namespace entente::net {

class Address {
 public:
  Address();  ///< 0.0.0.0:0
  static Address from(const sockaddr* raw);

  /// "127.0.0.1" or "::1" (with or without brackets); never a name.
  static Outcome<Address> parse(std::string_view ip, std::uint16_t port);
  /// "127.0.0.1:5154" or "[::1]:5154".
  static Outcome<Address> parse(std::string_view ip_and_port);

  int family() const { return raw_.any.sa_family; }
  bool v6() const { return family() == AF_INET6; }
  bool wildcard() const;  ///< 0.0.0.0 or ::
  std::uint16_t port() const;
  Address with_port(std::uint16_t port) const;
  /// 192.0.2.7 for ::ffff:192.0.2.7; other addresses as they are.
  Address unmapped() const;
  /// The wildcard address of the same family, port 0.
  Address wildcard_of_family() const;

  const sockaddr* raw() const { return &raw_.any; }
  socklen_t size() const { return v6() ? sizeof(raw_.six) : sizeof(raw_.four); }

  bool same_ip(const Address& other) const;
  bool operator==(const Address& other) const { return same_ip(other) && port() == other.port(); }
  std::size_t hash() const;  ///< of this process: see base/keyed_hash.h

  /// The key by which limits count connections: an IPv4 address, or an IPv6 /64 (one host owns all of it); port 0.
  Address host_key() const;

  std::string ip_text() const;  ///< "127.0.0.1", "::1"
  std::string text() const;     ///< "127.0.0.1:5154", "[::1]:5154"

 private:
  union {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
  } raw_;
};

/// "example.org:5154", "[::1]:5154". `host`: a name or an IP address, without brackets.
std::string host_and_port(const std::string& host, std::uint16_t port);

struct AddressHash {
  std::size_t operator()(const Address& address) const { return address.hash(); }
};

inline constexpr std::size_t kMostAddresses = 32;  ///< of one name; others are ignored

/// Resolves a host name or a literal; the results are in the order to try, each once. Blocks, for seconds if no name
/// server answers. REQUIRES: not on a serving loop (HostNames is for that).
Outcome<std::vector<Address>> resolve(const std::string& host, std::uint16_t port);

}  // namespace entente::net
