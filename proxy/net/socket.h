// Making sockets: listening ones, datagram ones, and those that go to a server. All are non-blocking and close on exec.
// Law: what cannot be had is an Error that a person can act on; nothing here waits.
#pragma once

#include <cstdint>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/net/address.h"
#include "proxy/net/fd.h"

namespace entente::net {

/// A stream socket and a datagram socket on the same local port. `udp` may be empty.
struct Sockets {
  Fd tcp;
  Fd udp;
  Address address;  ///< where both are bound
};

/// Listens on `at`; if `with_udp`, also takes its UDP port (port 0: one that is free for both). An IPv6 address takes
/// IPv6 only: who wants both families names two listeners.
Outcome<Sockets> listen(const Address& at, bool with_udp);

/// A UDP socket at `at`, in `udp`, and nothing else.
Outcome<Sockets> listen_datagrams(const Address& at);

/// A UDP socket of its own port, connected to `server`, in `udp`.
Outcome<Sockets> datagrams_towards(const Address& server);

/// A TCP socket to go to `server`, not yet connecting. No `udp`.
Outcome<Sockets> stream_towards(const Address& server);

/// The same with a UDP socket on the same local port, already connected to the server's port. The low byte of that
/// local port is at least 4 (bzfs 2.4 compares a client's port byte-swapped and never links the others). A server that
/// cannot be reached at all is said by connecting the TCP socket.
Outcome<Sockets> pair_towards(const Address& server);

/// Sends small messages at once, keeps little in the kernel for a slow reader, and notices a peer that vanished (after
/// about two minutes of silence).
void set_stream_options(int fd);

/// Sends as much of `bytes` as the kernel takes at once, then ends our direction. What the peer still sends is to be
/// read, or the close becomes a reset.
void say_last(int fd, Bytes bytes);

Address local_address(int fd);
Address peer_address(int fd);

/// Whether `error` says that the process or the machine has no files or no memory left for another socket.
bool is_shortage(int error);

/// "what: strerror; hint", for errors of this kind.
Error machine_error(const std::string& what, int error, const std::string& hint);

}  // namespace entente::net
