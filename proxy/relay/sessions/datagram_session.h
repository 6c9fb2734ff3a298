// One client's ENet connection through a relay that passes its datagrams: each goes on as it came, on a socket of the
// session's own towards the server, and back.
// Law: nothing waits here and nothing is sent again; a client is sent no more bytes than came from its address until it
// has shown that it gets them. A session ends when a disconnect has passed, when a side falls silent, or by the relay,
// which then tells both in ENet's own way.
#pragma once

#include <array>
#include <optional>

#include "proxy/base/limits.h"
#include "proxy/net/enet/enet_wire.h"
#include "proxy/net/udp.h"
#include "proxy/relay/admission/bucket.h"
#include "proxy/relay/inquiry.h"
#include "proxy/relay/route.h"

namespace entente::relay {

class DatagramSession final : private net::UdpReader::User {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The client gets what is sent to its address. Lets it in, or says why not.
    virtual std::optional<Reason> proven(DatagramSession& session) = 0;
    /// Destroy it at the end of the turn.
    virtual void done(DatagramSession& session) = 0;
  };

  /// `connect` stood in `datagram`, which the client sent first.
  DatagramSession(WorkerRoute& worker_route, Owner& owner, net::EnetUnpacker& unpacker, const Limits& limits,
                  const SessionInfo& info, const net::EnetCommand& connect, Bytes datagram);

  void start();
  void client_said(Bytes datagram);
  void tick(Millis now);
  /// Makes room for whoever comes from the same address now.
  void end(Reason reason);

  /// Asks for this very connection, once more.
  bool is(const net::EnetCommand& connect) const { return connect.connect_id == connect_.connect_id; }
  /// Why it is over, now that somebody asks for another connection from its address. Nothing: it is not, and whoever
  /// asks may be forging.
  std::optional<Reason> gives_way();
  /// Proven, and let in.
  bool proven() const { return proven_; }
  SessionReport report() const;
  void kick(std::string_view) { end(Reason::kKicked); }
  const SessionInfo& info() const { return info_; }

 private:
  /// The last datagram of a side, if it is small enough to be a disconnect.
  struct Said {
    static constexpr std::size_t kMost = 256;
    void keep(Bytes datagram);
    Bytes bytes() const { return Bytes(room).first(size); }
    std::array<std::uint8_t, kMost> room{};
    std::size_t size = 0;
    Millis at = 0;
  };

  void datagram(const net::Address& from, Bytes bytes) override;
  void reach_next();
  void answered(Bytes datagram);
  void pass(Bytes datagram);
  bool may_greet(Bytes datagram);
  bool proves(Bytes datagram);
  bool open();
  bool covers(Bytes datagram);
  std::optional<Reason> parted();
  std::optional<Reason> overdue(Millis now);
  void part(Reason reason);

  WorkerRoute& worker_route_;
  Owner& owner_;
  net::EnetUnpacker& unpacker_;
  const Limits limits_;
  SessionInfo info_;
  const net::EnetCommand connect_;
  const Buffer first_;
  Bucket pace_;
  net::Fd server_;
  net::UdpReader reader_;
  std::size_t next_server_ = 0;
  Said client_said_, server_said_;
  std::size_t credit_;                      // bytes that may go to a client that has proven nothing
  std::optional<std::uint16_t> to_server_;  // whom the client's datagrams are for, as the server told it
  std::uint16_t to_client_;                 // and the server's
  std::array<std::uint16_t, 8> told_at_{};  // when the server told it, in its own time
  std::size_t tellings_ = 0;
  std::uint64_t passed_ = 0;  // bytes of datagrams, both ways
  Millis began_, asked_ = 0;
  bool proven_ = false, ended_ = false;
};

}  // namespace entente::relay
