// The lines of a control socket, and a running `entente proxy` that `entente ctl` controls.
#include "proxy/program/control/control.h"

#include <doctest/doctest.h>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "proxy/net/address.h"
#include "proxy/net/fd.h"
#include "proxy/net/local_acceptor.h"
#include "proxy/program/control/ctl.h"
#include "tests/program/asked.h"
#include "tests/program/folder.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::control_test {
namespace {

Control talkative() {
  Control control;
  control.add("echo [what]", "Says it again.",
              [](std::string_view rest) -> Outcome<std::string> { return control_field(rest) + "\n"; });
  control.add("fail", "Does not.", [](std::string_view) -> Outcome<std::string> { return Error{"it did not"}; });
  return control;
}

TEST_CASE("a line is a command and its arguments, separated by blanks") {
  const Control control = talkative();
  CHECK(control.answer("echo hello  you") == "ok\nhello  you\n");
  CHECK(control.answer("  echo\t hello ") == "ok\nhello\n");
  CHECK(control.answer("echo") == "ok\n-\n");
  CHECK(control.answer("fail") == "error: it did not\n");
  CHECK(control.answer("help") == "ok\nhelp\tPrints this list.\necho [what]\tSays it again.\nfail\tDoes not.\n");
}

TEST_CASE("who does not want to wait is told that another command is running") {
  Control control = talkative();
  std::optional<std::string> meanwhile = "not asked";
  control.add("long", "Takes long.", [&](std::string_view) -> Outcome<std::string> {
    std::thread([&] { meanwhile = control.try_answer_as("echo hello", false, "us"); }).join();
    return std::string("done\n");
  });
  CHECK(control.answer("long") == "ok\ndone\n");
  CHECK(!meanwhile);
  CHECK(control.try_answer_as("echo hello", false, "us") == "ok\nhello\n");
}

TEST_CASE("a reload by a signal and a command do not run at the same time") {
  const Control control = talkative();
  std::optional<std::string> meanwhile = "not asked";
  {
    const auto alone = control.alone();
    std::thread([&] { meanwhile = control.try_answer_as("echo hello", false, "us"); }).join();
  }
  CHECK(!meanwhile);
  CHECK(control.try_answer_as("echo hello", false, "us") == "ok\nhello\n");
}

TEST_CASE("while orders are refused, questions are answered, and so is an order that may not be refused") {
  Control control = talkative();
  control.add_order("act", "Acts.", [](std::string_view) -> Outcome<std::string> { return std::string("done\n"); });
  control.refuse_orders_when([] { return std::string("not now"); });
  CHECK(control.answer("act") == "error: not now\n");
  CHECK(control.answer_json("act", "us") == "{\"error\":\"not now\"}");
  CHECK(control.answer_as("act", false, "us") == "error: not now\n");
  CHECK(control.answer("echo hello") == "ok\nhello\n");
  CHECK(control.answer("act", {}, Control::Orders::kAll) == "ok\ndone\n");
}

TEST_CASE("the answer to an unknown command is an error on one line, whatever bytes the command has") {
  const Control control = talkative();
  CHECK(control.answer("ecko") == "error: unknown command 'ecko' (did you mean 'echo'?); commands: help, echo, fail\n");
  CHECK(control.answer("").starts_with("error: unknown command '-'"));
  CHECK(control.answer("\x1b[2J\n\r\x07").find_first_of("\x1b\x07\r") == std::string::npos);
}

TEST_CASE("a player's name cannot break a line") {
  CHECK(control_field("a\tb\nc\x1b") == "a\\x09b\\x0ac\\x1b");
  CHECK(control_field("") == "-");
}

// -- The program ------------------------------------------------------------------------------------------------------

const std::string kEntente = testing::entente_binary();

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

TEST_CASE("ctl queries a running proxy, and the socket is removed when the proxy ends") {
  const Folder folder;
  Proxy proxy(folder);
  const Ended list = proxy.ctl({"list"});
  CHECK(list.code == 0);
  CHECK(list.out == "link\tgame\tclient\tserver\tseconds\tbytes\tplayer\n");
  const Ended stats = proxy.ctl({"stats"});
  CHECK(stats.code == 0);
  CHECK(stats.out.starts_with("served panic be-packed 127.0.0.1:"));
  CHECK(stats.out.ends_with(" sessions=0 refused=0 bytes=0 messages=0 datagrams=0 dropped=0 undecoded=0\n"));
  const Ended nobody = proxy.ctl({"kick", "7", "no", "cheating"});
  CHECK(nobody.code == 1);
  CHECK(nobody.err == "entente: no session has the link 7\n");
  const Ended wrong = proxy.ctl({"kick", "everybody"});
  CHECK(wrong.err ==
        "entente: 'everybody' matches no player, link or address; `list` "
        "shows the players\n");
  const Ended unknown = proxy.ctl({"lits"});
  CHECK(unknown.err.find("did you mean 'list'?") != std::string::npos);
  CHECK(proxy.ctl({"help"}).out.find("kick LINK|NAME|ADDRESS [why]\t") != std::string::npos);

  proxy.process.signal(SIGTERM);
  CHECK(proxy.process.wait() == 0);
  CHECK_FALSE(std::filesystem::exists(proxy.socket));
  const Ended gone = proxy.ctl({"list"});
  CHECK(gone.code == 1);
  CHECK(gone.err.find("was the program started with --control?") != std::string::npos);
}

/// A client that sends nothing. end() returns what it has received, followed by "end" if the connection was closed.
struct Knock {
  explicit Knock(std::uint16_t port) : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto to = *net::Address::parse("127.0.0.1", port);
    REQUIRE(::connect(fd.get(), to.raw(), to.size()) == 0);
  }
  std::string end() const {
    std::string all;
    std::array<char, 256> room{};
    for (pollfd one{fd.get(), POLLIN, 0}; ::poll(&one, 1, 8000) == 1;) {
      const ssize_t n = ::recv(fd.get(), room.data(), room.size(), 0);
      if (n <= 0) return all + "end";
      all.append(room.data(), static_cast<std::size_t>(n));
    }
    return all;
  }
  net::Fd fd;
};

TEST_CASE("a ban by ctl ends sessions and refuses new ones, also in the next process, until it is lifted") {
  const Folder folder;
  const std::string file = folder.file("bans"), socket = folder.file("c.sock");
  const std::string config = folder.write(
      "a.toml", "[control]\nsocket = \"" + socket + "\"\n[limits]\ngreet_ms = 60000\n[access]\nban_file = \"" + file +
                    "\"\n[[route]]\n" + "listen = \"bzflag://127.0.0.1:0?dialect=2.4\"\n" +
                    "to = \"bzflag://127.0.0.1:9?dialect=2.4\"\n");
  const auto ctl = [&](std::vector<std::string> words) {
    std::vector<std::string> argv = {kEntente, "ctl", "--socket", socket};
    argv.insert(argv.end(), words.begin(), words.end());
    return run(argv);
  };
  const auto listed = [&] {
    return eventually([&] { return answer_of(socket, "list").find("\t127.0.0.1:") != std::string::npos; });
  };
  const auto port_of = [](Process& process) {
    const auto announced = process.line();
    REQUIRE(announced);
    return static_cast<std::uint16_t>(std::stoi(announced->substr(announced->rfind(':') + 1)));
  };
  {
    Process first({kEntente, "run", config});
    const Knock there(port_of(first));
    CHECK(listed());
    CHECK(ctl({"ban", "127.0.0.0/8", "--for", "1h", "--why", "no", "cheating"}).code != 0);  // must be one argument
    const Ended banned = ctl({"ban", "127.0.0.0/8", "--for", "1h", "--why", "no cheating"});
    CHECK(banned.code == 0);
    CHECK(banned.out.starts_with("banned 127.0.0.0/8 until 20"));
    CHECK(banned.out.ends_with("Z, 1 session ended\n"));
    CHECK(there.end().ends_with("end"));
    CHECK(ctl({"bans"}).out.ends_with("Z\tus\tno cheating\t-\n"));
    first.signal(SIGTERM);
    CHECK(first.wait() == 0);
  }
  Process second({kEntente, "run", config});
  const std::uint16_t port = port_of(second);
  CHECK(Knock(port).end() == std::string("REFUSED:no cheating\0end", 23));
  CHECK(ctl({"unban", "128.0.0.1"}).err == "entente: there is no ban of 128.0.0.1; `bans` lists them\n");
  CHECK(ctl({"unban", "127.0.0.1"}).err ==
        "entente: there is no ban of 127.0.0.1, but it is in 127.0.0.0/8, which is banned: `unban 127.0.0.0/8` lifts "
        "that\n");
  CHECK(ctl({"ban", "127.0.0.1"}).code == 0);
  CHECK(ctl({"unban", "127.0.0.1"}).out ==
        "the ban of 127.0.0.1 is lifted, but it is in 127.0.0.0/8, which is banned\n");
  CHECK(ctl({"unban", "127.0.0.0/8"}).out == "127.0.0.0/8 is no longer banned\n");
  CHECK(ctl({"bans"}).out == "address\tuntil\tby\twhy\twhere\n");
  const Knock again(port);
  CHECK(listed());
  CHECK(ctl({"ban", "somebody"}).err.find("matches no player, link or address") != std::string::npos);
  for (const char* time : {"0s", "10y", "-1s", "99999999999d"}) {
    const Ended wrong = ctl({"ban", "192.0.2.1", "--for", time});
    CHECK(wrong.code == 1);
    CHECK(wrong.err.starts_with("entente: "));
  }
  CHECK(ctl({"ban", "192.0.2.2", "--for", "1:30"}).out.starts_with("banned 192.0.2.2 until 20"));
  CHECK(ctl({"unban", "192.0.2.2"}).code == 0);
  CHECK(ctl({"ban", "192.0.2.1"}).out == "banned 192.0.2.1 forever, 0 sessions ended\n");
  for (const char* vast : {"0.0.0.0/0", "126.0.0.0/7", "::/0", "2000::/31"}) {
    CAPTURE(vast);
    for (const char* order : {"ban", "deny"}) {
      CHECK(ctl({order, vast}).err.find("add --yes") != std::string::npos);
      CHECK(ctl({order, vast, "--yes", "--why", "enough"}).code == 0);
    }
    CHECK(ctl({"unlist", "192.0.2.1"}).code == 1);
    CHECK(ctl({"unban", vast}).code == 0);
    CHECK(ctl({"unlist", vast}).code == 0);
  }
  CHECK(ctl({"deny", "192.0.2.0/24"}).code == 0);
  CHECK(ctl({"unlist", "192.0.2.1"}).err.find("`unlist 192.0.2.0/24` takes that out") != std::string::npos);
  CHECK(ctl({"deny", "192.0.2.1"}).code == 0);
  CHECK(ctl({"unlist", "192.0.2.1"}).out == "192.0.2.1 is no longer in the list\n");  // though it is in a larger one
  second.signal(SIGTERM);
  CHECK(second.wait() == 0);
}

TEST_CASE("without --socket, ctl looks for the packaged service") {
  const Ended ended = run({"/usr/bin/env", "-u", "ENTENTE_CONTROL", kEntente, "ctl", "list"});
  CHECK(ended.code == 1);
  CHECK(ended.err.find(kPackagedSocket) != std::string::npos);
  std::ifstream file(testing::source_dir() + "/deploy/entente.service");
  std::string service(std::istreambuf_iterator<char>(file), {});
  for (std::size_t at = 0; (at = service.find("%t/", at)) != std::string::npos;) service.replace(at, 3, "/run/");
  CHECK(service.find(std::string("--control ") + kPackagedSocket + " ") != std::string::npos);
}

TEST_CASE("a ban that cannot be written to the file applies until the program ends, and ctl says so") {
  const Folder folder;
  const std::string kept = folder.file("kept"), socket = folder.file("c.sock");
  std::filesystem::create_directory(kept);
  const std::string config = folder.write(
      "a.toml", "[control]\nsocket = \"" + socket + "\"\n[access]\nban_file = \"" + kept + "/bans\"\n[[route]]\n" +
                    "listen = \"panic://127.0.0.1:0\"\nto = \"panic://127.0.0.1:9?dialect=be-packed\"\n");
  Process process({kEntente, "run", config});
  REQUIRE(process.line());
  const auto ctl = [&](std::vector<std::string> words) {
    std::vector<std::string> argv = {kEntente, "ctl", "--socket", socket};
    argv.insert(argv.end(), words.begin(), words.end());
    return run(argv);
  };
  std::filesystem::remove_all(kept);
  const std::string cannot = "cannot write " + kept + "/bans.new: ";
  const Ended banned = ctl({"ban", "192.0.2.1"});
  CHECK(banned.code == 1);
  CHECK(banned.err.starts_with("entente: banned 192.0.2.1, but only until this program ends: " + cannot));
  CHECK(ctl({"bans"}).out.find("\n192.0.2.1\t") != std::string::npos);
  CHECK(process.err_has("control: ban 192.0.2.1 (by uid "));
  CHECK(ctl({"deny", "198.51.100.0/24"}).code == 1);
  CHECK(process.err_has("control: deny 198.51.100.0/24 (by uid "));
  const Ended free = ctl({"unban", "192.0.2.1"});
  CHECK(free.code == 1);
  CHECK(free.err.starts_with("entente: " + cannot));
  CHECK(free.err.ends_with("; the ban is lifted until this program restarts\n"));
  CHECK(process.err_has("control: unban 192.0.2.1 (by uid "));
  CHECK(ctl({"bans"}).out.find("192.0.2.1") == std::string::npos);
}

TEST_CASE("ctl controls a replay and shows its state") {
  const Folder folder;
  const std::string file = folder.file("words.mcap"), socket = folder.file("c.sock");
  const std::string trace = testing::source_dir() + "/tests/traces/panic/patched-be-2p-test-kill-win.jsonl";
  REQUIRE(run({kEntente, "convert", trace, "--to", file, "--words"}).code == 0);
  Process replay({kEntente, "replay", file, "--link", "1", "--listen", "native://127.0.0.1:0", "--control", socket});
  REQUIRE(replay.line());
  const auto ctl = [&](std::vector<std::string> words) {
    std::vector<std::string> argv = {kEntente, "ctl", "--socket", socket};
    argv.insert(argv.end(), words.begin(), words.end());
    return run(argv);
  };
  CHECK(ctl({"status"}).out.starts_with("state\tat\tlength\tspeed\twatchers\n"));
  const auto stands = [&](std::string_view row) {
    return eventually([&] { return ctl({"status"}).out.ends_with(row); });
  };
  for (const auto& order : std::vector<std::vector<std::string>>{{"pause"}, {"speed", "2"}, {"seek", "0:01"}})
    CHECK(ctl(order).out == "accepted\n");
  CHECK(stands("\npaused\t0:01\t0:04\t2\t0\n"));
  CHECK(ctl({"resume"}).out == "accepted\n");
  CHECK(stands("\nwaiting\t0:01\t0:04\t2\t0\n"));
  CHECK(ctl({"speed", "0"}).err == "entente: expected a number from 0.1 to 20, got '0'\n");
  CHECK(ctl({"pause", "now"}).err == "entente: pause takes no arguments\n");
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
}  // namespace entente::control_test
