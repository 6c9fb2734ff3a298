// `entente proxy` and `entente run`: listeners, relaying, recording and stopping.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <string>

#include "proxy/net/secret.h"
#include "tests/program/folder.h"
#include "tests/program/process_1.h"
#include "tests/relay/peers.h"
#include "tests/support/connection.h"
#include "tests/support/hex.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::relay_test {

namespace {

const std::string kEntente = testing::entente_binary();

// The first messages of a Panic server of dialect be-packed: Game State, Update Ammo, a tank.
const Buffer kGreeting = from_hex("010101000103000000010000000200000003 20000000006400000000 1000000032000000010104");
const Buffer kDrive = from_hex("0001010200000001");  // player 1 drives tank 1 east

// A TCP socket on loopback that gives up after the tests' patience.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {
    const timeval patience{Process::kPatience.count(), 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  ~Socket() { close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }
  void send(const Buffer& bytes) const { CHECK(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0); }
  // The next `size` bytes, or fewer if the peer closes before.
  Buffer receive(std::size_t size) const {
    Buffer bytes(size);
    bytes.resize(testing::receive_whole(fd_, bytes));
    return bytes;
  }

 private:
  int fd_;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int new_socket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// Listens on a free port, as a server does.
class Server {
 public:
  Server() {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    const bool listens = bind(socket_.fd(), raw, size) == 0 && listen(socket_.fd(), 16) == 0;
    REQUIRE(listens);
    REQUIRE(getsockname(socket_.fd(), raw, &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  std::string port() const { return std::to_string(port_); }
  int accept() const { return accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC); }

 private:
  Socket socket_{new_socket()};
  std::uint16_t port_ = 0;
};

int connect_to(int port) {
  const int fd = new_socket();
  const sockaddr_in address = loopback(static_cast<std::uint16_t>(port));
  CHECK(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  return fd;
}

int announced(Process& relay) { return testing::listening_port(relay, "panic be-packed"); }

std::vector<std::string> proxy(const Server& server, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {kEntente,   "proxy",
                                    "--listen", "panic://127.0.0.1:0?dialect=be-packed",
                                    "--to",     "panic://127.0.0.1:" + server.port() + "?dialect=be-packed"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a proxy that would lead to itself does not start") {
  const Ended ended = run({testing::entente_binary(), "proxy", "--listen", "panic://127.0.0.1:4410", "--to",
                           "panic://localhost:4410?dialect=le-padded"});
  CHECK(ended.code == 2);
  CHECK(ended.err.find("--to is this route's own listener: it would lead to itself") != std::string::npos);
}

TEST_CASE("a second signal ends the program at once, with a message") {
  const Folder folder;
  const Server server;
  const std::string config =
      folder.write("a.toml",
                   "[limits]\nlinger_ms = 60000\n[[route]]\nlisten = \"panic://127.0.0.1:0?dialect=be-packed\"\n"
                   "to = \"panic://127.0.0.1:" +
                       server.port() + "?dialect=be-packed\"\n");
  Process relay({kEntente, "run", config});
  const Socket client(connect_to(announced(relay)));
  const Socket served(server.accept());
  served.send(kGreeting);
  CHECK(client.receive(kGreeting.size()).size() == kGreeting.size());
  relay.signal(SIGTERM);
  CHECK(client.receive(1).empty());  // the relay waits for the client to close
  relay.signal(SIGTERM);
  CHECK(relay.wait() == 128 + SIGTERM);
  // Another thread may write a line of the log after it.
  CHECK_MESSAGE(relay.err().find("entente: another signal, ending at once. `entente recover` repairs an unfinished "
                                 "recording.\n") != std::string::npos,
                relay.err());
}

TEST_CASE("source=loopback on a machine without an id: the log warns that addresses do not last") {
  const Server server;
  std::vector<std::string> words = proxy(server);
  words.back() += "&source=loopback";
  const std::string warning = " has a server with source=loopback, but there is no id in /etc/machine-id";
  if (net::has_lasting_machine_key()) {
    Process relay(words);
    CHECK(announced(relay) != 0);
    relay.signal(SIGTERM);
    CHECK(relay.wait() == 0);
    CHECK_FALSE(relay.err().find("/etc/machine-id") != std::string::npos);
    // The same with an empty file in its place.
    std::vector<std::string> hidden = {"/usr/bin/unshare", "--mount"};
    if (::geteuid() != 0) hidden.insert(hidden.end(), {"--user", "--map-root-user"});
    hidden.insert(hidden.end(), {"/bin/sh", "-c", "mount --bind /dev/null /etc/machine-id && exec \"$@\"", "sh"});
    std::vector<std::string> tried = hidden;
    tried.emplace_back("/bin/true");
    if (run(tried).code != 0) {
      MESSAGE("not run: this machine lends no mount namespace");
      return;
    }
    words.insert(words.begin(), hidden.begin(), hidden.end());
  }
  Process relay(words);
  CHECK(announced(relay) != 0);
  CHECK(relay.err_has(warning));
}

TEST_CASE("process 1 of a container, too, ends at once at a second signal") {
  if (testing::as_process_1().empty()) {
    MESSAGE("not run: this machine lends no process namespace");
    return;
  }
  const Folder folder;
  const Server server;
  const std::string config =
      folder.write("a.toml",
                   "[limits]\nlinger_ms = 60000\n[[route]]\nlisten = \"panic://127.0.0.1:0?dialect=be-packed\"\n"
                   "to = \"panic://127.0.0.1:" +
                       server.port() + "?dialect=be-packed\"\n");
  testing::Process1 relay({kEntente, "run", config});
  const Socket client(connect_to(announced(relay.unshare())));
  const Socket served(server.accept());
  served.send(kGreeting);
  CHECK(client.receive(kGreeting.size()).size() == kGreeting.size());
  relay.signal(SIGTERM);
  CHECK(client.receive(1).empty());  // the relay waits for the client to close
  relay.signal(SIGTERM);
  CHECK(relay.unshare().wait() == 128 + SIGTERM);
  CHECK_FALSE(relay.unshare().err().find("stopped entente") != std::string::npos);
}

TEST_CASE("a session is relayed and recorded; SIGTERM and SIGINT close the recording and end with 0") {
  for (const int number : {SIGTERM, SIGINT}) {
    const Folder folder;
    const std::string file = folder.file("session.mcap");
    const Server server;
    Process relay(proxy(server, {"--record", file}));
    const int port = announced(relay);
    CHECK(port != 0);
    CHECK(std::filesystem::exists(file + ".part"));

    const Socket client(connect_to(port));
    const Socket served(server.accept());
    served.send(kGreeting);
    CHECK(to_hex(client.receive(kGreeting.size())) == to_hex(kGreeting));
    client.send(kDrive);
    CHECK(to_hex(served.receive(kDrive.size())) == to_hex(kDrive));

    relay.signal(number);
    CHECK(client.receive(1).empty());  // the client receives the close
    shutdown(client.fd(), SHUT_WR);
    shutdown(served.fd(), SHUT_WR);
    CHECK(relay.wait() == 0);
    CHECK(relay.out() ==
          "served panic be-packed 127.0.0.1:" + std::to_string(port) +
              " sessions=1 refused=0 bytes=47 messages=4 datagrams=0 dropped=0 undecoded=0 recorded=4 unrecorded=0\n");
    CHECK(!std::filesystem::exists(file + ".part"));
    const Ended verified = run({kEntente, "verify", file});
    CHECK_MESSAGE(verified.code == 0, verified.out, verified.err);
    CHECK(verified.out.ends_with("frames=4 exact=4 opaque=0 refused=0 undecoded=0 mismatched=0\n"));
  }
}

TEST_CASE("the totals have refused clients by reason, and dropped and undecoded messages") {
  const Server server;
  Process relay({kEntente, "proxy", "--listen", "bzflag://127.0.0.1:0?dialect=2.4", "--to",
                 "bzflag://127.0.0.1:" + server.port() + "?dialect=2.4"});
  const int port = testing::listening_port(relay, "bzflag 2.4");
  {
    const Socket wrong(connect_to(port));
    wrong.send(from_hex("5055542f20485454502f312e310d0a00"));  // "PUT/ HTTP/1.1"
    CHECK(as_text(wrong.receive(8)) == "REFUSED:");            // and the reason
  }
  CHECK(relay.err_has("bad frame: wrong greeting"));
  const Socket stranger(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const sockaddr_in listener = loopback(static_cast<std::uint16_t>(port));
  REQUIRE(connect(stranger.fd(), reinterpret_cast<const sockaddr*>(&listener), sizeof(listener)) == 0);
  stranger.send(from_hex("000205040000"));
  CHECK(relay.err_has("dropped 1 datagram at 127.0.0.1:" + std::to_string(port) + " (bzflag 2.4): of no session"));
  relay.signal(SIGTERM);
  CHECK(relay.wait() == 0);
  CHECK(relay.out().starts_with("served bzflag 2.4 127.0.0.1:"));
  CHECK(relay.out().find(" refused=1 ") != std::string::npos);
  CHECK(relay.out().ends_with(" datagrams=0 dropped=1 undecoded=0 refused_bad_frame=1\n"));
}

TEST_CASE("recover repairs the recording of a killed relay") {
  const Folder folder;
  const std::string file = folder.file("session.mcap");
  const Server server;
  const std::string config = folder.write("run.toml",
                                          "[recording]\n"
                                          "directory = \"" +
                                              folder.path().string() +
                                              "\"\n"
                                              "chunk_ms = 50\n"
                                              "[[route]]\n"
                                              "listen = \"panic://127.0.0.1:0?dialect=be-packed\"\n"
                                              "to = \"panic://127.0.0.1:" +
                                              server.port() +
                                              "?dialect=be-packed\"\n"
                                              "record = \"session.mcap\"\n");
  Process relay({kEntente, "run", config});
  const Socket client(connect_to(announced(relay)));
  const Socket served(server.accept());
  served.send(kGreeting);
  CHECK(client.receive(kGreeting.size()).size() == kGreeting.size());
  const auto until = std::chrono::steady_clock::now() + Process::kPatience;
  const auto empty = std::filesystem::file_size(file + ".part");
  while (std::filesystem::file_size(file + ".part") == empty && std::chrono::steady_clock::now() < until) usleep(5000);
  relay.signal(SIGKILL);
  CHECK(relay.wait() == 128 + SIGKILL);

  const Ended recovered = run({kEntente, "recover", file + ".part"});
  CHECK_MESSAGE(recovered.code == 0, recovered.err);
  CHECK(recovered.out.starts_with(file + ": "));
  const Ended verified = run({kEntente, "verify", file});
  CHECK(verified.out.ends_with("frames=3 exact=3 opaque=0 refused=0 undecoded=0 mismatched=0\n"));
}

TEST_CASE("a second signal ends the program at once, though a client stays connected") {
  const Folder folder;
  const Server server;
  const std::string config = folder.write("run.toml",
                                          "[limits]\nlinger_ms = 60000\n[[route]]\n"
                                          "listen = \"panic://127.0.0.1:0?dialect=be-packed\"\n"
                                          "to = \"panic://127.0.0.1:" +
                                              server.port() + "?dialect=be-packed\"\n");
  Process relay({kEntente, "run", config});
  const Socket client(connect_to(announced(relay)));
  const Socket served(server.accept());
  relay.signal(SIGTERM);
  CHECK(client.receive(1).empty());  // the first signal was handled
  relay.signal(SIGTERM);
  CHECK(relay.wait() == 128 + SIGTERM);
}

TEST_CASE("a full disk stops the program only with on_full = stop, and is logged in either case") {
  Buffer pieces;  // about 200 KiB that do not compress to the 64 KiB that a file may have
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    pieces.push_back(0x10);
    for (int j = 0; j < 10; ++j) pieces.push_back(static_cast<std::uint8_t>(random()));
  }
  for (const bool stops : {true, false}) {
    const Folder folder;
    const Server server;
    const std::string config =
        folder.write("run.toml", "[recording]\nchunk_ms = 50\non_full = \"" + std::string(stops ? "stop" : "carry_on") +
                                     "\"\ndirectory = \"" + folder.path().string() +
                                     "\"\n[[route]]\nlisten = \"panic://127.0.0.1:0?dialect=be-packed\"\n"
                                     "to = \"panic://127.0.0.1:" +
                                     server.port() + "?dialect=be-packed\"\nrecord = \"full.mcap\"\n");
    // A limit on the size of files fails writes as a full disk does.
    Process relay({"/bin/bash", "-c", "trap '' XFSZ; ulimit -f 64; exec " + kEntente + " run " + config});
    const Socket client(connect_to(announced(relay)));
    const Socket served(server.accept());
    served.send(kGreeting);
    CHECK(client.receive(kGreeting.size()).size() == kGreeting.size());
    served.send(pieces);
    if (stops) {
      while (!client.receive(65'536).empty()) {
      }
      CHECK(relay.wait() == 1);
      CHECK(relay.err().find("stopping, because of recording.on_full") != std::string::npos);
    } else {
      CHECK(to_hex(client.receive(pieces.size())) == to_hex(pieces));
      CHECK(relay.err_has("traffic continues without recording"));
      served.send(kGreeting);
      CHECK(client.receive(kGreeting.size()).size() == kGreeting.size());
      relay.signal(SIGTERM);
      CHECK(client.receive(1).empty());
      relay.wait();
    }
  }
}

TEST_CASE("a recording that is removed while it is written is logged, and continues in a new file that verifies") {
  for (const bool emptied : {false, true}) {
    const Folder folder;
    const std::string file = folder.file("a.mcap"), other = folder.file("a-2.mcap");
    const Server server;
    Process relay(proxy(server, {"--record", file}));
    const Socket client(connect_to(announced(relay)));
    const Socket served(server.accept());
    served.send(kGreeting);
    CHECK(client.receive(kGreeting.size()).size() == kGreeting.size());
    REQUIRE(testing::eventually([&] {
      return run({kEntente, "verify", file + ".part"}).out.find("frames=3 ") != std::string::npos;
    }));
    if (emptied)
      std::filesystem::resize_file(file + ".part", 0);
    else
      std::filesystem::remove(file + ".part");
    const std::string now = emptied ? other : file;
    CHECK(relay.err_has("; it continues in " + now));  // also without traffic
    client.send(kDrive);
    CHECK(to_hex(Buffer(served.receive(kDrive.size()))) == to_hex(kDrive));
    relay.signal(SIGTERM);
    CHECK(client.receive(1).empty());
    CHECK(relay.wait() == 0);
    CHECK_MESSAGE(relay.out().find(" recorded=4 unrecorded=3") != std::string::npos, relay.out());  // 3 were lost
    const Ended verified = run({kEntente, "verify", now});
    CHECK_MESSAGE(verified.code == 0, verified.out, verified.err);
    CHECK(verified.out.ends_with("frames=1 exact=1 opaque=0 refused=0 undecoded=0 mismatched=0\n"));
    CHECK(verified.err.find("3 frames are not recorded: ") != std::string::npos);
  }
}

TEST_CASE("each route of a configuration is announced, and the log can be JSON") {
  const Folder folder;
  const std::string config =
      folder.write("two.toml",
                   "[log]\nformat = \"json\"\n"
                   "[[route]]\nlisten = \"bzflag://127.0.0.1:0\"\nto = \"bzflag://127.0.0.1:1\"\n"
                   "[[route]]\nlisten = \"panic://[::1]:0\"\nto = \"panic://127.0.0.1:1\"\n");
  Process relay({kEntente, "run", config});
  const auto first = relay.line(), second = relay.line();
  REQUIRE_MESSAGE(first.has_value(), relay.err());
  REQUIRE_MESSAGE(second.has_value(), relay.err());
  CHECK(first->starts_with("listening bzflag 2.4 127.0.0.1:"));
  CHECK(second->starts_with("listening panic be-packed [::1]:"));
  relay.signal(SIGTERM);
  CHECK(relay.wait() == 0);
  CHECK(relay.err().starts_with("{\"time\":\""));
  CHECK(relay.err().find("\"level\":\"info\",\"text\":\"bzflag://127.0.0.1:0 names no dialect; clients must "
                         "speak bzflag 2.4\"}\n") != std::string::npos);
}

TEST_CASE("IPv6 servers and listeners are refused for games over ENet") {
  const Ended to = run({kEntente, "proxy", "--listen", "aos://127.0.0.1:0", "--to", "aos://[::1]:1"});
  CHECK(to.code == 2);
  CHECK(to.err.find("--to 'aos://[::1]:1': ENet supports only IPv4; use an IPv4 address") != std::string::npos);
  const Ended listen = run({kEntente, "proxy", "--listen", "aos://[::1]:0", "--to", "aos://127.0.0.1:1"});
  CHECK(listen.code == 2);
  CHECK(listen.err.find("--listen 'aos://[::1]:0': ENet supports only IPv4") != std::string::npos);
}

TEST_CASE("a program that cannot start ends with 1 and an error, and leaves nothing behind") {
  const Folder folder;
  const Server server;
  const std::string file = folder.file("a.mcap");

  const Ended taken = run({kEntente, "proxy", "--listen", "panic://127.0.0.1:" + server.port(), "--to",
                           "panic://127.0.0.1:1", "--record", file});
  CHECK(taken.code == 1);
  CHECK(taken.out == "");
  CHECK(taken.err.find("cannot listen on 127.0.0.1:" + server.port() + ": Address already in use") !=
        std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));

  folder.write("a.mcap", "somebody's");
  const Ended there = run(proxy(server, {"--record", file}));
  CHECK(there.code == 1);
  CHECK(there.out == "");
  CHECK(there.err.find(file) != std::string::npos);
  CHECK(std::filesystem::file_size(file) == 10);

  const Ended nowhere = run(proxy(server, {"--record", folder.file("no/such/folder/a.mcap")}));
  CHECK(nowhere.code == 1);
  CHECK(nowhere.err.find("no/such/folder/a.mcap") != std::string::npos);

  const std::string config =
      folder.write("log.toml", "[log]\nfile = \"" + folder.file("no/such/log") +
                                   "\"\n"
                                   "[[route]]\nlisten = \"panic://127.0.0.1:0\"\nto = \"panic://127.0.0.1:1\"\n");
  const Ended unlogged = run({kEntente, "run", config});
  CHECK(unlogged.code == 1);
  CHECK(unlogged.err == config + ":2:8: log.file: there is no folder '" + folder.file("no/such") + "'\n");
}

TEST_CASE("a program whose server's name cannot be found starts, and says so") {
  Process relay({kEntente, "proxy", "--listen", "panic://127.0.0.1:0", "--to", "panic://no-such-host.invalid"});
  const auto line = relay.line();
  REQUIRE_MESSAGE(line, relay.err());
  CHECK(line->starts_with("listening panic be-packed 127.0.0.1:"));
  CHECK(relay.err_has("no address for server no-such-host.invalid:4410: cannot look up 'no-such-host.invalid': "));
  relay.signal(SIGTERM);
  CHECK(relay.wait() == 0);
}

}  // namespace entente::relay_test
