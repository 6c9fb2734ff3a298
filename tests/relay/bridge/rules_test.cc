// The operator's rules in the room of a bridge and in an arena: what they drop, change, say and order, and a reload.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "proxy/core/drops.h"
#include "tests/relay/bridge/native_arena.h"
#include "tests/relay/bridging.h"
#include "tests/relay/rule_orders.h"

namespace entente::testing::rules_test {
namespace {

using Kind = rules::Action::Kind;

std::string said(std::string_view text) { return std::string(as_text(frame(text, toy::kSay))); }

class Ruled final : public Serving {
 public:
  Ruled(const std::string& source, const net::Address& server) : Serving(1) {
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->rules = book = orders.book(source);
    serve(std::move(options), server, no_limits(), nullptr);
  }
  Orders orders;
  std::shared_ptr<relay::RuleBook> book;
};

struct Met {
  Met(const Ruled& running, const FakeServer& fake) : client(Stream::to(running.address)) {
    client.send(kHello);
    CHECK(client.read_text(4) == kWelcome);
    server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    server.send(kWelcome);
  }
  /// What the server gets after the client has said these lines and "end".
  std::string gets(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) client.send(said(line));
    client.send(said("end"));
    std::string all;
    while (!all.ends_with("end")) all += server.read_text(1);
    return all;
  }
  Stream client, server;
};

TEST_CASE("rules drop and change what a bridge's player says, and answer commands") {
  const FakeServer fake;
  const Ruled running(R"(
function on_chat(player, text)
  if text == "psst" then return false end
  return (text:gsub("darn", "****"))
end
command("ready", "is ready", function(player, rest) tell(player, "you are ready " .. rest) end)
command("bye", "leaves", function(player) kick(player, "as you wish") report(player, "left", { n = 1 }) end))",
                      fake.address());
  Met met(running, fake);
  CHECK(met.gets({"psst", "darn it", "/ready now"}) == said("**** it") + said("end"));
  CHECK(met.client.read_text(19) == said("you are ready now"));
  met.client.send(said("/bye"));
  const auto [kick, player] = running.orders.first(Kind::kKick);
  CHECK(kick.text == "as you wish");
  CHECK(player.link == 1);
  const auto report = running.orders.first(Kind::kReport).first;
  CHECK(report.text == "left");
  CHECK(report.numbers == std::vector<std::pair<std::string, double>>{{"n", 1.0}});
}

TEST_CASE("rooms that are open get the new rules, and state survives") {
  const FakeServer fake;
  const Ruled running(
      "state.lines = 0 function on_chat(_, text) state.lines = state.lines + 1 return 'one ' .. text end",
      fake.address());
  Met met(running, fake);
  CHECK(met.gets({}) == said("one end"));
  running.book->set(
      Orders::set_of("function on_chat(_, text) return (state.lines and 'kept ' or 'lost ') .. text end"));
  met.gets({"the call after which it is noticed"});
  CHECK(met.gets({}) == said("kept end"));
  running.book->set(nullptr);
  met.gets({"again"});
  CHECK(met.gets({}) == said("end"));
}

TEST_CASE("rules of a bridge are called each second, also when nobody says anything") {
  const FakeServer fake;
  const Ruled running("state.n = 0 function on_tick() state.n = state.n + 1 log('tick ' .. state.n) end",
                      fake.address());
  const Met met(running, fake);
  CHECK(eventually([&] { return running.orders.has(Kind::kLog, "tick 2"); }));
}

TEST_CASE("a rule that fails is switched off in its room, told once, and the traffic goes on") {
  const FakeServer fake;
  const Ruled running("function on_chat(_, text) if text == 'loop' then while true do end end return '!' .. text end",
                      fake.address());
  Met one(running, fake), two(running, fake);
  CHECK(one.gets({"loop"}) == said("loop") + said("end"));
  CHECK(two.gets({"hello"}) == said("!hello") + said("!end"));
  CHECK(running.orders.first(Kind::kSwitchedOff).first.text == "rule.lua: too many steps in one call");
  CHECK(two.gets({"loop"}) == said("loop") + said("end"));
  CHECK(one.gets({"x"}) == said("x") + said("end"));
  CHECK(running.orders.count(Kind::kSwitchedOff) == 1);
  REQUIRE(running.book->rows().size() == 1);
  CHECK(running.book->rows()[0].off == 2);
}

/// A bridge with rules from native to native, as lines of JSON.
class RuledNative final : public Serving {
 public:
  RuledNative(const std::string& source, const net::Address& server) : Serving(1) {
    relay::RouteOptions options = held(0, native::game(), true);
    options.bridge->rules = orders.book(source);
    serve(std::move(options), server, no_limits(), nullptr, kJson);
  }
  ~RuledNative() { stop(); }  // before `orders` is gone
  Orders orders;
};

TEST_CASE("a client that has not entered cannot chat or play past the rules of a bridge") {
  const FakeServer fake;
  const RuledNative running("function on_chat(_, text) log('heard ' .. text) return false end", fake.address());
  Lines client(Stream::to(running.address));
  client.say(R"({"say":{"text":"early"}})");
  CHECK(have(client.until("claim_refused"), core::drops::kNotEntered.reason));
  client.say(R"({"spawn":{}})");
  client.until("claim_refused");
  client.say(R"({"enter":{"name":"anna"}})");
  client.say(R"({"say":{"text":"late"}})");
  client.say(R"({"change":{"motto":"end"}})");
  Lines server(fake.accept());
  server.say(R"({"you":{"player":1}})");
  const std::vector<std::string> all = server.until("change");
  CHECK(have(all, "enter"));
  CHECK_FALSE(have(all, "say"));
  CHECK_FALSE(have(all, "spawn"));
  CHECK(running.orders.texts(Kind::kLog) == std::vector<std::string>{"heard late"});
}

/// An arena with rules, and clients that speak native.
class RuledArena {
 public:
  explicit RuledArena(const std::string& source, core::ArenaMode mode = core::ArenaMode::kTeams, std::size_t bots = 0)
      : server_(1, heard_), book_(orders.book(source)) {
    relay::SharedRoomOptions room = native_arena("a test", 8);
    core::Arena place;
    place.rules.mode = mode;
    place.geometry = core::courtyard(100);
    room.back = [place] { return std::make_unique<core::Referee>(place); };
    room.rules = book_;
    room.stand_ins.least = bots;
    const std::size_t number = server_.add_shared_room(room);
    const auto listening =
        server_.add(arena_listener("a test", number, native::game(), kNativeFront, kJson, no_limits()));
    REQUIRE(listening);
    at_ = listening->address;
    thread_ = std::thread([this] { server_.run(); });
  }
  ~RuledArena() {
    server_.stop();
    thread_.join();
  }
  Lines enter(const std::string& name) const {
    Lines client(Stream::to(at_));
    client.say(R"({"enter":{"name":")" + name + "\"}}");
    client.until(R"("name":")" + name + '"');  // it is in
    return client;
  }
  Orders orders;

 private:
  Heard heard_;
  relay::ProxyServer server_;
  std::shared_ptr<relay::RuleBook> book_;
  net::Address at_;
  std::thread thread_;
};

TEST_CASE("rules set scores and teams, and open and close rounds, in an arena") {
  const RuledArena arena(R"(
function on_server_up() close_round() end
command("go", "begins", function() open_round() end)
command("stop", "ends", function() close_round("BLUE") end)
command("score", "N", function(id, n) set_score(id, math.tointeger(tonumber(n)), 1) end)
command("switch", "sides", function(id) set_team(id, get_player(id).team == "RED" and "BLUE" or "RED") end))");
  Lines anna = arena.enter("anna");
  anna.until(R"("state":"OVER")");  // until a rule opens a round
  anna.say(R"({"spawn":{}})");
  anna.say(R"({"say":{"text":"/go"}})");
  const auto begun = anna.until(R"("spawned")");
  CHECK(std::any_of(begun.begin(), begun.end(), [](const std::string& line) {
    return line.find(R"("round":{)") != line.npos && line.find("OVER") == line.npos;
  }));
  anna.say(R"({"say":{"text":"/score 7"}})");
  anna.until(R"("wins":7)");
  anna.say(R"({"say":{"text":"/switch"}})");
  anna.until(R"("died")");
  anna.until(R"("team":"BLUE")");
  anna.say(R"({"say":{"text":"/stop"}})");
  CHECK(anna.until(R"("state":"OVER")").back().find(R"("winning_team":"BLUE")") != std::string::npos);
  anna.say(R"({"say":{"text":"/go"}})");
  anna.until(R"("round")");
}

TEST_CASE("all players of an arena are told, also what one of them commands") {
  const RuledArena arena(R"(command("all", "tells all", function() tell_all("to everybody") end))");
  Lines anna = arena.enter("anna"), ben = arena.enter("ben");
  anna.say(R"({"say":{"text":"/all"}})");
  anna.until("to everybody");
  ben.until("to everybody");
  ben.say(R"({"say":{"text":"/help"}})");
  ben.until("/all tells all");
}

TEST_CASE("a rule kicks a bot of an arena, and another one takes its place") {
  const RuledArena arena(R"(
function on_join(player) if player.name:find("-1$") then bot = player.id end end
command("out", "removes the bot", function() kick(bot, "enough") end))",
                         core::ArenaMode::kFreeForAll, 2);
  Lines anna = arena.enter("anna");
  anna.say(R"({"say":{"text":"/out"}})");
  anna.until(R"("player_gone")");
  anna.until(R"(-1")");
}

TEST_CASE("a rule of an arena bans a player who leaves at the same moment") {
  const RuledArena arena("function on_chat(player, text) if text == 'cheat' then ban(player, 5, 'no cheats') end end");
  const Lines anna = arena.enter("anna");
  anna.say("{\"say\":{\"text\":\"cheat\"}}\n{\"leave\":{}}");
  const auto [ban, player] = arena.orders.first(Kind::kBan);
  CHECK(ban.minutes == 5);
  CHECK(player.client.ip_text() == "127.0.0.1");
}

TEST_CASE("rules are called each second, also when nobody says anything") {
  const RuledArena arena("function on_tick() state.n = (state.n or 0) + 1 if state.n == 2 then tell_all('two') end end",
                         core::ArenaMode::kFreeForAll);
  Lines anna = arena.enter("anna");
  anna.until(R"("two")");
}

}  // namespace
}  // namespace entente::testing::rules_test
