// One client's WebSocket through a relay: the request travels to the server and its answer back, then every message,
// ping, pong and close frame as it came.
// Law: each message is one message on the other side; nothing is said that a peer did not say, save to end what a limit
// or a broken rule ends.
#pragma once

#include <optional>

#include "proxy/base/limits.h"
#include "proxy/net/web/web_link.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/ends/peer.h"
#include "proxy/relay/sessions/seated.h"

namespace entente::relay {

class WebSession final : public Seated, private net::WebUser, private Dial::User {
 public:
  WebSession(WorkerRoute& listener, Owner& owner, LinkId link, const Limits& limits, const net::Address& client);

  void start(net::Fd client) override;
  void tick(Millis now) override;
  void stop() override { end(Reason::kStopped, net::CloseFrame{net::CloseFrame::kGoingAway, text(Reason::kStopped)}); }

  void kick(std::string_view why) override {
    end(Reason::kKicked,
        net::CloseFrame{net::CloseFrame::kPolicy, std::string(why.empty() ? text(Reason::kKicked) : why)});
  }
  SessionReport report() const override;

  const SessionInfo& info() const override { return info_; }
  WorkerRoute& worker_route() override { return *worker_route_; }
  const Route& listener() override { return listener_.route; }
  bool server_unreached() const override { return dial_.unreached(); }

 private:
  struct Peer : relay::Peer<net::WebLink> {
    using relay::Peer<net::WebLink>::Peer;
    bool close_frame = false;  // it said goodbye
  };

  void asked(net::WebLink& link, const net::HttpHead& request) override;
  void upgraded(net::WebLink& link, const net::HttpHead& response) override;
  void declined(net::WebLink& link, const net::HttpHead& response) override;
  void received(net::WebLink& link, net::Opcode opcode, Bytes payload) override;
  void close_frame(net::WebLink& link, const net::CloseFrame& close_frame) override;
  void paused(net::WebLink& link) override;
  void wronged(net::WebLink& link, const Fault& fault, const std::string& detail) override;
  void wrote(net::WebLink& link) override;
  void ended(net::WebLink& link) override;
  void broken(net::WebLink& link, int error) override;

  bool is_client(const net::WebLink& link) const { return &link == &client_.link; }
  Peer& other(const net::WebLink& link) { return is_client(link) ? server_ : client_; }

  void refuse_request(unsigned status, const Fault& fault);
  void connect() { dial_.begin(*worker_route_, limits_.connect_ms, wire::Transport::kWebSocket); }
  int dial(const net::Address& server, net::Sockets sockets) override;
  void undialled(Reason why) override { end(why); }

  void play();
  bool may_pass(Bytes message);
  void charge(std::size_t bytes);
  void tell_tap(wire::Way way, Bytes message);
  void begin();
  void pass(Peer& from, Peer& to, wire::Way way, net::Opcode opcode, Bytes message);
  void note_waiting(Peer& from, Peer& to);

  using Parting = std::optional<net::CloseFrame>;
  void end(Reason reason, const Parting& parting = {}, const Fault& fault = Fault{""});
  void tell_end(Reason reason, const Fault& fault);
  void part(Peer& peer, const Parting& parting);
  void decline_client(Reason reason);
  void settle();
  void hang_up();
  std::optional<Reason> overdue(Millis now) const;

  WorkerRoute& listener_;      // that the client came through
  WorkerRoute* worker_route_;  // of the route that its path chose
  Owner& owner_;
  const Limits limits_;
  SessionInfo info_;
  Peer client_, server_;
  Dial dial_{*this};
  std::unique_ptr<wire::Cutter> cutter_;
  Rates rates_;
  net::HttpHead request_;
  struct Early {
    WallTime at;
    Buffer message;
  };
  std::vector<Early> early_;  // what the server said before the client named its dialect; for the tap
  std::size_t early_bytes_ = 0;
  std::uint64_t passed_ = 0, answered_ = 0;  // bytes of messages: the client's, the server's
  Millis began_, moved_, parted_at_ = 0, gone_by_ = 0;
  std::optional<Reason> first_;  // who said goodbye first, at parted_at_
  bool asked_ = false, open_ = false, begun_ = false, plays_ = false;
  bool ending_ = false, done_ = false;
};

}  // namespace entente::relay
