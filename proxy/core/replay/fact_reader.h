// A recorded session: the facts of one room in order, and its world at any time.
// Invariant: the same recording gives the same facts, and nothing that was not recorded.
#pragma once

#include <optional>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/core/world.h"

namespace entente::core {

/// Something in a recording that is worth going to.
struct Moment {
  Micros at = 0;
  words::Timeline::What what = words::Timeline::KILL;
  Id player = 0, by = 0;  ///< as in words::Timeline::Moment
};

class FactReader {
 public:
  virtual ~FactReader() = default;

  /// The time of the last fact; times of a recording begin at 0.
  virtual Micros end_time() const = 0;
  /// The earliest time that can be read. It grows where old facts are forgotten.
  virtual Micros first() const { return 0; }
  /// Whether the world is known from the beginning. Otherwise it is known from the fact Ready on.
  virtual bool begins_with_world() const { return false; }
  /// When the next fact was told. Nothing: at the end, or if the rest cannot be read. If it is after end_time(), the
  /// fact must not be taken yet.
  virtual std::optional<Micros> next_at() = 0;
  /// Whether the next fact comes from another session than the last one. Its world may differ, so call seek() before
  /// next().
  virtual bool next_is_other_session() const { return false; }
  /// Takes the next fact. REQUIRES: next_at() has a value, which is not after end_time().
  virtual Fact next() = 0;
  /// What is worth going to, in the order of time. If there are more moments than can be kept, only the first ones.
  virtual std::vector<Moment> moments() const { return {}; }
  /// Sets `world` to its state at `at`; next() continues after that time. An error says what cannot be read, and where.
  virtual Outcome<Done> seek(Micros at, WorldState& world) = 0;
};

}  // namespace entente::core
