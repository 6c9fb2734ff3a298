// The mapping is complete: a line for every field of every message of 2.4, each way it travels, and for every kind
// of word; and it speaks of nothing that is not there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "adapters/bzflag/bzflag.h"
#include "adapters/wire/invent.h"
#include "adapters/wire/print.h"
#include "proxy/core/word.h"

namespace entente {
namespace {

using wire::Way;

std::string without_indices(const std::string& path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) out += c;
    if (c == ']') inside = false;
  }
  return out;
}

/// "Update>added.x", for every message that travels that way.
std::set<std::string> fields(Way way) {
  std::set<std::string> all;
  const auto codec = bzflag::game().codec(0);
  wire::Random random(7);
  for (const wire::Row& row : codec->rows()) {
    if ((row.dialects & 1U) == 0 || (row.ways & static_cast<std::uint8_t>(way)) == 0) continue;
    for (int round = 0; round < 60; ++round) {
      wire::invent(row, way, *codec, random);
      for (const wire::Shown& shown : wire::show(*codec))
        all.insert(std::string(row.name) + ">" + without_indices(shown.path));
    }
  }
  return all;
}

/// "MsgScore", for every message that travels that way.
std::set<std::string> messages(Way way) {
  std::set<std::string> all;
  const auto codec = bzflag::game().codec(0);
  for (const wire::Row& row : codec->rows())
    if ((row.dialects & 1U) != 0 && (row.ways & static_cast<std::uint8_t>(way)) != 0) all.insert(row.name);
  return all;
}

std::set<std::string> mapped(Way way) {
  std::set<std::string> all;
  for (const auto& line : bzflag::mapping())
    if ((line.ways & static_cast<std::uint8_t>(way)) != 0 && line.message[0] != '\0')
      all.insert(std::string(line.message) + ">" + line.field);
  return all;
}

TEST_CASE("bzflag: every message and field has a line, and no line speaks of another") {
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    const std::set<std::string> there = fields(way), all = messages(way), told = mapped(way);
    CHECK(there.size() > 40);
    for (const auto& field : there) {
      const std::string rest = field.substr(0, field.find('>')) + ">*";
      CHECK_MESSAGE((told.contains(field) || told.contains(rest)), "no line about ", field);
    }
    for (const auto& line : told) {
      const std::string message = line.substr(0, line.find('>')), field = line.substr(message.size() + 1);
      CHECK_MESSAGE(all.contains(message), "no such message: ", line);
      CHECK_MESSAGE((field.empty() || field == "*" || there.contains(line)), "no such field: ", line);
    }
    for (const auto& message : all) {
      const bool found = std::any_of(told.begin(), told.end(),
                                     [&](const std::string& line) { return line.starts_with(message + ">"); });
      CHECK_MESSAGE(found, "no line about ", message);
    }
  }
}

/// The names of all kinds of Word, and their descriptors.
template <class Word>
std::map<std::string, const google::protobuf::Descriptor*> kinds() {
  std::map<std::string, const google::protobuf::Descriptor*> all;
  [&]<class... T>(std::variant<T...>*) {
    (all.emplace(T::descriptor()->name(), T::descriptor()), ...);
  }(static_cast<typename Word::Kind*>(nullptr));
  return all;
}

TEST_CASE("bzflag: every kind of word has a line, and no line speaks of another") {
  const auto intents = kinds<core::Intent>(), facts = kinds<core::Fact>();
  std::set<std::string> told_up, told_down;
  for (const auto& line : bzflag::mapping()) {
    const std::string word = line.word, kind = word.substr(0, word.find('.'));
    const bool up = line.ways == static_cast<std::uint8_t>(Way::kToServer);
    CHECK_MESSAGE((line.fidelity == wire::Fidelity::kExact || std::strlen(line.reason) > 0), "no reason: ", word);
    if (kind.empty()) continue;
    (up ? told_up : told_down).insert(kind);
    const auto& all = up ? intents : facts;
    REQUIRE_MESSAGE(all.contains(kind), "no such word: ", word);
    if (kind != word)
      CHECK_MESSAGE(all.at(kind)->FindFieldByName(word.substr(kind.size() + 1)) != nullptr, "no such field: ", word);
  }
  for (const auto& entry : intents) CHECK_MESSAGE(told_up.contains(entry.first), "no line about ", entry.first);
  for (const auto& entry : facts) CHECK_MESSAGE(told_down.contains(entry.first), "no line about ", entry.first);
}

}  // namespace
}  // namespace entente
