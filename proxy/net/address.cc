#include "proxy/net/address.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>

#include "proxy/base/keyed_hash.h"

namespace entente::net {
namespace {

Error bad(std::string_view text, const char* why) {
  return Error{"'" + std::string(text) + "' is not an address: " + why + "; write it as 127.0.0.1:5154 or [::1]:5154"};
}

std::string_view ip_bytes(const sockaddr_in& four) {
  return {reinterpret_cast<const char*>(&four.sin_addr), sizeof(four.sin_addr)};
}

std::string_view ip_bytes(const sockaddr_in6& six) {
  return {reinterpret_cast<const char*>(&six.sin6_addr), sizeof(six.sin6_addr)};
}

}  // namespace

Address::Address() {
  std::memset(&raw_, 0, sizeof(raw_));
  raw_.any.sa_family = AF_INET;
}

Address Address::from(const sockaddr* raw) {
  Address address;
  if (raw->sa_family == AF_INET6)
    std::memcpy(&address.raw_.six, raw, sizeof(sockaddr_in6));
  else if (raw->sa_family == AF_INET)
    std::memcpy(&address.raw_.four, raw, sizeof(sockaddr_in));
  address.raw_.six.sin6_flowinfo = address.v6() ? 0 : address.raw_.six.sin6_flowinfo;
  return address;
}

Outcome<Address> Address::parse(std::string_view ip, std::uint16_t port) {
  if (ip.size() >= 2 && ip.front() == '[' && ip.back() == ']') ip = ip.substr(1, ip.size() - 2);
  const std::string text(ip);
  if (text.find('\0') != std::string::npos) return bad(ip, "it has a NUL");  // where inet_pton would stop
  Address address;
  if (inet_pton(AF_INET, text.c_str(), &address.raw_.four.sin_addr) == 1) return address.with_port(port);
  if (inet_pton(AF_INET6, text.c_str(), &address.raw_.six.sin6_addr) != 1) return bad(ip, "no IPv4 or IPv6 address");
  address.raw_.any.sa_family = AF_INET6;
  return address.with_port(port);
}

Outcome<Address> Address::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad(text, "it has no port");
  const std::string_view digits = text.substr(colon + 1), ip = text.substr(0, colon);
  std::uint16_t port = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || digits.empty())
    return bad(text, "the port is not a number from 0 to 65535");
  if (ip.find(':') != std::string_view::npos && ip.front() != '[') return bad(text, "an IPv6 address needs brackets");
  return parse(ip, port);
}

bool Address::wildcard() const { return same_ip(wildcard_of_family()); }

std::uint16_t Address::port() const { return ntohs(v6() ? raw_.six.sin6_port : raw_.four.sin_port); }

Address Address::with_port(std::uint16_t port) const {
  Address other = *this;
  (v6() ? other.raw_.six.sin6_port : other.raw_.four.sin_port) = htons(port);
  return other;
}

Address Address::unmapped() const {
  if (!v6() || !IN6_IS_ADDR_V4MAPPED(&raw_.six.sin6_addr)) return *this;
  Address four;
  std::memcpy(&four.raw_.four.sin_addr, &raw_.six.sin6_addr.s6_addr[12], 4);
  return four.with_port(port());
}

Address Address::wildcard_of_family() const {
  Address any;
  any.raw_.any.sa_family = raw_.any.sa_family;
  return any;
}

bool Address::same_ip(const Address& other) const {
  if (family() != other.family()) return false;
  return v6() ? ip_bytes(raw_.six) == ip_bytes(other.raw_.six) && raw_.six.sin6_scope_id == other.raw_.six.sin6_scope_id
              : ip_bytes(raw_.four) == ip_bytes(other.raw_.four);
}

std::size_t Address::hash() const {
  const std::string_view ip = v6() ? ip_bytes(raw_.six) : ip_bytes(raw_.four);
  return entente::keyed_hash(as_bytes(ip)) ^ entente::keyed_hash(std::uint64_t{port()});
}

Address Address::host_key() const {
  Address net = with_port(0);
  if (v6()) {
    std::memset(&net.raw_.six.sin6_addr.s6_addr[8], 0, 8);
    net.raw_.six.sin6_scope_id = 0;
  }
  return net;
}

std::string Address::ip_text() const {
  char text[INET6_ADDRSTRLEN];
  const void* ip = v6() ? static_cast<const void*>(&raw_.six.sin6_addr) : static_cast<const void*>(&raw_.four.sin_addr);
  return inet_ntop(family(), ip, text, sizeof(text)) ? text : "?";
}

std::string Address::text() const { return host_and_port(ip_text(), port()); }

std::string host_and_port(const std::string& host, std::uint16_t port) {
  return (host.find(':') != std::string::npos ? "[" + host + "]:" : host + ":") + std::to_string(port);
}

Outcome<std::vector<Address>> resolve(const std::string& host, std::uint16_t port) {
  if (auto literal = Address::parse(host, port)) return std::vector<Address>{*literal};
  addrinfo want{}, *found = nullptr;
  want.ai_socktype = SOCK_STREAM;
  const int failed = getaddrinfo(host.c_str(), nullptr, &want, &found);
  if (failed) {
    return Error{"cannot look up '" + host + "': " + gai_strerror(failed) +
                 "; check the name, or write the server's IP address"};
  }
  std::vector<Address> all;
  for (const addrinfo* one = found; one && all.size() < kMostAddresses; one = one->ai_next) {
    if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
    const Address address = Address::from(one->ai_addr).with_port(port);
    if (std::find(all.begin(), all.end(), address) == all.end()) all.push_back(address);
  }
  freeaddrinfo(found);
  if (all.empty()) return Error{"'" + host + "' has no IPv4 or IPv6 address; write the server's IP address"};
  return all;
}

}  // namespace entente::net
