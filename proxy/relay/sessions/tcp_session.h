// A relay's session over TCP, with or without datagrams beside it.
// Invariant: bytes pass unchanged, in whole frames. A client that breaks the framing or a limit is refused, with the
// goodbye of its game. What the server sends is always passed on. Only a player starts a server that sleeps: a client
// that only asks who plays is answered in the server's place.
#pragma once

#include <optional>

#include "proxy/relay/ends/datagrams.h"
#include "proxy/relay/ends/framer.h"
#include "proxy/relay/sessions/two_link_session.h"
#include "proxy/relay/upstream/player_numbers.h"

namespace entente::relay {

class TcpSession final : public TwoLinkSession<net::Tcp, net::TcpUser> {
 public:
  TcpSession(WorkerRoute& worker_route, Owner& owner, const AcceptedClient& newcomer);

  void start(net::Fd client) override;
  void lab_changed() override;
  void datagram(const net::Address& from, Bytes datagram) override;

 private:
  void connected(net::Tcp& link) override;
  void received(net::Tcp& link, wire::Lane lane, Bytes bytes) override;
  void wrote(net::Tcp& link) override;
  void lab_has_room(LabLine& line) override;
  void resume_server(Pause why) override;
  void note_server_is_read(bool was_read);
  void ended(net::Tcp& link) override;

  /// Connects to the server, unless only a player may start it.
  void reach();
  void dial_failed(Dial&, Reason why) override;
  int dial(Dial&, const net::Address& server, Outgoing outgoing) override;
  void find_dialect(Bytes said);
  void open();

  bool sleeps() const;
  void stand_in();
  void answer(Bytes asked);
  void join();
  bool turns_out_to_join(const FrameRun& frames);
  void greeted_again(const FrameRun& frames);

  void pass_http(Bytes first);
  Buffer with_our_http(const FrameRun& frames) const;
  bool is_unanswered() const;
  void decline_http();
  void client_said(Bytes bytes);
  void server_said(Bytes bytes);
  void to_server(const FrameRun& frames);
  void to_client(const FrameRun& frames);
  void pass_to_client(const FrameRun& frames);
  void note_greeting(const FrameRun& frames);
  void note_admission(const FrameRun& frames);
  void relay(wire::Way way, const FrameRun& frames);
  void pass_on(wire::Way way, Bytes bytes, std::size_t frames);
  void make_lab() override;
  void pass_what_waits() override;
  void lab_passes(LabLine& line, const LabUnit& unit) override;
  void lab_keeps(LabLine& line, Bytes unit, std::uint32_t tag, bool altered) override;
  void lab_has_ended(LabLine& line) override { ended(sender(line.way()).link); }
  void pass_rest(wire::Way way);
  void go_unframed(const Fault& fault);

  void client_ended();
  void server_ended();
  void leave_client();
  bool owes_goodbye() const;
  void say_goodbye(Reason why);
  /// Whether we may say something: the client was sent whole frames, and no goodbye.
  bool may_speak() const;
  wire::ClientStage stage() const;
  void insert(Bytes frame) override { relay(wire::Way::kToClient, FrameRun{frame, 0, 1}); }
  bool takes_insert() const override {
    return open_ && entered_ && !told_goodbye_ && !client_.ended && !server_.ended && to_client_.at_frame_boundary();
  }
  void shut_down() override;
  bool on_tick(Millis now) override;
  bool may_pass_parts() const;
  std::optional<Reason> overdue(Millis now) const override;

  const Route& route_;
  Framer to_server_, to_client_;
  std::optional<Datagrams> datagrams_;
  Buffer early_;  // whole frames of the client, before the server may receive them
  std::size_t early_frames_ = 0;
  Buffer unsure_;                 // what the server said before its dialect is known
  bool asks_;                     // so far, the client has only asked who plays
  bool stands_in_ = false;        // we answer, because the server sleeps
  bool stood_in_ = false;         // it was greeted in the place of the server
  PlayerNumbers::Number number_;  // with which we greeted the client in the server's place
  Buffer promised_;               // that greeting, until the server has greeted it, too
  Millis server_spoke_ = 0, part_at_ = 0;
  Millis client_unserved_ = 0;  // of its link, when the client last spoke
  bool http_ = false;           // an HTTP request to a server that answers such on the port of its game
  bool sure_, greeted_ = false, named_ = false, told_goodbye_ = false,
              plays_there_ = false;  // the server has let the player in
  bool entered_ = false;             // the server has let the player in, or banned it
};

}  // namespace entente::relay
