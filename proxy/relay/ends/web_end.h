// An end over one WebSocket: each message is one frame, and its close frame carries the game's reason.
#pragma once

#include "adapters/wire/frame_reader.h"
#include "proxy/net/loop.h"
#include "proxy/relay/ends/link_end.h"

namespace entente::relay {

class WebEnd final : public LinkEnd<net::WebLink, net::WebUser>, private net::Alarm::User {
 public:
  WebEnd(WorkerRoute& worker_route, End::User& user, const EndOptions& options);

  bool adopt(net::Fd client) override;
  int connect(const net::Address& server, Outgoing outgoing) override;
  void send(Lane lane, Bytes frame) override;
  void lend(Lane lane, const SharedBytes& frame) override;
  void flush() override { link_.flush(); }
  void shut_down(std::string_view why, std::uint32_t code) override;
  void delay_close(Millis delay) override { close_delay_ = delay; }

 private:
  void asked(net::WebLink& link, const net::HttpHead& request) override;
  void upgraded(net::WebLink& link, const net::HttpHead& response) override;
  void declined(net::WebLink& link, const net::HttpHead& response, std::string_view why) override;
  void received(net::WebLink& link, net::Opcode opcode, Bytes payload) override;
  void received_overhead(net::WebLink& link, std::size_t bytes) override;
  void go_on(net::WebLink& link) override;
  void close_frame(net::WebLink& link, const net::CloseFrame& close_frame) override;
  void messages_done(net::WebLink&) override { link_.flush(); }
  void protocol_error(net::WebLink& link, const Fault& fault, const std::string& detail) override;
  void ended(net::WebLink& link) override;

  void rang() override;

  void hear_text(Bytes message);
  void hear(Bytes message);
  void conclude(const std::optional<Fault>& fault);
  void refuse(std::uint16_t code, const Fault& fault);
  void answer_ping(Bytes payload);

  const std::size_t high_water_;
  wire::FrameReader heard_;
  const net::Opcode opcode_;  // of the messages that we send
  const net::Address client_;
  const std::shared_ptr<net::HeardRequest> heard_request_;  // the client's, until adopt()
  net::Alarm alarm_;                                        // when to close
  Millis close_delay_ = 0;
  net::CloseFrame close_frame_;
  std::string path_;
};

}  // namespace entente::relay
