// Where the clients of an ENet relay come in whose datagrams pass as they are.
// Law: who is not known must ask for an ENet connection, in so few bytes as that takes; whom a limit forbids is told so
// in the game's own way, in fewer; those who have not shown that their address is theirs are few, the oldest of them
// makes room for the next, and no address pays for them: it may not have sent them.
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "proxy/relay/acceptors/queries.h"
#include "proxy/relay/acceptors/udp_acceptor.h"
#include "proxy/relay/admission/admission.h"
#include "proxy/relay/sessions/datagram_session.h"

namespace entente::relay {

class DatagramAcceptor final : public UdpAcceptor,
                               private net::UdpReader::User,
                               private DatagramSession::Owner,
                               private Queries::User,
                               private net::Later {
 public:
  /// `last_link` numbers the sessions of all relays. REQUIRES: the route has its UDP socket.
  DatagramAcceptor(WorkerRoute& worker_route, std::atomic<LinkId>& last_link, const Limits& limits);
  ~DatagramAcceptor() override;

  Outcome<net::Address> open(const net::Address& at) override;
  void stop() override;
  bool empty() const override { return sessions_.empty(); }
  void tick(Millis now) override;
  void ask(const Question& question, Inquiry::Part& part) override { relay::answer(question, part, sessions_); }
  void set_limits(const Limits& limits) override { limits_ = limits; }
  void set_access(std::vector<Access> access) override { admission_.set_access(std::move(access)); }

  static constexpr std::size_t kMostUnproven = 256;
  /// So many may come a second, from all addresses together: then each has a tenth of a second to prove itself.
  static constexpr std::uint32_t kUnprovenPerSecond = 10 * kMostUnproven;

 private:
  void datagram(const net::Address& from, Bytes bytes) override;
  void answer(const Queries::Asker& to, Bytes datagram) override;
  std::optional<Reason> proven(DatagramSession& session) override;
  void done(DatagramSession& session) override;
  void at_turn_end() override;

  void knock(const net::Address& from, const net::EnetCommand& connect, Bytes datagram);
  std::optional<Reason> objection(const net::EnetCommand& connect);
  void turn_away(const net::Address& from, const net::EnetCommand& connect, Reason why);

  WorkerRoute& worker_route_;
  std::atomic<LinkId>& last_link_;
  Limits limits_;
  Admission admission_;  // counts those who have proven themselves
  Bucket pace_;          // of those who have not
  Millis tidy_at_ = 0;
  net::EnetUnpacker unpacker_;
  net::UdpReader reader_;
  Queries queries_;
  std::unordered_map<LinkId, std::unique_ptr<DatagramSession>> sessions_;
  std::unordered_map<net::Address, DatagramSession*, net::AddressHash> by_client_;
  std::set<LinkId> unproven_;  // the oldest first
  std::vector<DatagramSession*> done_;
  bool stopping_ = false;
};

}  // namespace entente::relay
