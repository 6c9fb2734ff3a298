// A lockstep arena: its time stands still until all of its players have asked for a step, and what they say meanwhile
// waits.
#include <doctest/doctest.h>

#include "tests/relay/bridge/native_arena.h"

namespace entente::testing::lockstep_test {
namespace {

constexpr std::size_t kBytes = 256 * 1024;  // of a player's intents that may wait

class LockstepArena {
 public:
  LockstepArena() {
    core::Arena place;
    place.rules.most_players = 4;
    place.rules.lockstep = true;
    place.geometry = core::courtyard(100);
    relay::SharedRoomOptions room = native_arena("the arena 'training'", 4);
    room.back = [place] { return std::make_unique<core::Referee>(place); };
    room.lockstep_tick = core::Referee::kTick;
    room.seed = 1;
    const std::size_t number = server_.add_shared_room(room);
    const auto listening =
        server_.add(arena_listener("the arena 'training'", number, native::game(), kNativeFront, kJson, no_limits()));
    REQUIRE(listening.ok());
    address_ = listening->address;
    relay::RouteOptions bridge = held(0, native::game(), true);
    bridge.servers[0].host = address_.ip_text();
    bridge.servers[0].port = address_.port();
    bridge.limits = no_limits();
    bridge.bridge->chat.burst = 5;
    const auto before = server_.add(bridge);
    REQUIRE(before.ok());
    bridge_ = before->address;
    thread_ = std::thread([this] { server_.run(); });
  }
  ~LockstepArena() {
    server_.stop();
    thread_.join();
  }
  /// A player that has entered.
  Lines enter(const std::string& name) const { return enter_at(address_, name); }
  /// The same, by a bridge that passes on 5 lines of chat at once.
  Lines enter_by_bridge(const std::string& name) const { return enter_at(bridge_, name); }

 private:
  static Lines enter_at(const net::Address& address, const std::string& name) {
    Lines player(Stream::to(address));
    player.say(R"({"enter":{"name":")" + name + R"(","contract":2}})");
    player.until("\"ready\"");
    return player;
  }

  Heard heard_;
  relay::ProxyServer server_{1, heard_};
  net::Address address_, bridge_;
  std::thread thread_;
};

/// What the player is told until its step is over.
std::vector<std::string> until_clock(Lines& player) { return player.until("\"clock\""); }

TEST_CASE("lockstep: time advances when all players have asked for a step, as far as the shortest one") {
  const LockstepArena arena;
  Lines anna = arena.enter("anna"), ben = arena.enter("ben");
  anna.until("ben");
  anna.say(R"({"playback":{"by_s":1}})");
  CHECK_FALSE(anna.stream().readable(50));  // it waits for ben
  ben.say(R"({"say":{"text":"first"}})");
  ben.say(R"({"playback":{"by_s":0.4}})");
  const auto heard = until_clock(ben);
  CHECK(have(heard, "\"first\""));
  CHECK(heard.back().find(R"("us":"400000")") != std::string::npos);
  CHECK(heard.back().find(R"("paused":true)") != std::string::npos);
  CHECK_FALSE(ben.stream().readable(50));  // the rest of anna's step waits for ben
  ben.say(R"({"playback":{"by_s":0.4}})");
  CHECK(until_clock(ben).back().find(R"("us":"800000")") != std::string::npos);
  ben.say(R"({"playback":{"by_s":5}})");
  const auto all = until_clock(anna);
  CHECK(have(all, "\"first\""));
  CHECK(all.back().find(R"("us":"1000000")") != std::string::npos);
  // Nobody waits for a player who has left.
  anna.stream().finish();
  CHECK(until_clock(ben).back().find(R"("us":"5800000")") != std::string::npos);
}

TEST_CASE("lockstep: behind a bridge, too, a clock names the player's step by the player's own count") {
  const LockstepArena arena;
  Lines anna = arena.enter_by_bridge("anna");
  for (int i = 0; i < 6; ++i) anna.say(R"({"say":{"text":"hello"}})");  // the last one is dropped
  anna.say(R"({"playback":{"by_s":1}})");
  CHECK(until_clock(anna).back().find(R"("cause":8,)") != std::string::npos);
  anna.say(R"({"playback":{"by_s":1}})");
  CHECK(until_clock(anna).back().find(R"("cause":9,)") != std::string::npos);
}

TEST_CASE("lockstep: a long step does not hold up others on its thread, and a step that is none is refused") {
  const LockstepArena arena;
  Lines anna = arena.enter("anna");
  anna.say(R"({"playback":{"by_s":-1}})");
  anna.say(R"({"playback":{"by_s":600}})");
  const auto heard = until_clock(anna);
  CHECK(have(heard, "a step of a lockstep arena needs by_s"));
  CHECK(heard.back().find(R"("us":"600000000")") != std::string::npos);
}

TEST_CASE("lockstep: who says more than may wait is sent away, and the others play on") {
  const LockstepArena arena;
  Lines anna = arena.enter("anna"), ben = arena.enter("ben");
  anna.until("ben");
  const std::string line = R"({"say":{"text":")" + std::string(200, 'x') + "\"}}";
  for (std::size_t sent = 0; sent <= kBytes; sent += 200) ben.say(line);
  CHECK(ben.until("256 KiB").back().find("of your intents wait") != std::string::npos);
  CHECK(ben.all().size() <= 1);
  anna.say(R"({"playback":{"by_s":1}})");
  CHECK(until_clock(anna).back().find(R"("us":"1000000")") != std::string::npos);
}

}  // namespace
}  // namespace entente::testing::lockstep_test
