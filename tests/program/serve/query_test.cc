// Clients that only ask who plays, as Debian's bzfquery does: an arena and a bridge answer, and no server is dialled.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "adapters/bzflag/bzflag.h"
#include "proxy/base/bytes.h"
#include "tests/program/asked.h"
#include "tests/relay/late_server.h"

namespace entente::query_test {
namespace {

using testing::FakeServer, testing::Stream;

const std::string kEntente = testing::entente_binary();

std::uint32_t u16(const Buffer& bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at] << 8U | bytes[at + 1]);
}

/// A client of BZFlag 2.4 that asks and leaves.
class Asker {
 public:
  explicit Asker(const std::string& port)
      : link_(Stream::to(*net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(port))))) {
    link_.send("BZFLAG\r\n\r\n");
    CHECK(link_.read_text(9).starts_with("BZFS0221"));
    CHECK(next().code == kGameTime);
  }
  struct Message {
    std::uint32_t code;
    Buffer body;
  };
  Message next() {
    const Buffer head = link_.read(4);
    REQUIRE(head.size() == 4);
    return {u16(head, 2), link_.read(u16(head, 0))};
  }
  /// Players by team (rogue, red, green, blue, purple), and observers.
  std::vector<std::uint32_t> sizes() {
    link_.send(Buffer{0, 0, 0x71, 0x67});
    const Message answer = next();
    CHECK(answer.code == 0x7167);
    REQUIRE(answer.body.size() == 44);
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < 6; ++i) all.push_back(u16(answer.body, 8 + 2 * i));
    return all;
  }
  /// The names of the players.
  std::vector<std::string> names() {
    link_.send(Buffer{0, 0, 0x71, 0x70});
    const Message answer = next(), teams = next();
    CHECK(answer.code == 0x7170);
    REQUIRE(answer.body.size() == 4);
    CHECK(teams.code == 0x7475);
    REQUIRE(!teams.body.empty());
    CHECK(teams.body.size() == 1U + 8U * teams.body[0]);
    std::vector<std::string> all;
    for (std::uint32_t i = u16(answer.body, 2); i > 0; --i) {
      const Message player = next();
      CHECK(player.code == 0x6170);
      REQUIRE(player.body.size() == 171);
      all.emplace_back(reinterpret_cast<const char*>(player.body.data()) + 11);
    }
    return all;
  }

 private:
  static constexpr std::uint32_t kGameTime = 0x6774;
  Stream link_;
};

/// Asks by datagrams.
class DatagramAsker {
 public:
  /// `line`: what a program prints of its listener.
  explicit DatagramAsker(const std::string& line) {
    const auto at =
        net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1))));
    REQUIRE(::connect(socket_.get(), at->raw(), at->size()) == 0);
  }
  /// "": there was none within a second.
  std::string answer_to(const std::string& question) const {
    std::array<char, 512> answer{};
    pollfd readable{socket_.get(), POLLIN, 0};
    if (::send(socket_.get(), question.data(), question.size(), 0) < 0 || ::poll(&readable, 1, 1'000) != 1) return {};
    const ssize_t size = ::recv(socket_.get(), answer.data(), answer.size(), 0);
    return {answer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

 private:
  const net::Fd socket_{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

TEST_CASE("an arena answers who plays; who only asks is no player") {
  const Folder folder;
  Process arena({kEntente, "arena", "--listen", "bzflag://127.0.0.1:0?dialect=2.4", "--bots", "3", "--control",
                 folder.file("c.sock")});
  const auto line = arena.line();
  REQUIRE_MESSAGE(line, arena.err());
  const std::string port = line->substr(line->rfind(':') + 1);
  CHECK(eventually([&] { return Asker(port).names().size() == 3; }));
  Asker asker(port);
  CHECK(asker.sizes() == std::vector<std::uint32_t>{3, 0, 0, 0, 0, 0});
  CHECK(asker.names().size() == 3);
  CHECK(asker.sizes().front() == 3);  // again
  CHECK(!has(answer_of(folder.file("c.sock"), "stats"), "played bzflag"));
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
}

TEST_CASE("a bridge answers a query without its server, which is not started") {
  const Folder folder;
  const net::Address away = testing::free_for_both();
  folder.write("a.toml", "[control]\nsocket = \"" + folder.file("c.sock") +
                             "\"\n[[route]]\nlisten = \"bzflag://127.0.0.1:0?dialect=2.4\"\nto = \"native://" +
                             away.text() + "?dialect=json\"\nhold_s = 60\nstart = \"touch " + folder.file("started") +
                             "\"\n");
  Process bridge({kEntente, "run", folder.file("a.toml")});
  const auto line = bridge.line();
  REQUIRE_MESSAGE(line, bridge.err());
  const std::string port = line->substr(line->rfind(':') + 1);
  for (int i = 0; i < 3; ++i) {
    Asker asker(port);
    CHECK(asker.sizes() == std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0});
    CHECK(asker.names().empty());
  }
  const auto asked = [&] { return answer_of(folder.file("c.sock"), "routes"); };
  CHECK(eventually([&] { return has(asked(), "\t0\t0\t3\t0\t"); }));  // sessions, waiting, so far, refused
  CHECK(!std::filesystem::exists(folder.file("started")));
  bridge.signal(SIGTERM);
  CHECK(bridge.wait() == 0);
}

TEST_CASE("a query or a page starts no server whose dialect is not named; a player starts it, whatever it speaks") {
  const Folder folder;
  const net::Address away = testing::free_for_both();
  const std::string to = "\"\nto = \"bzflag://" + away.text() + "\"\nhold_s = 60\nstart = \"";
  folder.write("a.toml", "[control]\nsocket = \"" + folder.file("c.sock") +
                             "\"\n[[route]]\nlisten = \"bzflag://127.0.0.1:0?dialect=2.4&fallback=1.10" + to +
                             "echo $$ > " + folder.file("pid") + "; exec " + kEntente + " arena --listen 'bzflag://" +
                             away.text() +
                             "?dialect=2.0'\"\n[[route]]\nlisten = \"native+ws://127.0.0.1:0?dialect=json" + to +
                             "touch " + folder.file("page") + "\"\n");
  Process bridge({kEntente, "run", folder.file("a.toml")});
  std::string port, web;
  for (std::string* one : {&port, &web}) {
    const auto line = bridge.line();
    REQUIRE_MESSAGE(line, bridge.err());
    *one = line->substr(line->rfind(':') + 1);
  }
  for (int i = 0; i < 3; ++i) CHECK(Asker(port).names().empty());
  const Stream browser = Stream::to(*net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(web))));
  browser.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(browser.read_text(12) == "HTTP/1.1 200");
  const auto asked = [&] { return answer_of(folder.file("c.sock"), "routes"); };
  CHECK(eventually([&] { return has(asked(), "\t0\t0\t3\t0\t"); }));  // sessions, waiting, so far, refused
  CHECK(!std::filesystem::exists(folder.file("pid")));
  CHECK(!std::filesystem::exists(folder.file("page")));
  Process anna({kEntente, "bot", "bzflag://127.0.0.1:" + port + "?dialect=2.4", "--name", "anna", "--behaviour", "idle",
                "--control", folder.file("anna.sock")});
  CHECK(eventually([&] { return has(answer_of(folder.file("anna.sock"), "list"), "\tanna\n"); }));  // it is let in
  CHECK(eventually([&] {
    const auto names = Asker(port).names();
    return std::find(names.begin(), names.end(), "anna") != names.end();
  }));
  anna.signal(SIGTERM);
  CHECK(anna.wait() == 0);
  pid_t server = 0;
  REQUIRE((std::ifstream(folder.file("pid")) >> server));
  CHECK(::kill(server, SIGTERM) == 0);
  bridge.signal(SIGTERM);
  CHECK(bridge.wait() == 0);
}

TEST_CASE("a bridge whose server has players answers with what their sessions know") {
  const Folder folder;
  Process arena({kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json", "--bots", "2", "--control",
                 folder.file("c.sock")});
  const auto first = arena.line();
  REQUIRE_MESSAGE(first, arena.err());
  Process bridge({kEntente, "proxy", "--listen", "bzflag://127.0.0.1:0?dialect=2.4", "--to",
                  "native://127.0.0.1:" + first->substr(first->rfind(':') + 1) + "?dialect=json"});
  const auto line = bridge.line();
  REQUIRE_MESSAGE(line, bridge.err());
  const std::string port = line->substr(line->rfind(':') + 1);
  CHECK(Asker(port).names().empty());
  Process anna({kEntente, "bot", "bzflag://127.0.0.1:" + port + "?dialect=2.4", "--name", "anna", "--behaviour", "idle",
                "--control", folder.file("anna.sock")});
  std::vector<std::string> names;
  CHECK(eventually([&] {
    names = Asker(port).names();
    return std::find(names.begin(), names.end(), "anna") != names.end() && names.size() == 2;
  }));  // a bot has made way
  const wire::Query& ping = bzflag::game().queries()[0];
  CHECK(
      DatagramAsker(*line).answer_to(std::string(ping.question)) ==
      bzflag::game().answer(ping, {"", "", "", "2.4", 2, 64, 0x7F000001, static_cast<std::uint16_t>(std::stoi(port))}));
  CHECK(!has(answer_of(folder.file("c.sock"), "routes"), "\t2\t"));  // who only asks is not connected to it
  CHECK(eventually([&] { return has(answer_of(folder.file("anna.sock"), "list"), "\tanna\n"); }));  // it is let in
  anna.signal(SIGTERM);
  CHECK(anna.wait() == 0);
  CHECK(eventually([&] { return Asker(port).names().empty(); }));
}

TEST_CASE("a relay answers a query by datagram for a server that sleeps, and does not start it") {
  const Folder folder;
  const net::Address away = testing::free_for_both();
  folder.write("a.toml", "[[route]]\nlisten = \"aos://127.0.0.1:0?dialect=0.75\"\nto = \"aos://" + away.text() +
                             "?dialect=0.75\"\nhold_s = 60\nstart = \"touch " + folder.file("started") + "\"\n");
  Process relay({kEntente, "run", folder.file("a.toml")});
  const auto line = relay.line();
  REQUIRE_MESSAGE(line, relay.err());
  const DatagramAsker asker(*line);
  // It is asked until it is known to be down.
  CHECK(eventually([&] { return asker.answer_to("HELLO") == "HI"; }, std::chrono::milliseconds(600)));
  CHECK(eventually([&] { return has(asker.answer_to("HELLOLAN"), "\"players_current\":0"); },
                   std::chrono::milliseconds(600)));
  CHECK(!std::filesystem::exists(folder.file("started")));
  relay.signal(SIGTERM);
  CHECK(relay.wait() == 0);
}

TEST_CASE("an arena answers a query by datagram with all its players, its places and its rules") {
  const Folder folder;
  Process arena({kEntente, "run",
                 folder.write("a.toml",
                              "[limits]\nsessions = 9\n[[arena]]\nname = \"pit\"\nbots = 3\nseats = 7\n"
                              "mode = \"teams\"\nlisten = [\"native://127.0.0.1:0?dialect=json\", "
                              "\"aos://127.0.0.1:0?dialect=0.75\", \"bzflag://127.0.0.1:0?dialect=2.4\"]\n")});
  std::array<std::string, 3> lines;
  for (std::string& one : lines) {
    const auto line = arena.line();
    REQUIRE_MESSAGE(line, arena.err());
    one = *line;
  }
  const DatagramAsker asker(lines[1]), tank(lines[2]);
  const auto says = [&](int players) {
    return "{\"name\":\"pit\",\"players_current\":" + std::to_string(players) +
           ",\"players_max\":7,\"map\":\"courtyard\",\"game_mode\":\"teams\",\"game_version\":\"0.75\"}";
  };
  constexpr std::chrono::milliseconds kPause{600};  // so many queries of an address are answered
  std::string said;
  CHECK_MESSAGE(eventually([&] { return (said = asker.answer_to("HELLOLAN")) == says(3); }, kPause), said);
  std::vector<std::unique_ptr<Process>> people;
  for (int i = 0; i < 4; ++i)  // a bot leaves for each of the first three
    people.push_back(std::make_unique<Process>(std::vector<std::string>{
        kEntente, "bot", "native://127.0.0.1:" + lines[0].substr(lines[0].rfind(':') + 1) + "?dialect=json", "--name",
        "guest" + std::to_string(i), "--behaviour", "idle"}));
  CHECK_MESSAGE(eventually([&] { return (said = asker.answer_to("HELLOLAN")) == says(4); }, kPause), said);
  const wire::Query& ping = bzflag::game().queries()[0];
  const auto port = static_cast<std::uint16_t>(std::stoi(lines[2].substr(lines[2].rfind(':') + 1)));
  CHECK(tank.answer_to(std::string(ping.question)) ==
        bzflag::game().answer(ping, {"pit", "courtyard", "teams", "2.4", 4, 7, 0x7F000001, port}));
}

}  // namespace
}  // namespace entente::query_test
