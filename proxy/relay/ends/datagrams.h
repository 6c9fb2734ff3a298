// Relays the datagrams of one session. The client's come through the listener's socket, the server's through a socket
// of the session.
// Invariant: a bad datagram is dropped and counted. It never ends a session, because its sender may be forged.
#pragma once

#include <memory>
#include <optional>

#include "proxy/base/limits.h"
#include "proxy/net/udp.h"
#include "proxy/relay/admission/datagram_filter.h"
#include "proxy/relay/faults/session_lab.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

class Datagrams final : private net::UdpReader::User, private LabLine::User {
 public:
  /// `rates`: as in EndOptions.
  Datagrams(WorkerRoute& worker_route, const LinkInfo& session, const Limits& limits,
            std::shared_ptr<SharedRates> rates);

  /// `connected` goes to `server` and has the local port of the session's TCP connection.
  bool open(net::Fd connected, const net::Address& server);
  void close();

  /// From now on, they go through this lab. `session`: the same of the session's stream; outlives this.
  void follow(const RunningLab& lab, SessionLab& session);
  /// Passes on at once what the lab delays.
  void pass_what_waits() {
    if (lab_) lab_->flush();
  }

  /// Passes on a datagram of the client. Answers go to `from`.
  void from_client(const net::Address& from, Bytes datagram);
  /// When the last one passed, either way.
  Millis last_passed() const { return last_passed_; }

 private:
  void datagram(const net::Address& from, Bytes bytes) override;
  void pass_to_server(Bytes datagram);
  void pass_to_client(Bytes datagram);
  void lab_passes(LabLine& line, const LabUnit& unit) override;
  void lab_keeps(LabLine& line, Bytes unit, std::uint32_t tag, bool altered) override;

  WorkerRoute& worker_route_;
  const LinkInfo& session_;
  const std::size_t largest_, high_water_;
  DatagramFilter filter_;
  Millis last_passed_;
  net::Fd server_;
  net::UdpReader reader_;
  std::optional<net::Address> client_;
  std::unique_ptr<LabLines> lab_;  // null: they pass at once
};

}  // namespace entente::relay
