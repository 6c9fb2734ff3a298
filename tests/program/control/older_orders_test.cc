// Which commands go to the processes from before an upgrade, and with which words.
#include "proxy/program/control/older_orders.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/control/ask_program.h"
#include "proxy/program/take_over/hand_over.h"
#include "proxy/program/take_over/older_sockets.h"
#include "tests/program/asked.h"

namespace entente::older_orders_test {
namespace {

using Lines = std::vector<std::string>;

/// A program that gives each line the same answer.
class Fake {
 public:
  Fake(const std::string& path, std::string answer) : answer_(std::move(answer)) {
    auto opened = net::LocalAcceptor::open(loop_, path, [this](std::string_view line, const net::LocalPeer&) {
      const std::lock_guard lock(mutex_);
      heard_.emplace_back(line);
      return answer_;
    });
    REQUIRE_MESSAGE(opened.ok(), opened.error().text);
    acceptor_ = std::move(*opened);
    acceptor_->start();
  }
  void set(std::string answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  /// The lines since the last call.
  Lines heard() {
    const std::lock_guard lock(mutex_);
    return std::exchange(heard_, {});
  }

 private:
  std::mutex mutex_;
  std::string answer_;
  Lines heard_;
  net::RequestLoop loop_{"fake", "fake commands"};
  std::unique_ptr<net::LocalAcceptor> acceptor_;
};

/// A program that listens, and hears nobody.
struct Deaf {
  explicit Deaf(const std::string& path) : listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof at.sun_path);
    path.copy(at.sun_path, path.size());
    REQUIRE(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(::listen(listening.get(), 8) == 0);
  }
  const net::Fd listening;
};

const std::string kNobody = R"({"error":"'al b' matches no player, link or address"})";

TEST_CASE("a ban by name bans one address in all processes, although the name is another player's in older ones") {
  const Folder folder;
  const std::string socket = folder.file("c.sock");
  const auto banned = [](const std::string& address) {
    return "{\"done\":\"banned " + address + " forever, 1 session ended\",\"sessions\":[]}";
  };
  const std::string here = banned("192.0.2.7"), there = banned("192.0.2.9");
  Fake older(older_socket(socket, 4712), here + "\n"), oldest(older_socket(socket, 4711), here + "\n");
  const std::string line = R"(ban "al b" --for 1h --why "no no")";
  const auto by_address = [](const std::string& address) {
    return Lines{"--json ban " + address + R"( --for 1h --why "no no")"};
  };

  CHECK(ask_older(socket, line, here) == here);
  CHECK(older.heard() == by_address("192.0.2.7"));
  CHECK(oldest.heard() == by_address("192.0.2.7"));

  older.set(there + "\n");
  CHECK(ask_older(socket, line, kNobody) == there);
  CHECK(older.heard() == Lines{"--json " + line});
  CHECK(oldest.heard() == by_address("192.0.2.9"));

  // The ban is in force, and the operator hears that it is not kept.
  older.set(banned("2001:db8::/64") + "\n");
  const std::string unkept = R"({"error":"banned 2001:db8::/64, but only until this program ends: cannot write bans"})";
  CHECK(ask_older(socket, line, unkept) == unkept);
  CHECK(older.heard() == by_address("2001:db8::/64"));
  CHECK(oldest.heard() == by_address("2001:db8::/64"));
}

TEST_CASE("a command that one process must carry out, and cannot, goes to no other process") {
  const Folder folder;
  const std::string socket = folder.file("c.sock");
  Fake older(older_socket(socket, 4711), R"({"done":"kicked link 3"})");
  for (const std::string& why :
       {"'al'" + std::string(kAmbiguous) + "1, 2", "another process takes over" + std::string(kTryAgain)}) {
    const std::string own = R"({"error":")" + why + "\"}";
    CHECK(ask_older(socket, "kick al", own) == own);
    CHECK(ask_older(socket, "unban 192.0.2.7", own) == own);
  }
  CHECK(older.heard().empty());
  CHECK(ask_older(socket, "kick al", kNobody) == R"({"done":"kicked link 3"})");
}

TEST_CASE("an older process where the name is ambiguous ends the command; one that has ended does not count") {
  const Folder folder;
  const std::string socket = folder.file("c.sock"), why = "'al' is ambiguous, name a link: 1, 2";
  Fake older(older_socket(socket, 4712), "{\"error\":\"" + why + "\"}\n");
  Fake oldest(older_socket(socket, 4711), "{\"done\":\"kicked link 3\"}\n");
  { const Deaf ended(older_socket(socket, 4713)); }
  CHECK(ask_older(socket, "kick al", kNobody) == "{\"error\":\"" + why + "\"}");
  CHECK(oldest.heard().empty());
  CHECK(older.heard() == Lines{"--json kick al"});

  const Asked it;
  Fake own(it.folder.file("c.sock"), "error: 'al' matches no player, link or address\n");
  Fake there(older_socket(it.folder.file("c.sock"), 4712), "error: " + why + "\n");
  Fake last(older_socket(it.folder.file("c.sock"), 4711), "ok\nkicked link 3\n");
  const Ended kicked = it.ctl({"kick", "al"});
  CHECK(kicked.code == 1);
  CHECK(kicked.out.empty());
  CHECK(kicked.err == "entente: " + why + "\n");
  CHECK(last.heard().empty());
}

TEST_CASE("an older process that does not answer is named, and the others carry out the command") {
  const Folder folder;
  const std::string socket = folder.file("c.sock");
  const Deaf deaf(older_socket(socket, 4712));
  Fake oldest(older_socket(socket, 4711), "{\"done\":\"banned 192.0.2.7 forever, 1 session ended\"}\n");
  constexpr Millis kShort = 50;
  const std::string own = R"({"done":"banned 192.0.2.7 forever, 0 sessions ended","sessions":[]})";
  CHECK(ask_older(socket, "ban 192.0.2.7", own, kShort) ==
        R"({"error":"process 4712 does not answer; banned 192.0.2.7 forever, 0 sessions ended","sessions":[]})");
  CHECK(oldest.heard() == Lines{"--json ban 192.0.2.7"});
  oldest.set(kNobody + "\n");
  CHECK(ask_older(socket, "kick \"al b\"", kNobody, kShort) ==
        R"({"error":"process 4712 does not answer; 'al b' matches no player, link or address"})");
  oldest.set("{\"done\":\"kicked link 3\"}\n");
  CHECK(ask_older(socket, "kick \"al b\"", kNobody, kShort) == R"({"done":"kicked link 3"})");

  const auto all = ask_each_older(socket, "list", "", true, {.within = kShort});
  REQUIRE(all.size() == 2);
  CHECK(all[0].silent);
  CHECK(all[0].pid == 4712);
  CHECK_FALSE(all[1].silent);
}

TEST_CASE("ctl names an older process that does not answer, and fails") {
  const Asked it;
  const std::string socket = it.folder.file("c.sock");
  Fake own(socket, "ok\ntold 1 of 1 players\n"), oldest(older_socket(socket, 4711), "ok\ntold 2 of 2 players\n");
  const Deaf deaf(older_socket(socket, 4712));
  const Ended said = it.ctl({"say", "hi"});
  CHECK(said.code == 1);
  CHECK(said.out == "told 1 of 1 players\nprocess 4711, which serves its players to their end:\ntold 2 of 2 players\n");
  CHECK(said.err == "entente: process 4712 does not answer\n");
}

TEST_CASE("a program that does not answer in time may still carry out the command; a reload has minutes") {
  const Folder folder;
  const std::string socket = folder.file("c.sock");
  {
    const Deaf deaf(socket);
    const ProgramAnswer answer = ask_program(socket, "reload", false, {.within = 50});
    CHECK_FALSE(answer.ok);
    CHECK(answer.silent);
    CHECK(answer.text == "no answer from " + socket + " within 50 ms; the command may still be carried out");
  }
  const ProgramAnswer nobody = ask_program(socket, "reload", false, {.within = 50});
  CHECK_FALSE(nobody.silent);
  CHECK(nobody.text.ends_with("; was the program started with --control?"));
  CHECK(patience_with("reload") == 180'000);
  CHECK(patience_with(kUpgradeAndWait) == 180'000);
  CHECK(patience_with("list") == net::AskLocal{}.within);
}

TEST_CASE(
    "a recording that is named by its number is not looked for in older processes, where the numbers are others") {
  CHECK_FALSE(is_for_older("record stop 2"));
  CHECK_FALSE(is_for_older("record stop \"2\""));
  CHECK_FALSE(is_for_older("--json record rotate 2"));
  CHECK(is_for_older("record stop"));
  CHECK(is_for_older("record stop ctf"));
  CHECK(is_for_older("--json record stop \"native json 127.0.0.1:5000\""));
  CHECK(is_for_older("kick 2"));  // numbers of links are unique
  CHECK(is_for_older("reload"));
  CHECK_FALSE(is_for_older("upgrade"));
}

TEST_CASE("ctl gives older processes the address of a ban, no number of a recording, and nothing during a take-over") {
  const Asked it;
  const std::string socket = it.folder.file("c.sock");
  Fake own(socket, "ok\nbanned 192.0.2.7 forever, 1 session ended\n");
  Fake older(older_socket(socket, 4712), "ok\nbanned 192.0.2.7 forever, 0 sessions ended\n");
  Fake oldest(older_socket(socket, 4711), "error: it has no such player\n");

  CHECK(it.ctl({"ban", "al b", "--for", "1h"}).code == 0);
  CHECK(own.heard() == Lines{"ban \"al b\" --for 1h"});
  CHECK(older.heard() == Lines{"ban 192.0.2.7 --for 1h"});
  CHECK(oldest.heard() == Lines{"ban 192.0.2.7 --for 1h"});

  own.set("error: 'al b' matches no player, link or address\n");
  older.set("ok\nbanned 192.0.2.9 forever, 1 session ended\n");
  CHECK(it.ctl({"ban", "al b"}).code == 0);
  CHECK(older.heard() == Lines{"ban \"al b\""});
  CHECK(oldest.heard() == Lines{"ban 192.0.2.9"});

  older.set("ok\nbanned 192.0.2.7 forever, 0 sessions ended\n");
  own.set("error: banned 192.0.2.7, but only until this program ends: cannot write bans\n");
  const Ended unkept = it.ctl({"ban", "al b"});
  CHECK(unkept.code == 1);
  CHECK(has(unkept.err, "cannot write bans"));
  CHECK(older.heard() == Lines{"ban 192.0.2.7"});
  (void)oldest.heard();

  own.set("ok\nstopped\n");
  CHECK(it.ctl({"record", "stop", "2"}).code == 0);
  CHECK(older.heard().empty());
  CHECK(it.ctl({"record", "stop", "ctf"}).code == 0);
  CHECK(older.heard() == Lines{"record stop ctf"});

  own.set("error: another process takes over" + std::string(kTryAgain) + "\n");
  CHECK(it.ctl({"unban", "192.0.2.7"}).code == 1);
  CHECK(older.heard().empty());
}

}  // namespace
}  // namespace entente::older_orders_test
