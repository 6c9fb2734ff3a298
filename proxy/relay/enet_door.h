// Where the clients of an ENet relay come in, and where their sessions live: an ENet host belongs to one thread, so all
// of a relay's sessions stay on the route's home worker. Law: whom a limit forbids is told so in the game's own way;
// ENet itself would leave him without an answer.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "proxy/relay/enet_session.h"
#include "proxy/relay/gate.h"
#include "proxy/relay/queries.h"
#include "proxy/relay/udp_door.h"

namespace entente::relay {

class EnetDoor final : public UdpDoor,
                       private net::EnetHost::User,
                       private EnetSession::Owner,
                       private Queries::User,
                       private net::Later {
 public:
  /// `last_link` numbers the sessions of all relays.
  EnetDoor(Branch& branch, std::atomic<LinkId>& last_link, const Limits& limits);
  ~EnetDoor() override;

  Outcome<net::Address> open(const net::Address& at) override;
  void stop() override;
  bool empty() const override { return sessions_.empty(); }
  void tick(Millis now) override;
  void ask(const Question& question, Inquiry::Part& part) override { relay::answer(question, part, sessions_); }
  void set_limits(const Limits& limits) override { limits_ = limits; }

 private:
  void connected(net::EnetPeer& peer, std::uint32_t data) override;
  void received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) override;
  void disconnected(net::EnetPeer& peer, std::uint32_t data) override;
  bool intercepted(const net::Address& from, Bytes datagram) override { return queries_.take(from, datagram); }
  void answer(const net::Address& to, Bytes datagram) override { host_.send_raw(to, datagram); }
  void done(EnetSession& session) override;
  void at_turn_end() override;

  void turn_away(net::EnetPeer& peer, Reason why);

  Branch& branch_;
  std::atomic<LinkId>& last_link_;
  Limits limits_;
  Gate gate_;
  Millis tidy_at_ = 0;
  net::EnetHost host_;
  Queries queries_;
  std::unordered_map<LinkId, std::unique_ptr<EnetSession>> sessions_;
  std::vector<EnetSession*> done_;
  bool stopping_ = false;
};

}  // namespace entente::relay
