// The rules of a relay in one session: what they hear, what they drop, who is to blame when a peer cannot be
// understood, and when they end.
#include "proxy/relay/overhear/session_rules.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/web/websocket.h"
#include "proxy/relay/overhear/overheard_room.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/rule_orders.h"
#include "tests/relay/toy.h"
#include "tests/support/toy_faces.h"

namespace entente::testing::session_rules_test {
namespace {

using core::kMillisecond, core::kSecond;
using Kind = rules::Action::Kind;
using relay::LabLine;
using wire::Lane, wire::Stage, wire::Way;
using Texts = std::vector<std::string>;

const std::string kHearsAll = R"(
function on_chat(player, text)
  log("client: " .. text)
  if text == "psst" then return false end
end
function on_fact.said(word) log("server: " .. word.text) end)";

constexpr std::size_t kWordless = 1;  // a dialect without a front

relay::RelayRules rules_of(Orders& orders, const wire::Game& game, const std::string& source, bool rewrite) {
  return {.book = orders.book(source),
          .rewrite = rewrite,
          .tells = true,
          .front = [&game](std::size_t dialect) -> std::unique_ptr<core::Front> {
            return dialect == kWordless ? nullptr : toy::make_front(game);
          },
          .back = [&game](std::size_t) { return toy::make_back(game); }};
}

relay::LinkInfo session_of(const wire::Game& game) {
  relay::LinkInfo info;
  info.link = 7;
  info.game = &game;
  info.client = *net::Address::parse("192.0.2.1", 1'000);
  return info;
}

// -- In a room of its own ---------------------------------------------------------------------------------------------

/// The room of a session over TCP, whose peers have greeted each other.
struct Room {
  explicit Room(bool rewrite = true, const std::string& source = kHearsAll)
      : rules(rules_of(orders, toy::stream(), source, rewrite)),
        room(relay::OverheardRoom::make(rules, session_of(toy::stream()), 0)) {
    REQUIRE(room != nullptr);
    CHECK(hears(Way::kToServer, as_bytes(kHello), Lane::kStream, Stage::kGreeting));
    CHECK(hears(Way::kToClient, as_bytes(kWelcome), Lane::kStream, Stage::kGreeting));
  }
  bool hears(Way way, Bytes bytes, Lane lane = Lane::kStream, Stage stage = Stage::kPlay) {
    return room->received({way, lane, stage, bytes}, now);
  }
  bool client_says(std::string_view text) { return hears(Way::kToServer, frame(text)); }
  bool server_says(std::string_view text) { return hears(Way::kToClient, frame(text)); }
  Texts logged() const { return orders.texts(Kind::kLog); }
  Texts lost() const { return orders.texts(Kind::kLost); }

  Orders orders;
  const relay::RelayRules rules;
  core::Micros now = kSecond;
  const std::unique_ptr<relay::OverheardRoom> room;
};

TEST_CASE("overheard room: only the message that a rule drops is not passed on, and only with `rewrite`") {
  for (const bool rewrite : {true, false}) {
    CAPTURE(rewrite);
    Room it(rewrite);
    CHECK(it.client_says("hi"));
    CHECK(it.client_says("psst") == !rewrite);
    CHECK(it.client_says("hi"));
    CHECK(it.server_says("psst"));
    CHECK(it.client_says("psst") == !rewrite);
    Texts heard{"client: hi", "client: psst", "client: hi", "server: psst", "client: psst"};
    Texts logged = it.logged();
    const auto warnings =
        std::erase_if(logged, [](const std::string& one) { return one.find("`rewrite`") != one.npos; });
    CHECK(warnings == (rewrite ? 0 : 1));  // once
    CHECK(logged == heard);
    CHECK_FALSE(it.room->client_is_wrong());
  }
}

TEST_CASE("overheard room: a client that breaks its game's rules is told once, and is wrong") {
  Room it;
  it.hears(Way::kToServer, frame("", toy::kWrong));
  CHECK(it.room->client_is_wrong());
  CHECK(it.lost() == Texts{"the client broke its game's rules: unknown code (code, byte 1)"});
  it.client_says("more");
  it.server_says("more");
  CHECK(it.lost().size() == 1);
  CHECK(it.logged().empty());
  CHECK(it.room->wakes_at() == UINT64_MAX);
  CHECK(it.orders.first(Kind::kLost).second.link == 7);
}

TEST_CASE("overheard room: a server that breaks its game's rules is told once, and its client may go on") {
  Room it;
  it.hears(Way::kToClient, frame("", toy::kWrong));
  CHECK_FALSE(it.room->client_is_wrong());
  CHECK(it.lost() == Texts{"the server broke its game's rules: unknown code (code, byte 1)"});
  CHECK(it.client_says("psst"));
  CHECK_FALSE(it.room->client_is_wrong());
  CHECK(it.lost().size() == 1);
  CHECK(it.logged().empty());
}

TEST_CASE(
    "overheard room: a client that goes on after its goodbye is wrong, once; a late datagram or its server is not") {
  Room it;
  it.hears(Way::kToServer, Buffer{0, toy::kBye});
  CHECK_FALSE(it.room->client_is_wrong());
  CHECK(it.lost().empty());
  CHECK(it.server_says("late"));
  CHECK(it.hears(Way::kToServer, frame("late"), Lane::kDatagram));
  CHECK_FALSE(it.room->client_is_wrong());
  CHECK(it.lost().empty());
  CHECK(it.client_says("more"));
  CHECK(it.room->client_is_wrong());
  CHECK(it.lost() == Texts{"it goes on after our front ended it: the player said goodbye"});
  CHECK(it.client_says("more"));
  CHECK(it.lost().size() == 1);
}

TEST_CASE("overheard room: a client that its server has sent away may go on, because it does not know it yet") {
  Room it;
  it.hears(Way::kToClient, Buffer{0, toy::kBye});
  CHECK(it.client_says("more"));
  CHECK_FALSE(it.room->client_is_wrong());
  CHECK(it.lost().empty());
  CHECK(it.logged().empty());
}

TEST_CASE("overheard room: what is missing ends its rules, which is told once, and its client is not wrong") {
  Room it;
  it.room->lose("bytes are missing");
  it.room->lose("and more");
  CHECK(it.lost() == Texts{"bytes are missing"});
  CHECK(it.client_says("psst"));
  CHECK(it.client_says("psst"));
  CHECK_FALSE(it.room->client_is_wrong());
  CHECK(it.lost().size() == 1);
  CHECK(it.logged().empty());
  CHECK(it.room->wakes_at() == UINT64_MAX);
}

TEST_CASE("overheard room: after the session's end nothing is heard, and nothing is told to be lost") {
  Room it;
  it.client_says("one");
  it.room->end(it.now);
  it.room->end(it.now);
  it.server_says("late");
  it.room->lose("late");
  CHECK(it.lost().empty());
  CHECK(it.logged() == Texts{"client: one"});
}

TEST_CASE("overheard room: the rules' clock ticks when it is due, by the session's time, which never goes back") {
  Room it(true, "state.n = 0 function on_tick() state.n = state.n + 1 log('tick ' .. state.n) end");
  it.client_says("the rules begin");
  const core::Micros due = it.room->wakes_at();
  REQUIRE(due != UINT64_MAX);
  it.room->tick(due - 1);
  const std::size_t before = it.logged().size();
  it.room->tick(due);
  CHECK(it.logged().size() == before + 1);
  CHECK(it.room->wakes_at() > due);
  it.room->tick(due - kMillisecond);  // late
  it.now = 0;
  it.client_says("late");
  CHECK(it.logged().size() == before + 1);
  it.now = due + 10 * kSecond;  // what is due by then comes first
  it.client_says("later");
  CHECK(it.logged().size() > before + 1);
}

TEST_CASE("overheard room: what a rule tells all is for the player of the session, and so is what it does to it") {
  Room it(true, "function on_chat(player, text) tell_all('to all: ' .. text) kick(player, 'go') kick(99, 'you') end");
  it.client_says("hi");
  CHECK(it.orders.texts(Kind::kTell) == Texts{"to all: hi"});
  CHECK(it.orders.count(Kind::kTellAll) == 0);
  CHECK(it.orders.first(Kind::kTell).second.link == 7);
  CHECK(it.orders.first(Kind::kKick).second.link == 7);
  CHECK(it.orders.first(Kind::kKick).first.text == "go");
}

TEST_CASE("overheard room: there is none in a dialect without words") {
  Orders orders;
  const relay::RelayRules rules = rules_of(orders, toy::stream(), kHearsAll, true);
  CHECK(relay::OverheardRoom::make(rules, session_of(toy::stream()), kWordless) == nullptr);
}

// -- In a session -----------------------------------------------------------------------------------------------------

struct Session : Turning, relay::SessionRules::User {
  explicit Session(const wire::Game& its_game = toy::stream(), LabLine::Of its_units = LabLine::Of::kStream,
                   const std::string& source = kHearsAll, std::size_t most_early = 1'000)
      : game(its_game),
        units(its_units),
        rules(rules_of(orders, game, source, true)),
        info(session_of(game)),
        it(std::in_place, loop, *this, rules, info, most_early) {}
  void client_is_wrong() override { ++wrong; }
  bool lets(Way way, Bytes unit, std::uint32_t tag = 1, Stage stage = Stage::kPlay) {
    return it->lets(units, way, unit, tag, stage);
  }
  /// The peers of a stream greet each other.
  void greet() {
    CHECK(lets(Way::kToServer, as_bytes(kHello), 1, Stage::kGreeting));
    CHECK(lets(Way::kToClient, as_bytes(kWelcome), 1, Stage::kGreeting));
  }
  bool client_says(std::string_view text, std::uint32_t tag = 1) { return lets(Way::kToServer, frame(text), tag); }
  bool server_says(std::string_view text, std::uint32_t tag = 1) { return lets(Way::kToClient, frame(text), tag); }
  Texts logged() const { return orders.texts(Kind::kLog); }
  Texts lost() const { return orders.texts(Kind::kLost); }

  Orders orders;
  const wire::Game& game;
  const LabLine::Of units;
  const relay::RelayRules rules;
  relay::LinkInfo info;
  int wrong = 0;
  std::optional<relay::SessionRules> it;
};

TEST_CASE("session rules: of a stream, each frame is heard, and only the one that a rule drops is kept back") {
  Session session;
  session.greet();
  CHECK(session.client_says("hi"));
  CHECK_FALSE(session.client_says("psst"));
  CHECK(session.client_says("hi"));
  CHECK(session.server_says("psst"));
  CHECK(session.logged() == Texts{"client: hi", "client: psst", "client: hi", "server: psst"});
  CHECK(session.wrong == 0);
}

TEST_CASE("session rules: a part of a message passes, and ends the rules with the words which side sent it") {
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    Session session;
    session.greet();
    CHECK(session.lets(way, frame("psst"), 0));
    CHECK(session.lost() ==
          Texts{way == Way::kToServer ? "the client sent a part of a message" : "the server sent a part of a message"});
    CHECK(session.client_says("psst"));
    CHECK(session.wrong == 0);
  }
  Session early;
  CHECK(early.lets(Way::kToServer, as_bytes(std::string_view("x")), 0));  // before anything was said
  CHECK(early.lost().empty());
}

TEST_CASE("session rules: what the operator says in the server's name is not heard, and the client is") {
  Session session;
  session.greet();
  session.it->set_inserting(true);
  CHECK(session.server_says("from the operator"));
  CHECK_FALSE(session.client_says("psst"));
  session.it->set_inserting(false);
  CHECK(session.server_says("from the server"));
  CHECK(session.logged() == Texts{"client: psst", "server: from the server"});
}

TEST_CASE("session rules: a client that cannot be understood is told to be wrong, once, and its message is kept back") {
  Session session;
  session.greet();
  CHECK_FALSE(session.lets(Way::kToServer, frame("", toy::kWrong)));
  CHECK(session.wrong == 1);
  CHECK(session.client_says("more"));
  CHECK(session.wrong == 1);
  Session other;
  other.greet();
  CHECK(other.lets(Way::kToClient, frame("", toy::kWrong)));
  CHECK(other.client_says("more"));
  CHECK(other.wrong == 0);
}

TEST_CASE("session rules: a datagram that cannot be understood may be forged, and blames nobody") {
  Session session(toy::game(), LabLine::Of::kStream);
  session.greet();
  CHECK(session.it->lets(LabLine::Of::kDatagrams, Way::kToServer, frame("", toy::kWrong), 0, Stage::kPlay));
  CHECK(session.wrong == 0);
  CHECK(session.lost().size() == 1);
}

TEST_CASE("session rules: packets are heard by their kind, and each frame of one; one dropped frame drops it all") {
  Session session(toy::packets(), LabLine::Of::kPackets);
  const std::uint32_t reliable = relay::lab_tag({0, wire::EnetDelivery::kReliable}),
                      unreliable = relay::lab_tag({0, wire::EnetDelivery::kUnreliable});
  CHECK(session.client_says("one", reliable));
  CHECK(session.client_says("two", unreliable));
  Buffer both = frame("psst");
  append(both, frame("three"));
  CHECK_FALSE(session.lets(Way::kToServer, both, reliable));
  CHECK(session.lets(Way::kToServer, Buffer{255, 3}, unreliable));  // nobody can read it
  CHECK_FALSE(session.lets(Way::kToServer, both, unreliable));
  CHECK(session.logged() ==
        Texts{"client: one", "client: two", "client: psst", "client: three", "client: psst", "client: three"});
}

TEST_CASE(
    "session rules: of a WebSocket, pings are not heard, and what the server said first comes before the client") {
  Session session(toy::messages(), LabLine::Of::kMessages);
  const auto tag = [](net::Opcode opcode) { return static_cast<std::uint32_t>(opcode); };
  CHECK(session.server_says("one", tag(net::Opcode::kBinary)));
  CHECK(session.server_says("two", tag(net::Opcode::kBinary)));
  CHECK(session.logged().empty());
  CHECK(session.client_says("psst", tag(net::Opcode::kPing)));
  CHECK(session.server_says("psst", tag(net::Opcode::kPong)));
  CHECK_FALSE(session.client_says("psst", tag(net::Opcode::kBinary)));
  CHECK(session.server_says("three", tag(net::Opcode::kText)));
  CHECK(session.logged() == Texts{"server: one", "server: two", "client: psst", "server: three"});
}

TEST_CASE("session rules: of a server that speaks first, a limited number of bytes is kept; then it is heard at once") {
  const std::size_t one = frame("1").size() + sizeof(Buffer);
  Session session(toy::messages(), LabLine::Of::kMessages, kHearsAll, one + frame("2").size());
  CHECK(session.server_says("1", 2));
  CHECK(session.server_says("2", 2));
  CHECK(session.logged().empty());
  CHECK(session.server_says("3", 2));
  CHECK(session.logged() == Texts{"server: 1", "server: 2", "server: 3"});
}

TEST_CASE("session rules: in a dialect without words everything passes") {
  Session session;
  session.info.dialect = kWordless;
  CHECK(session.lets(Way::kToServer, as_bytes(kHello), 1, Stage::kGreeting));
  CHECK(session.client_says("psst"));
  session.info.dialect = 0;
  CHECK(session.client_says("psst"));  // it was decided with the first message
  CHECK(session.lets(Way::kToServer, frame("psst"), 0));
  session.it->end();
  CHECK(session.logged().empty());
  CHECK(session.lost().empty());
}

TEST_CASE("session rules: the dialect is the one that the session has when something is said first") {
  Session session;
  session.info.dialect = kWordless;
  session.info.dialect = 0;
  session.greet();
  CHECK_FALSE(session.client_says("psst"));
}

TEST_CASE("session rules: after the session's end everything passes, and nothing is heard") {
  Session session;
  session.greet();
  session.it->end();
  session.it->end();
  CHECK(session.client_says("psst"));
  CHECK(session.lets(Way::kToServer, frame("", toy::kWrong)));
  CHECK(session.logged().empty());
  CHECK(session.wrong == 0);
}

TEST_CASE("session rules: the rules' clock ticks while nobody says anything, until the session's end") {
  Session session(toy::stream(), LabLine::Of::kStream,
                  "state.n = 0 function on_tick() state.n = state.n + 1 log('tick ' .. state.n) end");
  session.greet();
  session.client_says("the last word");
  session.until([&] { return session.logged().size() >= 2; });
  session.it->end();
  const std::size_t ticks = session.logged().size();
  session.awake.reset();
  session.loop.run();  // no alarm is left
  CHECK(session.logged().size() == ticks);
}

}  // namespace
}  // namespace entente::testing::session_rules_test
