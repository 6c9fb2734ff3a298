// A take-over, seen from the process that begins, with a process before it that the test plays: what is said in which
// order, which sockets stay open, and what is refused.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/service_manager.h"
#include "proxy/net/socket.h"
#include "proxy/program/take_over/older_sockets.h"
#include "proxy/program/take_over/socket_name.h"
#include "proxy/program/take_over/take_over.h"
#include "tests/program/folder.h"
#include "tests/relay/peers.h"

namespace entente::old_process_test {
namespace {

constexpr Millis kPatience = 40'000;

net::Fd listening_at(const std::string& path) {
  net::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof at.sun_path);
  path.copy(at.sun_path, path.size());
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  REQUIRE(::listen(fd.get(), 8) == 0);
  return fd;
}

/// The process before, with its control socket.
struct Old {
  ~Old() { net::close_passed(); }
  net::Talk accept() const {
    REQUIRE(testing::wait_readable(control.get()));
    return net::Talk(net::Fd(::accept4(control.get(), nullptr, nullptr, SOCK_CLOEXEC)));
  }
  std::future<Outcome<TakeOver>> begins() const {
    return std::async(std::launch::async, [this] { return TakeOver::begin(path); });
  }
  /// The new process has got these sockets.
  TakeOver begun(const std::vector<net::NamedFd>& sockets) {
    auto begun = begins();
    talk.emplace(accept());
    CHECK(*talk->hear(kPatience) == "take over 1");
    REQUIRE(talk->say("sockets", kPatience).ok());
    REQUIRE(talk->send(sockets, kPatience).ok());
    auto taken = begun.get();
    REQUIRE_MESSAGE(taken.ok(), taken.error().text);
    return std::move(*taken);
  }
  /// What a new process that is ready makes of this answer.
  Outcome<relay::LinkId> ready(TakeOver& taken, const std::string& answer) const {
    auto ready = std::async(std::launch::async, [&taken] { return taken.ready(); });
    CHECK(*talk->hear(kPatience) == "ready");
    REQUIRE(talk->say(answer, kPatience).ok());
    return ready.get();
  }
  /// What a new process that fails has said on another connection.
  std::string failure() const {
    const net::Talk other = accept();
    const auto line = other.hear(kPatience);
    REQUIRE(line.ok());
    return *line;
  }

  Folder folder;
  const std::string path = folder.file("c.sock");
  net::Fd control = listening_at(path);
  std::optional<net::Talk> talk;
};

std::vector<net::NamedFd> one_socket(std::string name, net::Fd fd) {
  std::vector<net::NamedFd> all;
  all.push_back({std::move(name), std::move(fd)});
  return all;
}

bool refuses(const net::Address& at) {
  const net::Fd fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(fd.get(), at.raw(), at.size()) != 0;
}

TEST_CASE("take-over: once the old process has handed over, sockets that nothing has opened are closed") {
  Old old;
  auto sockets = net::listen(testing::loopback(), false);
  REQUIRE(sockets.ok());
  const net::Address at = sockets->address;
  TakeOver taken = old.begun(one_socket("listener " + at.text(), std::move(sockets->tcp)));
  CHECK(net::passed_and_not_taken() == std::vector<std::string>{"TCP " + at.text()});
  CHECK_FALSE(refuses(at));
  const auto link = old.ready(taken, "given 7");
  REQUIRE(link.ok());
  CHECK(*link == 7);
  CHECK(net::passed_and_not_taken().empty());
  CHECK(refuses(at));
  REQUIRE(taken.take().ok());
  CHECK(*old.talk->hear(kPatience) == "taken");
  CHECK_FALSE(taken.is_over());
  old.talk.reset();
  CHECK(taken.is_over());
}

TEST_CASE("take-over: until the old process has handed over, all its sockets stay open; another answer is an error") {
  for (const char* answer : {"error: no", "given", "given ", "given x", "given 7 8", "given 99999999999"}) {
    CAPTURE(answer);
    Old old;
    auto sockets = net::listen(testing::loopback(), false);
    REQUIRE(sockets.ok());
    const net::Address at = sockets->address;
    TakeOver taken = old.begun(one_socket("listener " + at.text(), std::move(sockets->tcp)));
    const auto link = old.ready(taken, answer);
    REQUIRE_FALSE(link.ok());
    CHECK(link.error().text == "the running program did not hand over: " + std::string(answer));
    CHECK_FALSE(refuses(at));
  }
}

TEST_CASE("take-over: a refusal of the old process is told, with its reason") {
  const Old old;
  auto begun = old.begins();
  const net::Talk talk = old.accept();
  REQUIRE(talk.hear(kPatience).ok());
  REQUIRE(talk.say("error: another process takes over", kPatience).ok());
  const auto taken = begun.get();
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().text ==
        "the program behind " + old.path + " refused the take-over: error: another process takes over");
}

TEST_CASE("take-over: a socket of unknown name is refused, and the old process is told") {
  for (const char* name : {"listener", "listener nowhere", "web", ""}) {
    CAPTURE(name);
    const Old old;
    auto begun = old.begins();
    const net::Talk talk = old.accept();
    REQUIRE(talk.hear(kPatience).ok());
    REQUIRE(talk.say("sockets", kPatience).ok());
    REQUIRE(talk.send(one_socket(name, net::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC))), kPatience).ok());
    const std::string why = "invalid hand-over: unknown socket name '" + std::string(name) + "'";
    CHECK(old.failure() == "take over failed: " + why);
    const auto taken = begun.get();
    REQUIRE_FALSE(taken.ok());
    CHECK(taken.error().text == why);
  }
}

TEST_CASE("take-over: the old process is told of a failure in one line that the answer to an upgrade has room for") {
  Old old;
  TakeOver taken = old.begun(one_socket("control", net::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC))));
  for (const auto& one :
       {std::pair<std::string, std::string>("a.toml:1: no\nand no", "a.toml:1: no; and no"),
        std::pair(std::string(2'000, 'x'), std::string(800 - std::string(kTakeOverFailed).size(), 'x'))}) {
    const std::string& why = one.first;
    auto told = std::async(std::launch::async, [&] { taken.fail(why); });
    CHECK(old.failure() == kTakeOverFailed + one.second);
    told.get();
  }
}

TEST_CASE("take-over: the name of a socket is read as it was written, and any other name is refused") {
  const auto at = net::Address::parse("192.0.2.1", 5154);
  using Kind = SocketName::Kind;
  for (const SocketName& one : {SocketName{Kind::kListener, *at}, SocketName{Kind::kControl, {}},
                                SocketName{Kind::kOwnControl, {}}, SocketName{Kind::kOlder, {}}}) {
    CAPTURE(one.text());
    const auto read = SocketName::parse(one.text());
    REQUIRE(read.has_value());
    CHECK(read->kind == one.kind);
    CHECK(read->bound == one.bound);
  }
  for (const char* name : {"", "Control", "own", "control ", "listener", "listener ", "listener 192.0.2.1:", "other"})
    CHECK_FALSE(SocketName::parse(name).has_value());
}

TEST_CASE("take-over: processes from before the old one are there until their connections are closed, too") {
  Old old;
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  net::Fd here(ends[0]), there(ends[1]);
  TakeOver taken = old.begun(one_socket("older", std::move(there)));
  CHECK(taken.connections()->size() == 2);  // for the process that takes over next
  old.talk.reset();
  CHECK(taken.connections()->size() == 1);
  CHECK_FALSE(taken.is_over());
  here.reset();
  CHECK(taken.connections()->empty());
  CHECK(taken.is_over());
}

TEST_CASE("the sockets of older processes: only sockets with a number, the newest process first, at most 64") {
  Folder folder;
  const std::string socket = folder.file("c.sock");
  std::vector<net::Fd> all;
  for (const char* name : {"c.sock", "c.sock.12", "c.sock.7", "c.sock.", "c.sock.7x", "c.sock.x7", "c.sock2.9", "d.9"})
    all.push_back(listening_at(folder.file(name)));
  (void)folder.write("c.sock.13", "no socket");
  const auto pids = [&socket] {
    std::vector<int> its;
    for (const OlderSocket& one : older_sockets(socket)) its.push_back(one.pid);
    return its;
  };
  CHECK(pids() == std::vector<int>{12, 7});
  CHECK(older_sockets(socket).front().path == older_socket(socket, 12));
  for (int pid = 101; pid <= 170; ++pid) all.push_back(listening_at(older_socket(socket, pid)));
  const auto most = pids();
  REQUIRE(most.size() == 64);
  CHECK(most.front() == 170);
  CHECK(most.back() == 107);
}

/// Connects until the queue of this listener is full. It must accept nobody.
std::vector<net::Fd> fill(const std::string& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  std::vector<net::Fd> all;
  for (;;) {
    net::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return all;
    all.push_back(std::move(fd));
  }
}

TEST_CASE("an older process counts as long as somebody listens at its socket, also if it hangs") {
  Folder folder;
  const std::string socket = folder.file("c.sock");
  const auto is_there = [&] { return older_processes(socket).may_be_there; };
  CHECK_FALSE(is_there());
  {
    const net::Fd older = listening_at(older_socket(socket, 12));
    CHECK(is_there());
    const auto queue = fill(older_socket(socket, 12));
    CHECK(is_there());
    CHECK_FALSE(older_processes(socket).sessions.has_value());
  }
  CHECK_FALSE(is_there());  // its file is still there
  CHECK(older_sockets(socket).size() == 1);
}

}  // namespace
}  // namespace entente::old_process_test
