// The lines of a game's table about words that none of its messages says, found by the word's kind.
#pragma once

#include <array>
#include <span>

#include "proxy/base/mapping.h"
#include "proxy/core/session.h"

namespace entente::core {

/// For each kind of Word, in order: its line; null where a message says it.
template <class Word>
class Untold {
 public:
  explicit Untold(std::span<const Mapping> table) {
    [&]<class... T>(std::variant<T...>*) {
      lines_ = {find(table, name_of(T()))...};
    }(static_cast<typename Word::Kind*>(nullptr));
  }
  const Mapping* line(std::size_t kind) const { return lines_[kind]; }

 private:
  static const Mapping* find(std::span<const Mapping> table, std::string_view word) {
    for (const Mapping& line : table)
      if (*line.message == '\0' && line.word == word && line.fidelity == Fidelity::kDropped) return &line;
    return nullptr;
  }
  std::array<const Mapping*, std::variant_size_v<typename Word::Kind>> lines_{};
};

template <class T, class... All>
constexpr std::size_t index_of_kind(std::variant<All...>*) {
  std::size_t index = 0;
  (void)((std::is_same_v<T, All> || (++index, false)) || ...);
  return index;
}

// These count a word that no message of a game says, by its line in the game's table. A word that has none is not
// counted.

template <std::span<const Mapping> (*table)(), class Word>
const Mapping* untold_line(std::size_t kind) {
  static const Untold<Word> lines(table());
  return lines.line(kind);
}

template <std::span<const Mapping> (*table)()>
void lose_untold(const Intent& word, BackOut& out) {
  if (const Mapping* line = untold_line<table, Intent>(word.kind.index())) out.lose(*line);
}
template <std::span<const Mapping> (*table)()>
void lose_untold(const Fact& word, FrontOut& out) {
  if (const Mapping* line = untold_line<table, Fact>(word.kind.index())) out.lose(*line);
}
template <std::span<const Mapping> (*table)(), KindOf<FactKind> T>
void lose_untold(const T& /*kind*/, FrontOut& out) {
  constexpr FactKind* kKinds = nullptr;
  if (const Mapping* line = untold_line<table, Fact>(index_of_kind<T>(kKinds))) out.lose(*line);
}

}  // namespace entente::core
