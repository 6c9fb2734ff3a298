// Sockets: one port for TCP and UDP, errors that say what to do, and ports that bzfs links.
#include "proxy/net/socket.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/connection.h"
#include "tests/support/no_files_left.h"

namespace entente::net::socket_test {
namespace {

/// In a network of our own: sets up the loopback device, and leaves one local port.
bool has_few_ports_on_loopback() {
  const Fd any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  std::ofstream range("/proc/sys/net/ipv4/ip_local_port_range");
  return ::ioctl(any.get(), SIOCSIFFLAGS, &loopback) == 0 && range << "40000 40000" << std::flush;
}

TEST_CASE("a listener with datagrams has one port for both, over IPv4 and IPv6") {
  for (const char* text : {"127.0.0.1:0", "[::1]:0", "0.0.0.0:0", "[::]:0"}) {
    CAPTURE(text);
    for (int i = 0; i < 20; ++i) {
      const auto sockets = listen(*Address::parse(text), true);
      REQUIRE(sockets.ok());
      CHECK(sockets->address.port() != 0);
      CHECK(local_address(sockets->tcp.get()) == sockets->address);
      CHECK(local_address(sockets->udp.get()) == sockets->address);
    }
  }
}

TEST_CASE("an address that cannot be listened on is an error that says what to do") {
  const auto first = listen(*Address::parse("127.0.0.1:0"), true);
  const auto taken = listen(first->address, true);
  REQUIRE(!taken.ok());
  CHECK(taken.error().text == "cannot listen on " + first->address.text() +
                                  ": Address already in use; stop the program that has this port, or listen on another "
                                  "(port 0 takes any)");
  const auto foreign = listen(*Address::parse("192.0.2.1:0"), false);
  REQUIRE(!foreign.ok());
  CHECK(foreign.error().text.find("listen on an address that this machine has") != std::string::npos);
}

TEST_CASE("a UDP port that is in use is an error, even if the TCP port is free") {
  auto first = listen(*Address::parse("127.0.0.1:0"), true);
  first->tcp.reset();
  CHECK(!listen(first->address, true).ok());
  CHECK(listen(first->address, false).ok());
}

TEST_CASE("a socket pair to a server shares one local port, whose low byte is at least 4") {
  const auto server = listen(*Address::parse("127.0.0.1:0"), true);
  for (int i = 0; i < 500; ++i) {
    const auto pair = pair_towards(server->address);
    REQUIRE(pair.ok());
    const std::uint16_t port = local_address(pair->tcp.get()).port();
    CHECK(port == local_address(pair->udp.get()).port());
    CHECK((port & 0xFF) >= 4);
    CHECK(peer_address(pair->udp.get()) == server->address);
  }
}

TEST_CASE("an unreachable server is an error of connecting, not of creating sockets") {
  const Address nowhere = *Address::parse("255.255.255.255:5154");
  const auto pair = pair_towards(nowhere);
  REQUIRE(pair.ok());
  CHECK(::connect(pair->tcp.get(), nowhere.raw(), nowhere.size()) != 0);
  CHECK(errno != EINPROGRESS);
}

TEST_CASE("an address that no socket can be connected to is no shortage, and nobody is told to raise a limit") {
  const Address local = *Address::parse("[fe80::1]:5154");  // of no interface
  const auto udp = datagrams_towards(local), pair = pair_towards(local);
  for (const auto* none : {&udp, &pair}) {
    REQUIRE_FALSE(none->ok());
    CHECK(none->error().code != 0);
    CHECK_FALSE(is_shortage(none->error().code));
    CHECK(none->error().text.find("raise") == std::string::npos);
  }
}

TEST_CASE("sockets towards a server that lack a descriptor say so") {
  const auto server = listen(*Address::parse("127.0.0.1:0"), true);
  const testing::NoFilesLeft limit;
  const auto udp = datagrams_towards(server->address), tcp = stream_towards(server->address),
             pair = pair_towards(server->address);
  for (const auto* none : {&udp, &tcp, &pair}) {
    REQUIRE_FALSE(none->ok());
    CHECK(none->error().code == EMFILE);
    CHECK(none->error().text.ends_with("Too many open files; raise the limit of open files (ulimit -n)"));
  }
}

TEST_CASE("an error for which the machine lacks something says what an operator can do; another one does not") {
  CHECK(lack_error("no socket", EMFILE).text ==
        "no socket: Too many open files; raise the limit of open files (ulimit -n)");
  CHECK(lack_error("no socket", ENOSPC).text == "no socket: No space left on device; raise fs.epoll.max_user_watches");
  CHECK(lack_error("no socket", EPERM).text == "no socket: Operation not permitted");
}

TEST_CASE("a peer that has closed its direction or its connection has ended, whatever it sent before") {
  std::vector<Fd> ours, theirs;
  std::vector<int> fds;
  for (int i = 0; i < 4; ++i) {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    ours.emplace_back(ends[0]);
    theirs.emplace_back(ends[1]);
    fds.push_back(ends[0]);
  }
  for (const int i : {1, 2, 3}) REQUIRE(::send(theirs[static_cast<std::size_t>(i)].get(), "x", 1, 0) == 1);
  REQUIRE(::shutdown(theirs[2].get(), SHUT_WR) == 0);
  theirs[3].reset();
  const std::vector<bool> ended = peers_have_ended(fds);
  CHECK(ended == std::vector<bool>{false, false, true, true});
  for (std::size_t i = 0; i < fds.size(); ++i) CHECK(peer_has_ended(fds[i]) == ended[i]);
  CHECK(peers_have_ended({}).empty());
}

/// Whether no call on it blocks, and it is closed on exec.
bool is_ready(const Fd& fd) {
  return (::fcntl(fd.get(), F_GETFL) & O_NONBLOCK) != 0 && (::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC) != 0;
}

int option_of(const Fd& fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  REQUIRE(::getsockopt(fd.get(), level, name, &value, &size) == 0);
  return value;
}

TEST_CASE("no socket blocks or is inherited by a program that we start") {
  for (const char* at : {"127.0.0.1:0", "[::1]:0"}) {
    CAPTURE(at);
    const auto listening = listen(*Address::parse(at), true);
    REQUIRE(listening.ok());
    CHECK(is_ready(listening->tcp));
    CHECK(is_ready(listening->udp));
    const auto datagrams = listen_datagrams(*Address::parse(at));
    REQUIRE(datagrams.ok());
    CHECK(is_ready(datagrams->udp));
    CHECK_FALSE(datagrams->tcp);
    CHECK(is_ready(datagrams_towards(listening->address)->udp));
    CHECK(is_ready(stream_towards(listening->address)->tcp));
    const auto pair = pair_towards(listening->address);
    REQUIRE(pair.ok());
    CHECK(is_ready(pair->tcp));
    CHECK(is_ready(pair->udp));
  }
}

TEST_CASE("our sockets towards a server come from the source address that was asked for, at a free port") {
  const auto server = listen(*Address::parse("127.0.0.1:0"), true);
  const Source source{*Address::parse("127.0.0.5:9")};
  for (int i = 0; i < 2; ++i) {  // the port of the source does not count
    const auto udp = datagrams_towards(server->address, source), tcp = stream_towards(server->address, source),
               pair = pair_towards(server->address, source);
    for (const auto* one : {&udp, &tcp, &pair}) REQUIRE(one->ok());
    for (const Fd* fd : {&udp->udp, &tcp->tcp, &pair->tcp, &pair->udp}) {
      CHECK(local_address(fd->get()).ip_text() == "127.0.0.5");
      CHECK(local_address(fd->get()).port() != 9);
    }
    CHECK(local_address(pair->tcp.get()) == local_address(pair->udp.get()));
    CHECK(udp->address == local_address(udp->udp.get()));
  }
  const Source lacking{*Address::parse("192.0.2.1:0")};
  const auto none = stream_towards(server->address, lacking);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == EADDRNOTAVAIL);
  CHECK(none.error().text.ends_with("check the addresses and routes of this machine"));
  CHECK_FALSE(datagrams_towards(server->address, lacking).ok());
  CHECK_FALSE(pair_towards(server->address, lacking).ok());
}

TEST_CASE(
    "a listener on :: is for IPv4 clients, too, who are known by their IPv4 address, unless it is for IPv6 alone") {
  for (const bool only_v6 : {false, true}) {
    CAPTURE(only_v6);
    const auto listening = listen(*Address::parse("[::]:0"), true, only_v6);
    REQUIRE(listening.ok());
    CHECK((option_of(listening->tcp, IPPROTO_IPV6, IPV6_V6ONLY) != 0) == only_v6);
    CHECK((option_of(listening->udp, IPPROTO_IPV6, IPV6_V6ONLY) != 0) == only_v6);
    const Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Address at = *Address::parse("127.0.0.1", listening->address.port());
    CHECK((::connect(client.get(), at.raw(), at.size()) == 0) == !only_v6);
    if (only_v6) continue;
    const Fd accepted(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
    CHECK(peer_address(accepted.get()) == local_address(client.get()));
    CHECK(local_address(accepted.get()) == at);
  }
}

TEST_CASE("an address that this machine lacks is objected to, one that is in use is not") {
  const auto listening = listen(*Address::parse("127.0.0.1:0"), true);
  CHECK_FALSE(objection_to_address(listening->address));
  CHECK_FALSE(objection_to_port(listening->address));
  const auto objection = objection_to_address(*Address::parse("192.0.2.1:80"));
  REQUIRE(objection);
  CHECK(objection->text.starts_with("cannot listen on 192.0.2.1:80: "));
  CHECK(objection->text.ends_with("; listen on an address that this machine has"));
  const testing::NoFilesLeft none;  // which is no fault of an address
  CHECK_FALSE(objection_to_address(listening->address));
}

TEST_CASE("a connection sends small messages at once, and a peer that vanished is noticed after two minutes") {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  set_stream_options(fd.get());
  CHECK(option_of(fd, IPPROTO_TCP, TCP_NODELAY) == 1);
  CHECK(option_of(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT) == 128 * 1024);
  CHECK(option_of(fd, SOL_SOCKET, SO_KEEPALIVE) == 1);
  const int quiet = option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), each = option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL),
            probes = option_of(fd, IPPROTO_TCP, TCP_KEEPCNT);
  CHECK(quiet == 60);
  CHECK(quiet + each * probes == 120);
  CHECK(option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT) == 120'000);  // also if something was sent to it
}

TEST_CASE("each call on a socket whose waiting is limited takes that long at most") {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  limit_waiting(fd.get(), 1'250);
  for (const int which : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    timeval time{};
    socklen_t size = sizeof time;
    REQUIRE(::getsockopt(fd.get(), SOL_SOCKET, which, &time, &size) == 0);
    CHECK(time.tv_sec == 1);
    CHECK(time.tv_usec >= 250'000);  // the kernel rounds it to its ticks
    CHECK(time.tv_usec < 260'000);
  }
}

/// A connection, accepted and connected.
std::pair<Fd, Fd> connection() {
  const auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  Fd client = testing::connect_to(listening->address);
  return {Fd(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC)), std::move(client)};
}

TEST_CASE("the last words arrive, and the end after them; what the peer still sends is not refused") {
  auto ends = connection();
  say_last(ends.first.get(), as_bytes("bye"));
  int error = 0;
  CHECK(testing::read_all(ends.second, &error) == "bye");
  CHECK(error == 0);
  CHECK(::send(ends.second.get(), "too late", 8, MSG_NOSIGNAL) == 8);
  char room[16];
  CHECK(::recv(ends.first.get(), room, sizeof room, 0) == 8);
}

TEST_CASE("a connection that is to be reset ends with an error for the peer") {
  auto ends = connection();
  reset_on_close(ends.first.get());
  ends.first.reset();
  int error = 0;
  CHECK(testing::read_all(ends.second, &error).empty());
  CHECK(error == ECONNRESET);
}

TEST_CASE("what has arrived is discarded without waiting, up to 64 KiB") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const Fd ours(ends[0]), theirs(ends[1]);
  drop_received(ours.get());  // nothing is there, and it does not wait
  const Buffer much(80 * 1024, 1);
  for (std::size_t sent = 0; sent < much.size(); sent += 1024)
    REQUIRE(::send(theirs.get(), &much[sent], 1024, 0) == 1024);
  drop_received(ours.get());
  Buffer room(much.size());
  CHECK(::recv(ours.get(), room.data(), room.size(), MSG_DONTWAIT) == 16 * 1024);
}

TEST_CASE("which errors mean that the process or the machine has no room for another socket") {
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC}) {
    CHECK(is_shortage(error));
    CHECK(is_exhaustion(error));
  }
  for (const int error : {0, EAGAIN, EINTR, EBADF, ECONNABORTED, EADDRINUSE, EACCES}) CHECK_FALSE(is_shortage(error));
  CHECK(is_exhaustion(EADDRINUSE));
  for (const int error : {0, EADDRNOTAVAIL, ECONNREFUSED, ENETUNREACH}) CHECK_FALSE(is_exhaustion(error));
  CHECK(machine_error("cannot do it", EMFILE, "try less").text == "cannot do it: Too many open files; try less");
}

TEST_CASE("what is no socket has no address") {
  CHECK(local_address(-1) == Address());
  CHECK(peer_address(-1) == Address());
}

TEST_CASE("connecting: a local port that has a connection to this address already is not the address's fault") {
  const auto server = listen(*Address::parse("127.0.0.1:0"), false);
  const auto first = stream_towards(server->address), second = stream_towards(server->address);
  const Address here = *Address::parse("127.0.0.1:0");
  REQUIRE(::bind(first->tcp.get(), here.raw(), here.size()) == 0);
  CHECK(connect_stream(first->tcp.get(), server->address) == 0);
  const Address taken = local_address(first->tcp.get());
  REQUIRE(::bind(second->tcp.get(), taken.raw(), taken.size()) == 0);
  CHECK(connect_stream(second->tcp.get(), server->address) == EADDRINUSE);
}

TEST_CASE("connecting: an address for which this machine has no address of its own is not reached, by TCP or UDP") {
  const Address lacking = *Address::parse("[2001:db8::1]:9");
  int by_tcp = 0;
  std::optional<SocketError> by_udp;
  bool alone = false;
  std::thread([&] {  // without network interfaces
    alone = ::unshare(CLONE_NEWNET) == 0;
    if (!alone) return;
    by_tcp = connect_stream(stream_towards(lacking)->tcp.get(), lacking);
    if (const auto none = datagrams_towards(lacking); !none) by_udp = none.error();
  })
      .join();
  if (!alone) {
    MESSAGE("not tested: this needs CAP_SYS_ADMIN");
    return;
  }
  CHECK(by_tcp == EADDRNOTAVAIL);
  REQUIRE(by_udp);
  CHECK(by_udp->code == EADDRNOTAVAIL);
  CHECK_FALSE(by_udp->is_exhaustion());
  CHECK(by_udp->text.ends_with("check the addresses and routes of this machine"));
}

TEST_CASE("connecting: if no local port is left, both TCP and UDP say so, and what to do") {
  const Address server = *Address::parse("127.0.0.1:50000");
  int by_tcp = 0;
  std::optional<SocketError> by_udp;
  bool alone = false;
  std::thread([&] {
    alone = ::unshare(CLONE_NEWNET) == 0 && has_few_ports_on_loopback();
    if (!alone) return;
    const auto listening = listen(server, false);
    const auto tcp = stream_towards(server), more = stream_towards(server), udp = datagrams_towards(server);
    (void)connect_stream(tcp->tcp.get(), server);
    by_tcp = connect_stream(more->tcp.get(), server);
    if (const auto none = datagrams_towards(server); !none) by_udp = none.error();
  }).join();
  if (!alone) {
    MESSAGE("not tested: this needs CAP_SYS_ADMIN");
    return;
  }
  CHECK(by_tcp == EADDRINUSE);
  REQUIRE(by_udp);
  CHECK(by_udp->is_exhaustion());
  CHECK(by_udp->text.ends_with("; raise net.ipv4.ip_local_port_range"));
}

}  // namespace
}  // namespace entente::net::socket_test
