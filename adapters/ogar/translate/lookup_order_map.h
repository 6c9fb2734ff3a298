// A map for values that come and go often and are looked up again and again in about the same order, such as the cells
// of a picture. Values are kept in one piece of memory, in the order of lookup, so that each is found next to the last
// one. They are sorted only after a round in which more than an eighth of the lookups found their value elsewhere,
// because making room for one moves all that follow.
// Invariant: removed values leave their memory to new ones. find(), add() and remove() move values; only keys identify
// them.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "proxy/base/keyed_hash.h"

namespace entente::ogar {

/// `Key`: an unsigned number.
template <class Key, class T>
class LookupOrderMap {
 public:
  struct Entry {
    Key key;
    T value;
  };

  /// Starts a new round of lookups.
  void begin_round() {
    sorts_ = strays_ * 8 > found_;
    strays_ = found_ = next_ = 0;
  }

  /// The value; null if there is none. Valid until the next call.
  T* find(Key key) {
    ++found_;
    const std::uint32_t ahead = sorts_ ? 1 : 2;  // a skipped entry was removed, or is elsewhere now
    for (std::uint32_t i = next_; i < size_ && i < next_ + ahead; ++i)
      if (entries_[i].key == key) return see(i);
    const auto at = places_.find(key);
    if (at == places_.end()) return nullptr;
    const std::uint32_t place = at->second;
    if (place < next_) return &entries_[place].value;  // looked up twice in this round, or skipped
    if (sorts_) {
      swap(place, next_);
      return see(next_);
    }
    ++strays_;
    return place < next_ + kNear ? see(place) : &entries_[place].value;
  }
  /// As find(), outside the rounds: moves nothing.
  const T* peek(Key key) const {
    const auto at = places_.find(key);
    return at != places_.end() ? &entries_[at->second].value : nullptr;
  }
  bool has(Key key) const { return places_.contains(key); }

  /// Adds a value, whose fields are left over from a removed one. REQUIRES: the key is new.
  T& add(Key key) {
    if (size_ == entries_.size()) entries_.emplace_back();
    places_[key] = static_cast<std::uint32_t>(size_);
    Entry& entry = entries_[size_++];
    entry.key = key;
    return entry.value;
  }

  /// Removes a value. The last value takes its place.
  void remove(Key key) {
    const auto at = places_.find(key);
    if (at == places_.end()) return;
    swap(at->second, static_cast<std::uint32_t>(--size_));
    places_.erase(key);
    if (entries_.size() > size_ + kMostSpare) entries_.pop_back();
  }

  void clear() {
    places_.clear();
    size_ = 0;
    strays_ = found_ = next_ = 0;
    if (entries_.size() > kMostSpare) entries_.resize(kMostSpare);
  }

  std::size_t size() const { return size_; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.begin() + static_cast<std::ptrdiff_t>(size_); }

 private:
  static constexpr std::size_t kMostSpare = 4096;
  static constexpr std::uint32_t kNear = 8;  // how many entries a round may skip because they are gone

  T* see(std::uint32_t place) {
    next_ = place + 1;
    return &entries_[place].value;
  }
  void swap(std::uint32_t a, std::uint32_t b) {
    if (a == b) return;
    std::swap(entries_[a], entries_[b]);
    places_[entries_[a].key] = a;
    places_[entries_[b].key] = b;
  }

  tsl::robin_map<Key, std::uint32_t, KeyedHash<Key>> places_;
  std::vector<Entry> entries_;  // the first size_ of them; the others are spare
  std::size_t size_ = 0;
  std::uint32_t next_ = 0;    // index of the entry that was looked up after the last one
  std::uint32_t found_ = 0;   // in this round
  std::uint32_t strays_ = 0;  // lookups of this round that found the value farther on
  bool sorts_ = false;        // in this round
};

}  // namespace entente::ogar
