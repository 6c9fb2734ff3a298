// Maps a game's own numbers to the room's ids, and back. Each room member has one roster for each kind (players, units,
// flags).
// Law: one to one. A number that is reused for somebody else gets a new id.
#pragma once

#include <tsl/robin_map.h>

#include <optional>

#include "proxy/core/word.h"

namespace entente::core {

/// `Wire`: the type of the game's number; hashable.
template <class Wire>
class Roster {
 public:
  /// REQUIRES: both are free.
  void add(Wire wire, Id id) {
    to_id_[wire] = id;
    to_wire_[id] = wire;
  }
  void remove_wire(Wire wire) {
    if (const Id id = this->id(wire)) forget(wire, id);
  }
  void remove_id(Id id) {
    if (const auto at = to_wire_.find(id); at != to_wire_.end()) forget(at->second, id);
  }
  void clear() {
    to_id_.clear();
    to_wire_.clear();
  }

  /// 0 if the number is not in use.
  Id id(Wire wire) const {
    const auto at = to_id_.find(wire);
    return at != to_id_.end() ? at->second : 0;
  }
  /// Null if the id is not in the roster. Valid until the roster changes.
  const Wire* wire(Id id) const {
    const auto at = to_wire_.find(id);
    return at != to_wire_.end() ? &at->second : nullptr;
  }
  Wire wire_or(Id id, Wire otherwise) const {
    const Wire* known = wire(id);
    return known != nullptr ? *known : otherwise;
  }

  /// The lowest free number from `first` to `last`; nothing if all are taken.
  std::optional<Wire> free_number(Wire first, Wire last) const {
    for (Wire wire = first;; ++wire) {
      if (!to_id_.contains(wire)) return wire;
      if (wire == last) return std::nullopt;
    }
  }

  std::size_t size() const { return to_id_.size(); }

 private:
  /// A peer chooses the numbers: with their own bits as a hash, it could put all of them into one place.
  template <class Key>
  struct Mixed {
    std::size_t operator()(const Key& key) const {
      return (std::uint64_t{std::hash<Key>{}(key)} * 0x9e3779b97f4a7c15U) >> 32U;
    }
  };

  void forget(Wire wire, Id id) {
    to_id_.erase(wire);
    to_wire_.erase(id);
  }

  // Flat: a front looks up a unit's number for each fact about it, and a hundred fronts do not fit into a cache.
  tsl::robin_map<Wire, Id, Mixed<Wire>> to_id_;
  tsl::robin_map<Id, Wire, Mixed<Id>> to_wire_;
};

}  // namespace entente::core
