// ENet's range coder, used only where it is worth its cost. Invariant: after a datagram that hardly became smaller, the
// next few are sent uncompressed, as are all beyond a limit per second; every ENet reads both. Compressing a datagram
// costs more than three times as much as sending it. Poses of players in play are floats, which shrink by only a tenth.
// The empty places of a World Update, and text, shrink enough to be worth it. The limit is enough for all clients of a
// game.
#pragma once

#include <enet/enet.h>

namespace entente::net {

/// From now on, the host compresses what it sends if that pays, and reads what is compressed.
/// False: no memory; the host is as before.
bool compress_with_range_coder(ENetHost& host);

}  // namespace entente::net
