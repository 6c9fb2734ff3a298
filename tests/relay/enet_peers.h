// A relay between two real ENet hosts, on a loop that the test runs.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/enet/enet_host.h"
#include "tests/relay/enet_speech.h"
#include "tests/relay/running.h"
#include "tests/support/hex.h"

namespace entente::testing {

using net::EnetHost, net::EnetPacket, net::EnetPeer, net::EnetDelivery;
using relay::EnetMode;

constexpr std::string_view kLanAnswer = R"({"name":"a server","players_current":1,"players_max":32,"map":"m"})";

/// A client or a server. It logs what it receives.
struct End final : EnetHost::User {
  explicit End(net::Loop& loop) : host(loop, *this) {}
  void connected(EnetPeer& who, std::uint32_t data) override {
    peer = &who;
    ++ups;
    log.push_back("up " + std::to_string(data) + " channels " + std::to_string(who.channels()));
  }
  void received(EnetPeer&, std::uint8_t channel, EnetPacket packet) override {
    bytes += packet.bytes().size();
    log.push_back(std::to_string(channel) + "/" + std::to_string(static_cast<int>(packet.delivery())) + " " +
                  to_hex(packet.bytes().first(std::min<std::size_t>(8, packet.bytes().size()))));
  }
  void disconnected(EnetPeer&, std::uint32_t data) override {
    peer = nullptr;
    log.push_back("down " + std::to_string(data));
  }
  /// Answers queries as an Ace of Spades server does.
  bool intercepted(const net::Address& from, Bytes datagram) override {
    const auto text = as_text(datagram);
    if (text != "HELLO" && text != "HELLOLAN") return false;
    ++asked;
    if (!mute) host.send_raw(from, as_bytes(text == "HELLO" ? std::string_view("HI") : lan_answer));
    return true;
  }
  void say(std::uint8_t channel, std::string_view hex, EnetDelivery send) {
    REQUIRE(peer);
    CHECK(host.send(*peer, channel, EnetPacket(from_hex(hex), send)));
  }
  bool heard(std::string_view line) const { return std::find(log.begin(), log.end(), line) != log.end(); }

  EnetHost host;
  EnetPeer* peer = nullptr;
  int ups = 0, asked = 0;
  bool mute = false;
  std::string_view lan_answer = kLanAnswer;
  std::size_t bytes = 0;
  std::vector<std::string> log;
};

/// Gives the client a new port. In ENet, a retransmitted disconnect of an old connection may end a new connection from
/// the same port.
inline void reopen(End& client, const net::EnetOptions& options) {
  client.host.close();
  REQUIRE(client.host.open(options).ok());
  client.log.clear();
  client.ups = 0;
}

/// A loop that the test runs.
struct Turning : net::Ticker::User {
  explicit Turning(net::Schedule::Clock nanos = net::Loop::clock()) : loop(std::move(nanos)) {
    awake.emplace(loop, *this, 5);
  }
  ~Turning() override {
    awake.reset();
    loop.run();
  }
  /// Runs the loop until `done` returns true. The check fails after `patience` milliseconds.
  void until(const std::function<bool()>& done, int patience = kPatience) {
    const auto stop = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience);
    while (!done() && std::chrono::steady_clock::now() < stop) uv_run(loop.raw(), UV_RUN_ONCE);
    CHECK(done());
  }
  /// Runs the loop until what is there is dealt with. Does not wait for anything.
  void settle() {
    for (int i = 0; i < 10; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  }
  void tick(Millis) override {}  // wakes the loop, so that until() checks again even if nothing arrives
  /// Until the loop runs again, its time is this.
  void pretend(Millis now) { loop.raw()->time = now; }

  net::Loop loop;
  std::optional<net::Ticker> awake;
};

/// Sends reliable packets to peer 0 of a host, which follow one that never comes, until some are refused.
inline void flood_out_of_order(Turning& turning, End& from, const net::Address& to,
                               const std::function<bool()>& refused) {
  constexpr std::uint16_t kTogether = 10, kMost = 28'000;  // ENet accepts no higher numbers
  std::uint16_t number = 10;
  const auto send_some = [&] {
    for (int i = 0; i < 20; ++i, number += kTogether) {
      if (number >= kMost) number = 10;  // some were lost on the way
      for (const Buffer& one : packets_out_of_order(number, kTogether)) from.host.send_raw(to, one);
    }
    return refused();
  };
  turning.until(send_some, 3 * kPatience);
}

/// A server, a relay in front of it, and a client.
struct Scene : Turning {
  explicit Scene(const wire::Game& game, Limits limits = no_limits(), EnetMode mode = EnetMode::kPackets,
                 relay::Tap* tap = nullptr, bool strict = false, relay::Bans* bans = nullptr, bool announce = false)
      : server(loop),
        client(loop),
        settings(game.enet()),
        address(serve()),
        running(game, address, limits, 1, 0, tap, {}, mode, strict, bans, {}, announce) {
    reopen_client();
  }
  ~Scene() override {
    client.host.close();
    server.host.close();
  }
  net::Address serve() {
    const auto bound = server.host.listen(loopback(), {8, settings.channels, settings.range_coder, 8U << 20U});
    REQUIRE(bound.ok());
    return *bound;
  }
  void reopen_client() { reopen(client, {4, settings.channels, settings.range_coder, 8U << 20U}); }
  EnetPeer* knock(std::uint32_t data) { return client.host.connect(running.address, 1, data); }
  void join(std::uint32_t data) {
    client.peer = knock(data);
    until([&] { return client.ups > 0 && server.peer != nullptr; });
  }
  /// Checks that the relay passes on connect data, channels, each kind of packet, and the reason of a disconnect.
  void talk_and_part() {
    join(3);
    CHECK(server.log == std::vector<std::string>{"up 3 channels 1"});
    client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
    server.say(0, "1200001800", EnetDelivery::kReliable);
    server.say(0, "02000000000000000000000000000000000000000000000000", EnetDelivery::kUnsequenced);
    server.say(0, "0301", EnetDelivery::kUnreliable);
    until([&] { return server.log.size() == 2 && client.log.size() == 4; });
    CHECK(server.log.back() == "0/1 0901000002000000");
    CHECK(client.heard("0/1 1200001800"));
    CHECK(client.heard("0/2 0200000000000000"));
    CHECK(client.heard("0/0 0301"));
    server.host.disconnect(*server.peer, 10);
    until([&] { return client.peer == nullptr; });
    CHECK(client.log.back() == "down 10");
    until([&] { return running.totals().current_sessions() == 0; });
    CHECK(running.totals().by(relay::Reason::kServerLeft) == 1);
    CHECK(running.tapped.record(1).closed == "server left");
  }
  /// Sends a megabyte from the server at once, in numbered chunks. Checks that it arrives in order. REQUIRES: join()
  /// was called.
  void send_map() {
    for (std::uint32_t i = 0; i < 128; ++i) {
      Buffer chunk(8193, static_cast<std::uint8_t>(i));
      chunk[0] = 19;
      REQUIRE(server.host.send(*server.peer, 0, EnetPacket(chunk, EnetDelivery::kReliable)));
    }
    until([&] { return client.bytes == 128 * 8193; });
    REQUIRE(client.log.size() == 129);
    for (std::size_t i = 0; i < 128; ++i) {
      const std::uint8_t fill[] = {static_cast<std::uint8_t>(i)};
      CHECK(client.log[1 + i].substr(6, 2) == to_hex(fill));
    }
  }

  End server, client;
  wire::EnetSettings settings;
  net::Address address;
  Running running;
};

}  // namespace entente::testing
