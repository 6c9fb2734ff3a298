// Where a player claims that his unit is, and where a unit is: two words of the same fields.
// Law: what one of them says, the other says, too.
#pragma once

#include "schema/game.pb.h"

namespace entente::core {

words::Pose pose_of(const words::PoseClaim& claim);
words::PoseClaim claim_of(const words::Pose& pose);

}  // namespace entente::core
