// The ids and the random numbers that a room gives its members.
// Invariant: no id is given twice, until all have been given once; then, none that is in use.
#pragma once

#include <random>

#include "proxy/core/world.h"

namespace entente::core {

/// The largest id of a room. A front may use larger numbers for what its client alone knows. A room that has given all
/// ids (after 50 days, if there are 500 new units a second) begins again, with those that nobody has.
inline constexpr Id kLastId = 0x7fffffff;

class Numbers {
 public:
  /// The first id is the one after `after`.
  Numbers(std::uint32_t seed, Id after) : random_(seed), last_(after) {}

  std::uint32_t random() { return static_cast<std::uint32_t>(random_()); }

  /// `is_used(id)`: whether somebody has it.
  template <class IsUsed>
  Id next_id(const IsUsed& is_used) {
    do {
      if (last_ >= kLastId) {
        last_ = 0;
        again_ = true;
      }
      ++last_;
    } while (again_ && is_used(last_));
    return last_;
  }

  /// Gives ids that another room does not give, until it has given `ahead` more.
  void go_on_after(const Numbers& other, Id ahead) {
    last_ = other.last_ + ahead;
    again_ = other.again_ || last_ > kLastId;
  }

 private:
  std::mt19937 random_;
  Id last_;
  bool again_ = false;  // all ids were given once
};

/// Whether a player, unit or token of the world has this id.
inline bool has_id(const WorldState& world, Id id) {
  return world.player(id) != nullptr || world.unit(id) != nullptr || world.token(id) != nullptr;
}

}  // namespace entente::core
