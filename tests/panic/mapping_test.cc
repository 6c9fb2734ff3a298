// Panic's mapping is complete: no field of a message, and no kind of word, is without a line that says what becomes of
// it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "adapters/panic/faces.h"
#include "adapters/panic/panic.h"
#include "adapters/wire/invent.h"
#include "adapters/wire/print.h"
#include "proxy/core/word.h"

namespace entente::panic {
namespace {

using wire::Mapping;

std::string without_indices(std::string path) {
  for (std::size_t at; (at = path.find('[')) != std::string::npos;) path.erase(at, path.find(']', at) + 1 - at);
  return path;
}

bool told(const wire::Row& row, wire::Way way, const std::string& field) {
  return std::ranges::any_of(mapping(), [&](const Mapping& line) {
    return std::strcmp(line.message, row.name) == 0 && (line.ways & static_cast<std::uint8_t>(way)) != 0 &&
           (field == line.field || std::strcmp(line.field, "*") == 0);
  });
}

bool word_told(const std::string& kind, wire::Way way) {
  return std::ranges::any_of(mapping(), [&](const Mapping& line) {
    const std::string word = line.word;
    return (line.ways & static_cast<std::uint8_t>(way)) != 0 && word.substr(0, word.find('.')) == kind;
  });
}

template <class Word, std::size_t I = 0>
void check_kinds(wire::Way way) {
  if constexpr (I < std::variant_size_v<typename Word::Kind>) {
    const std::string kind = std::variant_alternative_t<I, typename Word::Kind>::descriptor()->name();
    CAPTURE(kind);
    CHECK(word_told(kind, way));
    check_kinds<Word, I + 1>(way);
  }
}

TEST_CASE("every field of every message has a line") {
  wire::Random random(4);
  for (std::size_t dialect = 0; dialect < game().dialects().size(); ++dialect) {
    const auto codec = game().codec(dialect);
    for (const wire::Row& row : codec->rows())
      for (const wire::Way way : {wire::Way::kToServer, wire::Way::kToClient})
        for (int round = 0; round < 20 && (row.ways & static_cast<std::uint8_t>(way)) != 0; ++round) {
          invent(row, way, *codec, random);
          for (const wire::Shown& shown : wire::show(*codec)) {
            CAPTURE(std::string(row.name) + " " + shown.path);
            CHECK(told(row, way, without_indices(shown.path)));
          }
        }
  }
}

TEST_CASE("every kind of word has a line") {
  check_kinds<core::Intent>(wire::Way::kToServer);
  check_kinds<core::Fact>(wire::Way::kToClient);
}

/// "Unit.pose.x" names a field of schema/game.proto, or none.
bool is_word(std::string_view path) {
  const auto* file = words::Fact::descriptor()->file();
  const google::protobuf::Descriptor* type = nullptr;
  for (bool first = true; !path.empty() || first; first = false) {
    const std::string name(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (first) {
      type = file->FindMessageTypeByName(name);
      if (type == nullptr) return false;
      continue;
    }
    const auto* field = type->FindFieldByName(name);
    if (field == nullptr) return false;
    type = field->message_type();
    if (type == nullptr) return path.empty();
  }
  return true;
}

TEST_CASE("every line is about a message, a field and a word that there are") {
  const auto codec = game().codec(0);
  for (const Mapping& line : mapping()) {
    CAPTURE(std::string(line.message) + " " + line.field + " " + line.word);
    const bool known = std::ranges::any_of(
        codec->rows(), [&](const wire::Row& row) { return std::strcmp(row.name, line.message) == 0; });
    CHECK((known || line.message[0] == '\0'));
    CHECK((line.message[0] == '\0') == (line.field[0] == '\0'));
    CHECK((line.word[0] == '\0' || is_word(line.word)));
    CHECK((line.fidelity == wire::Fidelity::kExact) == (line.reason[0] == '\0'));
  }
}

TEST_CASE("what is dropped is counted by the reason that stands in the table") {
  CHECK(std::string(reason_of("Say")) == "no chat");
  CHECK(std::string(reason_of("Step")) == "not known");
}

}  // namespace
}  // namespace entente::panic
