// A relay's session over WebSockets: the request travels to the server and its answer back, then every message, ping,
// pong and close frame as it came.
// Invariant: one message stays one message. We send nothing of our own, except to end a session because of a limit or a
// broken rule.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "proxy/relay/ends/counted_end.h"
#include "proxy/relay/sessions/two_link_session.h"

namespace entente::relay {

class WebSession final : public TwoLinkSession<net::WebLink, net::WebUser> {
 public:
  WebSession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer);

  void start(net::Fd client) override;

 private:
  void asked(net::WebLink& link, const net::HttpHead& request) override;
  void upgraded(net::WebLink& link, const net::HttpHead& response) override;
  void declined(net::WebLink& link, const net::HttpHead& response, std::string_view why) override;
  void received(net::WebLink& link, net::Opcode opcode, Bytes payload) override;
  void received_overhead(net::WebLink& link, std::size_t bytes) override;
  void close_frame(net::WebLink& link, const net::CloseFrame& close_frame) override;
  void messages_done(net::WebLink& link) override;
  void protocol_error(net::WebLink& link, const Fault& fault, const std::string& detail) override;
  void ended(net::WebLink& link) override;

  int dial(Dial&, const net::Address& server, Outgoing outgoing) override;

  bool is_deaf_to(net::WebLink& link, std::size_t bytes);
  void charge_sender(const net::WebLink& link, std::size_t bytes, std::size_t messages);
  bool may_pass(Bytes message);
  bool refuse(const net::CloseFrame& parting, const Fault& fault);
  void tell_tap(wire::Way way, Bytes message);
  void begin();
  void pass(wire::Way way, net::Opcode opcode, Bytes message);
  void pass_on(wire::Way way, net::Opcode opcode, Bytes message);
  void make_lab() override { RelaySession::make_lab(LabLine::Of::kMessages); }
  void lab_passes(LabLine& line, const LabUnit& unit) override;
  void lab_keeps(LabLine& line, Bytes unit, std::uint32_t tag, bool altered) override;
  void lab_has_ended(LabLine& line) override;
  void pass_what_waits() override;

  void dismiss(Reason reason, std::string_view why) override;
  void say_last_words();
  bool on_tick(Millis now) override;
  Millis goodbye() const override { return goodbye_ms(*info_.game, reason()); }
  void insert(Bytes message) override;
  net::Opcode opcode() const;
  bool takes_insert() const override;
  void shut_down() override;
  void tell_end() override;
  void decline_client();
  std::optional<Reason> overdue(Millis now) const override;

  const std::shared_ptr<net::HeardRequest> heard_;  // the client's, until start()
  std::unique_ptr<wire::Cutter> cutter_;
  net::HttpHead request_;
  struct Early {
    WallTime at;
    Buffer message;
  };
  std::vector<Early> early_;  // what the server said before the client named its dialect; for the tap
  std::size_t early_bytes_ = 0;
  Millis parted_at_ = 0;  // when the first close frame came
  /// The close frame for peers that have neither sent nor received one. Nothing: their connection is closed without
  /// one, as the other peer's was.
  std::optional<net::CloseFrame> parting_;
  Millis finish_at_ = 0;  // the client was told why, and may read it until then; 0: it was not
  std::array<std::optional<net::CloseFrame>, 2> close_later_;  // by direction: follows what waits in the lab
  bool client_closed_ = false, server_closed_ = false;         // it sent a close frame, or broke the protocol
  bool asked_ = false, begun_ = false;
};

}  // namespace entente::relay
