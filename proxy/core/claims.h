// Where a player claims that his unit is, and where a unit is: two words of the same fields. And whether what a player
// says can be reckoned with. Law: what one of the two words says, the other says, too.
#pragma once

#include "proxy/core/word.h"

namespace entente::core {

words::Pose pose_of(const words::PoseClaim& claim);
words::PoseClaim claim_of(const words::Pose& pose);

/// Whether places and ways can be reckoned from it: none of its numbers is infinite, or none at all.
bool finite(const words::PoseClaim& claim);
bool finite(const Intent& intent);

}  // namespace entente::core
