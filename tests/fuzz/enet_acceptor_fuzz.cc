// Arbitrary datagrams from clients and from a server to the two ENet listeners of a relay, over real sockets. Input:
// each datagram is a byte (bits 0 and 1: which of three clients, 3 = the server, which answers the address it last
// received from; bit 2: to the listener in mode=datagrams), its size in two bytes, and its bytes.
// Invariant: a client that has not proved its address is sent no more than it sent; the acceptors stay open whatever
// comes.
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <unordered_map>

#include "adapters/aos/aos.h"
#include "proxy/net/socket.h"
#include "proxy/relay/acceptors/datagram_acceptor.h"
#include "proxy/relay/acceptors/enet_acceptor.h"
#include "proxy/relay/ends/arena_end.h"
#include "proxy/relay/sessions/enet_session.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/target.h"
#include "tests/relay/silent_events.h"

namespace entente::enet_acceptor_fuzz {
namespace {

using namespace entente::relay;

void require(bool truth) {
  if (!truth) std::abort();
}

/// Owns the sessions in mode=packets, as a worker does.
struct Seats final : Dispatcher, Session::Owner {
  LinkId next_link() override { return ++last; }
  std::size_t next_worker(const relay::Route&) override { return 0; }
  void assign(std::size_t, AcceptedClient newcomer) override {
    Session::Owner& owner = *this;
    auto& session = sessions[newcomer.link];
    session = std::make_unique<EnetSession>(*only, owner, newcomer);
    session->start({});
  }
  bool forward_datagram(SessionRef, const net::Address&, Bytes) override { return false; }
  void flush_datagrams() override {}
  void player_id_given(Session&, std::uint32_t) override {}
  WorkerRoute* route_at(const relay::Route&, std::string_view) override { return nullptr; }
  void away(Session&, const core::Absence&) override {}
  void stays_away(Session&) override {}
  std::optional<SessionRef> claim(Session&, std::uint32_t) override { return std::nullopt; }
  void new_player(Session&) override {}
  void replace(Session&, std::unique_ptr<Session>) override {}
  void hand_over(SessionRef, net::Fd, const net::Address&) override {}
  std::unique_ptr<relay::ArenaEnd> visit(Session&, relay::End::User&, std::size_t,
                                         std::function<std::unique_ptr<core::Front>()>) override {
    return nullptr;
  }
  WorkerRoute& route(std::size_t) override { return *only; }
  void done(Session& session) override { over.push_back(session.info().link); }

  void tick(Millis now) {
    for (auto& [link, session] : sessions) session->tick(now);
    for (const LinkId link : std::exchange(over, {})) {
      const auto gone = sessions.extract(link);
      acceptor->left(link, only->route, gone.mapped()->info().client, false);
    }
  }

  std::unordered_map<LinkId, std::unique_ptr<EnetSession>> sessions;
  std::vector<LinkId> over;
  WorkerRoute* only = nullptr;
  Acceptor* acceptor = nullptr;
  LinkId last = 0;
};

net::Fd socket_of(const net::Address& at, net::Address* where) {
  auto made = net::listen_datagrams(at);
  require(made.ok());
  *where = made->address;
  return std::move(made->udp);
}

std::shared_ptr<const relay::RouteOptions> options_of(EnetMode enet) {
  relay::RouteOptions options;
  options.game = &aos::game();
  options.enet = enet;
  options.limits.sessions = 8;
  options.limits.greet_ms = options.limits.connect_ms = 20;
  return std::make_shared<const relay::RouteOptions>(std::move(options));
}

struct World {
  World() {
    const net::Address any = *net::Address::parse("127.0.0.1", 0);
    server = socket_of(any, &server_address);
    for (auto& stranger : strangers) stranger = socket_of(any, &ignored);
    for (Route* route : {&packets, &datagrams}) {
      std::vector<std::unique_ptr<Upstream>> one;
      one.push_back(std::make_unique<Upstream>(0, UpstreamOptions{}, "server", std::vector{server_address}));
      route->upstreams.open(std::move(one), {});
    }
    auto made = net::listen_datagrams(any);
    require(made.ok());
    packets.listener = &packets_at;
    datagrams.listener = &datagrams_at;
    datagrams_at.datagrams = std::make_shared<const net::Fd>(std::move(made->udp));
    datagrams_at.address = datagrams.listen_address = made->address;
    packet_route.emplace(packets, loop, nullptr);
    datagram_route.emplace(datagrams, loop, nullptr);
    packet_probes.emplace(*packet_route);
    datagram_probes.emplace(*datagram_route);
    packet_acceptor.emplace(*packet_route, *packet_probes, seats);
    datagram_acceptor.emplace(*datagram_route, *datagram_probes, seats);
    seats.only = &*packet_route;
    seats.acceptor = &*packet_acceptor;
    const auto at = packet_acceptor->open({}, any);
    require(at.ok() && datagram_acceptor->open({}, any).ok());
    packets.listen_address = *at;
  }

  void send(std::uint8_t who, Bytes bytes) {
    const net::Address& acceptor = (who & 4U) != 0 ? datagrams.listen_address : packets.listen_address;
    if ((who & 3U) == 3)
      (void)::sendto(server.get(), bytes.data(), bytes.size(), MSG_DONTWAIT, heard.raw(), heard.size());
    else
      (void)::sendto(strangers[who & 3U].get(), bytes.data(), bytes.size(), MSG_DONTWAIT, acceptor.raw(),
                     acceptor.size());
    uv_run(loop.raw(), UV_RUN_NOWAIT);
    listen();
  }

  /// The server remembers the last sender; clients discard what they receive.
  void listen() {
    std::uint8_t room[4096];
    sockaddr_storage raw{};
    socklen_t size = sizeof raw;
    while (::recvfrom(server.get(), room, sizeof room, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&raw), &size) >= 0)
      heard = net::Address::from(reinterpret_cast<const sockaddr*>(&raw));
    for (auto& stranger : strangers)
      while (::recv(stranger.get(), room, sizeof room, MSG_DONTWAIT) >= 0) continue;
  }

  void tick() {
    seats.tick(loop.now());
    packet_acceptor->tick(loop.now());
    datagram_acceptor->tick(loop.now());
    uv_run(loop.raw(), UV_RUN_NOWAIT);
    const auto& counters = datagram_route->counters;
    require(counters.begun.read() - counters.gone.read() <=
            datagrams.options->limits.sessions + DatagramAcceptor::kMostUnproven);
  }

  net::Loop loop;
  testing::SilentEvents events;
  Listener packets_at{0, aos::game(), EnetMode::kPackets}, datagrams_at{1, aos::game(), EnetMode::kDatagrams};
  Route packets{options_of(EnetMode::kPackets), events}, datagrams{options_of(EnetMode::kDatagrams), events};
  Seats seats;
  net::Fd server, strangers[3];
  net::Address server_address, heard = *net::Address::parse("127.0.0.1", 9), ignored;
  std::optional<WorkerRoute> packet_route, datagram_route;
  std::optional<ServerProbes> packet_probes, datagram_probes;
  std::optional<EnetAcceptor> packet_acceptor;
  std::optional<DatagramAcceptor> datagram_acceptor;
};

}  // namespace

ENTENTE_FUZZ_TARGET(enet_acceptor) {
  static World& world = *new World;  // its sockets last as long as the process
  for (Bytes left(data, size); left.size() >= 3;) {
    const std::uint8_t who = left[0];
    left = left.subspan(1);
    world.send(who, fuzz::take_message(left));
  }
  world.tick();
  return 0;
}

}  // namespace entente::enet_acceptor_fuzz
