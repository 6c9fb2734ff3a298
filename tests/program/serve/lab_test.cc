// The lab of a relay as an operator sees it: --lab, the key `lab`, `entente ctl lab`, the log and metrics.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "tests/program/asked.h"
#include "tests/relay/peers.h"

namespace entente::lab_test {
namespace {

using testing::FakeServer, testing::Stream;

const std::string kEntente = testing::entente_binary();

/// Messages of a server of Panic: GameState, UpdateAmmo and GameOver.
constexpr std::array<std::uint8_t, 10> kState{1, 1, 1, 0, 1, 1, 0, 0, 0, 1};
constexpr std::array<std::uint8_t, 10> kAmmo{32, 0, 0, 0, 0, 5, 0, 0, 0, 1};
constexpr std::array<std::uint8_t, 10> kOver{37, 0, 0, 0, 0, 1, 0, 0, 0, 1};

/// `entente run` with one relay of Panic.
struct Lab : Asked {
  explicit Lab(const std::string& keys) {
    write(keys);
    process = std::make_unique<Process>(std::vector<std::string>{kEntente, "run", folder.file("a.toml")});
    const auto line = process->line();
    REQUIRE_MESSAGE(line, process->err());
    port = line->substr(line->rfind(':') + 1);
  }
  void write(const std::string& keys) {
    folder.write("a.toml", "[control]\nsocket = \"" + folder.file("c.sock") +
                               "\"\n[[route]]\nlisten = \"panic://127.0.0.1:0?dialect=be-packed\"\nto = \"panic://" +
                               server.address().text() + "?dialect=be-packed\"\n" + keys);
  }
  net::Address address() const {
    return *net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(port)));
  }
  void pass(const Stream& from, const Stream& to) const {
    from.send(kState);
    CHECK(to.read(kState.size()) == Buffer(kState.begin(), kState.end()));
  }

  FakeServer server;
  std::unique_ptr<Process> process;
  std::string port;
};

TEST_CASE("a lab is told at the start, reported by ctl, and changed by ctl and by a reload for open sessions") {
  Lab it("lab = \"to_client: delay=1ms; seed=7\"\n");
  CHECK(it.process->err_has("the lab makes faults on purpose: to_client: delay=1ms; seed=7"));
  const Stream client = Stream::to(it.address()), server = it.server.accept();
  it.pass(server, client);
  const std::string name = "panic be-packed 127.0.0.1:" + it.port;
  CHECK(it.answers("lab", "ok\nroute\tsession\tplayer\tto_server\tto_client\tlab\n" + name +
                              "\tall\t-\t-\tdelay=1\tto_client: delay=1ms; seed=7\n" + name +
                              "\t1\t-\t-\tdelay=1\t-\n"));

  const Ended changed = it.ctl({"lab", it.port, "slice=2; to_client: delay=2ms"});
  CHECK_MESSAGE(changed.code == 0, changed.err);
  CHECK(changed.out == "the lab is on: " + name + " makes faults on purpose\n");
  CHECK(it.process->err_has("control: lab " + it.port));
  it.pass(server, client);
  CHECK(it.answers("lab", "delay=2 slice=1\tslice=2; to_client: delay=2ms\n"));

  CHECK(it.ctl({"lab", it.port, "off"}).out == "the lab is off: " + name + "\n");
  it.pass(server, client);
  CHECK(it.answers("lab", "delay=2 slice=1\toff\n"));

  it.write("lab = \"stall=0%:1s\"\n");
  const Ended reloaded = it.ctl({"reload"});
  CHECK_MESSAGE(reloaded.code == 0, reloaded.err);
  CHECK(reloaded.out == "reloaded the configuration\nchanged: lab of " + name + "\n");
  it.pass(server, client);
  CHECK(it.answers("lab", "\tstall=0%:1s\n"));

  it.folder.write("faults", "delay=1ms  # little\n");
  it.write("lab = \"@" + it.folder.file("faults") + "\"\n");
  CHECK(it.ctl({"reload"}).code == 0);
  CHECK(it.answers("lab", "\tdelay=1ms\n"));
  it.folder.write("faults", "delay=2ms\nseed=3\n");
  CHECK(it.ctl({"reload"}).out == "reloaded the configuration\nchanged: the file of lab of " + name + "\n");
  CHECK(it.answers("lab", "\tdelay=2ms; seed=3\n"));
  CHECK(it.ctl({"reload"}).out == "reloaded the configuration\n");
  it.pass(server, client);

  const Ended wrong = it.ctl({"lab", it.port, "loss=2%, los=3%"});
  CHECK(wrong.code == 1);
  CHECK(wrong.err.find("at offset 9: unknown fault 'los=3%'") != std::string::npos);
  CHECK(it.ctl({"lab", it.port, "dup=3%"}).out.find("dup does nothing over TCP") != std::string::npos);
  CHECK(it.ctl({"lab", it.port, "@/etc/hostname"}).err.find("@FILE is for --lab and the configuration") !=
        std::string::npos);
  CHECK(it.ctl({"lab", "nowhere", "loss=3%"}).err.find("no route is called 'nowhere'") != std::string::npos);
  it.pass(server, client);
}

TEST_CASE("a reload changes the lab of open sessions, also if it changes other keys of the route") {
  Lab it("lab = \"to_client: delay=1ms\"\n");
  const Stream client = Stream::to(it.address()), server = it.server.accept();
  it.pass(server, client);
  const std::string name = "panic be-packed 127.0.0.1:" + it.port;
  const auto reports = [&](const std::string& counts, const std::string& lab) {
    return it.answers("lab",
                      name + "\tall\t-\t-\t" + counts + "\t" + lab + "\n" + name + "\t1\t-\t-\t" + counts + "\t-\n");
  };
  CHECK(reports("delay=1", "to_client: delay=1ms"));

  it.write("announce = true\nlab = \"to_client: slice=5, dup=1%\"\n");
  const Ended replaced = it.ctl({"reload"});
  CHECK_MESSAGE(replaced.code == 0, replaced.err);
  CHECK(replaced.out ==
        "reloaded the configuration\nchanged: lab of " + name + "\nchanged: " + name + "; 1 session goes on\n");
  it.pass(server, client);
  CHECK(reports("delay=1 slice=1", "to_client: slice=5, dup=1%"));
  CHECK(it.process->err_has("the lab makes faults on purpose: to_client: slice=5, dup=1%"));

  // The session is of the route from before, and the route goes on.
  it.write("announce = true\nlab = \"to_client: slice=9, reorder=1%\"\n");
  CHECK(it.ctl({"reload"}).out == "reloaded the configuration\nchanged: lab of " + name + "\n");
  CHECK(it.process->err_has("the lab makes faults on purpose: to_client: slice=9, reorder=1%"));
  CHECK(it.process->err_has("reorder does nothing over TCP"));
  it.pass(server, client);
  CHECK(reports("delay=1 slice=2", "to_client: slice=9, reorder=1%"));

  it.write("");
  CHECK(it.ctl({"reload"}).code == 0);
  it.pass(server, client);
  CHECK(reports("delay=1 slice=2", "off"));
}

TEST_CASE("a lab that is wrong is refused, with its place; a file may have it") {
  const Folder folder;
  const FakeServer server;
  const auto proxy = [&](const std::string& to, std::vector<std::string> lab) {
    std::vector<std::string> words{kEntente, "proxy", "--listen", "panic://127.0.0.1:0?dialect=be-packed", "--to", to};
    words.insert(words.end(), lab.begin(), lab.end());
    return words;
  };
  const std::string same = "panic://" + server.address().text() + "?dialect=be-packed";
  const Ended wrong = run(proxy(same, {"--lab", "loss=2"}));
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("--lab: at offset 6: expected '%' after the number, got the end") != std::string::npos);
  const Ended name = run(proxy(same, {"--lab", "drop GameStte 10%"}));
  CHECK(name.err.find("at offset 5: panic has no message and no word 'GameStte' (did you mean 'GameState'?)") !=
        std::string::npos);
  const Ended bridge = run(proxy("bzflag://127.0.0.1:1?dialect=2.4", {"--lab", "loss=2%"}));
  CHECK(bridge.code == 2);
  CHECK(bridge.err.find("--lab: is for relays") != std::string::npos);
  const Ended none = run(proxy(same, {"--lab-file", folder.file("none")}));
  CHECK(none.err.find("--lab-file: cannot read '" + folder.file("none") + "': No such file") != std::string::npos);
  folder.write("bad", "loss=2%\nloos=2%\n");
  CHECK(run(proxy(same, {"--lab-file", folder.file("bad")})).err.find("bad' at offset 8: unknown fault") !=
        std::string::npos);

  folder.write("lab", "# slow\nto_server: delay=1ms\nat 1s cut the server for 1ms\n");
  Process good(proxy(same, {"--lab-file", folder.file("lab")}));
  REQUIRE(good.line());
  CHECK(good.err_has("the lab makes faults on purpose"));

  folder.write("c.toml", "[[route]]\nlisten = \"panic://127.0.0.1:0?dialect=be-packed\"\nto = \"" + same +
                             "\"\nlab = \"rate=3\"\n");
  const Ended checked = run({kEntente, "check", folder.file("c.toml")});
  CHECK(checked.code == 1);
  CHECK(checked.err.find(":4:7: route[0].lab: at offset 6: expected bit, kbit, Mbit or Gbit") != std::string::npos);
}

TEST_CASE("a recording has what came and what was passed on; readers take what was passed on") {
  const Folder folder;
  const FakeServer fake;
  const std::string file = folder.file("a.mcap"), url = "panic://" + fake.address().text() + "?dialect=be-packed";
  {
    Process relay({kEntente, "proxy", "--listen", "panic://127.0.0.1:0?dialect=be-packed", "--to", url, "--record",
                   file, "--lab", "to_client: drop GameState, duplicate GameOver, corrupt one field of UpdateAmmo"});
    const auto line = relay.line();
    REQUIRE_MESSAGE(line, relay.err());
    const std::uint16_t port = static_cast<std::uint16_t>(std::stoi(line->substr(line->rfind(':') + 1)));
    const Stream client = Stream::to(*net::Address::parse("127.0.0.1", port)), server = fake.accept();
    server.send(kState);
    server.send(kAmmo);
    server.send(kOver);
    const Buffer got = client.read(kAmmo.size() + 2 * kOver.size());
    CHECK(std::equal(kOver.begin(), kOver.end(), got.end() - kOver.size()));
    CHECK(std::equal(kOver.begin(), kOver.end(), got.end() - 2 * kOver.size()));
    CHECK_FALSE(std::equal(kAmmo.begin(), kAmmo.end(), got.begin()));
    relay.signal(SIGTERM);
    CHECK(relay.wait() == 0);
  }
  const auto counted = [](const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  const std::string all = run({kEntente, "inspect", file}).out;
  CAPTURE(all);
  CHECK(counted(all, "the lab kept GameState s2c of 10 bytes") == 1);
  CHECK(counted(all, "the lab changed UpdateAmmo s2c") == 1);
  CHECK(counted(all, " UpdateAmmo") == 2);  // and the one that was passed on
  CHECK(counted(all, "GameOver") == 2);
  CHECK(
      run({kEntente, "inspect", file, "--json"}).out.find("\"message\":\"GameState\",\"bytes\":10,\"altered\":false") !=
      std::string::npos);
  const Ended verified = run({kEntente, "verify", file});
  CHECK_MESSAGE(verified.code == 0, verified.out);
  CHECK(verified.out.find("GameState") == std::string::npos);
  // Copies keep the marks; a redacted copy leaves out what was not passed on.
  CHECK(run({kEntente, "clip", file, "-o", folder.file("clip.mcap")}).code == 0);
  CHECK(counted(run({kEntente, "inspect", folder.file("clip.mcap")}).out, "the lab ") == 2);
  CHECK(run({kEntente, "redact", file, "-o", folder.file("red.mcap")}).code == 0);
  const std::string red = run({kEntente, "inspect", folder.file("red.mcap")}).out;
  CHECK(counted(red, "the lab ") == 0);
  CHECK(counted(red, "GameOver") == 2);
}

}  // namespace
}  // namespace entente::lab_test
