// Bytes that several fronts of a room send: encoded by the first, sent by all.
// Law: kept bytes stay in place until forget(). Bytes of one key for consecutive words are adjacent, so that a link
// can send them as one piece.
#pragma once

#include <cstdint>
#include <vector>

#include "proxy/base/bytes.h"

namespace entente::core {

class SharedFrames {
 public:
  /// A new word is being delivered.
  void next_word() { ++word_; }

  /// The bytes kept under this key for the current word; null: none. Valid until the next keep().
  const Bytes* find(const void* key) const {
    for (const Entry& one : entries_)
      if (one.key == key) return one.word == word_ ? &one.frame : nullptr;
    return nullptr;
  }

  /// Copies them. `key`: fronts with the same key send the same bytes.
  Bytes keep(const void* key, Bytes frame);

  /// How many were kept so far.
  std::uint64_t kept() const { return kept_; }

  void forget();

 private:
  struct Entry {
    const void* key;
    std::uint64_t word = 0;
    Bytes frame{};
    std::vector<Buffer> pages{};  // none grows beyond what was reserved
    std::size_t page = 0;         // the page that is being written
  };

  std::vector<Entry> entries_;  // a handful
  std::uint64_t word_ = 1, kept_ = 0;
};

}  // namespace entente::core
