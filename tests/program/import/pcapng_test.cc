// pcapng: each packet is read with the link type, clock and byte order of its own interface and section.
#include <doctest/doctest.h>

#include <cstdio>

#include "proxy/program/import/packet_source.h"
#include "proxy/program/import/pcap.h"
#include "tests/program/import/heard.h"
#include "tests/program/import/packets.h"

namespace entente::pcapng_test {
namespace {

constexpr unsigned kEthernet = 1, kWireless = 105;
constexpr std::uint64_t kSecond = 1'000'000'000;

/// A file, block by block, in one byte order.
struct Capture {
  explicit Capture(bool big) : big_endian(big) { section(); }

  void number(Buffer& out, std::uint64_t value, unsigned bytes) const {
    for (unsigned i = 0; i < bytes; ++i)
      out.push_back(static_cast<std::uint8_t>(value >> 8 * (big_endian ? bytes - 1 - i : i)));
  }
  Capture& block(std::uint32_t type, Buffer body) {
    body.resize((body.size() + 3) / 4 * 4);
    number(file, type, 4);
    number(file, body.size() + 12, 4);
    append(file, body);
    number(file, body.size() + 12, 4);
    return *this;
  }
  Capture& section() {
    Buffer body;
    number(body, 0x1A2B3C4D, 4);
    number(body, 1, 2);
    number(body, 0, 2);
    number(body, ~std::uint64_t{0}, 8);
    return block(0x0A0D0D0A, body);
  }
  void option(Buffer& out, unsigned code, const Buffer& value) const {
    number(out, code, 2);
    number(out, value.size(), 2);
    append(out, value);
    out.resize((out.size() + 3) / 4 * 4);
  }
  Capture& interface(unsigned link, int resolution = -1, std::int64_t offset_s = 0, unsigned snap_length = 0) {
    Buffer body;
    number(body, link, 2);
    number(body, 0, 2);
    number(body, snap_length, 4);
    option(body, 2, from_hex("6c6f30"));  // if_name
    if (resolution >= 0) option(body, 9, {static_cast<std::uint8_t>(resolution)});
    if (offset_s != 0) {
      Buffer value;
      number(value, static_cast<std::uint64_t>(offset_s), 8);
      option(body, 14, value);
    }
    option(body, 0, {});
    return block(1, body);
  }
  Capture& packet(unsigned interface, Bytes bytes, std::uint64_t ticks = 0, std::size_t more = 0) {
    Buffer body;
    number(body, interface, 4);
    number(body, ticks >> 32U, 4);
    number(body, ticks, 4);
    number(body, bytes.size(), 4);
    number(body, bytes.size() + more, 4);
    append(body, bytes);
    return block(6, body);
  }

  bool big_endian;
  Buffer file;
};

std::string said(Buffer file) {
  const auto source = open_packet_source(fmemopen(file.data(), file.size(), "rb"));
  if (!source) return source.error().text;
  std::string all;
  for (;;) {
    const auto packet = (*source)->next();
    if (!packet) return all + packet.error().text;
    if (!*packet) return all;
    all += std::to_string((*packet)->link) + " " + std::to_string((*packet)->time) + " " + to_hex((*packet)->bytes) +
           ((*packet)->cut ? " cut\n" : "\n");
  }
}

std::string heard(Buffer file, const ImportOptions& options = {}) {
  HeardImport heard;
  const auto done = import_pcap(fmemopen(file.data(), file.size(), "rb"), "x.pcapng", options, heard);
  return heard.all + (done ? "" : done.error().text);
}

Buffer ethernet(Bytes packet) { return joined({Buffer(12), from_hex("0800"), packet}); }

TEST_CASE("pcapng: interfaces with different link types, in both byte orders") {
  for (const bool big : {false, true}) {
    Capture capture(big);
    capture.interface(kEthernet).interface(kRaw);
    capture.packet(0, ethernet(up(10, kSyn))).packet(1, down(20, kSyn | kAck));
    capture.interface(0);  // an interface may come late
    capture.packet(2, joined({from_hex("02000000"), up(11, kAck, "01")})).packet(1, down(21, kAck, "02"));
    CHECK(heard(capture.file) == "open 0 10.0.0.1:1000\nc2s 0 01\ns2c 0 02\ngone 0\n");
  }
}

TEST_CASE("pcapng: a later section has its own byte order and interfaces") {
  Capture first(false), second(true);
  first.interface(kEthernet).packet(0, ethernet(up(10, kSyn)), 1);
  second.interface(kRaw, 9).packet(0, up(11, kAck, "01"), 5);
  CHECK(heard(joined({first.file, second.file})) == "open 0 10.0.0.1:1000\nc2s 0 01\ngone 0\n");
  CHECK(said(joined({first.file, second.file})).find("\n101 5 ") != std::string::npos);
  Capture none(true);
  none.packet(0, up(11, kAck, "01"));
  CHECK(said(joined({first.file, none.file})).ends_with(": its interface is unknown"));
}

TEST_CASE("pcapng: the clock of each interface") {
  struct Clock {
    int resolution;
    std::int64_t offset_s;
    std::uint64_t ticks, nanoseconds;
  };
  const std::uint64_t now_s = 1'795'466'843;
  const Clock clocks[] = {
      {-1, 0, now_s * 1'000'000 + 7, now_s * kSecond + 7'000},  // microseconds by default
      {6, 0, 7, 7'000},
      {0, 0, now_s, now_s * kSecond},
      {9, 0, now_s * kSecond + 7, now_s * kSecond + 7},
      {12, 0, 7'999, 7},
      {19, 0, 70'000'000'000, 7},
      {40, 0, ~std::uint64_t{0}, 0},
      {128 + 10, 0, (now_s << 10U) + 512, now_s * kSecond + kSecond / 2},
      {128 + 32, 0, (now_s << 32U) + 1, now_s * kSecond},  // 0.23 ns
      {128 + 40, 0, std::uint64_t{3} << 39U, kSecond + kSecond / 2},
      {128 + 63, 0, ~std::uint64_t{0}, 2 * kSecond - 1},
      {128 + 127, 0, ~std::uint64_t{0}, 0},
      {9, static_cast<std::int64_t>(now_s), 7, now_s * kSecond + 7},
      {9, -2, 3 * kSecond, kSecond},
  };
  for (const bool big : {false, true})
    for (const Clock& clock : clocks) {
      CAPTURE(clock.resolution);
      Capture capture(big);
      capture.interface(kRaw, clock.resolution, clock.offset_s).packet(0, from_hex("aa"), clock.ticks);
      CHECK(said(capture.file) == "101 " + std::to_string(clock.nanoseconds) + " aa\n");
    }
  for (const Clock& clock :
       {Clock{0, 0, std::uint64_t{1} << 60U, 0}, Clock{9, -2, kSecond, 0}, Clock{9, INT64_MIN, 0, 0},
        Clock{9, INT64_MAX, 0, 0}, Clock{128, 0, ~std::uint64_t{0}, 0}}) {
    Capture capture(false);
    capture.interface(kRaw, clock.resolution, clock.offset_s).packet(0, from_hex("aa"), clock.ticks);
    CHECK(said(capture.file).ends_with("the packet's time is before 1970 or after 2554"));
  }
}

TEST_CASE("pcapng: simple and obsolete packets are read; blocks of other kinds are skipped") {
  Capture capture(true);
  capture.interface(kEthernet, -1, 0, 2).interface(kRaw);
  capture.block(5, from_hex("00000000 00000000 00000000")).block(0xBAD, from_hex("00007ed9 0102"));
  capture.packet(1, from_hex("aabbcc"), 9, 2);
  capture.block(3, from_hex("00000003 0102"));                                         // simple; 2 of 3 bytes
  capture.block(2, from_hex("0001 0007 00000000 00000008 00000003 00000003 ddeeff"));  // obsolete, with 7 drops
  CHECK(said(capture.file) == "101 9000 aabbcc cut\n1 9000 0102 cut\n101 8000 ddeeff\n");
}

TEST_CASE("pcapng: packets of interfaces without IP are counted; a file with only such packets is refused") {
  Capture capture(false);
  capture.interface(kWireless).interface(kRaw);
  capture.packet(0, from_hex("aabb"));
  CHECK(heard(capture.file) == "x.pcapng: link type 105 is not one that carries IP");
  capture.packet(1, up(10, kSyn));
  CHECK(heard(capture.file) ==
        "open 0 10.0.0.1:1000\ngone 0\n"
        "remark 1 packets are of interfaces whose link type does not carry IP\n");
}

TEST_CASE("pcapng: an error names the block and its byte; packets before it are read") {
  Capture whole(false);
  whole.interface(kRaw).packet(0, up(10, kSyn)).packet(0, up(11, kAck, "01"));
  const Buffer& file = whole.file;
  const std::size_t section = 28, interface = section + 32, packet = interface + 32 + 40;
  for (std::size_t size = 4; size < file.size(); ++size) {
    const std::string got = heard(Buffer(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
    const bool between = size == section || size == interface || size == packet;
    const std::string at = size < section     ? "block 1 at byte 0"
                           : size < interface ? "block 2 at byte 28"
                           : size < packet    ? "block 3 at byte 60"
                                              : "block 4 at byte 132";
    CHECK((got.find(at + ": the file ends in it") != std::string::npos) == !between);
    CHECK(got.starts_with("open 0 10.0.0.1:1000\n") == (size >= packet));
  }
  const auto broken = [&](std::size_t byte, std::uint8_t value) {
    Buffer changed = file;
    changed[byte] = value;
    return said(changed);
  };
  CHECK(broken(8, 0) == "block 1 at byte 0: no byte-order magic");
  CHECK(broken(12, 2) == "block 1 at byte 0: only version 1 of pcapng can be read");
  CHECK(broken(4, 30) == "block 1 at byte 0: its length is impossible");
  CHECK(broken(4, 8) == "block 1 at byte 0: its length is impossible");
  CHECK(broken(7, 0x7F) == "block 1 at byte 0: it is longer than 16 MiB");
  CHECK(broken(24, 32) == "block 1 at byte 0: its two lengths differ");
  CHECK(broken(interface + 8, 9) == "block 3 at byte 60: its interface is unknown");
  CHECK(broken(interface + 20, 99) == "block 3 at byte 60: the packet is longer than its block");
  CHECK(broken(section + 18, 99) == "block 2 at byte 28: an option is longer than its block");
  for (const auto& [resolution, why] : {std::pair{"0900 0200 0606 0000", "if_tsresol needs 1 byte"},
                                        {"0e00 0400 00000000", "if_tsoffset needs 8 bytes"}}) {
    Capture capture(false);
    capture.block(1, joined({from_hex("6500 0000 00000000"), from_hex(resolution)}));
    CHECK(said(capture.file) == std::string("block 2 at byte 28: ") + why);
  }
  for (const std::uint32_t type : {1U, 2U, 3U, 6U}) CHECK(said(Capture(false).block(type, {}).file).find("needs") < 40);
}

TEST_CASE("pcap: microseconds and nanoseconds, in both byte orders") {
  struct Kind {
    const char *magic, *head, *packet;
    std::uint64_t nanoseconds;
  };
  const Kind kinds[] = {
      {"d4c3b2a1", "02000400 0000000000000000 00000400 65000000", "02000000 07000000 01000000 01000000 aa", 7'000},
      {"4d3cb2a1", "02000400 0000000000000000 00000400 65000000", "02000000 07000000 01000000 01000000 aa", 7},
      {"a1b2c3d4", "00020004 0000000000000000 00040000 00000065", "00000002 00000007 00000001 00000001 aa", 7'000},
      {"a1b23c4d", "00020004 0000000000000000 00040000 00000065", "00000002 00000007 00000001 00000001 aa", 7}};
  for (const Kind& kind : kinds)
    CHECK(said(joined({from_hex(kind.magic), from_hex(kind.head), from_hex(kind.packet)})) ==
          "12 " + std::to_string(2 * kSecond + kind.nanoseconds) + " aa\n");
}

}  // namespace
}  // namespace entente::pcapng_test
