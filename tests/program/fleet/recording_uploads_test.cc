// The recordings of a node on their way to the fleet.
#include "proxy/program/fleet/recording_uploads.h"

#include <doctest/doctest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/program/config/config.h"
#include "schema/fleet.pb.h"
#include "tests/fleet/station.h"
#include "tests/program/asked.h"
#include "tests/program/fleet/logged.h"
#include "tests/support/nats_server.h"

namespace entente::recording_uploads_test {
namespace {

/// A node `a` that records, and what the fleet has of it.
struct Recorder {
  explicit Recorder(const std::string& url, Millis keep = 60'000, std::uint32_t replicas = 1) {
    config::Fleet settings = default_config().fleet();
    settings.add_nats(url);
    settings.set_node("a");
    settings.set_replicas(replicas);
    auto joined = Fleet::join(settings, Fleet::Log::kNo);
    REQUIRE(joined);
    fleet = std::move(*joined);
    uploads = std::make_unique<RecordingUploads>(*fleet, keep);
  }
  double metric(const std::string& name) const {
    Metrics metrics;
    uploads->measure(metrics);
    const std::string text = "\n" + metrics.text();
    const auto at = text.find("\nentente_" + name + " ");
    REQUIRE(at != std::string::npos);
    return std::stod(text.substr(text.find(' ', at)));
  }

  std::unique_ptr<Fleet> fleet;
  std::unique_ptr<RecordingUploads> uploads;
};

struct Stored {
  std::string subject;
  bus::RecordingPiece piece;
};

/// All pieces of node `a` in the stream, in their order.
std::vector<Stored> stored(const NatsServer& nats) {
  fleet::Bus bus({.servers = {nats.url()}, .client = "reader"});
  fleet::testing::Station its(bus);
  REQUIRE(its.connects());
  const fleet::Subjects names("entente");
  std::optional<Outcome<std::vector<fleet::BusMessage>>> read;
  its.line->read(names.recordings(), names.recording("a", "*"), 1, 64U << 20U, [&](auto outcome) { read = outcome; });
  REQUIRE(its.until([&] { return read.has_value(); }));
  REQUIRE(read->ok());
  std::vector<Stored> all;
  for (const fleet::BusMessage& one : **read) {
    all.push_back({one.subject, {}});
    REQUIRE(all.back().piece.ParseFromString(std::string(as_text(one.bytes))));
  }
  return all;
}

TEST_CASE("a recording is stored in pieces, in their order, and its end is marked") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Recorder node(nats.url());
  constexpr std::size_t kSize = 2 * RecordingUploads::kPiece + 1'000;
  std::string bytes(kSize, '\0');
  for (std::size_t i = 0; i < kSize; ++i) bytes[i] = static_cast<char>(i % 251);
  const auto sink = node.uploads->begin("/some where/my game.mcap");
  CHECK(sink->name() == "my game.mcap");
  CHECK(sink->write(as_bytes(bytes)).ok());
  CHECK(sink->finish().ok());
  REQUIRE(node.uploads->finish(30'000));
  CHECK(sink->write(as_bytes("too late")).ok());
  REQUIRE(node.uploads->finish(30'000));

  const auto pieces = stored(nats);
  REQUIRE(pieces.size() == 4);
  std::string whole;
  for (const Stored& one : pieces) {
    CHECK(one.subject == pieces[0].subject);
    CHECK(one.piece.offset() == whole.size());
    CHECK(one.piece.file() == "my game.mcap");
    CHECK(one.piece.run() == node.fleet->run_id());
    CHECK(one.piece.time() != 0);
    CHECK_FALSE(one.piece.torn());
    CHECK(one.piece.last() == (&one == &pieces.back()));
    whole += one.piece.bytes();
  }
  CHECK(whole == bytes);
  CHECK(pieces[0].piece.bytes().size() == RecordingUploads::kPiece);
  CHECK(pieces[0].subject.starts_with("entente.rec.a.my-game-"));
  CHECK(node.metric("fleet_recording_pieces_total") == 4);
  CHECK(node.metric("fleet_recording_bytes_total") >= kSize);
  CHECK(node.metric("fleet_recording_waiting_bytes") == 0);
  CHECK(node.metric("fleet_recording_torn_total") == 0);
}

TEST_CASE("two recordings of one file are two, one that is given up ends torn, and one without bytes leaves nothing") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Recorder node(nats.url());
  auto first = node.uploads->begin("x.mcap"), second = node.uploads->begin("x.mcap"), none = node.uploads->begin("");
  CHECK(first->write(as_bytes("one")).ok());
  CHECK(second->write(as_bytes("two")).ok());
  none.reset();
  first.reset();
  CHECK(second->finish().ok());
  second.reset();  // its end is told once
  REQUIRE(node.uploads->finish(30'000));
  const auto pieces = stored(nats);
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[0].subject != pieces[1].subject);
  CHECK(pieces[2].subject == pieces[0].subject);
  CHECK(pieces[2].piece.last());
  CHECK(pieces[2].piece.torn());
  CHECK(pieces[3].subject == pieces[1].subject);
  CHECK(pieces[3].piece.last());
  CHECK_FALSE(pieces[3].piece.torn());
}

TEST_CASE("what is recorded while NATS is away waits, and is stored when it is back; a recorder may outlive its node") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  nats.kill();
  Recorder node(nats.url());
  auto sink = node.uploads->begin("x.mcap"), late = node.uploads->begin("late.mcap");
  CHECK(sink->write(as_bytes("one")).ok());
  CHECK(sink->write(as_bytes("two")).ok());
  CHECK_FALSE(node.uploads->finish(0));
  CHECK(node.metric("fleet_recording_waiting_bytes") > 6);
  nats.start();
  CHECK(node.uploads->finish(30'000));
  CHECK(node.metric("fleet_recording_waiting_bytes") == 0);
  const auto pieces = stored(nats);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].piece.bytes() == "one");
  CHECK(pieces[1].piece.offset() == 3);
  node.uploads.reset();
  CHECK(late->write(as_bytes("nobody sends this")).ok());
  late.reset();
  sink.reset();
  CHECK(stored(nats).size() == 2);
}

TEST_CASE("who waits for a recording to be stored goes on as soon as it is") {
  if (NatsServer::is_missing()) return;
  constexpr Millis kAtMost = 60'000;
  NatsServer nats;
  nats.kill();
  Recorder node(nats.url());
  const auto sink = node.uploads->begin("x.mcap");
  CHECK(sink->write(as_bytes("one")).ok());
  const Millis began = steady_now();
  auto finished = std::async(std::launch::async, [&] { return node.uploads->finish(kAtMost); });
  nats.start();
  CHECK(finished.get());
  CHECK(steady_now() - began < kAtMost);
}

TEST_CASE("pieces are kept for as long as the configuration says") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Recorder node(nats.url(), 7'000);
  CHECK(node.uploads->begin("x.mcap")->finish().ok());
  REQUIRE(node.uploads->finish(30'000));
  fleet::Bus bus({.servers = {nats.url()}, .client = "reader"});
  fleet::testing::Station its(bus);
  REQUIRE(its.connects());
  std::string info;
  its.line->ask("$JS.API.STREAM.INFO." + node.fleet->names().recordings(), {}, 20'000, 1, [&](const auto& answers) {
    if (!answers.empty()) info = as_text(answers.front().bytes);
  });
  REQUIRE(its.until([&] { return !info.empty(); }));
  CHECK_MESSAGE(info.find("\"max_age\":7000000000,") != std::string::npos, info);
}

TEST_CASE("a recording of a file with a long name, or with none, has a name that the fleet accepts") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Recorder node(nats.url());
  const std::string longest(200, 'x');
  for (const std::string& file : {longest + ".mcap", std::string(".mcap"), std::string("\xc3\xa9.mcap")})
    CHECK(node.uploads->begin("/folder/" + file)->write(as_bytes("bytes")).ok());
  REQUIRE(node.uploads->finish(30'000));
  const auto pieces = stored(nats);
  REQUIRE(pieces.size() == 6);  // each ends torn
  for (const Stored& one : pieces) {
    const std::string name = one.subject.substr(std::string("entente.rec.a.").size());
    CHECK_MESSAGE(!fleet::objection_to_token(name), name);
  }
  CHECK(pieces[0].subject.find(std::string(40, 'x') + "-") != std::string::npos);
  CHECK(pieces[0].piece.file() == longest + ".mcap");
}

TEST_CASE("the log says once that recordings wait, and once that they are stored again") {
  if (NatsServer::is_missing()) return;
  Logged log;
  {
    const NatsServer nats;
    Recorder node(nats.url(), 60'000, 3);  // more copies than there are servers
    CHECK(node.uploads->begin("x.mcap")->write(as_bytes("bytes")).ok());
    CHECK(eventually([&] { return node.fleet->bus().counts().failures >= 6; }));
    CHECK(node.metric("fleet_recording_pieces_total") == 0);
    fleet::Bus bus({.servers = {nats.url()}, .client = "operator"});
    fleet::testing::Station its(bus);
    REQUIRE(its.connects());
    fleet::StreamOptions stream;
    stream.name = "entente-rec";
    stream.subjects = {"entente.rec.*.*"};
    bool there = false;
    its.line->open_stream(stream, [&](const auto& opened) { there = opened.ok(); });
    REQUIRE(its.until([&] { return there; }));
    CHECK(node.uploads->finish(30'000));
    CHECK(node.metric("fleet_recording_pieces_total") == 2);
  }
  log.end();
  CHECK(log.times("fleet: recordings wait: ") == 1);
  CHECK(log.times("fleet: recordings are stored again") == 1);
}

TEST_CASE("a recording of which too much waits is torn, once, and only its end still joins what waits") {
  Logged log;
  const Recorder node("nats://127.0.0.1:9");  // nothing listens there
  const auto waiting = [&] { return node.metric("fleet_recording_waiting_bytes"); };
  const auto torn = [&] { return node.metric("fleet_recording_torn_total"); };
  constexpr double kMost = RecordingUploads::kMostWaiting;
  double times = 0;
  for (const std::size_t size : {RecordingUploads::kPiece, std::size_t{1'000}, std::size_t{1}}) {
    const Buffer piece(size);
    const auto sink = node.uploads->begin("x.mcap");
    std::size_t taken = 0;
    for (; taken <= RecordingUploads::kMostWaiting && torn() == times; taken += size) CHECK(sink->write(piece).ok());
    CHECK(torn() == ++times);
    if (size == RecordingUploads::kPiece) CHECK(taken == RecordingUploads::kMostWaiting);  // the last does not fit
    const double full = waiting();
    CHECK(full < kMost + 1'000);
    CHECK(sink->write(piece).ok());
    CHECK(sink->finish().ok());
    CHECK(waiting() == full);
    CHECK(torn() == times);
  }
  CHECK(waiting() > kMost);  // there was no room for the last end
  log.end();
  CHECK(log.times("too much data is waiting for NATS: the fleet does not get the rest of x.mcap") == 3);
}

}  // namespace
}  // namespace entente::recording_uploads_test
