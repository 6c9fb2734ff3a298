// Maps a game's own numbers to the room's ids, and back. Each room member has one map for each kind (players, units,
// flags).
// Invariant: one to one. A number that is reused for somebody else gets a new id.
#pragma once

#include <tsl/robin_map.h>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/word.h"

namespace entente::core {

/// `Number`: the type of the game's number: an integer.
template <class Number>
class IdMap {
 public:
  /// REQUIRES: both are free.
  void add(Number number, Id id) {
    to_id_[number] = id;
    to_number_[id] = number;
  }
  // Removing what is not in the map does nothing.
  void remove_number(Number number) {
    if (const Id id = this->id(number)) forget(number, id);
  }
  void remove_id(Id id) {
    if (const auto at = to_number_.find(id); at != to_number_.end()) forget(at->second, id);
  }
  void clear() {
    to_id_.clear();
    to_number_.clear();
  }

  /// 0 if the number is not in use.
  Id id(Number number) const {
    const auto at = to_id_.find(number);
    return at != to_id_.end() ? at->second : 0;
  }
  /// Null if the id is not in the map. Valid until the map changes.
  const Number* number(Id id) const {
    const auto at = to_number_.find(id);
    return at != to_number_.end() ? &at->second : nullptr;
  }
  Number number_or(Id id, Number otherwise) const {
    const Number* known = number(id);
    return known != nullptr ? *known : otherwise;
  }

  /// How many pairs it holds. Its owner limits them.
  std::size_t size() const { return to_id_.size(); }

 private:
  void forget(Number number, Id id) {
    to_id_.erase(number);
    to_number_.erase(id);
  }

  // Flat: a front looks up a unit's number for each fact about it, and a hundred fronts do not fit into a cache.
  tsl::robin_map<Number, Id, KeyedHash<Number>> to_id_;
  tsl::robin_map<Id, Number, KeyedHash<Id>> to_number_;
};

}  // namespace entente::core
