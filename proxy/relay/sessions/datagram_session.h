// One client's ENet connection in mode=datagrams. Its datagrams pass unchanged, through a UDP socket of this session to
// the server and back.
// Invariant: nothing is queued or retransmitted. Until the client has proven its address, it is sent no more bytes than
// came from there. A session ends after a disconnect, after a silence, or by the relay, which then sends an ENet
// disconnect to both sides.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "proxy/base/limits.h"
#include "proxy/net/enet/enet_wire.h"
#include "proxy/net/udp.h"
#include "proxy/relay/admission/bucket.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/base/inquiry.h"
#include "proxy/relay/ends/datagram_inbox.h"
#include "proxy/relay/ends/outgoing.h"
#include "proxy/relay/faults/session_lab.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

class DatagramSession final : private net::UdpReader::User, private DatagramInbox::User, private LabLine::User {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The client has proven its address. Admits it, or returns why not.
    virtual std::optional<Reason> proven(DatagramSession& session) = 0;
    /// Destroy it at the end of the turn.
    virtual void done(DatagramSession& session) = 0;
  };

  /// `connect` stood in `datagram`, which the client sent first.
  DatagramSession(WorkerRoute& worker_route, Owner& owner, net::EnetUnpacker& unpacker, const Limits& limits,
                  const LinkInfo& info, const net::EnetCommand& connect, Bytes datagram);

  void start();
  /// A datagram of the client. It is dealt with now, or when it is the turn of the client's address.
  void client_said(Bytes datagram);
  void tick(Millis now);
  /// WorkerRoute::lab has changed.
  void lab_changed();
  /// Ends the session at once. Its address is then free for a new connection.
  void end(Reason reason);

  /// Whether `connect` is this session's own connect, sent again.
  bool is(const net::EnetCommand& connect) const { return connect.connect_id == connect_.connect_id; }
  /// Another connect came from this session's address. Returns the reason if the session may end for it. Nothing: the
  /// session is alive, and the connect may be forged.
  std::optional<Reason> gives_way();
  /// Proven, and let in.
  bool proven() const { return proven_; }
  SessionReport report() const;
  bool listed() const { return !ended_; }
  void send_away(Reason reason, std::string_view) { end(reason); }
  void move(const std::shared_ptr<MoveOrder>& order) {
    order->answer_stays("a relay of datagrams cannot send messages to its players");
  }
  void end_drained(std::string_view) { end(Reason::kDrained); }
  bool leave_server(std::string_view server, std::string_view) {
    if (!server_ || walk_.server().name != server) return false;
    end(Reason::kDrained);
    return true;
  }
  AnnounceResult say(std::string_view) {
    return worker_route_.route.options->announce ? AnnounceResult::kCannot : AnnounceResult::kOff;
  }
  const LinkInfo& info() const { return info_; }
  WorkerRoute& worker_route() { return worker_route_; }

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
  void take_datagram(const net::Address& from, Bytes bytes) override;
  void reach_next();
  void try_server();
  void answered(Bytes datagram);
  void pass(Bytes datagram);
  void pass_to_server(Bytes datagram);
  void pass_to_client(Bytes datagram);
  void lab_passes(LabLine& line, const LabUnit& unit) override;
  void lab_keeps(LabLine& line, Bytes unit, std::uint32_t tag, bool altered) override;
  bool may_greet(Bytes datagram);
  bool proves(Bytes datagram);
  bool open();
  bool covers(Bytes datagram);
  std::optional<Reason> parted();
  std::optional<Reason> overdue(Millis now);
  void part(Reason reason);

  WorkerRoute& worker_route_;
  const Route::Ref route_ref_{worker_route_.route};
  Owner& owner_;
  net::EnetUnpacker& unpacker_;
  const Limits limits_;
  LinkInfo info_;
  const net::EnetCommand connect_;
  const Buffer first_;
  Bucket pace_;
  std::shared_ptr<SharedRates> address_rates_;  // of all clients of its address; null until it is proven
  net::Fd server_;
  net::UdpReader reader_;
  Said client_said_, server_said_;
  std::size_t credit_;                        // bytes that an unproven client may still be sent
  std::optional<std::uint16_t> server_peer_;  // the ENet peer number in the client's datagrams, chosen by the server
  std::uint16_t client_peer_;                 // the same in the server's datagrams, chosen by the client
  std::array<std::uint16_t, 8> told_at_{};    // timestamps of the server's answers to the connect
  std::size_t tellings_ = 0;
  int guesses_ = 0;           // acknowledgements of an answer that the server has not given
  std::uint64_t passed_ = 0;  // bytes of datagrams, both ways
  Millis began_, asked_ = 0;
  SessionSource source_;
  UpstreamWalk walk_;
  Reason failed_for_ = Reason::kServerTimeout;  // of the last address
  Upstreams::SessionCount session_count_;
  DatagramInbox inbox_;
  std::unique_ptr<SessionLab> lab_;  // null: what comes is passed on at once
  bool receives_ = false;            // it has proven its address
  bool proven_ = false;              // that, and it was let in
  bool ended_ = false;
};

}  // namespace entente::relay
