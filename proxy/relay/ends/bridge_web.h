// A bridge's end over one WebSocket: each message is one frame, and its close frame says what the game says.
#pragma once

#include "proxy/net/loop.h"
#include "proxy/net/web/web_link.h"
#include "proxy/relay/ends/bridge_end.h"

namespace entente::relay {

class BridgeWeb final : public BridgeEnd, private net::WebUser, private net::Alarm::User {
 public:
  BridgeWeb(WorkerRoute& worker_route, BridgeEnd::User& user, const BridgeEndOptions& options);

  bool adopt(net::Fd client) override;
  int connect(const net::Address& server, net::Sockets sockets) override;
  void send(Lane lane, Bytes frame) override;
  void flush() override { link_.flush(); }
  std::size_t waiting() const override { return link_.waiting(); }
  void read(bool on) override { link_.read(on); }
  void set_rank(net::Rank rank) override { link_.set_rank(rank); }
  bool is_held_up() const override { return link_.is_held_up(); }
  Millis held_up() const override { return link_.held_up(); }
  void part(std::string_view why, std::uint32_t code) override;
  void closes_after(Millis part) override { closes_after_ = part; }
  void hang_up() override { link_.close(); }
  bool is_open() const override { return link_.is_open(); }
  net::Address here() const override { return here_; }

 private:
  void asked(net::WebLink& link, const net::HttpHead& request) override;
  void upgraded(net::WebLink& link, const net::HttpHead& response) override;
  void declined(net::WebLink& link, const net::HttpHead& response) override;
  void received(net::WebLink& link, net::Opcode opcode, Bytes payload) override;
  void close_frame(net::WebLink& link, const net::CloseFrame& close_frame) override;
  void paused(net::WebLink&) override { link_.flush(); }
  void wronged(net::WebLink& link, const Fault& fault, const std::string& detail) override;
  void wrote(net::WebLink& link) override;
  void ended(net::WebLink& link) override;
  void broken(net::WebLink& link, int error) override;

  void rang() override;

  void hear_text(Bytes message);
  void hear(Bytes message);
  void refuse(std::uint16_t code, const Fault& fault);
  void answer_ping(Bytes payload);
  void depart(const Departure& departure);
  void settle();

  WorkerRoute& worker_route_;
  BridgeEnd::User& user_;
  const BridgeSide side_;
  const std::size_t high_water_;
  const std::unique_ptr<wire::Cutter> cutter_;
  const net::Opcode opcode_;  // of what we say
  net::WebLink link_;
  net::Alarm alarm_;  // when to close
  Millis closes_after_ = 0;
  net::CloseFrame close_frame_;
  std::string path_;
  net::Address here_, there_;
  std::size_t unheard_ = 0;  // bytes that came after the end
  bool departed_ = false, parted_ = false, peer_ended_ = false, over_ = false;
};

}  // namespace entente::relay
