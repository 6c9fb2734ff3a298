// ENet's range coder, where it pays. Law: a datagram that it hardly made smaller has the next ones sent as they are;
// every ENet reads both. Poses of players in play are floats, which it makes a tenth smaller for more than three times
// the cost of sending them; empty places of a World Update, and text, are worth it.
#pragma once

#include <enet/enet.h>

namespace entente::net {

/// From now on, the host compresses what it sends if that pays, and reads what is compressed.
/// False: no memory; the host is as before.
bool compress_with_range_coder(ENetHost& host);

}  // namespace entente::net
