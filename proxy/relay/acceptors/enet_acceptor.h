// Where clients come in by ENet. A relay's sessions live here, a bridge's with the worker; as an ENet host belongs to
// one thread, all stay on the route's home worker. Law: whom a limit forbids is told so in the game's own way; ENet
// itself would leave him without an answer.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "proxy/relay/acceptors/enet_waiting.h"
#include "proxy/relay/acceptors/finder.h"
#include "proxy/relay/acceptors/queries.h"
#include "proxy/relay/acceptors/udp_acceptor.h"
#include "proxy/relay/admission/admission.h"
#include "proxy/relay/sessions/enet_session.h"

namespace entente::relay {

class EnetAcceptor final : public UdpAcceptor,
                           private net::EnetHost::User,
                           private EnetSession::Owner,
                           private Queries::User,
                           private Finder::User,
                           private net::Later {
 public:
  EnetAcceptor(WorkerRoute& worker_route, Seating& seating, const Limits& limits);
  ~EnetAcceptor() override;

  Outcome<net::Address> open(const net::Address& at) override;
  void stop() override;
  bool empty() const override { return admission_.inside() == 0; }
  void tick(Millis now) override;
  void ask(const Question& question, Inquiry::Part& part) override { relay::answer(question, part, sessions_); }
  void set_limits(const Limits& limits) override { limits_ = limits; }
  void set_access(std::vector<Access> access) override { admission_.set_access(std::move(access)); }
  void left(const net::Address& client, bool server_unreached) override;

 private:
  void connected(net::EnetPeer& peer, std::uint32_t data) override;
  void received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) override;
  void disconnected(net::EnetPeer& peer, std::uint32_t data) override;
  void eased(net::EnetPeer& peer) override;
  bool intercepted(const net::Address& from, Bytes datagram) override { return queries_.take({from, {}}, datagram); }
  void answer(const Queries::Asker& to, Bytes datagram) override { host_.send_raw(to.from, datagram); }
  wire::Status status() const override;
  void done(EnetSession& session) override;
  void found_out() override;
  void at_turn_end() override;

  std::optional<Reason> objection(std::uint32_t data);
  void turn_away(net::EnetPeer& peer, Reason why);
  void relay(net::EnetPeer& peer, std::uint32_t data);
  void bridge(Newcomer newcomer);
  void seat(Newcomer newcomer);
  void refuse(const EnetWaiting& one, Reason why);
  void close_if_empty();

  WorkerRoute& worker_route_;
  Seating& seating_;
  Limits limits_;
  Admission admission_;
  Millis tidy_at_ = 0;
  net::EnetHost host_;
  Queries queries_;
  Finder finder_;
  std::vector<std::unique_ptr<EnetWaiting>> waiting_;
  std::unordered_map<LinkId, std::unique_ptr<EnetSession>> sessions_;
  std::vector<EnetSession*> done_;
  bool stopping_ = false;
};

}  // namespace entente::relay
