// The datagrams of one session: from its client (the listener's socket hears them) to the server on a socket of the
// session's own, and back.
// Law: a datagram that may not pass is dropped and counted; it never ends a session, because its sender may be forged.
#pragma once

#include <optional>

#include "proxy/base/limits.h"
#include "proxy/net/udp.h"
#include "proxy/relay/admission/datagram_guard.h"
#include "proxy/relay/route.h"

namespace entente::relay {

class Datagrams final : private net::UdpReader::User {
 public:
  Datagrams(WorkerRoute& worker_route, const SessionInfo& session, const Limits& limits);

  /// `connected` goes to the server and has the local port of the session's TCP connection.
  bool open(net::Fd connected);
  void close();

  /// `from` is where the client wants its answers.
  void from_client(const net::Address& from, Bytes datagram);
  /// When the last one passed, either way.
  Millis moved() const { return moved_; }

 private:
  void datagram(const net::Address& from, Bytes bytes) override;

  WorkerRoute& worker_route_;
  const SessionInfo& session_;
  const std::size_t largest_;
  DatagramGuard guard_;
  Millis moved_;
  net::Fd server_;
  net::UdpReader reader_;
  std::optional<net::Address> client_;
};

}  // namespace entente::relay
