// Players found, kicked and banned by name, address or link; every answer as JSON; every order in the log.
#include <doctest/doctest.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "proxy/base/text.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/control.h"
#include "proxy/program/control/roster.h"
#include "tests/program/asked.h"

namespace entente::moderation_test {
namespace {

const std::string kEntente = testing::entente_binary();

google::protobuf::Value json_of(const std::string& text) {
  google::protobuf::Value value;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &value);
  REQUIRE_MESSAGE(status.ok(), text);
  return value;
}

TEST_CASE("an argument with blanks is in quotes; the rest of a line is one text") {
  std::string_view rest = R"( "Mr \"T\" \\ x"  be nice )";
  CHECK(first_argument(rest) == R"(Mr "T" \ x)");
  CHECK(whole_text(rest) == "be nice");
  CHECK(whole_text(R"( "be nice" )") == "be nice");
  CHECK(whole_text(R"("be" nice)") == R"("be" nice)");
  CHECK(whole_text(R"("be nice)") == R"("be nice)");
  for (const char* text : {"tom", "Mr T", "", R"(a"b\c)", "\"", R"(\)"}) {
    const std::string line = as_argument(text) + " why";
    std::string_view left = line;
    CHECK(first_argument(left) == text);
    CHECK(left == "why");
  }
  CHECK(*sayable_text("a\tb", 3) == clean("a\tb"));
  CHECK(sayable_text("four", 3).error().text == "the text has 4 bytes; it may have 3");
  std::string value;
  rest = "--for 2d --why he said no --for an answer";
  CHECK_FALSE(take_option(rest, "--why", value));
  CHECK(take_option(rest, "--for", value));
  CHECK(value == "2d");
  CHECK(take_text(rest, "--why", value));
  CHECK(value == "he said no --for an answer");
  rest = R"(--why "be nice" --for 2d)";
  CHECK(take_text(rest, "--why", value));
  CHECK(value == "be nice");
  CHECK(rest == "--for 2d");
}

TEST_CASE("a number is a link, an address is an address, and anything else, or name:X, is a name") {
  CHECK(*Target::parse("7").link == 7);
  CHECK(Target::parse("192.0.2.0/24").network->text() == "192.0.2.0/24");
  CHECK(Target::parse("::1").network->text() == "::1");
  CHECK(Target::parse("192.0.2.7:4000").address->text() == "192.0.2.7:4000");
  CHECK(Target::parse("tom").name == "tom");
  CHECK(Target::parse("7up").name == "7up");
  for (const char* name : {"7", "192.0.2.7", "name:x", ""}) {
    const Target target = Target::parse("name:" + std::string(name));
    CHECK(target.name == name);
    CHECK_FALSE((target.link || target.network || target.address));
  }
  CHECK(Target::parse("99999999999999999999999").name == "99999999999999999999999");
}

TEST_CASE("an answer is the same as text and as JSON, whatever players call themselves") {
  const std::string name = "a\tb\"\x1b\xff\n";
  Control control;
  control.add("table", "", [&](std::string_view) {
    return Reply::table({"link", "player"}, {{number_field("link", 3), text_field("player", name)},
                                             {number_field("link", 4), text_field("player", "")}});
  });
  control.add("records", "", [&](std::string_view) {
    return Reply::records({{text_field("served", "x"), number_field("n", 1), list_field("names", {"a", name})}});
  });
  control.add("act", "", [](std::string_view rest) -> Outcome<std::string> {
    return rest.empty() ? Outcome<std::string>("did it\n") : Error{"did \"not\""};
  });
  CHECK(control.answer("table") == "ok\nlink\tplayer\n3\ta\\x09b\"\\x1b\\xff\\x0a\n4\t-\n");
  const auto table = json_of(control.answer(" --json  table"));
  REQUIRE(table.list_value().values_size() == 2);
  const auto& row = table.list_value().values(0).struct_value().fields();
  CHECK(row.at("link").number_value() == 3);
  CHECK(row.at("player").string_value() == "a\tb\"\x1b\xef\xbf\xbd\n");
  CHECK(table.list_value().values(1).struct_value().fields().at("player").has_null_value());
  CHECK(control.answer("records") == "ok\nserved x n=1 names=a,a\\x09b\"\\x1b\\xff\\x0a\n");
  const auto records = json_of(control.answer("--json records"));
  CHECK(records.list_value().values(0).struct_value().fields().at("names").list_value().values_size() == 2);
  CHECK(control.answer("--json act") == "{\"done\":\"did it\"}\n");
  CHECK(control.answer("--json act not") == "{\"error\":\"did \\\"not\\\"\"}\n");
  CHECK(control.answer("--json akt").starts_with("{\"error\":\"unknown command 'akt' (did you mean 'act'?)"));
  CHECK(json_of(control.answer("--json help")).list_value().values_size() == 4);
  CHECK(control.answer("--json").starts_with("{\"error\":"));
}

/// A relay in front of an arena, with bots of these names as players, controlled by ctl. `to_options`: of --to.
struct Place : Asked {
  explicit Place(const std::vector<std::string>& names, const std::string& to_options = "")
      : arena({kEntente, "arena", "--listen", "native://127.0.0.1:0"}),
        relay({kEntente, "proxy", "--listen", "native://127.0.0.1:0", "--to", url(arena) + to_options, "--control",
               folder.file("c.sock")}) {
    const std::string to = url(relay);
    for (const std::string& name : names) {
      bots.push_back(std::make_unique<Process>(
          std::vector<std::string>{kEntente, "bot", to, "--name", name, "--behaviour", "idle"}));
      REQUIRE(has(name));  // one at a time, so that their links are 1, 2, …
    }
  }
  static std::string url(Process& process) {
    const auto line = process.line();
    REQUIRE_MESSAGE(line.has_value(), process.err());
    return "native://127.0.0.1:" + line->substr(line->rfind(':') + 1);
  }

  Process arena, relay;
  std::vector<std::unique_ptr<Process>> bots;
};

TEST_CASE("the list has the address that the server sees, if it is not ours") {
  Place place({"tom"}, "?source=loopback");
  const Ended list = place.ctl({"list"});
  CHECK(list.out.starts_with("link\tgame\tclient\tserver\tseconds\tbytes\tplayer\tsource\n"));
  const auto rows = json_of(place.ctl({"--json", "list"}).out);
  const std::string source = rows.list_value().values(0).struct_value().fields().at("source").string_value();
  CHECK(source.starts_with("127."));
  CHECK(source != "127.0.0.1");
  CHECK(list.out.ends_with("\ttom\t" + source + "\n"));
}

TEST_CASE("players of a relay are found, kicked and banned by name, and what is ambiguous is refused") {
  Place place({"tom", "Tom", "Mr T", "7"});
  const auto fields = [](const std::string& out) { return std::count(out.begin(), out.end(), '\n') - 1; };
  CHECK(fields(place.ctl({"find", "to"}).out) == 2);
  CHECK(fields(place.ctl({"find", "mr t"}).out) == 1);
  CHECK(fields(place.ctl({"find", "127.0.0.0/8"}).out) == 4);
  CHECK(place.ctl({"find", "to"}).code == 0);
  const Ended nobody = place.ctl({"find", "nobody"});
  CHECK(fields(nobody.out) == 0);
  CHECK(nobody.code == 1);
  CHECK(nobody.err == "");
  const Ended none = place.ctl({"find", "nobody", "--json"});
  CHECK(none.out == "[]\n");
  CHECK(none.code == 1);
  CHECK(place.ctl({"find", "1"}).out.ends_with("\ttom\n"));

  const Ended several = place.ctl({"kick", "TOM", "be", "nice"});
  CHECK(several.code == 1);
  CHECK(several.err.starts_with("entente: 'TOM' is ambiguous, name a link: link 1 (127.0.0.1:"));
  CHECK(several.err.find(", native protobuf, \"tom\"), link 2 (127.0.0.1:") != std::string::npos);
  CHECK(place.ctl({"kick", "127.0.0.1"}).err.find(" is ambiguous") != std::string::npos);
  const Ended json = place.ctl({"kick", "TOM", "--json"});
  CHECK(json.code == 1);
  CHECK(json.err == "");
  const auto refused = json_of(json.out).struct_value().fields();
  CHECK(refused.at("error").string_value().starts_with("'TOM' is ambiguous"));
  REQUIRE(refused.at("candidates").list_value().values_size() == 2);
  CHECK(refused.at("candidates").list_value().values(1).struct_value().fields().at("player").string_value() == "Tom");
  CHECK(place.ctl({"kick", "7"}).err == "entente: no session has the link 7\n");
  CHECK(place.ctl({"kick", "name:nobody"}).code == 1);
  CHECK(place.ctl({"say", "hello"}).out ==
        "told 0 of 4 players; not told: 4 of native (in a relay, and announce is off)\n");

  const Ended kicked = place.ctl({"kick", "Mr T", "be", "nice"});
  CHECK(kicked.code == 0);
  CHECK(kicked.out.starts_with("kicked link 3 (127.0.0.1:"));
  CHECK(kicked.out.ends_with(", native protobuf, \"Mr T\")\n"));
  CHECK(place.relay.err_has("control: kick \"Mr T\" \"be nice\" (by uid " + std::to_string(::getuid()) + ", pid "));
  CHECK(place.relay.err_has("): kicked link 3 (127.0.0.1:"));
  CHECK(place.ctl({"kick", "name:7", "--json"}).out.starts_with("{\"done\":\"kicked link 4 ("));

  const Ended list = place.ctl({"--json", "list"});
  CHECK(list.code == 0);
  const auto rows = json_of(list.out);
  REQUIRE(rows.list_value().values_size() == 2);
  const auto& row = rows.list_value().values(0).struct_value().fields();
  CHECK(row.at("link").number_value() == 1);
  CHECK(row.at("game").string_value() == "native protobuf");
  CHECK(row.at("player").string_value() == "tom");
  CHECK_FALSE(row.contains("source"));
  const auto stats = json_of(place.ctl({"stats", "--json"}).out);
  CHECK(stats.list_value().values(0).struct_value().fields().at("sessions").number_value() == 4);

  CHECK(place.ctl({"ban", "nobody"}).code == 1);
  for (const char* order : {"ban", "deny"})
    CHECK(place.ctl({order, "203.0.113.0/24", "no aim bots"}).err.ends_with(", not 'no aim bots'\n"));
  CHECK(place.ctl({"ban", "tom", "--why", std::string(401, 'x')}).err ==
        "entente: the text has 401 bytes; it may have 400\n");
  const Ended banned = place.ctl({"ban", "tom", "--for", "2d", "--why", "be \"nice\""});
  CHECK(banned.code == 0);
  CHECK(banned.out.starts_with("banned 127.0.0.1 until 20"));
  CHECK(banned.out.ends_with("Z, 2 sessions ended; 1 other player shares this address\n"));
  CHECK(place.relay.err_has("Z, 2 sessions ended; 1 other player shares this address; link 1 (127.0.0.1:"));
  CHECK(place.ctl({"bans"}).out.ends_with("Z\tus\tbe \"nice\"\t-\n"));
  const auto bans = json_of(place.ctl({"bans", "--json"}).out);
  CHECK(bans.list_value().values(0).struct_value().fields().at("why").string_value() == "be \"nice\"");
  CHECK(place.relay.err_has(R"(session 3 closed: kicked ("Mr T" from 127.0.0.1:)"));
  CHECK(place.relay.err_has(R"(session 1 closed: banned by the operator ("tom" from 127.0.0.1:)"));
  const Ended again = place.ctl({"ban", "127.0.0.1", "--for", "1d"});
  CHECK(again.out.find(", 0 sessions ended; replaces a ban until 20") != std::string::npos);
  CHECK(again.out.ends_with("Z (be \"nice\")\n"));
  CHECK(place.ctl({"unban", "127.0.0.1"}).code == 0);
  CHECK(place.relay.err_has("control: unban 127.0.0.1 (by uid "));
  CHECK(place.relay.err().find("control: list") == std::string::npos);
  CHECK(place.relay.err().find("control: kick TOM") == std::string::npos);  // refused orders are not logged
}

TEST_CASE(
    "the log has the port of each opened or refused session without the wildcard address, and the program's start and "
    "stop") {
  Process arena({kEntente, "arena", "--listen", "aos://0.0.0.0:0?dialect=0.75"});
  const std::string line = arena.line().value_or(""), port = line.substr(line.rfind(':') + 1);
  const Process bot({kEntente, "bot", "aos://127.0.0.1:" + port + "?dialect=0.75", "--behaviour", "idle"});
  CHECK(arena.err_has(" at port " + port + "\n"));  // without a server
  CHECK(arena.err().find("info  started entente ") != std::string::npos);
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
  CHECK(arena.err_has("info  stopped entente "));

  Folder folder;
  Process closed(
      {kEntente, "run",
       folder.write("a.toml", "[access]\ndeny = [\"127.0.0.1\"]\n[[arena]]\nlisten = [\"native://0.0.0.0:0\"]\n")});
  const std::string at = closed.line().value_or(""), its_port = at.substr(at.rfind(':') + 1);
  const Process denied({kEntente, "bot", "native://127.0.0.1:" + its_port});
  CHECK(closed.err_has(" at port " + its_port + " (native protobuf): "));
}

TEST_CASE("with --json, errors of ctl itself are JSON") {
  const Ended nobody = run({kEntente, "ctl", "--socket", "/nowhere/c.sock", "--json", "list"});
  CHECK(nobody.code == 1);
  CHECK(json_of(nobody.out).struct_value().fields().contains("error"));
}

TEST_CASE("ctl: an empty argument is refused, because without it the command may mean everything") {
  const Ended empty = run({kEntente, "ctl", "--socket", "/nowhere/c.sock", "drain", ""});
  CHECK(empty.code == 2);
  CHECK(empty.err.find("an argument of the command is empty") != std::string::npos);
  for (const char* option : {"--for", "--say", "--route", "--why", "--refer"}) {
    const Ended nothing = run({kEntente, "ctl", "--socket", "/nowhere/c.sock", "drain", option, ""});
    CHECK(nothing.code == 2);
    CHECK_MESSAGE(nothing.err.find("must not be empty") != std::string::npos, nothing.err);
  }
}

}  // namespace
}  // namespace entente::moderation_test
