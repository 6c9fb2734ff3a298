#include "proxy/program/redact/pseudonyms.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "proxy/base/lower_case.h"
#include "proxy/base/text.h"
#include "proxy/net/address.h"
#include "proxy/program/redact/letters.h"

namespace entente {
namespace {

constexpr std::size_t kShort = 3;           // bytes of a name that is replaced inside words, too
constexpr std::size_t kCutText = 90;        // bytes of a text that a program may have cut inside a name
constexpr std::size_t kLongestEnd = 64;     // bytes of the beginning of a name, at its end
constexpr std::size_t kLeastSecret = 3;     // shorter passwords are not sought in texts
constexpr std::size_t kLongestKey = 1'024;  // bytes of a name, host or address by which it is known again

/// Belongs to a word: bytes above ASCII are letters.
constexpr bool is_of_name(char c) { return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80; }

/// Letters, and the small ones that stand for them, which no rule gives.
constexpr std::uint32_t kLone[][2] = {{0x178, 0xff},  {0x386, 0x3ac}, {0x388, 0x3ad}, {0x389, 0x3ae}, {0x38a, 0x3af},
                                      {0x38c, 0x3cc}, {0x38e, 0x3cd}, {0x38f, 0x3ce}, {0x3c2, 0x3c3}, {0x4c0, 0x4cf}};

/// In lower case: ASCII, and the Latin, Greek and Cyrillic letters of two bytes. As long as `text`.
std::string folded(std::string_view text) {
  std::string out = lower_case(text);
  for (std::size_t at = 0, size = 0; at < text.size(); at += std::max<std::size_t>(size, 1)) {
    size = first_character(text.substr(at));
    if (size != 2) continue;
    const std::uint32_t point = code_point(text.substr(at, size));
    std::uint32_t low = point;
    const auto lone =
        std::find_if(std::begin(kLone), std::end(kLone), [=](const auto& one) { return one[0] == point; });
    if (lone != std::end(kLone))
      low = (*lone)[1];
    else if ((point >= 0xc0 && point <= 0xde && point != 0xd7) || (point >= 0x391 && point <= 0x3ab) ||
             (point >= 0x410 && point <= 0x42f))
      low = point + 0x20;
    else if (point >= 0x400 && point <= 0x40f)
      low = point + 0x50;
    else if ((point >= 0x100 && point <= 0x137 && point != 0x130) || (point >= 0x14a && point <= 0x177) ||
             (point >= 0x460 && point <= 0x481) || (point >= 0x48a && point <= 0x4bf) ||
             (point >= 0x4d0 && point <= 0x52f))
      low = point | 1U;
    else if ((point >= 0x139 && point <= 0x148) || (point >= 0x179 && point <= 0x17e) ||
             (point >= 0x4c1 && point <= 0x4ce))
      low = point + (point & 1U);
    out[at] = static_cast<char>(0xc0U | low >> 6U);
    out[at + 1] = static_cast<char>(0x80U | (low & 0x3fU));
  }
  return out;
}

/// visible_text(), and where it was.
struct Visible {
  std::string text;
  std::vector<std::size_t> places;  // of each byte in the original; the last is the original's size
};

/// Bytes of what is not seen at the beginning.
std::size_t unseen_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (text.starts_with("\x1b[")) {
    const std::size_t end = text.find_first_not_of("0123456789;:?", 2);
    return end != text.npos && is_letter(text[end]) ? end + 1 : std::min(end, text.size());
  }
  if (first == '[') {  // a colour whose escape character a bridge has removed
    const std::size_t end = text.find_first_not_of("0123456789;", 1);
    return end != text.npos && end > 1 && text[end] == 'm' ? end + 1 : 0;
  }
  if (first == '\t' || first == '\n' || first == '\r') return 0;
  if (first < 0x20 || first == 0x7f) return 1;
  if (first < 0x80) return 0;
  const std::size_t size = first_character(text);
  if (size < 2) return 0;
  const std::uint32_t point = code_point(text.substr(0, size));
  const bool seen = point > 0x9f && point != 0xad && point != 0xfeff && (point < 0x200b || point > 0x200f) &&
                    (point < 0x202a || point > 0x202e) && (point < 0x2060 || point > 0x206f);
  return seen ? 0 : size;
}

Visible visible(std::string_view text) {
  Visible out;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t unseen = unseen_size(text.substr(at)); unseen != 0) {
      at += unseen;
      continue;
    }
    out.places.push_back(at);
    out.text += text[at++];
  }
  out.places.push_back(text.size());
  return out;
}

std::string_view without_mark(std::string_view text) {
  if (text.ends_with(kCutMark)) text.remove_suffix(kCutMark.size());
  return text;
}

/// "1.2.3.4" exactly.
std::optional<Pseudonyms::Ip4> parse_ip4(std::string_view text) {
  Pseudonyms::Ip4 ip{};
  for (std::size_t i = 0; i < 4; ++i) {
    unsigned number = 256;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto size = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || number > 255 || size > 3) return std::nullopt;
    ip[i] = static_cast<std::uint8_t>(number);
    text.remove_prefix(size);
    if (i == 3) return text.empty() ? std::optional(ip) : std::nullopt;
    if (!text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

std::string text_of(const Pseudonyms::Ip4& ip) {
  std::string text;
  for (const auto byte : ip) text += (text.empty() ? "" : ".") + std::to_string(byte);
  return text;
}

std::optional<std::uint16_t> port_number_in(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

/// Whether nobody is found by it: this computer, or all of them.
bool is_nobodys(const Pseudonyms::Ip4& ip) {
  using Ip4 = Pseudonyms::Ip4;
  return ip == Ip4{0, 0, 0, 0} || ip == Ip4{127, 0, 0, 1} || ip == Ip4{255, 255, 255, 255};
}

/// The name of a host: labels with dots, the last of two letters or more, which may be foreign.
bool is_host(std::string_view text) {
  const auto dot = text.rfind('.');
  if (dot == text.npos || dot == 0 || !is_of_name(text[dot - 1])) return false;
  const std::string_view last = text.substr(dot + 1);
  return last.size() >= 2 && !is_digit(last[0]) &&
         std::all_of(last.begin(), last.end(), [](char c) { return is_of_name(c) || c == '-'; });
}

/// A URL, an e-mail address, or anything with the name of a host.
bool has_host(std::string_view word) {
  if (word.find("://") != word.npos) return true;
  while (!word.empty()) {
    const std::string_view part = word.substr(0, word.find_first_of(":/[]@\\!?&#*"));
    if (is_host(part.substr(0, part.find_last_not_of('.') + 1))) return true;
    word.remove_prefix(std::min(part.size() + 1, word.size()));
  }
  return false;
}

/// A host that this made up.
bool is_made_up(std::string_view word) {
  constexpr std::string_view kBegin = "host", kEnd = ".example";
  if (!word.starts_with(kBegin) || !word.ends_with(kEnd) || word.size() < kBegin.size() + kEnd.size()) return false;
  word.remove_prefix(kBegin.size());
  word.remove_suffix(kEnd.size());
  return std::all_of(word.begin(), word.end(), is_digit);
}

}  // namespace

std::string visible_text(std::string_view text) { return visible(text).text; }

const std::string& Pseudonyms::name(std::string_view name) {
  name = name.substr(0, kLongestKey);
  const auto known = names_.find(name);
  if (known != names_.end()) return known->second;
  static const std::string kAnybody = "player";
  if (names_.size() >= kMost) return kAnybody;
  const std::string& pseudonym = names_.emplace(name, "player" + std::to_string(names_.size() + 1)).first->second;
  const std::string small = folded(visible_text(name));
  if (!small.empty()) lower_names_.add(small, pseudonym);
  return pseudonym;
}

const std::string& Pseudonyms::host(std::string_view host) {
  host = host.substr(0, kLongestKey);
  const auto known = hosts_.find(host);
  if (known != hosts_.end()) return known->second;
  static const std::string kAnyHost = "host.example";
  if (hosts_.size() >= kMost) return kAnyHost;
  return hosts_.emplace(host, "host" + std::to_string(hosts_.size() + 1) + ".example").first->second;
}

Pseudonyms::Ip4 Pseudonyms::ip4(const Ip4& ip) {
  if (is_nobodys(ip)) return ip;
  const auto known = ip4_.find(ip);
  if (known != ip4_.end()) return known->second;
  static constexpr Ip4 kNets[] = {{192, 0, 2, 0}, {198, 51, 100, 0}, {203, 0, 113, 0}};
  constexpr std::size_t kHosts = 254, kDocumented = 3 * kHosts, kBenchmarks = 131'070;
  const std::size_t nth = ip4_.size();
  Ip4 made{};
  if (nth < kDocumented) {
    made = kNets[nth / kHosts];
    made[3] = static_cast<std::uint8_t>(nth % kHosts + 1);
  } else {
    const std::size_t number = (nth - kDocumented) % kBenchmarks + 1;
    made = {198, static_cast<std::uint8_t>(18 + (number >> 16U)), static_cast<std::uint8_t>(number >> 8U & 255U),
            static_cast<std::uint8_t>(number & 255U)};
  }
  if (nth < kDocumented + kBenchmarks) ip4_.emplace(ip, made);
  return made;
}

std::uint16_t Pseudonyms::port(std::uint16_t port) {
  constexpr std::uint16_t kFirstPort = 49'152, kCount = 16'384;
  if (port == 0) return 0;
  const auto number = static_cast<std::uint16_t>(kFirstPort + ports_.size() % kCount);
  return ports_.try_emplace(port, number).first->second;
}

std::string Pseudonyms::ip6(const std::string& text) {
  if (text == "::" || text == "::1") return text;
  static constexpr std::size_t kMostIp6 = 60'000;
  const auto known = ip6_.find(text);
  if (known != ip6_.end()) return known->second;
  char digits[8];
  const auto end = std::to_chars(digits, digits + sizeof digits, std::min(ip6_.size(), kMostIp6) + 1, 16).ptr;
  const std::string made = "2001:db8::" + std::string(digits, end);
  if (ip6_.size() < kMostIp6) ip6_.emplace(text, made);
  return made;
}

std::string Pseudonyms::address(std::string_view text) {
  constexpr std::string_view kDatagrams = "/udp";  // of a connection in a packet capture
  std::string end;
  if (text.ends_with(kDatagrams)) {
    text.remove_suffix(kDatagrams.size());
    end = kDatagrams;
  }
  if (text.empty()) return end;
  text = text.substr(0, kLongestKey);
  std::string_view ip = text;
  std::optional<std::uint16_t> port_number;
  if (const auto colon = text.rfind(':'); colon != text.npos && (text.find(':') == colon || text[0] == '[')) {
    port_number = port_number_in(text.substr(colon + 1));
    if (port_number) ip = text.substr(0, colon);
  }
  if (port_number) end = ":" + std::to_string(port(*port_number)) + end;
  if (const auto four = parse_ip4(ip)) return text_of(ip4(*four)) + end;
  if (const auto six = net::Address::parse(ip, 0)) {
    if (const auto four = parse_ip4(six->unmapped().ip_text())) return text_of(ip4(*four)) + end;
    return port_number ? "[" + ip6(six->ip_text()) + "]" + end : ip6(six->ip_text()) + end;
  }
  return host(ip) + end;
}

void Pseudonyms::add_secret(std::string_view secret) {
  if (secret.size() >= kLeastSecret && secret.find_first_not_of('*') != secret.npos && secrets_.size() < kMost)
    secrets_.add(secret, "***");
}

std::string Pseudonyms::without_names(std::string_view original) const {
  const Visible seen = visible(original);
  const std::string& text = seen.text;
  const std::vector<std::size_t>& places = seen.places;
  const std::string small = folded(text);
  const auto as_written = [&](std::size_t from, std::size_t to) { return original.substr(from, to - from); };
  const auto is_apart = [&](std::size_t at) { return places[at - 1] + 1 != places[at]; };  // from the byte before it
  const auto begins_word = [&](std::size_t at) { return at == 0 || !is_of_name(text[at - 1]) || is_apart(at); };
  std::string out(as_written(0, places[0]));
  std::size_t mark = text.find(kCutMark);  // the next one
  for (std::size_t at = 0; at < text.size();) {
    const auto found = lower_names_.longest(std::string_view(small).substr(at), [&](std::size_t size) {
      const std::size_t end = at + size;
      const bool whole = begins_word(at) && (end == text.size() || !is_of_name(text[end]) || is_apart(end));
      return whole || size >= kShort;
    });
    if (mark < at) mark = text.find(kCutMark, at);
    if (mark != text.npos && begins_word(at) && (found.size == 0 || at + found.size < mark)) {
      if (const std::string* cut = begun_by(std::string_view(small).substr(at, mark - at)); cut != nullptr) {
        out += *cut;
        out += as_written(places[mark - 1] + 1, places[mark]);
        at = mark + kCutMark.size();
        out += as_written(places[at - 1] + 1, places[at]);
        continue;
      }
    }
    const bool at_end = found.size != 0 && at + found.size >= text.size();
    if (!at_end && original.size() >= kCutText && text.size() - at <= kLongestEnd) {
      if (const std::string* cut = begun_by(without_mark(std::string_view(small).substr(at))); cut != nullptr) {
        out += *cut;
        break;
      }
    }
    const std::size_t end = at + std::max<std::size_t>(found.size, 1);
    if (found.size != 0) {
      const auto exact = names_.find(text.substr(at, end - at));
      out += exact != names_.end() ? exact->second : *found.as;
      out += as_written(places[end - 1] + 1, places[end]);
    } else {
      out += as_written(places[at], places[end]);
    }
    at = end;
  }
  return out;
}

/// What stands for the name that begins with `part`, and goes on.
const std::string* Pseudonyms::begun_by(std::string_view part) const {
  return part.size() < kShort || part.size() > kLongestEnd ? nullptr : lower_names_.begun_by(part);
}

std::string Pseudonyms::without_secrets(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const auto found = secrets_.longest(text, [](std::size_t) { return true; });
    out += found.size != 0 ? std::string_view(*found.as) : text.substr(0, 1);
    text.remove_prefix(std::max<std::size_t>(found.size, 1));
  }
  return out;
}

std::string Pseudonyms::without_addresses(std::string_view text, bool keep_addresses, bool keep_hosts) {
  std::string out;
  const auto take = [&](std::size_t size) {
    const std::string_view word = text.substr(0, size);
    text.remove_prefix(size);
    return word;
  };
  if (!keep_addresses) {
    while (!text.empty()) {
      const std::string_view run = take(std::min(text.find_first_not_of("0123456789abcdefABCDEF.:[]"), text.size()));
      if (run.empty())
        out += take(1);
      else
        add_without_addresses(run, out);
    }
  } else {
    out = text;
  }
  if (keep_hosts) return out;
  const std::string mixed = std::move(out);
  out.clear();
  text = mixed;
  while (!text.empty()) {
    std::string_view word = take(std::min(text.find_first_of(" \t\r\n\x1b()<>{}\"',;=|"), text.size()));
    const std::size_t dots = word.size() - (word.find_last_not_of(".!?") + 1);
    const std::string_view after = word.substr(word.size() - dots);
    word.remove_suffix(dots);
    const bool found = hosts_.contains(word) || has_host(word);
    out += found && !is_made_up(word) ? host(word) : std::string(word);
    out += after;
    if (!text.empty()) out += take(1);
  }
  return out;
}

/// The longest IPv6 address at the beginning; it has no port or brackets.
std::size_t Pseudonyms::ip6_size(std::string_view text) {
  constexpr std::size_t kLeast = 3, kMostSize = 45, kMostColons = 8;
  if (text.starts_with(':') && !text.starts_with("::")) return 0;
  text = text.substr(0, kMostSize);
  text = text.substr(0, text.find_first_of("[]"));
  if (const auto three = text.find(":::"); three != text.npos) text = text.substr(0, three + 2);
  for (std::size_t at = 0, colons = 0; at < text.size(); ++at)
    if (text[at] == ':' && ++colons > kMostColons) text = text.substr(0, at);
  std::size_t end = text.size();
  for (; end >= kLeast; --end) {
    if (std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), ':') < 2) return 0;
    if (net::Address::parse(text.substr(0, end), 0).ok()) return end;
  }
  return 0;
}

/// `run`: of the characters that addresses have.
void Pseudonyms::add_without_addresses(std::string_view run, std::string& out) {
  for (std::size_t at = 0; at < run.size();) {
    if (const std::size_t size = ip6_size(run.substr(at)); size != 0) {
      out += address(run.substr(at, size));
      at += size;
      continue;
    }
    std::size_t end = at;
    while (end < run.size() && (is_digit(run[end]) || run[end] == '.')) ++end;
    std::string_view number = run.substr(at, end - at);
    while (number.ends_with('.')) number.remove_suffix(1);
    if (const auto four = parse_ip4(number)) {
      out += text_of(ip4(*four));
      at += number.size();
    } else if (std::count(number.begin(), number.end(), '.') >= 3) {
      out += "0.0.0.0";  // more than an address
      at += number.size();
    } else {
      const std::size_t next = std::max(end, at + 1);
      out += run.substr(at, next - at);
      at = next;
    }
  }
}

}  // namespace entente
