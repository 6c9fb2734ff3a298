// Rules of a configuration: `check` runs them, `run` applies them, a reload replaces them, and `ctl rules` shows what
// became of them. A recording of a bridge with rules is reproduced without them.
#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <string>

#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/relay/peers.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::program_rules_test {
namespace {

const std::string kEntente = testing::entente_binary();

/// A bridge from native to an arena of the same program.
struct Yard {
  /// `more`: tables of the bridge's configuration.
  explicit Yard(const std::string& rule, const std::string& more = "") {
    folder.write("rule.lua", rule);
    const std::string arena = "[[arena]]\nname = \"yard\"\nlisten = [\"native://127.0.0.1:0?dialect=protobuf\"]\n";
    server = std::make_unique<Process>(std::vector<std::string>{kEntente, "run", folder.write("arena.toml", arena)});
    const std::string line = server->line().value_or("");
    const std::string port = line.substr(line.rfind(':') + 1);
    config = folder.write("bridge.toml", "[control]\nsocket = \"" + folder.file("socket") +
                                             "\"\n[recording]\ndirectory = \"" + folder.path().string() +
                                             "\"\n[[route]]\nname = \"public\"\n"
                                             "listen = \"native://127.0.0.1:0?dialect=json\"\nto = "
                                             "\"native://127.0.0.1:" +
                                             port.substr(0, port.find(' ')) +
                                             "?dialect=protobuf\"\nrecord = \"bridge.mcap\"\nrules = [\"rule.lua\"]\n" +
                                             more);
    bridge = std::make_unique<Process>(std::vector<std::string>{kEntente, "run", config});
    const std::string listening = bridge->line().value_or("");
    INFO(bridge->err());
    const std::size_t colon = listening.rfind(':');
    REQUIRE(colon != listening.npos);
    at = std::stoi(listening.substr(colon + 1));
  }
  /// A player who is in.
  std::unique_ptr<NativeClient> enter(const std::string& name) const {
    auto client = std::make_unique<NativeClient>(at);
    client->says("{\"enter\":{\"name\":\"" + name + "\"}}\n");
    bool owns = false, named = false;  // in either order; until then, rules do not know the name
    REQUIRE(client->hears([&](const words::Fact& fact) {
      owns |= fact.has_owns();
      named |= fact.has_player() && fact.player().name() == name;
      return owns && named;
    }));
    return client;
  }
  Ended ctl(const std::string& command) { return run({kEntente, "ctl", "--socket", folder.file("socket"), command}); }

  Folder folder;
  std::string config;
  std::unique_ptr<Process> server, bridge;
  int at = 0;
};

bool says(const words::Fact& fact, const std::string& text) {
  return fact.has_said() && fact.said().text().find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("rules of a bridge apply, are reloaded, are switched off loudly, and are reproduced") {
  Yard yard(R"(
function on_chat(_, text)
  if text == "loop" then while true do end end
  if text == "psst" then return false end
  return (text:gsub("darn", "****"))
end
command("hi", "greets", function(player) tell(player, "hello from the rule") end)
command("bye", "leaves", function(player) kick(player, "as you wish") end))");
  {
    NativeClient anna(yard.at);
    anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
    REQUIRE(anna.hears([](const words::Fact& fact) { return fact.has_ready(); }));
    anna.says("{\"say\":{\"text\":\"psst\"}}\n{\"say\":{\"text\":\"darn it\"}}\n");
    const auto first = anna.hears([](const words::Fact& fact) { return fact.has_said(); });
    REQUIRE(first);
    CHECK(first->said().text() == "**** it");
    anna.says("{\"say\":{\"text\":\"/hi\"}}\n");
    CHECK(anna.hears([](const words::Fact& fact) { return says(fact, "hello from the rule"); }));

    yard.folder.write("rule.lua", "function on_chat(_, text) return text .. '!' end");
    const Ended reloaded = yard.ctl("reload");
    CHECK_MESSAGE(reloaded.code == 0, reloaded.err);
    anna.says("{\"say\":{\"text\":\"one\"}}\n");  // after this call, the room has the new rules
    CHECK(anna.hears([](const words::Fact& fact) { return says(fact, "one"); }));
    anna.says("{\"say\":{\"text\":\"two\"}}\n");
    CHECK(anna.hears([](const words::Fact& fact) { return says(fact, "two!"); }));

    CHECK(reloaded.out.find("changed: the files of rules of route public\n") != std::string::npos);
  }
  {  // another client, because one may not chat so fast
    NativeClient ben(yard.at);
    yard.folder.write("rule.lua", "function on_chat( ");
    const Ended refused = yard.ctl("reload");
    CHECK(refused.code != 0);
    CHECK(refused.err.find("rules: rule.lua:1:") != std::string::npos);
    ben.says("{\"enter\":{\"name\":\"ben\"}}\n{\"say\":{\"text\":\"three\"}}\n");
    CHECK(ben.hears([](const words::Fact& fact) { return says(fact, "three!"); }));
    yard.folder.write("rule.lua",
                      "function on_chat(p, t) if t == 'five' then kick(p, 'as you wish') error('oops') end end");
    CHECK(yard.ctl("reload").code == 0);
    ben.says("{\"say\":{\"text\":\"four\"}}\n");
    CHECK(ben.hears([](const words::Fact& fact) { return says(fact, "four"); }));
    ben.says("{\"say\":{\"text\":\"five\"}}\n");
    CHECK(yard.bridge->err_has("a rule of route public is switched off: rule.lua:1: oops; fix it and reload"));
    CHECK(yard.bridge->err_has("rule rule.lua of route public kicked 'ben': as you wish"));
    CHECK(ben.hears([](const words::Fact& fact) {
      return fact.has_kicked() && fact.kicked().text().find("as you wish") != std::string::npos;
    }));
    const Ended rules = yard.ctl("rules");
    CHECK(rules.out.find("route public\trule.lua\t") != std::string::npos);
    CHECK(rules.out.find("\t1\trule.lua:1: oops") != std::string::npos);
  }
  yard.bridge->signal(SIGTERM);
  CHECK(yard.bridge->wait() == 0);
  const Ended same = run({kEntente, "reproduce", yard.folder.file("bridge.mcap")});
  CHECK_MESSAGE(same.code == 0, same.out, same.err);
}

TEST_CASE("a rule that kicks a player and then bans it keeps the player away") {
  Yard yard("command('out', 'leaves', function(player) kick(player, 'go') ban(player, 5, 'stay away') end)");
  const auto anna = yard.enter("anna");
  anna->says("{\"say\":{\"text\":\"/out\"}}\n");
  CHECK(yard.bridge->err_has("rule rule.lua of route public kicked 'anna': go"));
  CHECK(yard.bridge->err_has("rule rule.lua of route public banned 127.0.0.1 ('anna') until "));
  CHECK(yard.ctl("bans").out.find("stay away") != std::string::npos);
}

TEST_CASE("a rule's move to a silent server does not delay a kick, and the log says when the move fails") {
  const testing::FakeServer silent;
  Yard yard(R"(
command("far", "goes", function(player) move(player, "far") end)
command("out", "leaves", function(player) kick(player, "as you wish") end))",
            "[[route]]\nname = \"far\"\nlisten = \"native://127.0.0.1:0?dialect=json\"\nto = \"native://" +
                silent.address().text() + "?dialect=protobuf\"\n");
  const auto anna = yard.enter("anna"), ben = yard.enter("ben");
  anna->says("{\"say\":{\"text\":\"/far\"}}\n");
  {
    const testing::Stream moving = silent.accept();
    ben->says("{\"say\":{\"text\":\"/out\"}}\n");
    CHECK(yard.bridge->err_has("kicked 'ben': as you wish"));
  }
  CHECK(yard.bridge->err_has("rule rule.lua of route public cannot move 'anna': "));
}

TEST_CASE("check runs the files of rules, and says what is wrong where") {
  const Folder folder;
  folder.write("good.lua", "function on_chat() end");
  folder.write("bad.lua", "function on_fact.dyed() end");
  folder.write("slow.lua", "while true do end");
  const auto checked = [&](const std::string& keys, const std::string& to = "bzflag://127.0.0.1:5155?dialect=2.4") {
    const std::string path = folder.write(
        "a.toml", "[[route]]\nlisten = \"bzflag://127.0.0.1:0?dialect=2.0\"\nto = \"" + to + "\"\n" + keys);
    const Ended ended = run({kEntente, "check", path});
    return std::to_string(ended.code) + " " + ended.err + ended.out;
  };
  CHECK(checked("rules = [\"good.lua\"]\n").starts_with("0"));
  CHECK(checked("rules = [\"bad.lua\"]\n").find("a.toml:4:") != std::string::npos);
  CHECK(checked("rules = [\"bad.lua\"]\n").find("bad.lua: on_fact.dyed: there is no such word") != std::string::npos);
  CHECK(checked("rules = [\"slow.lua\"]\n").find("slow.lua: too many steps") != std::string::npos);
  CHECK(checked("rules = [\"none.lua\"]\n").find("cannot be read") != std::string::npos);
  CHECK(checked("rules = [\".\"]\n").find("is not a file") != std::string::npos);
  CHECK(checked("rules = [\"good.lua\", \"./good.lua\"]\n").find("two rules are called good.lua") != std::string::npos);
  const std::string same = "bzflag://127.0.0.1:5155?dialect=2.0";  // a relay
  CHECK(checked("rules = [\"good.lua\"]\n", same).starts_with("0"));
  CHECK(checked("rules = [\"good.lua\"]\nrewrite = true\n", same).starts_with("0"));
  CHECK(checked("rewrite = true\n", same).find("rewrite: is for relays with `rules`") != std::string::npos);
  CHECK(checked("rules = [\"good.lua\"]\nrewrite = true\n").find("rewrite: is for relays: rules of a bridge") !=
        std::string::npos);
}

}  // namespace entente::program_rules_test
