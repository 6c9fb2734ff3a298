// An end over ENet: a client of the listener's host, or our own connection to a server. A reliable packet belongs to
// the stream, any other is a datagram.
// Invariant: ENet cannot be paused. While this end is not read, reliable packets are kept, up to a limit that ends it.
// Other packets are dropped. What was kept is delivered in jobs of bounded length (schedule.h), also after the peer has
// left.
#pragma once

#include <deque>
#include <optional>

#include "adapters/wire/frame_reader.h"
#include "proxy/relay/admission/datagram_filter.h"
#include "proxy/relay/ends/end.h"

namespace entente::relay {

class EnetEnd final : public End, public EnetPeerUser, private net::EnetHost::User, private net::Job {
 public:
  EnetEnd(WorkerRoute& worker_route, End::User& user, const EndOptions& options);
  ~EnetEnd() override;

  bool adopt(net::Fd) override;
  int connect(const net::Address& server, Outgoing outgoing) override;
  void send(Lane lane, Bytes frame) override;
  void tell(TapSink& tap, LinkId link, wire::Way way, Lane lane, Bytes bytes, WallTime at) const override;
  std::size_t waiting() const override { return peer_ ? peer_->waiting() : 0; }
  std::size_t weight() const override { return kept_bytes_ + (peer_ ? peer_->waiting() + host_->kept(*peer_) : 0); }
  void set_reading(bool on) override;
  void set_priority(net::Priority priority) override {
    own_.set_priority(priority);
    Job::set_priority(priority);
  }
  void shut_down(std::string_view why, std::uint32_t code) override;
  void hang_up() override;
  bool is_open() const override { return peer_ != nullptr; }
  net::Address local_address() const override { return host_->local_address(); }

  // A client's peer.
  void peer_said(std::uint8_t channel, net::EnetPacket packet) override;
  void peer_left(std::uint32_t data, bool silent) override;
  void peer_wrote() override { user().wrote(*this); }

 private:
  struct WaitingPacket {
    std::uint8_t channel;
    net::EnetPacket packet;
  };

  // A server's peer, on our own host.
  void connected(net::EnetPeer& peer, std::uint32_t data) override;
  void received(net::EnetPeer&, std::uint8_t channel, net::EnetPacket packet) override {
    peer_said(channel, std::move(packet));
  }
  void disconnected(net::EnetPeer& peer, std::uint32_t data) override {
    refused_ = peer.refused();
    peer_left(data, peer.timed_out());
  }
  void wrote(net::EnetPeer&) override { peer_wrote(); }
  void refused_packets(std::uint32_t count) override { worker_route_.dropped(Drop::kTooManyWait, count); }
  void run() override;

  wire::Way heard_way() const { return facing_ == Facing::kClient ? wire::Way::kToServer : wire::Way::kToClient; }
  void keep(std::uint8_t channel, net::EnetPacket packet);
  void hear_kept();
  void forget_kept();
  void tell_left();
  void hear(std::uint8_t channel, const net::EnetPacket& packet);
  bool may_hear() const { return !departed_ && !shut_down_; }
  Departure departure(std::uint32_t data, bool silent) const;
  void depart(const Departure& departure);

  WorkerRoute& worker_route_;
  const Facing facing_;
  const net::Address works_for_;
  const wire::Game& game_;
  const std::size_t dialect_, high_water_, most_kept_;
  const AcceptedEnetPeer accepted_peer_;
  net::EnetHost own_;    // towards a server
  net::EnetHost* host_;  // whose peer it is
  net::EnetPeer* peer_ = nullptr;
  wire::FrameReader cut_;
  DatagramFilter filter_;
  net::Address peer_address_;
  wire::EnetCarriage heard_;        // of the packet that is being received
  std::deque<WaitingPacket> kept_;  // came while this end was not read
  std::size_t kept_bytes_ = 0;
  std::uint32_t code_;  // that our disconnect carries
  struct Parting {
    std::uint32_t data;
    bool silent;
  };
  std::optional<Parting> left_;  // the peer is gone, and what it sent is still to be heard
  bool reading_ = true, up_ = false;
  bool departed_ = false, shut_down_ = false;
  bool refused_ = false;  // the peer's machine reported that nothing listens there
};

}  // namespace entente::relay
