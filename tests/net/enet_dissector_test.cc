// Against ENet itself: two hosts on loopback. `intercept` feeds their datagrams to the dissector.
#include <doctest/doctest.h>
#include <enet/enet.h>

#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "proxy/net/enet/enet_dissector.h"
#include "tests/support/hex.h"

namespace entente::net::enet_dissector_test {
namespace {

using wire::Way;

struct Heard final : EnetHeard {
  std::vector<std::string> packets;
  std::vector<std::uint32_t> connects, disconnects;
  std::vector<std::string> faults;
  std::vector<std::string> wrong;  // what each fault is about
  void connect(std::uint32_t data) override { connects.push_back(data); }
  void disconnect(Way, std::uint32_t data) override { disconnects.push_back(data); }
  void packet(Way way, std::uint8_t channel, EnetDelivery send, Bytes bytes) override {
    packets.push_back(std::string(text(way)) + " " + std::to_string(channel) + " " +
                      std::to_string(static_cast<int>(send)) + " " +
                      to_hex(bytes.first(std::min<std::size_t>(bytes.size(), 8))) + " " + std::to_string(bytes.size()));
  }
  void fault(Way, const Fault& fault, Bytes bytes) override {
    faults.emplace_back(fault.what);
    wrong.push_back(to_hex(bytes));
  }
};

/// What each host is about to read, in order.
std::vector<std::pair<Way, Buffer>>* seen = nullptr;
ENetHost* server_host = nullptr;

int ENET_CALLBACK watch(ENetHost* host, ENetEvent*) {
  seen->emplace_back(host == server_host ? Way::kToServer : Way::kToClient,
                     Buffer(host->receivedData, host->receivedData + host->receivedDataLength));
  return 0;
}

struct Pair {
  explicit Pair(bool range_coder) {
    enet_initialize();
    ENetAddress any{};
    enet_address_set_host_ip(&any, "127.0.0.1");
    server = enet_host_create(&any, 4, 2, 0, 0);
    client = enet_host_create(nullptr, 1, 2, 0, 0);
    REQUIRE(server);
    REQUIRE(client);
    if (range_coder) {
      enet_host_compress_with_range_coder(server);
      enet_host_compress_with_range_coder(client);
    }
    seen = &datagrams;
    server_host = server;
    server->intercept = client->intercept = watch;
    ENetAddress address = server->address;
    enet_address_set_host_ip(&address, "127.0.0.1");
    up = enet_host_connect(client, &address, 2, 3);
    until([&] { return down != nullptr && up->state == ENET_PEER_STATE_CONNECTED; });
  }
  ~Pair() {
    enet_host_destroy(client);
    enet_host_destroy(server);
  }

  /// Runs both hosts until `done`, at most 30 seconds.
  void until(const std::function<bool()>& done) {
    const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done() && std::chrono::steady_clock::now() < stop) {
      for (ENetHost* host : {server, client}) {
        ENetEvent event;
        while (enet_host_service(host, &event, 1) > 0) {
          if (event.type == ENET_EVENT_TYPE_CONNECT && host == server) down = event.peer;
          if (event.type == ENET_EVENT_TYPE_DISCONNECT) ++ended;
          if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
          ++received;
          enet_packet_destroy(event.packet);
        }
      }
    }
    CHECK(done());
  }

  void send(ENetPeer* to, std::uint8_t channel, std::uint32_t flags, std::size_t size, std::uint8_t fill) {
    const Buffer bytes(size, fill);
    enet_peer_send(to, channel, enet_packet_create(bytes.data(), bytes.size(), flags));
  }

  std::vector<std::pair<Way, Buffer>> datagrams;
  ENetHost *server = nullptr, *client = nullptr;
  ENetPeer *up = nullptr, *down = nullptr;
  int received = 0, ended = 0;
};

std::vector<std::pair<Way, Buffer>> talk(bool range_coder) {
  Pair pair(range_coder);
  pair.send(pair.up, 0, ENET_PACKET_FLAG_RELIABLE, 3, 0x11);
  pair.send(pair.up, 1, 0, 5, 0x22);
  pair.send(pair.down, 0, ENET_PACKET_FLAG_UNSEQUENCED, 7, 0x33);
  pair.send(pair.down, 0, ENET_PACKET_FLAG_RELIABLE, 20000, 0x44);
  pair.send(pair.down, 0, ENET_PACKET_FLAG_RELIABLE, 2, 0x55);
  pair.send(pair.down, 1, ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT, 4000, 0x66);
  pair.until([&] { return pair.received == 6; });
  enet_peer_disconnect(pair.up, 10);
  pair.until([&] { return pair.ended == 2; });
  return pair.datagrams;
}

std::vector<std::string> sorted(std::vector<std::string> all) {
  std::sort(all.begin(), all.end());
  return all;
}

const std::vector<std::string> kSaid = {
    "c2s 0 1 111111 3", "c2s 1 0 2222222222 5",     "s2c 0 1 4444444444444444 20000",
    "s2c 0 1 5555 2",   "s2c 0 2 33333333333333 7", "s2c 1 0 6666666666666666 4000"};

TEST_CASE("enet: a connect is one that a client of ENet may send, up to the limits of its fields") {
  const Buffer real = Pair(false).datagrams.front().second;
  EnetUnpacker unpacker;
  const auto is_connect = [&](std::size_t offset, std::size_t size, std::uint32_t value) {
    Buffer changed = real;
    for (std::size_t i = 0; i < size; ++i)
      changed.at(offset + i) = static_cast<std::uint8_t>(value >> 8 * (size - 1 - i));
    return enet_connect(changed, unpacker).has_value();
  };
  constexpr std::size_t kChannel = 5, kPeer = 8, kMtu = 12, kChannels = 20;
  REQUIRE(enet_connect(real, unpacker).has_value());
  for (const std::uint32_t mtu : {576U, 1392U, 4096U}) CHECK(is_connect(kMtu, 4, mtu));
  for (const std::uint32_t mtu : {0U, 575U, 4097U, ~0U}) CHECK_FALSE(is_connect(kMtu, 4, mtu));
  for (const std::uint32_t channels : {1U, 255U}) CHECK(is_connect(kChannels, 4, channels));
  for (const std::uint32_t channels : {0U, 256U, ~0U}) CHECK_FALSE(is_connect(kChannels, 4, channels));
  CHECK(is_connect(kPeer, 2, 0xFFE));
  CHECK_FALSE(is_connect(kPeer, 2, 0xFFF));
  CHECK_FALSE(is_connect(kChannel, 1, 0));
}

TEST_CASE("enet: the packets of two real hosts come out, with and without the range coder") {
  for (const bool range_coder : {false, true}) {
    CAPTURE(range_coder);
    Heard heard;
    EnetUnpacker unpacker;
    EnetDissector dissector(unpacker);
    for (const auto& [way, bytes] : talk(range_coder)) dissector.datagram(way, bytes, heard);
    dissector.end(heard);
    CHECK(sorted(heard.packets) == kSaid);
    CHECK(heard.connects == std::vector<std::uint32_t>{3});
    REQUIRE_FALSE(heard.disconnects.empty());
    CHECK(heard.disconnects.front() == 10);
    CHECK(heard.faults.empty());
  }
}

TEST_CASE("enet: reliable packets come out once and in order, in whatever order the datagrams come") {
  auto datagrams = talk(true);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    auto mixed = datagrams;
    for (const auto& datagram : datagrams) mixed.push_back(datagram);  // each one twice
    std::shuffle(mixed.begin() + 4, mixed.end(), random);              // after the handshake
    mixed.erase(std::remove_if(mixed.begin() + 4, mixed.end(), [&](auto& d) { return d == datagrams[0]; }),
                mixed.end());
    Heard heard;
    EnetUnpacker unpacker;
    EnetDissector dissector(unpacker);
    for (const auto& [way, bytes] : mixed) dissector.datagram(way, bytes, heard);
    dissector.end(heard);
    std::vector<std::string> reliable;
    for (const auto& packet : heard.packets)
      if (packet.starts_with("s2c 0 1")) reliable.push_back(packet);
    CHECK(reliable == std::vector<std::string>{"s2c 0 1 4444444444444444 20000", "s2c 0 1 5555 2"});
  }
}

TEST_CASE("enet: hostile datagrams cause faults and take no memory") {
  const auto datagrams = talk(true);
  std::mt19937 random(11);
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  for (int round = 0; round < 4000; ++round) {
    auto [way, bytes] = datagrams[random() % datagrams.size()];
    for (int flips = 0; flips < 3; ++flips)
      bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    dissector.datagram(way, bytes, heard);
  }
  dissector.end(heard);
  CHECK_FALSE(heard.faults.empty());
}

/// The result for one fragment of one byte, of `count`, that announces a packet of `size` (both in hex).
std::vector<std::string> faults_of_fragment(const std::string& count, const std::string& total) {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const std::string first = "00000000";  // number and offset
  dissector.datagram(Way::kToClient,
                     from_hex("0000"
                              "88000001"
                              "0001"
                              "0001" +
                              count + first + total + first + "aa"),
                     heard);
  return heard.faults;
}

TEST_CASE("enet: a fragment that announces a huge packet is refused before memory is allocated") {
  CHECK(faults_of_fragment("00000002", "7fffffff") == std::vector<std::string>{"packet too large"});
}

TEST_CASE("enet: each wrong command is reported alone, and of one that cannot be read, also what follows") {
  const std::string wrong =
      to_hex(from_hex("08000001 0001 0000 00000000 00000000 00000000 00000000"));  // of 0 fragments
  const std::string right = "4900000000010001aa", unreadable = "ff00000102";
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  std::string commands;
  for (int i = 0; i < 169; ++i) commands += wrong;
  dissector.datagram(Way::kToServer, from_hex("0000" + commands), heard);
  CHECK(heard.wrong == std::vector<std::string>(169, wrong));
  heard.wrong.clear();
  dissector.datagram(Way::kToServer, from_hex("0000" + wrong + right + wrong + unreadable + right), heard);
  CHECK(heard.wrong == std::vector<std::string>{wrong, wrong, unreadable + right});
  CHECK(heard.packets == std::vector<std::string>{"c2s 0 2 aa 1"});
}

std::string hex_of(std::uint32_t number, int digits) {
  std::string hex(static_cast<std::size_t>(digits), '0');
  for (auto at = hex.size(); at-- > 0; number >>= 4U) hex[at] = "0123456789abcdef"[number & 15U];
  return hex;
}

TEST_CASE("enet: fragments whose rest never comes take no more memory than came, and never more than the budget") {
  constexpr std::size_t kLargest = 16384;
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker, kLargest);
  std::size_t sent = 0;
  for (std::uint32_t channel = 0; channel < 200; ++channel) {
    for (std::uint32_t start = 1; start < 1000; start += 5) {
      for (std::uint32_t number = 0; number < 3; ++number) {
        const Buffer datagram = from_hex("0000" + std::string(start % 2 ? "88" : "4c") + hex_of(channel, 2) +
                                         hex_of(start + number, 4) + hex_of(start, 4) + "0001" + hex_of(4, 8) +
                                         hex_of(number, 8) + hex_of(kLargest, 8) + hex_of(number * 4096, 8) + "78");
        sent += datagram.size();
        dissector.datagram(Way::kToServer, datagram, heard);
        REQUIRE(dissector.kept() <= dissector.budget());
      }
    }
    if (channel == 0) CHECK(dissector.kept() <= 10 * sent);  // one byte in each page took 4096
  }
  REQUIRE(!heard.faults.empty());
  CHECK(heard.faults.back() == "too many packets under way");
}

TEST_CASE("enet: as many full datagrams as a gap may last are kept, and come out in order once it is filled") {
  constexpr std::size_t kLargest = 16384, kPayload = 1400 - 2 - 6;  // without the headers
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker, kLargest);
  const auto say = [&](std::uint32_t number) {
    Buffer datagram = from_hex("00008600" + hex_of(number, 4) + hex_of(kPayload, 4) + hex_of(number, 8));
    datagram.resize(2 + 6 + kPayload);
    dissector.datagram(Way::kToClient, datagram, heard);
  };
  say(1);
  constexpr std::uint32_t kGap = 2, kLast = kGap + EnetDissector::kWindow;
  for (std::uint32_t number = kGap + 1; number <= kLast; ++number) say(number);
  CHECK(heard.packets.size() == 1);
  CHECK(dissector.kept() > EnetDissector::kWindow * kPayload);
  say(kGap);
  REQUIRE(heard.packets.size() == kLast);
  for (std::uint32_t number = 1; number <= kLast; ++number)
    CHECK(heard.packets[number - 1].starts_with("s2c 0 1 " + hex_of(number, 8)));
  CHECK(heard.faults.empty());
  CHECK(dissector.kept() == 0);
}

TEST_CASE("enet: a packet that comes twice or late comes out once, whatever its number, also after a loss") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto says = [&](std::uint32_t number) {
    const std::size_t before = heard.packets.size();
    dissector.datagram(Way::kToServer, from_hex("000049000000" + hex_of(number, 4) + "0001aa"), heard);
    dissector.datagram(Way::kToServer, from_hex("00000700" + hex_of(number, 4) + "00010001bb"), heard);
    return heard.packets.size() - before;
  };
  for (const std::uint32_t first : {0x9000U, 0x0100U, 0x8200U, 0xFFFFU, 0x7FF0U}) {
    CAPTURE(first);
    dissector.lost(heard);
    CHECK(says(first) == 2);
    CHECK(says(first) == 0);
    const std::uint32_t next = (first + 1) & 0xFFFFU;
    CHECK(says(next) == 2);
    CHECK(says(first) == 0);
    CHECK(says(next) == 0);
  }
  CHECK(heard.faults.empty());
}

TEST_CASE("enet: an unreliable packet in fragments comes out once, and not after a newer one") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  // Of a packet with two fragments of two bytes, after so many reliable packets.
  const auto fragment = [&](std::uint32_t after, std::uint32_t start, std::uint32_t number, std::string_view bytes) {
    dissector.datagram(Way::kToServer,
                       from_hex("00000c00" + hex_of(after, 4) + hex_of(start, 4) + "0002" + hex_of(2, 8) +
                                hex_of(number, 8) + hex_of(4, 8) + hex_of(2 * number, 8) + std::string(bytes)),
                       heard);
  };
  const auto whole = [&](std::uint32_t start) {
    dissector.datagram(Way::kToServer, from_hex("000007000000" + hex_of(start, 4) + "0001bb"), heard);
  };
  SUBCASE("its fragments come twice") {
    for (int times = 0; times < 2; ++times)
      for (const std::uint32_t number : {0U, 1U}) fragment(0, 5, number, "aaaa");
    CHECK(heard.packets == std::vector<std::string>{"c2s 0 0 aaaaaaaa 4"});
  }
  SUBCASE("an older packet comes later") {
    for (const std::uint32_t number : {0U, 1U}) fragment(0, 5, number, "aaaa");
    whole(4);
    CHECK(heard.packets == std::vector<std::string>{"c2s 0 0 aaaaaaaa 4"});
  }
  SUBCASE("a newer packet comes before its last fragment") {
    fragment(0, 5, 0, "aaaa");
    whole(6);
    fragment(0, 5, 1, "aaaa");
    CHECK(heard.packets == std::vector<std::string>{"c2s 0 0 bb 1"});
  }
  SUBCASE("its number was that of an unfinished one, before a reliable packet") {
    fragment(0, 5, 0, "aaaa");
    fragment(1, 5, 1, "cccc");
    CHECK(heard.packets.empty());
    fragment(1, 5, 0, "cccc");
    CHECK(heard.packets == std::vector<std::string>{"c2s 0 0 cccccccc 4"});
  }
  CHECK(heard.faults.empty());
}

TEST_CASE("enet: a packet with gaps between its fragments is refused") {
  CHECK(faults_of_fragment("00000001", "00010000") ==
        std::vector<std::string>{"fragments do not add up to their packet"});
}

TEST_CASE("enet: of unsequenced packets, the last 64 numbers are remembered") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto says = [&](std::uint32_t number) {
    const std::size_t before = heard.packets.size();
    dissector.datagram(Way::kToServer, from_hex("000049000000" + hex_of(number, 4) + "0001aa"), heard);
    return heard.packets.size() - before;
  };
  CHECK(says(100) == 1);
  CHECK(says(163) == 1);
  CHECK(says(100) == 0);
  CHECK(says(101) == 1);  // late, but new
  CHECK(says(101) == 0);
  CHECK(says(164) == 1);
  CHECK(says(101) == 0);
  CHECK(says(100) == 1);  // forgotten
  CHECK(says(300) == 1);
  CHECK(says(237) == 1);
  CHECK(says(237) == 0);
}

TEST_CASE("enet: a gap that the window does not hold is reported, and what waited for it comes out in order") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto say = [&](std::uint32_t number) {
    dissector.datagram(Way::kToClient, from_hex("00000600" + hex_of(number, 4) + "0004" + hex_of(number, 8)), heard);
  };
  say(1);
  for (std::uint32_t number = 3; number <= 2 + EnetDissector::kWindow; ++number) say(number);
  CHECK(heard.packets.size() == 1);
  CHECK(heard.faults.empty());
  say(3 + EnetDissector::kWindow);
  CHECK(heard.faults == std::vector<std::string>{"reliable packets are missing"});
  CHECK(heard.wrong == std::vector<std::string>{""});  // the packet itself is right
  REQUIRE(heard.packets.size() == 2 + EnetDissector::kWindow);
  CHECK(heard.packets[1].starts_with("s2c 0 1 00000003"));
  CHECK(dissector.kept() == 0);
  say(2);  // too late, and its receiver may have waited for it
  CHECK(heard.faults ==
        std::vector<std::string>{"reliable packets are missing", "a reliable packet that was given up"});
  CHECK(heard.wrong.back() != "");
  say(1), say(3), say(3 + EnetDissector::kWindow);  // sent again
  say(4 + EnetDissector::kWindow);
  CHECK(heard.packets.size() == 3 + EnetDissector::kWindow);
  CHECK(heard.faults.size() == 2);
  dissector.lost(heard);
  say(2);
  CHECK(heard.packets.size() == 4 + EnetDissector::kWindow);
  CHECK(heard.faults.size() == 2);
}

TEST_CASE("enet: packets far ahead hide those that its receiver still waits for no more than the faults say") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto say = [&](std::uint32_t number) {
    dissector.datagram(Way::kToServer, from_hex("00000600" + hex_of(number & 0xffffU, 4) + "0001aa"), heard);
  };
  constexpr std::uint32_t kFirst = 60'000, kFar = kFirst + 20'000;
  say(kFirst);
  for (std::uint32_t i = 0; i <= EnetDissector::kWindow; ++i) say(kFar + i);
  REQUIRE(heard.faults.size() == 1);
  for (std::uint32_t number = kFirst + 1; number < kFar; ++number) say(number);
  CHECK(heard.faults.size() == 1 + kFar - kFirst - 1);
  say(kFar);
  CHECK(heard.faults.size() == kFar - kFirst);
}

TEST_CASE("enet: a packet that its receiver discards or keeps back, because it is too far ahead, hides no others") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto reliable = [&](std::uint32_t number) {
    dissector.datagram(Way::kToServer, from_hex("00000600" + hex_of(number, 4) + "0001aa"), heard);
  };
  const auto unreliable = [&](std::uint32_t number) {
    dissector.datagram(Way::kToServer, from_hex("00000700" + hex_of(number, 4) + hex_of(number, 4) + "0001bb"), heard);
  };
  const auto in_two = [&](std::uint32_t number, std::uint32_t part) {
    dissector.datagram(Way::kToServer,
                       from_hex("00000c00" + hex_of(number, 4) + hex_of(number, 4) + "0001" + hex_of(2, 8) +
                                hex_of(part, 8) + hex_of(2, 8) + hex_of(part, 8) + "cc"),
                       heard);
  };
  reliable(100);
  reliable(100 + 7 * 4096);
  CHECK(heard.faults == std::vector<std::string>{"a packet too far ahead"});
  reliable(6 * 4096);  // ENet keeps it back
  CHECK(heard.faults.size() == 1);
  unreliable(100 + 1025);
  in_two(100 + 1025, 0);
  CHECK(heard.faults.size() == 3);
  CHECK(heard.packets.size() == 1);
  for (std::uint32_t number = 101; number <= 200; ++number) {
    reliable(number);
    unreliable(number);
  }
  unreliable(200 + 1024);
  in_two(200 + 1024, 1);
  CHECK(heard.packets.size() == 1 + 2 * 100 + 1);
  CHECK(heard.faults.size() == 3);
}

TEST_CASE("enet: a packet whose fragments never come all is given up like one that is missing") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto say = [&](const std::string& text) { dissector.datagram(Way::kToServer, from_hex(text), heard); };
  say("00000600" + hex_of(1, 4) + "0001aa");
  say("00000800" + hex_of(2, 4) + hex_of(2, 4) + "0001" + hex_of(2, 8) + hex_of(0, 8) + hex_of(2, 8) + hex_of(0, 8) +
      "cc");
  for (std::uint32_t number = 4; number < 4 + EnetDissector::kWindow; ++number)
    say("00000600" + hex_of(number, 4) + "0001aa");
  CHECK(heard.packets.size() == 1);
  CHECK(heard.faults.empty());
  say("00000600" + hex_of(4 + EnetDissector::kWindow, 4) + "0001aa");
  CHECK(heard.packets.size() == 2 + EnetDissector::kWindow);
  CHECK(heard.faults == std::vector<std::string>{"reliable packets are missing"});
}

/// A client's first datagram.
Buffer connect_datagram(std::uint32_t id) {
  return from_hex("0fff82ff0001" + hex_of(0, 4) + "ffff" + hex_of(1400, 8) + hex_of(65536, 8) + hex_of(2, 8) +
                  hex_of(0, 8) + hex_of(0, 8) + hex_of(5000, 8) + hex_of(2, 8) + hex_of(2, 8) + hex_of(id, 8) +
                  hex_of(7, 8));
}

TEST_CASE("enet: a client that connects again begins with number 1; a connect that is sent again changes nothing") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto connect = [&](std::uint32_t id) { dissector.datagram(Way::kToServer, connect_datagram(id), heard); };
  const auto says = [&](std::uint32_t number) {
    const std::size_t before = heard.packets.size();
    dissector.datagram(Way::kToServer, from_hex("00000600" + hex_of(number, 4) + "0001aa"), heard);
    return heard.packets.size() - before;
  };
  connect(5);
  CHECK(says(2) == 0);  // the first one is on its way
  CHECK(says(1) == 2);
  connect(5);
  CHECK(says(1) == 0);
  CHECK(says(3) == 1);
  connect(6);
  CHECK(says(1) == 1);
  CHECK(heard.connects == std::vector<std::uint32_t>{7, 7});
  CHECK(heard.faults.empty());
}

TEST_CASE("enet: a connect within a connection, or from the server, is a fault, and nothing after it is read") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const Buffer connect = connect_datagram(5);
  dissector.datagram(Way::kToServer, connect, heard);
  for (std::uint32_t number = 1; number <= 3; ++number)
    dissector.datagram(Way::kToServer, from_hex("00000600" + hex_of(number, 4) + "0001aa"), heard);
  Buffer within = connect_datagram(6), second = connect_datagram(6);
  within[0] = 0x00;
  within[1] = 0x00;
  const Buffer packet = from_hex("0600" + hex_of(4, 4) + "0001aa");
  within.insert(within.end(), packet.begin(), packet.end());
  second.insert(second.begin() + 2, packet.begin(), packet.end());
  dissector.datagram(Way::kToServer, within, heard);
  dissector.datagram(Way::kToClient, connect_datagram(6), heard);
  dissector.datagram(Way::kToServer, second, heard);
  CHECK(heard.faults == std::vector<std::string>(3, "a connect within a connection"));
  CHECK(heard.connects.size() == 1);
  CHECK(heard.packets.size() == 4);
  dissector.datagram(Way::kToServer, from_hex("00000600" + hex_of(5, 4) + "0001aa"), heard);
  CHECK(heard.packets.size() == 5);
}

TEST_CASE("enet: after datagrams were missed, the next reliable packet of each channel comes out at once") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto says = [&](std::uint32_t channel, std::uint32_t number) {
    const std::size_t before = heard.packets.size();
    dissector.datagram(Way::kToServer, from_hex("000006" + hex_of(channel, 2) + hex_of(number, 4) + "0001aa"), heard);
    return heard.packets.size() - before;
  };
  dissector.datagram(Way::kToServer, connect_datagram(5), heard);
  CHECK(says(0, 1) == 1);
  CHECK(says(1, 2) == 0);  // the first one is on its way
  dissector.lost(heard);
  CHECK(heard.packets.size() == 2);  // nothing is waited for any longer
  CHECK(says(0, 5) == 1);
  CHECK(says(1, 0x9000) == 1);
  CHECK(says(2, 7) == 1);
  CHECK(says(2, 9) == 0);
  CHECK(says(2, 8) == 2);
  CHECK(heard.faults.empty());
}

TEST_CASE("enet: of unreliable packets that stay unfinished, the oldest makes room for the 33rd") {
  Heard heard;
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  const auto fragment = [&](std::uint32_t start, std::uint32_t number) {
    const std::size_t before = heard.packets.size();
    dissector.datagram(Way::kToServer,
                       from_hex("00000c000000" + hex_of(start, 4) + "0002" + hex_of(2, 8) + hex_of(number, 8) +
                                hex_of(4, 8) + hex_of(2 * number, 8) + "aaaa"),
                       heard);
    return heard.packets.size() - before;
  };
  for (std::uint32_t start = 1; start <= 32; ++start) CHECK(fragment(start, 0) == 0);
  const std::size_t full = dissector.kept();
  CHECK(heard.faults.empty());
  CHECK(fragment(33, 0) == 0);
  CHECK(heard.faults == std::vector<std::string>{"an unreliable packet is incomplete"});
  CHECK(heard.wrong == std::vector<std::string>{""});
  CHECK(dissector.kept() == full);
  CHECK(fragment(1, 1) == 0);  // its first part is gone
  CHECK(fragment(2, 1) == 1);
  CHECK(fragment(33, 1) == 1);
}

}  // namespace
}  // namespace entente::net::enet_dissector_test
