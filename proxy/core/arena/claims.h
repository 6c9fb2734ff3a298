// Where a player claims that his unit is, and where a unit is: two words of the same fields. And whether what a player
// says can be reckoned with. Law: what one of the two words says, the other says, too.
#pragma once

#include "proxy/core/word.h"

namespace entente::core {

words::Pose pose_of(const words::PoseClaim& claim);
words::PoseClaim claim_of(const words::Pose& pose);

/// Where it is (x, y, z) and how it moves, into any word that says so. Metres, metres a second.
template <class Point, class Word>
void set_way(const Point& at, const Point& velocity, Word& word) {
  word.set_x(at[0]);
  word.set_y(at[1]);
  word.set_z(at[2]);
  word.set_vx(velocity[0]);
  word.set_vy(velocity[1]);
  word.set_vz(velocity[2]);
}

/// Whether places and ways can be reckoned from it: none of its numbers is infinite, or none at all.
bool finite(const Intent& intent);

}  // namespace entente::core
