// Rules of relays, over the transports of three games: they hear the words of what passes, kick and tell; they drop
// with `rewrite`, and refuse to without it. A reload keeps their state.
#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::program_relay_rules_test {
namespace {

const std::string kBinary = testing::entente_binary();

/// The port in the next line of a program that listens.
std::string next_port(Process& program) {
  const std::string line = program.line().value_or("");
  INFO(program.err());
  const std::size_t colon = line.rfind(':');
  REQUIRE(colon != line.npos);
  const std::string port = line.substr(colon + 1);
  return port.substr(0, port.find(' '));
}

/// An arena for a game and for native; a relay in front of it; and a bridge through which players of native come to the
/// relay.
struct Chain {
  /// `url`: "bzflag://HOST?dialect=2.4". `keys`: of the relay.
  Chain(const std::string& url, const std::string& rule, const std::string& keys) {
    const auto at = [&](const std::string& port) {
      std::string its = url;
      return its.replace(its.find("HOST"), 4, "127.0.0.1:" + port);
    };
    folder.write("rule.lua", rule);
    arena = start("arena.toml", "[[arena]]\nname = \"yard\"\nlisten = [\"" + at("0") +
                                    "\", \"native://127.0.0.1:0?dialect=json\"]\n");
    const std::string to = at(next_port(*arena));
    inside = std::stoi(next_port(*arena));
    config = "[control]\nsocket = \"" + folder.file("socket") + "\"\n[[route]]\nname = \"public\"\nlisten = \"" +
             at("0") + "\"\nto = \"" + to + "\"\nrules = [\"rule.lua\"]\nannounce = true\n" + keys;
    relay = start("relay.toml", config);
    const std::string relayed = at(next_port(*relay));
    bridge =
        start("bridge.toml", "[[route]]\nlisten = \"native://127.0.0.1:0?dialect=json\"\nto = \"" + relayed + "\"\n");
    outside = std::stoi(next_port(*bridge));
  }
  std::unique_ptr<Process> start(const std::string& name, const std::string& text) const {
    return std::make_unique<Process>(std::vector<std::string>{kBinary, "run", folder.write(name, text)});
  }
  Ended ctl(const std::string& command) const {
    return run({kBinary, "ctl", "--socket", folder.file("socket"), command});
  }

  Folder folder;
  std::string config;  // of the relay
  std::unique_ptr<Process> arena, relay, bridge;
  int inside = 0, outside = 0;  // ports: of the arena, of the bridge
};

bool says(const words::Fact& fact, const std::string& text) {
  return (fact.has_said() && fact.said().text().find(text) != std::string::npos) ||
         (fact.has_notice() && fact.notice().text().find(text) != std::string::npos);
}
bool heard_of(NativeClient& client, const std::string& text) {
  return client.hears([&](const words::Fact& fact) { return says(fact, text); }).has_value();
}
void enter(NativeClient& client, const std::string& name) {
  client.says("{\"enter\":{\"name\":\"" + name + "\"}}\n");
  REQUIRE(client.hears([](const words::Fact& fact) { return fact.has_ready(); }));
}
/// Some games' players are in, and can chat, once they have spawned.
void play(NativeClient& client, const std::string& name) {
  enter(client, name);
  client.says("{\"spawn\":{}}\n");
  REQUIRE(client.hears([](const words::Fact& fact) { return fact.has_spawned(); }));
}
void say(NativeClient& client, const std::string& text) { client.says("{\"say\":{\"text\":\"" + text + "\"}}\n"); }

/// A process that is stopped at the end of the test.
struct Stopped {
  explicit Stopped(int its_pid) : pid(its_pid) {}
  ~Stopped() { (void)::kill(pid, SIGTERM); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;
  const int pid;
};

const std::string kFilter = R"(
function on_chat(player, text)
  if text:find("psst") then return false end
  if text == "tell" then tell(player, "the rule has heard it") end
  if text == "heck" then kick(player, "mind your words") end
end
function on_join(player) log(player.name .. " is in") end
)";

constexpr const char* kGames[] = {"bzflag://HOST?dialect=2.4", "aos://HOST?dialect=0.75",
                                  "ogar+ws://HOST?dialect=modern3"};

}  // namespace

TEST_CASE("a relay's rules hear, tell and kick, and refuse to drop without `rewrite`") {
  for (const char* const game : kGames) {
    CAPTURE(game);
    Chain chain(game, kFilter, "");
    NativeClient ben(chain.inside), anna(chain.outside);
    enter(ben, "ben");
    play(anna, "anna");
    CHECK(chain.relay->err_has("anna is in"));
    say(anna, "psst one");
    CHECK(heard_of(ben, "psst one"));  // every byte passes
    CHECK(chain.relay->err_has("`rewrite` is not set"));
    say(anna, "tell");
    CHECK(heard_of(anna, "the rule has heard it"));
    say(anna, "heck");
    CHECK(chain.relay->err_has("rule rule.lua of route public kicked 'anna': mind your words"));
    CHECK(chain.ctl("rules").out.find("route public\trule.lua\t") != std::string::npos);
  }
}

TEST_CASE("a relay's rules drop messages with `rewrite`") {
  for (const char* const game : kGames) {
    CAPTURE(game);
    Chain chain(game, kFilter, "rewrite = true\n");
    NativeClient ben(chain.inside), anna(chain.outside);
    enter(ben, "ben");
    play(anna, "anna");
    say(anna, "psst one");
    say(anna, "hello");
    const auto first = ben.hears([](const words::Fact& fact) { return says(fact, "psst") || says(fact, "hello"); });
    REQUIRE(first);
    CHECK(says(*first, "hello"));
    say(anna, "tell");
    CHECK(heard_of(anna, "the rule has heard it"));
    say(anna, "heck");
    CHECK(chain.relay->err_has("rule rule.lua of route public kicked 'anna': mind your words"));
  }
}

TEST_CASE("a reload replaces the rules of open sessions of a relay, and keeps their state") {
  for (const char* const keys : {"", "rewrite = true\n"}) {
    CAPTURE(keys);
    Chain chain(kGames[0],
                "state.lines = 0 function on_chat(_, text) state.lines = state.lines + 1 log('one ' .. text) end",
                keys);
    NativeClient anna(chain.outside);
    play(anna, "anna");
    say(anna, "first");
    CHECK(chain.relay->err_has("one first"));
    chain.folder.write("rule.lua",
                       "function on_chat(_, text) log(state.lines .. ' lines before ' .. text) end\n"
                       "function on_tick() if not state.told then state.told = true log('ticks') end end");
    CHECK(chain.ctl("reload").code == 0);
    CHECK(chain.relay->err_has("ticks"));  // from here on, it has the new rules
    say(anna, "second");
    CHECK(chain.relay->err_has("1 lines before second"));
    chain.folder.write("rule.lua", "function on_chat() while true do end end");
    CHECK(chain.ctl("reload").code == 0);
    say(anna, "third");
    say(anna, "fourth");
    CHECK(chain.relay->err_has("a rule of route public is switched off: rule.lua: too many steps in one call"));
  }
}

TEST_CASE("a rule of a relay that fails when a player leaves is switched off, and others play on") {
  for (const char* const keys : {"", "rewrite = true\n"}) {
    CAPTURE(keys);
    Chain chain(kGames[0], "function on_leave() error('too late') end", keys);
    NativeClient ben(chain.inside);
    enter(ben, "ben");
    {
      NativeClient anna(chain.outside);
      play(anna, "anna");
    }
    CHECK(chain.relay->err_has("a rule of route public is switched off: rule.lua:"));
    NativeClient dora(chain.outside);
    play(dora, "dora");
    say(dora, "hello");
    CHECK(heard_of(ben, "hello"));
  }
}

TEST_CASE("after an upgrade, sessions of a relay go on with their rules and their state") {
  Chain chain(kGames[0], "state.n = 0 function on_chat(_, text) state.n = state.n + 1 log(state.n .. ' ' .. text) end",
              "");
  NativeClient anna(chain.outside);
  play(anna, "anna");
  say(anna, "first");
  CHECK(chain.relay->err_has("1 first"));
  const Ended upgraded = chain.ctl("upgrade");
  REQUIRE_MESSAGE(upgraded.code == 0, upgraded.err);
  const Stopped young{std::stoi(upgraded.out.substr(std::string("process ").size()))};
  say(anna, "second");
  CHECK(chain.relay->err_has("2 second"));
}

TEST_CASE("rules come to a relay that had none with a reload, for newcomers") {
  Chain chain(kGames[0], "function on_join(player) log(player.name .. ' is seen') end", "");
  std::string without = chain.config;
  without.erase(without.find("rules = "), std::string("rules = [\"rule.lua\"]\n").size());
  chain.folder.write("relay.toml", without);
  CHECK(chain.ctl("reload").code == 0);
  NativeClient anna(chain.outside);
  play(anna, "anna");
  chain.folder.write("relay.toml", chain.config);
  CHECK(chain.ctl("reload").code == 0);
  NativeClient ben(chain.outside);
  play(ben, "ben");
  CHECK(chain.relay->err_has("ben is seen"));
}

}  // namespace entente::program_relay_rules_test
