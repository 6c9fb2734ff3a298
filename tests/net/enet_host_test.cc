#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/net/enet/enet_clock.h"
#include "proxy/net/enet/enet_host.h"
#include "proxy/net/enet/enet_wire.h"
#include "proxy/net/service_manager.h"
#include "proxy/net/socket.h"
#include "proxy/net/udp_twin.h"
#include "tests/support/hex.h"

namespace entente::net::enet_host_test {
namespace {

Address loopback() { return *Address::parse("127.0.0.1", 0); }

std::string hex_of(std::uint32_t number, int digits) {
  std::string hex(static_cast<std::size_t>(digits), '0');
  for (auto at = hex.size(); at-- > 0; number >>= 4U) hex[at] = "0123456789abcdef"[number & 15U];
  return hex;
}

/// Logs what it receives, and echoes packets if asked.
struct Side final : EnetHost::User {
  explicit Side(Loop& loop) : host(loop, *this) {}
  void connected(EnetPeer& who, std::uint32_t data) override {
    peer = &who;
    log.push_back("up " + std::to_string(data));
    if (turns_away) host.disconnect_without_callback(*std::exchange(peer, nullptr), 5, leave_within);
  }
  void received(EnetPeer& who, std::uint8_t channel, EnetPacket packet) override {
    log.push_back(std::to_string(channel) + "/" + std::to_string(static_cast<int>(packet.delivery())) + " " +
                  to_hex(packet.bytes().first(std::min<std::size_t>(4, packet.bytes().size()))));
    if (drops) return host.disconnect_now(*std::exchange(peer, nullptr), 5);
    if (on_packet) std::exchange(on_packet, nullptr)();
    for (const Millis until = steady_now() + spins; spins != 0 && steady_now() < until;) continue;
    if (echo) host.send(who, channel, std::move(packet));
  }
  void disconnected(EnetPeer&, std::uint32_t data) override {
    peer = nullptr;
    log.push_back("down " + std::to_string(data));
    if (again) std::exchange(again, nullptr)();
  }
  void wrote(EnetPeer&) override { ++drains; }
  void refused_packets(std::uint32_t count) override { refused += count; }
  bool intercepted(const Address& from, Bytes datagram) override {
    if (as_text(datagram) != "HELLO") return false;
    host.send_raw(from, as_bytes("HI"));
    log.emplace_back("hello");
    return true;
  }

  EnetHost host;
  EnetPeer* peer = nullptr;
  bool echo = false, turns_away = false, drops = false;
  int drains = 0;
  Millis leave_within = 60'000;
  Millis spins = 0;  // how long it takes over each packet
  std::uint32_t refused = 0;
  std::function<void()> again;      // called once it has lost its peer
  std::function<void()> on_packet;  // called once, at the next packet
  std::vector<std::string> log;
};

struct Duel {
  explicit Duel(EnetOptions options) : Duel(options, options) {}
  Duel(const EnetOptions& options, const EnetOptions& of_client) : server(loop), client(loop) {
    const auto bound = server.host.listen(loopback(), options);
    REQUIRE(bound.ok());
    address = *bound;
    REQUIRE(client.host.open(of_client).ok());
  }

  /// Runs the loop until `done`, at most 30 seconds.
  void until(const std::function<bool()>& done) {
    const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done() && std::chrono::steady_clock::now() < stop) uv_run(loop.raw(), UV_RUN_ONCE);
    CHECK(done());
  }
  void connect(std::uint32_t data) {
    client.peer = client.host.connect(address, 2, data);
    REQUIRE(client.peer);
    const auto heard = client.log.size();
    until([&] { return server.peer != nullptr && client.log.size() > heard; });
  }
  ~Duel() {
    client.host.close();
    server.host.close();
    loop.run();
  }

  Loop loop;
  Side server, client;
  Address address;
};

TEST_CASE("enet: the library itself uses our clock, which no setting of the wall clock moves") {
  ENetHost* const host = enet_host_create(nullptr, 1, 1, 0, 0);
  REQUIRE(host != nullptr);
  ENetEvent event{};
  const auto before = static_cast<std::uint32_t>(steady_now());
  CHECK(enet_host_service(host, &event, 0) == 0);
  CHECK(host->serviceTime - before <= static_cast<std::uint32_t>(steady_now()) - before);
  enet_host_destroy(host);
}

TEST_CASE("enet: connections go on while the clock passes 2^31 and 2^32 milliseconds") {
  for (const std::uint64_t end : {std::uint64_t{1} << 31U, std::uint64_t{1} << 32U}) {
    enet_clock_ahead = static_cast<std::uint32_t>(end - 300 - steady_now());
    const std::uint32_t began = enet_time_get();
    Duel duel(EnetOptions{});
    duel.server.echo = true;
    duel.connect(7);
    std::size_t sent = 0;
    duel.until([&] {
      if (duel.client.log.size() == 1 + sent) {
        duel.client.host.send(*duel.client.peer, 0, EnetPacket(as_bytes("ping"), EnetDelivery::kReliable));
        ++sent;
      }
      return enet_time_get() - began > 900;
    });
    CHECK(sent > 2);
    CHECK(duel.client.log.size() >= sent);
    for (const std::string& line : duel.client.log) CHECK(line.find("down") == std::string::npos);
    CHECK(duel.server.peer != nullptr);
  }
  enet_clock_ahead = 0;
}

TEST_CASE("enet host: connects with data, echoes each kind of packet, disconnects with data") {
  for (const bool range_coder : {false, true}) {
    Duel duel({4, 2, range_coder});
    duel.server.echo = true;
    duel.connect(3);
    CHECK(duel.server.log == std::vector<std::string>{"up 3"});
    CHECK(duel.server.peer->channels() == 2);
    duel.client.host.send(*duel.client.peer, 0, EnetPacket(from_hex("0102"), EnetDelivery::kReliable));
    duel.client.host.send(*duel.client.peer, 1, EnetPacket(from_hex("0304"), EnetDelivery::kUnreliable));
    duel.client.host.send(*duel.client.peer, 0, EnetPacket(from_hex("0506"), EnetDelivery::kUnsequenced));
    duel.until([&] { return duel.client.log.size() == 4; });
    auto heard = duel.client.log;
    std::sort(heard.begin(), heard.end());
    CHECK(heard == std::vector<std::string>{"0/1 0102", "0/2 0506", "1/0 0304", "up 0"});
    duel.until([&] { return duel.client.peer->waiting() == 0 && duel.server.peer->waiting() == 0; });
    duel.server.host.disconnect(*duel.server.peer, 10);
    duel.until([&] { return duel.client.peer == nullptr; });
    CHECK(duel.client.log.back() == "down 10");
  }
}

/// A way from a client to the server, whose ends may be closed and opened again.
struct Way {
  explicit Way(const Address& server)
      : outside(std::move(*listen_datagrams(loopback()))), inside(std::move(*datagrams_towards(server))) {}
  void pass() {
    std::uint8_t room[4096];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    for (ssize_t n; (n = ::recvfrom(outside.udp.get(), room, sizeof room, MSG_DONTWAIT,
                                    reinterpret_cast<sockaddr*>(&from), &size)) > 0;) {
      client = Address::from(reinterpret_cast<const sockaddr*>(&from));
      ::send(inside.udp.get(), room, static_cast<std::size_t>(n), 0);
    }
    for (ssize_t n; (n = ::recv(inside.udp.get(), room, sizeof room, MSG_DONTWAIT)) > 0;)
      ::sendto(outside.udp.get(), room, static_cast<std::size_t>(n), 0, client.raw(), client.size());
  }

  Sockets outside, inside;
  Address client;
};

TEST_CASE("enet host: a report that nothing listens at the server is not believed if the server is heard again") {
  Duel duel(EnetOptions{});
  Way way(duel.address);  // which is closed for a moment
  const auto until = [&](const std::function<bool()>& done) {
    duel.until([&] {
      way.pass();
      uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
      return done();
    });
  };
  const Address outside = way.outside.address;
  duel.client.peer = duel.client.host.connect(outside, 2, 3);
  until([&] { return !duel.client.log.empty(); });
  way.outside.udp.reset();
  duel.client.host.send(*duel.client.peer, 0, EnetPacket(as_bytes("lost"), EnetDelivery::kReliable));
  for (int i = 0; i < 10; ++i) uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
  way.outside = std::move(*listen_datagrams(outside));
  duel.client.host.send(*duel.client.peer, 0, EnetPacket(as_bytes("heard"), EnetDelivery::kReliable));
  until([&] { return duel.server.log.size() == 3; });
  const Millis heard = steady_now();
  until([&] { return steady_now() > heard + 1'500; });  // longer than it would be believed
  CHECK(duel.client.peer != nullptr);
  CHECK(duel.client.log == std::vector<std::string>{"up 0"});
}

TEST_CASE("enet host: an empty packet is refused, with the range coder on") {
  Duel duel({4, 2, true});
  duel.connect(3);
  CHECK_FALSE(duel.client.host.send(*duel.client.peer, 0, EnetPacket(Bytes{}, EnetDelivery::kReliable)));
  CHECK(duel.client.host.send(*duel.client.peer, 0, EnetPacket(from_hex("00"), EnetDelivery::kReliable)));
  duel.until([&] { return duel.server.log.size() == 2; });
}

TEST_CASE("enet host: what a peer has not acknowledged is counted as waiting") {
  Duel duel({4, 2, false});
  duel.connect(3);
  const Buffer big(50000, 7);
  for (int i = 0; i < 10; ++i) duel.client.host.send(*duel.client.peer, 0, EnetPacket(big, EnetDelivery::kReliable));
  CHECK(duel.client.peer->waiting() == 500000);
  duel.until([&] { return duel.server.log.size() == 11; });
  duel.until([&] { return duel.client.peer->waiting() == 0; });
}

TEST_CASE("enet host: its user is told when waiting packets of either kind went out") {
  for (const EnetDelivery how : {EnetDelivery::kReliable, EnetDelivery::kUnreliable}) {
    Duel duel({4, 2, false});
    duel.connect(3);
    duel.until([&] { return duel.client.peer->waiting() == 0; });
    const int before = duel.client.drains;
    duel.client.host.send(*duel.client.peer, 0, EnetPacket(from_hex("0102"), how));
    CHECK(duel.client.drains == before);  // not from within send()
    duel.until([&] { return duel.client.drains == before + 1; });
    CHECK(duel.client.peer->waiting() == 0);
  }
}

TEST_CASE("enet host: a dropped peer is told at once, and gets none of the waiting packets") {
  Duel duel({1, 2, false});
  duel.connect(3);
  const Buffer big(50000, 7);
  for (int i = 0; i < 10; ++i) duel.server.host.send(*duel.server.peer, 0, EnetPacket(big, EnetDelivery::kReliable));
  duel.server.host.disconnect_now(*std::exchange(duel.server.peer, nullptr), 9);
  duel.until([&] { return duel.client.peer == nullptr; });
  CHECK(duel.client.log.back() == "down 9");
  CHECK(duel.server.log == std::vector<std::string>{"up 3"});  // its own user is not told
  duel.connect(4);                                             // the only place is free again
  CHECK(duel.server.log.back() == "up 4");
}

TEST_CASE("enet host: a peer that is leaving when the host closes is told so, and first hears the rest if that waits") {
  for (const bool waits : {false, true}) {
    Duel duel({1, 2, false});
    duel.connect(3);
    duel.server.host.send(*duel.server.peer, 0, EnetPacket(as_bytes("bye"), EnetDelivery::kReliable));
    duel.server.host.disconnect_without_callback(*std::exchange(duel.server.peer, nullptr), 9, 60'000);
    CHECK(duel.server.host.awaits_leaving());
    if (waits) duel.until([&] { return !duel.server.host.awaits_leaving(); });
    duel.server.host.close();
    duel.until([&] { return duel.client.peer == nullptr; });
    CHECK(duel.client.log.back() == "down 9");
    if (waits) CHECK(duel.client.log[duel.client.log.size() - 2] == "0/1 627965");
  }
}

/// Connects by ENet, is let in, and then sends nothing more, not even acknowledgements.
class Mute {
 public:
  explicit Mute(Duel& duel) : host_(enet_host_create(nullptr, 1, 2, 0, 0)) {
    ENetAddress there{};
    enet_address_set_host_ip(&there, "127.0.0.1");
    there.port = duel.address.port();
    REQUIRE(enet_host_connect(host_, &there, 2, 7) != nullptr);
    ENetEvent event{};
    duel.until([&] {
      if (event.type != ENET_EVENT_TYPE_CONNECT) enet_host_service(host_, &event, 0);
      return event.type == ENET_EVENT_TYPE_CONNECT;
    });
    const std::size_t heard = duel.server.log.size();
    enet_host_flush(host_);  // acknowledges the answer
    duel.until([&] { return duel.server.log.size() > heard; });
  }
  Mute(Mute&&) = delete;
  ~Mute() { enet_host_destroy(host_); }

 private:
  ENetHost* host_;
};

TEST_CASE("enet host: a dismissed peer that does not acknowledge takes no place from newcomers") {
  Duel duel({4, 2, false});
  duel.server.turns_away = true;
  std::vector<std::unique_ptr<Mute>> mute;
  for (int i = 0; i < 9; ++i) mute.push_back(std::make_unique<Mute>(duel));
  duel.server.turns_away = false;
  duel.connect(3);
  CHECK(duel.server.log.back() == "up 3");
}

TEST_CASE("enet host: a dismissed peer that does not acknowledge is dropped when its time is over") {
  Duel duel({4, 2, false});
  duel.server.turns_away = true;
  duel.server.leave_within = 100;
  const Millis began = steady_now();
  const Mute mute(duel);
  CHECK(duel.server.host.awaits_leaving());
  duel.until([&] { return duel.server.host.empty(); });
  CHECK(steady_now() - began < 5'000);  // then ENet would have given it up
  CHECK_FALSE(duel.server.host.awaits_leaving());
}

/// Asks for a connection without ENet.
class Forger {
 public:
  explicit Forger(const Address& to) : socket_(std::move(*datagrams_towards(to))) {}
  void ask() const {
    send(
        "8fff0000 82ff0001 0000ffff 00000578 00010000 00000002 00000000 00000000 00001388 00000002 00000002 00000063"
        "00000007");
  }
  /// Acknowledges the answer with this number, from this place, whatever the session is.
  void acknowledge(unsigned place, unsigned number) const {
    const std::string words = hex_of(number, 4) + hex_of(number, 4) + "0000";
    for (unsigned session = 0; session < 4; ++session) send(hex_of(place | session << 12U, 4) + "01ff" + words);
  }
  /// Waits for an answer.
  EnetCommand answer(Duel& duel) const {
    std::uint8_t room[128];
    ssize_t size = 0;
    duel.until([&] { return size > 0 || (size = ::recv(socket_.udp.get(), room, sizeof room, MSG_DONTWAIT)) > 0; });
    REQUIRE(size > 0);
    EnetUnpacker unpacker;
    const auto found = enet_command({room, static_cast<std::size_t>(size)}, EnetCommand::kVerifyConnect, unpacker);
    REQUIRE(found);
    return *found;
  }

 private:
  void send(const std::string& hex) const {
    const Buffer bytes = from_hex(hex);
    REQUIRE(::send(socket_.udp.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  Sockets socket_;
};

/// Waits until the server has read what was sent to it.
void read_all(Duel& duel) {
  const auto hellos = [&] { return std::count(duel.server.log.begin(), duel.server.log.end(), "hello"); };
  const auto before = hellos();
  duel.client.host.send_raw(duel.address, as_bytes("HELLO"));
  duel.until([&] { return hellos() > before; });
}

TEST_CASE("enet host: a client that has not received our answer cannot acknowledge it") {
  int ones = 0;  // it is random, so rarely 1
  for (const bool range_coder : {false, true}) {
    Duel duel({4, 2, range_coder});
    const Forger forger(duel.address);
    forger.ask();
    read_all(duel);
    for (unsigned place = 0; place < 4; ++place) forger.acknowledge(place, 1);
    read_all(duel);
    const EnetCommand answer = forger.answer(duel);
    const auto up = [&] { return std::count(duel.server.log.begin(), duel.server.log.end(), "up 7"); };
    CHECK(up() == (answer.sequence == 1 ? 1 : 0));
    ones += answer.sequence == 1 ? 1 : 0;
    duel.server.peer = nullptr;
    duel.connect(3);
    forger.acknowledge(answer.peer, answer.sequence);
    duel.until([&] { return up() == 1; });
  }
  CHECK(ones < 2);
}

TEST_CASE("enet host: a client that guesses at the number of our answer is dropped after a few guesses") {
  Duel duel({4, 2, false});
  const Forger forger(duel.address);
  forger.ask();
  EnetCommand answer = forger.answer(duel);
  for (unsigned i = 1; i <= 4; ++i) forger.acknowledge(answer.peer, (answer.sequence + i) & 0xFFFFU);
  forger.acknowledge(answer.peer, answer.sequence);
  read_all(duel);
  CHECK(duel.server.log == std::vector<std::string>{"hello"});
  forger.ask();
  answer = forger.answer(duel);
  for (unsigned i = 1; i <= 2; ++i) forger.acknowledge(answer.peer, (answer.sequence + i) & 0xFFFFU);
  forger.acknowledge(answer.peer, answer.sequence);  // in its place, the guesses before do not count
  duel.until([&] { return duel.server.log.back() == "up 7"; });
}

TEST_CASE("enet host: a client connects, hears its server and is disconnected, whatever the number of the answer is") {
  for (const std::uint16_t before : std::initializer_list<std::uint16_t>{0, 0x7FFF, 0xFFFD, 0xFFFE, 0xFFFF}) {
    CAPTURE(before);
    Loop loop;
    Side client(loop);
    REQUIRE(client.host.open({1, 2, false}).ok());
    ENetAddress here{};
    enet_address_set_host_ip(&here, "127.0.0.1");
    ENetHost* const server = enet_host_create(&here, 1, 2, 0, 0);
    REQUIRE(server != nullptr);
    server->peers[0].outgoingReliableSequenceNumber = before;
    REQUIRE(enet_socket_get_address(server->socket, &here) == 0);
    client.peer = client.host.connect(*Address::parse("127.0.0.1", here.port), 2, 3);
    const auto until = [&](const std::function<bool()>& done) {
      for (const Millis stop = steady_now() + 30'000; !done() && steady_now() < stop;) {
        uv_run(loop.raw(), UV_RUN_NOWAIT);
        ENetEvent event{};
        enet_host_service(server, &event, 1);
      }
      CHECK(done());
    };
    ENetPeer& peer = server->peers[0];
    until([&] { return client.log.size() == 1 && peer.state == ENET_PEER_STATE_CONNECTED; });
    for (int i = 0; i < 4; ++i) enet_peer_ping(&peer);
    enet_peer_send(&peer, 1, enet_packet_create("one", 3, ENET_PACKET_FLAG_RELIABLE));
    until([&] { return client.log.size() == 2 && enet_list_empty(&peer.sentReliableCommands); });
    enet_peer_disconnect(&peer, 9);
    until([&] { return client.peer == nullptr; });
    CHECK(client.log == std::vector<std::string>{"up 0", "1/1 6f6e65", "down 9"});
    client.host.close();
    loop.run();
    enet_host_destroy(server);
  }
}

TEST_CASE("enet host: a user may connect again while it is told of the loss of its only peer") {
  Duel duel({4, 2, false}, {1, 2, false});
  duel.client.again = [&] { duel.client.peer = duel.client.host.connect(duel.address, 2, 8); };
  duel.connect(7);
  duel.server.host.disconnect(*duel.server.peer, 1);
  duel.until([&] { return duel.client.log.size() == 3 && duel.server.log.size() == 3; });
  CHECK(duel.client.log == std::vector<std::string>{"up 0", "down 1", "up 0"});
  CHECK(duel.server.log.back() == "up 8");
}

TEST_CASE("enet host: a server that has ended, or is not there, is detected before ENet's own timeout") {
  Duel duel({4, 2, false}, {1, 2, false});
  duel.connect(7);
  duel.client.peer->give_up_after(600'000);
  duel.server.host.close();  // without a disconnect
  duel.client.host.send(*duel.client.peer, 0, EnetPacket(from_hex("01"), EnetDelivery::kUnreliable));
  uv_run(duel.loop.raw(), UV_RUN_ONCE);
  // Another server starts at once, and does not know the client.
  std::optional<Sockets> other = std::move(*listen_datagrams(duel.address));
  duel.until([&] { return duel.client.peer == nullptr; });
  CHECK(duel.client.log == std::vector<std::string>{"up 0", "down 0"});
  other.reset();
  duel.client.peer = duel.client.host.connect(duel.address, 2, 7);
  duel.client.peer->give_up_after(600'000);
  duel.until([&] { return duel.client.peer == nullptr; });
  CHECK(duel.client.log.size() == 3);
}

TEST_CASE("enet host: a packet over the size limit is not sent, and one that comes is refused") {
  EnetOptions small{4, 2, false};
  small.largest_packet = 2000;
  Duel duel(small, {4, 2, false});
  duel.connect(3);
  CHECK_FALSE(duel.server.host.send(*duel.server.peer, 0, EnetPacket(Buffer(2001, 1), EnetDelivery::kReliable)));
  CHECK(duel.server.peer->waiting() == 0);
  duel.client.host.send(*duel.client.peer, 0, EnetPacket(Buffer(20000, 1), EnetDelivery::kReliable));
  uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
  duel.client.host.send_raw(duel.address, as_bytes("HELLO"));
  duel.until([&] { return duel.server.log.size() > 1; });
  CHECK(duel.server.log == std::vector<std::string>{"up 3", "hello"});
  CHECK(duel.client.peer->waiting() == 20000);
}

TEST_CASE("enet host: the gaps between a packet's fragments contain no old memory") {
  Duel duel{EnetOptions{}};
  duel.connect(0);
  const std::string fragment =
      "000001"
      "88000001"
      "0001"
      "0001"
      "00000001"
      "00000000"
      "00000040"
      "00000000"
      "aa";
  for (const std::string session : {"80", "90", "a0", "b0"})  // ENet accepts only its own
    duel.client.host.send_raw(duel.address, from_hex(session + fragment));
  duel.until([&] { return duel.server.log.size() > 1; });
  CHECK(duel.server.log.back() == "0/1 aa000000");
}

/// A command that makes ENet keep something: one byte of a fragment that claims a packet of `size`, a packet behind one
/// that never comes, or an empty one.
std::string keeps(int kind, std::uint32_t number, std::uint32_t size) {
  const std::string start = hex_of(2 + 5 * (number / 3), 4), part = hex_of(number % 3, 8);
  const std::string fragment =
      start + "0001" + hex_of(4, 8) + part + hex_of(size, 8) + hex_of(number % 3 * 4096, 8) + "78";
  switch (kind) {
    case 0:
      return "08"
             "01" +
             start + fragment;  // reliable fragments
    case 1:
      return "0c"
             "01"
             "0001" +
             fragment;  // unreliable ones, after a reliable packet that never comes
    case 2:
      return "06"
             "00" +
             hex_of(2 + number, 4) +
             "0001"
             "78";  // a small reliable packet
    default:
      return "07"
             "00"
             "0001" +
             hex_of(1 + number, 4) + "0000";  // an empty unreliable packet
  }
}

TEST_CASE("enet host: what a peer makes ENet keep is bounded, by whatever it sends") {
  for (int kind = 0; kind < 4; ++kind) {
    CAPTURE(kind);
    EnetOptions options{4, 2, false};
    options.largest_packet = 16384;
    Duel duel(options);
    duel.connect(3);
    std::size_t most = 0;
    for (std::uint32_t number = 0; number < 9000 && duel.server.refused == 0;) {
      std::string commands;
      for (int i = 0; i < 40; ++i) commands += keeps(kind, number++, 16384);
      for (const std::string session : {"00", "10", "20", "30"})  // ENet accepts only its own
        duel.client.host.send_raw(duel.address, from_hex(session + "00" + commands));
      uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
      most = std::max(most, duel.server.host.kept(*duel.server.peer));
    }
    CHECK(duel.server.refused > 0);
    CHECK(most > options.largest_packet);
    CHECK(most <= options.most_kept());
    CHECK(options.most_kept() < 100 * 1024);
    // It is still served, and its memory comes back with it.
    duel.client.host.send_raw(duel.address, as_bytes("HELLO"));
    duel.until([&] { return duel.server.log.back() == "hello"; });
    duel.server.host.disconnect_now(*std::exchange(duel.server.peer, nullptr), 1);
    duel.client.host.close();
    REQUIRE(duel.client.host.open(options).ok());
    duel.connect(3);
    CHECK(duel.server.host.kept(*duel.server.peer) < 1024);
  }
}

TEST_CASE("enet host: what a peer sent before it left is delivered, however busy we are") {
  Duel duel({4, 2, false});
  duel.connect(3);
  duel.server.spins = 3;  // more than a turn
  for (int i = 0; i < 30; ++i)
    duel.client.host.send(*duel.client.peer, 0, EnetPacket(as_bytes("last"), EnetDelivery::kReliable));
  duel.client.host.disconnect(*duel.client.peer, 9);
  duel.until([&] { return duel.server.peer == nullptr; });
  CHECK(duel.server.log.size() == 32);
  CHECK(duel.server.log.back() == "down 9");
}

TEST_CASE("enet host: packets that come faster than they are dealt with are all told, once and in order") {
  Duel duel({4, 2, false});
  duel.connect(3);
  duel.server.spins = 3;  // more than a turn
  constexpr std::uint32_t kAhead = 40, kAll = 200;
  std::vector<std::string> expected{"up 3"};
  for (std::uint32_t i = 0; i < kAll; ++i) expected.push_back("0/1 " + hex_of(i, 8));
  std::uint32_t sent = 0;
  duel.until([&] {
    for (; sent < kAll && sent < duel.server.log.size() + kAhead; ++sent)
      duel.client.host.send(*duel.client.peer, 0, EnetPacket(from_hex(hex_of(sent, 8)), EnetDelivery::kReliable));
    return duel.server.log.size() >= expected.size();
  });
  CHECK(duel.server.log == expected);
}

TEST_CASE("enet host: a user who drops another peer on a packet is told of the other packets") {
  Duel duel({4, 2, false});
  Side other(duel.loop);
  REQUIRE(other.host.open({1, 2, false}).ok());
  other.peer = other.host.connect(duel.address, 2, 1);
  duel.until([&] { return other.log.size() == 1 && duel.server.peer != nullptr; });
  EnetPeer* const goes = std::exchange(duel.server.peer, nullptr);
  duel.connect(2);
  duel.server.on_packet = [&] { duel.server.host.disconnect_now(*goes, 5); };
  for (const char* const hex : {"01", "02", "03"})
    duel.client.host.send(*duel.client.peer, 0, EnetPacket(from_hex(hex), EnetDelivery::kReliable));
  duel.until([&] { return duel.server.log.size() == 5 && other.peer == nullptr; });
  CHECK(duel.server.log == std::vector<std::string>{"up 1", "up 2", "0/1 01", "0/1 02", "0/1 03"});
  other.host.close();
}

TEST_CASE("enet host: a user who drops a peer on a packet is not told of its other packets") {
  Duel duel({4, 2, false});
  duel.connect(3);
  duel.server.drops = true;
  for (int i = 0; i < 10; ++i)
    duel.client.host.send(*duel.client.peer, 0, EnetPacket(as_bytes("one"), EnetDelivery::kReliable));
  duel.until([&] { return duel.client.peer == nullptr; });
  CHECK(duel.client.log.back() == "down 5");
  CHECK(duel.server.log.size() == 2);
}

TEST_CASE("enet host: packets that wait for a lost one do not keep it out, however many they are") {
  EnetOptions options{4, 2, false};
  options.largest_packet = 16384;
  Duel duel(options);
  duel.connect(3);
  const auto send = [&duel](const std::string& commands) {
    for (const std::string session : {"00", "10", "20", "30"})  // ENet accepts only its own
      duel.client.host.send_raw(duel.address, from_hex(session + "00" + commands));
    uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
  };
  for (std::uint32_t number = 1; number < 9000 && duel.server.refused == 0;) {
    std::string commands;
    for (int i = 0; i < 30; ++i) commands += keeps(2, number++, 0);
    send(commands);
  }
  REQUIRE(duel.server.refused > 0);
  REQUIRE(duel.server.log.size() == 1);
  // The numbers 1 and 2 are missing.
  SUBCASE("which is small") {
    send("06000001000179" + keeps(2, 9001, 0));
    send("0600" + hex_of(2, 4) + "000179");
    duel.until([&] { return duel.server.log.size() > 50; });
    CHECK(duel.server.log[1] == "0/1 79");
    CHECK(duel.server.log[2] == "0/1 79");
  }
  SUBCASE("which comes in fragments") {  // each in a datagram with another packet
    const auto part = [](std::uint32_t number) {
      return "0800" + hex_of(1 + number, 4) + "00010001" + hex_of(2, 8) + hex_of(number, 8) + hex_of(16'000, 8) +
             hex_of(8000 * number, 8) + "61";
    };
    send(keeps(2, 9001, 0) + part(0));
    send(keeps(2, 9002, 0) + part(1));
    duel.until([&] { return duel.server.log.size() > 50; });
    CHECK(duel.server.log[1] == "0/1 61000000");
    CHECK(duel.server.log[2] == "0/1 78");
  }
  duel.until([&] { return duel.server.host.kept(*duel.server.peer) < 1024; });
}

TEST_CASE("enet host: a datagram that is not ENet's is answered") {
  Duel duel({4, 2, true});
  duel.connect(3);
  duel.client.host.send_raw(duel.address, as_bytes("HELLO"));
  duel.until([&] { return duel.server.log.back() == "hello"; });
}

TEST_CASE("enet host: IPv6 is refused with a clear error") {
  Loop loop;
  Side side(loop);
  const auto bound = side.host.listen(*Address::parse("::1", 0), {});
  REQUIRE_FALSE(bound.ok());
  CHECK(bound.error().text.find("IPv4 only") != std::string::npos);
}

TEST_CASE("enet host: a host without peers sleeps") {
  Duel duel({4, 2, false});
  duel.connect(1);
  duel.client.host.disconnect(*duel.client.peer, 0);
  duel.until([&] { return duel.client.peer == nullptr && duel.server.peer == nullptr; });
  uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
  CHECK(uv_backend_timeout(duel.loop.raw()) == -1);
}

/// Uses up the time that players have in a turn, for each peer that connects.
struct Slow final : EnetHost::User {
  explicit Slow(Loop& its) : loop(its), host(its, *this) {}
  void connected(EnetPeer&, std::uint32_t) override {
    const std::uint64_t until = loop.nanos() + Schedule::kPlayersTime;
    while (loop.nanos() < until) continue;
    ++ups;
  }
  void received(EnetPeer&, std::uint8_t, EnetPacket) override {}
  void disconnected(EnetPeer&, std::uint32_t) override {}
  Loop& loop;
  EnetHost host;
  int ups = 0;
};

TEST_CASE("enet host: of a crowd that connects at once, only as many are let in as fit into a turn") {
  constexpr int kCrowd = 20;
  Loop loop, elsewhere;
  Slow server(loop);
  Side crowd(elsewhere);
  const auto bound = server.host.listen(loopback(), {4 * kCrowd, 1, false});  // a quarter may be half open
  REQUIRE(bound.ok());
  REQUIRE(crowd.host.open({kCrowd, 1, false}).ok());
  for (int i = 0; i < kCrowd; ++i) REQUIRE(crowd.host.connect(*bound, 1, 1) != nullptr);
  const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int most = 0;
  while (server.ups < kCrowd && std::chrono::steady_clock::now() < stop) {
    uv_run(elsewhere.raw(), UV_RUN_NOWAIT);
    const int before = server.ups;
    uv_run(loop.raw(), UV_RUN_NOWAIT);
    most = std::max(most, server.ups - before);
  }
  CHECK(server.ups == kCrowd);
  CHECK(most == 1);
  crowd.host.close();
  server.host.close();
  loop.run();
  elsewhere.run();
}

TEST_CASE("enet host: when many connect, and later leave, at the same time, each is told of") {
  constexpr int kCrowd = 10;
  Duel duel({4 * kCrowd, 1, false}, {kCrowd, 1, false});
  const auto told = [](const Side& side, const char* what) {
    return std::count(side.log.begin(), side.log.end(), what);
  };
  std::vector<EnetPeer*> crowd;
  for (int i = 0; i < kCrowd; ++i) crowd.push_back(duel.client.host.connect(duel.address, 1, 1));
  duel.until([&] { return told(duel.server, "up 1") == kCrowd && told(duel.client, "up 0") == kCrowd; });
  for (EnetPeer* peer : crowd) duel.client.host.disconnect(*peer, 9);
  duel.until([&] { return told(duel.server, "down 9") == kCrowd; });
}

TEST_CASE("enet host: a client among a crowd that never acknowledges is not dropped with the crowd") {
  Duel duel({40, 1, false});  // a quarter may be half open
  Loop elsewhere;
  Side before(elsewhere), client(elsewhere), after(elsewhere);
  const auto connect = [&](Side& from, int times) {
    REQUIRE(from.host.open({30, 1, false}).ok());
    for (int i = 0; i < times; ++i) REQUIRE(from.host.connect(duel.address, 1, 1) != nullptr);
    uv_run(elsewhere.raw(), UV_RUN_NOWAIT);  // to send them
  };
  connect(before, 30);
  connect(client, 1);
  connect(after, 5);
  before.host.close();
  after.host.close();
  for (int turn = 0; turn < 5; ++turn) uv_run(duel.loop.raw(), UV_RUN_ONCE);  // so that it drops some of the crowd
  duel.until([&] {
    uv_run(elsewhere.raw(), UV_RUN_NOWAIT);
    return duel.server.log.size() == 1 && client.log.size() == 1;
  });
  client.host.close();
  elsewhere.run();
}

TEST_CASE("enet host: a connection without traffic is polled seldom, and stays") {
  Duel duel({4, 2, false});
  duel.connect(1);
  duel.until([&] { return uv_backend_timeout(duel.loop.raw()) > 20; });  // time to the next poll; 8 ms during traffic
  for (int turn = 0; turn < 50; ++turn) uv_run(duel.loop.raw(), UV_RUN_ONCE);
  CHECK(duel.client.peer != nullptr);
  CHECK(duel.server.peer != nullptr);
}

TEST_CASE("enet host: peers stay with the old host, newcomers connect to the new one, on the same port") {
  for (const bool range_coder : {false, true}) {
    const EnetOptions options{4, 2, range_coder};
    Duel duel(options);
    duel.server.echo = true;
    duel.connect(1);
    // A half-open peer: its connect has come, and our answer is not acknowledged yet.
    Side half_way(duel.loop);
    REQUIRE(half_way.host.open(options).ok());
    half_way.peer = half_way.host.connect(duel.address, 2, 2);
    Fd twin = udp_twin(AF_INET);
    Fd copy(::dup(twin.get()));
    add_passed(std::move(twin), duel.address);
    Side young(duel.loop);
    young.echo = true;
    REQUIRE(*young.host.listen(duel.address, options) == duel.address);
    uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
    REQUIRE(duel.server.host.release_newcomers(copy.get()));
    copy.reset();
    CHECK(young.host.local_address() == duel.address);
    CHECK_FALSE(duel.server.host.socket_for(*duel.server.peer));

    Side newcomer(duel.loop);
    REQUIRE(newcomer.host.open(options).ok());
    newcomer.peer = newcomer.host.connect(duel.address, 2, 3);
    duel.until([&] { return young.log.size() == 1 && newcomer.log.size() == 1 && half_way.log.size() == 1; });
    CHECK(young.log.front() == "up 3");
    CHECK(young.host.socket_for(*young.peer));
    CHECK(duel.server.log == std::vector<std::string>{"up 1", "up 2"});
    const std::size_t heard = duel.client.log.size();
    for (std::uint8_t i = 1; i <= 100; ++i) {
      const Buffer bytes(1 + 20 * i, i);
      duel.client.host.send(*duel.client.peer, 0, EnetPacket(bytes, EnetDelivery::kReliable));
      newcomer.host.send(*newcomer.peer, 1, EnetPacket(bytes, EnetDelivery::kReliable));
    }
    duel.until([&] { return duel.client.log.size() == heard + 100 && newcomer.log.size() == 101; });
    for (std::uint8_t i = 1; i <= 100; ++i) {
      CHECK(duel.client.log[heard + i - 1u].ends_with(to_hex(Buffer(4, i))));
      CHECK(newcomer.log[i].ends_with(to_hex(Buffer(4, i))));
    }
    CHECK(duel.server.log.size() == 102);
    CHECK(young.log.size() == 101);

    // A client that leaves and connects again from the same port is a newcomer.
    duel.client.host.disconnect(*duel.client.peer, 7);
    duel.until([&] { return duel.server.log.back() == "down 7" && duel.client.log.back() == "down 0"; });
    uv_sleep(100);
    for (int i = 0; i < 20; ++i) uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
    duel.client.host.connect(duel.address, 2, 9);
    duel.until([&] { return young.log.back() == "up 9"; });
    half_way.host.close(), newcomer.host.close(), young.host.close();
  }
}

TEST_CASE(
    "enet host: a peer that stays with the old host is heard after a report that nothing listens at its address") {
  const EnetOptions options{4, 2, false};
  Duel duel(options);
  Loop elsewhere;
  Side client(elsewhere);
  REQUIRE(client.host.open(options).ok());
  Way way(duel.address);
  const auto until = [&](const std::function<bool()>& done) {
    duel.until([&] {
      uv_run(elsewhere.raw(), UV_RUN_NOWAIT);
      way.pass();
      uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
      return done();
    });
  };
  client.peer = client.host.connect(way.outside.address, 2, 3);
  until([&] { return client.log.size() == 1 && duel.server.log.size() == 1; });
  Fd twin = udp_twin(AF_INET);
  const Fd copy(::dup(twin.get()));
  add_passed(std::move(twin), duel.address);
  Side young(duel.loop);
  REQUIRE(young.host.listen(duel.address, options).ok());
  REQUIRE(duel.server.host.release_newcomers(copy.get()));

  client.host.send(*client.peer, 0, EnetPacket(from_hex("01"), EnetDelivery::kReliable));
  uv_run(elsewhere.raw(), UV_RUN_NOWAIT);
  std::uint8_t room[4096];
  const ssize_t size = ::recv(way.outside.udp.get(), room, sizeof room, 0);
  const auto say_it = [&] { CHECK(::send(way.inside.udp.get(), room, static_cast<std::size_t>(size), 0) == size); };
  const auto turns = [&] {
    for (int i = 0; i < 10; ++i) uv_run(duel.loop.raw(), UV_RUN_NOWAIT);
  };
  say_it();
  duel.until([&] { return duel.server.log.size() == 2; });
  turns();
  say_it();
  const Address inside = local_address(way.inside.udp.get());
  way.inside.udp.reset();  // so the second acknowledgement meets nobody
  turns();
  way.inside.udp = Fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(way.inside.udp.get(), inside.raw(), inside.size()) == 0);
  REQUIRE(::connect(way.inside.udp.get(), duel.address.raw(), duel.address.size()) == 0);
  client.host.send(*client.peer, 0, EnetPacket(from_hex("02"), EnetDelivery::kReliable));
  until([&] { return duel.server.log.size() == 3; });
  CHECK(duel.server.log == std::vector<std::string>{"up 3", "0/1 01", "0/1 02"});
  CHECK(young.log.empty());
  young.host.close(), client.host.close();
  elsewhere.run();
}

TEST_CASE("enet host: a peer moves to its own host with all packets in transit, and others stay") {
  for (const bool range_coder : {false, true}) {
    Duel duel({4, 2, range_coder, 1U << 20U, {}});
    Side other(duel.loop);
    REQUIRE(other.host.open({1, 2, range_coder}).ok());
    other.peer = other.host.connect(duel.address, 2, 1);
    duel.until([&] { return other.log.size() == 1 && duel.server.peer != nullptr; });
    EnetPeer* const stays = std::exchange(duel.server.peer, nullptr);
    duel.connect(2);
    EnetPeer& moves = *duel.server.peer;
    const auto say_hundred = [&](Side& from, EnetPeer& to, std::uint8_t first) {
      for (std::uint8_t i = 0; i < 100; ++i)
        from.host.send(to, 0,
                       EnetPacket(Buffer(1 + 20 * i, static_cast<std::uint8_t>(first + i)), EnetDelivery::kReliable));
    };
    say_hundred(duel.server, moves, 1);  // queued here, and acknowledged to the new host
    say_hundred(duel.client, *duel.client.peer, 1);

    Loop there;
    auto young = std::make_unique<Side>(there);
    Fd socket = duel.server.host.socket_for(moves);
    REQUIRE(socket);
    auto moved = duel.server.host.release(moves, std::move(socket));
    REQUIRE(moved != nullptr);
    young->peer = young->host.take(std::move(moved));
    REQUIRE(young->peer == &moves);
    CHECK(young->host.local_address() == duel.address);
    say_hundred(*young, moves, 101);
    say_hundred(duel.client, *duel.client.peer, 101);
    say_hundred(other, *other.peer, 1);
    duel.server.peer = nullptr;
    const auto until = [&](const std::function<bool()>& done) {
      duel.until([&] { return uv_run(there.raw(), UV_RUN_NOWAIT), done(); });
    };
    const auto packets = [](const Side& side) {
      return std::count_if(side.log.begin(), side.log.end(), [](auto& line) { return line.starts_with("0/1"); });
    };
    until([&] { return packets(duel.client) == 200 && packets(*young) + packets(duel.server) == 300; });

    std::vector<std::string> heard;
    for (const auto& line : duel.client.log)
      if (line.starts_with("0/1")) heard.push_back(line);
    REQUIRE(heard.size() == 200);
    for (std::size_t i = 0; i < 200; ++i)
      CHECK(heard[i].starts_with("0/1 " + to_hex(Buffer(1, static_cast<std::uint8_t>(i + 1)))));
    CHECK(packets(*young) >= 100);  // packets from before the move arrived at one host or the other
    until([&] { return moves.waiting() == 0; });

    SUBCASE("the peer leaves") {
      duel.client.host.disconnect(*duel.client.peer, 7);
      until([&] { return young->log.back() == "down 7" && duel.client.log.back() == "down 0"; });
      CHECK(young->host.empty());
    }
    SUBCASE("it is dismissed") {
      young->host.disconnect(moves, 8);
      until([&] { return duel.client.log.back() == "down 8" && young->log.back() == "down 0"; });
    }
    SUBCASE("its host closes with packets waiting") { say_hundred(*young, moves, 1); }
    duel.server.host.send(*stays, 0, EnetPacket(from_hex("0102"), EnetDelivery::kReliable));
    until([&] { return other.log.back() == "0/1 0102"; });
    young->host.close();
    there.run();
    other.host.close();
  }
}

TEST_CASE(
    "enet host: what a peer sent before it moved is delivered by its new host, though the peer sends nothing more") {
  Duel duel({4, 2, false});
  duel.connect(2);
  Side young(duel.loop);
  duel.server.on_packet = [&] {
    EnetPeer& moves = *std::exchange(duel.server.peer, nullptr);
    Fd socket = duel.server.host.socket_for(moves);
    REQUIRE(socket);
    young.peer = young.host.take(duel.server.host.release(moves, std::move(socket)));
    REQUIRE(young.peer == &moves);
  };
  for (const char* const hex : {"01", "02", "03"})
    duel.client.host.send(*duel.client.peer, 0, EnetPacket(from_hex(hex), EnetDelivery::kReliable));
  duel.until([&] { return young.log.size() >= 2; });
  CHECK(duel.server.log == std::vector<std::string>{"up 2", "0/1 01"});
  CHECK(young.log == std::vector<std::string>{"0/1 02", "0/1 03"});
  young.host.close();
}

TEST_CASE("enet host: what a peer sent right before it moved is not lost, also if its host was busy with others") {
  constexpr int kCrowd = 10;
  Loop loop, of_crowd, of_client;
  Side server(loop), young(loop), crowd(of_crowd), client(of_client);
  const auto bound = server.host.listen(loopback(), {4 * kCrowd, 1, false});
  REQUIRE(bound.ok());
  const auto until = [&](const std::function<bool()>& done) {
    for (const Millis stop = steady_now() + 30'000; !done() && steady_now() < stop;)
      for (Loop* one : {&of_crowd, &of_client, &loop}) uv_run(one->raw(), UV_RUN_NOWAIT);
    CHECK(done());
  };
  REQUIRE(crowd.host.open({kCrowd, 1, false}).ok());
  std::vector<EnetPeer*> leave;
  for (int i = 0; i < kCrowd; ++i) leave.push_back(crowd.host.connect(*bound, 1, 1));
  until([&] { return server.log.size() == kCrowd && crowd.log.size() == kCrowd; });
  REQUIRE(client.host.open({1, 1, false}).ok());
  client.peer = client.host.connect(*bound, 1, 2);
  until([&] { return server.log.size() == kCrowd + 1 && client.log.size() == 1; });
  EnetPeer& moves = *server.peer;
  server.again = [&] {
    for (const Millis began = steady_now(); steady_now() < began + 3;) continue;  // more than a turn
    Fd socket = server.host.socket_for(moves);
    REQUIRE(socket);
    young.peer = young.host.take(server.host.release(moves, std::move(socket)));
    REQUIRE(young.peer == &moves);
  };
  for (EnetPeer* one : leave) crowd.host.disconnect(*one, 9);
  uv_run(of_crowd.raw(), UV_RUN_NOWAIT);
  for (const char* const hex : {"01", "02", "03"})
    client.host.send(*client.peer, 0, EnetPacket(from_hex(hex), EnetDelivery::kReliable));
  uv_run(of_client.raw(), UV_RUN_NOWAIT);  // so they come right behind those who leave
  until([&] { return young.log.size() == 3; });
  CHECK(young.log == std::vector<std::string>{"0/1 01", "0/1 02", "0/1 03"});
  until([&] { return std::count(server.log.begin(), server.log.end(), "down 9") == kCrowd; });
  for (Side* one : {&server, &young, &crowd, &client}) one->host.close();
  for (Loop* one : {&loop, &of_crowd, &of_client}) one->run();
}

TEST_CASE("enet host: a released peer that no host takes is dropped with its waiting packets") {
  Duel duel({4, 2});
  duel.connect(2);
  EnetPeer& peer = *std::exchange(duel.server.peer, nullptr);
  for (int i = 0; i < 10; ++i) duel.server.host.send(peer, 0, EnetPacket(from_hex("0102"), EnetDelivery::kReliable));
  Fd socket = duel.server.host.socket_for(peer);
  REQUIRE(duel.server.host.release(peer, std::move(socket)) != nullptr);
  CHECK(duel.server.host.empty());
  duel.connect(3);  // its place is free
}

}  // namespace
}  // namespace entente::net::enet_host_test
