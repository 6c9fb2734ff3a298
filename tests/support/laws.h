// The laws that every codec of every game must keep, as one function a law; tests call them for each game and dialect.
#pragma once

#include "adapters/wire/game.h"

namespace entente {

/// Invents `rounds` messages of every row of every dialect: each decodes as its own row and encodes to the same bytes.
void check_invented_messages_survive(const wire::Game& game, unsigned rounds);

/// Cuts and flips invented frames: whatever then still decodes, encodes to the same bytes; the rest is a Fault whose
/// offset lies inside the frame.
void check_damaged_messages_are_faults_or_exact(const wire::Game& game, unsigned rounds);

/// The committed adapters/<game>/FORMAT.md is what outline() says. ENTENTE_WRITE_FORMAT=1 in the environment writes it.
void check_format_is_true(const wire::Game& game);

}  // namespace entente
