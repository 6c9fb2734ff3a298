// Splits the senders to a UDP port between two processes: the old process keeps its peers, the new one gets all others.
// Each peer of the old process gets a socket on the same port that is connected to it, and newcomers get a twin of the
// listening socket: Linux prefers a connected socket, and among equal ones the one that was bound last. Passing
// datagrams on from process to process was the alternative; it needs the newer process alive for the sessions of every
// older one, and ENet would have to read datagrams that did not come from its socket.
#pragma once

#include "proxy/net/address.h"
#include "proxy/net/fd.h"

namespace entente::net {

/// Another descriptor of the same socket. Empty: errno says why.
Fd copy_of(int fd);

/// A UDP socket for bind_twin(), also of another process that it was passed to. It receives nothing yet. Empty: errno
/// says why.
Fd udp_twin(int family);

/// Binds `twin` where `listening` is bound. From now on `listening` receives nothing more. It gets its datagrams back
/// if every copy of `twin` is closed. False, with errno: nothing has changed. Call refuse_twins() once each peer has
/// its socket: until then, any program of this machine can bind to the port.
bool bind_twin(int twin, int listening);

/// From now on nobody binds to the port of `twin`, not even udp_socket_for().
void refuse_twins(int twin);

/// Undoes bind_twin(): `twin` receives nothing more, even if other processes have copies of it.
void silence_twin(int twin);

/// A socket that receives what `peer` sends to `here`, the address where `listening` is bound. If that is the wildcard
/// address, the system's routes pick ours. The socket may already hold datagrams from others, so read their addresses,
/// too. Empty, with errno: nothing has changed.
Fd udp_socket_for(const Address& peer, const Address& here, int listening);

}  // namespace entente::net
