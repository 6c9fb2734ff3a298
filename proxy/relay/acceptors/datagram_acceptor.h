// Accepts the clients of an ENet relay in mode=datagrams.
// Invariant: an unknown sender must send an ENet connect, and nothing larger. A refused client gets a disconnect with
// the game's own code, which is smaller than the connect. Few clients may be unproven at once: the oldest makes room
// for the next. They do not count against the limits of their address, because the address may be forged.
#pragma once

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "proxy/relay/acceptors/acceptor.h"
#include "proxy/relay/sessions/datagram_session.h"

namespace entente::relay {

class DatagramAcceptor final : public Acceptor,
                               private net::UdpReader::User,
                               private DatagramSession::Owner,
                               private net::Later {
 public:
  /// REQUIRES: the route has its UDP socket.
  DatagramAcceptor(WorkerRoute& worker_route, ServerProbes& probes, Dispatcher& dispatcher);
  ~DatagramAcceptor() override;

  Outcome<net::Address> open(net::Fd listening, const net::Address& at) override;
  void close() override { closed_ = true; }
  void stop() override;
  Outcome<Done> offer(std::vector<OfferedSocket>& out) override;
  Outcome<Done> release_newcomers() override;
  void cancel_take_over() override;
  void complete_take_over() override;
  bool empty() const override { return sessions_.empty(); }
  void tick(Millis now) override;
  void lab_changed(const WorkerRoute& of) override {
    for (auto& [link, session] : sessions_)
      if (&session->worker_route() == &of) session->lab_changed();
  }
  void command(const SessionCommand& its, Inquiry::Part& part) override { relay::carry_out(its, part, sessions_); }

  static constexpr std::size_t kMostUnproven = 256;
  /// New unproven clients per second, from all addresses together. Each then has 100 ms to prove its address.
  static constexpr std::uint32_t kUnprovenPerSecond = 10 * kMostUnproven;

 private:
  void datagram(const net::Address& from, Bytes bytes) override;
  std::optional<Reason> proven(DatagramSession& session) override;
  void done(DatagramSession& session) override;
  void at_turn_end() override;

  std::vector<net::UdpReader::Peer> peers() const;
  void tidy_later();
  void open_session(const net::Address& from, const net::EnetCommand& connect, Bytes datagram);
  void turn_away(const net::Address& from, const net::EnetCommand& connect, Reason why);

  bool closed_ = false;
  bool released_ = false;  // another process receives the newcomers
  bool tidies_ = false;    // at_turn_end() will be called
  Bucket pace_;            // of new unproven clients; admission limits the others
  net::EnetUnpacker unpacker_;
  net::UdpReader reader_;
  std::unordered_map<LinkId, std::unique_ptr<DatagramSession>> sessions_;
  std::unordered_map<net::Address, DatagramSession*, net::AddressHash> by_client_;
  std::set<LinkId> unproven_;  // the oldest first
  std::vector<DatagramSession*> done_;
};

}  // namespace entente::relay
