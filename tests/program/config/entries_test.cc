// Entries of the configuration beside routes: public lists, arenas and labs. What is wrong with them, and what is made
// of them.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <array>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "adapters/aos/aos.h"
#include "adapters/bzflag/bzflag.h"
#include "proxy/program/config/config.h"
#include "proxy/program/settings/arena_rules.h"
#include "proxy/program/settings/lab.h"
#include "proxy/program/settings/public_list.h"
#include "tests/program/folder.h"
#include "tests/support/toy_game.h"

namespace entente::entries_test {
namespace {

// -- Public lists -----------------------------------------------------------------------------------------------------

/// A route "ctf" of bzflag, an arena "yard" with a listener for aos, and things that no list has.
config::Config places() {
  config::Config config = default_config();
  const auto route = [&](const std::string& name, const std::string& url) {
    config::Route& made = *config.add_route();
    made.set_name(name);
    made.set_listen(url);
  };
  route("ctf", "bzflag://127.0.0.1:5154");
  route("panic", "panic://127.0.0.1:5155");
  route("draft", "aos://127.0.0.1:5156?dialect=0.80");
  route("old", "aos://127.0.0.1:5157?dialect=0.76");
  config::Arena& yard = *config.add_arena();
  yard.set_name("yard");
  yard.add_listen("native://127.0.0.1:4400");
  yard.add_listen("aos://127.0.0.1:5158?dialect=0.75");
  config::Arena& lobby = *config.add_arena();
  lobby.set_name("lobby");
  lobby.add_listen("native://127.0.0.1:4401");
  return config;
}

config::List good_list() {
  config::List list;
  list.set_of("ctf");
  list.set_title("A server");
  list.set_host("example.org");
  return list;
}

/// "key: why\n" of each.
std::string objections(const config::List& list, const config::Config& config = places(), bool reads = false) {
  std::string all;
  for (const auto& one : objections_to(list, config, reads)) all += one.key + ": " + one.why + "\n";
  return all;
}

TEST_CASE("what is in a list is a route or an arena of a game that has a list") {
  const auto of = [](const std::string& name) {
    config::List list = good_list();
    list.set_of(name);
    return objections(list);
  };
  for (const char* good : {"ctf", "old", "yard"}) CHECK_MESSAGE(of(good) == "", good);
  for (const char* without : {"panic", "draft", "lobby"})
    CHECK(of(without) == "of: '" + std::string(without) +
                             "' has no listener for bzflag or for aos 0.75 or 0.76, and others have no list\n");
  CHECK(of("nothing") == "of: no route and no arena has the name 'nothing'\n");
}

TEST_CASE("a list's title is a line of 1 to 127 bytes") {
  const auto title = [](const std::string& text) {
    config::List list = good_list();
    list.set_title(text);
    return objections(list);
  };
  CHECK(title("a") == "");
  CHECK(title(std::string(127, 'a')) == "");
  for (const std::string& wrong : {std::string(), std::string(128, 'a'), std::string("a\nb"), std::string("a\x7f")})
    CHECK(title(wrong) == "title: expected 1 to 127 bytes of text, without line ends\n");
}

TEST_CASE("players are told the list's own host, or public_host, and one of them must be there and be a host") {
  config::List list = good_list();
  list.clear_host();
  CHECK(objections(list) == "host: players must be told where to connect: set host, or public_host\n");
  config::Config config = places();
  config.set_public_host("play.example.org");
  CHECK(objections(list, config) == "");
  list.set_host("a b");
  CHECK(objections(list, config).starts_with("host: "));
  config.set_public_host("a b");
  list.set_host("example.org");
  CHECK(objections(list, config) == "");
}

TEST_CASE("the addresses of lists are checked") {
  const auto master = [](const std::string& text) {
    config::List list = good_list();
    list.set_aos(text);
    return objections(list);
  };
  for (const char* good : {"", "master.example.org", "master.example.org:32886", "192.0.2.7:1"})
    CHECK_MESSAGE(master(good) == "", good);
  CHECK(master("192.0.2.7:0") == "aos: port 0 is no port of a server\n");
  for (const char* wrong : {"a b", ":5", "h:", "h:65536", "h:x"})
    CHECK_MESSAGE(master(wrong).starts_with("aos: "), wrong);
  config::List list = good_list();
  list.set_bzflag("gopher://example.org/");
  CHECK(objections(list).starts_with("bzflag: "));
  list.set_bzflag("https://example.org/db/");
  CHECK(objections(list) == "");
}

TEST_CASE("the settings of a list have its key, and the master's host and port") {
  const Folder folder;
  const std::string key(32, 'k'), file = folder.write("key", key + "\n");
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  config::Config config = places();
  config.set_public_host("play.example.org");
  config::List& first = *config.add_list();
  first = good_list();
  first.set_bzflag("https://example.org/db/");
  first.set_aos("192.0.2.7:5");
  first.set_key_file(file);
  config::List& second = *config.add_list();
  second.set_of("yard");
  second.set_title("Yard");
  second.set_aos("master.example.org");
  const auto made = public_list_settings(config);
  REQUIRE_MESSAGE(made.ok(), made.error().text);
  REQUIRE(made->size() == 2);
  CHECK((*made)[0].of == "ctf");
  CHECK((*made)[0].title == "A server");
  CHECK((*made)[0].host == "example.org");
  CHECK((*made)[0].bzflag_url == "https://example.org/db/");
  CHECK((*made)[0].bzflag_key == key);
  CHECK((*made)[0].aos_host == "192.0.2.7");
  CHECK((*made)[0].aos_port == 5);
  CHECK((*made)[1].host == "play.example.org");
  CHECK((*made)[1].bzflag_key == "");
  CHECK((*made)[1].aos_host == "master.example.org");
  CHECK((*made)[1].aos_port == 32886);
  CHECK(objections(first, config, true) == "");
  first.set_key_file(folder.file("none"));
  CHECK(objections(first, config, true).starts_with("key_file: cannot read the token in "));
  CHECK(objections(first, config, false) == "");
  CHECK(public_list_settings(config).error().text.starts_with("list of 'ctf': cannot read the token in "));
}

TEST_CASE("an entry in a list is the same if only its title or its key has changed") {
  const PublicListSettings entry{"ctf", "A server", "example.org", "https://a/", "key", "m", 5};
  PublicListSettings other = entry;
  other.title = "B";
  other.bzflag_key = "other";
  CHECK(entry.has_same_entry(other));
  CHECK_FALSE(entry == other);
  const auto differs = [&](auto&& change) {
    PublicListSettings changed = entry;
    change(changed);
    return !entry.has_same_entry(changed);
  };
  CHECK(differs([](auto& one) { one.of = "x"; }));
  CHECK(differs([](auto& one) { one.host = "x"; }));
  CHECK(differs([](auto& one) { one.bzflag_url = "x"; }));
  CHECK(differs([](auto& one) { one.aos_host = "x"; }));
  CHECK(differs([](auto& one) { one.aos_port = 6; }));
}

// -- Arenas -----------------------------------------------------------------------------------------------------------

config::Arena good_arena() {
  config::Arena arena = default_config().arena_size() != 0 ? default_config().arena(0) : config::Arena();
  arena.add_listen("native://127.0.0.1:0");
  arena.set_seats(8);
  arena.set_bots(2);
  arena.set_side(200);
  arena.set_at("0");
  return arena;
}

TEST_CASE("each key of an arena is its own rule, in the rule's unit") {
  config::Arena keys = good_arena();
  keys.set_name("yard");
  keys.set_mode(config::Arena::flags);
  keys.set_speed(26);
  keys.set_turn_rate(90);
  keys.set_jumping(true);
  keys.set_ricochet(false);
  keys.set_friendly_fire(true);
  keys.set_health(101);
  keys.set_ball_damage(51);
  keys.set_ball_speed(102);
  keys.set_ball_range(351);
  keys.set_balls(6);
  keys.set_reload_ms(2'500);
  keys.set_ray_damage(35);
  keys.set_ray_range(201);
  keys.set_grenade_damage(103);
  keys.set_grenade_radius(16);
  keys.set_guided(7);
  keys.set_trigger_ms(600);
  keys.set_respawn_ms(3'100);
  keys.set_round_s(600);
  keys.set_score_limit(11);
  keys.set_pause_s(9);
  keys.set_lockstep(true);
  const core::Arena arena = arena_of(keys);
  const core::ArenaRules& rules = arena.rules;
  CHECK(rules.name == "yard");
  CHECK(rules.mode == core::ArenaMode::kFlags);
  CHECK(rules.most_players == 8);
  CHECK(rules.tank.speed == 26);
  CHECK(rules.tank.turn_rate == doctest::Approx(std::numbers::pi / 2));
  CHECK(rules.jumping);
  CHECK_FALSE(rules.ricochet);
  CHECK(rules.friendly_fire);
  CHECK(rules.health == 101);
  CHECK(rules.ball_damage == 51);
  CHECK(rules.ball_speed == 102);
  CHECK(rules.ball_range == 351);
  CHECK(rules.most_balls == 6);
  CHECK(rules.reload == 2.5);
  CHECK(rules.ray_damage == 35);
  CHECK(rules.ray_range == 201);
  CHECK(rules.grenade_damage == 103);
  CHECK(rules.grenade_radius == 16);
  CHECK(rules.guided == 7);
  CHECK(rules.trigger == doctest::Approx(0.6));
  CHECK(rules.respawn == doctest::Approx(3.1));
  CHECK(rules.round == 600);
  CHECK(rules.score_limit == 11);
  CHECK(rules.pause == 9);
  CHECK(rules.lockstep);
  CHECK(arena.geometry.east() == 100);  // half of the side
  CHECK(arena.geometry.west() == -100);
}

TEST_CASE("switches of an arena that are off are off, and each mode is its own") {
  config::Arena keys = good_arena();
  keys.set_jumping(false);
  keys.set_ricochet(true);
  keys.set_friendly_fire(false);
  keys.set_lockstep(false);
  keys.set_mode(config::Arena::teams);
  const core::ArenaRules rules = arena_of(keys).rules;
  CHECK_FALSE(rules.jumping);
  CHECK(rules.ricochet);
  CHECK_FALSE(rules.friendly_fire);
  CHECK_FALSE(rules.lockstep);
  CHECK(rules.mode == core::ArenaMode::kTeams);
  keys.set_mode(config::Arena::free_for_all);
  CHECK(arena_of(keys).rules.mode == core::ArenaMode::kFreeForAll);
}

TEST_CASE("as many bots fill an arena as the configuration says, or as the recording had, but a person can join") {
  config::Arena keys = good_arena();
  CHECK(stand_ins_of(keys, {}).least == 2);
  std::vector<core::SavedPlayer> three(3);
  for (std::size_t i = 0; i < 3; ++i) three[i].name = std::array{"anna", "ben", "carl"}[i];
  const core::StandInOptions options = stand_ins_of(keys, three);
  CHECK(options.least == 3);
  CHECK(options.names == std::vector<std::string>{"anna", "ben", "carl"});
  CHECK(stand_ins_of(keys, std::vector<core::SavedPlayer>(20)).least == 7);
  keys.set_behaviour(config::Arena::idle);
  CHECK(stand_ins_of(keys, {}).each.behaviour == core::Behaviour::kIdle);
  keys.set_behaviour(config::Arena::wander);
  CHECK(stand_ins_of(keys, {}).each.behaviour == core::Behaviour::kWander);
  keys.set_behaviour(config::Arena::hunt);
  CHECK(stand_ins_of(keys, {}).each.behaviour == core::Behaviour::kHunt);
}

TEST_CASE("keys of an arena that do not fit together are named") {
  const auto keys = [](auto&& change) {
    config::Arena arena = good_arena();
    change(arena);
    std::string all;
    for (const auto& one : objections_to(arena)) all += one.key + " ";
    return all;
  };
  CHECK(keys([](auto&) {}) == "");
  CHECK(keys([](auto& arena) { arena.clear_listen(); }) == "listen ");
  CHECK(keys([](auto& arena) { arena.set_bots(7); }) == "");
  CHECK(keys([](auto& arena) { arena.set_bots(8); }) == "bots ");
  CHECK(keys([](auto& arena) { arena.set_lockstep(true); }) == "");
  CHECK(keys([](auto& arena) { arena.set_lockstep(true), arena.set_fleet(true); }) == "lockstep ");
  CHECK(keys([](auto& arena) { arena.set_lockstep(true), arena.add_watch(); }) == "lockstep ");
  CHECK(keys([](auto& arena) { arena.set_fleet(true), arena.add_watch(); }) == "");
  CHECK(keys([](auto& arena) { arena.set_at("soon"); }) == "at ");
  CHECK(keys([](auto& arena) { arena.set_at("1:00"); }) == "at ");
  CHECK(keys([](auto& arena) { arena.set_at("1:00"), arena.set_from("a.mcap"); }) == "");
}

// -- Labs -------------------------------------------------------------------------------------------------------------

LabRoute lab_route(const wire::Game& game, bool relay = true, bool datagrams = false) {
  relay::RouteOptions options;
  options.game = &game;
  if (!relay) options.bridge.emplace();
  options.enet = datagrams ? relay::EnetMode::kDatagrams : relay::EnetMode::kPackets;
  return LabRoute(options);
}

TEST_CASE("a name in a lab is a message, a word that messages carry, or what people call several words") {
  const LabRoute bzflag = lab_route(bzflag::game());
  const auto called = [&](std::string_view name) {
    const auto found = messages_called(name, bzflag);
    return found ? std::set<std::string>(found->begin(), found->end()) : std::set<std::string>{found.error().text};
  };
  const auto say = called("Say"), said = called("Said"), chat = called("chat");
  CHECK_FALSE(say.empty());
  CHECK(called("say") == say);  // in any case
  CHECK(called("CHAT") == chat);
  std::set<std::string> both = say;
  both.insert(said.begin(), said.end());
  CHECK(chat == both);
  const std::string one = *chat.begin();
  CHECK(called(one) == std::set<std::string>{one});
  const std::string nothing = *called("nonsense").begin();
  CHECK(nothing == "bzflag has no message and no word 'nonsense'; `entente explain bzflag bzflag` lists them");
  CHECK(called("Sayy").begin()->find("did you mean 'Say'?") != std::string::npos);
}

TEST_CASE("no text is no lab, a lab is for relays, and a file that cannot be read is named") {
  const LabRoute route = lab_route(toy::stream());
  const auto none = parse_lab("", route);
  REQUIRE(none.ok());
  CHECK(*none == nullptr);
  CHECK(parse_lab("", lab_route(toy::stream(), false)).ok());
  CHECK(parse_lab("delay=10ms", lab_route(toy::stream(), false)).error().text ==
        "is for relays: a bridge translates, and passes on nothing as it comes");
  CHECK(parse_lab("@/nowhere/x", route).error().text == "cannot read '/nowhere/x': No such file or directory");
}

TEST_CASE("a lab in a file is the lab that the same text is, and an error in it names the file") {
  const Folder folder;
  const LabRoute route = lab_route(toy::stream());
  const auto written = parse_lab("delay=10ms", route);
  const auto read = parse_lab("@" + folder.write("lab", "delay=10ms"), route);
  REQUIRE_MESSAGE(written.ok(), written.error().text);
  REQUIRE(read.ok());
  CHECK((*read)->text() == (*written)->text());
  CHECK((*read)->text() != "");
  const auto wrong = parse_lab("@" + folder.write("wrong", "nonsense"), route);
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().text.starts_with("'" + folder.file("wrong") + "' "));
  CHECK_FALSE(parse_lab("nonsense", route).error().text.starts_with("'"));
}

TEST_CASE("a lab knows the dialect of a listener unless its clients name theirs, and whether datagrams pass") {
  relay::RouteOptions options;
  options.game = &toy::packets();
  options.listen_dialect = 1;
  CHECK(LabRoute(options).dialect == 1);
  CHECK_FALSE(LabRoute(options).datagrams);
  CHECK(LabRoute(options).relay);
  options.clients_name_dialect = true;
  options.enet = relay::EnetMode::kDatagrams;
  CHECK_FALSE(LabRoute(options).dialect);
  CHECK(LabRoute(options).datagrams);
}

}  // namespace
}  // namespace entente::entries_test
