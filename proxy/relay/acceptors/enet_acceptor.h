// Accepts clients over ENet. A client whose session lives on another worker than the listener is moved there, to an
// ENet host of its own (EnetHost::release). Invariant: a refused client is told so with the game's own code. ENet
// itself would not answer.
#pragma once

#include <memory>
#include <vector>

#include "proxy/relay/acceptors/acceptor.h"
#include "proxy/relay/acceptors/enet_waiting.h"

namespace entente::relay {

class EnetAcceptor final : public Acceptor, private net::EnetHost::User, private net::Later {
 public:
  EnetAcceptor(WorkerRoute& worker_route, ServerProbes& probes, Dispatcher& dispatcher);

  ~EnetAcceptor() override { worker_route_->loop.cancel_later(*this); }

  Outcome<net::Address> open(net::Fd listening, const net::Address& at) override;
  void close() override;
  void stop() override;
  Outcome<Done> offer(std::vector<OfferedSocket>& out) override;
  Outcome<Done> release_newcomers() override;
  void cancel_take_over() override;
  void complete_take_over() override;
  bool empty() const override { return admission_.inside() == 0; }
  bool finish() override;
  void tick(Millis now) override;
  void command(const SessionCommand& command, Inquiry::Part& part) override;
  void left(LinkId link, const Route& its, const net::Address& client, bool called) override;

 private:
  void connected(net::EnetPeer& peer, std::uint32_t data) override;
  void received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) override;
  void disconnected(net::EnetPeer& peer, std::uint32_t data) override;
  void wrote(net::EnetPeer& peer) override;
  void refused_packets(std::uint32_t count) override { worker_route_->dropped(Drop::kTooManyWait, count); }
  bool intercepted(const net::Address& from, Bytes datagram) override { return queries_->take({from, {}}, datagram); }
  void answer(const Queries::Asker& to, Bytes datagram) override { host_.send_raw(to.from, datagram); }
  void probed() override;
  void route_changed() override;

  void turn_away(net::EnetPeer& peer, Reason why);
  void say_goodbye(net::EnetPeer& peer, Reason why, const std::string& words);
  void at_turn_end() override { probed(); }

  bool known() const { return !worker_route_->route.options->bridge || probes_->known(); }
  void wait(AcceptedClient newcomer);
  void assign(EnetWaiting& one);
  void assign(AcceptedClient newcomer, std::size_t worker);
  void refuse(const EnetWaiting& one, Reason why);
  /// The client has left while it waited.
  void left_waiting(const EnetWaiting& one);

  net::EnetHost host_;
  std::vector<std::unique_ptr<EnetWaiting>> waiting_;
  bool closed_ = false, stopping_ = false;
};

}  // namespace entente::relay
