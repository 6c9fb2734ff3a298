#include "proxy/net/proxies/forwarded.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/base/lower_case.h"

namespace entente::net {
namespace {

constexpr const char* kMalformed = "bad forwarded address";
constexpr const char* kHidden = "hidden forwarded address";

constexpr const char* kFor = "X-Forwarded-For";
constexpr const char* kForwarded = "Forwarded";

/// One proxy's entry.
struct Hop {
  std::string node;  // address and port
  std::size_t offset = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Of a token, RFC 9110, 5.6.2.
bool is_token_char(char c) {
  return is_digit(c) || is_letter(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// -- One address ------------------------------------------------------------------------------------------------------

bool is_obfuscated(std::string_view text) {
  return text.size() > 1 && text.front() == '_' && std::all_of(text.begin() + 1, text.end(), [](char c) {
           return is_digit(c) || is_letter(c) || c == '.' || c == '_' || c == '-';
         });
}

/// The port of RFC 7239, section 6: a number, or an obfuscated one, which counts as 0.
std::optional<std::uint16_t> port_of(std::string_view text) {
  if (is_obfuscated(text)) return std::uint16_t{0};
  std::uint16_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || text.size() > 5) return std::nullopt;
  return number;
}

/// `node`: "192.0.2.7", "192.0.2.7:4711", "[2001:db8::7]", "[2001:db8::7]:4711"; with `bare_v6`, "2001:db8::7".
Result<Address> address_of(std::string_view node, bool bare_v6, const char* field, std::size_t offset) {
  const Fault wrong{kMalformed, field, offset};
  if (equal_but_case(node, "unknown") || is_obfuscated(node.substr(0, node.find(':'))))
    return Fault{kHidden, field, offset};
  const bool brackets = node.starts_with('[');
  const auto colons = std::count(node.begin(), node.end(), ':');
  std::size_t end = node.size();
  if (brackets) {
    end = node.find(']');
    if (end == std::string_view::npos) return wrong;
    ++end;
  } else if (colons == 1) {
    end = node.find(':');
  }
  const std::string_view ip = brackets ? node.substr(1, end - 2) : node.substr(0, end), rest = node.substr(end);
  const auto address = Address::parse(ip, 0);  // takes no zone, and no NUL
  if (!address.ok() || address->unmapped().wildcard()) return wrong;
  if (address->v6() != brackets && !(bare_v6 && address->v6())) return wrong;
  if (rest.empty()) return address->unmapped();
  const auto port = rest.front() == ':' ? port_of(rest.substr(1)) : std::nullopt;
  if (!port) return wrong;
  return address->with_port(*port).unmapped();
}

// -- X-Forwarded-For: a list of addresses -----------------------------------------------------------------------------

std::vector<Hop> hops_of_list(std::string_view value) {
  std::vector<Hop> hops;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t comma = std::min(value.find(',', at), value.size());
    std::size_t from = at, to = comma;
    while (from < to && is_blank(value[from])) ++from;
    while (to > from && is_blank(value[to - 1])) --to;
    if (from < to) hops.push_back({std::string(value.substr(from, to - from)), from});
    at = comma + 1;
  }
  return hops;
}

// -- Forwarded: a list of parameters ----------------------------------------------------------------------------------

/// Reads one header's value: `for="[2001:db8::7]:4711";proto=https, for=192.0.2.7`
class Elements {
 public:
  explicit Elements(std::string_view value) : value_(value) {}

  Result<std::vector<Hop>> read() {
    std::vector<Hop> hops;
    do {
      Hop hop;
      bool named = false;
      skip_blanks();
      if (at_ == value_.size() || value_[at_] == ',') continue;
      hop.offset = at_;
      do {
        if (auto wrong = read_parameter(hop, named)) return *wrong;
      } while (take(';'));
      hops.push_back(std::move(hop));
    } while (take(','));
    if (at_ != value_.size()) return wrong();
    return hops;
  }

 private:
  std::optional<Fault> read_parameter(Hop& hop, bool& named) {
    skip_blanks();
    const std::string_view name = token();
    if (name.empty() || !take('=')) return wrong();
    const std::size_t from = at_;
    std::string value;
    if (take('"')) {
      if (!read_quoted(value)) return wrong();
    } else {
      value = token();
      if (value.empty()) return wrong();
    }
    skip_blanks();
    if (!equal_but_case(name, "for")) return std::nullopt;
    if (std::exchange(named, true)) return Fault{"for given twice", kForwarded, from};
    hop = {std::move(value), from};
    return std::nullopt;
  }

  bool read_quoted(std::string& to) {
    for (; at_ < value_.size(); ++at_) {
      if (take('"')) return true;
      if (value_[at_] == '\\' && ++at_ == value_.size()) return false;
      to += value_[at_];
    }
    return false;
  }

  std::string_view token() {
    const std::size_t from = at_;
    while (at_ < value_.size() && is_token_char(value_[at_])) ++at_;
    return value_.substr(from, at_ - from);
  }
  void skip_blanks() {
    while (at_ < value_.size() && is_blank(value_[at_])) ++at_;
  }
  bool take(char c) {
    const bool there = at_ < value_.size() && value_[at_] == c;
    if (there) ++at_;
    return there;
  }
  Fault wrong() const { return {"bad Forwarded header", kForwarded, at_}; }

  const std::string_view value_;
  std::size_t at_ = 0;
};

// -- The walk ---------------------------------------------------------------------------------------------------------

/// Goes from the last entry of the last header with this name back to the client. Nothing: there is no such header, or
/// no entry in it.
Result<std::optional<Address>> walk(const HttpHead& request, const TrustedProxies& proxies, const char* name) {
  const bool parameters = name == kForwarded;
  std::optional<Address> farthest;
  for (auto header = request.headers.rbegin(); header != request.headers.rend(); ++header) {
    if (!equal_but_case(header->name, name)) continue;
    auto hops = parameters ? Elements(header->value).read() : Result<std::vector<Hop>>(hops_of_list(header->value));
    if (!hops) return hops.error();
    for (auto hop = hops->rbegin(); hop != hops->rend(); ++hop) {
      const auto address = address_of(hop->node, !parameters, name, hop->offset);
      if (!address) return address.error();
      farthest = *address;
      if (!proxies.hold(*address)) return farthest;
    }
  }
  return farthest;
}

}  // namespace

Result<Address> forwarded_client(const HttpHead& request, const TrustedProxies& proxies) {
  const auto listed = walk(request, proxies, kFor);
  if (!listed) return listed.error();
  const auto forwarded = walk(request, proxies, kForwarded);
  if (!forwarded) return forwarded.error();
  const std::optional<Address>&a = *listed, &b = *forwarded;
  if (!a && !b) return Fault{"no X-Forwarded-For or Forwarded header"};
  if (!a || !b) return a ? *a : *b;
  if (!a->same_ip(*b)) return Fault{"X-Forwarded-For and Forwarded disagree", kForwarded};
  return a->port() != 0 ? *a : *b;
}

}  // namespace entente::net
