// Bytes that several fronts of a room send: encoded by the first, sent by all.
// Law: kept bytes stay in place until forget(). Bytes of one voice for consecutive words are adjacent, so that a
// link can send them as one piece.
#pragma once

#include <cstdint>
#include <vector>

#include "proxy/base/bytes.h"

namespace entente::core {

class Chorus {
 public:
  /// A new word is being delivered.
  void next_word() { ++word_; }

  /// The bytes kept for this voice and the current word; null: none. Valid until the next keep().
  const Bytes* said(const void* voice) const {
    for (const Voice& one : voices_)
      if (one.key == voice) return one.word == word_ ? &one.said : nullptr;
    return nullptr;
  }

  /// Copies them. `voice`: fronts with the same address send the same bytes.
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
