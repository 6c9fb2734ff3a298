// Finds, by the kind of a word, the line of a game's mapping that says why the game has no message for it.
//
//   core::drop_unsupported<mapping>(word, out);   // mapping(): the game's table, wire/mapping.h
#pragma once

#include <array>
#include <span>

#include "proxy/base/mapping.h"
#include "proxy/core/drops.h"
#include "proxy/core/room_member.h"

namespace entente::core {

/// The line of each kind of word; null if the game has a message for it.
template <class Word>
class UnsupportedWords {
 public:
  explicit UnsupportedWords(std::span<const MappingLine> table) {
    [&]<class... T>(std::variant<T...>*) {
      lines_ = {find(table, name_of(T()))...};
    }(static_cast<typename Word::Kind*>(nullptr));
  }
  const MappingLine* line(std::size_t kind) const { return lines_[kind]; }

 private:
  static const MappingLine* find(std::span<const MappingLine> table, std::string_view word) {
    for (const MappingLine& line : table)
      if (*line.message == '\0' && line.word == word && line.fidelity == Fidelity::kDropped) return &line;
    return nullptr;
  }
  std::array<const MappingLine*, std::variant_size_v<typename Word::Kind>> lines_{};
};

/// The place of the message T in such a variant.
template <class T, class... All>
constexpr std::size_t index_of_kind(std::variant<All...>*) {
  std::size_t index = 0;
  (void)((std::is_same_v<T, All> || (++index, false)) || ...);
  return index;
}

/// Refuses a DeathClaim: the client already shows its player dead, and waits for the answer. Does nothing for other
/// intents.
inline void answer_death_claim(const Intent& intent, const char* why, BackOut& out) {
  if (as<words::DeathClaim>(intent) == nullptr) return;
  words::ClaimRefused refused;
  refused.set_why(why);
  out.say(Fact(intent.by, std::move(refused)));
}

// drop_unsupported() counts a word for which the game has no message. Whole Intents and Facts are counted only if they
// have a line. A single kind of fact without a line counts as kNoMessage, because its front neither handles it nor says
// why not.

template <std::span<const MappingLine> (*table)(), class Word>
const MappingLine* unsupported_line(std::size_t kind) {
  static const UnsupportedWords<Word> lines(table());
  return lines.line(kind);
}

template <std::span<const MappingLine> (*table)()>
void drop_unsupported(const Intent& word, BackOut& out) {
  const MappingLine* const line = unsupported_line<table, Intent>(word.content.index());
  if (line == nullptr) return;
  out.drop(*line);
  answer_death_claim(word, line->reason, out);
}
template <std::span<const MappingLine> (*table)()>
void drop_unsupported(const Fact& word, FrontOut& out) {
  if (const MappingLine* line = unsupported_line<table, Fact>(word.content.index())) out.drop(*line);
}
template <std::span<const MappingLine> (*table)(), KindOf<FactKind> T>
void drop_unsupported(const T& kind, FrontOut& out) {
  constexpr FactKind* kKinds = nullptr;
  const MappingLine* line = unsupported_line<table, Fact>(index_of_kind<T>(kKinds));
  if (line == nullptr) return out.drop(drops::kNoMessage, kind);
  out.drop(*line);
}

}  // namespace entente::core
