// Recordings of aos_replay and ZeroSpades: read, written back with the same bytes, made from sessions, and played.
#include "proxy/program/import/demo.h"

#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "proxy/program/conversion/convert.h"
#include "proxy/program/playback/playable.h"
#include "proxy/program/recordings/verify.h"
#include "tests/program/folder.h"
#include "tests/program/import/heard.h"
#include "tests/program/recorded.h"

namespace entente::demo_test {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Said {
  int exit = 0;
  std::string out, err;
};

Said converted(const std::string& file, const std::string& to, bool words = false) {
  std::ostringstream out, err;
  const int exit = convert({{.file = file}, to, words}, out, err);
  return {exit, out.str(), err.str()};
}

/// A file of aos_replay, as its recorder packs it (Python's struct): "<BB", then for each packet "<fH" and its bytes.
struct Demo {
  explicit Demo(char game_version = 3) : file{'\1', game_version} {}
  Demo& packet(float seconds, std::string_view hex) { return packet(std::bit_cast<std::uint32_t>(seconds), hex); }
  Demo& packet(std::uint32_t time, std::string_view hex) {
    const Buffer bytes = from_hex(hex);
    for (unsigned shift = 0; shift < 32; shift += 8) file += static_cast<char>(time >> shift);
    file += static_cast<char>(bytes.size());
    file += static_cast<char>(bytes.size() >> 8U);
    file += as_text(bytes);
    return *this;
  }
  std::string file;
};

constexpr const char* kMapStart = "12 00001000";
constexpr const char* kMapPiece = "13 789c";
/// State Data of capture the flag, with both intels at their places.
const std::string kState =
    "0f 07 c8e6ff ff0000 00ff00" + std::string(20, '0') + std::string(20, '0') + "00" + std::string(2 * 52, '0');

struct Heard final : ImportSink {
  void opened(ConnectionId, const ImportedConnection& about, WallTime) override { all += about.dialect + "\n"; }
  void bytes(const Imported& piece) override {
    all += std::to_string(piece.time) + (piece.seconds ? "* " : " ") + to_hex(piece.bytes) + "\n";
  }
  void stream_gap(ConnectionId, wire::Way, std::uint64_t, WallTime) override { all += "lost\n"; }
  void half_closed(ConnectionId, const ImportedClose&) override { all += "ended\n"; }
  void connection_over(ConnectionId) override { all += "gone\n"; }
  void remark(std::string_view text) override { all += std::string(text) + "\n"; }
  std::string all;
};

std::string heard(const std::string& bytes) {
  Heard heard;
  std::istringstream file(bytes);
  const auto done = import_demo(file, "x.demo", heard);
  return heard.all + (done ? "" : done.error().text);
}

TEST_CASE("a .demo is read as a server's packets with their times; times finer than 1 ns are kept separately") {
  CHECK(heard(Demo(3).packet(0.5F, "0d01").packet(90'000.25F, "0d02").file) ==
        "0.75\n500000000 0d01\n90000250000000 0d02\ngone\n");
  CHECK(heard(Demo(4).packet(1.0F / 4'194'304, "0d").file) == "0.76\n238* 0d\ngone\n");
}

TEST_CASE("the error about a wrong .demo names the packet and its byte") {
  const std::string start = "0.75\n500000000 0d01\n";
  const Demo good = Demo().packet(0.5F, "0d01");
  for (const std::size_t size : {11U, 15U, 16U, 17U}) {
    const std::string cut = Demo(good).packet(1.0F, "0d02").file.substr(0, size);
    CHECK(heard(cut) == start + "x.demo ends within packet 2, which begins at byte 10\ngone\n");
  }
  CHECK(heard(good.file) == start + "gone\n");
  for (const float time : {-1.0F, -0.0F, 2e9F, std::nanf(""), std::numeric_limits<float>::infinity()})
    CHECK(heard(Demo(good).packet(time, "0d").file) ==
          start + "gone\nx.demo: packet 2 at byte 10: the time is not between 0 and 1000000000 seconds");
  CHECK(heard(Demo(good).packet(1.0F, "").file) == start + "gone\nx.demo: packet 2 at byte 14: a packet of no bytes");
  CHECK(heard("\1") == "x.demo: the file ends within its header");
  CHECK(heard(std::string("\2\3", 2)) == "x.demo: version 2 of aos_replay's format; only 1 can be read");
  CHECK(heard(std::string("\1\5", 2)) == "x.demo: version 5 of Ace of Spades; only 3 (0.75) and 4 (0.76) can be read");
  const Folder folder;
  CHECK(converted(folder.write("x.dem", std::string("\2\3abc", 5)), folder.file("y.mcap")).err.find("only 1 can be") !=
        std::string::npos);
}

TEST_CASE("a .demo that was converted and converted back has the same bytes") {
  Demo demo;
  for (std::uint32_t bits = 1; bits < 0x3C80'0000; bits += 0x0123'4567) demo.packet(bits, "0d01");  // up to 16 ms
  demo.packet(0.25F, kMapStart).packet(0.25F, kMapPiece).packet(0.5F, kState);
  demo.packet(7.125F, "0d01").packet(6.9F, "0d02");  // the recorder's clock was set back
  demo.packet(1e9F, "fe00");                         // an unknown packet
  for (float seconds = 3.3F; seconds < 1e6F; seconds *= 1.37F) demo.packet(seconds, "0d01");
  const Folder folder;
  const std::string from = folder.write("a.demo", demo.file);
  REQUIRE(converted(from, folder.file("b.mcap")).exit == kOk);
  REQUIRE(converted(folder.file("b.mcap"), folder.file("c.dem")).exit == kOk);
  CHECK(bytes_of(folder.file("c.dem")) == demo.file);
  REQUIRE(converted(from, folder.file("d.demo")).exit == kOk);
  CHECK(bytes_of(folder.file("d.demo")) == demo.file);
}

TEST_CASE("a session of real programs becomes a .demo, and the messages left out are reported") {
  const Folder folder;
  const Said said = converted(trace_file("aos/betterspades-start.pcap"), folder.file("a.demo"));
  INFO(said.err);
  REQUIRE(said.exit == kOk);
  CHECK(said.err.find("messages left out: the format holds only what the server sent") != std::string::npos);
  REQUIRE(converted(folder.file("a.demo"), folder.file("b.mcap")).exit == kOk);
  REQUIRE(converted(folder.file("b.mcap"), folder.file("c.demo")).exit == kOk);
  CHECK(bytes_of(folder.file("c.demo")) == bytes_of(folder.file("a.demo")));
  std::ostringstream out, err;
  VerifyOptions options;
  options.input.file = folder.file("a.demo");
  CHECK(verify(options, out, err) == kOk);

  spdlog::set_level(spdlog::level::warn);
  std::ostringstream terminal;
  PlayableOptions play;
  play.input.file = folder.file("a.demo");
  play.terminal = &terminal;
  const auto session = open_playable(play);
  if (!session) FAIL(session.error().text);
}

TEST_CASE("a session that cannot become a .demo is refused") {
  const Folder folder;
  const Said tanks = converted(trace_file("bzflag/bzfs2426-ctf.rec"), folder.file("a.demo"));
  CHECK(tanks.exit == kFailed);
  CHECK(tanks.err.find("only Ace of Spades 0.75 and 0.76 have recordings of aos_replay") != std::string::npos);
  const std::string no_map = folder.write("no-map.demo", Demo().packet(1.0F, kState).file);
  CHECK(converted(no_map, folder.file("b.demo")).err.find("the client was never sent the map") != std::string::npos);
  const std::string early = folder.write("early.demo", Demo().packet(1.0F, kMapPiece).file);
  CHECK(converted(early, folder.file("c.demo")).err.find("the client was never sent the state") != std::string::npos);
  CHECK(converted(no_map, folder.file("d.demo"), true).exit == kUsage);
  for (const char* name : {"a.demo", "b.demo", "c.demo", "d.demo"})
    CHECK_FALSE(std::filesystem::exists(folder.file(name)));
}

}  // namespace
}  // namespace entente::demo_test
