// A game that no program speaks: one of every verb, and the settings a relay must honour. For tests of the floors below
// the real games.
#pragma once

#include "adapters/wire/game.h"

namespace entente::toy {

/// Frames: u8 length of the payload, u8 code, payload. Dialects: "big" and "little". The greeting is "TOY!" from the
/// client, answered with "toy" and an id byte.
const wire::Game& game();

/// The same over TCP alone.
const wire::Game& stream();

/// The same over TCP alone, without the greeting.
const wire::Game& ungreeted();

/// The same over a transport that keeps messages apart, without the greeting: each is a frame of any bytes.
const wire::Game& messages();

/// The same, but a packet holds one frame or several. Dialect n connects with 70 + n, an EnetParting is told as 30 +
/// its number, and "TOY?" is answered with itself, the server's name, its map (in a bridge: its game) and how many
/// play.
const wire::Game& packets();

}  // namespace entente::toy
