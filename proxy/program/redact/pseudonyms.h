// What stands for names, addresses and hosts in a redacted recording.
// Invariant: the same name or address has the same pseudonym everywhere in the file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "proxy/program/redact/sought_texts.h"

namespace entente {

/// A text as people see it: without the colour codes of terminals, which BZFlag shows as colours, and without
/// characters that nobody sees. Tabs and ends of lines stay.
std::string visible_text(std::string_view text);

class Pseudonyms {
 public:
  using Ip4 = std::array<std::uint8_t, 4>;

  // Of a name, a host or an address, only the first 1,024 bytes count.

  /// "player1", "player2" …
  const std::string& name(std::string_view name);
  /// "host1.example", "host2.example" …
  const std::string& host(std::string_view host);
  /// An address of a network for documentation (RFC 5737), or after 762 of them one for benchmarks (RFC 2544). Loopback
  /// and wildcard addresses stay.
  Ip4 ip4(const Ip4& ip);
  std::uint16_t port(std::uint16_t port);
  /// "192.0.2.1:49152" for "1.2.3.4:5154". Ports may be missing. What is no address becomes a host.
  std::string address(std::string_view text);
  /// An IPv6 address without a port, or the wildcard or loopback address.
  std::string ip6(const std::string& text);

  /// What must not stand in any text: passwords and tokens.
  void add_secret(std::string_view secret);

  /// `text` without the names that are known, in any case and with any colours: of three letters or more wherever they
  /// stand, shorter ones as whole words. Also the beginnings of names that a program cut, with kCutMark.
  std::string without_names(std::string_view text) const;
  std::string without_secrets(std::string_view text) const;
  /// `text` without addresses, URLs and names of hosts.
  std::string without_addresses(std::string_view text, bool keep_addresses, bool keep_hosts);

  /// Too many different names and secrets to remember all: some may remain in texts.
  bool overflowed() const { return names_.size() >= kMost || secrets_.size() >= kMost; }
  std::size_t names() const { return names_.size(); }
  std::size_t addresses() const { return ip4_.size() + ip6_.size(); }
  std::size_t hosts() const { return hosts_.size(); }

 private:
  static constexpr std::size_t kMost = 20'000;

  static std::size_t ip6_size(std::string_view text);
  void add_without_addresses(std::string_view run, std::string& out);
  const std::string* begun_by(std::string_view part) const;

  std::map<std::string, std::string, std::less<>> names_, hosts_;
  std::map<Ip4, Ip4> ip4_;
  std::map<std::string, std::string> ip6_;
  std::map<std::uint16_t, std::uint16_t> ports_;
  SoughtTexts lower_names_, secrets_;
};

}  // namespace entente
