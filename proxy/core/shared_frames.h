// Bytes that several fronts of a room send: encoded by the first, sent by all.
//
//   frames.next_word();                                                      // the room delivers a fact
//   if (const SharedBytes* known = frames.find(&kKey)) return lend(*known);  // in each front
//   lend(frames.add(&kKey, encoded));
//
// Invariant: kept bytes stay in place until forget(), and as long as somebody keeps their owner. Bytes of one key for
// consecutive words are adjacent, so that a link can send them as one piece. The same map is kept once for each key.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proxy/base/shared_bytes.h"
#include "proxy/core/word.h"

namespace entente::core {

/// Of one room, on its thread.
class SharedFrames {
 public:
  /// A new word is being delivered.
  void next_word() { ++word_; }

  /// The bytes kept under this key for the current word; null: none. Valid until the next add().
  const SharedBytes* find(const void* key) const {
    for (const Entry& one : entries_)
      if (one.key == key) return one.word == word_ ? &one.frame : nullptr;
    return nullptr;
  }

  /// Copies them. `key`: fronts with the same key send the same bytes. Valid until the next add().
  const SharedBytes& add(const void* key, Bytes frame);

  // Maps: everything that is kept between begin_map() and end_map().
  /// The frames of the map with this version; null: it must be encoded. Valid until forget().
  const std::vector<SharedBytes>* find_map(const void* key, std::uint64_t version, Micros now);
  void begin_map(const void* key, std::uint64_t version);
  /// `whole`: all of it was kept.
  void end_map(bool whole, Micros now);
  /// How long a map is kept after it was last sent. Whoever joins later has it encoded again.
  static constexpr Micros kMapStays = 10 * kSecond;

  /// How many were added so far.
  std::uint64_t encoded() const { return encoded_; }

  void forget(Micros now);

 private:
  struct Entry {
    const void* key;
    std::uint64_t word = 0;
    SharedBytes frame{};
    std::vector<std::shared_ptr<Buffer>> pages{};  // none grows beyond what was reserved
    std::size_t page = 0;                          // the page that is being written
  };
  struct Map {
    const void* key;
    std::uint64_t version;
    std::vector<SharedBytes> frames{};
    Micros used = 0;
  };

  std::vector<Entry> entries_;  // a handful
  std::vector<Map> maps_;       // at most one for each key
  std::optional<Map> recorded_;
  std::uint64_t word_ = 1, encoded_ = 0;
};

}  // namespace entente::core
