// Where the clients of an ENet relay come in whose datagrams pass as they are.
// Law: who is not known must ask for an ENet connection, in so few bytes as that takes; whom a limit forbids is told so
// in the game's own way, in fewer; those who have not shown that their address is theirs are few, the oldest of them
// makes room for the next, and no address pays for them: it may not have sent them.
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
  DatagramAcceptor(WorkerRoute& worker_route, Seating& seating, const Limits& limits);
  ~DatagramAcceptor() override;

  Outcome<net::Address> open(net::Fd listening, const net::Address& at) override;
  void stop() override;
  bool empty() const override { return sessions_.empty(); }
  void tick(Millis now) override;
  void ask(const Question& question, Inquiry::Part& part) override { relay::answer(question, part, sessions_); }

  static constexpr std::size_t kMostUnproven = 256;
  /// So many may come a second, from all addresses together: then each has a tenth of a second to prove itself.
  static constexpr std::uint32_t kUnprovenPerSecond = 10 * kMostUnproven;

 private:
  void datagram(const net::Address& from, Bytes bytes) override;
  std::optional<Reason> proven(DatagramSession& session) override;
  void done(DatagramSession& session) override;
  void at_turn_end() override;

  void knock(const net::Address& from, const net::EnetCommand& connect, Bytes datagram);
  void turn_away(const net::Address& from, const net::EnetCommand& connect, Reason why);

  Bucket pace_;  // of those who have not proven themselves; admission counts the others
  net::EnetUnpacker unpacker_;
  net::UdpReader reader_;
  std::unordered_map<LinkId, std::unique_ptr<DatagramSession>> sessions_;
  std::unordered_map<net::Address, DatagramSession*, net::AddressHash> by_client_;
  std::set<LinkId> unproven_;  // the oldest first
  std::vector<DatagramSession*> done_;
};

}  // namespace entente::relay
