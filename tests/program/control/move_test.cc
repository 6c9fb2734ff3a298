// `ctl move` and `ctl refer`: players are moved to other routes of a running program, or referred to other addresses.
#include <doctest/doctest.h>

#include "tests/program/asked.h"
#include "tests/program/native_client.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::move_test {
namespace {

const std::string kEntente = testing::entente_binary();

int port_in(Process& process) {
  const auto line = process.line();
  REQUIRE_MESSAGE(line.has_value(), process.err());
  return std::stoi(line->substr(line->rfind(':') + 1));
}

/// A process with the servers, and one with routes to them and an arena.
struct Scene : Asked {
  /// `more`: tables of the configuration.
  explicit Scene(const std::string& more = "")
      : servers({kEntente, "run",
                 folder.write("servers.toml",
                              "[[arena]]\nname = 'one'\nlisten = ['native://127.0.0.1:0']\n"
                              "[[arena]]\nname = 'two'\nlisten = ['native://127.0.0.1:0']\n")}),
        one(port_in(servers)),
        two(port_in(servers)),
        process({kEntente, "run",
                 folder.write("a.toml", "public_host = 'play.example.org'\n[control]\nsocket = '" + socket() + "'\n" +
                                            route(one) + route(two) + more +
                                            "[[arena]]\nname = 'lobby'\n"
                                            "record = '" +
                                            folder.file("lobby.mcap") +
                                            "'\nlisten = ['native://127.0.0.1:0?dialect=json&public_port=4242']\n")}),
        home(port_in(process)),
        other(port_in(process)),
        lobby(port_in(process)) {}

  std::string socket() const { return folder.file("c.sock"); }
  /// A bridge: the two sides speak different dialects of native.
  std::string route(int to) const {
    return "[[route]]\nrecord = '" + folder.file("{route}.mcap") +
           "'\nlisten = 'native://127.0.0.1:0?dialect=json'\nto = 'native://127.0.0.1:" + std::to_string(to) +
           "?dialect=protobuf'\n";
  }
  /// The line of `listeners` for a route.
  static std::string listed(int at, int to) {
    return "native\t127.0.0.1:" + std::to_string(to) + "\tplay.example.org:" + std::to_string(at) + "\n";
  }
  Process servers;
  const int one, two;
  Process process;
  const int home, other, lobby;
};

bool is_in(NativeClient& client) {
  return client.hears([](const words::Fact& fact) { return fact.has_owns(); }).has_value();
}

TEST_CASE("ctl: a player is moved to another server, to an arena and back, by name, port and arena") {
  Scene scene;
  NativeClient anna(scene.home);
  anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
  REQUIRE(is_in(anna));
  const auto moved = [&](const std::string& where) {
    return anna.hears([&](const words::Fact& fact) { return fact.has_said() && has(fact.said().text(), where); })
        .has_value();
  };

  const Ended there = scene.ctl({"move", "anna", std::to_string(scene.other)});
  CHECK_MESSAGE(has(there.out, " to native json 127.0.0.1:" + std::to_string(scene.other) + " in "), there.err);
  CHECK(moved("you were moved to another server"));
  CHECK(has(scene.ctl({"list"}).out, "\tmoved_to\n"));
  CHECK(has(scene.ctl({"list"}).out, "\tnative json 127.0.0.1:" + std::to_string(scene.other) + "\n"));
  CHECK(scene.process.err_has("moved session "));

  CHECK(scene.ctl({"move", "anna", "lobby"}).code == 0);
  CHECK(moved("you were moved to the arena 'lobby'"));
  CHECK(has(scene.ctl({"list"}).out, "\tlobby\n"));
  const Ended again = scene.ctl({"move", "anna", "lobby"});
  CHECK(again.code == 1);
  CHECK(has(again.err, "stays where it is: the player is there already"));

  CHECK(scene.ctl({"--json", "move", "anna", std::to_string(scene.home)}).code == 0);
  CHECK(moved("you were moved to another server"));
  CHECK(!has(scene.ctl({"list"}).out, "moved_to"));
}

TEST_CASE("reproduce: a session is reproduced with its moves: to a server, to an arena, and home") {
  Scene scene;
  {
    NativeClient anna(scene.home);
    anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
    REQUIRE(is_in(anna));
    const auto says = [&](const std::string& text) {
      anna.says("{\"say\":{\"text\":\"" + text + "\"}}\n");
      CHECK(anna.hears([&](const words::Fact& fact) { return fact.said().text() == text; }).has_value());
    };
    CHECK(scene.ctl({"move", "anna", std::to_string(scene.other)}).code == 0);
    says("there now");
    CHECK(scene.ctl({"move", "anna", "lobby"}).code == 0);
    says("in the lobby");
    CHECK(scene.ctl({"move", "anna", std::to_string(scene.home)}).code == 0);
    says("home again");
  }
  scene.process.signal(15);
  CHECK(scene.process.wait() == 0);
  const std::string file = scene.folder.file("1.mcap");
  const Ended reproduced = run({kEntente, "reproduce", "--json", file});
  CHECK_MESSAGE(reproduced.code == 0, reproduced.out << reproduced.err);
  const auto equal = reproduced.out.rfind("\"equal\":");
  REQUIRE(equal != std::string::npos);
  CHECK_MESSAGE(std::stoi(reproduced.out.substr(equal + 8)) > 30, reproduced.out);  // frames, in four worlds
  const Ended verified = run({kEntente, "verify", file});
  CHECK_MESSAGE(verified.code == 0, verified.out << verified.err);
  for (const char* text : {"there now", "in the lobby", "home again"})
    CHECK(has(run({kEntente, "inspect", file, "-m", "Said"}).out, text));
}

TEST_CASE("ctl: unknown players, and unknown, ambiguous or draining routes, are clear errors") {
  Scene scene;
  NativeClient anna(scene.home);
  anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
  REQUIRE(is_in(anna));
  CHECK(has(scene.ctl({"move", "nobody", "lobby"}).err, "'nobody' matches no player"));
  CHECK(has(scene.ctl({"move", "anna", "nowhere"}).err, "no route is called 'nowhere'"));
  CHECK(has(scene.ctl({"move", "anna", "native"}).err, "'native' is more than one route: "));
  CHECK(has(scene.ctl({"move", "anna"}).err, "usage: move "));
  CHECK(scene.answer("listeners") == "ok\ngame\tplace\taddress\n" + scene.listed(scene.home, scene.one) +
                                         scene.listed(scene.other, scene.two) +
                                         "native\tlobby\tplay.example.org:4242\n");
  CHECK(scene.ctl({"drain", "lobby"}).code == 0);
  CHECK(has(scene.ctl({"move", "anna", "lobby"}).err, "that route takes no newcomers (draining)"));
  CHECK(scene.answer("listeners") ==
        "ok\ngame\tplace\taddress\n" + scene.listed(scene.home, scene.one) + scene.listed(scene.other, scene.two));
  CHECK(has(scene.answer("listeners all"), "listeners takes no arguments"));
  CHECK(has(scene.ctl({"listener", "native"}).out, "play.example.org:" + std::to_string(scene.home)));
  CHECK(has(scene.ctl({"listener", "bzflag"}).err, "no route here takes clients of bzflag\n"));
  CHECK(scene.ctl({"drain", std::to_string(scene.home)}).code == 0);
  CHECK(scene.answer("listener native") == "ok\nplay.example.org:" + std::to_string(scene.other) + "\n");
  CHECK(scene.ctl({"drain"}).code == 0);
  CHECK(has(scene.answer("listener native"), "no route here takes clients of native now: it drains"));
  CHECK(scene.ctl({"undrain", "lobby"}).code == 0);
  CHECK(scene.answer("listener native") == "ok\nplay.example.org:4242\n");
}

TEST_CASE("ctl: a player of an arena's own listener is moved to a server, and the recording is whole") {
  Scene scene;
  {
    NativeClient ben(scene.lobby);
    ben.says("{\"enter\":{\"name\":\"ben\"}}\n");
    REQUIRE(is_in(ben));
    const Ended there = scene.ctl({"move", "ben", std::to_string(scene.other)});
    CHECK_MESSAGE(has(there.out, " to native json 127.0.0.1:" + std::to_string(scene.other) + " in "), there.err);
    CHECK(ben.hears([](const words::Fact& fact) { return has(fact.said().text(), "you were moved"); }).has_value());
    CHECK(has(scene.ctl({"list"}).out, "\tnative json 127.0.0.1:" + std::to_string(scene.other) + "\n"));
    CHECK(has(scene.ctl({"routes"}).out, "native json 127.0.0.1:" + std::to_string(scene.lobby)));
    ben.says("{\"say\":{\"text\":\"there now\"}}\n");
    CHECK(ben.hears([](const words::Fact& fact) { return fact.said().text() == "there now"; }).has_value());
  }
  scene.process.signal(15);
  CHECK(scene.process.wait() == 0);
  const std::string file = scene.folder.file("lobby.mcap");
  const Ended verified = run({kEntente, "verify", file});
  CHECK_MESSAGE(verified.code == 0, verified.out << verified.err);
  CHECK(has(run({kEntente, "inspect", file, "-m", "Said"}).out, "there now"));
}

TEST_CASE("ctl: a player who is referred receives the address to connect to, and is disconnected") {
  Scene scene;
  NativeClient ben(scene.lobby);
  ben.says("{\"enter\":{\"name\":\"ben\"}}\n");
  REQUIRE(is_in(ben));
  CHECK(has(scene.ctl({"refer", "ben", "192.0.2.7:99999"}).err, "'192.0.2.7:99999' is not HOST:PORT"));
  const std::string place = "192.0.2.7:4000";
  const Ended told = scene.ctl({"refer", "ben", place});
  CHECK_MESSAGE(has(told.out, "connect to " + place), told.err);
  const auto kicked = ben.hears([](const words::Fact& fact) { return fact.has_kicked(); });
  REQUIRE(kicked.has_value());
  CHECK(kicked->kicked().text() == "moved to another server: connect to " + place);
  CHECK(ben.hears().empty());
}

TEST_CASE("ctl: the limits of the route to which a player is moved apply to it") {
  Scene scene("[limits]\nsessions = 1\n");
  NativeClient anna(scene.home), ben(scene.other);
  for (NativeClient* one : {&anna, &ben}) {
    one->says(std::string("{\"enter\":{\"name\":\"") + (one == &anna ? "anna" : "ben") + "\"}}\n");
    REQUIRE(is_in(*one));
  }
  const Ended refused = scene.ctl({"move", "anna", std::to_string(scene.other)});
  CHECK(refused.code == 1);
  CHECK_MESSAGE(has(refused.err, "stays where it is: that route has reached its limit of sessions: 1"), refused.err);
}

}  // namespace
}  // namespace entente::move_test
