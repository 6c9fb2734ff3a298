#include "proxy/program/redact/censor.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "adapters/bzflag/wire/variables.h"
#include "adapters/registry.h"
#include "proxy/base/command.h"
#include "proxy/base/lower_case.h"
#include "proxy/base/text.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/redact/letters.h"
#include "proxy/relay/base/reason.h"

namespace entente {
namespace {

using wire::Personal;

constexpr const char* kGroups[] = {"names", "chat", "passwords", "tokens", "addresses", "hosts", "mottos", "texts"};
static_assert(std::size(kGroups) == kPersonalGroups);

constexpr std::size_t kMostSearched = 65'536;  // bytes of a text that is searched; those of games are shorter
constexpr std::size_t kMostOfRemark = 4'096;   // bytes of a remark that is searched; those of Entente are shorter

/// Texts that programs write by themselves.
constexpr std::string_view kStockTexts[] = {"free for all",
                                            "capture the flag",
                                            "open free for all",
                                            "rabbit chase",
                                            "teams",
                                            "last tanks standing",
                                            "FFA",
                                            "Teams",
                                            "Experimental",
                                            "territory control",
                                            "Blue",
                                            "Green",
                                            "Red",
                                            "HELLO",
                                            "HELLOLAN",
                                            "HI"};

/// What notes and reasons of ours say, besides the reasons of losses and of ends.
constexpr std::string_view kOurs =
    "the tap could not keep up a world is not recorded text in it damaged its geometry known words and worlds messages "
    "of "
    "further links topics are channels begin another one frames file has no more recording was stopped by an order "
    "this "
    "continues continued clip redacted copy end here framing lost our back front ended session can be translated only "
    "from beginning which connection seed client server dialling for player link broke seat kept goes to somebody who "
    "there took up came waits on after ms up leaves arena does keep full not reached told refused kicked announced "
    "forwarded "
    "operator broke game rules byte its room room's left out bytes none translates word s players timed timeout "
    "s2c c2s stream datagram redacted names addresses texts replaced";

constexpr std::string_view kStockRules[] = {"speed",
                                            "turn_rate",
                                            "shot_speed",
                                            "shot_range",
                                            "reload",
                                            "refill",
                                            "respawn",
                                            "explode",
                                            "hits",
                                            "tick_s",
                                            "AOS.fog",
                                            "AOS.name1",
                                            "AOS.name2",
                                            "AOS.colour1",
                                            "AOS.colour2",
                                            "AOS.captures",
                                            "BZFLAG.angularAcceleration",
                                            "BZFLAG.linearAcceleration",
                                            "BZFLAG.maxFlags",
                                            "BZFLAG.options",
                                            "BZFLAG.shakeTimeout",
                                            "BZFLAG.shakeWins"};
constexpr std::string_view kStockValues[] = {"none", "fog",   "server", "victim", "client", "white", "black",
                                             "red",  "green", "blue",   "yellow", "true",   "false", "e"};
/// Of a server's statistics.
constexpr std::string_view kStockMembers[] = {
    "mode",        "update",    "playersTotal", "playersAlive", "playersSpect", "playersLimit", "limit",
    "internal",    "external",  "playing",      "spectating",   "name",         "gamemode",     "loadTime",
    "uptime",      "botsTotal", "border",       "game_mode",    "map",          "game_version", "players_current",
    "players_max", "clients",   "totalPlayers", "connections"};

template <class All>
bool among(const All& all, std::string_view one) {
  return std::find(std::begin(all), std::end(all), one) != std::end(all);
}

constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr bool is_of_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// Calls `word(text)` for each word and number, and `between(c)` for what is between them.
template <class Word, class Between>
void each_word(std::string_view text, Word&& word, Between&& between) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
    if (end > at)
      word(text.substr(at, end - at));
    else
      between(text[end++]);
    at = end;
  }
}

/// The numbers at its beginning, of at most three digits each: an address has four.
std::string version_of(std::string_view text) {
  const bool bzfs = text.starts_with("BZFS");
  if (bzfs || text.find('.') == text.npos) {
    const std::string_view number = text.substr(bzfs ? 4 : 0);
    const bool fits = !number.empty() && number.size() <= 4 && std::all_of(number.begin(), number.end(), is_digit);
    return fits ? std::string(text) : "";
  }
  std::string out;
  for (int part = 0; part < 3; ++part) {
    std::size_t size = 0;
    while (size < text.size() && is_digit(text[size])) ++size;
    if (size == 0 || size > 3) break;
    out += (out.empty() ? "" : ".") + std::string(text.substr(0, size));
    text.remove_prefix(size);
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return out;
}

/// How many bytes at its beginning are numbers that cannot be an address, as in "2.4.26.20231119-STABLE".
std::size_t numbers_of_version(std::string_view text) {
  const std::string_view numbers = text.substr(0, text.find_first_not_of("0123456789."));
  const auto dots = std::count(numbers.begin(), numbers.end(), '.');
  const bool dated = dots == 3 && numbers.size() - numbers.rfind('.') > 4;  // more than three digits
  return dots < 3 || dated ? numbers.size() : 0;
}

/// A variable, as bzfs or as words name it.
bool is_stock_rule(std::string_view name) {
  constexpr std::string_view kPrefix = "BZFLAG.";
  return among(kStockRules, name) ||
         bzflag::is_stock_variable(name.substr(name.starts_with(kPrefix) ? kPrefix.size() : 0));
}

/// An expression of numbers, stock variables and stock values.
bool is_stock_value(std::string_view value) {
  bool fits = value.size() <= 256;
  const auto in_number = [](char c) { return is_digit(c) || c == '.'; };
  for (std::size_t at = 0; fits && at < value.size();) {
    std::size_t end = at + 1;
    if (in_number(value[at])) {
      while (end < value.size() && in_number(value[end])) ++end;
      fits = std::count(value.begin() + static_cast<std::ptrdiff_t>(at),
                        value.begin() + static_cast<std::ptrdiff_t>(end), '.') <= 1;
    } else if (value[at] == '#') {
      while (end < value.size() && is_hex(value[end])) ++end;
      fits = end - at == 7;
    } else if (is_of_word(value[at])) {
      while (end < value.size() && is_of_word(value[end])) ++end;
      const std::string_view word = value.substr(at, end - at);
      fits = bzflag::is_stock_variable(word) || among(kStockValues, word);
    } else {
      fits = std::string_view("+-*/() ,").find(value[at]) != std::string_view::npos;
    }
    at = end;
  }
  return fits;
}

void add_number(double value, std::string& out) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// The numbers of a JSON object, and empty texts.
std::string statistics_of(std::string_view json) {
  google::protobuf::Struct all;
  if (json.size() > kMostSearched || !google::protobuf::util::JsonStringToMessage(std::string(json), &all).ok())
    return "{}";
  std::string out = "{";
  for (const std::string_view member : kStockMembers) {  // in our order
    const auto found = all.fields().find(std::string(member));
    if (found == all.fields().end()) continue;
    if (out.size() > 1) out += ',';
    json_text(member, out);
    out += ':';
    const google::protobuf::Value& value = found->second;
    const bool number = value.has_number_value() && std::isfinite(value.number_value());
    const bool mode = value.has_string_value() && among(kStockTexts, value.string_value());
    if (number)
      add_number(value.number_value(), out);
    else
      json_text(mode ? value.string_value() : "", out);
  }
  return out + "}";
}

bool is_pseudonym(std::string_view word) {
  for (const std::string_view begin : {"player", "host"})
    if (word.starts_with(begin) &&
        std::all_of(word.begin() + static_cast<std::ptrdiff_t>(begin.size()), word.end(), is_digit))
      return true;
  return word == "example" || word == "db8";
}

}  // namespace

const char* text(PersonalGroup kind) { return kGroups[static_cast<std::size_t>(kind)]; }

Censor::Censor(PersonalGroups keep) : keep_(keep) {
  const auto learn = [&](std::string_view text) {
    each_word(
        text, [&](std::string_view word) { vocabulary_.insert(lower_case(word)); }, [](char) {});
  };
  learn(kOurs);
  for (std::size_t i = 0; i < relay::kReasons; ++i) {
    learn(relay::text(static_cast<relay::Reason>(i)));
    learn(relay::telling(static_cast<relay::Reason>(i)).words);
  }
  for (const wire::Game* game : games()) {
    learn(game->name());
    for (const wire::DialectInfo& dialect : game->dialects()) learn(dialect.name);
    for (const wire::MappingLine& line : mapping_of(*game)) learn(line.message), learn(line.word), learn(line.reason);
  }
}

std::optional<std::string> Censor::text(Personal kind, std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto unless = [&](bool fits) { return fits ? std::nullopt : written(PersonalGroup::kTexts, text, ""); };
  switch (kind) {
    case Personal::kHarmless:
      return std::nullopt;
    case Personal::kName:
      return name(text);
    case Personal::kChat:
      return written(PersonalGroup::kChat, text, "[chat]");
    case Personal::kText:
      if (among(kStockTexts, text)) return std::nullopt;
      return written(PersonalGroup::kTexts, text, "[text]");
    case Personal::kMotto:
      return written(PersonalGroup::kMottos, text, "");
    case Personal::kPassword:
    case Personal::kToken: {
      const PersonalGroup what = kind == Personal::kPassword ? PersonalGroup::kPasswords : PersonalGroup::kTokens;
      if (keeps(what)) return std::nullopt;
      pseudonyms_.add_secret(text);
      return replaced(what, "***");
    }
    case Personal::kAddress:
      if (keeps(PersonalGroup::kAddresses)) return std::nullopt;
      return replaced(PersonalGroup::kAddresses, pseudonyms_.address(text));
    case Personal::kHost:
      if (keeps(PersonalGroup::kHosts)) return std::nullopt;
      return replaced(PersonalGroup::kHosts, "http://" + pseudonyms_.host(text) + "/");
    case Personal::kCode:
      return unless(text.size() <= 3 && std::all_of(text.begin(), text.end(), [](char c) {
                      return is_digit(c) || is_letter(c) || c == '*' || c == '+';
                    }));
    case Personal::kGame:
      return unless(std::any_of(games().begin(), games().end(), [&](const wire::Game* game) {
        return find_game(text) != nullptr || find_dialect(*game, text);
      }));
    case Personal::kVersion: {
      std::string version = version_of(text);
      if (version == text) return std::nullopt;
      if (!keeps(PersonalGroup::kTexts)) return replaced(PersonalGroup::kTexts, std::move(version));
      const std::size_t numbers = numbers_of_version(text);
      const auto rest = written(PersonalGroup::kTexts, text.substr(numbers), "");
      return rest ? std::optional(std::string(text.substr(0, numbers)) + *rest) : std::nullopt;
    }
    case Personal::kHash: {
      auto other = hash(text);
      if (other && *other == text) return std::nullopt;
      return other ? other : written(PersonalGroup::kTexts, text, "");
    }
    case Personal::kVariable:
      return unless(is_stock_rule(text));
    case Personal::kValue:
      return unless(is_stock_value(text));
    case Personal::kStatistics: {
      if (among(kStockTexts, text)) return std::nullopt;
      if (keeps(PersonalGroup::kTexts)) return written(PersonalGroup::kTexts, text, "{}");
      return replaced(PersonalGroup::kTexts, statistics_of(text));
    }
    default:
      return replaced(PersonalGroup::kTexts, "");
  }
}

/// Spaces at its ends, colours and control characters are not part of a name.
std::optional<std::string> Censor::name(std::string_view text) {
  std::string cleaned = clean(visible_text(text.substr(0, kMostSearched)));
  cleaned.erase(0, std::min(cleaned.find_first_not_of(' '), cleaned.size()));
  cleaned.resize(cleaned.find_last_not_of(' ') + 1);
  if (keeps(PersonalGroup::kNames)) return std::nullopt;
  if (cleaned.empty()) return replaced(PersonalGroup::kNames, "");
  return replaced(PersonalGroup::kNames, pseudonyms_.name(cleaned));
}

/// A line of chat without the arguments of a command, which may hold a password; also where the server repeats them.
std::string Censor::without_arguments(std::string_view text) {
  constexpr std::size_t kMostLinks = 65'536;
  if (is_command(text) && arguments_of(text) + 1 < text.size()) {
    if (echoes_.contains(link_) || echoes_.size() < kMostLinks) echoes_[link_].add_arguments(text);
    return std::string(text.substr(0, arguments_of(text))) + " ***";
  }
  const auto echoes = echoes_.find(link_);
  return echoes != echoes_.end() ? echoes->second.without(text, "***") : std::string(text);
}

/// A text that was written by people: replaced, or kept without what else is personal.
std::optional<std::string> Censor::written(PersonalGroup kind, std::string_view text, std::string with) {
  if (!keeps(kind) || pseudonyms_.overflowed() || text.size() > kMostSearched) return replaced(kind, std::move(with));
  std::string told = keeps(PersonalGroup::kPasswords) ? std::string(text) : without_arguments(text);
  if (!keeps(PersonalGroup::kPasswords) || !keeps(PersonalGroup::kTokens)) told = pseudonyms_.without_secrets(told);
  if (!keeps(PersonalGroup::kAddresses) || !keeps(PersonalGroup::kHosts))
    told = pseudonyms_.without_addresses(told, keeps(PersonalGroup::kAddresses), keeps(PersonalGroup::kHosts));
  if (!keeps(PersonalGroup::kNames)) told = pseudonyms_.without_names(told);
  if (told == text) return std::nullopt;
  return replaced(kind, std::move(told));
}

/// The hash itself, or that of what became of it; none: it is no hash. It may begin with a letter.
std::optional<std::string> Censor::hash(std::string_view text) const {
  const std::string_view digits = text.substr(text[0] == 't' || text[0] == 'p' ? 1 : 0);
  if (digits.empty() || digits.size() > 64 || !std::all_of(digits.begin(), digits.end(), is_hex)) return std::nullopt;
  const auto known = hashes_.find(digits);
  if (known == hashes_.end()) return std::string(text);
  return std::string(text.substr(0, text.size() - digits.size())) + known->second;
}

Pseudonyms::Ip4 Censor::ip4(const Pseudonyms::Ip4& ip) {
  if (keeps(PersonalGroup::kAddresses)) return ip;
  const Pseudonyms::Ip4 other = pseudonyms_.ip4(ip);
  if (other != ip) count(PersonalGroup::kAddresses);
  return other;
}

std::uint16_t Censor::port(std::uint16_t port) {
  return keeps(PersonalGroup::kAddresses) ? port : pseudonyms_.port(port);
}

std::string Censor::remark(std::string_view text) {
  for (std::size_t i = 0; i < relay::kReasons; ++i)
    if (text == relay::text(static_cast<relay::Reason>(i))) return std::string(text);
  const bool searchable = text.size() <= kMostOfRemark;
  if (searchable && keeps(PersonalGroup::kTexts))
    return written(PersonalGroup::kTexts, text, "").value_or(std::string(text));
  const std::string_view begin = searchable ? text : text.substr(0, text.rfind(' ', kMostOfRemark) + 1);
  std::string without = pseudonyms_.without_addresses(pseudonyms_.without_secrets(begin),
                                                      keeps(PersonalGroup::kAddresses), keeps(PersonalGroup::kHosts));
  if (!keeps(PersonalGroup::kNames)) without = pseudonyms_.without_names(without);
  std::string out;
  each_word(
      without,
      [&](std::string_view word) {
        const bool number = word.size() <= 9 && std::all_of(word.begin(), word.end(), is_digit);
        out += number || is_pseudonym(word) || vocabulary_.contains(lower_case(word)) ? word : "_";
      },
      [&](char c) { out += c; });
  if (!searchable) out += '_';
  if (out != text) count(PersonalGroup::kTexts);
  return out;
}

}  // namespace entente
