// A session of an ENet relay that passes datagrams, whose time the test sets: who may say what, when it ends, and what
// is then sent.
#include "proxy/relay/sessions/datagram_session.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/aos/aos.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/enet_speech.h"
#include "tests/relay/route/one_route.h"

namespace entente::testing::datagram_session_test {
namespace {

using relay::Drop, relay::LabFault, relay::Reason;
using wire::Way;

constexpr std::uint32_t kConnectId = 77, kConnectMs = 4'000, kGreetMs = 5'000, kIdleMs = 20'000;
constexpr Millis kQuiet = 1'000;
constexpr std::size_t kHeaders = 28;  // bytes of IP and UDP around each datagram

Limits timed() {
  Limits limits = no_limits();
  limits.connect_ms = kConnectMs;
  limits.greet_ms = kGreetMs;
  limits.idle_ms = kIdleMs;
  return limits;
}

relay::RouteOptions options(const Limits& limits, relay::Bans* bans) {
  relay::RouteOptions options = options_of(aos::game());
  options.bans = bans;
  options.enet = EnetMode::kDatagrams;
  options.limits = limits;
  return options;
}

struct Rig : Turning, relay::DatagramSession::Owner {
  explicit Rig(const Limits& limits = timed(), std::size_t servers = 1, std::vector<net::Address> at = {},
               relay::Bans* bans = nullptr) {
    for (std::size_t i = 0; i < servers; ++i) at.push_back(server.emplace_back(loopback()).here());
    route.emplace(loop, options(limits, bans), at, &tapped.sink(0));
    auto listening = net::listen_datagrams(loopback());
    REQUIRE(listening.ok());
    route->listener.datagrams = std::make_shared<const net::Fd>(std::move(listening->udp));
    route->here.emplace(route->route, loop, &tapped.sink(0));
    relay::LinkInfo info{1, &aos::game(), 0, client.here(), at.front(), listening->address};
    const auto connect = net::enet_connect(first, unpacker);
    REQUIRE(connect);
    relay::DatagramSession::Owner& owner = *this;
    began = loop.now();
    session.emplace(*route->here, owner, unpacker, limits, info, *connect, first);
    session->start();
  }
  std::optional<Reason> proven(relay::DatagramSession&) override { return ++asked, refuses; }
  void done(relay::DatagramSession&) override { ++times_done; }

  /// It is dealt with when it is the client's turn.
  void say(Bytes datagram) {
    session->client_said(datagram);
    for (int i = 0; i < 5; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  }
  /// What this socket is sent, each as hex.
  std::vector<std::string> got(const Datagrams& by) {
    for (int i = 0; i < 5; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
    std::vector<std::string> all;
    while (by.readable(0)) {
      const auto one = by.receive();
      all.push_back(to_hex(one.bytes));
      if (&by != &client) from = one.from;
    }
    return all;
  }
  std::vector<std::string> at_server() { return got(server[0]); }
  std::vector<std::string> at_client() { return got(client); }
  void answer(Bytes datagram) {
    server[0].send(from, datagram);
    const std::uint64_t before = seen();
    until([&] { return seen() > before; });
  }
  /// How many datagrams of the server were dealt with.
  std::uint64_t seen() const {
    std::uint64_t all = route->here->counters.to_client.datagrams.read();
    for (const Drop drop : {Drop::kBadFrame, Drop::kTooLarge, Drop::kUnproven}) all += route->dropped(drop);
    return all + lab_count();
  }
  std::uint64_t lab_count() const { return route->here->counters.lab.at(Way::kToClient, LabFault::kLoss).read(); }
  /// The client and the server shake hands.
  void open() {
    CHECK(at_server() == std::vector{to_hex(first)});
    answer(verify_datagram(kConnectId));
    CHECK(at_client() == std::vector{to_hex(verify_datagram(kConnectId))});
    say(proof_datagram());
    CHECK(at_server() == std::vector{to_hex(proof_datagram())});
    CHECK(session->proven());
  }

  /// The same, if a lab delays what the client sends.
  void open_with_lab() {
    (void)at_server();
    answer(verify_datagram(kConnectId));
    (void)at_client();
    say(proof_datagram());
    CHECK(session->proven());
  }

  Tapped tapped;
  std::vector<Datagrams> server;
  const Datagrams client{loopback()};
  const Buffer first = connect_datagram(kConnectId);
  net::EnetUnpacker unpacker;
  std::optional<OneRoute> route;
  std::optional<Reason> refuses;
  int asked = 0, times_done = 0;
  Millis began = 0;
  net::Address from;
  std::optional<relay::DatagramSession> session;
};

/// A datagram of this client, with this content. It is no disconnect.
Buffer from_client(std::string_view content) {
  Buffer all = from_hex("1002 49000000 0001");
  all.push_back(0);
  all.push_back(static_cast<std::uint8_t>(content.size()));
  append(all, as_bytes(content));
  return all;
}
/// The same of the server, for the client's peer 7.
Buffer from_server(std::string_view content) {
  Buffer all = from_client(content);
  all[0] = 0x10;
  all[1] = 0x07;
  return all;
}

std::vector<std::string> hex(const Buffer& one) { return {to_hex(one)}; }
Buffer bytes_of(const std::array<std::uint8_t, 10>& disconnect) { return {disconnect.begin(), disconnect.end()}; }

TEST_CASE("datagram session: once the client has proven its address, datagrams pass both ways as they are") {
  Rig rig;
  rig.open();
  CHECK(rig.asked == 1);
  rig.say(from_client("up"));
  CHECK(rig.at_server() == hex(from_client("up")));
  rig.answer(from_server("down"));
  CHECK(rig.at_client() == hex(from_server("down")));
  CHECK(rig.asked == 1);
  const auto& counters = rig.route->here->counters;
  CHECK(counters.begun.read() == 1);
  CHECK(counters.to_server.datagrams.read() == 3);
  CHECK(counters.to_client.datagrams.read() == 2);
  const std::size_t up = rig.first.size() + proof_datagram().size() + from_client("up").size();
  const std::size_t down = verify_datagram(kConnectId).size() + from_server("down").size();
  CHECK(counters.to_server.datagram_bytes.read() == up);
  CHECK(counters.to_client.datagram_bytes.read() == down);
  CHECK(rig.session->report().bytes == up + down);
  CHECK(rig.session->report().info.enet_datagrams);
  CHECK(rig.session->listed());
}

TEST_CASE("datagram session: the tap is told of it once it is proven, with its connect, but not the answers before") {
  Rig rig;
  (void)rig.at_server();
  rig.answer(verify_datagram(kConnectId));
  CHECK(rig.tapped.record(1).datagrams_to_server.empty());
  rig.say(proof_datagram());
  rig.answer(from_server("down"));
  rig.say(from_client("up"));
  const auto record = rig.tapped.record(1);
  CHECK(record.datagrams_to_server == std::vector<Buffer>{rig.first, proof_datagram(), from_client("up")});
  CHECK(record.datagrams_to_client == std::vector<Buffer>{from_server("down")});
  rig.session->end(Reason::kKicked);
  CHECK(rig.tapped.record(1).closed == relay::text(Reason::kKicked));
}

TEST_CASE("datagram session: before the proof, only its own connect and datagrams to the server's peer pass") {
  Rig rig;
  CHECK(rig.at_server() == hex(rig.first));
  rig.say(rig.first);
  CHECK(rig.at_server() == hex(rig.first));
  rig.say(connect_datagram(kConnectId + 1));
  rig.say(from_client("x"));  // the server has not answered yet
  rig.say({});
  CHECK(rig.at_server().empty());
  CHECK(rig.route->dropped(Drop::kBadFrame) == 3);
  rig.answer(verify_datagram(kConnectId));
  rig.say(from_client("x"));
  CHECK(rig.at_server() == hex(from_client("x")));
  Buffer other = from_client("x");
  other[1] = 3;  // another peer of the server
  rig.say(other);
  CHECK(rig.at_server().empty());
  CHECK(rig.route->dropped(Drop::kBadFrame) == 4);
  CHECK(rig.asked == 0);
  CHECK_FALSE(rig.session->proven());
}

TEST_CASE("datagram session: an acknowledgement of any of the last answers is a proof") {
  Rig rig;
  (void)rig.at_server();
  Buffer later = verify_datagram(kConnectId);
  later[3] = 0x79;
  rig.say(rig.first);  // so that it may be sent a second answer
  rig.answer(verify_datagram(kConnectId));
  rig.answer(later);
  rig.say(proof_datagram());  // of the first
  CHECK(rig.session->proven());
}

TEST_CASE("datagram session: four wrong acknowledgements are the end, three are not") {
  Rig rig;
  (void)rig.at_server();
  rig.answer(verify_datagram(kConnectId));
  Buffer wrong = proof_datagram();
  wrong.back() = 1;
  for (int i = 0; i < 3; ++i) rig.say(wrong);
  CHECK(rig.times_done == 0);
  rig.say(wrong);
  CHECK(rig.times_done == 1);
  CHECK(rig.route->ended(Reason::kGreetTimeout) == 1);
  rig.say(proof_datagram());
  CHECK_FALSE(rig.session->proven());
}

TEST_CASE("datagram session: what is dropped does not count for the client's address") {
  Rig rig;
  (void)rig.at_server();
  for (int i = 0; i < 20; ++i) rig.say(connect_datagram(kConnectId + 1));
  Buffer large = from_server("");
  large.resize(rig.first.size() + 1);
  rig.answer(large);
  CHECK(rig.at_client().empty());
  CHECK(rig.route->dropped(Drop::kUnproven) == 1);
}

TEST_CASE("datagram session: a client that may not come in is told why, and its server, too") {
  Rig rig;
  rig.refuses = Reason::kTooMany;
  (void)rig.at_server();
  rig.answer(verify_datagram(kConnectId));
  (void)rig.at_client();
  rig.say(proof_datagram());
  CHECK(rig.times_done == 1);
  CHECK_FALSE(rig.session->proven());
  CHECK_FALSE(rig.session->listed());
  CHECK(rig.route->ended(Reason::kTooMany) == 1);
  CHECK(rig.at_client() == hex(bytes_of(net::enet_disconnect(7, aos::game().enet_parting(wire::Parting::kFull)))));
  CHECK(rig.at_server() == hex(bytes_of(net::enet_disconnect(0x1002, aos::game().enet_parting(wire::Parting::kLeft)))));
  CHECK(rig.tapped.record(1).closed.empty());
}

TEST_CASE("datagram session: it ends once, with a disconnect to both sides, unless one of them has left") {
  for (const Reason why : {Reason::kKicked, Reason::kStopped, Reason::kClientLeft, Reason::kServerLeft}) {
    CAPTURE(relay::text(why));
    Rig rig;
    rig.open();
    rig.session->end(why);
    rig.session->end(Reason::kIdle);
    CHECK(rig.times_done == 1);
    CHECK(rig.route->ended(why) == 1);
    CHECK(rig.route->ended(Reason::kIdle) == 0);
    const bool tells = why == Reason::kKicked || why == Reason::kStopped;
    const auto client = rig.at_client(), server = rig.at_server();
    CHECK(client.size() == (tells ? 1 : 0));
    CHECK(server.size() == (tells ? 1 : 0));
    if (!tells) continue;
    // The client's number is that of the server's last datagram.
    CHECK(client[0].substr(0, 4) == "0007");
    CHECK(server[0].substr(0, 4) == "1002");
    rig.say(from_client("late"));
    CHECK(rig.at_server().empty());
    CHECK(rig.route->dropped(Drop::kNotLinked) == 1);
    rig.session->tick(rig.loop.now() + 2 * kIdleMs);
    CHECK(rig.times_done == 1);
  }
}

TEST_CASE("datagram session: larger and too many datagrams are dropped, those of the server as well") {
  Limits limits = timed();
  limits.datagram_bytes = 100;
  Rig rig(limits);
  rig.open();
  for (const std::size_t size : {100U, 101U}) {
    Buffer up = from_client(""), down = from_server("");
    up.resize(size);
    down.resize(size);
    rig.say(up);
    rig.answer(down);
    CHECK(rig.at_server().size() == (size == 100 ? 1 : 0));
    CHECK(rig.at_client().size() == (size == 100 ? 1 : 0));
  }
  CHECK(rig.route->dropped(Drop::kTooLarge) == 2);
  rig.answer(Buffer{1});
  CHECK(rig.route->dropped(Drop::kBadFrame) == 1);
}

TEST_CASE("datagram session: a client that is too fast loses its datagrams") {
  Limits limits = timed();
  limits.datagrams_per_second = 1;
  Rig rig(limits);
  CHECK(rig.at_server() == hex(rig.first));
  rig.answer(verify_datagram(kConnectId));
  (void)rig.at_client();
  for (int i = 0; i < 50; ++i) rig.say(proof_datagram());
  CHECK(rig.route->dropped(Drop::kTooFast) >= 40);
  CHECK(rig.at_server().size() <= 10);
}

TEST_CASE("datagram session: a client has greet_ms to prove its address once the server has answered") {
  Rig rig;
  (void)rig.at_server();
  rig.answer(verify_datagram(kConnectId));
  rig.session->tick(rig.began + kGreetMs);
  CHECK(rig.times_done == 0);
  rig.session->tick(rig.began + kGreetMs + 1);
  CHECK(rig.times_done == 1);
  CHECK(rig.route->ended(Reason::kGreetTimeout) == 1);
  Rig proven;
  proven.open();
  proven.session->tick(proven.began + kGreetMs + 1);
  CHECK(proven.times_done == 0);
}

TEST_CASE("datagram session: a server that does not answer is followed by the next one, which gets the connect") {
  Rig rig(timed(), 2);
  const bool second = rig.got(rig.server[0]).empty();
  const Datagrams &here = rig.server[second ? 1 : 0], &next = rig.server[second ? 0 : 1];
  if (second) CHECK(rig.got(here) == hex(rig.first));
  rig.session->tick(rig.began + kConnectMs);
  CHECK(rig.got(next).empty());
  rig.session->tick(rig.loop.now() + kConnectMs + 1);
  CHECK(rig.got(next) == hex(rig.first));
  CHECK(rig.session->report().info.server == next.here());
  CHECK(rig.times_done == 0);
  rig.session->tick(rig.loop.now() + kConnectMs + 1);
  CHECK(rig.times_done == 1);
  CHECK(rig.route->ended(Reason::kServerTimeout) == 1);
  CHECK(rig.got(here).empty());  // no server has answered: none is told
}

TEST_CASE("datagram session: an address that this machine cannot use is followed by the next server") {
  const net::Address nowhere = *net::Address::parse("255.255.255.255:9");
  Rig alone(timed(), 0, {nowhere});
  CHECK(alone.times_done == 1);
  CHECK(alone.route->ended(Reason::kServerUnreachable) == 1);
  CHECK(alone.route->heard.told("cannot open a UDP socket towards " + nowhere.text()) == 1);
  CHECK(alone.route->heard.told("open files") == 0);
  CHECK(alone.route->server().sessions() == 0);
  for (int i = 0; i < 10; ++i) {  // any of the two may be tried first
    Rig rig(timed(), 1, {nowhere});
    CHECK(rig.at_server() == hex(rig.first));
    CHECK(rig.times_done == 0);
    CHECK(rig.session->report().info.server == rig.server[0].here());
  }
}

TEST_CASE("datagram session: it counts for its server until it ends, and only a proven one is opened") {
  Rig rig;
  CHECK(rig.route->server().sessions() == 1);
  rig.open();
  CHECK(rig.route->heard.told("opened ") == 1);
  rig.session->end(Reason::kKicked);
  rig.session.reset();
  CHECK(rig.route->server().sessions() == 0);
  Rig other;
  other.session->end(Reason::kGreetTimeout);
  CHECK(other.route->heard.told("opened ") == 0);
}

TEST_CASE("datagram session: it is idle once one of its sides has been silent for idle_ms, whatever the other sends") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Rig rig;
    rig.open();
    const Millis then = rig.loop.now();
    rig.until([&] { return rig.loop.now() >= then + 20; });
    if (by_client)
      rig.say(from_client("x"));
    else
      rig.answer(from_server("x"));
    rig.session->tick(rig.began + kIdleMs);
    CHECK(rig.times_done == 0);
    rig.session->tick(then + kIdleMs + 1);
    CHECK(rig.route->ended(Reason::kIdle) == 1);
    CHECK(rig.at_client().size() + rig.at_server().size() >= 2);  // both are told
  }
}

TEST_CASE("datagram session: it ends a second after a disconnect, whichever side sent it, and nobody is told again") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Rig rig;
    rig.open();
    if (by_client)
      rig.say(net::enet_disconnect(0x1002, 0));
    else
      rig.answer(net::enet_disconnect(7, 0));
    (void)rig.at_client(), (void)rig.at_server();
    const Millis said = rig.loop.now();
    rig.session->tick(rig.began + kQuiet);
    CHECK(rig.times_done == 0);
    rig.session->tick(said + kQuiet + 1);
    CHECK(rig.route->ended(by_client ? Reason::kClientLeft : Reason::kServerLeft) == 1);
    CHECK(rig.at_client().empty());
    CHECK(rig.at_server().empty());
    CHECK(rig.route->heard.told("banned") == 0);
  }
}

TEST_CASE("datagram session: a disconnect that something else followed ended nothing") {
  Rig rig;
  rig.open();
  rig.say(net::enet_disconnect(0x1002, 0));
  rig.say(from_client("more"));
  rig.session->tick(rig.loop.now() + kQuiet + 1);
  CHECK(rig.times_done == 0);
}

TEST_CASE(
    "datagram session: it gives way to another connect of its address only if its client has left or is unproven") {
  Rig unproven;
  CHECK(unproven.session->gives_way() == Reason::kClientLeft);
  Rig rig;
  rig.open();
  const auto after_a_word = [&] {
    rig.say(from_client("x"));
    return rig.session->gives_way();
  };
  CHECK(after_a_word() == std::nullopt);
  rig.answer(net::enet_disconnect(7, 0));
  CHECK(after_a_word() == Reason::kServerLeft);
  rig.answer(from_server("x"));
  CHECK(after_a_word() == std::nullopt);
  rig.say(net::enet_disconnect(0x1002, 0));
  CHECK(rig.session->gives_way() == Reason::kClientLeft);
  CHECK(rig.times_done == 0);
}

TEST_CASE("datagram session: it gives way once its client has been silent for a second, whatever its server sends") {
  Rig rig;
  rig.open();
  const Millis before = rig.loop.now();
  rig.say(from_client("x"));
  const Millis said = rig.loop.now();
  rig.until([&] { return rig.loop.now() > said; });
  rig.answer(from_server("x"));
  rig.pretend(before + kQuiet);
  CHECK(rig.session->gives_way() == std::nullopt);
  rig.pretend(said + kQuiet + 1);
  CHECK(rig.session->gives_way() == Reason::kClientLeft);
}

TEST_CASE("datagram session: a connect is its own if it has the same number") {
  Rig rig;
  const Buffer same = connect_datagram(kConnectId), other = connect_datagram(kConnectId + 1);
  CHECK(rig.session->is(*net::enet_connect(same, rig.unpacker)));
  CHECK_FALSE(rig.session->is(*net::enet_connect(other, rig.unpacker)));
}

TEST_CASE("datagram session: an operator's drain ends those on that server, and a move or a message is refused") {
  Rig rig;
  rig.open();
  CHECK(rig.session->say("hello") == relay::AnnounceResult::kOff);
  const auto order = std::make_shared<relay::MoveOrder>(0);
  rig.session->move(order);
  CHECK(order->wait(0).how == relay::MoveResult::How::kStays);
  CHECK_FALSE(rig.session->leave_server("another:1", ""));
  CHECK(rig.times_done == 0);
  CHECK(rig.session->leave_server(rig.route->server().name, ""));
  CHECK(rig.route->ended(Reason::kDrained) == 1);
  CHECK_FALSE(rig.session->leave_server(rig.route->server().name, ""));
}

TEST_CASE(
    "datagram session: a minute of silence is the end, without idle_ms or with more, because ENet gives up then") {
  for (const std::uint32_t idle_ms : {0U, 600'000U}) {
    Limits limits = timed();
    limits.idle_ms = idle_ms;
    Rig rig(limits);
    rig.open();
    rig.session->tick(rig.began + 60'000);
    CHECK(rig.times_done == 0);
    rig.session->tick(rig.loop.now() + 60'001);
    CHECK(rig.route->ended(Reason::kIdle) == 1);
  }
}

TEST_CASE("datagram session: with its first answer the server is up, and counts the connection once") {
  Rig rig;
  relay::Upstream& server = rig.route->server();
  server.failed(rig.loop.now(), "gone");
  (void)rig.at_server();
  rig.answer(verify_datagram(kConnectId + 1));  // of another connect
  CHECK(server.sessions_opened() == 0);
  CHECK(server.state() == relay::Upstream::State::kDown);
  rig.say(rig.first);
  for (int i = 0; i < 2; ++i) rig.answer(verify_datagram(kConnectId));
  CHECK(server.sessions_opened() == 1);
  CHECK(server.state() == relay::Upstream::State::kUp);
  CHECK(rig.route->heard.told("server " + server.name + " is up") == 1);
}

TEST_CASE("datagram session: if no server is left, the reason is that of the last one") {
  const net::Address nowhere = *net::Address::parse("255.255.255.255:9");
  for (int i = 0; i < 10; ++i) {  // any of the two may be tried first
    Rig rig(timed(), 1, {nowhere});
    const bool silent_is_last = rig.route->heard.told("cannot open a UDP socket") == 1;
    rig.session->tick(rig.loop.now() + kConnectMs + 1);
    CHECK(rig.times_done == 1);
    CHECK(rig.route->ended(silent_is_last ? Reason::kServerTimeout : Reason::kServerUnreachable) == 1);
  }
}

TEST_CASE("datagram session: the client's disconnect has the number to which its server has written last") {
  Rig rig;
  rig.open();
  Buffer other = from_server("x");
  other[1] = 9;
  rig.answer(other);
  (void)rig.at_client();
  rig.session->end(Reason::kKicked);
  CHECK(rig.at_client() ==
        hex(bytes_of(net::enet_disconnect(0x1009, aos::game().enet_parting(wire::Parting::kKicked)))));
}

TEST_CASE("datagram session: an answer that belongs to another connect proves nothing") {
  Rig rig;
  (void)rig.at_server();
  rig.answer(verify_datagram(kConnectId + 1));
  rig.say(proof_datagram());
  CHECK_FALSE(rig.session->proven());
  CHECK(rig.asked == 0);
  CHECK(rig.at_server().empty());
}

TEST_CASE("datagram session: each connect that the client sends again pays for one more answer to it") {
  Rig rig;
  (void)rig.at_server();
  rig.answer(verify_datagram(kConnectId));
  rig.answer(verify_datagram(kConnectId));
  CHECK(rig.at_client().size() == 1);
  CHECK(rig.route->dropped(Drop::kUnproven) == 1);
  for (int i = 0; i < 3; ++i) rig.say(rig.first);
  for (int i = 0; i < 4; ++i) rig.answer(verify_datagram(kConnectId));
  CHECK(rig.at_client().size() == 3);
  CHECK(rig.route->dropped(Drop::kUnproven) == 2);
}

TEST_CASE("datagram session: a session's opening and length are counted once it is proven") {
  const auto sum = [](const auto& durations) {
    std::uint64_t all = 0;
    for (const relay::Count& one : durations.in) all += one.read();
    return all;
  };
  for (const bool proves : {true, false}) {
    CAPTURE(proves);
    Rig rig;
    const auto& counters = rig.route->here->counters;
    if (proves) rig.open();
    CHECK(sum(counters.opening) == (proves ? 1 : 0));
    CHECK(sum(counters.length) == 0);
    rig.session->end(Reason::kKicked);
    CHECK(sum(counters.opening) == (proves ? 1 : 0));
    CHECK(sum(counters.length) == (proves ? 1 : 0));
    CHECK(counters.begun.read() == 1);
  }
}

TEST_CASE("datagram session: a proven client shares the rates of its address; who is unproven takes nothing of them") {
  Limits limits = timed();
  limits.address_messages_per_second = 1;
  Rig rig(limits);
  (void)rig.at_server();
  for (int i = 0; i < 20; ++i) rig.say(rig.first);
  CHECK(rig.route->dropped(Drop::kTooFast) == 0);
  rig.answer(verify_datagram(kConnectId));
  rig.say(proof_datagram());
  REQUIRE(rig.session->proven());
  for (int i = 0; i < 50; ++i) rig.say(from_client("x"));
  CHECK(rig.route->dropped(Drop::kTooFast) >= 1);
}

TEST_CASE("datagram session: the guess that ends it is counted as what comes after the end") {
  Rig rig;
  (void)rig.at_server();
  rig.answer(verify_datagram(kConnectId));
  Buffer wrong = proof_datagram();
  wrong.back() = 1;
  for (int i = 0; i < 5; ++i) rig.say(wrong);
  CHECK(rig.route->dropped(Drop::kNotLinked) == 2);
}

TEST_CASE("datagram session: a server's disconnect with the number of a ban bans a proven client, and nobody else") {
  constexpr std::uint32_t kBan = 1;
  REQUIRE(aos::game().bans_by(kBan));
  for (const bool proves : {true, false}) {
    CAPTURE(proves);
    relay::Bans bans(600);
    Rig rig(timed(), 1, {}, &bans);
    if (proves) {
      rig.open();
    } else {
      (void)rig.at_server();
      rig.answer(verify_datagram(kConnectId));
      rig.say(rig.first);
    }
    rig.answer(net::enet_disconnect(7, kBan));
    rig.session->tick(rig.loop.now() + kQuiet + 1);
    CHECK(rig.route->ended(Reason::kServerLeft) == 1);
    CHECK(rig.route->here->counters.server_bans.read() == (proves ? 1 : 0));
    CHECK(bans.all().size() == (proves ? 1 : 0));
  }
}

TEST_CASE("datagram session: a lab is not begun after the end") {
  auto plan = relay::LabPlan::parse("delay=50s", nullptr);
  REQUIRE(plan.ok());
  Rig rig;
  rig.open();
  rig.session->end(Reason::kKicked);
  rig.route->here->lab = {std::make_shared<const relay::LabPlan>(std::move(*plan)), rig.loop.now()};
  rig.session->lab_changed();
  CHECK_FALSE(rig.session->report().lab);
}

TEST_CASE("datagram session: a lab begins with a proven client, and ends with what waits passed on") {
  const auto lab = [](std::string_view text) {
    auto plan = relay::LabPlan::parse(text, nullptr);
    REQUIRE(plan.ok());
    return std::make_shared<const relay::LabPlan>(std::move(*plan));
  };
  Rig rig;
  rig.route->here->lab = {lab("to_client: loss=100%; to_server: delay=50s"), rig.loop.now()};
  rig.session->lab_changed();
  CHECK_FALSE(rig.session->report().lab);
  rig.open_with_lab();
  CHECK(rig.session->report().lab);
  rig.answer(from_server("lost"));
  CHECK(rig.at_client().empty());
  CHECK(rig.session->report().lab->counts.at(Way::kToClient, LabFault::kLoss) == 1);
  CHECK(rig.tapped.record(1).kept == std::vector<Buffer>{from_server("lost")});
  rig.say(from_client("waits"));
  CHECK(rig.at_server().empty());
  rig.session->end(Reason::kClientLeft);
  CHECK(rig.at_server() == std::vector<std::string>{to_hex(proof_datagram()), to_hex(from_client("waits"))});
}

}  // namespace
}  // namespace entente::testing::datagram_session_test
