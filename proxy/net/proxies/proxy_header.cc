#include "proxy/net/proxies/proxy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

namespace entente::net {
namespace {

constexpr std::string_view kWord = "PROXY ";
constexpr std::size_t kLongestLine = 107;  // with its "\r\n"
constexpr std::array<std::uint8_t, 12> kSignature = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
constexpr std::size_t kFixed = 16;
constexpr std::uint8_t kVersion2 = 0x20, kLocal = 0, kProxy = 1;
constexpr std::uint8_t kTcp4 = 0x11, kTcp6 = 0x21;
constexpr std::size_t kSize4 = 12, kSize6 = 36;  // of two addresses and two ports

using Read = Result<std::optional<ProxyHeader>>;

/// The text up to the next blank, or up to the end.
std::string_view word(std::string_view& line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view first = line.substr(0, blank);
  line.remove_prefix(std::min(blank + 1, line.size()));
  return first;
}

/// Whether a client can have this address: not 0.0.0.0 or ::.
bool is_client(const Address& address) { return !address.unmapped().wildcard(); }

std::optional<Address> address(std::string_view ip, bool v6) {
  if (ip.starts_with('[')) return std::nullopt;
  const auto parsed = Address::parse(ip, 0);
  if (!parsed.ok() || parsed->v6() != v6) return std::nullopt;
  return *parsed;
}

std::optional<std::uint16_t> port(std::string_view digits) {
  std::uint16_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return number;
}

Read read_line(std::string_view line, std::size_t size) {
  std::string_view rest = line.substr(kWord.size());
  const auto at = [&](std::string_view part) { return static_cast<std::size_t>(part.data() - line.data()); };
  const std::string_view family = word(rest);
  if (family == "UNKNOWN") return std::optional(ProxyHeader{size, std::nullopt, true});
  if (family != "TCP4" && family != "TCP6") return Fault{"bad PROXY header", "protocol", at(family)};
  const bool v6 = family == "TCP6";
  const std::string_view from = word(rest), to = word(rest), from_port = word(rest), to_port = rest;
  const auto client = address(from, v6);
  if (!client || !is_client(*client)) return Fault{"bad PROXY header", "source address", at(from)};
  if (!address(to, v6)) return Fault{"bad PROXY header", "destination address", at(to)};
  const auto number = port(from_port);
  if (!number) return Fault{"bad PROXY header", "source port", at(from_port)};
  if (!port(to_port)) return Fault{"bad PROXY header", "destination port", at(to_port)};
  return std::optional(ProxyHeader{size, client->with_port(*number).unmapped()});
}

Read read_v1(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kLongestLine));
  const std::size_t end = text.find("\r\n");
  if (end != std::string_view::npos) return read_line(text.substr(0, end), end + 2);
  if (bytes.size() >= kLongestLine) return Fault{"bad PROXY header", "line end", kLongestLine};
  return std::optional<ProxyHeader>();
}

Address address_at(Bytes bytes, std::size_t ip, std::size_t port, bool v6) {
  sockaddr_in four{};
  sockaddr_in6 six{};
  four.sin_family = AF_INET;
  six.sin6_family = AF_INET6;
  if (v6) {
    std::memcpy(&six.sin6_addr, &bytes[ip], sizeof(six.sin6_addr));
    std::memcpy(&six.sin6_port, &bytes[port], sizeof(six.sin6_port));
    return Address::from(reinterpret_cast<const sockaddr*>(&six));
  }
  std::memcpy(&four.sin_addr, &bytes[ip], sizeof(four.sin_addr));
  std::memcpy(&four.sin_port, &bytes[port], sizeof(four.sin_port));
  return Address::from(reinterpret_cast<const sockaddr*>(&four));
}

Read read_v2(Bytes bytes) {
  if (bytes.size() < kFixed) return std::optional<ProxyHeader>();
  const std::uint8_t command = bytes[12] & 0x0f, family = bytes[13];
  const std::size_t rest = std::size_t{bytes[14]} << 8U | bytes[15];
  if ((bytes[12] & 0xf0) != kVersion2) return Fault{"bad PROXY header", "version", 12};
  if (command != kLocal && command != kProxy) return Fault{"bad PROXY header", "command", 12};
  if (kFixed + rest > kLargestProxyHeader) return Fault{"bad PROXY header", "length", 14};
  const bool known = family == kTcp4 || family == kTcp6;
  if (command == kProxy && known && rest < (family == kTcp6 ? kSize6 : kSize4))
    return Fault{"bad PROXY header", "length", 14};
  if (bytes.size() < kFixed + rest) return std::optional<ProxyHeader>();
  if (command == kLocal || !known) return std::optional(ProxyHeader{kFixed + rest, std::nullopt, command == kLocal});
  const bool v6 = family == kTcp6;
  const Address client = address_at(bytes, kFixed, kFixed + (v6 ? 32 : 8), v6);
  if (!is_client(client)) return Fault{"bad PROXY header", "source address", kFixed};
  return std::optional(ProxyHeader{kFixed + rest, client.unmapped()});
}

/// Whether `bytes` begin like this, as far as they go.
template <class Start>
bool begins(Bytes bytes, const Start& start) {
  const std::size_t size = std::min(bytes.size(), start.size());
  return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size), start.begin(),
                    [](std::uint8_t a, auto b) { return a == static_cast<std::uint8_t>(b); });
}

/// The address as the header needs it: both addresses of a header have one family.
Address widened(const Address& address, bool v6) {
  if (!v6 || address.v6()) return address;
  return *Address::parse("::ffff:" + address.ip_text(), address.port());
}

void append_address(Buffer& to, const Address& address) {
  const auto* raw = address.raw();
  if (address.v6()) {
    const auto& ip = reinterpret_cast<const sockaddr_in6*>(raw)->sin6_addr;
    append(to, Bytes(ip.s6_addr, sizeof(ip.s6_addr)));
  } else {
    const auto* ip = reinterpret_cast<const std::uint8_t*>(&reinterpret_cast<const sockaddr_in*>(raw)->sin_addr);
    append(to, Bytes(ip, 4));
  }
}

void append_u16(Buffer& to, std::size_t value) {
  to.push_back(static_cast<std::uint8_t>(value >> 8U));
  to.push_back(static_cast<std::uint8_t>(value & 0xffU));
}

}  // namespace

Read read_proxy_header(Bytes bytes) {
  if (bytes.empty()) return std::optional<ProxyHeader>();
  if (begins(bytes, kWord)) return bytes.size() < kWord.size() ? std::optional<ProxyHeader>() : read_v1(bytes);
  if (begins(bytes, kSignature)) return read_v2(bytes);
  return Fault{"no PROXY header"};
}

void append_proxy_header(Buffer& to, ProxyVersion version, const std::optional<Address>& client,
                         const Address& server) {
  const bool v6 = server.v6() || (client && client->v6());
  const Address from = widened(client.value_or(server), v6), at = widened(server, v6);
  if (version == ProxyVersion::kV1) {
    const std::string ends = (v6 ? "TCP6 " : "TCP4 ") + from.ip_text() + " " + at.ip_text() + " " +
                             std::to_string(from.port()) + " " + std::to_string(at.port());
    const std::string line = std::string(kWord) + (client ? ends : "UNKNOWN") + "\r\n";
    return append(to, Bytes(reinterpret_cast<const std::uint8_t*>(line.data()), line.size()));
  }
  to.insert(to.end(), kSignature.begin(), kSignature.end());
  to.push_back(kVersion2 | (client ? kProxy : kLocal));
  to.push_back(!client ? 0 : v6 ? kTcp6 : kTcp4);
  if (!client) return append_u16(to, 0);
  append_u16(to, v6 ? kSize6 : kSize4);
  append_address(to, from);
  append_address(to, at);
  append_u16(to, from.port());
  append_u16(to, at.port());
}

}  // namespace entente::net
