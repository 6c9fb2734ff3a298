// `entente reproduce`: what Entente records of a bridge, it says again; and what cannot be played again says why.
#include "proxy/program/reproduce/reproduce.h"

#include <doctest/doctest.h>

#include <csignal>
#include <regex>
#include <sstream>
#include <thread>

#include "proxy/trace/recorder.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/program/recorded.h"
#include "tests/support/process.h"

namespace entente::reproduce_test {
namespace {

const std::string kEntente = testing::entente_binary();

struct Said {
  int exit;
  std::string out, err;
};

Said reproduced(const std::string& file, bool json = false, const std::string& small = "") {
  std::ostringstream out, err;
  Progress quiet(nullptr);
  const int exit = reproduce({file, json, small}, quiet, out, err);
  return {exit, out.str(), err.str()};
}

std::string last_line(const std::string& text) {
  return text.empty() ? "" : text.substr(text.rfind('\n', text.size() - 2) + 1);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// -- What is recorded now --------------------------------------------------------------------------------------------

int port_in(Process& process) {
  const auto line = process.line();
  REQUIRE_MESSAGE(line.has_value(), process.err());
  return std::stoi(line->substr(line->rfind(':') + 1));
}

/// A bridge on the way to one listener of an arena, recorded, with a bot in front of it.
struct Bridge {
  Bridge(const Folder& folder, const std::string& name, const std::string& front, const std::string& server)
      : file(folder.file(name + ".mcap")),
        socket(folder.file(name + ".sock")),
        proxy({kEntente, "proxy", "--listen", front, "--to", server, "--record", file, "--control", socket}),
        port(port_in(proxy)) {}

  /// Waits until the sessions here have passed on that many bytes.
  bool passed(std::uint64_t bytes) const {
    const auto until = std::chrono::steady_clock::now() + Process::kPatience;
    for (; std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(200))) {
      const std::string list = run({kEntente, "ctl", "--socket", socket, "--json", "list"}).out;
      std::smatch found;
      if (std::regex_search(list, found, std::regex(R"re("bytes":(\d+))re")) && std::stoull(found[1]) >= bytes)
        return true;
    }
    return false;
  }

  std::string file, socket;
  Process proxy;
  int port;
};

/// `url` with a '#' for the port.
std::string at(const std::string& url, int port) {
  return std::regex_replace(url, std::regex("#"), std::to_string(port));
}

TEST_CASE("what is recorded of a bridge is said again, whatever the games") {
  const Folder folder;
  const std::vector<std::string> urls = {"bzflag://127.0.0.1:#?dialect=2.4",
                                         "panic://127.0.0.1:#?dialect=be-packed",
                                         "aos://127.0.0.1:#?dialect=0.75",
                                         "ogar+ws://127.0.0.1:#?dialect=modern3",
                                         "bzdraft://127.0.0.1:#",
                                         "native://127.0.0.1:#?dialect=protobuf"};
  std::vector<std::string> arena = {kEntente, "arena", "--bots", "3", "--side", "100"};
  for (const std::string& url : urls) arena.insert(arena.end(), {"--listen", at(url, 0)});
  Process place(arena);
  std::vector<int> ports;
  for (std::size_t i = 0; i < urls.size(); ++i) ports.push_back(port_in(place));
  for (std::size_t i = 0; i < urls.size(); ++i) {  // one after another: a process is given limited time
    const std::size_t next = (i + 1) % urls.size();
    CAPTURE(urls[i]);
    Bridge bridge(folder, std::to_string(i), at(urls[i], 0), at(urls[next], ports[next]));
    {
      const Process bot({kEntente, "bot", at(urls[i], bridge.port), "--reconnect"});
      CHECK_MESSAGE(bridge.passed(20'000), bridge.proxy.err());
    }
    bridge.proxy.signal(SIGTERM);
    CHECK(bridge.proxy.wait() == 0);
    const Said said = reproduced(bridge.file);
    CHECK_MESSAGE(said.exit == kOk, said.out << said.err);
    CHECK(said.err == "");
    CHECK(has(last_line(said.out), " different=0 failed=0 "));
    CHECK_FALSE(has(last_line(said.out), " equal=0 "));
  }
}

TEST_CASE("secrets are compared as the recording has them") {
  const Folder folder;
  Process place({kEntente, "arena", "--listen", "bzflag://127.0.0.1:0?dialect=2.4"});
  Bridge bridge(folder, "a", "native://127.0.0.1:0?dialect=json",
                at("bzflag://127.0.0.1:#?dialect=2.4", port_in(place)));
  {
    NativeClient anna(bridge.port);
    anna.says(R"({"enter":{"name":"anna","password":"sesame","token":"12345"}})"
              "\n");
    REQUIRE(anna.hears([](const auto& fact) { return fact.has_ready(); }).has_value());
    anna.says(R"({"say":{"text":"/password sesame"}})"
              "\n");
    anna.says(R"({"say":{"text":"hello"}})"
              "\n");
    CHECK(anna.hears([](const auto& fact) { return fact.has_said() && fact.said().text() == "hello"; }).has_value());
  }
  bridge.proxy.signal(SIGTERM);
  CHECK(bridge.proxy.wait() == 0);
  const Said said = reproduced(bridge.file);
  CHECK_MESSAGE(said.exit == kOk, said.out << said.err);
  CHECK(has(said.out, "link 1: \"anna\", native json on bzflag 2.4, "));
}

// -- What cannot be played again -------------------------------------------------------------------------------------

void fails(const std::string& file, std::string_view why) {
  const Said said = reproduced(file);
  CHECK(said.exit == kFailed);
  CHECK_MESSAGE(has(said.out + said.err, why), said.out << said.err);
}

TEST_CASE("a file without a bridge says that there is nothing to play again") {
  const Folder folder;
  fails(trace_file("aos/betterspades-start.pcap"), "is not a recording of Entente; there is nothing to play again\n");
  fails(folder.file("none.mcap"), "none.mcap");
  {
    const auto relay = recorder(folder.file("relay.mcap"));
    relay->opened(1, opening(1, "panic", "be-packed"));
    record(*relay, 1, trace::TO_SERVER, "00", 2);
    REQUIRE(relay->close(3).ok());
  }
  fails(folder.file("relay.mcap"), "nothing was translated in this recording");
  Process arena(
      {kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json", "--record", folder.file("b.mcap")});
  {
    NativeClient anna(port_in(arena));
    anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
    CHECK(anna.hears([](const auto& fact) { return fact.has_ready(); }).has_value());
  }
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
  fails(folder.file("b.mcap"), "this is the recording of an arena or a replay");
}

}  // namespace
}  // namespace entente::reproduce_test
