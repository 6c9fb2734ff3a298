// One client's ENet connection through a relay: its connect data, every packet with its channel and kind, and the data
// of the disconnect travel both ways. Law: each packet is one packet on the other side; an empty one goes no further;
// what waits for a peer is bounded: reliable packets beyond the bound end the session, others are dropped and counted.
#pragma once

#include <vector>

#include "proxy/base/limits.h"
#include "proxy/relay/acceptors/enet_guest.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/inquiry.h"
#include "proxy/relay/route.h"

namespace entente::relay {

class EnetSession final : public EnetGuest, private net::EnetHost::User, private Dial::User {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// Destroy it at the end of the turn.
    virtual void done(EnetSession& session) = 0;
  };

  /// `listener` is the host that `client` is a peer of.
  EnetSession(WorkerRoute& worker_route, Owner& owner, net::EnetHost& listener, net::EnetPeer& client, LinkId link,
              const Limits& limits);

  /// The client connected and said `data`: the server is told the same.
  void start(std::uint32_t data);
  void client_said(std::uint8_t channel, net::EnetPacket packet) override;
  void client_left(std::uint32_t data, bool silent) override;
  void tick(Millis now);
  void stop() { end(Reason::kStopped); }
  void kick(std::string_view) { end(Reason::kKicked); }
  SessionReport report() const;

  const SessionInfo& info() const { return info_; }

 private:
  struct Early {
    std::uint8_t channel;
    net::EnetPacket packet;
  };

  void connected(net::EnetPeer& peer, std::uint32_t data) override;
  void received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) override;
  void disconnected(net::EnetPeer& peer, std::uint32_t data) override;

  int dial(const net::Address& server, net::Sockets) override;
  void undialled(Reason why) override { end(why); }
  bool may_pass(Bytes packet, wire::Lane lane);
  void hold(std::uint8_t channel, net::EnetPacket packet);
  void pass(wire::Way way, std::uint8_t channel, net::EnetPacket packet);
  void end(Reason reason, const Fault& fault = Fault{""});
  void end(Reason reason, std::uint32_t to_client, std::uint32_t to_server, const Fault& fault);
  void tell_end(Reason reason, const Fault& fault);
  void finish();

  WorkerRoute& worker_route_;
  Owner& owner_;
  net::EnetHost& listener_;
  const Limits limits_;
  SessionInfo info_;
  net::EnetPeer* client_;
  net::EnetHost host_;  // our side towards the server
  net::EnetPeer* server_ = nullptr;
  std::unique_ptr<wire::Cutter> cutter_;
  Rates rates_;
  std::vector<Early> early_;  // of the client, before the server is there
  std::size_t early_bytes_ = 0;
  std::size_t channels_;
  std::uint32_t connect_data_ = 0;
  std::uint64_t passed_ = 0, answered_ = 0;  // bytes of packets: the client's, the server's
  Dial dial_{*this};
  Millis began_, moved_, gone_by_ = 0;
  bool open_ = false, ending_ = false, done_ = false;
};

}  // namespace entente::relay
