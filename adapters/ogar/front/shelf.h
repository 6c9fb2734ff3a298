// Values by key that come and go all the time, and are looked up in about the same order again and again, as those that
// a picture shows: they come to lie in that order, in one piece of memory, where each is found beside the last. They
// are put in order only once an eighth of what was found lay elsewhere: to make room for one moves all that follow it.
// Law: what is removed leaves its memory to what comes; find(), add() and remove() move values, and keys alone name
// them.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace entente::ogar {

/// `Key`: an unsigned number.
template <class Key, class T>
class Shelf {
 public:
  struct Entry {
    Key key;
    T value;
  };

  /// The next find() begins a new round.
  void begin_round() {
    sorts_ = strays_ * 8 > found_;
    strays_ = found_ = next_ = 0;
  }

  /// Null if there is none. Good until the next call.
  T* find(Key key) {
    ++found_;
    const std::uint32_t ahead = sorts_ ? 1 : 2;  // the one between is gone, or elsewhere now
    for (std::uint32_t i = next_; i < size_ && i < next_ + ahead; ++i)
      if (entries_[i].key == key) return see(i);
    const auto at = places_.find(key);
    if (at == places_.end()) return nullptr;
    const std::uint32_t place = at->second;
    if (place < next_) return &entries_[place].value;  // once more in this round, or passed over
    if (sorts_) {
      swap(place, next_);
      return see(next_);
    }
    ++strays_;
    return place < next_ + kNear ? see(place) : &entries_[place].value;
  }
  /// The same beside all rounds: moves nothing.
  const T* peek(Key key) const {
    const auto at = places_.find(key);
    return at != places_.end() ? &entries_[at->second].value : nullptr;
  }
  bool has(Key key) const { return places_.contains(key); }

  /// Its fields are whatever they were of another one. REQUIRES: there is none of this key.
  T& add(Key key) {
    if (size_ == entries_.size()) entries_.emplace_back();
    places_[key] = static_cast<std::uint32_t>(size_);
    Entry& entry = entries_[size_++];
    entry.key = key;
    return entry.value;
  }

  /// The last one takes its place.
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
  static constexpr std::uint32_t kNear = 8;  // so many may be gone at once, and the round goes on behind them

  /// Ids are counted up and marks are in the highest bits: all bits are to tell.
  struct Mix {
    std::size_t operator()(Key key) const { return (key * std::uint64_t{0x9e3779b97f4a7c15}) >> 32U; }
  };

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

  tsl::robin_map<Key, std::uint32_t, Mix> places_;
  std::vector<Entry> entries_;  // the first size_ of them; the others are spare
  std::size_t size_ = 0;
  std::uint32_t next_ = 0;    // where the one is that was looked up after the last one
  std::uint32_t found_ = 0;   // in this round
  std::uint32_t strays_ = 0;  // of them: farther on
  bool sorts_ = false;        // in this round
};

}  // namespace entente::ogar
