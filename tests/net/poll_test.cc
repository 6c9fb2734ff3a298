// A watched descriptor: of what its user is told, and when it is not told any more.
#include "proxy/net/poll.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/fd.h"

namespace entente::net::poll_test {
namespace {

std::pair<Fd, Fd> connection() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

/// Watches one end of a connection. Logs "r" for readable, "w" for writable and "b" for broken.
struct Watcher final : Poll::User {
  Watcher() {
    auto ends = connection();
    fd = std::move(ends.first), peer = std::move(ends.second);
    poll.set_priority(Priority::kNewcomer);
  }
  void ready(bool readable, bool writable, bool broken) override {
    log += std::string(readable ? "r" : "") + (writable ? "w" : "") + (broken ? "b" : "") + ' ';
    on_ready();
  }
  void say() const { REQUIRE(::send(peer.get(), "x", 1, 0) == 1); }
  void read() const {
    char room[64];
    while (::recv(fd.get(), room, sizeof room, 0) > 0) continue;
  }

  Fd fd, peer;
  Poll poll;
  std::string log;
  std::function<void()> on_ready = [] {};
};

/// Acts once, as a player: before newcomers are served.
struct Act final : Job {
  explicit Act(std::function<void()> its) : act(std::move(its)) {}
  void run() override { act(); }
  const std::function<void()> act;
};

void turns(Loop& loop, int count) {
  for (int i = 0; i < count; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
}

TEST_CASE("poll: who does not want to be told any more, or has closed, is not told of what was found before") {
  Loop loop;
  Watcher watcher;
  REQUIRE(watcher.poll.open(loop, watcher.fd.get(), watcher));
  watcher.poll.want(true, false);
  watcher.say();
  bool closes = false;
  SUBCASE("it wants nothing") {}
  SUBCASE("it is closed") { closes = true; }
  Act act([&] { closes ? watcher.poll.close() : watcher.poll.want(false, false); });
  loop.serve(act);
  turns(loop, 3);
  CHECK(watcher.log.empty());
  CHECK(watcher.poll.is_open() == !closes);
  if (!closes) {
    watcher.poll.want(true, false);  // what was not told then is told now
    watcher.on_ready = [&] { watcher.poll.close(); };
    turns(loop, 3);
    CHECK(watcher.log == "r ");
  }
  watcher.poll.close();
  loop.run();
}

TEST_CASE("poll: one that watches another descriptor tells nothing of the one before") {
  Loop loop;
  Watcher watcher;
  const auto ends = connection();
  REQUIRE(watcher.poll.open(loop, watcher.fd.get(), watcher));
  watcher.poll.want(true, false);
  watcher.say();
  Act act([&] {
    watcher.poll.close();
    REQUIRE(watcher.poll.open(loop, ends.first.get(), watcher));
    watcher.poll.want(true, true);
  });
  watcher.on_ready = [&] { watcher.poll.want(true, false); };
  loop.serve(act);
  turns(loop, 5);
  CHECK(watcher.log == "w ");
  watcher.poll.close();
  loop.run();
}

TEST_CASE("poll: who has more to read is told again, once, although nothing new comes") {
  Loop loop;
  Watcher watcher;
  REQUIRE(watcher.poll.open(loop, watcher.fd.get(), watcher));
  watcher.poll.want(true, false);
  watcher.on_ready = [&] {
    watcher.read();
    if (watcher.log == "r ") watcher.poll.again();
  };
  watcher.say();
  turns(loop, 5);
  CHECK(watcher.log == "r r ");
  watcher.poll.close();
  loop.run();
}

TEST_CASE("poll: who has waited for several turns to be served is told, and hears what comes later") {
  std::uint64_t nanos = 0;
  Loop loop([&] { return nanos; });
  Watcher watcher;
  REQUIRE(watcher.poll.open(loop, watcher.fd.get(), watcher));
  watcher.poll.want(true, false);
  watcher.on_ready = [&] { watcher.read(); };
  // Each takes all the time that newcomers have in a turn.
  const auto takes_a_turn = [&] { nanos += Schedule::kNewcomersTime; };
  Act first(takes_a_turn), second(takes_a_turn), third(takes_a_turn);
  for (Act* one : {&first, &second, &third}) {
    one->set_priority(Priority::kNewcomer);
    loop.serve(*one);
  }
  watcher.say();
  turns(loop, 3);
  CHECK(watcher.log.empty());
  CHECK(watcher.poll.waits());
  bool changes = false;
  SUBCASE("as it was") {}
  SUBCASE("and now also wants to write") { changes = true; }
  if (changes) watcher.poll.want(true, true);
  turns(loop, 1);
  CHECK(watcher.log == "r ");
  watcher.log.clear();
  watcher.say();
  turns(loop, 1);
  CHECK(watcher.log == (changes ? "rw " : "r "));
  watcher.poll.close();
  loop.run();
}

TEST_CASE("poll: errno says why a descriptor cannot be watched") {
  Loop loop;
  Watcher watcher;
  const Fd file(::memfd_create("file", MFD_CLOEXEC));
  REQUIRE(bool(file));
  errno = 0;
  CHECK_FALSE(watcher.poll.open(loop, file.get(), watcher));
  CHECK(errno == EPERM);
  REQUIRE(watcher.poll.open(loop, watcher.fd.get(), watcher));
  watcher.poll.want(true, false);
  Poll second;
  errno = 0;
  CHECK_FALSE(second.open(loop, watcher.fd.get(), watcher));
  CHECK(errno == EEXIST);
  watcher.poll.close();
  turns(loop, 1);
}

}  // namespace
}  // namespace entente::net::poll_test
