// Players that the operator moves to the server or the arena of another route.
#include <doctest/doctest.h>

#include "tests/relay/bridge/moving.h"
#include "tests/relay/rule_orders.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::move_test {
namespace {

using relay::Reason;
using How = MoveResult::How;
using Kind = rules::Action::Kind;

/// Log who is in and whether the server is up, and drop a line.
constexpr const char* kTelltale = R"(
local ups, downs = 0, 0
function on_join(player) log(player.name .. " is in") end
function on_leave(player) log(player.name .. " is out") end
function on_server_up()
  ups = ups + 1
  local names = ""
  for _, player in ipairs(players()) do names = names .. " " .. player.name end
  log("up " .. ups .. ":" .. names)
end
function on_server_down() downs = downs + 1 log("down " .. downs) end
function on_chat(_, text) if text == "psst" then return false end end)";

/// A player that has joined its own route and spawned.
struct Player {
  explicit Player(const Moving& running) : client(Stream::to(running.address)) {
    client.say(R"({"enter":{"name":"anna"}})");
    server.emplace(greet(*running.home).first);
    let_in(*server, "one", "ben");
    server->say(R"({"unit":{"id":10,"owner":1,"alive":true,"pose":{"unit":10,"x":3}}})");
    server->say(R"({"owns":{"player":1,"units":[10],"active":10}})");
    CHECK(have(client.until(R"("owns":{"player":1)"), "ben"));
  }
  /// Chat passes in both directions.
  void plays_on(Lines& at, const std::string& text) {
    client.say(R"({"say":{"text":")" + text + R"("}})");
    at.until(text);
    at.say(R"({"said":{"from":2,"text":"re )" + text + R"("}})");
    client.until("re " + text);
  }

  Lines client;
  std::optional<Lines> server;
};

TEST_CASE("move: a player continues at another route's server, and stays at its own until the other has let it in") {
  Moving running;
  Player anna(running);
  auto result = running.begin_move(kOther);
  auto [other, enter] = greet(*running.other);
  CHECK(enter.find(R"("name":"anna")") != std::string::npos);
  CHECK(enter.find(R"("team":"RED")") != std::string::npos);
  anna.plays_on(*anna.server, "still at home");
  let_in(other, "two", "cleo");
  const auto there = anna.client.until("you were moved to another server");
  CHECK(have(there, "cleo"));
  CHECK(have(there, R"("two")"));
  CHECK(have(there, R"("died")"));
  other.until("spawn");  // it was in play
  CHECK(result.get().how == How::kMoved);
  anna.server->all();  // its own server was left
  anna.plays_on(other, "there now");
  CHECK(running.sessions().size() == 1);
  CHECK(running.sessions()[0].route == kHome);
  CHECK(running.sessions()[0].moved_to == kOther);
  CHECK(running.sessions()[0].info.server == running.other_at);
  CHECK(running.totals().moved == 1);
  CHECK(running.server().servers(kHome)[0].sessions == 0);
  CHECK(running.server().servers(kOther)[0].sessions == 1);
  CHECK(running.heard.line("moved session " + std::to_string(running.sessions()[0].info.link) +
                           " (\"us\") from native json " + running.addresses[kHome].text() + " to native json " +
                           running.addresses[kOther].text() + " in "));
  const relay::LinkId link = running.sessions()[0].info.link;
  CHECK(running.tapped.noted(link, "is moved to native json " + running.addresses[kOther].text() + "\n"));
  CHECK(running.tapped.noted(link, "dialling " + running.other_at.text() + ", to move there\n"));

  auto back = running.begin_move(kHome);
  Lines home = greet(*running.home).first;
  let_in(home, "one", "dora");
  CHECK(have(anna.client.until("you were moved"), "dora"));
  CHECK(back.get().how == How::kMoved);
  other.all();
  anna.plays_on(home, "home again");
  CHECK_FALSE(running.sessions()[0].moved_to.has_value());
  home.stream().close();
  anna.client.all();
  CHECK(running.empty());
}

TEST_CASE("move: a player that goes home has its place there still, and gives back that on the other route") {
  Moving running(2);
  Player anna(running);
  Limits limits = no_limits();
  limits.sessions = 1;
  for (const std::size_t route : {kHome, kOther}) running.server().set_rules(route, {limits, {}});
  auto away = running.begin_move(kOther);
  Lines other = greet(*running.other).first;
  let_in(other, "two", "cleo");
  REQUIRE(away.get().how == How::kMoved);
  auto back = running.begin_move(kHome);
  Lines home = greet(*running.home).first;
  let_in(home, "one", "dora");
  REQUIRE(back.get().how == How::kMoved);
  Lines ben(Stream::to(running.addresses[kOther]));
  ben.say(R"({"enter":{"name":"ben"}})");
  CHECK(greet(*running.other).second.find("ben") != std::string::npos);
  CHECK(running.server().totals(kOther).refused() == 0);
}

TEST_CASE("move: a player that is not let in stays where it is, and the answer says why") {
  Moving running;
  Player anna(running);
  const std::string why = not_let_in(running, [&] { return running.begin_move(kOther); });
  CHECK(running.heard.line("is not moved to native json " + running.addresses[kOther].text() + ": " + why));
  CHECK(running.tapped.noted(running.sessions()[0].info.link, "is not moved: " + why + "\n"));
  anna.plays_on(*anna.server, "still at home");
  CHECK(running.totals().moved == 0);
  CHECK(running.server().servers(kOther)[0].sessions == 0);
  CHECK(eventually([&] { return running.tapped.left_open() == 2; }));  // the client's link and the server's
  running.other.emplace(running.other_at);                             // it can be moved later
  auto result = running.begin_move(kOther);
  Lines other = greet(*running.other).first;
  let_in(other, "two", "cleo");
  anna.client.until("you were moved");
  CHECK(result.get().how == How::kMoved);
}

TEST_CASE(
    "move: notices that the next server sends before its world reach the player who is there, and nobody who is not") {
  Moving running;
  Player anna(running);
  auto result = running.begin_move(kOther);
  Lines other = greet(*running.other).first;
  other.say(R"({"world_progress":{"done":1,"total":2}})");
  other.say(R"({"notice":{"text":"welcome to the other server"}})");
  SUBCASE("the player is let in") {
    let_in(other, "two", "cleo");
    CHECK(result.get().how == How::kMoved);
    const auto heard = anna.client.until("welcome to the other server");
    CHECK(have(heard, R"("two")"));
    CHECK_FALSE(have(heard, "world_progress"));
  }
  SUBCASE("the player is refused") {
    other.say(R"({"refused":{"text":"go away"}})");
    CHECK(result.get().how == How::kStays);
    anna.server->say(R"({"said":{"text":"still here"}})");
    const auto heard = anna.client.until("still here");
    CHECK_FALSE(have(heard, "welcome"));
    CHECK_FALSE(have(heard, "world_progress"));
  }
}

TEST_CASE("move: a server that does not let the player in in time is given up") {
  Limits limits = no_limits();
  limits.ready_ms = 3'000;
  Moving running(1, 0, false, limits);
  Player anna(running);
  auto result = running.begin_move(kOther);
  Lines other(running.other->accept());
  CHECK(result.get().text == "it did not let the player in within 3000 ms");
  other.all();
  anna.plays_on(*anna.server, "still at home");
}

TEST_CASE("move: clear errors") {
  Moving running;
  CHECK(running.move(kOther, 99).how == How::kNobody);
  {
    Lines early(Stream::to(running.address));
    early.say(R"({"enter":{"name":"early"}})");
    Lines server = greet(*running.home).first;
    CHECK(running.why_stays(kOther) == "the player has not joined yet");
  }
  CHECK(running.empty());
  {
    Lines refused(Stream::to(running.address));
    refused.say(R"({"enter":{"name":"early"}})");
    Lines server = greet(*running.home).first;
    let_in(server, "one", "ben");
    refused.until("ready");
    server.say(R"({"refused":{"code":"BAD_NAME","text":"not this name"}})");
    refused.until("not this name");
    CHECK(running.why_stays(kOther) == "the player has not joined yet");
  }
  CHECK(running.empty());
  Player anna(running);
  CHECK(running.why_stays(kHome) == "the player is there already");
  running.server().set_draining(kOther, true);
  CHECK(running.why_stays(kOther) == "that route takes no newcomers (draining)");
  running.server().set_draining(kOther, false);
  const net::Network here = net::Network::of_host(*net::Address::parse("127.0.0.1", 0));
  running.bans.add({here, relay::Ban::kForGood, "no"});
  CHECK(running.why_stays(kOther) == "127.0.0.1 is banned there");
  running.bans.remove(here);
  running.server().set_rules(kOther, {no_limits(), {{.allow = {}, .deny = {here}}}});
  CHECK(running.why_stays(kOther) == "127.0.0.1 is not allowed on that route");
  running.server().set_rules(kOther, {no_limits(), {}});
  running.server().drain_server(running.other_at.text(), true);
  CHECK(running.why_stays(kOther) == "its servers are drained");
  running.server().drain_server(running.other_at.text(), false);
  auto first = running.begin_move(kOther);
  Lines other = greet(*running.other).first;
  CHECK(running.why_stays(kOther) == "the player is on the way to another route already");
  CHECK(running.why_stays(kLobby) == "the player is on the way to another route already");
  let_in(other, "two", "cleo");
  CHECK(first.get().how == How::kMoved);
}

TEST_CASE("move: the limits of the route apply to a player that is moved there, and count the player") {
  Moving running(2);
  Player anna(running);
  Limits limits = no_limits();
  std::string why;
  SUBCASE("of sessions") {
    limits.sessions = 1;
    why = "that route has reached its limit of sessions: 1";
  }
  SUBCASE("of sessions from an address") {
    limits.sessions_per_address = 1;
    why = "that route has reached its limit of sessions from 127.0.0.1: 1";
  }
  const Reason refused = limits.sessions != 0 ? Reason::kTooMany : Reason::kTooManyFromAddress;
  running.server().set_rules(kOther, {limits, {}});
  {
    Lines ben(Stream::to(running.addresses[kOther]));
    ben.say(R"({"enter":{"name":"ben"}})");
    const auto bens_server = greet(*running.other);
    CHECK(running.move(kOther, running.sessions().front().info.link).text == why);
    anna.plays_on(*anna.server, "still at home");
  }
  REQUIRE(eventually([&] { return running.server().totals(kOther).current_sessions() == 0; }));
  auto result = running.begin_move(kOther);
  Lines other = greet(*running.other).first;
  let_in(other, "two", "cleo");
  REQUIRE(result.get().how == How::kMoved);
  Lines(Stream::to(running.addresses[kOther])).all();  // its place is taken
  CHECK(eventually([&] { return running.server().totals(kOther).by(refused) == 1; }));
  CHECK(running.move(kLobby).how == How::kMoved);
  Lines dora(Stream::to(running.addresses[kOther]));
  dora.say(R"({"enter":{"name":"dora"}})");
  CHECK(greet(*running.other).second.find("dora") != std::string::npos);
}

TEST_CASE("move: a player who is moved on to the route that replaces its own has one place there, as before") {
  Moving running;
  Player anna(running);
  auto away = running.begin_move(kOther);
  Lines other = greet(*running.other).first;
  let_in(other, "two", "cleo");
  REQUIRE(away.get().how == How::kMoved);
  relay::RouteOptions options = *running.server().options(kOther);
  options.listen = running.addresses[kOther];
  options.limits.sessions = 1;
  const auto changed = running.server().change({.added = {{options, kOther}}});
  REQUIRE(changed.ok());
  auto on = running.begin_move(changed->front().route);
  Lines again = greet(*running.other).first;
  let_in(again, "two", "dora");
  REQUIRE(on.get().how == How::kMoved);
  Lines(Stream::to(running.addresses[kOther])).all();  // its place is taken
  CHECK(eventually([&] { return running.server().totals(changed->front().route).by(Reason::kTooMany) == 1; }));
  auto back = running.begin_move(kHome);
  Lines home = greet(*running.home).first;
  let_in(home, "one", "emma");
  REQUIRE(back.get().how == How::kMoved);
  Lines ben(Stream::to(running.addresses[kOther]));
  ben.say(R"({"enter":{"name":"ben"}})");
  CHECK(greet(*running.other).second.find("ben") != std::string::npos);
}

/// A player of the web page who asks for this path.
struct Visitor : WebClient {
  Visitor(const net::Address& at, const std::string& path, const std::string& name) : WebClient(at, path) {
    upgrade();
    send(net::Opcode::kText, as_bytes(R"({"enter":{"name":")" + name + R"("}})"));
  }
  void hears(std::string_view what) {
    const std::string hex = to_hex(as_bytes(what));
    std::string next;
    while (next.find(hex) == std::string::npos) REQUIRE((next = this->next()) != "end");
  }
};

TEST_CASE("move: from one path of a listener to another: the limits of the other route apply, and count the player") {
  Moving running;
  const std::size_t one = running.addresses.size(), two = one + 1;
  relay::RouteOptions options = *running.server().options(kOther);
  options.game = native::game().over_web();
  options.listen = loopback();
  options.web.path = "/one";
  options.servers[0].port = running.home_at.port();
  running.add(options);
  const net::Address at = options.listen = running.addresses.back();
  options.web.path = "/two";
  options.servers[0].port = running.other_at.port();
  options.limits.sessions = 1;
  running.add(options);

  Visitor anna(at, "/one", "anna");
  std::optional<Lines> server(greet(*running.home).first);
  let_in(*server, "one", "ben");
  anna.hears(R"("ready")");
  const relay::LinkId link = running.sessions().front().info.link;
  {
    Visitor ben(at, "/two", "ben");
    const auto bens_server = greet(*running.other);
    CHECK(running.move(two, link).text == "that route has reached its limit of sessions: 1");
  }
  REQUIRE(eventually([&] { return running.server().totals(two).current_sessions() == 0; }));
  auto away = running.begin_move(two, link);
  Lines other = greet(*running.other).first;
  let_in(other, "two", "cleo");
  REQUIRE(away.get().how == How::kMoved);
  CHECK(WebClient(at, "/two").answer().status == 503);
  Visitor dora(at, "/one", "dora");
  CHECK(greet(*running.home).second.find("dora") != std::string::npos);
  auto back = running.begin_move(one, link);
  server.emplace(greet(*running.home).first);
  let_in(*server, "one", "ben");
  REQUIRE(back.get().how == How::kMoved);
  Visitor emma(at, "/two", "emma");
  CHECK(greet(*running.other).second.find("emma") != std::string::npos);
}

TEST_CASE("move: where players wait for a server, a moved player waits, too, and plays on meanwhile") {
  Moving running(2, 0, false, no_limits(), 60'000);
  Player anna(running);
  running.other.reset();
  const relay::LinkId link = running.sessions().front().info.link;
  const MoveResult under_way = running.server().move(link, kOther, 4'000);
  CHECK(under_way.how == How::kUnderWay);
  CHECK(under_way.text == "waits for its servers, for up to 60 s");
  REQUIRE(eventually([&] { return running.server().waiting(kOther) == 1; }));
  CHECK(running.heard.line("waits for its servers, for up to 60 s"));
  CHECK(running.why_stays(kOther) == "the player is on the way to another route already");
  anna.plays_on(*anna.server, "still at home");
  SUBCASE("until a server is up") {
    running.other.emplace(running.other_at);
    Lines other = greet(*running.other).first;
    let_in(other, "two", "cleo");
    anna.client.until("you were moved");
    CHECK(running.server().waiting(kOther) == 0);
    anna.plays_on(other, "there now");
  }
  SUBCASE("until it leaves") {
    anna.client.stream().close();
    CHECK(running.empty());
    CHECK(running.server().waiting(kOther) == 0);
  }
}

TEST_CASE("move: where players wait for a seat, a player waits who is moved to a server that says that it is full") {
  Moving running(2, 0, false, no_limits(), 60'000);
  Player anna(running);
  const relay::LinkId link = running.sessions().front().info.link;
  std::optional<Lines> ben(Stream::to(running.addresses[kOther]));
  ben->say(R"({"enter":{"name":"ben"}})");
  Lines bens = greet(*running.other).first;
  let_in(bens, "two", "cleo");
  ben->until("cleo");
  auto result = running.begin_move(kOther, link);
  {
    Lines other = greet(*running.other).first;
    other.say(R"({"refused":{"code":"FULL","text":"no seat for you"}})");
    other.all();
  }
  CHECK(eventually([&] { return running.server().waiting(kOther) == 1; }));
  CHECK(running.heard.line("waits for its servers, for up to 60 s"));
  CHECK(running.server().servers(kOther)[0].full);
  anna.plays_on(*anna.server, "still at home");
  SUBCASE("until there is a seat") {
    ben.reset();
    Lines other = greet(*running.other).first;
    let_in(other, "two", "cleo");
    anna.client.until("you were moved");
    CHECK(result.get().how == How::kMoved);
    CHECK(running.server().waiting(kOther) == 0);
    CHECK(running.totals().moved == 1);
    anna.plays_on(other, "there now");
  }
  SUBCASE("until it is banned there") {
    ben.reset();
    Lines other = greet(*running.other).first;
    other.say(R"({"refused":{"code":"BANNED","text":"go away"}})");
    const MoveResult answer = result.get();
    CHECK(answer.how == How::kStays);
    CHECK(answer.text == "go away");
    CHECK(running.server().waiting(kOther) == 0);
    anna.plays_on(*anna.server, "at home for good");
  }
  SUBCASE("until it leaves") {
    anna.client.stream().close();
    CHECK(result.get().how == How::kStays);
    CHECK(eventually([&] { return running.server().waiting(kOther) == 0; }));
  }
}

TEST_CASE(
    "move: that a server is full, or has banned a player, is remembered when it says so to one who is moved there") {
  Moving running;
  Player anna(running);
  auto result = running.begin_move(kOther);
  Lines other = greet(*running.other).first;
  SUBCASE("it is full") {
    other.say(R"({"refused":{"code":"FULL","text":"no seat for you"}})");
    CHECK(result.get().text == "no seat for you");
    CHECK(running.server().servers(kOther)[0].full);
  }
  SUBCASE("it bans the player") {
    other.say(R"({"refused":{"code":"BANNED","text":"go away"}})");
    CHECK(result.get().text == "go away");
    CHECK(running.heard.line("server " + running.other_at.text() + " banned the player from 127.0.0.1 (go away)"));
    CHECK(running.server().totals(kOther).server_bans == 1);
    CHECK(running.server().totals(kHome).server_bans == 0);
    CHECK(running.why_stays(kOther) == "127.0.0.1 is banned there");
  }
  anna.plays_on(*anna.server, "still at home");
}

TEST_CASE("move: a player who is kicked while it waits for another route's server is in that queue no longer") {
  Limits limits = no_limits();
  limits.linger_ms = 600'000;
  Moving running(2, 0, false, limits, 60'000);
  Player anna(running);
  running.other.reset();
  auto result = running.begin_move(kOther);
  REQUIRE(eventually([&] { return running.server().waiting(kOther) == 1; }));
  CHECK(running.kick(running.sessions().front().info.link, "be nice"));
  anna.client.until("be nice");  // it does not close its connection
  CHECK(eventually([&] { return running.server().waiting(kOther) == 0; }));
  anna.client.stream().close();
  CHECK(result.get().how == How::kStays);
}

TEST_CASE("move: where players wait for a server, a moved player is behind them, although its session is older") {
  Moving running(1, 0, false, no_limits(), 60'000);
  Player anna(running);
  const relay::LinkId link = running.sessions().front().info.link;
  running.other.reset();
  std::vector<Lines> waiting;
  for (const char* name : {"beth", "cora"}) {
    waiting.emplace_back(Stream::to(running.addresses[kOther]));
    waiting.back().say(std::string(R"({"enter":{"name":")") + name + R"("}})");
    REQUIRE(eventually([&] { return running.server().waiting(kOther) == waiting.size(); }));
  }
  CHECK(running.server().move(link, kOther, 4'000).text == "waits for its servers, behind 2 more, for up to 60 s");
  REQUIRE(eventually([&] { return running.server().waiting(kOther) == 3; }));
  running.other.emplace(running.other_at);
  auto [other, enter] = greet(*running.other);
  CHECK(enter.find(R"("name":"beth")") != std::string::npos);
  let_in(other, "two", "cleo");
  CHECK(have(waiting.front().until("cleo"), "cleo"));
}

TEST_CASE("move: a server that comes up after a long wait has its whole time to let the moved player in") {
  Limits limits = no_limits();
  limits.ready_ms = 2'000;
  Moving running(1, 0, false, limits, 60'000);
  Player anna(running);
  running.other.reset();
  auto result = running.begin_move(kOther);
  REQUIRE(running.heard.line("waits for its servers, for up to 60 s"));
  CHECK(result.wait_for(std::chrono::milliseconds(2'200)) == std::future_status::timeout);
  running.other.emplace(running.other_at);
  Lines other = greet(*running.other).first;
  CHECK(result.wait_for(std::chrono::milliseconds(500)) == std::future_status::timeout);
  let_in(other, "two", "cleo");
  CHECK(result.get().how == How::kMoved);
  anna.plays_on(other, "there now");
}

TEST_CASE("move: somebody leaves in the middle of a move") {
  const std::uint32_t hold_ms = 60'000;
  Moving running(2, hold_ms);
  Player anna(running);
  auto result = running.begin_move(kOther);
  std::optional<Lines> other(greet(*running.other).first);
  SUBCASE("the client") {
    anna.client.stream().reset();
    CHECK(running.empty());
    anna.server->all();
    other->all();
  }
  SUBCASE("it is kicked") {
    CHECK(running.kick(running.sessions().front().info.link, "be nice"));
    CHECK(have(anna.client.all(), "be nice"));
    CHECK(running.empty());
    other->all();
  }
  SUBCASE("the program stops") { running.stop(); }
  SUBCASE("its own server: the player waits for it, as always") {
    anna.server.reset();
    anna.client.until("the server is away");
    Lines home = greet(*running.home).first;
    let_in(home, "one", "dora");
    anna.client.until("back on the server");
    anna.plays_on(home, "home again");
    other->all();
  }
  SUBCASE("both servers") {
    running.home.reset();
    other.reset();
    anna.server.reset();
    anna.client.until("the server is away");
    CHECK(eventually([&] { return running.server().waiting(kHome) == 1; }));
  }
  CHECK(result.get().how == How::kStays);
  CHECK(running.totals().moved == 0);
}

TEST_CASE("move: a moved player leaves with its new server, or waits for it, as the new route says") {
  Moving running;
  Player anna(running);
  auto result = running.begin_move(kOther);
  {
    Lines other = greet(*running.other).first;
    let_in(other, "two", "cleo");
    CHECK(result.get().how == How::kMoved);
    anna.server->all();
  }
  anna.client.all();
  CHECK(running.empty());
  CHECK(running.totals().by(Reason::kServerLeft) + running.totals().by(Reason::kServerReset) == 1);
}

TEST_CASE(
    "move: a client that loads a world only when it joins stays in the same world, and gets a notice about another") {
  Moving running(1, 0, true);
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);
  std::optional<Lines> home(greet(*running.home).first);
  let_in(*home, "one", "ben");
  home->say(R"({"said":{"text":"hello"}})");
  const auto hears = [&](std::string_view text) {
    const Buffer line = frame(text, toy::kSay);
    CHECK(client.read(line.size()) == line);
  };
  hears("hello");
  std::string hash = "one";
  SUBCASE("the same") {}
  SUBCASE("another") { hash = "two"; }
  auto result = running.begin_move(kToyListener);
  Lines other = greet(*running.other).first;
  let_in(other, hash, "cleo");
  const MoveResult moved = result.get();
  if (hash == "one") {
    CHECK(moved.how == How::kMoved);
    home->all();
    hears("you were moved to another server");
    client.send(frame("here", toy::kSay));
    other.until("here");
    return;
  }
  CHECK(moved.how == How::kReferred);
  CHECK(moved.text == "moved to another server: connect to play.example.org:" +
                          std::to_string(running.addresses[kToyListener].port()));
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kReferred));
  home->all();
  other.all();
  CHECK(running.empty());
}

TEST_CASE("move: into an arena and out of it") {
  for (const std::size_t workers : {1U, 2U}) {
    Moving running(workers);
    Player anna(running);
    CHECK(running.move(kLobby).how == How::kMoved);
    const auto there = anna.client.until("you were moved to the arena 'lobby'");
    CHECK(have(there, R"("world")"));
    CHECK_FALSE(have(there, "cleo"));
    anna.server->all();
    CHECK(running.sessions()[0].arena == "lobby");
    CHECK(running.sessions()[0].moved_to == kLobby);
    anna.client.until(R"("spawned")");

    Lines ben(Stream::to(running.addresses[kLobby]));  // the arena has one seat
    ben.say(R"({"enter":{"name":"ben","role":"WATCH"}})");
    ben.until("anna");
    auto result = running.begin_move(kOther);
    Lines other = greet(*running.other).first;
    anna.client.say(R"({"say":{"text":"hello ben"}})");
    ben.until("hello ben");
    let_in(other, "two", "cleo");
    CHECK(result.get().how == How::kMoved);
    CHECK(have(anna.client.until("you were moved to another server"), "cleo"));
    ben.until("player_gone");
    anna.plays_on(other, "out");
    CHECK(running.sessions()[0].arena.empty());
  }
}

TEST_CASE("move: an arena that is full or closed accepts no player") {
  Moving running(2);
  Player anna(running);
  std::optional<Lines> ben;
  SUBCASE("full") {
    ben.emplace(Stream::to(running.addresses[kLobby]));
    ben->say(R"({"enter":{"name":"ben"}})");
    ben->until(R"("owns")");
    CHECK(running.why_stays(kLobby) == "it is full");
  }
  SUBCASE("drained") {
    running.server().set_draining(kLobby, true);
    CHECK(running.why_stays(kLobby) == "that route takes no newcomers (draining)");
  }
  SUBCASE("removed") {
    REQUIRE(running.server().change({.retired = {kLobby}}).ok());
    CHECK(running.why_stays(kLobby) == "that route takes no newcomers (draining)");
  }
  anna.plays_on(*anna.server, "still at home");
}

TEST_CASE("move: a player that was moved into an arena goes back to its route when the arena ends") {
  Moving running(2, 60'000);
  Player anna(running);
  CHECK(running.move(kLobby).how == How::kMoved);
  anna.client.until("you were moved to the arena 'lobby'");
  anna.server->all();
  REQUIRE(running.server().change({.retired = {kLobby}}).ok());
  running.server().retire_shared_room(running.arena);
  Lines home = greet(*running.home).first;
  let_in(home, "one", "dora");
  CHECK(have(anna.client.until("back on the server"), "dora"));
  anna.plays_on(home, "home again");
  CHECK(running.sessions()[0].arena.empty());
  CHECK_FALSE(running.sessions()[0].moved_to.has_value());
}

TEST_CASE("move: the rules of its own route hold again for a player whose arena has ended") {
  Orders orders;
  Moving running(2, 60'000, false, no_limits(), 0, nullptr, orders.book(kTelltale));
  Player anna(running);
  CHECK(running.move(kLobby).how == How::kMoved);
  anna.client.until("you were moved to the arena 'lobby'");
  REQUIRE(running.server().change({.retired = {kLobby}}).ok());
  running.server().retire_shared_room(running.arena);
  Lines home = greet(*running.home).first;
  let_in(home, "one", "dora");
  anna.client.until("back on the server");
  anna.client.say(R"({"say":{"text":"psst"}})");
  anna.client.say(R"({"say":{"text":"home again"}})");
  CHECK_FALSE(have(home.until("home again"), "psst"));
  CHECK(eventually([&] { return orders.has(Kind::kLog, "up 1: us dora"); }));
  CHECK(orders.has(Kind::kLog, "dora is in"));
}

TEST_CASE("move: the rules of the other route hear who is on its server, and not of the players who were left behind") {
  Orders orders;
  Moving running(1, 0, false, no_limits(), 0, orders.book(kTelltale));
  Player anna(running);
  auto result = running.begin_move(kOther);
  Lines other = greet(*running.other).first;
  let_in(other, "two", "cleo");
  CHECK(result.get().how == How::kMoved);
  anna.client.until("you were moved to another server");
  CHECK(eventually([&] { return orders.has(Kind::kLog, "cleo is in"); }));
  CHECK(orders.has(Kind::kLog, "up 1: us cleo"));
  CHECK_FALSE(orders.has(Kind::kLog, "ben"));
  CHECK_FALSE(orders.has(Kind::kLog, "is out"));
}

TEST_CASE("hold: rules hear each time that the server is lost, and that the next one is there") {
  Orders orders;
  Moving running(1, 60'000, false, no_limits(), 0, nullptr, orders.book(kTelltale));
  Player anna(running);
  CHECK(eventually([&] { return orders.has(Kind::kLog, "up 1: us ben"); }));
  for (const std::string number : {"1", "2"}) {
    anna.server->stream().reset();
    anna.client.until("the server is away");
    CHECK(orders.has(Kind::kLog, "down " + number));
    anna.server.emplace(greet(*running.home).first);
    let_in(*anna.server, "one", "dora" + number);
    anna.client.until("back on the server");
    CHECK(orders.has(Kind::kLog, "up " + std::to_string(std::stoi(number) + 1) + ": us dora" + number));
  }
}

TEST_CASE("move: a player is not moved to a server that is drained meanwhile") {
  Moving running;
  const auto drained = [&](std::future<MoveResult> result) {
    running.server().drain_server(running.other_at.text(), true);
    CHECK(running.server().leave_server(running.other_at.text(), "drained") == 0);  // nobody is on it
    const MoveResult answer = result.get();
    CHECK(answer.how == How::kStays);
    CHECK(answer.text == "its server is drained");
  };
  SUBCASE("out of a bridge") {
    Player anna(running);
    auto result = running.begin_move(kOther);
    Lines other = greet(*running.other).first;
    drained(std::move(result));
    other.all();
    anna.plays_on(*anna.server, "still at home");
  }
  SUBCASE("out of an arena") {
    Lines ben(Stream::to(running.addresses[kLobby]));
    ben.say(R"({"enter":{"name":"ben"}})");
    ben.until(R"("owns")");
    auto result = running.begin_move(kOther);
    Lines other = greet(*running.other).first;
    drained(std::move(result));
    other.all();
    ben.say(R"({"say":{"text":"still here"}})");
    ben.until("still here");
  }
}

TEST_CASE("move: the player of a bridge continues at the server of a relay, and goes home from there") {
  Moving running;
  Player anna(running);
  for (const std::size_t route : {kRelay, kHome}) {
    CAPTURE(route);
    auto result = running.begin_move(route);
    auto [server, enter] = greet(*running.home);
    CHECK(enter.find(R"("name":"anna")") != std::string::npos);
    let_in(server, "two", "cleo");
    CHECK(result.get().how == How::kMoved);
    anna.client.until("you were moved to another server");
    anna.plays_on(server, "hello");
    anna.server.emplace(std::move(server));
  }
}

TEST_CASE("move: the player of a relay is told where to connect") {
  Moving running;
  Lines client(Stream::to(running.addresses[kRelay]));
  client.say(R"({"enter":{"name":"anna"}})");
  Lines server = greet(*running.home).first;
  server.say(R"({"ready":{}})");
  client.until("ready");
  const MoveResult result = running.move(kOther);
  CHECK(result.how == How::kReferred);
  const std::string text = "moved to another server: connect to " + running.addresses[kOther].text();
  CHECK(result.text == text);
  CHECK(have(client.all(), text));
  CHECK(eventually([&] { return running.server().totals(kRelay).by(Reason::kReferred) == 1; }));
}

TEST_CASE("move: a client is not told to connect to a server of another game") {
  Moving running;
  Lines client(Stream::to(running.addresses[kRelay]));
  client.say(R"({"enter":{"name":"anna"}})");
  Lines server = greet(*running.home).first;
  server.say(R"({"ready":{}})");
  client.until("ready");
  CHECK(running.why_stays(kToyListener).find("that listener is for ") != std::string::npos);
  server.say(R"({"said":{"text":"still here"}})");
  client.until("still here");
}

}  // namespace
}  // namespace entente::testing::move_test
