// A game for tests only. Its messages use every verb of adapters/wire/fields.h, and it has the settings that a relay
// must respect. For tests of the layers below the real games.
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

/// The same, but over ENet, and a packet has one frame or several. Dialect n connects with the number 70 + n, and an
/// EnetParting is sent as 30 + its value. The answer to the query "TOY?" is the query, the server's name, its map (in a
/// bridge: its game) and the number of players.
const wire::Game& packets();

}  // namespace entente::toy
