#include "proxy/program/config/config.h"

#include <doctest/doctest.h>
#include <google/protobuf/util/message_differencer.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <thread>
#include <tuple>

#include "adapters/registry.h"
#include "proxy/base/text.h"
#include "proxy/program/settings/limits.h"
#include "tests/program/folder.h"
#include "tests/support/toy_game.h"

namespace entente::config_test {

using google::protobuf::FieldDescriptor;

namespace {

const std::array<const wire::Game*, 1> kKnown = {&toy::game()};
const Machine kMachine;

constexpr std::string_view kRoute = "[[route]]\nlisten = \"toy://127.0.0.1:0\"\nto = \"toy://localhost:9\"\n";

std::string complaints(const std::string& toml, std::span<const wire::Game* const> known = kKnown,
                       const Machine* machine = nullptr) {
  const auto config = parse_config(toml, "a.toml", known, machine);
  std::string all;
  if (!config)
    for (const std::string& complaint : config.error()) all += complaint + "\n";
  return all;
}

template <class Visit>
void each_field(const google::protobuf::Descriptor& kind, Visit visit) {
  for (int i = 0; i < kind.field_count(); ++i) {
    const FieldDescriptor& field = *kind.field(i);
    if (field.message_type())
      each_field(*field.message_type(), visit);
    else
      visit(field);
  }
}

}  // namespace

TEST_CASE("control characters are refused in every string") {
  for (const char* line :
       {"log.file = \"a\\u0000b\"", "log.level = \"in\\u001bfo\"", "[access]\nallow = [\"\\u007f\"]"}) {
    const std::string said = complaints(std::string(line) + "\n" + std::string(kRoute));
    CHECK_MESSAGE(said.find("must have no control characters") != std::string::npos, line, said);
    CHECK(said.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("keys in the file are read, and missing keys have their preset") {
  const auto config = parse_config("workers = 3\nlog.format = \"json\"\n[limits]\nidle_ms = 0\n" + std::string(kRoute),
                                   "a.toml", kKnown);
  REQUIRE_MESSAGE(config.ok(), config.error().front());
  CHECK(config->workers() == 3);
  CHECK(config->log().format() == config::Log::json);
  CHECK(config->log().level() == config::Log::info);
  CHECK(config->limits().idle_ms() == 0);
  CHECK(config->limits().sessions() == 5000);
  REQUIRE(config->route_size() == 1);
  CHECK(config->route(0).to(0) == "toy://localhost:9");
  CHECK(config->route(0).record().empty());
}

TEST_CASE("all faults are reported at once, in the order of the file, with their places") {
  CHECK(complaints("sead = 1\n"
                   "workers = 0\n"
                   "[limits]\n"
                   "sessions = \"many\"\n"
                   "  idle_ms=9999999999999\n"
                   "connects_burst = 1.5\n"
                   "[log]\n"
                   "level = \"wran\"\n"
                   "format = 3\n"
                   "file = [1]\n"
                   "[[route]]\n"
                   "listen = \"toy://localhost:5154\"\n"
                   "[[route]]\n"
                   "listen = \"tpy://127.0.0.1\"\n"
                   "to = \"toy://h:0\"\n"
                   "[recording]\n"
                   "directory = {}\n") ==
        "a.toml:1:1: sead: unknown key\n"
        "a.toml:2:11: workers: expected an integer from 1 to 64 threads, got 0\n"
        "a.toml:4:12: limits.sessions: expected an integer from 0 to 1000000 sessions, got 'many'\n"
        "a.toml:5:11: limits.idle_ms: expected an integer from 0 to 86400000 milliseconds, got 9999999999999\n"
        "a.toml:6:18: limits.connects_burst: expected an integer from 1 to 1000000 connections, got 1.5\n"
        "a.toml:8:9: log.level: expected trace, debug, info, warn, error or off, got 'wran' (did you mean "
        "'warn'?)\n"
        "a.toml:9:10: log.format: expected a string, got 3\n"
        "a.toml:10:8: log.file: expected a string, got a list\n"
        "a.toml:11:1: route[0]: the key 'to' is missing\n"
        "a.toml:12:10: route[0].listen: 'toy://localhost:5154': 'localhost' is not an address; listen on one of this "
        "machine's, such as 127.0.0.1 or [::1], or on all of them with 0.0.0.0 or [::]\n"
        "a.toml:14:10: route[1].listen: 'tpy://127.0.0.1': unknown game 'tpy' (did you mean 'toy'?); games: toy\n"
        "a.toml:15:6: route[1].to: 'toy://h:0': the server's port cannot be 0\n"
        "a.toml:17:13: recording.directory: expected a string, got a table\n");
}

TEST_CASE("a value that is not the expected table or list of tables is reported") {
  const std::string route(kRoute);
  CHECK(complaints("log = 1\n" + route) == "a.toml:1:7: log: expected a table [log], got 1\n");
  CHECK(complaints("[[log]]\n" + route).starts_with("a.toml:1:1: log: expected a table [log], got a list\n"));
  CHECK(complaints("[route]\n").starts_with("a.toml:1:1: route: expected tables, each under [[route]], got a table\n"));
  CHECK(complaints("route = [1]\n") == "a.toml:1:10: route[0]: expected tables, each under [[route]], got 1\n");
}

TEST_CASE("a key with so many parts that the parser would overflow the stack is refused; texts and comments are not") {
  std::string key = "a", dots;
  for (int i = 0; i < 300'000; ++i) key += ".a", dots += '.';
  CHECK(complaints(std::string(kRoute) + "[" + key + "]\n") == "a.toml:4:129: a key with more than 64 parts\n");
  CHECK(complaints(key + " = 1\n" + std::string(kRoute)) == "a.toml:1:128: a key with more than 64 parts\n");
  CHECK(complaints("# it's \"" + dots + "\nlog.file = '" + dots.substr(0, 100) + "' # " + dots + "\n" +
                   std::string(kRoute)) == "");
}

TEST_CASE("a long value in an error is cut between characters") {
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\xc3\xa4";
  for (const std::string begins : {"", "x"})
    CHECK(is_text(complaints("[limits]\nsessions = \"" + begins + umlauts + "\"\n" + std::string(kRoute))));
}

TEST_CASE("an endpoint that is not a string is reported once") {
  for (const char* value : {"5", "{}", "true"}) {
    const std::string all = complaints("[[route]]\nlisten = \"toy://127.0.0.1:0\"\nto = " + std::string(value) + "\n");
    CHECK(all.starts_with("a.toml:3:6: route[0].to: expected a string, or a list of strings, got "));
    CHECK(std::count(all.begin(), all.end(), '\n') == 1);
  }
  CHECK(complaints("[[route]]\nlisten = 5\nto = 5\n") ==
        "a.toml:2:10: route[0].listen: expected a string, got 5\n"
        "a.toml:3:6: route[0].to: expected a string, or a list of strings, got 5\n");
}

TEST_CASE("a misspelt key is reported with the key that was probably meant") {
  CHECK(complaints("[limits]\nidel_ms = 5\n" + std::string(kRoute)) ==
        "a.toml:2:1: limits.idel_ms: unknown key (did you mean 'idle_ms'?)\n");
}

TEST_CASE("a file that is not TOML is reported once, with the place") {
  const std::string all = complaints("workers = 1\nlog = = 2\nsead = 1\n");
  CHECK(all.starts_with("a.toml:2:7: "));
  CHECK(std::count(all.begin(), all.end(), '\n') == 1);
}

TEST_CASE("rules that involve several keys are checked") {
  const std::string route(kRoute);
  CHECK(complaints("") == "a.toml:1:1: there is no [[route]] and no [[arena]], so there is nothing to run\n");
  CHECK(complaints("[limits]\nhigh_water = 8192\n" + route) ==
        "a.toml:2:14: limits.high_water: expected more than limits.low_water (65536 bytes), got 8192\n");
  CHECK(complaints("[limits]\nlow_water = 262144\n" + route) ==
        "a.toml:2:13: limits.low_water: expected less than limits.high_water (262144 bytes), got 262144\n");
  const std::string fixed = "[[route]]\nlisten = \"toy://127.0.0.1:77\"\nto = \"toy://h\"\nrecord = \"{game}.mcap\"\n";
  CHECK(complaints(fixed + fixed) ==
        "a.toml:6:10: route[1].listen: 127.0.0.1:77 is taken by route[0].listen already\n"
        "a.toml:8:10: route[1].record: ./toy.mcap is taken by route[0].record already\n");
  CHECK(complaints(route + route).empty());  // port 0: a free port each
}

TEST_CASE("a listener on all addresses conflicts with any other listener on its port") {
  const auto listen = [](const std::string& at) {
    return "[[route]]\nlisten = \"toy://" + at + "\"\nto = \"toy://h\"\n";
  };
  CHECK(
      complaints(listen("0.0.0.0:77") + listen("127.0.0.1:77")) ==
      "a.toml:5:10: route[1].listen: 127.0.0.1:77 is taken by route[0].listen already, which listens on 0.0.0.0:77\n");
  CHECK(complaints(listen("127.0.0.1:77") + listen("127.0.0.2:77") + listen("[::]:77")).empty());
  CHECK(complaints(listen("[::1]:77") + listen("[::]:77")) ==
        "a.toml:5:10: route[1].listen: [::]:77 is taken by route[0].listen already, which listens on [::1]:77\n");
  CHECK(complaints("[metrics]\nlisten = \"127.0.0.1:77\"\n" + listen("127.0.0.1:77")) ==
        "a.toml:4:10: route[0].listen: 127.0.0.1:77 is taken by metrics.listen already\n");
}

TEST_CASE("a listener on [::], which takes IPv4, too, conflicts with a page on its port; beside IPv4 it does not") {
  const auto listen = [](const std::string& at) {
    return "[[route]]\nlisten = \"toy://" + at + "\"\nto = \"toy://h\"\n";
  };
  const auto page = [](const std::string& at) { return "[metrics]\nlisten = \"" + at + "\"\n"; };
  const std::string too = "; a listener on [::] takes IPv4, too\n";
  CHECK(complaints(page("127.0.0.1:77") + listen("[::]:77")) ==
        "a.toml:4:10: route[0].listen: [::]:77 is taken by metrics.listen already, which listens on 127.0.0.1:77" +
            too);
  CHECK(complaints(page("[::]:77") + listen("127.0.0.1:77")) ==
        "a.toml:4:10: route[0].listen: 127.0.0.1:77 is taken by metrics.listen already, which listens on [::]:77" +
            too);
  const std::string operator_page =
      complaints(page("[::]:77") + "[operator]\nlisten = \"127.0.0.1:77\"\n" + listen("h"));
  CHECK(operator_page.find("operator.listen: 127.0.0.1:77 is taken by metrics.listen already") != std::string::npos);
  CHECK(complaints(page("127.0.0.1:77") + listen("[::1]:77")).empty());
  // A route that another one has taken IPv4 from leaves it to the page, too.
  CHECK(complaints(page("127.0.0.1:77") + listen("127.0.0.2:77") + listen("[::]:77")).empty());
  // What runs side by side may go on.
  const Machine runs{.listens = [](const net::Address&) { return true; }};
  CHECK(complaints(page("127.0.0.1:77") + listen("[::]:77"), kKnown, &runs).empty());
}

TEST_CASE(
    "before a start, the files that are written need a folder that may be written; a ban file that is there, too") {
  const Folder folder;
  const std::string bans = folder.write("bans", "192.0.2.7 forever\n");
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0555});
  std::thread([&] {
    if (::geteuid() == 0) REQUIRE(::syscall(SYS_setresuid, 65'534, 65'534, 65'534) == 0);  // of this thread alone
    for (const auto& [key, place, file] : {std::tuple("access]\nban_file", ":2:12: access.ban_file", "bans"),
                                           std::tuple("access]\nban_file", ":2:12: access.ban_file", "none"),
                                           std::tuple("log]\nfile", ":2:8: log.file", "none"),
                                           std::tuple("control]\nsocket", ":2:10: control.socket", "none")})
      CHECK(complaints("[" + std::string(key) + " = \"" + folder.file(file) + "\"\n" + std::string(kRoute), kKnown,
                       &kMachine) == "a.toml" + std::string(place) + ": cannot write into the folder '" +
                                         folder.path().string() + "': Permission denied\n");
  }).join();
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
}

TEST_CASE("before a start, check that the files in a configuration can be created or read") {
  const Folder folder;
  const auto at_start = [](const std::string& toml) { return complaints(toml, kKnown, &kMachine); };
  const std::string bans = folder.write("bans", "garbage\n"), there = folder.write("there.mcap", "");
  CHECK(at_start("[access]\nban_file = \"" + bans + "\"\n" + std::string(kRoute))
            .starts_with("a.toml:2:12: access.ban_file: " + bans + ":1: 'garbage' is not a network"));
  CHECK(at_start("[access]\nban_file = \"" + folder.file("none") + "\"\n" + std::string(kRoute)).empty());
  for (const auto& [table, key] :
       {std::pair("access", "ban_file"), std::pair("log", "file"), std::pair("control", "socket")})
    CHECK(at_start("[" + std::string(table) + "]\n" + key + " = \"" + folder.path().string() + "\"\n" +
                   std::string(kRoute))
              .find(std::string(table) + "." + key + ": '" + folder.path().string() + "' is a folder\n") !=
          std::string::npos);
  CHECK(at_start("[log]\nfile = \"" + folder.file("no/log") + "\"\n" + std::string(kRoute)) ==
        "a.toml:2:8: log.file: there is no folder '" + folder.file("no") + "'\n");
  CHECK(at_start("[control]\nsocket = \"" + folder.file("no/s") + "\"\n" + std::string(kRoute)) ==
        "a.toml:2:10: control.socket: there is no folder '" + folder.file("no") + "'\n");
  CHECK(at_start("[control]\nsocket = \"" + folder.file(std::string(100 - folder.file("").size(), 's')) + "\"\n" +
                 std::string(kRoute))
            .find("' cannot name a socket: its length must be 1 to 95 bytes\n") != std::string::npos);
  const std::string route = "[[route]]\nlisten = \"toy://127.0.0.1:0\"\nto = \"toy://h\"\nrecord = \"";
  CHECK(at_start(route + folder.file("no/a.mcap") + "\"\n") ==
        "a.toml:4:10: route[0].record: there is no folder '" + folder.file("no") + "'\n");
  CHECK(at_start(route + there + "\"\n") ==
        "a.toml:4:10: route[0].record: '" + there + "' exists already: move it away, or put {time} into the name\n");
  CHECK(at_start(route + folder.file("{time}.mcap") + "\"\n").empty());
  CHECK(complaints(route + there + "\"\n").empty());  // a running program's file exists
}

TEST_CASE("an arena is read with its rules, and missing keys have their preset") {
  const auto config = parse_config(
      "[[arena]]\nlisten = [\"native://127.0.0.1:0\", \"bzflag://127.0.0.1:0?dialect=2.4&fallback=1.10\"]\n"
      "ricochet = true\nmode = \"flags\"\nbots = 3\n",
      "a.toml", games());
  REQUIRE_MESSAGE(config.ok(), config.error().front());
  REQUIRE(config->arena_size() == 1);
  const config::Arena& arena = config->arena(0);
  REQUIRE(arena.listen_size() == 2);
  CHECK(arena.listen(1) == "bzflag://127.0.0.1:0?dialect=2.4&fallback=1.10");
  CHECK(arena.ricochet());
  CHECK_FALSE(arena.jumping());
  CHECK(arena.mode() == config::Arena::flags);
  CHECK(arena.bots() == 3);
  CHECK(arena.reload_ms() == 2000);
}

TEST_CASE("a key that a hook needs and has not is reported once") {
  const auto wrong = [](const std::string& toml) { return complaints(toml, games()); };
  const std::string there =
      "[[arena]]\nlisten = [\"native://127.0.0.1:1?dialect=json\"]\n[[hook]]\nurl = \"http://127.0.0.1/\"\n";
  CHECK(wrong(there + "name = \"x\"\n") == "a.toml:3:1: hook[0]: the key 'events' is missing\n");
  CHECK(wrong(there + "events = [\"join\"]\n") == "a.toml:3:1: hook[0]: the key 'name' is missing\n");
  CHECK(wrong(there + "name = \"x\"\nevents = []\n") == "a.toml:6:10: hook[0].events: names no event\n");
}

TEST_CASE("all faults of an arena are reported with their places") {
  const auto wrong = [](const std::string& toml) { return complaints(toml, games()); };
  CHECK(wrong("[[arena]]\nname = \"x\"\n") == "a.toml:1:1: arena[0]: the key 'listen' is missing\n");
  CHECK(wrong("[[arena]]\nlisten = []\n") == "a.toml:2:10: arena[0].listen: must have at least one URL\n");
  CHECK(wrong("[[arena]]\nlisten = \"native://127.0.0.1:0\"\n") ==
        "a.toml:2:10: arena[0].listen: expected a list of strings, [\"like this\"], got 'native://127.0.0.1:0'\n");
  CHECK(wrong("[[arena]]\nlisten = [\"native://127.0.0.1:0\", 3]\n") ==
        "a.toml:2:35: arena[0].listen[1]: expected a string, got 3\n");
  const std::string arena = "[[arena]]\nlisten = [\"native://127.0.0.1:0\"]\n";
  CHECK(wrong(arena + "seats = 4\nbots = 4\n") ==
        "a.toml:4:8: arena[0].bots: must be less than seats, so that a person can join\n");
  CHECK(wrong(arena + "at = \"1:30\"\n") == "a.toml:3:6: arena[0].at: needs 'from', the recording to start from\n");
  CHECK(wrong(arena + "ricochet = 1\n") == "a.toml:3:12: arena[0].ricochet: expected true or false, got 1\n");
  CHECK(wrong("[[arena]]\nlisten = [\"aos://127.0.0.1:0?mode=datagrams\"]\n")
            .starts_with("a.toml:2:11: arena[0].listen[0]: 'aos://127.0.0.1:0?mode=datagrams': 'mode=datagrams' is"));
  const std::string web = "listen = [\"ogar+ws://127.0.0.1:99/a\", \"ogar+ws://127.0.0.1:99/b\"]\n";
  CHECK(wrong("[[arena]]\n" + web).empty());
  CHECK(wrong("[[arena]]\nname = \"watch\"\n" + web) ==
        "a.toml:2:8: arena[0].name: is what commands call all audiences; choose another name\n");
  CHECK(wrong("[[route]]\nlisten = \"ogar+ws://127.0.0.1:99/c\"\nto = \"ogar+ws://h\"\n[[arena]]\n" + web)
            .starts_with("a.toml:5:11: arena[0].listen[0]: cannot share 127.0.0.1:99 with route[0].listen, which "
                         "leads elsewhere\n"));
}

TEST_CASE("conflicts of listeners and unreadable files, which would prevent a start, are reported") {
  const auto wrong = [](const std::string& toml) { return complaints(toml, games()); };
  const auto route = [](const std::string& path, const std::string& to) {
    return "[[route]]\nlisten = \"ogar+ws://127.0.0.1:99/" + path + "\"\nto = \"" + to + "\"\n";
  };
  const std::string relay = "ogar+ws://h", bridge = "bzflag://h?dialect=2.4", finds_out = "bzflag://h";
  CHECK(wrong(route("a", relay) + route("b", relay)).empty());
  CHECK(wrong(route("a", bridge) + route("b", bridge)).empty());
  CHECK(wrong(route("a", finds_out)).empty());
  CHECK(wrong(route("a", relay) + route("b", bridge)) ==
        "a.toml:5:10: route[1].listen: cannot share 127.0.0.1:99 with route[0].listen: one is a relay, the other a "
        "bridge; give one of them another port\n");
  CHECK(wrong(route("a", bridge) + route("b", finds_out)) ==
        "a.toml:5:10: route[1].listen: shares 127.0.0.1:99 with route[0].listen, so both routes must name the dialect "
        "of their server: add ?dialect= to each `to`\n");

  const std::string secret = "ogar+wss://127.0.0.1:0?cert=/nowhere/a.pem&key=/nowhere/b.pem";
  const std::string files =
      wrong("[[route]]\nlisten = \"" + secret + "\"\nto = \"ogar+wss://h?ca=/nowhere/c.pem\"\n[[arena]]\nlisten = [\"" +
            secret + "\"]\nfrom = \"/nowhere/d.mcap\"\n");
  CHECK(files.starts_with("a.toml:2:10: route[0].listen: cannot read a certificate from '/nowhere/a.pem'"));
  CHECK(files.find("a.toml:3:6: route[0].to: cannot read authorities from '/nowhere/c.pem'") != std::string::npos);
  CHECK(files.find("a.toml:5:11: arena[0].listen[0]: cannot read a certificate") != std::string::npos);
  CHECK(files.ends_with(
      "a.toml:6:8: arena[0].from: the recording '/nowhere/d.mcap' cannot be read: No such file or directory\n"));
}

TEST_CASE("two ends that can be neither relayed nor bridged are reported, with what to do") {
  CHECK(complaints("[[route]]\nlisten = \"toy://127.0.0.1:0\"\nto = \"toy://h?dialect=little\"\n") ==
        "a.toml:2:10: route[0].listen: the listener speaks toy big (the default, as its URL names no dialect) and the "
        "server speaks toy little, and the two cannot be bridged (toy big has no front yet, toy little has no back "
        "yet); for a "
        "relay add ?dialect=little to the URL to listen on\n");
}

TEST_CASE("a route has one server or a list of servers, which may differ only in address, dialect and weight") {
  const auto route = [](const std::string& to) {
    return "[[route]]\nlisten = \"bzflag://127.0.0.1:0?dialect=2.4\"\nto = " + to;
  };
  const std::string a = "\"bzflag://127.0.0.1:1?dialect=2.4&weight=3\"", b = "\"bzflag://127.0.0.1:2\"";
  const auto config =
      parse_config(route("[" + a + ", " + b + "]\npolicy = \"least\"\nhold_s = 60\n"), "a.toml", games());
  REQUIRE_MESSAGE(config.ok(), config.error().front());
  CHECK(config->route(0).to_size() == 2);
  CHECK(config->route(0).policy() == config::Route::least);
  CHECK(config->route(0).hold_s() == 60);
  CHECK(config->route(0).check_s() == 2);

  const auto complaint = [&](const std::string& to) {
    const auto wrong = parse_config(route(to), "a.toml", games());
    REQUIRE(!wrong.ok());
    return wrong.error().front();
  };
  CHECK(complaint("[]") == "a.toml:3:6: route[0].to: names no server");
  CHECK(complaint("[" + a + ", \"native://127.0.0.1:2\"]").find("must be of one game") != std::string::npos);
  CHECK(complaint("[" + b + ", " + b + "]").find("'bzflag://127.0.0.1:2': is listed twice") != std::string::npos);
  CHECK(complaint("[" + b + ", \"bzflag://127.0.0.1:3?send_proxy=v1\"]").find("must have the same options") !=
        std::string::npos);
  CHECK(complaint("[" + a + ", \"bzflag://127.0.0.1:3?dialect=1.10\"]").find("would be relayed, and another bridged") !=
        std::string::npos);
  CHECK(complaint("\"bzflag://127.0.0.1:3?weight=0\"").find("'weight': expected an integer from 1 to 1000, got '0'") !=
        std::string::npos);
  const auto datagrams =
      parse_config("[[route]]\nlisten = \"aos://127.0.0.1:0?mode=datagrams\"\nto = \"aos://127.0.0.1:1\"\nhold_s = 1\n",
                   "a.toml", games());
  REQUIRE(!datagrams.ok());
  CHECK(datagrams.error().front().find("route[0].hold_s: is not for mode=datagrams") != std::string::npos);
}

TEST_CASE("start needs hold_s, and stop and stop_after_s need each other") {
  const auto complaint = [](const std::string& lines) {
    const auto parsed = parse_config(std::string(kRoute) + lines, "a.toml", kKnown);
    return parsed.ok() ? "" : parsed.error().front();
  };
  CHECK(complaint("hold_s = 60\nstart = \"up\"\nstop = \"down\"\nstop_after_s = 900\n").empty());
  CHECK(complaint("start = \"up\"\n").find("route[0].start: needs hold_s") != std::string::npos);
  CHECK(complaint("stop = \"down\"\n").find("route[0].stop: needs stop_after_s") != std::string::npos);
  CHECK(complaint("stop_after_s = 900\n").find("route[0].stop_after_s: needs stop") != std::string::npos);
}

TEST_CASE("while_down must name an arena, and is only for bridges whose clients can load another world") {
  const auto complaint = [](const std::string& listen, const std::string& lines, const std::string& of_arena = "") {
    const auto parsed =
        parse_config("[[route]]\nlisten = \"" + listen + "\"\nto = \"native://127.0.0.1:1?dialect=json\"\n" + lines +
                         "[[arena]]\nname = \"pit\"\nlisten = [\"native://127.0.0.1:0\"]\n" + of_arena,
                     "a.toml", games());
    return parsed.ok() ? "" : parsed.error().front();
  };
  const std::string pit = "hold_s = 60\nwhile_down = \"arena pit\"\n", key = "route[0].while_down: ";
  for (const char* listen : {"native://127.0.0.1:0", "ogar+ws://127.0.0.1:0", "aos://127.0.0.1:0"})
    CHECK(complaint(listen, pit) == "");
  CHECK(complaint("native://127.0.0.1:0", "while_down = \"arena pit\"\n").find(key + "needs hold_s") !=
        std::string::npos);
  CHECK(complaint("native://127.0.0.1:0", "hold_s = 1\nwhile_down = \"arena pot\"\n")
            .find(key + "there is no arena 'pot'") != std::string::npos);
  CHECK(complaint("native://127.0.0.1:0", pit, "fleet = true\n[fleet]\nnats = [\"nats://127.0.0.1:4222\"]\n")
            .find(key + "the arena 'pit' is of the fleet: ") != std::string::npos);
  CHECK(complaint("native://127.0.0.1:0", pit, "lockstep = true\n").find(key + "the arena 'pit' has lockstep: ") !=
        std::string::npos);
  for (const char* wrong : {"pit", "arena", "arena ", "server pit"})
    CHECK(complaint("native://127.0.0.1:0", "hold_s = 1\nwhile_down = \"" + std::string(wrong) + "\"\n")
              .find(key + "must be \"arena NAME\"") != std::string::npos);
  CHECK(complaint("native://127.0.0.1:0?dialect=json", pit).find(key + "is for bridges") != std::string::npos);
  CHECK(complaint("bzflag://127.0.0.1:0", pit).find(key + "is not for bzflag") != std::string::npos);
}

TEST_CASE("a listener for spectators is checked as any other, and see = teams is only for arenas") {
  const auto complaint = [](const std::string& watch, bool of_route) {
    const std::string arena = "[[arena]]\nlisten = [\"native://127.0.0.1:7001\"]\n";
    const std::string route = "[[route]]\nlisten = \"bzflag://127.0.0.1:7001\"\nto = \"bzflag://127.0.0.1:1\"\n";
    const auto parsed = parse_config((of_route ? route : arena) + "watch = " + watch + "\n", "a.toml", games());
    return parsed.ok() ? "" : parsed.error().front();
  };
  for (const bool of_route : {false, true}) {
    CAPTURE(of_route);
    const std::string key = of_route ? "route[0].watch[0]" : "arena[0].watch[0]";
    CHECK(complaint("[]", of_route) == "");
    CHECK(complaint("[{ listen = \"ogar+ws://127.0.0.1:7002\", delay_s = 0 }]", of_route) == "");
    CHECK(complaint("[{ delay_s = 5 }]", of_route).find("the key 'listen' is missing") != std::string::npos);
    CHECK(complaint("[{ listen = [] }]", of_route).find(key + ".listen: must have at least one URL") !=
          std::string::npos);
    CHECK(complaint("[{ listen = \"native://127.0.0.1:7001\" }]", of_route).find("is taken by") != std::string::npos);
    CHECK(complaint("[{ listen = \"quake://127.0.0.1:7002\" }]", of_route).find(key + ".listen[0]: ") !=
          std::string::npos);
    CHECK(complaint("[{ listen = \"native://127.0.0.1:7002\", delay_s = 601 }]", of_route)
              .find("from 0 to 600 seconds, got 601") != std::string::npos);
    const std::string teams = complaint("[{ listen = \"native://127.0.0.1:7002\", see = \"teams\" }]", of_route);
    CHECK((teams.find(key + ".see: teams is for arenas") != std::string::npos) == of_route);
    CHECK(teams.empty() == !of_route);
  }
}

TEST_CASE("a route has its own name and its own limits; keys that it leaves out are those of [limits]") {
  const auto config = parse_config("[limits]\nsessions = 9\nidle_ms = 7\n" + std::string(kRoute) +
                                       "name = \"ctf-1\"\n[route.limits]\nidle_ms = 0\n" + std::string(kRoute),
                                   "a.toml", kKnown);
  REQUIRE_MESSAGE(config.ok(), config.error().front());
  CHECK(config->route(0).name() == "ctf-1");
  const config::Limits own = limits_for(config->limits(), config->route(0).limits());
  CHECK(own.sessions() == 9);
  CHECK(own.idle_ms() == 0);
  CHECK(limits_for(config->limits(), config->route(1).limits()).idle_ms() == 7);
  const std::string head = kRoute.data();
  for (const auto& [name, why] : {std::pair("a b", "expected up to 40 letters"),
                                  std::pair("\u00e4", "expected up to 40"), std::pair("5154", "needs a letter"),
                                  std::pair("..", "needs a letter"), std::pair("toy", "is the name of a game"),
                                  std::pair("0123456789012345678901234567890123456789a", "expected up to 40")})
    CHECK(complaints(head + "name = \"" + name + "\"\n").find(why) != std::string::npos);
  CHECK(complaints(head + "name = \"a\"\n" + head + "name = \"a\"\n").find("the name 'a' is taken by route[0].name") !=
        std::string::npos);
  CHECK(complaints(head + "[route.limits]\nsessions = -1\nnone = 1\n").find("route[0].limits.sessions: ") !=
        std::string::npos);
  CHECK(complaints("[limits]\nhigh_water = 5000\nlow_water = 1000\n" + head + "[route.limits]\nlow_water = 6000\n")
            .find("route[0].limits.low_water: expected less than limits.high_water (5000 bytes), got 6000") !=
        std::string::npos);
}

TEST_CASE("a route that leads to its own listener, at once or by others, is refused") {
  const auto route = [](const std::string& listen, const std::string& to) {
    return "[[route]]\nlisten = \"toy://" + listen + "\"\nto = " + to + "\n";
  };
  for (const auto& ends : {std::pair("127.0.0.1:4000", "127.0.0.1:4000"), std::pair("127.0.0.1:4000", "localhost:4000"),
                           std::pair("0.0.0.0:4000", "127.0.0.9:4000"), std::pair("0.0.0.0:4000", "localhost:4000"),
                           std::pair("[::]:4000", "127.0.0.1:4000"), std::pair("[::1]:4000", "[::1]:4000"),
                           std::pair("127.0.0.1:4000", "0.0.0.0:4000")})
    CHECK_MESSAGE(
        complaints(route(ends.first, std::string("\"toy://") + ends.second + "\"")).find("it would lead to itself") !=
            std::string::npos,
        ends.first, ends.second);
  for (const auto& ends : {std::pair("127.0.0.1:4000", "127.0.0.1:4001"), std::pair("127.0.0.1:4000", "127.0.0.2:4000"),
                           std::pair("127.0.0.1:4000", "example.org:4000"), std::pair("0.0.0.0:4000", "192.0.2.1:4000"),
                           std::pair("0.0.0.0:4000", "[::1]:4000")})
    CHECK_MESSAGE(complaints(route(ends.first, std::string("\"toy://") + ends.second + "\"")) == "", ends.first,
                  ends.second);
  CHECK(complaints(route("127.0.0.1:4000", "[\"toy://192.0.2.1\", \"toy://127.0.0.1:4001\"]") +
                   route("127.0.0.1:4001", "\"toy://127.0.0.1:4002\"") +
                   route("127.0.0.1:4002", "\"toy://127.0.0.1:4000\""))
            .find("leads back to this route's own listener, by route 3") != std::string::npos);
  CHECK(complaints(route("127.0.0.1:4000", "\"toy://127.0.0.1:4001\"") +
                   route("127.0.0.1:4001", "\"toy://127.0.0.1:4002\"")) == "");
}

TEST_CASE("access lists are lists of networks, for all routes and for each route") {
  const std::string route(kRoute);
  const auto config = parse_config(
      "[access]\nallow = [\"10.0.0.0/8\", \"::1\"]\ndeny = []\n" + route + "deny = [\"10.0.0.7\"]\n", "a.toml", kKnown);
  REQUIRE_MESSAGE(config.ok(), config.error().front());
  CHECK(config->access().allow_size() == 2);
  CHECK(config->access().allow(1) == "::1");
  CHECK(config->access().deny_size() == 0);
  CHECK(config->access().remember_bans_s() == 600);
  CHECK(config->route(0).deny(0) == "10.0.0.7");
  CHECK(complaints("[access]\ndeny = [\"10.0.0.0/8\", \"somewhere\"]\n" + route)
            .starts_with("a.toml:2:23: access.deny[1]: 'somewhere' is not a network: no IPv4 or IPv6 address"));
  CHECK(complaints("[access]\ndeny = \"10.0.0.7\"\n" + route) ==
        "a.toml:2:8: access.deny: expected a list of strings, [\"like this\"], got '10.0.0.7'\n");
  CHECK(complaints(route + "allow = [7]\n").find("route[0].allow[0]: expected a string, got 7\n") != std::string::npos);
}

TEST_CASE("a configuration may have a megabyte, and a public host 253 bytes") {
  const Folder folder;
  for (const std::size_t size : {std::size_t{1} << 20U, (std::size_t{1} << 20U) + 1}) {
    CAPTURE(size);
    const std::string path =
        folder.write("a.toml", std::string(kRoute) + "#" + std::string(size - kRoute.size() - 1, 'x'));
    const auto config = load_config(path, kKnown, nullptr);
    CHECK(config.ok() == (size == std::size_t{1} << 20U));
    if (!config)
      CHECK(config.error().front() == path + " is a folder, or larger than 1 MiB; expected a configuration file");
  }
  const auto of_host = [](std::size_t size) {
    return complaints("public_host = \"" + std::string(size, 'a') + "\"\n" + std::string(kRoute));
  };
  CHECK(of_host(253).empty());
  CHECK(of_host(254) == "a.toml:1:15: public_host: expected a host name or an IP address, without a port\n");
}

TEST_CASE("a file that cannot be read is reported without a place") {
  const auto config = load_config("no/such/file.toml", kKnown, nullptr);
  REQUIRE(!config.ok());
  CHECK(config.error().front().starts_with("no/such/file.toml: cannot be read: No such file or directory; "));
}

TEST_CASE("every key of the schema has a valid preset, unit and range") {
  each_field(*config::Config::descriptor(), [](const FieldDescriptor& field) {
    CAPTURE(field.full_name());
    const config::Rule& rule = field.options().GetExtension(config::rule);
    const bool list = field.is_repeated() && field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    CHECK((field.has_optional_keyword() || list));
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      CHECK((rule.preset() == "true" || rule.preset() == "false"));
      return;
    }
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM)
      CHECK(field.enum_type()->FindValueByName(rule.preset()) != nullptr);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING || field.enum_type()) return;
    REQUIRE(field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32);
    CHECK(!rule.unit().empty());
    CHECK(rule.has_min());
    CHECK(rule.has_max());
    CHECK(rule.min() >= 0);
    CHECK(rule.max() <= std::numeric_limits<std::uint32_t>::max());
    std::int64_t preset = -1;
    std::from_chars(rule.preset().data(), rule.preset().data() + rule.preset().size(), preset);
    CHECK(std::to_string(preset) == rule.preset());
    CHECK(preset >= rule.min());
    CHECK(preset <= rule.max());
  });
}

}  // namespace entente::config_test
