#include "proxy/net/network.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "proxy/base/keyed_hash.h"

namespace entente::net {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr unsigned kMost4 = 32, kMost6 = 128, kHost6 = 64;

Error not_a_net(std::string_view text, const std::string& why) {
  return Error{"'" + std::string(text) + "' is not a network: " + why + "; write it as 192.0.2.7, 192.0.2.0/24 or " +
               "2001:db8::/32"};
}

/// The bytes of an address: 4 of IPv4, or 16 of IPv6. An IPv4-mapped address counts as IPv4.
struct Plain {
  explicit Plain(const Address& address) : v6(address.v6()) {
    const auto* from =
        v6 ? reinterpret_cast<const sockaddr_in6*>(address.raw())->sin6_addr.s6_addr
           : reinterpret_cast<const std::uint8_t*>(&reinterpret_cast<const sockaddr_in*>(address.raw())->sin_addr);
    std::copy_n(from, v6 ? 16 : 4, bytes.begin());
    if (!v6 || !std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) return;
    v6 = false;
    std::copy_n(bytes.begin() + kMapped.size(), 4, bytes.begin());
  }
  std::array<std::uint8_t, 16> bytes{};
  bool v6;
};

}  // namespace

Network Network::around(const Address& address, unsigned bits) {
  const Plain plain(address);
  Network net;
  net.v6_ = plain.v6;
  net.bits_ = static_cast<std::uint8_t>(std::min(bits, plain.v6 ? kMost6 : kMost4));
  for (unsigned at = 0; at < net.bits_; at += 8) {
    const unsigned left = net.bits_ - at, mask = left >= 8 ? 0xFF : 0xFF00U >> left;
    net.first_[at / 8] = static_cast<std::uint8_t>(plain.bytes[at / 8] & mask);
  }
  return net;
}

Network Network::of_host(const Address& address) { return around(address, Plain(address).v6 ? kHost6 : kMost4); }

Outcome<Network> Network::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = Address::parse(text.substr(0, slash), 0);
  if (!address) return not_a_net(text, "no IPv4 or IPv6 address");
  const Network whole = around(*address, kMost6);
  if (slash == std::string_view::npos) return whole;
  const std::string_view digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const unsigned most = whole.v6_ ? kMost6 : kMost4;
  if (digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || bits > most)
    return not_a_net(text, "the number after '/' must be from 0 to " + std::to_string(most));
  const Network net = around(*address, bits);
  if (net.first_ != whole.first_) return not_a_net(text, "its first address is " + net.text());
  return net;
}

std::size_t Network::hash() const {
  const std::string_view bytes(reinterpret_cast<const char*>(first_.data()), first_.size());
  return entente::keyed_hash(as_bytes(bytes)) ^ (static_cast<std::size_t>(bits_) << 1U | std::size_t{v6_});
}

std::string Network::text() const {
  char text[INET6_ADDRSTRLEN];
  const char* ip = inet_ntop(v6_ ? AF_INET6 : AF_INET, first_.data(), text, sizeof(text));
  const std::string tail = bits_ == (v6_ ? kMost6 : kMost4) ? "" : "/" + std::to_string(bits_);
  return (ip != nullptr ? ip : "?") + tail;
}

bool is_loopback_v4(const Address& address) { return Network::parse("127.0.0.0/8")->holds(address); }

}  // namespace entente::net
