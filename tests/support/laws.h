// The laws that every codec of every game must keep, one function each. Tests call them for each game.
#pragma once

#include "adapters/wire/game.h"

namespace entente {

/// Invents `rounds` messages of every row of every dialect: each decodes as its own row and encodes to the same bytes.
void check_invented_messages_survive(const wire::Game& game, unsigned rounds);

/// Cuts, flips bits of, and extends invented frames. A damaged frame that still decodes encodes to a frame of the same
/// size. Any other is a Fault with an offset of at most the frame's size.
void check_damaged_messages_are_faults_or_exact(const wire::Game& game, unsigned rounds);

/// The committed adapters/<game>/FORMAT.md equals outline(). With ENTENTE_WRITE_FORMAT=1 in the environment, writes it.
void check_format_is_true(const wire::Game& game);

}  // namespace entente
