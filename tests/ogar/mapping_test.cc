// The mapping is complete: a line for every field of every message of modern3, each way it travels, and for every kind
// of word; and it speaks of nothing that is not there.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>

#include "adapters/ogar/ogar.h"
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
  const auto codec = ogar::game().codec(0);
  wire::Random random(7);
  for (const wire::Row& row : codec->rows()) {
    if ((row.dialects & 1U) == 0 || (row.ways & static_cast<std::uint8_t>(way)) == 0) continue;
    for (int round = 0; round < 5000; ++round) {
      wire::invent(row, way, *codec, random);
      for (const wire::Shown& shown : wire::show(*codec))
        all.insert(std::string(row.name) + ">" + without_indices(shown.path));
    }
  }
  return all;
}

std::set<std::string> mapped(Way way) {
  std::set<std::string> all;
  for (const auto& line : ogar::mapping())
    if ((line.ways & static_cast<std::uint8_t>(way)) != 0 && line.message[0] != '\0' && line.field[0] != '\0')
      all.insert(std::string(line.message) + ">" + line.field);
  return all;
}

TEST_CASE("ogar: every field of every message has a line, and no line speaks of another") {
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    const std::set<std::string> there = fields(way), told = mapped(way);
    CHECK(there.size() > 5);
    for (const auto& field : there) CHECK_MESSAGE(told.contains(field), "no line about ", field);
    for (const auto& field : told) CHECK_MESSAGE(there.contains(field), "no such field: ", field);
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

TEST_CASE("ogar: every kind of word has a line, and no line speaks of another") {
  const auto intents = kinds<core::Intent>(), facts = kinds<core::Fact>();
  std::set<std::string> told_up, told_down;
  for (const auto& line : ogar::mapping()) {
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
  for (const auto& intent : intents) CHECK_MESSAGE(told_up.contains(intent.first), "no line about ", intent.first);
  for (const auto& fact : facts) CHECK_MESSAGE(told_down.contains(fact.first), "no line about ", fact.first);
}

}  // namespace
}  // namespace entente
