// A relay's session over ENet. The client's connect data, every packet with its channel and kind, and the data of a
// disconnect are passed on.
// Invariant: one packet stays one packet. Empty packets are dropped. What waits for a peer is bounded: a reliable
// packet above the bound ends the session, any other is dropped and counted. ENet cannot be paused: while a side is
// above its rates, its reliable packets are kept, up to a limit that ends the session, and its others are dropped. What
// was kept is passed on in jobs of bounded length (schedule.h). What a side sent before it left is passed on at its
// rates for another Limits::linger_ms.
#pragma once

#include <deque>

#include "proxy/relay/ends/enet_peer_user.h"
#include "proxy/relay/sessions/relay_session.h"

namespace entente::relay {

class EnetSession final : public RelaySession, public EnetPeerUser, private net::EnetHost::User {
 public:
  EnetSession(WorkerRoute& worker_route, Owner& owner, const AcceptedClient& newcomer);

  void start(net::Fd) override;
  void peer_said(std::uint8_t channel, net::EnetPacket packet) override;
  void peer_left(std::uint32_t data, bool silent) override;

 private:
  /// What a side has sent, and the other side does not get yet. Passes it on later, when it is the turn of that side.
  struct Held final : net::Job {
    Held(EnetSession& its, wire::Way its_way) : session(its), way(its_way) {}
    void run() override { session.pass_held(*this); }
    bool waits() const { return pauses.any() || !packets.empty(); }
    void clear();

    struct Packet {
      std::uint8_t channel;
      net::EnetPacket packet;
      std::size_t frames;
    };
    EnetSession& session;
    const wire::Way way;
    std::deque<Packet> packets;
    std::size_t bytes = 0;  // of memory
    Pauses pauses;
    Millis left_at = 0;  // when the peer left, if not all that it sent was passed on then; 0: it did not
    Reason left_for{};   // then, the reason of the session's end
  };

  void connected(net::EnetPeer& peer, std::uint32_t data) override;
  void received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) override;
  void disconnected(net::EnetPeer& peer, std::uint32_t data) override;
  void refused_packets(std::uint32_t count) override { worker_route_->dropped(Drop::kTooManyWait, count); }

  int dial(Dial&, const net::Address& server, Outgoing outgoing) override;
  int open_host(const net::Source& source);
  wire::ClientStage stage() const;
  void shut_down() override;
  void hang_up() override { server_ = nullptr; }
  bool is_linked() const override { return server_ != nullptr; }
  void pause_client(Pause why) override { from_client_.pauses.add(why); }
  void resume_client(Pause why) override { resume(from_client_, why); }
  void pause_server(Pause why) override { from_server_.pauses.add(why); }
  void resume_server(Pause why) override { resume(from_server_, why); }
  void resume(Held& side, Pause why);
  bool drop_late(Dial&, Millis now) override;
  std::optional<Reason> overdue(Millis now) const override;

  std::optional<std::size_t> count_frames(Bytes packet, wire::Lane lane);
  void pass_counted(wire::Way way, Held::Packet packet);
  void insert(Bytes packet) override {
    pass(wire::Way::kToClient, 0, net::EnetPacket(packet, net::EnetDelivery::kReliable));
  }
  bool takes_insert() const override { return open_ && client_ != nullptr && player_shown_; }
  std::size_t waiting_for_client() const override { return client_ != nullptr ? client_->waiting() : 0; }
  std::size_t weight() const override {
    return from_client_.bytes + (lab_ ? lab_->waiting() : 0) +
           (client_ != nullptr ? client_->waiting() + accepted_peer_.host->kept(*client_) : 0);
  }
  void hold(Held& side, Held::Packet packet);
  void pass_held(Held& side);
  bool leaves_later(Held& side, Reason why);
  bool waits_for_slot();
  void pass(wire::Way way, std::uint8_t channel, net::EnetPacket packet);
  void pass_on(wire::Way way, std::uint8_t channel, net::EnetPacket packet);
  void make_lab() override { RelaySession::make_lab(LabLine::Of::kPackets); }
  void lab_passes(LabLine& line, const LabUnit& unit) override;
  void lab_keeps(LabLine& line, Bytes unit, std::uint32_t tag, bool altered) override;

  const AcceptedEnetPeer accepted_peer_;
  net::EnetPeer* client_;
  net::EnetHost host_;  // our side towards the server
  net::EnetPeer* server_ = nullptr;
  std::unique_ptr<wire::Cutter> cutter_;
  Held from_client_{*this, wire::Way::kToServer}, from_server_{*this, wire::Way::kToClient};
  const std::size_t channels_;
  std::optional<std::uint32_t> client_data_, server_data_;  // the data of a peer's disconnect, for the other peer
  bool open_ = false, player_shown_ = false;
  Millis slot_until_ = 0;  // the server was full: how long the client waits for a slot; 0: it was not
};

}  // namespace entente::relay
