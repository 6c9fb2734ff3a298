// One client's connection through a relay, from accept to the last byte.
// Law: bytes pass untouched and in whole frames; a client that breaks its game's framing or a limit is refused and
// hears it in its game's own way; what a server says is always passed on.
#pragma once

#include <optional>

#include "proxy/base/limits.h"
#include "proxy/net/tcp.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/ends/datagrams.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/ends/peer.h"
#include "proxy/relay/ends/stream.h"
#include "proxy/relay/sessions/seated.h"

namespace entente::relay {

class Session final : public Seated, private net::LinkUser, private Dial::User {
 public:
  Session(WorkerRoute& worker_route, Owner& owner, LinkId link, const Limits& limits, const net::Address& client);

  void start(net::Fd client) override;
  void datagram(const net::Address& from, Bytes datagram) override;
  void tick(Millis now) override;
  void stop() override { end(Reason::kStopped); }
  void kick(std::string_view) override { end(Reason::kKicked); }
  SessionReport report() const override;

  const SessionInfo& info() const override { return info_; }
  WorkerRoute& worker_route() override { return worker_route_; }
  bool server_unreached() const override { return dial_.unreached(); }

 private:
  using Peer = relay::Peer<net::Tcp>;

  void connected(net::Link& link) override;
  void received(net::Link& link, wire::Lane lane, Bytes bytes) override;
  void wrote(net::Link& link) override;
  void ended(net::Link& link) override;
  void broken(net::Link& link, int error) override;

  void play();
  bool is_client(const net::Link& link) const { return &link == &client_.link; }
  void connect() { dial_.begin(worker_route_, limits_.connect_ms, worker_route_.route.game.transport()); }
  int dial(const net::Address& server, net::Sockets sockets) override;
  void undialled(Reason why) override { end(why); }
  void find_dialect(Bytes said);
  void open();

  void client_said(Bytes bytes);
  void server_said(Bytes bytes);
  void to_server(const Frames& frames);
  void to_client(const Frames& frames);
  void note_greeting(const Frames& frames);
  void note_entry(const Frames& frames);
  void relay(Peer& from, Peer& to, wire::Way way, const Frames& frames);
  void charge(std::size_t bytes, std::size_t frames);
  void pass_rest(wire::Way way);
  void go_unframed(const Fault& fault);

  void client_ended();
  void server_ended();
  bool owes_goodbye() const;
  void say_goodbye();
  void end(Reason reason, const Fault& fault = Fault{""});
  void tell_end(Reason reason, const Fault& fault);
  void part(Peer& peer);
  void settle();
  void hang_up();
  std::optional<Reason> overdue(Millis now) const;

  WorkerRoute& worker_route_;
  const Route& route_;
  Owner& owner_;
  const Limits limits_;
  SessionInfo info_;
  Peer client_, server_;
  Dial dial_{*this};
  Stream to_server_, to_client_;
  std::optional<Datagrams> datagrams_;
  Rates rates_;
  Buffer early_;  // whole frames of the client, before the server may hear them
  std::size_t early_frames_ = 0;
  Buffer said_;  // by the server, before its dialect is known
  Millis began_, moved_, server_spoke_ = 0, part_at_ = 0, gone_by_ = 0;
  std::optional<Reason> first_;  // who ended first, while the other may go on
  bool plays_ = false;
  bool sure_, open_ = false, greeted_ = false, named_ = false, told_goodbye_ = false;
  bool entered_ = false;  // or never will
  bool ending_ = false, done_ = false;
};

}  // namespace entente::relay
