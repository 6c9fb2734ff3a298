// Whom an operator means: by link, by address or by name; and which route.
#include "proxy/program/control/roster.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proxy/program/control/older_orders.h"
#include "proxy/program/control/route_names.h"
#include "tests/relay/toy.h"

namespace entente::roster_test {
namespace {

using testing::FakeServer, testing::Stream;

net::Address at(const std::string& host, std::uint16_t port) { return *net::Address::parse(host, port); }

Attendee attendee(relay::LinkId link, const net::Address& client, std::string player = "") {
  Attendee one;
  one.session.info.link = link;
  one.session.info.game = &toy::game();
  one.session.info.client = client;
  one.player = std::move(player);
  return one;
}

// -- Targets ----------------------------------------------------------------------------------------------------------

TEST_CASE("a target is a link, a network, an address with its port, or a name") {
  const auto kind = [](std::string_view text) -> std::string {
    const Target target = Target::parse(text);
    CHECK(target.text == text);
    if (target.link) return "link " + std::to_string(*target.link);
    if (target.network) return "network " + target.network->text();
    if (target.address) return "address " + target.address->text();
    return "name " + target.name;
  };
  CHECK(kind("7") == "link 7");
  CHECK(kind("4294967295") == "link 4294967295");
  CHECK(kind("4294967296") == "name 4294967296");
  CHECK(kind("7a") == "name 7a");
  CHECK(kind("192.0.2.7") == "network 192.0.2.7");
  CHECK(kind("192.0.2.0/24") == "network 192.0.2.0/24");
  CHECK(kind("192.0.2.7:4000") == "address 192.0.2.7:4000");
  CHECK(kind("2001:db8::7") == "network 2001:db8::7");
  CHECK(kind("anna") == "name anna");
  CHECK(kind("name:7") == "name 7");
  CHECK(kind("name:192.0.2.7") == "name 192.0.2.7");
  CHECK(kind("name:name:a") == "name name:a");
  CHECK(kind("") == "name ");
}

TEST_CASE("a link is only this link, an address with a port only this client, a network all that are in it") {
  const Attendee anna = attendee(3, at("192.0.2.7", 4000));
  const auto is = [&](std::string_view text) { return Target::parse(text).is(anna); };
  CHECK(is("3"));
  CHECK_FALSE(is("4"));
  CHECK(is("192.0.2.7:4000"));
  CHECK_FALSE(is("192.0.2.7:4001"));
  CHECK_FALSE(is("192.0.2.8:4000"));
  CHECK(is("192.0.2.7"));
  CHECK(is("192.0.2.0/24"));
  CHECK_FALSE(is("192.0.3.0/24"));
  CHECK_FALSE(is("anna"));
  CHECK_FALSE(is(""));
}

TEST_CASE("a session is also known by the address that its server sees, if that is not ours") {
  Attendee anna = attendee(3, at("192.0.2.7", 4000));
  CHECK_FALSE(Target::parse("127.3.4.5").is(anna));
  CHECK_FALSE(Target::parse("0.0.0.0/0").is(attendee(3, at("2001:db8::7", 4000))));  // there is none
  anna.session.source = at("127.3.4.5", 0);
  CHECK(Target::parse("127.3.4.5").is(anna));
  CHECK(Target::parse("192.0.2.7").is(anna));
  CHECK_FALSE(Target::parse("127.3.4.6").is(anna));
}

TEST_CASE("a bot has no address: no network holds it, and no text shows one") {
  const Attendee bot = attendee(5, at("127.0.0.1", 0), "robot");
  CHECK(bot.is_bot());
  CHECK_FALSE(Target::parse("127.0.0.1").is(bot));
  CHECK_FALSE(Target::parse("0.0.0.0/0").is(bot));
  CHECK(Target::parse("5").is(bot));
  CHECK(bot.client() == "");
  CHECK(bot.text() == "link 5 (-, toy big, \"robot\")");
  CHECK_FALSE(attendee(5, at("127.0.0.1", 1)).is_bot());
}

// -- Texts ------------------------------------------------------------------------------------------------------------

TEST_CASE("a player is shown with link, address, game and dialect, and the name in quotes") {
  Attendee anna = attendee(3, at("192.0.2.7", 4000), "an\"na, \x1b");
  anna.session.info.dialect = 1;
  CHECK(anna.text() == R"(link 3 (192.0.2.7:4000, toy little, "an\"na, \\x1b"))");
  CHECK(attendee(4, at("192.0.2.7", 4000)).text() == "link 4 (192.0.2.7:4000, toy big, -)");
  CHECK(Reply::list({anna.row()}).text() == "ok\n3\ttoy little\t192.0.2.7:4000\tan\"na, \\x1b\n");
}

TEST_CASE("of many players only ten are shown, and how many more there are") {
  std::vector<Attendee> all;
  CHECK(attendees_text(all) == "");
  for (relay::LinkId link = 1; link <= 10; ++link) all.push_back(attendee(link, at("192.0.2.7", 4000)));
  CHECK(attendees_text(all).ends_with("link 10 (192.0.2.7:4000, toy big, -)"));
  CHECK(attendees_text(all).starts_with("link 1 (192.0.2.7:4000, toy big, -), link 2 ("));
  all.push_back(attendee(11, at("192.0.2.7", 4000)));
  CHECK(attendees_text(all).ends_with("link 10 (192.0.2.7:4000, toy big, -) and 1 more"));
  CHECK(rows_of(all).size() == 11);
}

TEST_CASE("the errors about a target name it as it was given") {
  CHECK(nobody_is(Target::parse("7")).text == "no session has the link 7");
  CHECK(nobody_is(Target::parse("192.0.2.0/24")).text == "no session comes from 192.0.2.0/24");
  CHECK(nobody_is(Target::parse("192.0.2.7:4000")).text == "no session comes from 192.0.2.7:4000");
  CHECK(nobody_is(Target::parse("name:7")).text ==
        "'name:7' matches no player, link or address; `list` shows the players");
  const Reply reply =
      ambiguous(Target::parse("al"), {attendee(3, at("192.0.2.7", 1)), attendee(4, at("192.0.2.8", 2))});
  CHECK(reply.failed());
  CHECK(ends_command(reply.text()));
  CHECK(reply.text() ==
        "error: 'al' is ambiguous, name a link: link 3 (192.0.2.7:1, toy big, -), link 4 (192.0.2.8:2, toy big, -)\n");
  CHECK(reply.json().find("\"candidates\":[{\"link\":3,") != std::string::npos);
}

// -- Names ------------------------------------------------------------------------------------------------------------

/// Sessions with players of these names, in the order of their links.
struct Named {
  explicit Named(std::vector<std::string> names) {
    for (std::size_t i = 0; i < names.size(); ++i) pairs.push_back(std::make_unique<testing::Pair>(running, fake));
    for (std::size_t i = 0; const auto& one : running.sessions()) known[one.info.link] = names[i++];
  }
  /// "anna ben"; also, whom find() and search() mean.
  static std::string names_of(const std::vector<Attendee>& found) {
    std::string all;
    for (const Attendee& one : found) all += (all.empty() ? "" : " ") + (one.player.empty() ? "-" : one.player);
    return all;
  }
  std::string found(std::string_view target) { return names_of(roster.find(Target::parse(target))); }
  std::string searched(std::string_view target) { return names_of(roster.search(Target::parse(target))); }

  FakeServer fake{true};
  testing::Running running{toy::game(), fake.address()};
  std::vector<std::unique_ptr<testing::Pair>> pairs;
  std::map<relay::LinkId, std::string> known;
  Roster roster{running.server(), [this](relay::LinkId link) { return known[link]; }};
};

TEST_CASE("a name is the whole name as it is written; only if nobody has it, upper and lower case are alike") {
  Named its({"Anna", "anna", "annabel", "", "a\tb", "7"});
  CHECK(Named::names_of(its.roster.all()) == "Anna anna annabel - a\tb 7");
  CHECK(its.found("anna") == "anna");
  CHECK(its.found("Anna") == "Anna");
  CHECK(its.found("ANNA") == "Anna anna");
  CHECK(its.found("ann") == "");
  CHECK(its.found("a\\x09b") == "a\tb");  // as `list` shows it
  CHECK(its.found("a\tb") == "a\tb");
  CHECK(its.found("name:7") == "7");
  CHECK(its.found("-") == "");  // so `list` shows that there is no name
  CHECK(its.found("") == "");
  CHECK(its.found("name:") == "");
}

TEST_CASE("a search finds parts of names, in any case, and addresses and links as they are") {
  Named its({"Anna", "joanna", "ben", ""});
  CHECK(its.searched("ANN") == "Anna joanna");
  CHECK(its.searched("n") == "Anna joanna ben");
  CHECK(its.searched("x") == "");
  CHECK(its.searched("") == "");
  CHECK(its.searched("127.0.0.0/8") == "Anna joanna ben -");
  CHECK(its.searched(its.running.sessions()[2].info.client.text()) == "ben");
  const relay::LinkId first = its.running.sessions()[0].info.link;
  CHECK(its.searched(std::to_string(first)) == "Anna");
}

// -- Routes -----------------------------------------------------------------------------------------------------------

ListedRoute route(std::size_t number, const std::string& name, const std::string& game, const std::string& room,
                  const net::Address& listener) {
  return {{number, name, game, room, listener}, {number}, false};
}

struct Routes {
  std::string called(std::string_view what) const {
    const auto found = routes_called(all, what);
    return found ? names_of(*found) : found.error().text;
  }
  ListedRoutes all = {route(0, "ctf", "bzflag", "", at("127.0.0.1", 5154)),
                      route(1, "bzflag 2.4 127.0.0.1:5155", "bzflag", "lobby", at("127.0.0.1", 5155)),
                      route(2, "native json 127.0.0.1:4400", "native", "lobby", at("127.0.0.1", 4400)),
                      route(3, "bots", "native", "", at("127.0.0.1", 0))};
};

TEST_CASE("a route is called by its name, game, arena, port or listener; nothing means all") {
  const Routes routes;
  CHECK(routes.called("ctf") == "ctf");
  CHECK(routes.called("bzflag") == "ctf, bzflag 2.4 127.0.0.1:5155");
  CHECK(routes.called("lobby") == "bzflag 2.4 127.0.0.1:5155, native json 127.0.0.1:4400");
  CHECK(routes.called("5154") == "ctf");
  CHECK(routes.called("127.0.0.1:4400") == "native json 127.0.0.1:4400");
  CHECK(routes.called("native json 127.0.0.1:4400") == "native json 127.0.0.1:4400");
  CHECK(routes.called("") == "ctf, bzflag 2.4 127.0.0.1:5155, native json 127.0.0.1:4400, bots");
}

TEST_CASE("a name that no route has is an error with all names; a part of a name, or port 0, is no route's") {
  const Routes routes;
  for (const char* wrong : {"ct", "515", "0", "127.0.0.1:0", "127.0.0.1", "json"})
    CHECK_MESSAGE(routes.called(wrong) ==
                      "no route is called '" + std::string(wrong) +
                          "'; name a game, an arena, a port or a listener of: ctf, bzflag 2.4 127.0.0.1:5155, native "
                          "json 127.0.0.1:4400, bots",
                  wrong);
}

TEST_CASE("routes that a reload has removed are left out where only served ones count") {
  Routes routes;
  routes.all[1].retired = true;
  const ListedRoutes served = served_only(routes.all);
  REQUIRE(served.size() == 3);
  CHECK(served[0].named.name == "ctf");
  CHECK(served[1].named.name == "native json 127.0.0.1:4400");
  CHECK(served[2].named.name == "bots");
}

}  // namespace
}  // namespace entente::roster_test
