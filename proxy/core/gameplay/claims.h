// Where a player claims that a unit is (PoseClaim), and where it is (Pose).
// Invariant: pose_of() and claim_of() copy the fields that both words have, and check nothing; not_finite() does.
#pragma once

#include <string>

#include "proxy/core/word.h"

namespace entente::core {

words::Pose pose_of(const words::PoseClaim& claim);
words::PoseClaim claim_of(const words::Pose& pose);

/// Copies place (x, y, z) and motion into any word that has them. Metres, metres per second.
template <class Point, class Word>
void set_way(const Point& at, const Point& velocity, Word& word) {
  word.set_x(at[0]);
  word.set_y(at[1]);
  word.set_z(at[2]);
  word.set_vx(velocity[0]);
  word.set_vy(velocity[1]);
  word.set_vz(velocity[2]);
}

/// The first field that is not a finite number, such as "x". Empty: there is none.
std::string not_finite(const Intent& intent);

}  // namespace entente::core
