// Creates sockets: listening, datagram, and connecting. All are non-blocking and close-on-exec.
// Invariant: a failure is an Error that a person can act on. Nothing here waits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/address.h"
#include "proxy/net/fd.h"

namespace entente::net {

/// A stream socket and a datagram socket on the same local port. `udp` may be empty.
struct Sockets {
  Fd tcp;
  Fd udp;
  Address address;  ///< where both are bound
};

/// The address that a connection of ours comes from.
struct Source {
  Address address;       ///< its port is ignored; a wildcard: the one that the routes pick
  bool foreign = false;  ///< not of this machine: needs IP_TRANSPARENT, and so CAP_NET_ADMIN
};

/// Whether `error` means that the process or the machine has no descriptors or memory for another socket.
bool is_shortage(int error);
/// Whether it means a shortage, or that no local port is left (EADDRINUSE).
bool is_exhaustion(int error);
/// What an operator can do. REQUIRES: is_exhaustion().
const char* hint_for_exhaustion(int error);

/// Why there are no sockets.
struct SocketError : Error {
  int code = 0;  ///< an errno
  /// This machine lacks what a socket needs, so no other server can be reached either.
  bool is_exhaustion() const { return net::is_exhaustion(code); }
};
/// "what: strerror; hint", about a socket from `source` towards a server.
SocketError towards_error(const std::string& what, int error, const Source& source);
using NewSockets = Expected<Sockets, SocketError>;

/// Binds a socket of our own to `source`, at any free port. False, with errno, if that fails.
bool bind_source(int fd, const Source& source);

/// Listens on `at`; with `with_udp` also binds its UDP port (port 0: one that is free for both). [::] accepts
/// IPv4, too, unless `only_v6`. Sockets that the service manager passed are used instead of
/// new ones, here and below.
Outcome<Sockets> listen(const Address& at, bool with_udp, bool only_v6 = false);

/// A UDP socket bound to `at`, in `udp`; no TCP socket.
Outcome<Sockets> listen_datagrams(const Address& at);

/// Why no program can listen on this address of this machine, whatever the port: for example, the machine lacks the
/// address. nullopt: a program can. Takes no port.
std::optional<Error> objection_to_address(const Address& at);

/// Why this process may not listen on this port: it lacks the right. nullopt: it may, or something else is wrong. A
/// program that listens there with SO_REUSEADDR keeps the port.
std::optional<Error> objection_to_port(const Address& at);

// Sockets towards a server. If that fails, another server may be tried unless SocketError::is_exhaustion().

/// A UDP socket with its own port, connected to `server`, in `udp`.
NewSockets datagrams_towards(const Address& server, const Source& source = {});

/// A TCP socket for connecting to `server`; it does not connect yet. No `udp`.
NewSockets stream_towards(const Address& server, const Source& source = {});

/// As stream_towards(), with a UDP socket on the same local port, already connected to the server's port. The low byte
/// of the local port is at least 4: bzfs 2.4 compares a client's port byte-swapped and never links others. If the
/// server is unreachable, connecting the TCP socket reports it.
NewSockets pair_towards(const Address& server, const Source& source = {});

/// Begins to connect a socket of stream_towards() or pair_towards(). 0, or an errno that says why not. EADDRINUSE: no
/// local port is free towards this address, so try again with another socket, or another address. EADDRNOTAVAIL: this
/// machine has no address from which `to` can be reached.
int connect_stream(int fd, const Address& to);

/// Configures a connection: sends small messages at once, buffers little in the kernel for a slow reader, and
/// notices a vanished peer: after two minutes of silence, or two minutes after bytes that it does not acknowledge. So a
/// peer that reads nothing for two minutes is cut, too.
void set_stream_options(int fd);

/// Closing the connection resets it: the peer gets no end, and what is on its way is lost.
void reset_on_close(int fd);

/// Limits how long each call on a blocking socket waits: to connect, to send, to receive.
void limit_waiting(int fd, Millis most);

/// Sends as much of `bytes` as the kernel accepts at once, then ends our direction. What the peer still sends must
/// be read, otherwise closing resets the connection.
void say_last(int fd, Bytes bytes);
/// Discards what has arrived, up to 64 KiB, without waiting.
void drop_received(int fd);

/// Whether the peer of a stream connection has closed its direction or has gone, as far as the kernel can tell,
/// whatever it sent before. Does not wait.
bool peer_has_ended(int fd);
/// The same for each of these connections, with one system call.
std::vector<bool> peers_have_ended(std::span<const int> fds);

Address local_address(int fd);
Address peer_address(int fd);

/// "what: strerror; hint", for errors of this kind.
Error machine_error(const std::string& what, int error, const std::string& hint);
/// The same, with hint_for_exhaustion() if that fits the error; otherwise, without a hint.
Error lack_error(const std::string& what, int error);

}  // namespace entente::net
