// ENet's range coder, where it pays. Law: a host sends datagrams as they are after one that hardly became smaller, and
// beyond a number per second; every ENet reads both. To compress a datagram costs more than three times what it costs to
// send it. Poses of players in play are floats, which become a tenth smaller; empty places of a World Update, and text,
// are worth it, for as many clients as a game has.
#pragma once

#include <enet/enet.h>

namespace entente::net {

/// From now on, the host compresses what it sends if that pays, and reads what is compressed.
/// False: no memory; the host is as before.
bool compress_with_range_coder(ENetHost& host);

}  // namespace entente::net
