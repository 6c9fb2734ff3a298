// The lines of a control socket, and a running `entente proxy` that is asked and told by `entente ctl`.
#include "proxy/program/control.h"

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "proxy/net/local_door.h"
#include "tests/program/folder.h"
#include "tests/support/hex.h"
#include "tests/support/process.h"

namespace entente {
namespace {

Control talkative() {
  Control control;
  control.add("echo [what]", "Says it again.",
              [](std::string_view rest) -> Outcome<std::string> { return control_field(rest) + "\n"; });
  control.add("fail", "Does not.", [](std::string_view) -> Outcome<std::string> { return Error{"it did not"}; });
  return control;
}

TEST_CASE("a line is a command and the rest, spaces apart") {
  const Control control = talkative();
  CHECK(control.answer("echo hello  you") == "ok\nhello  you\n");
  CHECK(control.answer("  echo\t hello ") == "ok\nhello\n");
  CHECK(control.answer("echo") == "ok\n-\n");
  CHECK(control.answer("fail") == "error: it did not\n");
  CHECK(control.answer("help") == "ok\nhelp\tThis.\necho [what]\tSays it again.\nfail\tDoes not.\n");
}

TEST_CASE("what is no command is an error on one line, whatever it is") {
  const Control control = talkative();
  CHECK(control.answer("ecko") == "error: no command 'ecko' (did you mean 'echo'?); there are help, echo, fail\n");
  CHECK(control.answer("").starts_with("error: no command '-'"));
  CHECK(control.answer("\x1b[2J\n\r\x07").find_first_of("\x1b\x07\r") == std::string::npos);
}

TEST_CASE("what a player calls himself cannot break a line") {
  CHECK(control_field("a\tb\nc\x1b") == "a\\x09b\\x0ac\\x1b");
  CHECK(control_field("") == "-");
}

// -- The program ------------------------------------------------------------------------------------------------------

const std::string kEntente = ENTENTE_BINARY;

struct Proxy {
  explicit Proxy(const Folder& folder)
      : socket(folder.file("c.sock")),
        process({kEntente, "proxy", "--listen", "panic://127.0.0.1:0", "--to", "panic://127.0.0.1:9?dialect=be-packed",
                 "--control", socket}) {
    const auto announced = process.line();
    REQUIRE(announced);
    CHECK(announced->starts_with("listening panic be-packed 127.0.0.1:"));
  }
  Ended ctl(std::vector<std::string> words) const {
    std::vector<std::string> argv = {kEntente, "ctl", "--socket", socket};
    argv.insert(argv.end(), words.begin(), words.end());
    return run(argv);
  }
  std::string socket;
  Process process;
};

TEST_CASE("a running proxy is asked by ctl, and its socket goes with it") {
  const Folder folder;
  Proxy proxy(folder);
  const Ended list = proxy.ctl({"list"});
  CHECK(list.code == 0);
  CHECK(list.out == "link\tgame\tclient\tserver\tseconds\tbytes\tplayer\n");
  const Ended stats = proxy.ctl({"stats"});
  CHECK(stats.code == 0);
  CHECK(stats.out.starts_with("served panic be-packed 127.0.0.1:"));
  CHECK(stats.out.ends_with(" sessions=0 refused=0 bytes=0 messages=0 datagrams=0\n"));
  const Ended nobody = proxy.ctl({"kick", "7", "no", "cheating"});
  CHECK(nobody.code == 1);
  CHECK(nobody.err == "entente: no session has the link 7\n");
  const Ended wrong = proxy.ctl({"kick", "everybody"});
  CHECK(wrong.err == "entente: kick takes the number of a link, as list has it, and why if you like\n");
  const Ended unknown = proxy.ctl({"lits"});
  CHECK(unknown.err.find("did you mean 'list'?") != std::string::npos);
  CHECK(proxy.ctl({"help"}).out.find("kick LINK [why]\t") != std::string::npos);

  proxy.process.signal(SIGTERM);
  CHECK(proxy.process.wait() == 0);
  CHECK_FALSE(std::filesystem::exists(proxy.socket));
  const Ended gone = proxy.ctl({"list"});
  CHECK(gone.code == 1);
  CHECK(gone.err.find("was the program started with --control?") != std::string::npos);
}

TEST_CASE("a replay takes its orders by ctl, and says how it stands") {
  const Folder folder;
  const std::string file = folder.file("words.mcap"), socket = folder.file("c.sock");
  const std::string trace = std::string(ENTENTE_SOURCE_DIR) + "/tests/traces/panic/patched-be-2p-test-kill-win.jsonl";
  REQUIRE(run({kEntente, "convert", trace, "--to", file, "--words"}).code == 0);
  Process replay({kEntente, "replay", file, "--link", "1", "--listen", "native://127.0.0.1:0", "--control", socket});
  REQUIRE(replay.line());
  const auto ctl = [&](std::vector<std::string> words) {
    std::vector<std::string> argv = {kEntente, "ctl", "--socket", socket};
    argv.insert(argv.end(), words.begin(), words.end());
    return run(argv);
  };
  CHECK(ctl({"status"}).out.starts_with("state\tat\tlength\tspeed\twatchers\n"));
  for (const auto& order :
       std::vector<std::vector<std::string>>{{"pause"}, {"speed", "2"}, {"seek", "0:01"}, {"resume"}})
    CHECK(ctl(order).out == "soon\n");
  CHECK(ctl({"speed", "0"}).err == "entente: speed takes a number from 0.1 to 20\n");
  CHECK(ctl({"pause", "now"}).err == "entente: pause takes nothing\n");
  CHECK(ctl({"seek", "yesterday"}).code == 1);
  CHECK(ctl({"stats"}).code == 0);
  replay.signal(SIGTERM);
  CHECK(replay.wait() == 0);
  CHECK_FALSE(std::filesystem::exists(socket));
}

TEST_CASE("two programs cannot have one control socket") {
  const Folder folder;
  const Proxy proxy(folder);
  const Ended second = run({kEntente, "proxy", "--listen", "panic://127.0.0.1:0", "--to", "panic://127.0.0.1:9",
                            "--control", proxy.socket, "--record", folder.file("r.mcap")});
  CHECK(second.code == 1);
  CHECK(second.err.find("another program listens on " + proxy.socket) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.file("r.mcap.part")));
}

}  // namespace
}  // namespace entente
