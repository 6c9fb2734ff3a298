// What fronts of one room say in the same bytes: encoded for the first of them, sent by all.
// Law: what was kept stays where it is until forget(), and what one voice said of words heard one after the other lies
// together, so that a link can send it as one piece.
#pragma once

#include <cstdint>
#include <vector>

#include "proxy/base/bytes.h"

namespace entente::core {

class Chorus {
 public:
  /// Another word is heard from now on.
  void next_word() { ++word_; }

  /// What was kept in this voice of the word that is heard; null: nothing. Good until the next call of keep().
  const Bytes* said(const void* voice) const {
    for (const Voice& one : voices_)
      if (one.key == voice) return one.word == word_ ? &one.said : nullptr;
    return nullptr;
  }

  /// Copies it. `voice`: who has the same address says the same bytes.
  Bytes keep(const void* voice, Bytes frame);

  /// How many were kept so far.
  std::uint64_t kept() const { return kept_; }

  void forget();

 private:
  struct Voice {
    const void* key;
    std::uint64_t word = 0;
    Bytes said{};
    std::vector<Buffer> pages{};  // none grows beyond what was reserved
    std::size_t page = 0;         // that is being written
  };

  std::vector<Voice> voices_;  // a handful
  std::uint64_t word_ = 1, kept_ = 0;
};

}  // namespace entente::core
