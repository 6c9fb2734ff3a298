// Draining by `ctl drain` or SIGTERM, and the answers of /live and /ready meanwhile.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <future>
#include <string>

#include "proxy/net/take_over/talk.h"
#include "proxy/program/control/route_names.h"
#include "proxy/program/monitor/health.h"
#include "tests/program/asked.h"
#include "tests/relay/in_shared_room.h"
#include "tests/support/connection.h"

namespace entente::drain_test {
namespace {

const std::string kEntente = testing::entente_binary();
constexpr Millis kPatience = 40'000;

net::Fd connected(const std::string& port) {
  return testing::connect_to(*net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(port))),
                             Process::kPatience);
}

std::string get(const std::string& port, const std::string& path) {
  return testing::asked(*net::Address::parse("127.0.0.1:" + port),
                        "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
}

/// The status and the body.
std::string told(const std::string& answer) {
  return answer.substr(9, 3) + " " + answer.substr(answer.find("\r\n\r\n") + 4);
}

/// An arena with two listeners, for bots.
struct Place : Asked {
  explicit Place(const std::string& more = "")
      : process({kEntente, "run",
                 folder.write(
                     "a.toml",
                     more + "\n[control]\nsocket = \"" + folder.file("c.sock") +
                         "\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n[[arena]]\nname = \"pit\"\n" +
                         "listen = [\"native://127.0.0.1:0?dialect=json\", \"aos://127.0.0.1:0?dialect=0.75\"]\n")}) {
    for (std::string* port : {&native, &aos, &metrics}) {
      auto line = process.line();
      REQUIRE_MESSAGE(line.has_value(), process.err());
      if (line->ends_with("/metrics")) line->resize(line->rfind('/'));
      *port = line->substr(line->rfind(':') + 1);
    }
  }
  std::unique_ptr<Process> bot(const std::string& name) const {
    return std::make_unique<Process>(std::vector<std::string>{
        kEntente, "bot", "native://127.0.0.1:" + native + "?dialect=json", "--name", name, "--behaviour", "idle"});
  }

  Process process;
  std::string native, aos, metrics;
};

TEST_CASE("a route can be named by its port, listener, game, arena or full name") {
  const ListedRoutes all = {
      {{0, "bzflag 2.4 127.0.0.1:5154", "bzflag", "", *net::Address::parse("127.0.0.1:5154")}, {0}},
      {{1, "bzflag 2.0 0.0.0.0:5155", "bzflag", "", *net::Address::parse("0.0.0.0:5155")}, {1}},
      {{2, "aos 0.75 [::1]:32887", "aos", "pit", *net::Address::parse("[::1]:32887")}, {2}},
      {{3, "bot", "native", "", net::Address()}, {3}}};
  const auto numbers = [&](std::string_view what) {
    std::string found;
    const auto routes = routes_called(all, what);
    if (!routes) return routes.error().text;
    for (const ListedRoute* route : *routes) found += std::to_string(route->named.number);
    return found;
  };
  CHECK(numbers("") == "0123");
  CHECK(numbers("bzflag") == "01");
  CHECK(numbers("5155") == "1");
  CHECK(numbers("127.0.0.1:5154") == "0");
  CHECK(numbers("[::1]:32887") == "2");
  CHECK(numbers("pit") == "2");
  CHECK(numbers("bzflag 2.0 0.0.0.0:5155") == "1");
  CHECK(numbers("0").starts_with("no route is called '0'"));
  CHECK(numbers("panic").find("bzflag 2.4 127.0.0.1:5154, bzflag 2.0 0.0.0.0:5155") != std::string::npos);
}

TEST_CASE("drain refuses newcomers and keeps players, until undrain or the end of its time; /ready shows it") {
  Place place;
  CHECK(told(get(place.metrics, "/live")) == "200 live\n");
  CHECK(told(get(place.metrics, "/ready")) == "200 ready\n");
  const std::string page = get(place.metrics, "/");
  CHECK(page.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"));
  for (const char* path : {"/metrics", "/live", "/ready"})
    CHECK(page.find("href=\"" + std::string(path) + "\"") != std::string::npos);
  const auto anna = place.bot("anna");
  REQUIRE(place.has("anna"));

  const std::string route = "native json 127.0.0.1:" + place.native;
  CHECK(place.ctl({"drain", "native"}).out == "draining " + route + ": 1 session goes on\n");
  CHECK(told(get(place.metrics, "/ready")) == "503 draining: " + route + "\n");
  CHECK(told(get(place.metrics, "/ready/" + place.native)).starts_with("503 "));
  CHECK(told(get(place.metrics, "/ready/aos")) == "200 ready\n");
  CHECK(told(get(place.metrics, "/ready/panic")).starts_with("404 "));
  CHECK(told(get(place.metrics, "/live")) == "200 live\n");
  const std::string metrics = get(place.metrics, "/metrics");
  CHECK(metrics.find("\nentente_draining{route=\"" + route + "\"} 1\n") != std::string::npos);
  CHECK(metrics.find("\nentente_draining{route=\"aos 0.75 127.0.0.1:" + place.aos + "\"} 0\n") != std::string::npos);
  CHECK(place.bot("berta")->wait() == 1);
  CHECK(place.ctl({"stats"}).out.find(" refused_draining=1") != std::string::npos);
  CHECK(place.has("anna"));

  CHECK(place.ctl({"undrain", place.native}).out == route + " takes newcomers again\n");
  CHECK(place.ctl({"undrain"}).out.find(route) != std::string::npos);  // not an error if it is not draining
  CHECK(told(get(place.metrics, "/ready")) == "200 ready\n");
  const auto carl = place.bot("carl");
  REQUIRE(place.has("carl"));

  CHECK(place.ctl({"drain", "nowhere"}).err.starts_with("entente: no route is called 'nowhere'; "));
  CHECK(place.ctl({"drain", "--for", "soon"}).code == 1);
  CHECK(place.ctl({"drain", "--say", std::string(401, 'x')}).err ==
        "entente: the text has 401 bytes; it may have 400\n");
  CHECK(place.ctl({"drain", "pit", "more"}).err ==
        "entente: usage: drain [ROUTE|SERVER] [--for TIME] [--refer GAME,PLACE,HOST:PORT] [--say TEXT]\n");
  const Ended all = place.ctl({"drain", "pit", "--for", "1s", "--json"});
  CHECK(all.out.starts_with("{\"done\":\"draining " + route + ": 2 sessions go on for 1s\\u000adraining aos"));
  CHECK(all.out.find("\"routes\":[{\"route\":\"" + route + "\",\"sessions\":2},{") != std::string::npos);
  CHECK(anna->wait() == 1);
  CHECK(carl->wait() == 1);
  CHECK(place.process.err_has("drained " + route + ": 2 sessions ended"));
  CHECK(place.process.err_has("control: drain pit --for 1s (by uid "));
  CHECK(told(get(place.metrics, "/ready")).starts_with("503 draining: "));  // until undrain
  place.process.signal(SIGTERM);
  CHECK(place.process.wait() == 0);
}

/// Receives until `part` arrives.
bool hears(const net::Fd& fd, const std::string& part) {
  std::string all;
  std::array<std::uint8_t, 4096> room;
  for (ssize_t n = 0; all.find(part) == std::string::npos && (n = testing::receive(fd.get(), room)) > 0;)
    all += as_text(Bytes(room).first(static_cast<std::size_t>(n)));
  return all.find(part) != std::string::npos;
}

TEST_CASE("players in an arena receive the operator's messages, also while their route drains") {
  Place place;
  const net::Fd player = connected(place.native);
  const std::string enter = "{\"enter\":{\"name\":\"dora\"}}\n";
  ::send(player.get(), enter.data(), enter.size(), MSG_NOSIGNAL);
  REQUIRE(hears(player, "\"ready\""));
  CHECK(place.ctl({"say", "be", "nice", "--route", "native"}).out == "told 1 of 1 players\n");
  CHECK(hears(player, "\"be nice\""));
  const Ended json = place.ctl({"--json", "say", "be \"nice\""});
  CHECK(json.out.find("\"told\":[{\"link\":") != std::string::npos);
  CHECK(json.out.find("\"player\":\"dora\"}],\"not_told\":[]}") != std::string::npos);
  CHECK(hears(player, "be \\\"nice\\\""));
  CHECK(place.ctl({"say", "--route", "aos", "nobody"}).out == "told 0 of 0 players\n");
  CHECK(place.ctl({"say", "--route", "nowhere", "x"}).code == 1);
  const Ended elsewhere =
      place.ctl({"drain", "native", "--refer", "native,pit,192.0.2.7:4000", "--refer", "panic,pit,192.0.2.7:4001"});
  CHECK_MESSAGE(elsewhere.out.find("; players are told to connect to 192.0.2.7:4000") != std::string::npos,
                elsewhere.err);
  CHECK(elsewhere.out.ends_with("\ntold 1 of 1 players\n"));
  CHECK(hears(player, "192.0.2.7:4000"));
  CHECK(place.ctl({"undrain", "native"}).code == 0);
  CHECK(place.ctl({"drain \"\""}).code == 1);  // an empty name does not mean all routes
  CHECK(place.ctl({"undrain \"\""}).code == 1);
  const Ended drained = place.ctl({"drain", "--say", "until tomorrow", "native"});
  CHECK(drained.out.ends_with(": 1 session goes on\ntold 1 of 1 players\n"));
  CHECK(hears(player, "until tomorrow"));
  CHECK(place.process.err_has("control: drain native --say \"until tomorrow\" (by uid "));
}

TEST_CASE("with drain_s SIGTERM waits for the players, and the program stops when the last one has left") {
  Place place("drain_s = 3600");
  const auto anna = place.bot("anna");
  REQUIRE(place.has("anna"));
  place.process.signal(SIGTERM);
  REQUIRE(place.process.err_has("draining for at most 3600 s before the stop"));
  CHECK(told(get(place.metrics, "/ready")).starts_with("503 draining: "));
  CHECK(place.bot("berta")->wait() == 1);
  CHECK(place.has("anna"));
  anna->signal(SIGTERM);
  CHECK(place.process.wait() == 0);
}

TEST_CASE("a program that drains before its stop is not upgraded, whichever comes first") {
  Place place("drain_s = 3600");
  const auto anna = place.bot("anna");
  REQUIRE(place.has("anna"));
  const auto ask = [&](const std::string& line) {
    auto talk = net::Talk::open(place.folder.file("c.sock"));
    REQUIRE(talk.ok());
    REQUIRE(talk->say(line, kPatience).ok());
    return std::move(*talk);
  };
  const net::Talk opens = ask("take over 1");
  REQUIRE(*opens.hear(kPatience) == "sockets");
  REQUIRE(opens.receive(kPatience).ok());
  place.process.signal(SIGTERM);
  REQUIRE(place.process.err_has("draining for at most"));
  REQUIRE(opens.say("ready", kPatience).ok());
  CHECK(*opens.hear(kPatience) == "error: the program is stopping");
  CHECK(place.process.err_has("did not take over"));

  CHECK(*ask("take over 1").hear(kPatience) == "error: the program is stopping");
  const Ended upgraded = place.ctl({"upgrade"});
  CHECK(upgraded.code == 1);
  CHECK(upgraded.err == "entente: the program is stopping\n");
  const Ended as_json = place.ctl({"--json", "upgrade"});
  CHECK(as_json.code == 1);
  CHECK(as_json.out == "{\"error\":\"the program is stopping\"}\n");
  CHECK(place.has("anna"));
  anna->signal(SIGTERM);
  CHECK(place.process.wait() == 0);
  CHECK_FALSE(has(place.process.err(), "control: upgrade"));  // no process was started
}

TEST_CASE("with drain_s a second SIGTERM or a SIGINT stops the program at once") {
  for (const int second : {SIGTERM, SIGINT}) {
    Place place("drain_s = 3600");
    const auto anna = place.bot("anna");
    REQUIRE(place.has("anna"));
    place.process.signal(SIGTERM);
    REQUIRE(place.process.err_has("draining for at most"));
    place.process.signal(second);
    CHECK(place.process.wait() == 0);
    CHECK(anna->wait() == 1);
  }
}

TEST_CASE("when the time of drain_s is over, the remaining players are disconnected") {
  Place place("drain_s = 1");
  const auto anna = place.bot("anna");
  REQUIRE(place.has("anna"));
  place.process.signal(SIGTERM);
  CHECK(place.process.wait() == 0);
  CHECK(anna->wait() == 1);
}

TEST_CASE("/live and /ready tell of a worker that hangs; /ready also of a start and of a stop") {
  testing::InSharedRoom room(testing::no_limits(), 3);
  const relay::ProxyServer& server = room.server();
  const auto text = [](const net::HttpAnswer& answer) { return std::to_string(answer.status) + " " + answer.text; };
  const auto live = [&] { return text(live_answer(server)); };
  const auto ready = [&](bool serving = true) { return text(ready_answer(server, {}, serving)); };
  const std::string hangs = "503 a worker has not turned its loop for 1000 ms\n";
  const auto is_well = [&] { return live() == "200 live\n" && ready() == "200 ready\n"; };
  CHECK(testing::eventually(is_well));
  CHECK(ready(false) == "503 starting\n");
  std::promise<void> over;
  room.hold_up(over.get_future().share());
  CHECK(testing::eventually([&] { return live() == hangs; }));
  CHECK(ready() == hangs);
  over.set_value();
  CHECK(testing::eventually(is_well));
  room.stop();
  CHECK(live() == "200 live\n");
  CHECK(ready() == "503 stopping\n");
}

}  // namespace
}  // namespace entente::drain_test
