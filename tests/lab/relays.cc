// Relays of the toy game: clients and servers that talk, fall silent, leave and break off. check() has what must hold
// afterwards.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "proxy/net/fd.h"
#include "proxy/net/socket.h"
#include "proxy/relay/proxy_server.h"
#include "tests/lab/plan.h"
#include "tests/lab/watch.h"
#include "tests/support/toy_game.h"

namespace entente::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kHello = "TOY!", kWelcome = "toy\x07";
constexpr Nanos kPatience = 300'000 * kMilli;  // by then, every peer has been told of its end

/// What one peer does: how much it says, with which pauses, and how it ends.
struct Habits {
  std::size_t frames = 0;
  Nanos pause = 0;
  bool breaks_off = false;  // closes at once, without reading what is left
};

/// One session, as its two peers saw it.
struct Talk {
  Buffer said_by_client, heard_by_server, said_by_server, heard_by_client;
  bool reached_server = false, client_ended = false, server_ended = false;
  bool client_cut = false, server_cut = false;  // the connection broke, or a peer broke it off
  Buffer tapped_up, tapped_down;
  std::string reason;  // why the relay ended it; empty: it had no session
  Habits client, server;
  Nanos comes_after = 0;
  /// When a peer has said all, when it heard the last bytes, and when it heard of the end. 0: never.
  struct Times {
    Nanos done = 0, last = 0, end = 0;
  } client_times, server_times;
  /// Whether the relay ended it because a peer left.
  bool left() const { return reason == text(relay::Reason::kClientLeft) || reason == text(relay::Reason::kServerLeft); }
  /// Whether a part may be missing.
  bool cut() const { return client_cut || server_cut || !left(); }
};

/// Sessions in the order of the clients' addresses, which are kFirstClient and the next ones.
using Talks = std::vector<std::unique_ptr<Talk>>;
constexpr std::uint32_t kFirstClient = 0x0a000001;

/// Keeps what the relay tells its tap.
class Tapped final : public relay::Tap, private relay::TapSink {
 public:
  explicit Tapped(Talks& talks) : talks_(talks) {}
  relay::TapSink& sink(std::size_t) override { return *this; }

 private:
  void opened(const relay::LinkInfo& session, WallTime) override {
    const auto& four = *reinterpret_cast<const sockaddr_in*>(session.client.raw());
    by_link_[session.link] = talks_.at(ntohl(four.sin_addr.s_addr) - kFirstClient).get();
  }
  void bytes(relay::LinkId link, wire::Way way, wire::Lane, Bytes bytes, WallTime) override {
    Talk& talk = *by_link_.at(link);
    append(way == wire::Way::kToServer ? talk.tapped_up : talk.tapped_down, bytes);
  }
  void closed(relay::LinkId link, std::string_view reason, WallTime) override { by_link_.at(link)->reason = reason; }

  Talks& talks_;
  std::map<relay::LinkId, Talk*> by_link_;
};

Habits habits(Plan& plan, const std::string& peer) {
  Draw draw = plan.draw(peer);
  Habits one;
  if (plan.has(peer + " talks", 0.95)) one.frames = draw.number(1, 60);
  if (plan.has(peer + " pauses", 0.25)) one.pause = draw.time(0, 2'000);
  one.breaks_off = plan.has(peer + " breaks off", 0.1);
  return one;
}

Buffer frame() {
  Buffer all{static_cast<std::uint8_t>(kernel().pick(120)), 3};
  for (std::size_t i = all[0]; i > 0; --i) all.push_back(static_cast<std::uint8_t>(kernel().pick(255)));
  return all;
}

/// False: the connection is gone.
bool send_all(int fd, Bytes bytes, Buffer& said) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    append(said, bytes.first(static_cast<std::size_t>(sent)));
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Reads exactly so many bytes. False: the connection is gone.
bool read_exactly(int fd, std::size_t size, Buffer& heard) {
  while (size != 0) {
    Buffer room(size);
    const ssize_t got = ::recv(fd, room.data(), room.size(), 0);
    if (got <= 0) return false;
    append(heard, Bytes(room).first(static_cast<std::size_t>(got)));
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Sends frames on one thread while another reads until the end. Sets `cut` if the connection broke.
void converse(int fd, const Habits& its, Buffer& said, Buffer& heard, bool& cut, Talk::Times& times) {
  std::thread reader([&] {
    for (;;) {
      Buffer room(4096);
      const ssize_t got = ::recv(fd, room.data(), room.size(), 0);
      if (got < 0) cut = true;
      (got > 0 ? times.last : times.end) = kernel().now();
      if (got <= 0) return;
      append(heard, Bytes(room).first(static_cast<std::size_t>(got)));
    }
  });
  bool there = true;
  for (std::size_t i = 0; i < its.frames && there; ++i) {
    there = send_all(fd, frame(), said);
    if (its.pause != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(its.pause));
  }
  if (!there) cut = true;
  if (its.breaks_off) cut = true;
  if (::shutdown(fd, its.breaks_off ? SHUT_RDWR : SHUT_WR) != 0) cut = true;  // a reset that nobody has read about
  times.done = kernel().now();
  reader.join();
}

net::Address address(std::uint32_t ip, std::uint16_t port) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(ip);
  four.sin_port = htons(port);
  return net::Address::from(reinterpret_cast<const sockaddr*>(&four));
}

void play_client(const net::Address& relay, std::uint8_t number, Talk& talk) {
  net::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const net::Address here = address(kFirstClient + number, 0);
  const std::uint8_t name[] = {1, 3, number};  // its first frame
  const bool connected =
      fd && ::bind(fd.get(), here.raw(), here.size()) == 0 && ::connect(fd.get(), relay.raw(), relay.size()) == 0;
  if (connected && send_all(fd.get(), as_bytes(kHello), talk.said_by_client) &&
      read_exactly(fd.get(), kWelcome.size(), talk.heard_by_client) && send_all(fd.get(), name, talk.said_by_client))
    converse(fd.get(), talk.client, talk.said_by_client, talk.heard_by_client, talk.client_cut, talk.client_times);
  else
    talk.client_cut = true;
  talk.client_ended = true;
}

/// False: the connection broke before its client had said which one it is.
bool play_server(const net::Fd& fd, Talks& talks) {
  Buffer heard, said;
  if (!read_exactly(fd.get(), kHello.size(), heard) || !send_all(fd.get(), as_bytes(kWelcome), said) ||
      !read_exactly(fd.get(), 3, heard))
    return false;
  Talk& talk = *talks.at(heard.back());
  talk.heard_by_server = std::move(heard);
  talk.said_by_server = std::move(said);
  talk.reached_server = true;
  converse(fd.get(), talk.server, talk.said_by_server, talk.heard_by_server, talk.server_cut, talk.server_times);
  talk.server_ended = true;
  return true;
}

bool begins_with(Bytes whole, Bytes part) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// Without the relay's own last words to its client, which it says unless the client has left.
Bytes without_goodbye(const Talk& talk) {
  const Bytes goodbye = toy::stream().goodbye(0), heard = talk.heard_by_client;
  const bool said = talk.reason != text(relay::Reason::kClientLeft) && heard.size() >= goodbye.size() &&
                    same(heard.last(goodbye.size()), goodbye);
  return said ? heard.first(heard.size() - goodbye.size()) : heard;
}

std::string missing(const char* whose, Bytes said, Bytes heard) {
  return std::to_string(said.size() - heard.size()) + " of " + std::to_string(said.size()) + " bytes of the " + whose +
         " are missing";
}

/// Whether a peer heard of the other's end long after it could.
bool is_late(const Talk::Times& said, const Talk::Times& heard, Nanos most_flight) {
  return heard.end > std::max(said.done, heard.last) + 4 * most_flight + 1'000 * kMilli;
}

/// `any_unnamed`: the server lost a client before it knew which one. What must hold for one session: each peer heard
/// the beginning of what the other said, both were told of the end, and nothing is missing unless something was cut.
void check(const Talk& talk, const std::string& name, bool any_unnamed, Nanos most_flight,
           std::vector<std::string>& faults) {
  const Bytes heard_by_client = without_goodbye(talk);
  const auto fails = [&](const std::string& what) {
    faults.push_back(name + " (" + (talk.reason.empty() ? "no session" : talk.reason) + "): " + what);
  };
  if (!talk.client_ended) fails("the client was not told of the end");
  if (!begins_with(talk.said_by_client, talk.tapped_up)) fails("the tap has what the client did not say");
  if (!talk.reached_server) {
    if (!talk.cut() && !any_unnamed) fails("the client heard of no failure, and the server was not reached");
    return;
  }
  if (talk.reason.empty()) fails("the session has no reason");
  if (!talk.server_ended) fails("the server was not told of the end");
  if (!begins_with(talk.said_by_client, talk.heard_by_server)) fails("the server heard what the client did not say");
  if (!begins_with(talk.said_by_server, heard_by_client)) fails("the client heard what the server did not say");
  if (!begins_with(talk.said_by_server, talk.tapped_down)) fails("the tap has what the server did not say");
  if (!begins_with(talk.tapped_up, talk.heard_by_server)) fails("the tap lacks what the server heard");
  if (!begins_with(talk.tapped_down, heard_by_client)) fails("the tap lacks what the client heard");
  if (talk.cut()) return;
  if (talk.heard_by_server.size() != talk.said_by_client.size())
    fails(missing("client", talk.said_by_client, talk.heard_by_server));
  if (is_late(talk.client_times, talk.server_times, most_flight)) fails("the server was told late of the client's end");
  if (is_late(talk.server_times, talk.client_times, most_flight)) fails("the client was told late of the server's end");
  if (heard_by_client.size() != talk.said_by_server.size())
    fails(missing("server", talk.said_by_server, heard_by_client));
}

}  // namespace

void simulate_relays(Plan& plan, Verdict& verdict) {
  Talks talks;
  std::size_t unnamed = 0;
  Kernel simulated(plan.seed(), some_faults(plan));
  const auto play = [&] {
    Tapped tapped(talks);
    Told events(plan, "relay");
    net::Sockets listening = std::move(*net::listen(address(INADDR_LOOPBACK, 0), false));
    relay::ProxyServer server(1, events);
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.listen = address(INADDR_LOOPBACK, 0);
    options.servers[0].host = "127.0.0.1";
    options.servers[0].port = listening.address.port();
    options.servers[0].dialect = 0;
    options.tap = &tapped;
    const auto route = server.add(options);
    if (!route) return verdict.wrong.push_back("the route does not start: " + route.error().text);
    std::thread serving([&] { server.run(); });

    std::size_t ended = 0;
    bool over = false;
    for (std::size_t i = 0, clients = plan.draw("clients").number(1, 12); i < clients; ++i) {
      const std::string client = "client " + std::to_string(i);
      if (!plan.has(client)) continue;
      talks.push_back(std::make_unique<Talk>());
      talks.back()->client = habits(plan, client);
      talks.back()->server = habits(plan, "server of " + client);
      talks.back()->comes_after = plan.draw("arrival of " + client).time(0, 3'000);
    }
    std::vector<std::thread> peers, served;
    for (std::size_t i = 0; i < talks.size(); ++i)
      peers.emplace_back([&, i] {
        std::this_thread::sleep_for(std::chrono::nanoseconds(talks[i]->comes_after));
        play_client(route->address, static_cast<std::uint8_t>(i), *talks[i]);
        ++ended;
      });
    std::thread accepting([&] {
      ::fcntl(listening.tcp.get(), F_SETFL, 0);  // accept() waits
      net::limit_waiting(listening.tcp.get(), 100);
      while (!over) {
        net::Fd fd(::accept(listening.tcp.get(), nullptr, nullptr));
        if (fd) served.emplace_back([&, taken = std::move(fd)] { unnamed += play_server(taken, talks) ? 0 : 1; });
      }
    });
    kernel().wait([&] { return ended == talks.size(); }, kernel().now() + kPatience);
    server.stop();
    serving.join();
    over = true;
    accepting.join();
    for (std::thread& one : served) one.join();
    for (std::thread& one : peers) one.join();
  };
  const Nanos began = simulated.now();
  if (const std::size_t left = simulated.run(play); left != 0) {
    verdict.wrong.push_back(std::to_string(left) + " threads are left");
    verdict.leaks = true;
  }
  for (std::size_t i = 0; i < talks.size(); ++i) {
    check(*talks[i], "client " + std::to_string(i), unnamed != 0, simulated.faults.delay + simulated.faults.jitter,
          verdict.wrong);
    verdict.cut += talks[i]->cut() ? 1 : 0;
  }
  if (simulated.open_files() != 0)
    verdict.wrong.push_back(std::to_string(simulated.open_files()) + " descriptors are left");
  verdict.sessions = talks.size();
  verdict.took = simulated.now() - began;
  verdict.hash = simulated.hash();
}

}  // namespace entente::lab
