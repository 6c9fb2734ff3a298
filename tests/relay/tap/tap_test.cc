// The tap: it decodes, counts and records all traffic. What does not decode is counted and logged.
#include "proxy/relay/tap/tap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <map>
#include <random>
#include <set>

#include "adapters/native/native.h"
#include "proxy/base/steady_wall.h"
#include "proxy/relay/tap/ring_sink.h"
#include "proxy/trace/recording.h"
#include "proxy/trace/recording_info.h"
#include "proxy/trace/recover.h"
#include "schema/game.pb.h"
#include "tests/program/folder.h"
#include "tests/relay/peers.h"
#include "tests/support/heap.h"
#include "tests/support/hex.h"
#include "tests/support/memory_file.h"
#include "tests/support/toy_game.h"

namespace entente::relay::tap_test {
namespace {

using wire::Lane;
using wire::Way;

constexpr WallTime kSecond = 1'000'000'000;

/// A recording in memory, on a disk that the test can block.
class Disk {
 public:
  std::unique_ptr<trace::Recorder> recorder() {
    auto made = trace::Recorder::open(std::make_unique<Sink>(*this), {.chunk_bytes = 4096});
    REQUIRE(made.ok());
    return std::move(*made);
  }

  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void wait_until_stuck() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stuck_; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }

  /// One line an event; times in whole seconds.
  std::vector<std::string> lines() const {
    testing::MemorySource source(file_);
    trace::Recording recording(source);
    std::vector<std::string> all;
    for (;;) {
      const auto event = recording.next();
      CHECK_MESSAGE(event.ok(), event.error().text);
      if (!event.ok() || !*event) return all;
      all.push_back(line(**event));
    }
  }

  struct Record {
    std::string name;
    bool raw = false;
    Buffer bytes;
    trace::Delivery delivery = trace::NOT_BY_ENET;
    std::uint32_t channel = 0;
  };
  /// What was recorded of frames.
  std::vector<Record> records() const {
    testing::MemorySource source(file_);
    trace::Recording recording(source);
    std::vector<Record> all;
    for (;;) {
      const auto event = recording.next();
      CHECK_MESSAGE(event.ok(), event.error().text);
      if (!event.ok() || !*event) return all;
      if (const auto* const frame = (*event)->frame)
        all.push_back({frame->name(),
                       frame->raw(),
                       {frame->data().begin(), frame->data().end()},
                       frame->delivery(),
                       frame->channel()});
    }
  }

  /// The links of the notes that contain this; 0: no link.
  std::vector<LinkId> links_of_notes(std::string_view part) const {
    testing::MemorySource source(file_);
    trace::Recording recording(source);
    std::vector<LinkId> all;
    for (;;) {
      const auto event = recording.next();
      CHECK_MESSAGE(event.ok(), event.error().text);
      if (!event.ok() || !*event) return all;
      if ((*event)->note && (*event)->note->text().find(part) != std::string::npos)
        all.push_back((*event)->note->link());
    }
  }

 private:
  class Sink final : public trace::Sink {
   public:
    explicit Sink(Disk& disk) : disk_(disk) {}
    const std::string& name() const override { return name_; }
    Outcome<Done> write(Bytes bytes) override { return disk_.write(bytes), Done{}; }
    Outcome<Done> cut(std::uint64_t) override { return Done{}; }
    Outcome<Done> sync() override { return Done{}; }
    Outcome<Done> finish() override { return Done{}; }

   private:
    Disk& disk_;
    std::string name_ = "disk";
  };

  void write(Bytes bytes) {
    std::unique_lock lock(mutex_);
    stuck_ = held_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_; });
    stuck_ = false;
    append(file_, bytes);
  }

  static std::string line(const trace::Recording::Event& event) {
    auto at = std::to_string(event.time / kSecond) + " ";
    if (event.opened) return at + "open " + std::to_string(event.opened->link()) + " " + event.opened->dialect();
    if (event.closed) return at + "close " + std::to_string(event.closed->link()) + " " + event.closed->reason();
    if (event.note) return at + "note " + event.note->text() + " " + std::to_string(event.note->bytes_lost());
    if (!event.frame) return at + (event.word ? "word" : "world");
    const auto& frame = *event.frame;
    if (frame.name() == "Named") return at + frame.name() + " " + to_hex(as_bytes(frame.data()));
    static const std::map<trace::Lab, std::string> kLab{
        {trace::LAB_KEPT, "kept "}, {trace::LAB_ALTERED, "altered "}, {trace::LAB_MADE, "made "}};
    const auto lab = kLab.find(frame.lab());
    return at + std::to_string(frame.link()) + (frame.way() == trace::TO_SERVER ? " c2s " : " s2c ") +
           (frame.lane() == trace::DATAGRAM ? "datagram " : "") + (lab != kLab.end() ? lab->second : "") +
           frame.name() + (frame.raw() ? "(raw)" : "") + " " + std::to_string(frame.data().size());
  }

  Buffer file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false, stuck_ = false;
};

LinkInfo session(LinkId link) {
  return {.link = link, .game = &toy::game(), .dialect = 0, .client = {}, .server = {}, .listener = {}};
}

/// A Blob to the client, which may have any payload. With `code` 99 it is not a message.
Buffer blob(std::size_t payload, std::uint8_t code = 4) {
  Buffer frame{static_cast<std::uint8_t>(payload), code};
  frame.resize(2 + payload, 0xAB);
  return frame;
}

void greet(TapSink& sink, LinkId link, WallTime at) {
  sink.opened(session(link), at);
  sink.bytes(link, Way::kToServer, Lane::kStream, as_bytes("TOY!"), at);
  sink.bytes(link, Way::kToClient, Lane::kStream, as_bytes("toy\x07"), at);
}

bool ok(const Outcome<Done>& done) { return done.ok(); }

const MessageCount* find(const TapTotals& totals, std::string_view name, Way way) {
  for (const auto& one : totals.messages)
    if (one.name == name && one.way == way) return &one;
  return nullptr;
}

TEST_CASE("messages of two workers are decoded, counted and recorded in the order of their times") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink &one = tap.sink(0), &two = tap.sink(1);
  CHECK(&tap.sink(0) == &one);
  greet(one, 1, 1 * kSecond);
  greet(two, 2, 2 * kSecond);
  Buffer both = blob(5);
  append(both, blob(6));
  one.bytes(1, Way::kToClient, Lane::kStream, both, 3 * kSecond);
  two.bytes(2, Way::kToClient, Lane::kDatagram, blob(7), 4 * kSecond);
  one.closed(1, "client left", 5 * kSecond);
  two.closed(2, "server left", 6 * kSecond);
  REQUIRE(ok(tap.stop()));

  auto lines = disk.lines();
  std::stable_sort(lines.begin(), lines.end(), [](auto& a, auto& b) { return a[0] < b[0]; });
  CHECK(lines == std::vector<std::string>{"1 open 1 big", "1 1 c2s Hello 4", "1 1 s2c Welcome 4", "2 open 2 big",
                                          "2 2 c2s Hello 4", "2 2 s2c Welcome 4", "3 1 s2c Blob 7", "3 1 s2c Blob 8",
                                          "4 2 s2c datagram Blob 9", "5 close 1 client left", "6 close 2 server left"});
  const auto totals = tap.totals();
  CHECK(totals.frames == 7);
  CHECK(totals.bytes == 4 * 4 + 7 + 8 + 9);
  CHECK(totals.recorded_frames == 7);
  CHECK(totals.links == 0);
  CHECK(totals.dropped == 0);
  REQUIRE(find(totals, "Blob", Way::kToClient));
  CHECK(find(totals, "Blob", Way::kToClient)->frames == 3);
  CHECK(find(totals, "Blob", Way::kToClient)->bytes == 24);
  CHECK(find(totals, "Hello", Way::kToServer)->frames == 2);
  CHECK(find(totals, "Hello", Way::kToServer)->dialect == "big");
  CHECK_FALSE(find(totals, "Welcome", Way::kToServer));
}

TEST_CASE("what waits of two workers is taken in the order of its times") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink &one = tap.sink(0), &two = tap.sink(1);
  greet(one, 1, 1 * kSecond);
  greet(two, 2, 1 * kSecond);
  disk.hold();
  for (int i = 0; i < 100; ++i) one.bytes(1, Way::kToClient, Lane::kStream, blob(100), 2 * kSecond);
  disk.wait_until_stuck();
  std::vector<std::string> expected;
  for (WallTime at = 3; at < 9; ++at) {
    const bool first = at % 2 == 0;
    (first ? one : two).bytes(first ? 1 : 2, Way::kToClient, Lane::kStream, blob(5), at * kSecond);
    expected.push_back(std::to_string(at) + (first ? " 1" : " 2") + " s2c Blob 7");
  }
  disk.let_go();
  REQUIRE(ok(tap.stop()));
  auto lines = disk.lines();
  std::erase_if(lines, [](const std::string& line) { return line[0] < '3'; });
  CHECK(lines == expected);
}

TEST_CASE("a health check is forgotten, with all links of its session, unless its client plays") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  const auto come = [&](LinkId link, WallTime at) {
    LinkInfo client = session(link), server = session(link + 1);
    client.health_check = true;
    server.session = link;
    sink.opened(client, at);
    sink.bytes(link, Way::kToServer, Lane::kStream, as_bytes("TOY!"), at);
    sink.opened(server, at);
    sink.note(link + 1, "hello", at);
  };
  come(1, 1 * kSecond);
  come(3, 1 * kSecond);
  greet(sink, 5, 2 * kSecond);
  sink.closed(2, "done", 3 * kSecond);
  sink.closed(1, "done", 3 * kSecond);
  sink.plays(3, 4 * kSecond);
  sink.closed(4, "done", 5 * kSecond);
  sink.closed(3, "done", 5 * kSecond);
  sink.closed(5, "done", 6 * kSecond);
  CHECK(ok(tap.stop()));
  std::string all;
  for (const std::string& line : disk.lines()) all += line + "\n";
  CHECK(all ==
        "2 open 5 big\n2 5 c2s Hello 4\n2 5 s2c Welcome 4\n"
        "1 open 3 big\n1 3 c2s Hello 4\n1 open 4 big\n1 note hello 0\n"
        "5 close 4 done\n5 close 3 done\n6 close 5 done\n");
  CHECK(tap.totals().frames == 3);
}

TEST_CASE("what is held of health checks is limited: the one that exceeds it is recorded as a client") {
  TapThread tap({.ring_bytes = 4 * HeldChecks::kMost});  // all of it may wait
  TapSink& sink = tap.sink(0);
  LinkInfo check = session(1);
  check.health_check = true;
  sink.opened(check, kSecond);
  const Buffer frame = blob(255);
  std::uint64_t sent = 0;
  for (; sent < HeldChecks::kMost; sent += frame.size()) sink.bytes(1, Way::kToClient, Lane::kStream, frame, kSecond);
  sink.closed(1, "done", kSecond);
  CHECK(ok(tap.stop()));
  CHECK(tap.totals().bytes == sent);
}

TEST_CASE("however many health checks come and go, none is recorded as a client because of those before it") {
  TapThread tap({.ring_bytes = 4 * HeldChecks::kMost});  // all of it may wait
  TapSink& sink = tap.sink(0);
  const Buffer frame = blob(255);
  for (LinkId link = 1; link <= 3; ++link) {
    LinkInfo check = session(link);
    check.health_check = true;
    sink.opened(check, kSecond);
    for (std::size_t sent = 0; sent < HeldChecks::kMost / 3; sent += frame.size())
      sink.bytes(link, Way::kToClient, Lane::kStream, frame, kSecond);
    sink.closed(link, "done", kSecond);
  }
  CHECK(ok(tap.stop()));
  CHECK(tap.totals().dropped == 0);
  CHECK(tap.totals().bytes == 0);
}

TEST_CASE("messages are counted without a recording, too") {
  TapThread tap({});
  greet(tap.sink(0), 1, 1);
  REQUIRE(ok(tap.stop()));
  CHECK(tap.totals().frames == 2);
  CHECK(ok(tap.stop()));  // a second stop has no effect
}

TEST_CASE("messages that do not decode are counted, recorded as they are, and logged once a second") {
  Disk disk;
  std::vector<std::string> said;
  TapThread tap({.recorder = disk.recorder(), .said = [&](std::string_view text) { said.emplace_back(text); }});
  auto& sink = tap.sink(0);
  greet(sink, 1, 0);
  constexpr WallTime kStart = 4'000'000'000 * kSecond;  // in 2096, so that held-back lines are not due before the end
  for (WallTime i = 0; i < 12; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(3, 99), kStart + i * kSecond / 4);
  sink.bytes(1, Way::kToClient, Lane::kStream, blob(3), kStart + 3 * kSecond);
  sink.bytes(1, Way::kToServer, Lane::kDatagram, {}, kStart + 3 * kSecond);
  REQUIRE(ok(tap.stop()));

  const auto lines = disk.lines();
  CHECK(std::count(lines.begin(), lines.end(), "4000000001 1 s2c  5") == 4);
  CHECK(std::count(lines.begin(), lines.end(), "4000000003 1 s2c Blob 5") == 1);
  REQUIRE(said.size() == 5);
  CHECK(said[0] == "toy big link 1 s2c: 5 bytes could not be decoded: unknown message (code, byte 0)");
  CHECK(said[1] == said[0] + "; 3 more like it since the last report");
  CHECK(said[3].find("c2s: 0 bytes") != std::string::npos);
  CHECK(said[4] == "toy big s2c: 3 more could not be decoded: unknown message (code)");
  const auto totals = tap.totals();
  REQUIRE(totals.faults.size() == 2);
  CHECK(totals.faults[0].what == "unknown message");
  CHECK(totals.faults[0].field == "code");
  CHECK(totals.faults[0].count == 12);
}

TEST_CASE("held-back lines are logged a second later, even if their link is gone and nothing else comes") {
  std::promise<std::string> last;
  std::size_t lines = 0;
  TapThread tap({.said = [&](std::string_view text) {
    if (++lines == 2) last.set_value(std::string(text));
  }});
  const WallTime now = wall_now();
  greet(tap.sink(0), 1, now);
  Buffer all;
  for (int i = 0; i < 50; ++i) append(all, blob(3, 99));
  tap.sink(0).bytes(1, Way::kToClient, Lane::kStream, all, now);
  tap.sink(0).closed(1, "client left", now);
  auto said = last.get_future();
  REQUIRE(said.wait_for(std::chrono::seconds(40)) == std::future_status::ready);
  CHECK(said.get() == "toy big s2c: 49 more could not be decoded: unknown message (code)");
  REQUIRE(ok(tap.stop()));
  CHECK(lines == 2);
}

TEST_CASE("messages that do not decode are counted for each route") {
  TapThread tap({});
  auto& sink = tap.sink(0);
  for (const LinkId link : {1u, 2u, 3u}) {
    LinkInfo info = session(link);
    info.route = link == 3 ? 2 : 0;
    sink.opened(info, 0);
    sink.bytes(link, Way::kToServer, Lane::kDatagram, blob(3, 99), 0);
  }
  sink.bytes(3, Way::kToServer, Lane::kDatagram, blob(3, 99), 0);
  sink.bytes(3, Way::kToClient, Lane::kDatagram, blob(3), 0);
  REQUIRE(ok(tap.stop()));
  CHECK(tap.undecoded(0) == 2);
  CHECK(tap.undecoded(1) == 0);
  CHECK(tap.undecoded(2) == 2);
  CHECK(tap.undecoded(7) == 0);
}

TEST_CASE("a client's round trip is the time from a ping to its echo, and is counted for each route") {
  constexpr WallTime kMs = 1'000'000;
  TapThread tap({.ping_message = [](const wire::Game&) { return "Texts"; }});
  const auto text = [](std::size_t size) {
    Buffer frame(2 + 10 + size, 'x');  // flags, a text of eight bytes, an empty one, and the rest
    frame[0] = static_cast<std::uint8_t>(10 + size), frame[1] = 3, frame[2] = frame[11] = 0;
    return frame;
  };
  auto& sink = tap.sink(0);
  LinkInfo info = session(1);
  info.route = 2;
  sink.opened(info, 0);
  const auto pass = [&](Way way, const Buffer& frame, WallTime at) { sink.bytes(1, way, Lane::kDatagram, frame, at); };
  pass(Way::kToServer, text(3), 1 * kMs);  // no ping came before it
  pass(Way::kToClient, text(3), 10 * kMs);
  pass(Way::kToServer, text(4), 12 * kMs);  // not the echo of this ping
  pass(Way::kToServer, text(3), 40 * kMs);
  pass(Way::kToServer, text(3), 41 * kMs);  // the same echo again
  pass(Way::kToClient, text(5), 50 * kMs);  // its echo never comes
  pass(Way::kToClient, text(6), 60 * kMs);
  pass(Way::kToServer, text(6), 2'060 * kMs);
  pass(Way::kToClient, text(100), 3'000 * kMs);  // larger than any ping
  pass(Way::kToServer, text(100), 3'001 * kMs);
  // The server's link of a bridge is not counted: its client is us.
  info.link = 7, info.session = 1;
  sink.opened(info, 0);
  sink.bytes(7, Way::kToClient, Lane::kDatagram, text(3), 10 * kMs);
  sink.bytes(7, Way::kToServer, Lane::kDatagram, text(3), 20 * kMs);
  REQUIRE(ok(tap.stop()));
  const TapThread::RoundTrips told = tap.round_trips(2);
  CHECK(told.sum == 2'030);
  CHECK(told.in[2] == 1);      // 30 ms
  CHECK(told.in.back() == 1);  // 2 s
  CHECK(std::accumulate(told.in.begin(), told.in.end(), std::uint64_t{0}) == 2);
  CHECK(tap.round_trips(0).sum == 0);
}

TEST_CASE("a stream that breaks the framing is recorded as raw bytes from there on") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  auto& sink = tap.sink(0);
  greet(sink, 1, 0);
  const Buffer garbage(300, 0xFF);
  sink.bytes(1, Way::kToServer, Lane::kStream, garbage, kSecond);
  sink.bytes(1, Way::kToServer, Lane::kStream, blob(3), 2 * kSecond);
  sink.bytes(1, Way::kToClient, Lane::kStream, blob(3), 2 * kSecond);
  REQUIRE(ok(tap.stop()));
  const auto lines = disk.lines();
  REQUIRE(lines.size() == 7);
  CHECK(lines[3] == "1 1 c2s (raw) 300");
  CHECK(lines[4] == "2 1 c2s (raw) 5");
  CHECK(lines[5] == "2 1 s2c Blob 5");
  CHECK(lines[6].find("close 1 the recording ended") != std::string::npos);
  CHECK(tap.totals().raw_bytes == 305);
}

TEST_CASE("a full ring drops whole entries, counts and notes the loss, and decoding goes on") {
  Disk disk;
  std::vector<std::string> said;
  TapThread tap({.ring_bytes = 64 << 10, .recorder = disk.recorder(), .said = [&](std::string_view text) {
                   said.emplace_back(text);
                 }});
  auto& sink = tap.sink(0);
  greet(sink, 1, 1);
  greet(sink, 2, 1);
  disk.hold();
  std::size_t sent = 0;
  const auto send = [&](std::size_t times) {
    for (; times > 0; --times, ++sent) sink.bytes(1 + sent % 2, Way::kToClient, Lane::kStream, blob(100), 1);
  };
  send(100);
  disk.wait_until_stuck();
  send(2000);
  CHECK(tap.totals().dropped > 0);
  for (LinkId link = 3; link < 30; ++link) sink.opened(session(link), 1);  // openings and closings still have room
  for (LinkId link = 3; link < 30; ++link) sink.closed(link, "came and went", 1);
  disk.let_go();
  const auto all_counted = [&] {
    const auto now = tap.totals();
    return now.frames + now.dropped == sent + 4 && now.links == 2;
  };
  REQUIRE(testing::eventually(all_counted));  // there is room again
  const auto dropped_at_first = tap.totals().dropped;
  disk.hold();
  send(100);
  disk.wait_until_stuck();
  send(2000);
  CHECK(tap.totals().dropped > dropped_at_first);
  disk.let_go();
  REQUIRE(testing::eventually(all_counted));
  send(100);
  REQUIRE(ok(tap.stop()));

  const auto totals = tap.totals();
  CHECK(totals.frames + totals.dropped == sent + 4);
  CHECK(totals.dropped_bytes == totals.dropped * 102);
  CHECK(totals.recorded_frames == totals.frames);
  CHECK(totals.raw_bytes == 0);
  const auto lines = disk.lines();
  std::size_t noted = 0, opened = 0, closed = 0, frames = 0;
  for (const auto& line : lines) {
    if (line.starts_with("0 note the tap could not keep up ")) noted += std::stoul(line.substr(33));
    opened += line.find("open") != line.npos;
    closed += line.find("came and went") != line.npos;
    frames += line.find("s2c Blob 102") != line.npos;
  }
  CHECK(noted == totals.dropped_bytes);
  CHECK(frames == totals.frames - 4);
  CHECK(opened == 29);
  CHECK(closed == 27);
  CHECK(lines[lines.size() - 3] == "0 " + std::to_string(1 + (sent - 1) % 2) + " s2c Blob 102");
  std::size_t told = 0;  // the last of it at the end
  constexpr std::string_view kTold = "the tap could not keep up: ";
  for (const std::string& line : said)
    if (line.starts_with(kTold)) told += std::stoul(line.substr(kTold.size()));
  CHECK(told == totals.dropped);
}

TEST_CASE("a tap that loses something again and again says so at most once a second") {
  Disk disk;
  std::mutex mutex;
  std::size_t told = 0;
  const WallTime began = steady_wall_now();
  TapThread tap({.ring_bytes = 4096, .recorder = disk.recorder(), .said = [&](std::string_view text) {
                   const std::lock_guard lock(mutex);
                   told += text.starts_with("the tap could not keep up: ") ? 1 : 0;
                 }});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t before = tap.totals().dropped;
    disk.hold();
    for (int i = 0; i < 20; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
    disk.wait_until_stuck();
    for (int i = 0; i < 40; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
    CHECK(tap.totals().dropped > before);
    disk.let_go();
    for (int i = 0; i < 2; ++i) REQUIRE(tap.record(TapThread::Order::kNone).ok());  // it has looked at its losses
  }
  const std::lock_guard lock(mutex);
  CHECK(told >= 1);
  CHECK(told <= 1 + (steady_wall_now() - began) / kSecond);
}

TEST_CASE("while a link misses something, another one that is not greeted yet misses nothing") {
  Disk disk;
  TapThread tap({.ring_bytes = 4096, .recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  sink.opened(session(2), 1);
  disk.hold();
  for (int i = 0; i < 20; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  disk.wait_until_stuck();
  for (int i = 0; i < 40; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  CHECK(tap.totals().dropped > 0);
  disk.let_go();
  REQUIRE(tap.record(TapThread::Order::kNone).ok());  // there is room again
  sink.bytes(1, Way::kToClient, Lane::kStream, blob(3), 1);
  sink.bytes(2, Way::kToServer, Lane::kStream, as_bytes("TOY!"), 1);
  sink.bytes(2, Way::kToClient, Lane::kStream, as_bytes("toy\x07"), 1);
  REQUIRE(ok(tap.stop()));
  const auto lines = disk.lines();
  for (const char* line : {"0 2 c2s Hello 4", "0 2 s2c Welcome 4"})
    CHECK(std::find(lines.begin(), lines.end(), line) != lines.end());
}

/// A native frame with one Fact: a world whose map has this size.
Buffer land(std::size_t size) {
  words::Fact fact;
  fact.mutable_world()->set_voxels(std::string(size, 'v'));
  Buffer frame(4);
  append(frame, as_bytes(fact.SerializeAsString()));
  for (std::size_t i = 0, left = frame.size() - 4; i < 4; ++i)
    frame[i] = static_cast<std::uint8_t>(left >> (24 - 8 * i));
  return frame;
}

LinkInfo native_session(LinkId link) {
  LinkInfo info = session(link);
  info.game = &native::game();
  return info;
}

TEST_CASE("the maps of many viewers are all counted, however small the ring is") {
  constexpr std::size_t kViewers = 100;
  Disk disk;
  TapThread tap({.ring_bytes = 64 << 10, .recorder = disk.recorder()});
  auto& sink = tap.sink(0);
  for (LinkId link = 1; link <= kViewers; ++link) sink.opened(native_session(link), 1);
  const Buffer same = land(RingSink::kLarge);
  disk.hold();
  for (int i = 0; i < 2; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, same, 1);
  disk.wait_until_stuck();  // the tap's thread is blocked
  for (LinkId link = 2; link <= kViewers; ++link) sink.bytes(link, Way::kToClient, Lane::kStream, same, 1);
  disk.let_go();
  REQUIRE(ok(tap.stop()));
  const auto totals = tap.totals();
  CHECK(totals.dropped == 0);
  CHECK(totals.raw_bytes == 0);
  const MessageCount* const worlds = find(totals, "World", Way::kToClient);
  REQUIRE(worlds != nullptr);
  CHECK(worlds->frames == kViewers + 1);
}

TEST_CASE("large messages are stored beside the ring: equal ones once, up to a limit, and freed with the ring") {
  constexpr std::size_t kSize = 4U << 20U, kFit = RingSink::kMostBeside / kSize;
  const std::ptrdiff_t before = testing::bytes_here();  // nothing of this test is on another thread
  {
    net::Waker waker;
    RingSink sink(1U << 20U, waker);
    sink.opened(session(1), 1);
    for (std::size_t i = 0; i < 2 * kFit; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, Buffer(kSize, 1), 1);
    CHECK(sink.dropped().read() == 0);
    CHECK(testing::bytes_here() - before < static_cast<std::ptrdiff_t>(2 * kSize));
    for (std::size_t i = 0; i < kFit + 10; ++i)
      sink.bytes(1, Way::kToClient, Lane::kStream, Buffer(kSize, static_cast<std::uint8_t>(2 + i)), 1);
    CHECK(sink.dropped().read() == 11);  // besides the first one, there is room for kFit - 1
  }
  CHECK(testing::bytes_here() == before);
}

/// What a reader finds in a ring: how many entries with bytes, and which links have gaps.
struct Read {
  void take(RingSink& from, std::size_t most = SIZE_MAX) {
    for (; most != 0 && !from.ring().empty(); --most) {
      const Ring::Entry entry = from.ring().front();
      if (entry.header.kind == RingSink::kBytes) ++entries[entry.header.link];
      if (entry.header.kind == RingSink::kGap) gaps.insert(from_raw<Gap>(entry.bytes).link);
      from.ring().pop(entry);
    }
  }
  std::map<LinkId, std::size_t> entries;
  std::set<LinkId> gaps;
};

LinkInfo session_of(LinkId link, const char* address) {
  LinkInfo info = session(link);
  info.client = *net::Address::parse(address, 1000);
  return info;
}

TEST_CASE("what is missing of a link comes before its end, however full the ring is") {
  net::Waker waker;
  RingSink sink(64 << 10, waker);
  sink.opened(session(1), 1);
  while (sink.dropped().read() < 2) sink.bytes(1, Way::kToServer, Lane::kStream, blob(100), 1);
  const Buffer word(2'000, 1);
  while (sink.dropped().read() < 4) sink.word(1, true, word, 1);
  while (sink.dropped().read() < 5) sink.note(1, std::string(1'000, 'x'), 1);  // until nothing fits
  for (int i = 0; i < 10; ++i) {                                               // less than what bytes leave free
    REQUIRE_FALSE(sink.ring().empty());
    sink.ring().pop(sink.ring().front());
  }
  sink.closed(1, "gone", 1);
  std::vector<std::uint8_t> kinds;
  for (; !sink.ring().empty(); sink.ring().pop(sink.ring().front())) kinds.push_back(sink.ring().front().header.kind);
  REQUIRE(kinds.size() > 3);
  CHECK(std::vector(kinds.end() - 3, kinds.end()) ==
        std::vector<std::uint8_t>{RingSink::kGap, RingSink::kWordGap, RingSink::kClosed});
}

TEST_CASE("an address that floods a ring leaves room for the others; only its links miss something") {
  net::Waker waker;
  RingSink sink(64 << 10, waker);
  sink.opened(session_of(1, "192.0.2.1"), 1);
  sink.opened(session_of(2, "192.0.2.2"), 1);
  sink.opened(session_of(3, "192.0.2.3"), 1);
  sink.opened(session_of(4, "192.0.2.1"), 1);
  const auto say = [&](LinkId link, std::size_t times) {
    const std::uint64_t before = sink.dropped().read();
    for (; times != 0; --times) sink.bytes(link, Way::kToServer, Lane::kStream, blob(100), 1);
    return sink.dropped().read() - before;
  };
  CHECK(say(1, 2000) > 1000);
  CHECK(say(2, 40) == 0);
  CHECK(say(4, 40) == 40);  // of the same address
  CHECK(say(3, 40) == 0);
  CHECK(say(2, 200) > 0);  // the rest is for others
  Read read;
  read.take(sink);
  CHECK(read.entries[3] == 40);
  CHECK(read.entries[2] >= 40);
  CHECK(read.entries[4] == 0);
  CHECK(!read.gaps.contains(3));
  CHECK(say(1, 100) == 0);
  read.take(sink);
  CHECK(read.gaps == std::set<LinkId>{1, 2, 4});
}

TEST_CASE("a flood for ever, from many links of an address, takes nothing from a session that says little") {
  net::Waker waker;
  RingSink sink(64 << 10, waker);
  constexpr LinkId kFlooders = 2000, kQuiet = kFlooders + 1;
  for (LinkId link = 1; link <= kFlooders; ++link) sink.opened(session_of(link, "192.0.2.1"), 1);
  sink.opened(session_of(kQuiet, "192.0.2.2"), 1);
  Read read;
  read.take(sink);
  constexpr std::size_t kTurns = 40'000;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    for (LinkId i = 0; i < 3; ++i)
      sink.bytes(1 + static_cast<LinkId>(3 * turn + i) % kFlooders, Way::kToServer, Lane::kStream, blob(100), 1);
    if (turn % 1000 == 0) sink.bytes(kQuiet, Way::kToServer, Lane::kStream, blob(100), 1);
    read.take(sink, 1);
  }
  read.take(sink);
  CHECK(sink.dropped().read() > kTurns);
  CHECK(read.entries[kQuiet] == kTurns / 1000);
  CHECK(!read.gaps.contains(kQuiet));
  CHECK(!read.gaps.contains(0));
}

TEST_CASE("the thread that stops the tap processes what is left, and the tap's own thread gives way") {
  constexpr int kLinks = 10;
  std::promise<void> stops;
  std::thread::id last;
  int heard = 0;
  TapThread tap({.ping_message = [&, stopping = stops.get_future().share(),
                                  stopper = std::this_thread::get_id()](const wire::Game&) {
    last = std::this_thread::get_id();
    ++heard;
    stopping.wait();
    if (last != stopper) std::this_thread::sleep_for(std::chrono::milliseconds(200));  // stop() is called meanwhile
    return std::string_view();
  }});
  auto& sink = tap.sink(0);
  for (LinkId link = 1; link <= kLinks; ++link) {
    greet(sink, link, 1);
    for (int i = 0; i < 5000; ++i) sink.bytes(link, Way::kToClient, Lane::kStream, blob(4), 1);
  }
  stops.set_value();
  REQUIRE(ok(tap.stop()));
  CHECK(heard == kLinks);
  CHECK(last == std::this_thread::get_id());
  CHECK(find(tap.totals(), "Blob", Way::kToClient)->frames == kLinks * 5000);
}

TEST_CASE("if the greeting was dropped, the rest of the stream is recorded raw") {
  Disk disk;
  TapThread tap({.ring_bytes = 64 << 10, .recorder = disk.recorder()});
  auto& sink = tap.sink(0);
  greet(sink, 1, 1);
  disk.hold();
  for (int i = 0; i < 100; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(100), 1);
  disk.wait_until_stuck();
  for (int i = 0; i < 1000; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(100), 1);
  greet(sink, 2, 1);  // there is room for its opening, but not for its bytes
  disk.let_go();
  while (tap.totals().links != 2) std::this_thread::yield();
  sink.bytes(2, Way::kToClient, Lane::kStream, blob(50), 2 * kSecond);
  REQUIRE(ok(tap.stop()));
  const auto lines = disk.lines();
  CHECK(std::count(lines.begin(), lines.end(), "2 2 s2c (raw) 52") == 1);
}

TEST_CASE("if more links have gaps than can be stored, every closing still arrives") {
  Disk disk;
  TapThread tap({.ring_bytes = 4096, .recorder = disk.recorder()});
  auto& sink = tap.sink(0);
  greet(sink, 1000, 1);
  disk.hold();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 20; ++j) sink.bytes(1000, Way::kToClient, Lane::kStream, blob(100), 1);
    if (i == 0) continue;
    for (LinkId link = 1; link < 200; ++link) sink.opened(session(link), 1);
    for (LinkId link = 1; link < 200; ++link) sink.bytes(link, Way::kToServer, Lane::kStream, as_bytes("TOY!"), 1);
    for (LinkId link = 1; link < 200; ++link) sink.closed(link, "gone", 1);
  }
  disk.let_go();
  const auto dropped_before = tap.totals().dropped;
  CHECK(dropped_before > 200);
  // Closings that are still owed are written before the next message.
  while (tap.totals().links > 1) {
    sink.bytes(1000, Way::kToClient, Lane::kStream, blob(100), 1);
    std::this_thread::yield();
  }
  REQUIRE(ok(tap.stop()));
  CHECK(tap.totals().links == 0);
}

TEST_CASE("passing bytes to the tap allocates nothing") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  auto& sink = tap.sink(0);
  greet(sink, 1, 1);
  const auto frame = blob(60);
  const auto tell = [&] {
    for (int i = 0; i < 2000; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, frame, 1);
  };
  tell();  // fills every buffer once
  while (tap.totals().frames < 2002) std::this_thread::yield();
  const auto before = testing::allocations_here();  // the tap's thread may still allocate
  tell();
  CHECK(testing::allocations_here() == before);
  REQUIRE(ok(tap.stop()));
  CHECK(tap.totals().frames == 4002);
}

TEST_CASE("recording allocates nothing per frame") {
  std::size_t room = 0;
  class Nowhere final : public trace::Sink {
   public:
    explicit Nowhere(std::size_t& size) : size_(size) {}
    const std::string& name() const override { return name_; }
    Outcome<Done> write(Bytes bytes) override { return size_ += bytes.size(), Done{}; }
    Outcome<Done> cut(std::uint64_t) override { return Done{}; }
    Outcome<Done> sync() override { return Done{}; }
    Outcome<Done> finish() override { return Done{}; }

   private:
    std::size_t& size_;
    std::string name_ = "nowhere";
  };
  auto recorder = trace::Recorder::open(std::make_unique<Nowhere>(room));
  REQUIRE(recorder.ok());
  const auto frame = blob(60);
  const auto record = [&](int times) {
    for (int i = 0; i < times; ++i)
      (*recorder)->frame(1,
                         {.link = 1, .way = trace::TO_CLIENT, .lane = trace::STREAM, .bytes = frame, .name = "Blob"});
  };
  record(20'000);
  const auto before = testing::allocations();
  record(2'000);
  CHECK(testing::allocations() - before < 10);  // a chunk may have ended, which adds an entry to the summary
}

TEST_CASE("secrets in a client's frame are recorded as asterisks, unless secrets are to be kept") {
  const Buffer frame = from_hex("0a05 03616263 0000 00000000");  // Named, with "abc" in `small`
  for (const bool blanks : {true, false}) {
    Disk disk;
    TapThread::Options options{.recorder = disk.recorder()};
    if (blanks)
      options.secrets = [](const wire::Game& game) {
        CHECK(&game == &toy::game());
        return std::vector<wire::Secret>{{"Named", "small"}, {"Blob", "bytes"}};
      };
    TapThread tap(std::move(options));
    auto& sink = tap.sink(0);
    greet(sink, 1, 1);
    for (const Way way : {Way::kToServer, Way::kToClient}) sink.bytes(1, way, Lane::kStream, frame, kSecond);
    sink.closed(1, "left", kSecond);
    REQUIRE(ok(tap.stop()));
    const std::string plain = "1 Named " + to_hex(frame);
    std::vector<std::string> named;
    for (const std::string& line : disk.lines())
      if (line.starts_with("1 Named")) named.push_back(line);
    CHECK(named == std::vector<std::string>{
                       blanks ? "1 Named " + to_hex(from_hex("0a05 032a2a2a 0000 00000000")) : plain, plain});
  }
}

/// The ENet datagrams in a recording that a lab kept, or that were faulty: their bytes in hex, each with its name and
/// whether it is raw.
std::vector<std::string> enet_records(const Disk& disk) {
  std::vector<std::string> all;
  for (const Disk::Record& one : disk.records())
    all.push_back(one.name + (one.raw ? "(raw) " : " ") + to_hex(one.bytes));
  return all;
}

TEST_CASE("secrets in an ENet datagram that does not pass are recorded as asterisks, or only its header is recorded") {
  const std::string header = "8001 0002 ", ping = "05 ff 0003 ";
  const auto reliable = [](const std::string& packet) {
    return "06 00 0001 " + to_hex(Buffer{0, static_cast<std::uint8_t>(from_hex(packet).size())}) + packet;
  };
  const std::string named = "0a05 03616263 0000 00000000", stars = "0a05 032a2a2a 0000 00000000";  // "abc" in `small`
  const std::string unsequenced = "49 00 0000 0007 000c ",
                    fragment = "08 00 0004 0004 0003 00000002 00000000 00000006 00000000 ";
  const std::string cut = "06 00 0001 00ff 6162";
  struct Row {
    std::string came, recorded;
    Way way = Way::kToServer;
  };
  const Row rows[] = {
      {header + reliable(named), header + reliable(stars)},
      {"0001 " + ping + reliable(named + named), "0001 " + ping + reliable(stars + stars)},
      {header + unsequenced + named, header + unsequenced + stars},
      {header + fragment + "616263", header + fragment + "2a2a2a"},
      {header + reliable(named) + cut, header},        // what follows cannot be read
      {"c001 0002 " + reliable(named), "c001 0002 "},  // says that it is compressed
      {header + ping, header + ping},
      {header + reliable("0563616263"), header + reliable("0563616263")},  // no message
      {header + reliable(named), header + reliable(stars), Way::kToClient},
  };
  for (const bool blanks : {true, false})
    for (const Row& row : rows) {
      INFO(row.came);
      Disk disk;
      TapThread::Options options{.recorder = disk.recorder()};
      if (blanks) {
        options.secrets = [](const wire::Game&) { return std::vector<wire::Secret>{{"Named", "small"}}; };
        options.echoes = [](const wire::Game&) { return std::vector<wire::EchoField>{{"Named", "small"}}; };
      }
      TapThread tap(std::move(options));
      auto& sink = tap.sink(0);
      LinkInfo info = session(1);
      info.game = &toy::packets();
      info.enet_datagrams = true;
      sink.opened(info, 1);
      const auto keep = [&](Way way, const std::string& datagram) {
        sink.lab(1, TapSink::LabMark::kKept, 0, 1);
        sink.bytes(1, way, Lane::kDatagram, from_hex(datagram), 1);
      };
      const bool echo = row.way == Way::kToClient;
      if (echo) keep(Way::kToServer, rows[0].came);
      keep(row.way, row.came);
      sink.closed(1, "left", 1);
      REQUIRE(ok(tap.stop()));
      const auto records = enet_records(disk);
      REQUIRE(records.size() == (echo ? 2 : 1));
      CHECK(records.back() == "(raw) " + to_hex(from_hex(blanks ? row.recorded : row.came)));
    }
}

TEST_CASE("secrets in an ENet datagram with a wrong command are recorded as asterisks") {
  // A fragment that lies outside its packet; then Named, with "abc" in `small`.
  const std::string wrong = "08 00 0004 0004 0003 00000002 00000009 00000006 00000000 ";
  const std::string after = "49 00 0000 0007 000c ", named = "0a05 03616263 0000 00000000",
                    stars = "0a05 032a2a2a 0000 00000000";
  Disk disk;
  TapThread::Options options{.recorder = disk.recorder()};
  options.secrets = [](const wire::Game&) { return std::vector<wire::Secret>{{"Named", "small"}}; };
  TapThread tap(std::move(options));
  LinkInfo info = session(1);
  info.game = &toy::packets();
  info.enet_datagrams = true;
  tap.sink(0).opened(info, 1);
  tap.sink(0).bytes(1, Way::kToServer, Lane::kDatagram, from_hex("0001 " + wrong + "616263" + after + named), 1);
  tap.sink(0).closed(1, "left", 1);
  REQUIRE(ok(tap.stop()));
  CHECK(enet_records(disk) ==
        std::vector<std::string>{"(raw) " + to_hex(from_hex(wrong + "2a2a2a")), "Named " + to_hex(from_hex(stars))});
}

TEST_CASE("of an ENet datagram with many wrong commands, each is recorded once, with and without secrets") {
  constexpr std::size_t kMany = 169;
  const Buffer wrong = from_hex("08 00 0001 0001 0000 00000000 00000000 00000000 00000000");  // of 0 fragments
  const Buffer unreadable = from_hex("06 00 0001 00ff 6162");
  Buffer datagram = from_hex("0001");
  for (std::size_t i = 0; i < kMany; ++i) append(datagram, wrong);
  append(datagram, unreadable);
  for (const bool blanks : {true, false}) {
    CAPTURE(blanks);
    Disk disk;
    TapThread::Options options{.recorder = disk.recorder()};
    if (blanks) options.secrets = [](const wire::Game&) { return std::vector<wire::Secret>{{"Named", "small"}}; };
    TapThread tap(std::move(options));
    LinkInfo info = session(1);
    info.game = &toy::packets();
    info.enet_datagrams = true;
    tap.sink(0).opened(info, 1);
    tap.sink(0).bytes(1, Way::kToServer, Lane::kDatagram, datagram, 1);
    tap.sink(0).closed(1, "left", 1);
    REQUIRE(ok(tap.stop()));
    std::vector<std::string> expected(kMany, "(raw) " + to_hex(wrong));
    expected.push_back("(raw) " + to_hex(blanks ? Buffer(unreadable.size(), '*') : unreadable));
    CHECK(enet_records(disk) == expected);
  }
}

TEST_CASE("what a client wrote as a secret is recorded as asterisks where its server repeats it") {
  const Buffer written = from_hex("0a05 03616263 0000 00000000");   // Named, with "abc" in `small`
  const Buffer repeated = from_hex("0a05 03414263 0000 00000000");  // "ABc"
  Disk disk;
  TapThread::Options options{.recorder = disk.recorder()};
  options.secrets = [](const wire::Game&) { return std::vector<wire::Secret>{{"Named", "small"}}; };
  options.echoes = [](const wire::Game&) { return std::vector<wire::EchoField>{{"Named", "small"}}; };
  TapThread tap(std::move(options));
  auto& sink = tap.sink(0);
  for (const LinkId link : {1U, 2U}) greet(sink, link, 1);
  sink.bytes(1, Way::kToClient, Lane::kStream, repeated, kSecond);
  sink.bytes(1, Way::kToServer, Lane::kStream, written, kSecond);
  for (int i = 0; i < 2; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, repeated, kSecond);
  sink.bytes(2, Way::kToClient, Lane::kStream, repeated, kSecond);  // another session
  for (const LinkId link : {1U, 2U}) sink.closed(link, "left", kSecond);
  REQUIRE(ok(tap.stop()));
  std::string named;
  for (const std::string& line : disk.lines())
    if (line.find(" Named ") != line.npos) named += line + "\n";
  const std::string plain = to_hex(repeated) + "\n", blank = to_hex(from_hex("0a05 032a2a2a 0000 00000000")) + "\n";
  CHECK(named ==
        "1 Named " + plain + "1 Named " + blank + "1 Named " + blank + "1 Named " + blank + "1 Named " + plain);
}

TEST_CASE("what a lab keeps is recorded as it came, and is neither counted nor a part of the stream") {
  using Mark = TapSink::LabMark;
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 0);
  const auto pass = [&](Mark mark, Lane lane, const Buffer& frame) {
    sink.lab(1, mark, 0, 0);
    sink.bytes(1, Way::kToClient, lane, frame, 0);
  };
  pass(Mark::kKept, Lane::kStream, blob(5));
  pass(Mark::kKept, Lane::kDatagram, blob(6));
  pass(Mark::kKept, Lane::kDatagram, blob(6, 99));  // no message
  Buffer two = blob(6);
  append(two, blob(7));
  pass(Mark::kKept, Lane::kDatagram, two);
  pass(Mark::kAltered, Lane::kStream, blob(7));
  pass(Mark::kMade, Lane::kStream, blob(7));
  sink.bytes(1, Way::kToClient, Lane::kStream, blob(8), 0);
  sink.lab(1, Mark::kKept, 0, 0);
  sink.packet(1, Way::kToClient, {2, wire::EnetDelivery::kUnsequenced}, blob(9), 0);
  sink.lab(7, Mark::kKept, 0, 0);  // of no link
  sink.closed(1, "gone", 0);
  REQUIRE(ok(tap.stop()));
  std::string all;
  for (const std::string& line : disk.lines()) all += line + "\n";
  CHECK(all ==
        "0 open 1 big\n0 1 c2s Hello 4\n0 1 s2c Welcome 4\n0 1 s2c kept Blob 7\n0 1 s2c datagram kept Blob 8\n"
        "0 1 s2c datagram kept  8\n0 1 s2c datagram kept Blob 8\n0 1 s2c datagram kept Blob 9\n0 1 s2c altered Blob "
        "9\n0 1 s2c made Blob 9\n0 1 s2c Blob 10\n"
        "0 1 s2c datagram kept Blob 11\n0 close 1 gone\n");
  REQUIRE(find(tap.totals(), "Blob", Way::kToClient));
  CHECK(find(tap.totals(), "Blob", Way::kToClient)->frames == 2);
}

TEST_CASE("a client names its player: it joins with its first name, and leaves with its last") {
  std::vector<std::string> told;
  TapThread tap(
      {.player_name = [](const wire::Game&, const wire::Row& row) -> std::string_view {
         return std::string_view(row.name) == "Texts" ? "zero" : "";
       },
       .joined = [&](const LinkInfo& info,
                     const std::string& player) { told.push_back(std::to_string(info.link) + " joined: " + player); },
       .left =
           [&](const LinkInfo& info, const std::string& player, std::string_view reason, WallTime length) {
             told.push_back(std::to_string(info.link) + " left: " + player + ", " + std::string(reason) + ", " +
                            std::to_string(length / kSecond));
           }});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1 * kSecond);
  greet(sink, 2, 1 * kSecond);
  const auto write = [&](Way way, std::string_view name) {
    Buffer frame(2 + 9, 'x');  // flags and a text of eight bytes; then the name, and an empty text
    frame[1] = 3, frame[2] = 0;
    append(frame, as_bytes(name));
    frame.push_back(0);
    frame[0] = static_cast<std::uint8_t>(frame.size() - 2);
    sink.bytes(1, way, Lane::kStream, frame, 2 * kSecond);
  };
  write(Way::kToClient, "a server");  // names nobody
  write(Way::kToServer, "");
  write(Way::kToServer, "anna");
  write(Way::kToServer, "anna");
  write(Way::kToServer, "ben");
  CHECK(testing::eventually([&] { return tap.player(1) == "ben"; }));
  CHECK(tap.player(2).empty());
  sink.closed(1, "client left", 5 * kSecond);
  sink.closed(2, "client left", 5 * kSecond);
  CHECK(testing::eventually([&] { return tap.player(1).empty(); }));
  REQUIRE(ok(tap.stop()));
  CHECK(told == std::vector<std::string>{"1 joined: anna", "1 left: ben, client left, 4"});
}

TEST_CASE("words that do not fit are counted and noted, and those of others go on") {
  Disk disk;
  TapThread tap({.ring_bytes = 64 << 10, .recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  disk.hold();
  words::Fact fact;
  fact.mutable_said()->set_text(std::string(1'000, 'x'));
  const std::string said = fact.SerializeAsString();
  for (int i = 0; i < 20; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  disk.wait_until_stuck();
  for (int i = 0; i < 200; ++i) sink.word(1, true, as_bytes(said), 1);
  const auto dropped = tap.totals().dropped;
  CHECK(dropped > 50);
  disk.let_go();
  REQUIRE(testing::eventually([&] { return tap.totals().words == 200 - dropped; }));  // there is room again
  sink.word(1, true, as_bytes(said), 1);
  sink.closed(1, "gone", 1);
  REQUIRE(ok(tap.stop()));
  const auto lines = disk.lines();
  const std::string note = "0 note " + std::to_string(dropped) + " words are not recorded";
  CHECK(std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(note); }));
}

TEST_CASE("if words of several sessions do not fit, the note about them blames no single one") {
  Disk disk;
  TapThread tap({.ring_bytes = 64 << 10, .recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  for (const LinkId link : {1U, 2U}) greet(sink, link, 1);
  disk.hold();
  words::Fact fact;
  fact.mutable_said()->set_text(std::string(1'000, 'x'));
  const std::string said = fact.SerializeAsString();
  for (int i = 0; i < 20; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  disk.wait_until_stuck();
  for (LinkId i = 0; i < 400; ++i) sink.word(1 + i % 2, true, as_bytes(said), 1);
  const auto dropped = tap.totals().dropped;
  REQUIRE(dropped > 50);
  disk.let_go();
  REQUIRE(testing::eventually([&] { return tap.totals().words == 400 - dropped; }));  // there is room again
  for (const LinkId link : {1U, 2U}) sink.word(link, true, as_bytes(said), 1);
  for (const LinkId link : {1U, 2U}) sink.closed(link, "gone", 1);
  REQUIRE(ok(tap.stop()));
  const auto blamed = disk.links_of_notes("words are not recorded");
  REQUIRE_FALSE(blamed.empty());
  CHECK(blamed.back() == 0);
}

TEST_CASE("a damaged world is not recorded, but noted") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  tap.sink(0).opened(session(1), 0);
  tap.sink(0).world(1, from_hex("0a05ff"), 0);
  REQUIRE(ok(tap.stop()));
  CHECK(disk.lines().at(1) == "0 note a world is not recorded: a text in it is damaged 3");
}

TEST_CASE("if gaps of more links come than can be stored, it is noted that any link may miss something") {
  Disk disk;
  TapThread tap({.ring_bytes = 4096, .recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  disk.hold();
  for (int i = 0; i < 20; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  disk.wait_until_stuck();
  for (int i = 0; i < 40; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  constexpr LinkId kUnknown = 2'000;
  for (LinkId link = 2; link < 2 + kUnknown; ++link) sink.bytes(link, Way::kToServer, Lane::kStream, blob(3), 1);
  disk.let_go();
  const auto before = tap.totals().dropped;
  CHECK(before >= kUnknown);
  REQUIRE(tap.record(TapThread::Order::kNone).ok());  // there is room again
  for (int i = 0; i < 20; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(3), 1);
  sink.closed(1, "gone", 1);
  REQUIRE(ok(tap.stop()));
  std::uint64_t noted = 0;
  constexpr std::string_view kNote = " note the tap could not keep up ";
  for (const std::string& line : disk.lines())
    if (const auto at = line.find(kNote); at != line.npos) noted += std::stoul(line.substr(at + kNote.size()));
  CHECK(noted == tap.totals().dropped_bytes);
}

/// The payloads of the frames in a file that was left as it is.
std::vector<std::string> payloads_left(const std::string& file, const std::string& repaired) {
  std::filesystem::remove(repaired);
  std::vector<std::string> all;
  if (!trace::recover(file, repaired).ok()) return all;  // nothing of it is there yet
  const auto recording = trace::Recording::open(repaired);
  REQUIRE_MESSAGE(recording.ok(), recording.error().text);
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE_MESSAGE(event.ok(), event.error().text);
    if (*event == nullptr) return all;
    if ((*event)->frame) all.push_back((*event)->frame->data());
  }
}

TEST_CASE("what passed a second ago is in the file, as a crash would leave it") {
  const Folder folder;
  auto recorder = trace::Recorder::open(folder.file("a.mcap"));
  REQUIRE(recorder.ok());
  TapThread tap({.recorder = std::move(*recorder)});
  TapSink& sink = tap.sink(0);
  std::vector<WallTime> passed;
  sink.opened(session(1), steady_wall_now());
  // On a machine that does something else meanwhile, the disk or the tap's thread may be late. So several times count.
  WallTime least_lost = ~WallTime{0};
  for (int tries = 0; tries < 10 && least_lost > kSecond; ++tries) {
    for (const WallTime until = steady_wall_now() + kSecond / 2; steady_wall_now() < until;) {
      const std::string text = std::to_string(passed.size());
      Buffer frame = blob(text.size());
      std::copy(text.begin(), text.end(), frame.begin() + 2);
      passed.push_back(steady_wall_now());
      sink.bytes(1, Way::kToClient, Lane::kDatagram, frame, passed.back());
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(700));  // nothing comes that would end a chunk
    const WallTime crash = steady_wall_now();
    std::filesystem::copy_file(folder.file("a.mcap.part"), folder.file("left"),
                               std::filesystem::copy_options::overwrite_existing);
    const auto left = payloads_left(folder.file("left"), folder.file("whole"));
    for (std::size_t i = 0; i < left.size(); ++i) REQUIRE(left[i].substr(2) == std::to_string(i));
    least_lost = std::min(least_lost, left.size() < passed.size() ? crash - passed[left.size()] : 0);
  }
  CHECK(least_lost <= kSecond);
  CHECK(ok(tap.stop()));
}

TEST_CASE("a tap obeys orders to record, and says why it cannot") {
  TapThread no_files({});
  const auto cannot = no_files.record(TapThread::Order::kStart);
  REQUIRE_FALSE(cannot.ok());
  CHECK(cannot.error().text == "this process cannot record");

  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  greet(tap.sink(0), 1, 0);
  const auto now = tap.record(TapThread::Order::kNone);
  REQUIRE(now.ok());
  CHECK(now->on);
  CHECK_FALSE(tap.record(TapThread::Order::kStart).ok());   // it records already
  CHECK_FALSE(tap.record(TapThread::Order::kRotate).ok());  // it has no other file
  const auto stopped = tap.record(TapThread::Order::kStop);
  REQUIRE(stopped.ok());
  CHECK_FALSE(stopped->on);
  tap.sink(0).bytes(1, Way::kToClient, Lane::kStream, blob(3), 0);
  REQUIRE(ok(tap.stop()));
  CHECK(tap.totals().recorded_frames == 2);
  CHECK(tap.totals().frames == 3);
  const auto late = tap.record(TapThread::Order::kNone);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().text == "the program is stopping");
}

TEST_CASE("while its disk hangs, a tap answers in time, and withdraws what it has not begun; later it goes on") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  disk.hold();
  for (int i = 0; i < 40; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  disk.wait_until_stuck();
  const auto late = tap.record(TapThread::Order::kStop);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().text == "the disk of this recording does not answer");
  CHECK(tap.last_status().on);
  CHECK(tap.last_status().paths.size() == 1);
  // Whoever asks now does not wait: it has been busy for too long already.
  const Millis asked = steady_now();
  CHECK_FALSE(tap.record(TapThread::Order::kNone).ok());
  CHECK(steady_now() - asked < TapThread::kObeysWithin);
  disk.let_go();
  CHECK(testing::eventually([&] { return tap.record(TapThread::Order::kNone).ok(); }));
  CHECK(tap.last_status().on);  // that stop was withdrawn
  disk.hold();
  for (int i = 0; i < 40; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  disk.wait_until_stuck();
  (void)tap.give(TapThread::Order::kStop);  // which waits for nothing
  CHECK(tap.last_status().on);
  disk.let_go();
  CHECK(testing::eventually([&] { return !tap.last_status().on; }));
  REQUIRE(ok(tap.stop()));
}

TEST_CASE("without links the tap sleeps") {
  TapThread tap({});
  auto& sink = tap.sink(0);
  greet(sink, 1, 1);
  sink.closed(1, "left", 1);
  while (tap.totals().frames < 2 || tap.totals().links > 0) std::this_thread::yield();
  const auto awake = tap.totals().wake_ups;
  std::this_thread::sleep_for(std::chrono::milliseconds(120));  // time for six naps
  CHECK(tap.totals().wake_ups <= awake + 1);
}

TEST_CASE("a ring returns entries unchanged and in order, for all sizes and with two threads") {
  Ring ring(4096);
  constexpr std::uint32_t kTimes = 200'000;
  auto reader = std::async(std::launch::async, [&] {
    std::uint32_t last = 0, wrong = 0, seen = 0;
    while (last != kTimes) {
      if (ring.empty()) {
        std::this_thread::yield();
        continue;
      }
      const auto entry = ring.front();
      wrong += entry.header.link <= last;
      last = entry.header.link;
      wrong += entry.bytes.size() != entry.header.at;
      for (const auto byte : entry.bytes) wrong += byte != static_cast<std::uint8_t>(last);
      ++seen;
      ring.pop(entry);
    }
    return std::pair(seen, wrong);
  });
  std::mt19937 random(3);
  std::uint32_t put = 0, refused = 0;
  for (std::uint32_t i = 1; i <= kTimes; ++i) {
    const Buffer bytes(random() % 300, static_cast<std::uint8_t>(i));
    bool done = ring.push({.at = bytes.size(), .link = i}, bytes, 0);
    for (; !done && i == kTimes; done = ring.push({.at = bytes.size(), .link = i}, bytes, 0)) std::this_thread::yield();
    put += done;
    refused += !done;
  }
  const auto [seen, wrong] = reader.get();
  CHECK(seen == put);
  CHECK(wrong == 0);
  CHECK(put + refused == kTimes);
}

TEST_CASE("an entry that does not fit is refused at once") {
  Ring ring(4096);
  CHECK_FALSE(ring.push({}, Buffer(5000), 0));
  CHECK(ring.push({}, Buffer(4000), 0));
  CHECK_FALSE(ring.push({}, Buffer(100), 0));
  REQUIRE_FALSE(ring.empty());
  ring.pop(ring.front());
  CHECK(ring.empty());
  CHECK(ring.push({}, Buffer(1000), 0));  // its bytes go to the start of the ring
  CHECK_FALSE(ring.push({}, Buffer(10), 4000));
}

TEST_CASE(
    "what is told of a link whose opening was lost is counted as raw, recorded nowhere, and harms no other link") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  sink.bytes(9, Way::kToClient, Lane::kStream, blob(3), 1);
  sink.lab(9, TapSink::LabMark::kKept, 0, 1);
  sink.closed(9, "gone", 1);
  greet(sink, 1, 1);
  sink.closed(1, "left", 1);
  REQUIRE(ok(tap.stop()));
  CHECK(disk.lines() ==
        std::vector<std::string>{"0 open 1 big", "0 1 c2s Hello 4", "0 1 s2c Welcome 4", "0 close 1 left"});
  CHECK(tap.totals().raw_bytes == 5);
  CHECK(tap.totals().frames == 2);
  CHECK(tap.totals().links == 0);
}

/// A message of the toy game that names a player.
Buffer naming(std::string_view name) {
  Buffer frame(2 + 9, 'x');  // flags and a text of eight bytes; then the name, and an empty text
  frame[1] = 3, frame[2] = 0;
  append(frame, as_bytes(name));
  frame.push_back(0);
  frame[0] = static_cast<std::uint8_t>(frame.size() - 2);
  return frame;
}

TEST_CASE("a player's name stays when its client names nobody, is in the recording, and need not be told to anybody") {
  const Folder folder;
  auto recorder = trace::Recorder::open(folder.file("a.mcap"));
  REQUIRE(recorder.ok());
  TapThread tap({.recorder = std::move(*recorder), .player_name = [](const wire::Game&, const wire::Row& row) {
                   return std::string_view(std::string_view(row.name) == "Texts" ? "zero" : "");
                 }});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  for (const char* const name : {"ben", ""}) sink.bytes(1, Way::kToServer, Lane::kStream, naming(name), 2);
  sink.bytes(1, Way::kToClient, Lane::kStream, blob(1), 2);
  CHECK(testing::eventually([&] { return find(tap.totals(), "Blob", Way::kToClient) != nullptr; }));
  CHECK(tap.player(1) == "ben");
  sink.closed(1, "client left", 5);
  REQUIRE(ok(tap.stop()));
  const auto end = trace::read_end(folder.file("a.mcap"));
  REQUIRE(end.ok());
  REQUIRE(*end);
  REQUIRE((*end)->info);
  CHECK((*end)->info->players == std::set<std::string>{"ben"});
}

TEST_CASE("a packet of ENet is recorded with its channel and its delivery, also if a lab kept it") {
  using Delivery = wire::EnetDelivery;
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  sink.packet(1, Way::kToClient, {3, Delivery::kUnsequenced}, blob(1), 1);
  sink.lab(1, TapSink::LabMark::kKept, 0, 1);
  sink.packet(1, Way::kToClient, {4, Delivery::kUnreliable}, blob(2), 1);
  sink.closed(1, "gone", 1);
  REQUIRE(ok(tap.stop()));
  std::vector<std::pair<std::uint32_t, trace::Delivery>> how;
  for (const Disk::Record& one : disk.records())
    if (one.name == "Blob") how.emplace_back(one.channel, one.delivery);
  CHECK(how == decltype(how){{3, trace::UNSEQUENCED}, {4, trace::UNRELIABLE}});
}

TEST_CASE("of a stream, each frame that a lab keeps is recorded by itself") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  Buffer two = blob(6);
  append(two, blob(7));
  sink.lab(1, TapSink::LabMark::kKept, 0, 1);
  sink.bytes(1, Way::kToClient, Lane::kStream, two, 1);
  Buffer wrong = blob(5);
  wrong.push_back(200);  // the beginning of a frame that is cut off
  sink.lab(1, TapSink::LabMark::kKept, 0, 1);
  sink.bytes(1, Way::kToClient, Lane::kStream, wrong, 1);
  sink.closed(1, "gone", 1);
  REQUIRE(ok(tap.stop()));
  std::vector<std::string> kept;
  for (const std::string& line : disk.lines())
    if (line.find("kept") != std::string::npos) kept.push_back(line);
  CHECK(kept == std::vector<std::string>{"0 1 s2c kept Blob 8", "0 1 s2c kept Blob 9", "0 1 s2c kept Blob 7",
                                         "0 1 s2c kept  1"});
}

TEST_CASE("of two orders that wait for a disk that hangs, the one that was asked for in vain is withdrawn alone") {
  Disk disk;
  TapThread tap({.recorder = disk.recorder()});
  TapSink& sink = tap.sink(0);
  greet(sink, 1, 1);
  disk.hold();
  for (int i = 0; i < 40; ++i) sink.bytes(1, Way::kToClient, Lane::kStream, blob(200), 1);
  disk.wait_until_stuck();
  (void)tap.give(TapThread::Order::kStop);
  CHECK_FALSE(tap.record(TapThread::Order::kNone).ok());
  CHECK(tap.last_status().on);
  disk.let_go();
  CHECK(testing::eventually([&] { return !tap.last_status().on; }));
  REQUIRE(ok(tap.stop()));
}

}  // namespace
}  // namespace entente::relay::tap_test
