// Where a relay's clients come in: accepts them, turns away whom a limit forbids, keeps them waiting while the server's
// dialect is being found out, and gives them and their datagrams to a worker.
// Law: lives on the route's home worker; a client that is let in is counted in admission until its session is gone.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "proxy/base/limits.h"
#include "proxy/net/listener.h"
#include "proxy/relay/acceptors/finder.h"
#include "proxy/relay/acceptors/queries.h"
#include "proxy/relay/acceptors/seating.h"
#include "proxy/relay/admission/admission.h"
#include "proxy/relay/ends/link_table.h"

namespace entente::relay {

class Acceptor final : private net::Listener::User,
                       private net::UdpReader::User,
                       private Finder::User,
                       private Queries::User {
 public:
  Acceptor(WorkerRoute& worker_route, Seating& seating, const Limits& limits);

  Outcome<Done> open(net::Fd listening);
  void close();
  void tick(Millis now);
  void set_limits(const Limits& limits) { limits_ = limits; }
  void set_access(std::vector<Access> access) { admission_.set_access(std::move(access)); }

  /// What the workers tell of the sessions they were given.
  void named(LinkId link, std::uint32_t player) { table_.greeted(link, player); }
  void left(LinkId link, const net::Address& client, bool server_unreached);
  void away(const net::Address& client) { admission_.keep(client); }
  void came_back(const net::Address& client) { admission_.take_back(client); }
  bool crowded_from(const net::Address& client) const { return admission_.crowded_from(client, limits_); }
  bool crowded() const { return admission_.crowded(limits_); }

 private:
  void accepted(net::Fd fd, const net::Address& from) override;
  void starved(const net::Address& from) override;
  void datagram(const net::Address& from, Bytes bytes) override;
  void datagrams_done() override { seating_.passed_on(); }
  void found_out() override;
  void answer(const Queries::Asker& to, Bytes datagram) override;
  wire::Status status() const override { return worker_route_.status(admission_.inside(), limits_.sessions); }

  void turn_away(net::Fd fd, const net::Address& from, Reason why);
  void part(net::Fd fd);
  void admit(Newcomer newcomer);

  WorkerRoute& worker_route_;
  Route& route_;
  Seating& seating_;
  Limits limits_;
  Admission admission_;
  Millis tidy_at_ = 0;
  LinkTable table_;
  net::Listener listener_;
  net::UdpReader datagrams_;
  Finder finder_;
  Queries queries_;
  std::vector<Newcomer> waiting_;
  /// Who was turned away and has not gone: to close at once could take the last word from him.
  std::deque<std::pair<net::Fd, Millis>> parting_;
};

}  // namespace entente::relay
