#include "proxy/program/base/host_port.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "proxy/program/base/suggest.h"

namespace entente {
Outcome<HostPort> split_host_port(std::string_view text) {
  HostPort parts;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return Error{"the '[' of the address is not closed"};
    parts.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (!text.empty() && text[0] != ':') return Error{"only ':' and a port may follow ']'"};
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (text.find(':', colon + 1) != std::string_view::npos)
      return Error{"an IPv6 address needs brackets, as in [::1]:4410"};
    parts.host = text.substr(0, colon);
    text.remove_prefix(colon);
  }
  if (parts.host.empty()) return Error{"the host is missing"};
  if (std::any_of(parts.host.begin(), parts.host.end(), [](unsigned char c) { return c <= ' '; }))
    return Error{"there is a space in the host"};
  if (parts.host.find_first_of("/@[]") != std::string_view::npos) return Error{"a host has no '/', '@', '[' or ']'"};
  if (text == ":") return Error{"the port is missing after ':'"};
  if (!text.empty()) parts.port = text.substr(1);
  return parts;
}

Outcome<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failed != std::errc{} || end != text.data() + text.size())
    return Error{"port: " + expected_integer(0, 65535, "", "'" + std::string(text) + "'")};
  return port;
}

bool is_host_and_port(std::string_view text) {
  const auto parts = split_host_port(text);
  if (!parts || parts->port.empty()) return false;
  const auto port = parse_port(parts->port);
  return port && *port != 0;
}

}  // namespace entente
