// A game for tests of the layers below the real games. Its messages use every verb of adapters/wire/fields.h, and it
// has the settings that a relay must respect.
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

/// The same over WebSocket, without the greeting. Each message is one frame of any bytes.
const wire::Game& messages();

/// The same over ENet. A packet has one or more frames. The connect data of dialect n is 70 + n. An Parting is sent
/// as 30 + its value. The answer to the query "TOY?" is the query, the server's name, its map (in a
/// bridge: its game) and the number of players.
const wire::Game& packets();

}  // namespace entente::toy
