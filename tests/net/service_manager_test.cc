// What systemd is told, and the sockets that were passed: who takes them, and what is left.
#include "proxy/net/service_manager.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "proxy/net/socket.h"
#include "tests/program/folder.h"

namespace entente::net::service_manager_test {
namespace {

using Lines = std::vector<std::string>;

/// A variable of the environment, as long as it lives.
struct Variable {
  Variable(const char* its, const std::string& value) : name(its) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  const char* const name;
};

/// A socket at this path in the file system.
Fd local_socket(const std::string& path, int type) {
  Fd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  return fd;
}

bool blocks(const Fd& fd) { return (::fcntl(fd.get(), F_GETFL) & O_NONBLOCK) == 0; }

TEST_CASE(
    "service manager: a passed socket that listens is taken once, by who listens at its address, and does not block") {
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  const Address at = listening->address;
  const int number = listening->tcp.get();
  REQUIRE(::fcntl(number, F_SETFL, 0) == 0);  // as systemd passes it
  add_passed(std::move(listening->tcp), at);
  CHECK(is_passed(at));
  CHECK_FALSE(is_passed(at.with_port(static_cast<std::uint16_t>(at.port() + 1))));
  CHECK_FALSE(take_passed_datagrams(at));
  CHECK(passed_and_not_taken() == Lines{"TCP " + at.text()});
  CHECK(passed_by_manager_and_not_taken().empty());
  const auto taken = listen(at, false);
  REQUIRE(taken.ok());
  CHECK(taken->tcp.get() == number);
  CHECK(taken->address == at);
  CHECK_FALSE(blocks(taken->tcp));
  CHECK_FALSE(is_passed(at));
  CHECK_FALSE(take_passed_stream(at));
  CHECK(passed_and_not_taken().empty());
}

TEST_CASE(
    "service manager: a passed socket that does not listen is taken by nobody, and is reported until it is closed") {
  auto towards = stream_towards(*Address::parse("127.0.0.1:1"), {*Address::parse("127.0.0.1:0")});
  REQUIRE(towards.ok());
  const Address at = local_address(towards->tcp.get());
  add_passed(std::move(towards->tcp), at);
  CHECK_FALSE(take_passed_stream(at));
  CHECK(passed_and_not_taken() == Lines{"TCP " + at.text() + ", which does not listen"});
  close_passed();
  CHECK(passed_and_not_taken().empty());
  CHECK_FALSE(is_passed(at));
}

TEST_CASE("service manager: a passed socket that nobody takes is reported by its address, also of IPv6") {
  auto listening = listen(*Address::parse("[::1]:0"), true);
  REQUIRE(listening.ok());
  const std::string at = listening->address.text();
  add_passed(std::move(listening->tcp), listening->address);
  add_passed(std::move(listening->udp), listening->address);
  CHECK(passed_and_not_taken() == Lines{"TCP " + at, "UDP " + at});
  close_passed();
}

TEST_CASE("service manager: a passed Unix socket is found by its path, also by another name of its folder") {
  const Folder folder;
  const std::string path = folder.file("a.sock");
  for (const bool removes : {false, true}) {
    CAPTURE(removes);
    Fd fd = local_socket(path, SOCK_STREAM);
    REQUIRE(::listen(fd.get(), 1) == 0);
    add_passed(std::move(fd), {}, removes);
    CHECK(passed_and_not_taken() == Lines{"Unix " + path});
    CHECK_FALSE(take_passed_local(folder.file("b.sock")).fd);
    const PassedLocal taken = take_passed_local(folder.file("./a.sock"));
    CHECK(taken.fd);
    CHECK(taken.removes == removes);
    CHECK_FALSE(take_passed_local(path).fd);
    ::unlink(path.c_str());
  }
  add_passed(local_socket(path, SOCK_STREAM), {});  // does not listen
  CHECK_FALSE(take_passed_local(path).fd);
  close_passed();
}

TEST_CASE("service manager: it is told the state, and how often it wants to hear is known") {
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  CHECK_FALSE(tell_service_manager("READY=1"));
  CHECK(watchdog_time() == 0);
  const Folder folder;
  const Fd heard = local_socket(folder.file("notify"), SOCK_DGRAM);
  const Variable socket("NOTIFY_SOCKET", folder.file("notify"));
  CHECK(tell_service_manager("READY=1\nSTATUS=all is well"));
  char text[64] = "";
  CHECK(::recv(heard.get(), text, sizeof text - 1, MSG_DONTWAIT) > 0);
  CHECK(std::string(text) == "READY=1\nSTATUS=all is well");
  const Variable time("WATCHDOG_USEC", "3000000");
  CHECK(watchdog_time() == 3'000);
  const Variable pid("WATCHDOG_PID", "1");  // meant for another process
  CHECK(watchdog_time() == 0);
}

TEST_CASE("service manager: a descriptor leads to the journal if it is the file that JOURNAL_STREAM names") {
  const Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  struct stat its {};
  REQUIRE(::fstat(fd.get(), &its) == 0);
  ::unsetenv("JOURNAL_STREAM");
  CHECK_FALSE(leads_to_journal(fd.get()));
  const std::string device = std::to_string(its.st_dev), file = std::to_string(its.st_ino);
  {
    const Variable stream("JOURNAL_STREAM", device + ":" + file);
    CHECK(leads_to_journal(fd.get()));
    CHECK_FALSE(leads_to_journal(-1));
  }
  const Variable other("JOURNAL_STREAM", device + ":1" + file);
  CHECK_FALSE(leads_to_journal(fd.get()));
}

}  // namespace
}  // namespace entente::net::service_manager_test
