// An ENet relay that passes datagrams unchanged: real ENet hosts on both ends, and forged senders.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "proxy/relay/acceptors/datagram_acceptor.h"
#include "proxy/relay/tap/tap.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/enet_speech.h"

namespace entente::testing::enet_datagrams_test {
namespace {

using relay::Drop, relay::Reason;

struct Shield : Scene {
  explicit Shield(Limits limits = no_limits(), relay::Tap* tap = nullptr)
      : Scene(aos::game(), limits, EnetMode::kDatagrams, tap) {}
};

TEST_CASE("enet datagrams: connect data, channels, each kind of packet and the reason of the end are passed on") {
  Shield scene;
  scene.talk_and_part();
  CHECK(scene.running.totals().by(Drop::kUnproven) == 0);
}

TEST_CASE("enet datagrams: a client's disconnect reaches the server, and its place is free within seconds") {
  Shield scene;
  scene.join(3);
  scene.client.host.disconnect(*scene.client.peer, 7);
  scene.until([&] { return scene.server.peer == nullptr && scene.client.peer == nullptr; });
  CHECK(scene.server.log.back() == "down 7");
  scene.until([&] { return scene.running.totals().current_sessions() == 0; });
  CHECK(scene.running.totals().by(Reason::kClientLeft) == 1);
  scene.join(3);
  CHECK(scene.server.ups == 2);
}

TEST_CASE("enet datagrams: a client that connects again from the same port has a new session at once") {
  Shield scene;
  scene.join(3);
  scene.client.host.disconnect(*scene.client.peer, 0);
  scene.until([&] { return scene.server.peer == nullptr && scene.client.peer == nullptr; });
  scene.join(3);  // the same ENet host, so the same port
  scene.client.say(0, "030001", EnetDelivery::kReliable);
  scene.until([&] { return scene.server.heard("0/1 030001"); });
  CHECK(scene.running.totals().begun == 2);
}

TEST_CASE("enet datagrams: a forged connect in the name of a player is dropped, and the player plays on") {
  Shield scene;
  scene.join(3);
  scene.client.host.send_raw(scene.running.address, connect_datagram(99));  // from its own port
  CHECK(scene.running.dropped(Drop::kUnknownSource));
  scene.client.say(0, "030001", EnetDelivery::kReliable);
  scene.until([&] { return scene.server.heard("0/1 030001"); });
  CHECK(scene.server.ups == 1);
}

TEST_CASE("enet datagrams: a map of a megabyte, sent at once, arrives in order") {
  Shield scene;
  scene.join(3);
  scene.send_map();
}

TEST_CASE("enet datagrams: the tap counts the messages in them") {
  relay::TapThread tap({});
  {
    Shield scene(no_limits(), &tap);
    scene.join(3);
    for (int i = 0; i < 5; ++i) scene.client.say(0, "030001", EnetDelivery::kReliable);
    Buffer chunk(8193, 1);
    chunk[0] = 19;
    scene.server.host.send(*scene.server.peer, 0, EnetPacket(chunk, EnetDelivery::kReliable));
    scene.until([&] { return scene.client.bytes == 8193 && scene.server.log.size() == 6; });
    scene.running.stop();
  }
  REQUIRE(tap.stop().ok());
  const auto totals = tap.totals();
  CHECK(totals.frames == 6);
  CHECK(totals.faults.empty());
  REQUIRE(totals.messages.size() == 2);
  CHECK(totals.messages[0].name == "InputData");
  CHECK(totals.messages[0].frames == 5);
  CHECK(totals.messages[1].bytes == 8193);
}

TEST_CASE("enet datagrams: a refused client is told so by ENet") {
  Limits limits = no_limits();
  limits.sessions = 1;
  Shield scene(limits);
  for (const std::uint32_t version : {4U, 31U}) {
    scene.knock(version);
    scene.until([&] { return scene.client.heard("down 3"); });
    scene.reopen_client();
  }
  CHECK(scene.server.log.empty());
  End other(scene.loop);
  REQUIRE(other.host.open({1, 1, true, 1U << 20U}).ok());
  scene.join(3);
  other.host.connect(scene.running.address, 1, 3);
  scene.until([&] { return other.heard("down 4"); });
  other.host.close();
  CHECK(scene.running.totals().by(Reason::kTooMany) == 1);
  CHECK(scene.server.ups == 1);
}

TEST_CASE("enet datagrams: if the server is not there, the client's wait ends") {
  Limits limits = no_limits();
  limits.connect_ms = 300;
  Shield scene(limits);
  scene.server.host.close();
  scene.client.peer = scene.knock(3);
  scene.until([&] { return scene.client.heard("down 5"); });
  CHECK(scene.running.totals().by(Reason::kServerTimeout) == 1);
}

TEST_CASE("enet datagrams: both sides are told when the relay stops") {
  Shield scene;
  scene.join(3);
  scene.running.stop();
  scene.until([&] { return scene.client.heard("down 5") && scene.server.heard("down 0"); });
}

TEST_CASE("enet datagrams: the session of a silent client ends, and the server is told") {
  Limits limits = no_limits();
  limits.idle_ms = 300;
  Shield scene(limits);
  net::Loop aside;
  End mute(aside);
  REQUIRE(mute.host.open({1, 1, true, 1U << 20U}).ok());
  mute.host.connect(scene.running.address, 1, 3);
  scene.until([&] {
    if (mute.ups == 0) uv_run(aside.raw(), UV_RUN_NOWAIT);
    return scene.server.ups == 1;
  });
  scene.until([&] { return scene.server.heard("down 0"); });
  CHECK(scene.running.totals().by(Reason::kIdle) == 1);
  mute.host.close();
  aside.run();
}

TEST_CASE("enet datagrams: the session of a silent client ends, also while its server goes on sending") {
  Limits limits = no_limits();
  limits.idle_ms = 300;
  Shield scene(limits);
  scene.join(3);
  const net::Address there = scene.server.peer->address();
  scene.client.host.close();
  scene.until([&] {
    scene.server.host.send_raw(there, as_bytes("more"));
    return scene.running.totals().by(Reason::kIdle) == 1;
  });
}

TEST_CASE("enet datagrams: anything but a connect from an unknown address is dropped without an answer") {
  Shield scene;
  const Datagrams stranger(loopback());
  const Buffer good = connect_datagram(77);
  std::vector<Buffer> wrong = {
      {}, {0x8f}, from_hex("8fff1234"), from_hex("0000"), from_hex("8fff"), Buffer(1400, 0xcf)};
  for (std::size_t size = 0; size < good.size(); ++size)
    wrong.emplace_back(good.begin(), good.begin() + static_cast<long>(size));
  for (const auto& [at, value] :
       {std::pair{0, 0x0f}, {1, 0x01}, {4, 0x86}, {5, 0x00}, {8, 0xff}, {14, 0x00}, {23, 0}}) {
    wrong.push_back(good);
    wrong.back()[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
  }
  for (const Buffer& one : wrong) stranger.send(scene.running.address, one);
  CHECK(scene.running.dropped(Drop::kUnknownSource, wrong.size()));
  CHECK(scene.running.totals().begun == 0);
  CHECK_FALSE(stranger.readable(50));
}

/// Bytes on the wire, including IP and UDP headers.
std::size_t on_wire(Bytes datagram) { return 28 + datagram.size(); }

TEST_CASE(
    "enet datagrams: an address gets no more bytes than came from it, until it has proven that it receives them") {
  Shield scene;
  const Datagrams forged(loopback());
  std::size_t there = 0, back = 0;
  const auto ask = [&](Bytes bytes) {
    there += on_wire(bytes);
    forged.send(scene.running.address, bytes);
  };
  const auto hear = [&] {
    while (forged.readable(0)) back += on_wire(forged.receive().bytes);
    return back;
  };
  ask(connect_datagram(77));
  scene.until([&] { return hear() > 0; });
  // The server repeats its answer, and what others send with a forged address gains nothing.
  ask(connect_datagram(77));
  ask(from_hex("80001234850100010000"));
  scene.until([&] { return scene.running.totals().by(Drop::kUnproven) > 0; });
  hear();
  CHECK(back <= there);
  CHECK(scene.server.ups == 0);
  CHECK(scene.running.tapped.record(1).datagrams_to_server.empty());
}

TEST_CASE("enet datagrams: a disconnect, too, is not sent to an address that is owed no more bytes") {
  Limits limits = no_limits();
  limits.greet_ms = 300;
  Shield scene(limits);
  const Datagrams forged(loopback());
  const Buffer connect = connect_datagram(77);
  forged.send(scene.running.address, connect);
  scene.until([&] { return scene.running.totals().by(Reason::kGreetTimeout) == 1; });
  std::size_t back = 0;
  while (forged.readable(50)) back += on_wire(forged.receive().bytes);
  CHECK(back > 0);
  CHECK(back <= on_wire(connect));
}

TEST_CASE("enet datagrams: who guesses at the proof of an address is given up after a few guesses") {
  Shield scene;
  const Datagrams forged(loopback());
  forged.send(scene.running.address, connect_datagram(77));
  scene.until([&] { return forged.readable(0); });
  const Buffer answer = forged.receive().bytes;
  net::EnetUnpacker unpacker;
  const auto verified = net::enet_command(answer, net::EnetCommand::kVerifyConnect, unpacker);
  REQUIRE(verified);
  const std::uint16_t time = *net::enet_header(answer)->sent_time;
  const auto claim = [&](unsigned ahead) {
    const unsigned to = verified->peer | (verified->session & 3U) << 12U, when = time + ahead;
    Buffer datagram = from_hex("0000 01ff0001 00010000");
    for (const auto& [at, word] : {std::pair{0U, to}, std::pair{8U, when}}) {
      datagram[at] = static_cast<std::uint8_t>(word >> 8U);
      datagram[at + 1] = static_cast<std::uint8_t>(word);
    }
    forged.send(scene.running.address, datagram);
  };
  for (unsigned ahead = 10'000; ahead < 10'004; ++ahead) claim(ahead);
  claim(0);
  scene.until([&] { return scene.running.totals().by(Reason::kGreetTimeout) == 1; });
  CHECK(scene.running.dropped(Drop::kUnknownSource));  // the right one came too late
  CHECK(scene.running.totals().refused() == 1);
}

TEST_CASE("enet datagrams: unproven clients are few, cost little, and block nobody") {
  Limits limits = no_limits();
  limits.greet_ms = limits.connect_ms = 1000;
  Shield scene(limits);
  scene.join(3);
  constexpr std::size_t kStorm = 2000;
  std::vector<Datagrams> storm;
  for (std::uint32_t i = 0; i < 100; ++i) storm.emplace_back(loopback());
  for (std::uint32_t i = 0; i < kStorm; ++i) {
    storm[i % storm.size()].send(scene.running.address, connect_datagram(1000 + i));
    if (i % 50 == 0) uv_run(scene.loop.raw(), UV_RUN_NOWAIT);
    CHECK(scene.running.totals().current_sessions() <= relay::DatagramAcceptor::kMostUnproven + 1);
  }
  scene.client.say(0, "030001", EnetDelivery::kReliable);
  scene.until([&] { return scene.server.heard("0/1 030001"); });
  scene.until([&] { return scene.running.totals().current_sessions() == 1; });
  CHECK(scene.client.peer != nullptr);
}

TEST_CASE("enet datagrams: forged connects in the name of an address do not lock that address out") {
  Limits limits = no_limits();
  limits.sessions_per_address = limits.connects_burst = limits.connects_per_second = 1;
  Shield scene(limits);
  const Datagrams forger(loopback());  // one socket: the server has only two places for unproven clients
  forger.send(scene.running.address, connect_datagram(77));
  scene.until([&] { return scene.running.totals().begun == 1; });
  scene.join(3);
  CHECK(scene.running.totals().refused() == 0);
}

TEST_CASE("enet datagrams: the limits apply to a proven address") {
  Limits limits = no_limits();
  limits.connects_burst = 2;
  const auto refused = [&](Reason why, std::string_view goodbye) {
    Shield scene(limits);
    scene.join(3);
    End other(scene.loop);
    REQUIRE(other.host.open({1, 1, true, 1U << 20U}).ok());
    other.host.connect(scene.running.address, 1, 3);
    scene.until([&] { return other.heard(goodbye); });
    other.host.close();
    CHECK(scene.running.totals().by(why) == 1);
    CHECK(scene.server.ups == 1);
    scene.client.say(0, "030001", EnetDelivery::kReliable);
    scene.until([&] { return scene.server.heard("0/1 030001"); });
  };
  SUBCASE("the number of sessions") {
    limits.sessions_per_address = 1;
    refused(Reason::kTooManyFromAddress, "down 2");
  }
  SUBCASE("the rate of connects") {
    limits.connects_per_second = limits.connects_burst = 1;
    refused(Reason::kTooFast, "down 4");
  }
}

TEST_CASE("enet datagrams: a wildcard listener answers from the address that a client connected to") {
  Turning turning;
  End far(turning.loop);
  const auto served = far.host.listen(loopback(), {8, 1, true, 8U << 20U});
  REQUIRE(served.ok());
  Heard heard;
  relay::ProxyServer server(1, heard);
  relay::RouteOptions options;
  options.game = &aos::game();
  options.servers[0].dialect = 0;
  options.enet = EnetMode::kDatagrams;
  options.listen = net::Address();
  options.servers[0].host = "127.0.0.1";
  options.servers[0].port = served->port();
  const auto listening = server.add(options);
  REQUIRE(listening.ok());
  std::thread serving([&] { server.run(); });
  const net::Address acceptor = *net::Address::parse("127.0.0.3", listening->address.port());
  const Buffer question = {'H', 'E', 'L', 'L', 'O'};
  for (const Buffer& said : {connect_datagram(77), connect_datagram(78, 31), question}) {  // 31: an unknown version
    const Datagrams client(loopback());
    client.send(acceptor, said);
    turning.until([&] { return client.readable(0); });
    CHECK(client.receive().from == acceptor);
  }
  server.stop();
  serving.join();
  far.host.close();
}

TEST_CASE("enet datagrams: all clients of an address share its rate") {
  Limits limits = no_limits();
  limits.address_messages_per_second = 20;
  Shield scene(limits);
  scene.join(3);
  for (int i = 0; i < 200; ++i) {
    scene.client.say(0, "0301", EnetDelivery::kUnreliable);
    uv_run(scene.loop.raw(), UV_RUN_NOWAIT);  // each in a datagram of its own
  }
  scene.until([&] { return scene.running.totals().by(relay::Drop::kTooFast) > 0; });
  CHECK(scene.client.peer != nullptr);
}

TEST_CASE("enet datagrams: a flood is limited, a datagram that is too large is dropped, and the session continues") {
  Limits limits = no_limits();
  limits.datagram_bytes = 600;
  Shield scene(limits);
  scene.join(3);
  scene.client.say(0, std::string(2 * 1000, '5'),
                   EnetDelivery::kUnreliable);  // compressible, but large
  scene.client.say(0, "030001", EnetDelivery::kReliable);
  scene.until([&] { return scene.server.heard("0/1 030001"); });
  CHECK(scene.client.peer != nullptr);
}

TEST_CASE("enet datagrams: a player is not moved, and leaves a server that is drained") {
  Scene scene(aos::game(), no_limits(), EnetMode::kDatagrams);
  scene.join(3);
  relay::ProxyServer& server = scene.running.server();
  const relay::MoveResult moved = server.move(1, 0, 10'000);
  CHECK(moved.how == relay::MoveResult::How::kStays);
  CHECK(moved.text == "a relay of datagrams cannot send messages to its players");
  CHECK(server.leave_server("127.0.0.1:1", "drained") == 0);
  CHECK(server.leave_server(scene.address.text(), "drained") == 1);
  CHECK(scene.running.ended(relay::Reason::kDrained));
  scene.until([&] { return scene.client.peer == nullptr; });
}

TEST_CASE("a client of another version is refused, and the log says which listener it needs, in either mode") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    scene.client.peer = scene.knock(4);
    scene.until([&] { return scene.running.totals().by(relay::Reason::kDialectMismatch) == 1; });
    CHECK(scene.running.heard.told("connected to the listener for 0.75; add a listener for it") == 1);
    CHECK(scene.server.ups == 0);
  }
}

}  // namespace
}  // namespace entente::testing::enet_datagrams_test
