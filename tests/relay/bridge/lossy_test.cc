// A relay between two stretches of bad network. In each direction of each, a tenth of the datagrams is lost, a tenth is
// overtaken and a twentieth is duplicated.
#include <doctest/doctest.h>
#include <enet/enet.h>

#include <cstdlib>

#include "adapters/aos/aos.h"
#include "proxy/net/enet/enet_memory.h"
#include "proxy/relay/tap/tap.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/lossy.h"
#include "tests/relay/toy.h"

namespace entente::testing::lossy_test {
namespace {

/// All memory of ENet in this process: both ends and the relay.
net::EnetMemoryUse enet_memory;

void count_enet_memory() {
  enet_memory.now = enet_memory.most = 0;
  net::watch_enet_memory(&enet_memory);
}

constexpr std::uint8_t kChunk = 19, kChat = 17, kInput = 3, kMove = 2, kTurn = 1;
constexpr std::size_t kChunks = 256, kChunkSize = 8193, kReliable = 300, kMoves = 30, kMostMoves = 6'000;

Buffer numbered(std::uint8_t id, std::uint32_t number, std::size_t size) {
  Buffer bytes(size, static_cast<std::uint8_t>(number * 7));
  bytes[0] = id;
  for (std::size_t i = 0; i < 4; ++i) bytes[1 + i] = static_cast<std::uint8_t>(number >> 8 * i);
  return bytes;
}

/// One end of a session: counts what it receives, and checks its order and content.
struct Player final : EnetHost::User {
  explicit Player(net::Loop& loop) : host(loop, *this) {}
  void connected(EnetPeer& who, std::uint32_t) override { peer = &who; }
  void received(EnetPeer&, std::uint8_t, EnetPacket packet) override {
    const Bytes bytes = packet.bytes();
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number |= static_cast<std::uint32_t>(bytes[1 + i]) << 8 * i;
    right &= same(bytes, numbered(bytes[0], number, bytes.size()));
    if (packet.delivery() == EnetDelivery::kReliable)
      right &= number == heard[bytes[0]];
    else
      right &= !moves[number % kMostMoves]++;
    ++heard[bytes[0]];
  }
  void disconnected(EnetPeer&, std::uint32_t) override { gone = true; }
  void say(std::uint8_t id, std::uint32_t number, std::size_t size, EnetDelivery send) {
    if (peer) host.send(*peer, 0, EnetPacket(numbered(id, number, size), send));
  }

  EnetHost host;
  EnetPeer* peer = nullptr;
  bool right = true, gone = false;
  std::array<std::uint32_t, 256> heard{};
  std::array<int, kMostMoves> moves{};
};

/// Sends a little in each tick.
struct Talk final : net::Ticker::User {
  Talk(net::Loop& loop, Player& its_server, Player& its_client) : server(its_server), client(its_client) {
    ticker.emplace(loop, *this, 5);
  }
  void tick(Millis) override {
    if (!server.peer || !client.peer) return;
    if (said == 0)
      for (std::uint32_t i = 0; i < kChunks; ++i) server.say(kChunk, i, kChunkSize, EnetDelivery::kReliable);
    for (int i = 0; i < 3 && said < kReliable; ++i, ++said) {
      server.say(kChat, said, 40, EnetDelivery::kReliable);
      client.say(kInput, said, 20, EnetDelivery::kReliable);
      move(said);
    }
    if (said == kReliable && moved < kMostMoves && !moves_are_there()) move(moved);
  }
  void move(std::uint32_t number) {
    moved = number + 1;
    server.say(kMove, number, 700, EnetDelivery::kUnsequenced);
    client.say(kTurn, number, 50, EnetDelivery::kUnreliable);
  }
  /// ENet drops unreliable packets while its acknowledgements are slow, as on a busy machine.
  bool moves_are_there() const { return client.heard[kMove] > kMoves && server.heard[kTurn] > 0; }
  Player &server, &client;
  std::optional<net::Ticker> ticker;
  std::uint32_t said = 0, moved = 0;
};

TEST_CASE("a session over bad network on both sides of the relay: nothing reliable is lost, duplicated or reordered") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    CAPTURE(static_cast<int>(mode));
    // In datagram mode both stretches act as one. With a tenth lost on each, ENet's ends lose a third of all
    // acknowledgements, and in every twentieth session they lose one packet so often that they give up, even without a
    // relay.
    const BadLuck luck{mode == EnetMode::kPackets ? 10U : 5U, 10, 5};
    count_enet_memory();
    net::Loop loop;
    Player server(loop), client(loop);
    const auto bound = server.host.listen(loopback(), {4, 2, true, 1U << 20U});
    REQUIRE(bound.ok());
    relay::TapThread tap({});
    {
      Lossy far(loopback(), *bound, 21, luck);
      Running running(aos::game(), far.address(), no_limits(), 1, 0, &tap, {}, mode);
      Lossy near(loopback(), running.address, 42, luck);
      REQUIRE(client.host.open({1, 1, true, 1U << 20U}).ok());
      client.host.connect(near.address(), 1, 3);
      Talk talk(loop, server, client);
      const auto all_there = [&] {
        return client.heard[kChunk] == kChunks && client.heard[kChat] == kReliable &&
               server.heard[kInput] == kReliable && talk.moves_are_there();
      };
      const auto begun = std::chrono::steady_clock::now();
      while (!all_there() && !server.gone && !client.gone &&
             std::chrono::steady_clock::now() < begun + std::chrono::seconds(30))
        uv_run(loop.raw(), UV_RUN_ONCE);
      const auto took = std::chrono::steady_clock::now() - begun;
      MESSAGE("took " << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms, lost "
                      << near.lost() + far.lost() << " of " << near.passed() + far.passed() << ", ENet took at most "
                      << enet_memory.most.load() << " bytes");
      CHECK(all_there());
      CHECK(client.right);
      CHECK(server.right);
      CHECK(near.lost() + far.lost() > 100);
      CHECK(client.heard[kMove] > kMoves);
      CHECK(server.heard[kTurn] > 0);
      CHECK(enet_memory.most < 16U << 20U);
      client.host.close();
      server.host.close();
      talk.ticker.reset();
    }
    loop.run();
    REQUIRE(tap.stop().ok());
    // Duplicates were one message.
    for (const auto& message : tap.totals().messages) {
      if (message.name == "MapChunk") CHECK(message.frames == kChunks);
      if (message.name == "ChatMessage") CHECK(message.frames == kReliable);
    }
    // Only the first byte of these packets is that of Ace of Spades. The point is that ENet was read without a fault.
    for (const auto& fault : tap.totals().faults) CHECK(fault.field != "command");
  }
}

TEST_CASE("BZFlag's pair over bad network: the stream continues, and a lost link request is repeated") {
  // The server's TCP port is the network's UDP port.
  const Datagrams far_end(loopback());
  FakeServer fake;
  Lossy far(fake.address(), far_end.here(), 5);
  Running running(toy::game(), fake.address());
  Lossy near(loopback(), running.address, 6);
  Pair pair(running, fake);
  const Datagrams player(loopback());  // behind a NAT: another port than its stream

  const Buffer ask{1, 8, 7}, answer = frame("linked");  // player 7 requests its link
  net::Address uplink;
  bool linked = false;
  for (int tries = 0; tries < 100 && !linked; ++tries) {
    player.send(near.address(), ask);
    if (far_end.readable(20)) {
      const auto got = far_end.receive();
      CHECK(got.bytes == ask);
      uplink = got.from;
      far_end.send(uplink, answer);
    }
    linked = player.readable(20);
  }
  REQUIRE(linked);
  CHECK(player.receive().bytes == answer);

  std::size_t there = 0, back = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string text = "move " + std::to_string(i);
    player.send(near.address(), frame(text));
    far_end.send(uplink, frame(text));
    pair.client.send(frame(text));
    CHECK(pair.server.read(frame(text).size()) == frame(text));
    pair.server.send(frame(text));
    CHECK(pair.client.read(frame(text).size()) == frame(text));
    for (; far_end.readable(0); ++there) CHECK(far_end.receive().bytes.size() >= 3);
    for (; player.readable(0); ++back) CHECK(player.receive().bytes.size() >= 3);
  }
  // The last ones may still be in transit.
  for (; there <= 200 && far_end.readable(kPatience); ++there) CHECK(far_end.receive().bytes.size() >= 3);
  for (; back <= 200 && player.readable(kPatience); ++back) CHECK(player.receive().bytes.size() >= 3);
  CHECK(there > 200);
  CHECK(back > 200);
  CHECK(running.totals().current_sessions() == 1);
  CHECK(running.totals().by(relay::Drop::kBadFrame) == 0);
}

}  // namespace
}  // namespace entente::testing::lossy_test
