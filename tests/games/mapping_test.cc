// The mapping of every game is complete: it has a line for every field of every message in each direction, for each
// dialect that has a front or a back, and for every kind of word. No line is about anything else. Sessions count what
// they drop by these lines.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "adapters/registry.h"
#include "adapters/wire/invent.h"
#include "adapters/wire/print.h"
#include "proxy/core/word.h"

namespace entente::mapping_test {
namespace {

using google::protobuf::Descriptor;
using wire::Fidelity, wire::MappingLine, wire::Way;
using Names = std::set<std::string>;

// The messages invented of each row and way: kLeast in each dialect, and at most kMost more for fields that a line
// names and no message had. A field without a line is found if one of the first kLeast messages has it.
constexpr int kLeast = 300, kMost = 10'000;

/// Whether the line says what usually happens. The other lines are about drops in some situations.
bool holds_always(const MappingLine& line) { return line.fidelity != Fidelity::kDroppedSometimes; }

bool is_any(const char* name) { return std::string_view(name) == "*"; }

bool goes(const MappingLine& line, Way way) { return (line.ways & static_cast<std::uint8_t>(way)) != 0; }

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

bool bridges(const wire::Game& game, std::size_t dialect) {
  const core::Faces& faces = faces_of(game);
  return faces.has_front(dialect) || faces.has_back(dialect);
}

/// Whether `fields` has the field itself, or a part of it.
bool is_there(const Names& fields, const std::string& told) {
  return fields.contains(told) || std::any_of(fields.begin(), fields.end(),
                                              [&](const std::string& field) { return field.starts_with(told + "."); });
}

/// Calls back for each row of the dialect's messages that travel that way.
template <class Visit>
void for_each_row(const wire::Game& game, std::size_t dialect, Way way, Visit&& visit) {
  const auto codec = game.codec(dialect);
  wire::Random random(7);
  for (const wire::Row& row : codec->rows())
    if ((row.dialects >> dialect & 1U) != 0 && (row.ways & static_cast<std::uint8_t>(way)) != 0)
      visit(row, *codec, random);
}

/// Invents a message of the row, and adds its fields.
void add_fields(const wire::Row& row, Way way, wire::Codec& codec, wire::Random& random, Names& fields) {
  wire::invent(row, way, codec, random);
  for (const wire::Shown& shown : wire::show(codec)) fields.insert(without_indices(shown.path));
}

/// The fields of each message that travels that way; a rare field only if it is in `told`.
std::map<std::string, Names> fields_of(const wire::Game& game, Way way, const std::map<std::string, Names>& told) {
  std::map<std::string, Names> all;
  const auto for_each_bridged = [&](auto&& visit) {
    for (std::size_t dialect = 0; dialect < game.dialects().size(); ++dialect)
      if (bridges(game, dialect)) for_each_row(game, dialect, way, visit);
  };
  for_each_bridged([&](const wire::Row& row, wire::Codec& codec, wire::Random& random) {
    for (int i = 0; i < kLeast; ++i) add_fields(row, way, codec, random, all[row.name]);
  });
  for_each_bridged([&](const wire::Row& row, wire::Codec& codec, wire::Random& random) {
    Names& fields = all[row.name];
    const auto at = told.find(row.name);
    const auto lacks_one = [&] {
      return at != told.end() && std::any_of(at->second.begin(), at->second.end(), [&](const std::string& field) {
               return !field.empty() && field != "*" && !is_there(fields, field);
             });
    };
    for (int i = 0; i < kMost && lacks_one(); ++i) add_fields(row, way, codec, random, fields);
  });
  return all;
}

/// Whether a line is about the field, about a field that contains it, or about all other fields ("*").
bool covers(const Names& told, std::string field) {
  for (; !field.empty(); field.erase(field.find('.') == std::string::npos ? 0 : field.rfind('.')))
    if (told.contains(field)) return true;
  return told.contains("*");
}

/// The fields that the table names for each message that travels that way. `always`: only by lines about what usually
/// happens.
std::map<std::string, Names> told_of(std::span<const MappingLine> table, Way way, bool always) {
  std::map<std::string, Names> all;
  for (const MappingLine& line : table)
    if (goes(line, way) && *line.message != '\0' && !is_any(line.message) && (holds_always(line) || !always))
      all[line.message].insert(line.field);
  return all;
}

/// Whether a later dialect has that field.
bool in_other_dialect(const wire::Game& game, Way way, const std::string& message, const std::string& field) {
  Names fields;
  for (std::size_t dialect = 1; dialect < game.dialects().size(); ++dialect)
    for_each_row(game, dialect, way, [&](const wire::Row& row, wire::Codec& codec, wire::Random& random) {
      for (int i = 0; i < kLeast && row.name == message; ++i) add_fields(row, way, codec, random, fields);
    });
  return fields.contains(field);
}

/// The start of a failure's text, such as "panic c2s: ".
std::string about_of(const wire::Game& game, Way way) { return std::string(game.name()) + " " + text(way) + ": "; }

void check_fields(const wire::Game& game, Way way) {
  const std::string about = about_of(game, way);
  const auto told = told_of(mapping_of(game), way, true), all_told = told_of(mapping_of(game), way, false);
  const auto there = fields_of(game, way, all_told);
  for (const auto& one : there) {
    const std::string& message = one.first;  // no bindings: clang 14 cannot capture them
    const auto& fields = one.second;
    const auto at = told.find(message);
    if (at == told.end()) {
      CHECK_MESSAGE(fields.empty(), about, "no line about ", message);
      continue;
    }
    for (const std::string& field : fields)
      CHECK_MESSAGE(covers(at->second, field), about, "no line about ", message, ".", field);
  }
  for (const auto& one : all_told) {
    const std::string& message = one.first;
    const auto& fields = one.second;
    CHECK_MESSAGE(there.contains(message), about, "no such message: ", message);
    if (!there.contains(message)) continue;
    for (const std::string& field : fields)
      CHECK_MESSAGE((field.empty() || field == "*" || is_there(there.at(message), field) ||
                     in_other_dialect(game, way, message, field)),
                    about, "no such field: ", message, ".", field);
  }
}

/// The kinds of Word by name.
template <class Word>
std::map<std::string, const Descriptor*> kinds() {
  std::map<std::string, const Descriptor*> all;
  [&]<class... T>(std::variant<T...>*) {
    (all.emplace(T::descriptor()->name(), T::descriptor()), ...);
  }(static_cast<typename Word::Kind*>(nullptr));
  return all;
}

/// Whether "pose.x" is a field of `type`.
bool has_field(const Descriptor* type, std::string_view path) {
  while (type != nullptr && !path.empty()) {
    const std::string name(path.substr(0, path.find('.')));
    const auto* field = type->FindFieldByName(name);
    if (field == nullptr) return false;
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    type = field->message_type();
  }
  return path.empty();
}

template <class Word>
void check_words(const wire::Game& game, Way way) {
  const std::string about = about_of(game, way);
  const auto all = kinds<Word>();
  Names told;
  for (const MappingLine& line : mapping_of(game)) {
    const bool both = goes(line, Way::kToServer) && goes(line, Way::kToClient);
    if (!goes(line, way) || *line.word == '\0' || is_any(line.word)) continue;
    if (both && !all.contains(std::string(line.word).substr(0, std::string(line.word).find('.')))) continue;
    const std::string word = line.word, kind = word.substr(0, word.find('.'));
    if (holds_always(line)) told.insert(kind);
    CHECK_MESSAGE(all.contains(kind), about, "no such word: ", word);
    if (all.contains(kind) && kind != word)
      CHECK_MESSAGE(has_field(all.at(kind), std::string_view(word).substr(kind.size() + 1)), about,
                    "no such field: ", word);
  }
  for (const auto& one : all) CHECK_MESSAGE(told.contains(one.first), about, "no line about ", one.first);
}

template <class Check>
void for_each_mapped(Check&& check) {
  for (const wire::Game* game : games())
    if (!mapping_of(*game).empty()) check(*game);
}

TEST_CASE("every field of every message has a line in its game's mapping, and no line is about anything else") {
  for_each_mapped([](const wire::Game& game) {
    for (const Way way : {Way::kToServer, Way::kToClient}) check_fields(game, way);
  });
}

TEST_CASE("every kind of word has a line in every mapping, and no line is about anything else") {
  for_each_mapped([](const wire::Game& game) {
    check_words<core::Intent>(game, Way::kToServer);
    check_words<core::Fact>(game, Way::kToClient);
  });
}

TEST_CASE("a line that is not exact has a reason") {
  for_each_mapped([](const wire::Game& game) {
    for (const MappingLine& line : mapping_of(game))
      CHECK_MESSAGE((line.fidelity == Fidelity::kExact || std::strlen(line.reason) > 0), game.name(), ": ",
                    line.message, ".", line.field, " ", line.word);
  });
}

TEST_CASE("a line about occasional drops names either a message or a word, and no two lines are equal") {
  for_each_mapped([](const wire::Game& game) {
    std::set<std::string> seen;
    for (const MappingLine& line : mapping_of(game)) {
      if (holds_always(line)) continue;
      const std::string said = std::to_string(line.ways) + " " + subject(line) + ": " + line.reason;
      CHECK_MESSAGE((*line.message == '\0') != (*line.word == '\0'), game.name(), ": ", said);
      CHECK_MESSAGE(seen.insert(said).second, game.name(), ": twice: ", said);
    }
  });
}

TEST_CASE("a game has a mapping if and only if it has a front or a back") {
  for (const wire::Game* game : games()) {
    const core::Faces& faces = faces_of(*game);
    CHECK_MESSAGE((faces.front == nullptr && faces.back == nullptr) == mapping_of(*game).empty(), game->name());
  }
}

}  // namespace
}  // namespace entente::mapping_test
