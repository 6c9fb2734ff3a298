// Accepts clients over TCP, also for WebSockets, and receives the UDP datagrams that some games use beside it. Clients
// of WebSocket listeners go to a worker at once, because they may only ask for a page. The others wait here until the
// server's dialect is detected.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "proxy/net/proxies/proxy_header_reader.h"
#include "proxy/net/tcp_acceptor.h"
#include "proxy/relay/acceptors/acceptor.h"
#include "proxy/relay/ends/link_table.h"

namespace entente::relay {

class StreamAcceptor final : public Acceptor,
                             private net::TcpAcceptor::User,
                             private net::UdpReader::User,
                             private net::ProxyHeaderReader::User {
 public:
  StreamAcceptor(WorkerRoute& worker_route, ServerProbes& probes, Dispatcher& dispatcher);

  Outcome<net::Address> open(net::Fd listening, const net::Address& at) override;
  void close() override;
  bool empty() const override { return parting_.empty(); }
  void stop() override;
  Outcome<Done> offer(std::vector<OfferedSocket>& out) override;
  Outcome<Done> release_newcomers() override;
  void cancel_take_over() override;
  void complete_take_over() override;
  void tick(Millis now) override;
  void command(const SessionCommand& command, Inquiry::Part& part) override;
  void player_id_given(LinkId link, std::uint32_t player_id) override { table_.greeted(link, player_id); }
  void left(LinkId link, const Route& its, const net::Address& client, bool called) override;

 private:
  void accepted(net::Fd fd, const net::Address& from) override;
  void starved(net::Fd fd, const net::Address& from) override;
  void datagram(const net::Address& from, Bytes bytes) override;
  void datagrams_done() override { dispatcher_.flush_datagrams(); }
  void probed() override;
  void route_changed() override;

  void client_named(net::Fd fd, const net::Address& client, bool health_check) override;
  void client_unnamed(net::Fd fd, const net::Address& by, net::NoHeader why, const Fault& fault) override;

  Buffer last_word(Reason why, const std::string& words) const;
  void turn_away(net::Fd fd, const net::Address& from, Reason why, const Fault& fault = Fault{""});
  void say_goodbye(net::Fd fd, Reason why, const std::string& words);
  void turn_away_waiting();
  void drop_gone();
  void forget(const AcceptedClient& client);
  void close_later(net::Fd fd);
  void close_oldest_parting();
  std::vector<net::UdpReader::Peer> peers() const;
  bool may_begin() const;
  void admit(AcceptedClient newcomer, Millis since, Millis until);

  LinkTable table_;
  net::TcpAcceptor tcp_acceptor_;
  net::UdpReader datagrams_;
  bool reads_ = false;  // datagrams_ is open
  net::ProxyHeaderReader proxy_headers_;
  struct Waiting {
    AcceptedClient client;
    Millis since, until;
  };
  void part_from(Waiting one, Reason why);
  std::vector<Waiting> waiting_;  // until a server's dialect is known
  /// Connections of refused clients, and when to close them. Closing at once could lose our goodbye.
  std::deque<std::pair<net::Fd, Millis>> parting_;
};

}  // namespace entente::relay
