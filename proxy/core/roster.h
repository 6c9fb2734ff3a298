// The two names of everything that a game numbers: its own number on the wire, and the room's id. One roster for each
// sort (players, units, flags) of each session.
// Law: one to one; a number that is given to somebody else gets a new id.
#pragma once

#include <optional>
#include <unordered_map>

#include "proxy/core/word.h"

namespace entente::core {

/// `Wire`: the game's number; hashable.
template <class Wire>
class Roster {
 public:
  /// Both must be free.
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

  /// 0 if nobody has that number.
  Id id(Wire wire) const {
    const auto at = to_id_.find(wire);
    return at != to_id_.end() ? at->second : 0;
  }
  /// Null if the id is not in the roster. Good until it changes.
  const Wire* wire(Id id) const {
    const auto at = to_wire_.find(id);
    return at != to_wire_.end() ? &at->second : nullptr;
  }
  Wire wire_or(Id id, Wire otherwise) const {
    const Wire* known = wire(id);
    return known != nullptr ? *known : otherwise;
  }

  /// The lowest number from `first` to `last` that nobody has; nothing if all are taken.
  std::optional<Wire> free_number(Wire first, Wire last) const {
    for (Wire wire = first;; ++wire) {
      if (!to_id_.contains(wire)) return wire;
      if (wire == last) return std::nullopt;
    }
  }

  std::size_t size() const { return to_id_.size(); }

 private:
  void forget(Wire wire, Id id) {
    to_id_.erase(wire);
    to_wire_.erase(id);
  }

  std::unordered_map<Wire, Id> to_id_;
  std::unordered_map<Id, Wire> to_wire_;
};

}  // namespace entente::core
