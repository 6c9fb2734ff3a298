// A relay's session over ENet. The client's connect data, every packet with its channel and kind, and the data of a
// disconnect are passed on.
// Law: one packet stays one packet. Empty packets are dropped. What waits for a peer is bounded: a reliable packet
// above the bound ends the session, any other is dropped and counted.
#pragma once

#include <vector>

#include "proxy/relay/ends/enet_peer_user.h"
#include "proxy/relay/sessions/session.h"

namespace entente::relay {

class EnetSession final : public Session, public EnetPeerUser, private net::EnetHost::User {
 public:
  EnetSession(WorkerRoute& worker_route, Owner& owner, const AcceptedClient& newcomer);

  void start(net::Fd) override;
  void peer_said(std::uint8_t channel, net::EnetPacket packet) override;
  void peer_left(std::uint32_t data, bool silent) override;

 private:
  struct Early {
    std::uint8_t channel;
    net::EnetPacket packet;
  };

  void connected(net::EnetPeer& peer, std::uint32_t data) override;
  void received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) override;
  void disconnected(net::EnetPeer& peer, std::uint32_t data) override;
  void refused_packets(std::uint32_t count) override { worker_route_->dropped(Drop::kTooManyWait, count); }

  int dial(const net::Address& server, Outgoing outgoing) override;
  int open_host(const net::Source& source);
  wire::ClientStage stage() const;
  void shut_down() override;
  void hang_up() override { server_ = nullptr; }
  bool is_linked() const override { return server_ != nullptr; }
  void pause_client(Pause) override {}  // ENet cannot be paused
  void resume_client(Pause) override {}
  bool drop_late_server(Millis now) override;
  std::optional<Reason> overdue(Millis now) const override;

  bool may_pass(Bytes packet, wire::Lane lane);
  void insert(Bytes packet) override {
    pass(wire::Way::kToClient, 0, net::EnetPacket(packet, net::EnetDelivery::kReliable));
  }
  bool takes_insert() const override { return open_ && client_ != nullptr && player_shown_; }
  std::size_t waiting_for_client() const override { return client_ != nullptr ? client_->waiting() : 0; }
  std::size_t weight() const override {
    return (early_.empty() ? 0 : early_bytes_) +
           (client_ != nullptr ? client_->waiting() + accepted_peer_.host->kept(*client_) : 0);
  }
  void hold(std::uint8_t channel, net::EnetPacket packet);
  bool waits_for_slot();
  void pass(wire::Way way, std::uint8_t channel, net::EnetPacket packet);

  const AcceptedEnetPeer accepted_peer_;
  net::EnetPeer* client_;
  net::EnetHost host_;  // our side towards the server
  net::EnetPeer* server_ = nullptr;
  std::unique_ptr<wire::Cutter> cutter_;
  std::vector<Early> early_;  // of the client, before the server is there
  std::size_t early_bytes_ = 0;
  const std::size_t channels_;
  std::optional<std::uint32_t> client_data_, server_data_;  // the data of a peer's disconnect, for the other peer
  bool open_ = false, player_shown_ = false;
  Millis slot_until_ = 0;  // the server was full: how long the client waits for a slot; 0: it was not
};

}  // namespace entente::relay
