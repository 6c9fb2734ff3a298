// What a command finds of the recordings and nodes of a fleet.
#include "proxy/program/fleet/fleet_reader.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/program/asked.h"
#include "tests/program/fleet/pieces.h"

namespace entente::fleet_reader_test {
namespace {

TEST_CASE("recordings of a fleet are listed by age, with what is known of them, and again once they have grown") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Pieces pieces(nats);
  pieces.store("b", "y", 0, "first");
  pieces.store("a", "z", 7, "second", true);
  pieces.store("a", "x", 0, "third", true, true);
  pieces.store("b", "y", 5, "later");
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  const auto list = (*reader)->list();
  REQUIRE(list);
  CHECK_FALSE(list->missing.has_value());
  REQUIRE(list->all.size() == 3);
  const FleetRecording &open = list->all[0], &cut = list->all[1], &torn = list->all[2];
  CHECK(open.node + "/" + open.name == "b/y");
  CHECK(cut.node + "/" + cut.name == "a/z");
  CHECK(torn.node + "/" + torn.name == "a/x");
  CHECK(open.file == "field.mcap");
  CHECK(open.run == 1);
  CHECK(open.bytes == 10);
  CHECK(open.from == 0);
  CHECK(open.changed > torn.changed);
  CHECK(open.began < cut.began);
  CHECK_FALSE(open.ended);
  CHECK_FALSE(open.complete);
  CHECK(cut.ended);
  CHECK(cut.from == 7);
  CHECK_FALSE(cut.complete);  // its beginning is missing
  CHECK(torn.ended);
  CHECK_FALSE(torn.complete);
  pieces.store("b", "y", 10, "end", true);
  const auto later = (*reader)->list();
  REQUIRE(later);
  REQUIRE(later->all.size() == 3);
  CHECK(later->all[0].bytes == 13);
  CHECK(later->all[0].complete);
  pieces.lose(2);
  const auto last = (*reader)->list();
  REQUIRE(last);
  CHECK(last->all.size() == 2);  // it has no pieces any more
}

TEST_CASE("of many recordings with one name, an error names eight; a node and a name find one") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Pieces pieces(nats);
  for (int i = 1; i <= 9; ++i) {
    pieces.store("n" + std::to_string(i), "x", 0, "abc", true);
    const auto reader = FleetReader::open(config_in(folder, nats));
    REQUIRE(reader);
    const auto found = (*reader)->find("x");
    CHECK(found.ok() == (i == 1));
    CHECK((*reader)->find("field.mcap").ok() == (i == 1));  // the file's name
    CHECK((*reader)->find("n1/x").ok());
    CHECK_FALSE((*reader)->find("n1/field.mcap").ok());
    if (i < 8) continue;
    const std::string why = found.error().text;
    CHECK(has(why, "name one: n1/x, n2/x, n3/x, n4/x, n5/x, n6/x, n7/x, n8/x"));
    CHECK(why.ends_with("n8/x, …") == (i == 9));
    CHECK_FALSE(has(why, "n9"));
  }
}

TEST_CASE("a recording whose name could lead out of a folder is left out, and the file that a node names is one line") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Pieces pieces(nats);
  for (const char* name : {"x/y", "x\\y", "\xc3\xa9"}) pieces.store("a", name, 0, "abc", true);
  pieces.store("a/b", "x", 0, "abc", true);
  pieces.store("a", std::string(65, 'x'), 0, "abc", true);
  bus::RecordingPiece piece;
  piece.set_file("one\ntwo\x1b[2J" + std::string(300, 'x'));
  piece.set_time(1);
  pieces.store("a", std::string(64, 'x'), piece);
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  const auto list = (*reader)->list();
  REQUIRE(list);
  REQUIRE(list->all.size() == 1);
  CHECK(list->all[0].name == std::string(64, 'x'));
  CHECK(list->all[0].file.starts_with("onetwo[2Jxxx"));
  CHECK(list->all[0].file.size() <= 255);
}

/// Keeps what is written, until it has no space left.
struct Scarce final : trace::Sink {
  const std::string& name() const override { return called; }
  Outcome<Done> write(Bytes more) override {
    if (bytes.size() + more.size() > space) return Error{"no space left"};
    bytes += as_text(more);
    return Done{};
  }
  Outcome<Done> cut(std::uint64_t) override { return Done{}; }
  Outcome<Done> sync() override { return Done{}; }
  Outcome<Done> finish() override { return Done{}; }
  const std::string called = "scarce";
  std::string bytes;
  std::size_t space = 100;
};

TEST_CASE("reading a recording ends at an invalid piece, when there is no space left, and when it is interrupted") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Pieces pieces(nats);
  pieces.store("a", "x", 0, "abc");
  pieces.store("a", "x", 3, "def", true);
  pieces.store("a", "torn", 0, "abc", true, true);
  pieces.store("a", "bad", 0, "abc");
  pieces.store_bytes("a", "bad", "?");
  pieces.store("a", "bad", 3, "def", true);
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  const auto good = (*reader)->find("a/x"), bad = (*reader)->find("a/bad");
  const auto torn = (*reader)->find("a/torn");
  REQUIRE(good);
  REQUIRE(bad);
  REQUIRE(torn);
  Scarce whole, half, none, rest;
  half.space = 5;
  const auto fetched = (*reader)->fetch(*good, whole);
  REQUIRE(fetched);
  CHECK(fetched->whole);
  CHECK(whole.bytes == "abcdef");
  const auto of_torn = (*reader)->fetch(*torn, rest);
  REQUIRE(of_torn);
  CHECK_FALSE(of_torn->whole);
  CHECK(rest.bytes == "abc");
  CHECK((*reader)->fetch(*bad, none).error().text == "the recording 'bad' has an invalid piece");
  CHECK((*reader)->fetch(*good, half).error().text == "no space left");
  CHECK(half.bytes == "abc");
  CHECK((*reader)->fetch(*good, none, [] { return false; }).error().text == "interrupted");
}

TEST_CASE("without a connection to NATS, recordings cannot be listed or read") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  const Folder folder;
  Pieces(nats).store("a", "x", 0, "abc", true);
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  const auto found = (*reader)->find("x");
  REQUIRE(found);
  nats.kill();
  REQUIRE(eventually([&] { return !(*reader)->fleet().bus().connected(); }));
  Scarce none;
  CHECK((*reader)->fetch(*found, none).error().text == "there is no connection to NATS");
  CHECK((*reader)->list().error().text == "the fleet has no recordings: there is no connection to NATS");
}

TEST_CASE("what is interrupted before a file has its name leaves no file") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, into;
  Pieces pieces(nats);
  pieces.store("a", "x", 0, "abc", true);
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  auto found = (*reader)->find("x");
  REQUIRE(found);
  SUBCASE("a whole one") { REQUIRE(found->complete); }
  SUBCASE("one to be repaired") { found->complete = false; }
  int asked = 0;
  const auto saved = (*reader)->save(*found, into.file("whole"), into.file("repaired"), [&] { return ++asked == 1; });
  REQUIRE_FALSE(saved.ok());
  if (found->complete) CHECK(saved.error().text == "interrupted");
  CHECK(into.names().empty());
}

TEST_CASE("a configuration without a fleet, or with faults, is refused with all that is wrong") {
  const Folder folder;
  const auto why = [&](const std::string& text) {
    const auto reader = FleetReader::open(folder.write("a.toml", text));
    REQUIRE_FALSE(reader.ok());
    return reader.error().text;
  };
  CHECK(why("[[route]]\nlisten = 'native://127.0.0.1:0'\nto = 'native://127.0.0.1:9'\n") ==
        folder.file("a.toml") + " has no [fleet]");
  const std::string faults = why("[fleet]\nnats = ['nats://127.0.0.1:9']\nnode = '*'\nname = '*'\n");
  CHECK_MESSAGE(has(faults, "fleet.node: "), faults);
  CHECK_MESSAGE(has(faults, "fleet.name: "), faults);
}

/// A reader, and a node that it can hear.
struct Heard {
  explicit Heard(const std::string& client) : bus({.servers = {nats.url()}, .client = client}) {
    auto opened = FleetReader::open(config_in(folder, nats));
    REQUIRE(opened);
    reader = std::move(*opened);
    REQUIRE(node.connects());
  }

  const NatsServer nats;
  const Folder folder;
  std::unique_ptr<FleetReader> reader;
  fleet::Bus bus;
  fleet::testing::Station node{bus};
};

std::string state_of_run(std::uint64_t run) {
  bus::NodeState state;
  state.set_run(run);
  return state.SerializeAsString();
}

TEST_CASE("a node that speaks is not silent, but an earlier process of it, and another node, are") {
  if (NatsServer::is_missing()) return;
  Heard heard("a");
  FleetReader& reader = *heard.reader;
  fleet::testing::Station& node = heard.node;
  const std::string bytes = state_of_run(2);
  (void)reader.silent_for("a", 2);
  CHECK(node.until([&] {
    node.line->publish(fleet::Subjects("entente").state("a$"), as_bytes(bytes));  // no node can be called so
    node.line->publish(fleet::Subjects("entente").state("a"), as_bytes(bytes));
    return reader.silent_for("a", 1) > 400 && reader.silent_for("a", 2) < 200;
  }));
  CHECK(reader.silent_for("b", 2) > 400);
}

TEST_CASE("of 4,096 nodes it is known when they spoke; one more is not heard, and they still are") {
  if (NatsServer::is_missing()) return;
  Heard heard("nodes");
  FleetReader& reader = *heard.reader;
  fleet::testing::Station& its = heard.node;
  const std::string bytes = state_of_run(1);
  const auto speaks = [&](const std::string& node) {
    its.line->publish(fleet::Subjects("entente").state(node), as_bytes(bytes));
  };
  (void)reader.silent_for("n0", 1);
  REQUIRE(its.until([&] { return reader.silent_for("n0", 1) > 500; }));
  for (int i = 0; i < 4'096; ++i) speaks("n" + std::to_string(i));
  REQUIRE(its.until([&] { return reader.silent_for("n4095", 1) + 400 < reader.silent_for("more", 1); }));
  REQUIRE(its.until([&] { return reader.silent_for("n0", 1) > 500; }));
  CHECK(its.until([&] {
    speaks("more");
    speaks("n0");
    return reader.silent_for("n0", 1) < 100;
  }));
  CHECK(reader.silent_for("more", 1) > 1'000);
}

}  // namespace
}  // namespace entente::fleet_reader_test
