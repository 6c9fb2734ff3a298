// An ENet relay that unpacks packets and sends them again.
#include <doctest/doctest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <deque>
#include <filesystem>
#include <semaphore>
#include <thread>

#include "adapters/aos/aos.h"
#include "adapters/bzdraft/bzdraft.h"
#include "proxy/net/socket.h"
#include "tests/relay/enet_yard.h"

namespace entente::testing::enet_test {
namespace {

TEST_CASE("enet relay: connect data, channels, each kind of packet and the reason of the end are passed on") {
  Scene scene(aos::game());
  scene.talk_and_part();
  CHECK(scene.running.empty());
}

TEST_CASE("enet relay: a client's disconnect reaches the server with its data") {
  Scene scene(aos::game());
  scene.join(3);
  scene.client.host.disconnect(*scene.client.peer, 7);
  scene.until([&] { return scene.server.peer == nullptr; });
  CHECK(scene.server.log.back() == "down 7");
}

TEST_CASE("enet relay: a map of a megabyte, sent at once, arrives in order") {
  Scene scene(aos::game());
  scene.join(3);
  scene.send_map();
}

TEST_CASE("enet relay: a client of another version gets the game's own number") {
  for (const std::uint32_t version : {4U, 5U, 31U}) {
    Scene scene(aos::game());
    scene.client.peer = scene.knock(version);
    scene.until([&] { return scene.client.log.size() == 2; });
    CHECK(scene.client.log.back() == "down 3");
    CHECK(scene.server.log.empty());
    CHECK(scene.running.totals().refused() == 1);
  }
}

TEST_CASE("enet relay: a full relay answers that it is full") {
  Limits limits = no_limits();
  limits.sessions = 1;
  Scene scene(aos::game(), limits);
  scene.join(3);
  scene.knock(3);
  scene.until([&] { return scene.client.heard("down 4"); });
  CHECK(scene.running.totals().by(relay::Reason::kTooMany) == 1);
  CHECK(scene.server.ups == 1);
}

TEST_CASE("enet relay: a server's refusal reaches the client unchanged") {
  Scene scene(aos::game());
  scene.client.peer = scene.knock(3);
  scene.until([&] { return scene.server.peer != nullptr; });
  scene.server.host.disconnect(*scene.server.peer, 1);
  scene.until([&] { return scene.client.heard("down 1"); });
}

TEST_CASE("enet relay: a client whose server has vanished is told so, after all that the server has sent") {
  for (const std::uint32_t per_second : {0U, 40U}) {
    CAPTURE(per_second);
    const int sent = per_second == 0 ? 1 : 120;  // the burst is 80
    Limits limits = no_limits();
    limits.server_messages_per_second = per_second;
    Scene scene(aos::game(), limits);
    scene.join(3);
    scene.client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
    scene.until([&] { return scene.server.log.size() == 2; });
    for (int i = 0; i < sent; ++i) scene.server.say(0, "1200001800", EnetDelivery::kReliable);
    scene.until([&] { return scene.client.heard("0/1 1200001800"); });
    scene.server.host.close();  // says nothing
    scene.until([&] { return scene.client.peer == nullptr; });
    const auto& log = scene.client.log;
    CHECK(std::count(log.begin(), log.end(), "0/1 1200001800") == sent);
    CHECK(scene.client.heard("0/1 1123027468652063"));  // "the c" of the first line
    CHECK(log.back() == "down 5");
    CHECK(scene.running.totals().by(relay::Reason::kServerReset) == 1);
    CHECK(scene.running.totals().by(relay::Reason::kServerLeft) == 0);
  }
}

TEST_CASE("enet relay: if the server is not there, the client's wait ends") {
  Limits limits = no_limits();
  limits.connect_ms = 300;
  Scene scene(aos::game(), limits);
  scene.server.host.close();
  SUBCASE("it is silent") {
    const auto silent = net::listen_datagrams(scene.address);
    scene.client.peer = scene.knock(3);
    scene.until([&] { return scene.client.heard("down 5"); });
    CHECK(scene.running.totals().by(relay::Reason::kServerTimeout) == 1);
  }
  SUBCASE("nothing listens") {
    scene.client.peer = scene.knock(3);
    scene.until([&] { return scene.client.heard("down 5"); });
    CHECK(scene.running.totals().by(relay::Reason::kServerUnreachable) == 1);
  }
}

TEST_CASE("enet relay: a client that leaves before its server has answered gives up its place at once") {
  Limits limits = no_limits();
  limits.linger_ms = 2 * kPatience;
  Scene scene(aos::game(), limits);
  scene.server.host.close();
  const auto silent = net::listen_datagrams(scene.address);
  REQUIRE(silent.ok());
  scene.client.peer = scene.knock(3);
  pollfd asked{silent->udp.get(), POLLIN, 0};
  scene.until([&] { return scene.client.ups == 1 && ::poll(&asked, 1, 0) == 1; });
  scene.client.host.disconnect(*scene.client.peer, 0);
  scene.until([&] { return scene.running.totals().by(relay::Reason::kClientLeft) == 1; });
  scene.until([&] { return scene.running.totals().current_sessions() == 0; });
}

TEST_CASE("enet relay: the client gets the game's own goodbye when the relay stops") {
  Limits limits = no_limits();
  limits.linger_ms = 30'000;  // a client that is slow to acknowledge still gets it
  Scene scene(bzdraft::game(), limits);
  scene.join(0);
  std::jthread stopping([&] { scene.running.stop(); });  // it waits for the client
  scene.until([&] { return scene.client.peer == nullptr; });
  const auto& log = scene.client.log;
  std::string all;
  for (const std::string& line : log) all += line + "\n";
  CHECK_MESSAGE(all.find("0/1 000e726a") != std::string::npos, all);  // MsgReject, with the reason
}

TEST_CASE(
    "enet relay: when the relay stops, clients that acknowledge late hear the rest, on whatever worker they are") {
  Limits limits = no_limits();
  limits.linger_ms = 30'000;
  Yard scene;
  Running running(toy::packets(), scene.serve(), limits, 2);
  Turning away;  // with a loop of its own
  std::deque<End> clients;
  const auto count = [](const End& end, std::string_view what) {
    return std::count_if(end.log.begin(), end.log.end(),
                         [&](const std::string& line) { return line.starts_with(what); });
  };
  std::vector<EnetPeer*> sessions;
  for (int i = 1; i <= 2; ++i) {
    End& client = clients.emplace_back(away.loop);
    reopen(client, {4, 1, false, kMostPackets});
    client.peer = client.host.connect(running.address, 1, kBig);
    away.until([&] { return client.ups > 0; });
    scene.until([&] { return count(scene.server, "up") == i; });
    sessions.push_back(scene.server.peer);
  }
  const Buffer last = frame("last", toy::kSay);
  for (EnetPeer* one : sessions) CHECK(scene.server.host.send(*one, 0, EnetPacket(last, EnetDelivery::kReliable)));
  scene.until([&] { return running.totals().to_client.frames == 2; });
  std::jthread stopping([&] { running.stop(); });
  scene.until([&] { return count(scene.server, "down") == 2; });
  std::this_thread::sleep_for(
      std::chrono::milliseconds(300));  // the sessions have ended; the relay waits for the clients
  for (End& client : clients) {
    away.until([&] { return client.peer == nullptr; });
    CHECK(count(client, "0/1 " + to_hex(last).substr(0, 16)) == 1);
    CHECK(client.log.back() == "down 35");  // after silence, it would be "down 0"
    client.host.close();
  }
}

std::size_t count_open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_CASE(
    "enet relay: a client that acknowledges slowly leaves linger_ms after its session, whatever worker it is on") {
  constexpr int kSaid = 1'000;  // more than ENet sends without an acknowledgement
  Limits limits = no_limits();
  limits.linger_ms = 300;
  Yard scene;
  Running running(toy::packets(), scene.serve(), limits, 2);
  Turning away;  // with a loop of its own
  std::deque<End> clients;
  for (int i = 0; i < 2; ++i) reopen(clients.emplace_back(away.loop), {4, 1, false, kMostPackets});
  const std::size_t before = count_open_descriptors();
  std::vector<EnetPeer*> sessions;
  for (End& client : clients) {
    client.peer = client.host.connect(running.address, 1, kBig);
    away.until([&] { return client.ups > 0; });
    scene.until([&] { return scene.server.ups == static_cast<int>(sessions.size()) + 1; });
    sessions.push_back(scene.server.peer);
  }
  CHECK(count_open_descriptors() > before);
  for (EnetPeer* one : sessions)
    for (int i = 0; i < kSaid; ++i)
      CHECK(scene.server.host.send(*one, 0, EnetPacket(frame(std::string(190, 'x')), EnetDelivery::kReliable)));
  scene.until([&] { return running.totals().to_client.frames == 2 * kSaid; });
  for (EnetPeer* one : sessions) scene.server.host.disconnect(*one, 9);
  scene.until([&] { return running.totals().current_sessions() == 0; });
  scene.until([&] { return count_open_descriptors() == before; }, 4'000);  // ENet alone waits for five seconds
  for (End& client : clients) {
    away.until([&] { return client.peer == nullptr; });
    CHECK(client.log.back() == "down 9");
    CHECK(client.log.size() < kSaid);
    client.host.close();
  }
}

TEST_CASE("enet relay: a stop ends while a client is on its way to another worker, and the client is told") {
  std::atomic<bool> holds = false;
  std::binary_semaphore held{0}, released{0};
  relay::Bans bans(0, [&]() -> std::time_t {
    if (!holds.exchange(false)) return 0;
    held.release();
    released.acquire();
    return 0;
  });
  Yard scene;
  Running running(toy::packets(), scene.serve(), no_limits(), 2, 0, nullptr, {}, EnetMode::kPackets, false, &bans);
  Turning away;  // with a loop of its own
  End first(away.loop), second(away.loop);
  for (End* const client : {&first, &second}) reopen(*client, {4, 1, false, kMostPackets});
  first.peer = first.host.connect(running.address, 1, kBig);  // stays on the first worker
  away.until([&] { return first.ups > 0; });
  scene.until([&] { return scene.server.ups == 1; });
  holds = true;
  std::jthread banning([&] { bans.add({*net::Network::parse("192.0.2.1"), std::time(nullptr) + 3'600, ""}); });
  held.acquire();
  second.peer = second.host.connect(running.address, 1, kBig);
  away.until([&] { return !running.server().is_alive(1'000); });  // the first worker waits for the list of bans
  std::atomic<bool> stopped = false;
  std::jthread stopping([&] { running.stop(), stopped = true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the second worker has nothing to do
  released.release();
  away.until([&] { return second.peer == nullptr && stopped; });
  CHECK(second.log.back() == "down 35");
  first.host.close();
  second.host.close();
}

TEST_CASE("enet relay: an invalid packet ends its session only") {
  Scene scene(bzdraft::game());
  scene.join(0);
  scene.client.say(0, "00ff7075", EnetDelivery::kReliable);
  scene.until([&] { return scene.client.peer == nullptr; });
  CHECK(scene.running.totals().by(relay::Reason::kBadFrame) == 1);
  scene.reopen_client();
  scene.client.peer = scene.knock(0);
  scene.until([&] { return scene.server.ups == 2; });
}

TEST_CASE("enet relay: a client above its rate is passed on more slowly; beyond high_water its session ends") {
  Limits limits = no_limits();
  limits.messages_per_second = 100;
  SUBCASE("everything reliable arrives, in order") {
    Scene scene(aos::game(), limits);
    scene.join(3);
    constexpr int kSent = 250;  // the burst is 200
    for (int i = 0; i < kSent; ++i) {
      const std::uint8_t tool[] = {3, 0, static_cast<std::uint8_t>(i)};
      REQUIRE(scene.client.host.send(*scene.client.peer, 0, EnetPacket(tool, EnetDelivery::kReliable)));
    }
    scene.until([&] { return scene.server.log.size() == 1 + kSent; });
    for (int i = 0; i < kSent; ++i) {
      const std::uint8_t tool[] = {3, 0, static_cast<std::uint8_t>(i)};
      CHECK(scene.server.log[static_cast<std::size_t>(1 + i)] == "0/1 " + to_hex(tool));
    }
    CHECK(scene.running.totals().throttled > 0);
    CHECK(scene.running.heard.told("exceeds limits.messages_per_second") == 1);
  }
  SUBCASE("empty packets count, too, and are dropped") {
    Scene scene(aos::game(), limits);
    scene.join(3);
    for (const Buffer& one : empty_packets(250)) scene.client.host.send_raw(scene.running.address, one);
    scene.until([&] { return scene.running.totals().throttled > 0; });
    CHECK(scene.running.dropped(relay::Drop::kBadFrame, 200));
    CHECK(scene.server.log.size() == 1);
  }
  SUBCASE("what is not reliable is dropped meanwhile") {
    limits.messages_per_second = 1;
    Scene scene(aos::game(), limits);
    scene.join(3);
    for (int i = 0; i < 20; ++i) scene.client.say(0, "030001", EnetDelivery::kUnreliable);
    scene.until([&] { return scene.running.totals().by(relay::Drop::kTooFast) >= 15; });
    CHECK(scene.client.peer != nullptr);
  }
  SUBCASE("much in the long run") {
    limits.high_water = limits.low_water = 20'000;  // each packet counts with 128 bytes beside its own
    Scene scene(aos::game(), limits);
    scene.join(3);
    constexpr std::size_t kRounds = 6, kSent = 80;
    for (std::size_t round = 1; round <= kRounds; ++round) {
      for (std::size_t i = 0; i < kSent; ++i) scene.client.say(0, "030001", EnetDelivery::kReliable);
      scene.until([&] { return scene.server.log.size() == 1 + round * kSent; });
    }
    CHECK(scene.running.totals().throttled > 0);
    CHECK(scene.client.peer != nullptr);
  }
  SUBCASE("too much") {
    limits.messages_per_second = 10;
    limits.high_water = limits.low_water = 4096;  // each packet counts with 128 bytes beside its own
    Scene scene(aos::game(), limits);
    scene.join(3);
    for (int i = 0; i < 100; ++i) scene.client.say(0, "030001", EnetDelivery::kReliable);
    scene.until([&] { return scene.client.heard("down 10"); });
    CHECK(scene.running.heard.told("too many packets") != 0);
  }
}

TEST_CASE("enet relay: of the packets that wait for a lost one, a limited number is kept, and the rest counted") {
  for (const bool from_server : {false, true}) {
    CAPTURE(from_server);
    Scene scene(aos::game());
    scene.join(3);
    const net::Address to = from_server ? scene.server.peer->address() : scene.running.address;
    flood_out_of_order(scene, from_server ? scene.server : scene.client, to,
                       [&] { return scene.running.totals().by(relay::Drop::kTooManyWait) != 0; });
    CHECK(scene.client.peer != nullptr);
    CHECK(scene.server.peer != nullptr);
    CHECK(scene.running.totals().current_sessions() == 1);
  }
}

/// A relay of the toy game between two ENet hosts.
struct ToyScene : Yard {
  explicit ToyScene(const Limits& limits) : running(toy::packets(), serve(), limits) {}
  Running running;
};

TEST_CASE("enet relay: a client that sends too much before its server has answered is refused") {
  Limits limits = no_limits();
  limits.held_bytes = 4'096;
  ToyScene scene(limits);
  const net::Address at = scene.server.host.local_address();
  scene.server.host.close();
  const auto silent = net::listen_datagrams(at);
  scene.join(scene.running.address);
  for (int i = 0; i < 100 && scene.client.peer != nullptr; ++i) scene.say(scene.client, frame("hello"));
  scene.until([&] { return scene.client.peer == nullptr; });
  CHECK(scene.running.ended(relay::Reason::kBadFrame));
  CHECK(scene.running.heard.line("too many packets before the server answered"));
}

TEST_CASE(
    "enet relay: to a client that acknowledges nothing, unreliable packets are dropped; too many reliable end it") {
  Limits limits = no_limits();
  limits.high_water = limits.low_water = 20'000;
  ToyScene scene(limits);
  scene.join(scene.running.address);
  scene.until([&] { return scene.server.peer != nullptr; });
  scene.client.host.close();
  const Buffer large = frame(std::string(190, 'x'));
  const auto send_until = [&](EnetDelivery how, const std::function<bool()>& done) {
    scene.until([&] {
      if (scene.server.peer != nullptr) scene.say(scene.server, large, how);
      return done();
    });
  };
  const auto stalls = [&] { return scene.running.totals().stalls; };
  // As much waits as may wait, and its session goes on.
  for (std::size_t sent = 0; sent + large.size() < limits.high_water; sent += large.size())
    scene.say(scene.server, large);
  send_until(EnetDelivery::kUnreliable, [&] { return scene.running.totals().by(relay::Drop::kQueueFull) > 0; });
  CHECK(scene.running.totals().current_sessions() == 1);
  CHECK(stalls() > 0);
  send_until(EnetDelivery::kReliable, [&] { return scene.running.totals().by(relay::Reason::kClientStalled) == 1; });
}

TEST_CASE("enet relay: a client for whom much waits in a lab stalls once, however many packets are left") {
  Limits limits = no_limits();
  limits.high_water = limits.low_water = 100'000;
  ToyScene scene(limits);
  scene.join(scene.running.address);
  scene.until([&] { return scene.server.peer != nullptr; });
  const auto lab = [&](std::string_view text) {
    auto plan = relay::LabPlan::parse(text, nullptr);
    REQUIRE(plan.ok());
    scene.running.server().set_lab(0, std::make_shared<const relay::LabPlan>(std::move(*plan)));
    (void)scene.running.sessions();  // the worker answers after it has the plan
  };
  lab("to_client: loss=0%");
  scene.client.host.close();
  const Buffer large = frame(std::string(190, 'x'));
  // As much waits for the client as may wait.
  std::size_t sent = 0;
  for (; sent + large.size() < limits.high_water; sent += large.size()) scene.say(scene.server, large);
  scene.until([&] { return scene.running.totals().to_client.bytes == sent; });
  CHECK(scene.running.totals().stalls == 0);
  lab("to_client: delay=500ms");
  for (int i = 0; i < 100; ++i) scene.say(scene.server, large);
  scene.until([&] { return scene.running.totals().by(relay::Reason::kClientStalled) == 1; });
  CHECK(scene.running.totals().lab.at(wire::Way::kToClient, relay::LabFault::kDelay) == 100);
  CHECK(scene.running.totals().stalls == 1);
}

TEST_CASE("enet relay: all clients of an address share its rate, and others are not concerned") {
  Limits limits = no_limits();
  limits.address_messages_per_second = 50;
  Scene scene(aos::game(), limits);
  scene.join(3);
  End other(scene.loop), apart(scene.loop);
  const auto come = [&](End& who, const char* from) {
    const int before = scene.server.ups;
    net::EnetOptions options{4, scene.settings.channels, scene.settings.range_coder, 8U << 20U};
    options.source = {*net::Address::parse(from, 0), false};
    REQUIRE(who.host.open(options).ok());
    who.peer = who.host.connect(scene.running.address, 1, 3);
    scene.until([&] { return who.ups > 0 && scene.server.ups > before; });
  };
  come(other, "127.0.0.1");
  come(apart, "127.0.0.2");
  constexpr int kFlood = 1'000;  // for twenty seconds
  for (int i = 0; i < kFlood; ++i) scene.client.say(0, "030001", EnetDelivery::kReliable);
  scene.until([&] { return scene.running.totals().throttled > 0; });
  const auto heard = [&](std::string_view line) { return scene.server.heard(line); };
  other.say(0, "030102", EnetDelivery::kReliable);
  scene.until([&] { return scene.running.heard.told("clients of 127.0.0.1 exceed") != 0; });
  apart.say(0, "030203", EnetDelivery::kReliable);
  scene.until([&] { return heard("0/1 030203"); });
  CHECK(std::count(scene.server.log.begin(), scene.server.log.end(), "0/1 030001") < kFlood);
  scene.until([&] { return heard("0/1 030102"); });  // in the end
  other.host.close();
  apart.host.close();
}

TEST_CASE("enet relay: a server above its rate is passed on more slowly, and so are all its sessions") {
  Limits limits = no_limits();
  limits.server_messages_per_second = 100;
  Scene scene(aos::game(), limits);
  scene.join(3);
  constexpr int kSent = 250;  // the burst is 200
  for (int i = 0; i < kSent; ++i) scene.server.say(0, "1200001800", EnetDelivery::kReliable);
  scene.until([&] { return scene.client.log.size() == 1 + kSent; });
  CHECK(scene.running.heard.told("exceeds limits.server_messages_per_second") == 1);
}

TEST_CASE("enet relay: what a peer above its rate sent before it left is passed on at the rate, for a while") {
  constexpr int kSent = 250;  // the burst is 200
  Limits limits = no_limits();
  SUBCASE("a server") {
    limits.server_messages_per_second = 100;
    Scene scene(aos::game(), limits);
    scene.join(3);
    for (int i = 0; i < kSent; ++i) scene.server.say(0, "1200001800", EnetDelivery::kReliable);
    scene.server.host.disconnect(*scene.server.peer, 9);
    scene.until([&] { return scene.client.peer == nullptr; });
    CHECK(std::count(scene.client.log.begin(), scene.client.log.end(), "0/1 1200001800") == kSent);
    CHECK(scene.client.heard("down 9"));
    CHECK(scene.running.totals().by(relay::Reason::kServerLeft) == 1);
  }
  SUBCASE("a client") {
    limits.messages_per_second = 100;
    Scene scene(aos::game(), limits);
    scene.join(3);
    for (int i = 0; i < kSent; ++i) scene.client.say(0, "030001", EnetDelivery::kReliable);
    scene.client.host.disconnect(*scene.client.peer, 8);
    scene.until([&] { return scene.server.peer == nullptr; });
    CHECK(std::count(scene.server.log.begin(), scene.server.log.end(), "0/1 030001") == kSent);
    CHECK(scene.server.heard("down 8"));
    CHECK(scene.running.totals().by(relay::Reason::kClientLeft) == 1);
  }
  SUBCASE("but not for longer than linger_ms") {
    limits.server_messages_per_second = 1;
    limits.linger_ms = 200;
    Scene scene(aos::game(), limits);
    scene.join(3);
    for (int i = 0; i < kSent; ++i) scene.server.say(0, "1200001800", EnetDelivery::kReliable);
    scene.server.host.disconnect(*scene.server.peer, 9);
    scene.until([&] { return scene.client.peer == nullptr; });
    CHECK(std::count(scene.client.log.begin(), scene.client.log.end(), "0/1 1200001800") < kSent);
    CHECK(scene.client.heard("down 9"));
  }
}

/// A relay in front of a server, whose clients wait for slots.
struct Crowded : Turning, Serving {
  explicit Crowded(std::uint32_t hold_ms, const Limits& limits = no_limits()) : Serving(1), server(loop), client(loop) {
    const wire::EnetSettings settings = aos::game().enet();
    const auto bound = server.host.listen(loopback(), {8, settings.channels, settings.range_coder, 8U << 20U});
    REQUIRE(bound.ok());
    relay::RouteOptions options;
    options.game = &aos::game();
    options.listen = loopback();
    options.servers[0].dialect = 0;
    options.upstream.hold_ms = hold_ms;
    serve(std::move(options), *bound, limits, nullptr);
    REQUIRE(client.host.open({4, settings.channels, settings.range_coder, 8U << 20U}).ok());
    client.peer = client.host.connect(address, 1, 3);
  }
  ~Crowded() override {
    stop();
    client.host.close();
    server.host.close();
  }
  /// The server tells the next player that it is full.
  void turn_away() {
    until([&] { return server.peer != nullptr; });
    server.host.disconnect(*server.peer, kFull);
    until([&] { return server.peer == nullptr; });
  }

  static constexpr std::uint32_t kFull = 4;
  End server, client;
};

TEST_CASE("enet relay: a player waits for a slot on a full server, if the route holds its players") {
  Crowded scene(60'000);
  scene.turn_away();
  CHECK(scene.heard.line("is full; waits for a seat for up to 60 s"));
  CHECK(eventually([&] { return static_cast<Serving&>(scene).server().waiting(0) == 1; }));
  CHECK(static_cast<Serving&>(scene).server().servers(0)[0].full);
  scene.turn_away();  // an attempt some seconds later
  scene.until([&] { return scene.server.peer != nullptr; });
  scene.server.say(0, "1200001800", EnetDelivery::kReliable);
  scene.until([&] { return scene.client.heard("0/1 1200001800"); });
  CHECK(scene.client.log.size() == 2);  // the connect and the packet: nothing of the wait
  CHECK(static_cast<Serving&>(scene).server().waiting(0) == 0);
  CHECK(scene.totals().current_sessions() == 1);
  CHECK(scene.heard.told("opened") == 1);
}

TEST_CASE("enet relay: a silent player waits for a slot for all of hold_s, also if idle_ms is less") {
  Limits limits = no_limits();
  limits.idle_ms = 1'000;
  Crowded scene(60'000, limits);
  scene.turn_away();
  scene.until([&] { return scene.server.peer != nullptr; });  // an attempt some seconds later
  CHECK(scene.totals().by(relay::Reason::kIdle) == 0);
}

TEST_CASE("enet relay: a player that had to wait for a slot and is kicked later is not told that the server is full") {
  Crowded scene(60'000);
  scene.turn_away();
  scene.until([&] { return scene.server.peer != nullptr; });
  scene.server.say(0, "1200001800", EnetDelivery::kReliable);
  scene.until([&] { return scene.client.heard("0/1 1200001800"); });
  CHECK(scene.kick(1, ""));
  scene.until([&] { return scene.client.peer == nullptr; });
  CHECK(scene.client.log.back() == "down 10");
}

TEST_CASE("enet relay: a player that waits for a slot stays when the server that was full is drained") {
  Crowded scene(60'000);
  relay::ProxyServer& relay = static_cast<Serving&>(scene).server();
  const std::string name = scene.server.host.local_address().text();
  scene.turn_away();
  CHECK(relay.drain_server(name, true) == 1);
  scene.until([&] {  // an attempt may be under way
    if (scene.server.peer != nullptr) scene.server.host.disconnect(*scene.server.peer, Crowded::kFull);
    return scene.server.peer == nullptr && relay.waiting(0) == 1;
  });
  CHECK(relay.leave_server(name, "drained") == 0);
  CHECK(relay.drain_server(name, false) == 1);
  scene.until([&] { return scene.server.peer != nullptr; });
  CHECK(scene.totals().by(relay::Reason::kDrained) == 0);
}

TEST_CASE("enet relay: a player that waits too long for a slot gets the server's answer") {
  Crowded scene(500);
  scene.turn_away();
  scene.until([&] { return scene.client.heard("down 4"); });
  CHECK(scene.ended(relay::Reason::kServerDeclined));
  CHECK(static_cast<Serving&>(scene).server().waiting(0) == 0);
}

}  // namespace
}  // namespace entente::testing::enet_test
