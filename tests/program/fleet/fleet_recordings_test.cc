// Recordings that outlive their machine: pieces in NATS, `entente archive`, `recordings --fleet`, `replay fleet:NAME`.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <sstream>
#include <string>
#include <vector>

#include "proxy/fleet/lease.h"
#include "proxy/program/fleet/fleet_reader.h"
#include "tests/program/fleet/fleet_process.h"
#include "tests/program/fleet/pieces.h"
#include "tests/program/native_client.h"
#include "tests/program/recorded.h"
#include "tests/support/repeated.h"

namespace entente::fleet_recordings_test {
namespace {

namespace fs = std::filesystem;

const std::string kEntente = testing::entente_binary();

std::vector<std::string> files_in(const fs::path& folder, const std::string& ending) {
  std::vector<std::string> all;
  for (const auto& one : fs::directory_iterator(folder))
    if (one.path().string().ends_with(ending)) all.push_back(one.path().string());
  return all;
}

std::string recording(const Folder& folder, const std::string& to_fleet) {
  return "[recording]\ndirectory = '" + folder.path().string() + "'\nchunk_ms = 100\nto_fleet = '" + to_fleet + "'\n";
}

/// The size in bytes of the fleet's only recording; 0 if there is none.
std::uint64_t bytes_at_fleet(const NodeProcess& node) {
  const std::string list = run({kEntente, "recordings", "--fleet", node.config(), "--json"}).out;
  const auto at = list.find("\"bytes\":");
  return at == std::string::npos ? 0 : std::strtoull(list.c_str() + at + 8, nullptr, 10);
}

/// Repeats `text` in the arena's chat until it is received: the arena drops chat that comes too fast. Returns the chat
/// received until then.
std::vector<std::string> chat(NativeClient& by, const std::string& text) {
  const testing::Repeated speaker([&] { by.says(R"({"say":{"text":")" + text + "\"}}\n"); });
  std::vector<std::string> before;
  const auto is_heard = [&](const auto& fact) {
    if (fact.has_said()) before.push_back(fact.said().text());
    return fact.has_said() && fact.said().text() == text;
  };
  CHECK(by.hears(is_heard).has_value());
  return before;
}

Ended archive(const std::string& config, const Folder& into) {
  return run({kEntente, "archive", config, "--to", into.path().string(), "--silence", "3", "--once"});
}

std::size_t times_in(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// The bytes of a small recording.
std::string recorded_bytes() {
  const Folder folder;
  const auto made = recorder(folder.file("a.mcap"));
  made->opened(1'000, opening(1, "native", "json"));
  record(*made, 1, trace::TO_SERVER, "7b7d0a", 2'000);
  REQUIRE(made->close(3'000).ok());
  return content_of(folder.file("a.mcap"));
}

TEST_CASE("a node is killed while it records: the fleet has all but the end, and the archived file is repaired") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder local, archived;
  NodeProcess node(nats, "a", recording(local, "also"), "record = 'field.mcap'\nbots = 2");
  NativeClient anna(node.port());
  anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
  chat(anna, "the marker");
  const std::string part = local.file("field.mcap.part");
  // The text is in the file once the file has grown twice: by the open chunk, and by the next one.
  for (int i = 0; i < 2; ++i) {
    const auto size = fs::file_size(part);
    REQUIRE(eventually([&] { return fs::file_size(part) > size; }));
  }
  const auto there = fs::file_size(part);
  REQUIRE(eventually([&] { return bytes_at_fleet(node) >= there; }));
  CHECK(has(run({kEntente, "recordings", "--fleet", node.config()}).out, "unfinished  field.mcap"));
  node.kill();

  const Ended ended = archive(node.config(), archived);
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(has(ended.out, "repaired: its end is missing"));
  const auto files = files_in(archived.path(), ".mcap");
  REQUIRE(files.size() == 1);
  const Ended verified = run({kEntente, "verify", files[0]});
  CHECK_MESSAGE(verified.code == 0, verified.out << verified.err);
  CHECK(has(run({kEntente, "inspect", files[0]}).out, "the marker"));
  CHECK(files_in(archived.path(), ".archiving").empty());
  CHECK(archive(node.config(), archived).out.empty());  // it is archived already
}

TEST_CASE("a complete recording is archived byte for byte, and can be replayed by its fleet name") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder local, archived;
  NodeProcess node(nats, "a", recording(local, "also"), "record = 'field.mcap'\nbots = 2");
  NativeClient anna(node.port());
  anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
  chat(anna, "the arena is there");
  REQUIRE(eventually([&] { return bytes_at_fleet(node) > 0; }));
  node.stop();
  CHECK(has(run({kEntente, "recordings", "--fleet", node.config()}).out, "complete  field.mcap"));
  const Ended ended = archive(node.config(), archived);
  CHECK_MESSAGE(ended.code == 0, ended.err);
  const auto files = files_in(archived.path(), ".mcap");
  REQUIRE(files.size() == 1);
  CHECK(content_of(files[0]) == content_of(local.file("field.mcap")));

  Process replay({kEntente, "replay", "fleet:field.mcap", "--fleet", node.config(), "--listen",
                  "native://127.0.0.1:0?dialect=json"});
  const auto line = replay.line();
  REQUIRE_MESSAGE(line.has_value(), replay.err());
  CHECK(line->starts_with("listening native json 127.0.0.1:"));
  CHECK(has(
      run({kEntente, "replay", "fleet:other.mcap", "--fleet", node.config(), "--listen", "native://127.0.0.1:0"}).err,
      "the fleet has no recording 'other.mcap'"));
}

TEST_CASE("if NATS loses all recordings of the fleet, a node stores there again what it records from then on") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder local;
  NodeProcess node(nats, "a", recording(local, "also"), "record = 'field.mcap'\nbots = 2");
  REQUIRE(eventually([&] { return bytes_at_fleet(node) > 0; }));
  fleet::Bus bus({.servers = {nats.url()}, .client = "operator"});
  fleet::testing::Station its(bus);
  REQUIRE(its.connects());
  std::optional<std::string> answer;
  its.line->ask("$JS.API.STREAM.DELETE." + fleet::Subjects("entente").recordings(), {}, 10'000, 1,
                [&](const auto& answers) { answer = answers.empty() ? "" : as_text(answers.front().bytes); });
  REQUIRE(its.until([&] { return answer.has_value(); }));
  REQUIRE_MESSAGE(has(*answer, "\"success\":true"), *answer);
  CHECK(eventually([&] { return bytes_at_fleet(node) > 0; }));
}

TEST_CASE("a recording of a fleet is played to a server") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  const auto made = recorder(folder.file("a.mcap"));
  made->opened(1'000, opening(1, "native", "json"));
  words::Enter enter;
  enter.set_name("anna");
  Buffer intent, fact;
  core::write(core::Intent(enter), intent);
  core::Fact ready{words::Ready()};
  ready.at = core::kSecond;
  core::write(ready, fact);
  made->word(2'000, 1, trace::WordKind::kIntent, intent);
  made->word(3'000, 1, trace::WordKind::kFact, fact);
  REQUIRE(made->close(4'000).ok());
  Pieces(nats).store("a", "x", 0, content_of(folder.file("a.mcap")), true);
  const Ended played = run({kEntente, "replay", "fleet:x", "--fleet", config_in(folder, nats), "--to",
                            "native://127.0.0.1:9?dialect=json", "--as", "twin"});
  CHECK(played.code == 1);
  CHECK_MESSAGE(has(played.out, "player 1 could not join: 127.0.0.1:9 cannot be reached\n"), played.err);
}

TEST_CASE("if a file is removed while it is recorded, the fleet's copy is listed as torn") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder local;
  NodeProcess node(nats, "a", recording(local, "also"), "record = 'field.mcap'\nbots = 2");
  const auto list = [&] { return run({kEntente, "recordings", "--fleet", node.config()}).out; };
  REQUIRE(eventually([&] { return bytes_at_fleet(node) > 0; }));
  CHECK(has(list(), "unfinished  field.mcap"));
  REQUIRE(fs::remove(local.file("field.mcap.part")));
  CHECK(eventually([&] { return has(list(), "torn        field.mcap"); }));
}

TEST_CASE("to_fleet = only: nothing is left on the node's disk, and pieces wait while NATS is unreachable") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  const Folder local, archived;
  NodeProcess node(nats, "a", recording(local, "only"), "record = 'field.mcap'\nbots = 2");
  NativeClient anna(node.port());
  anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
  chat(anna, "before NATS went away");
  REQUIRE(eventually([&] { return bytes_at_fleet(node) > 0; }));
  nats.kill();
  REQUIRE(node.says({"--json", "--fleet", "nodes"}, "not connected to NATS"));
  nats.start();
  REQUIRE(node.says({"--fleet", "nodes"}, "\na\t"));
  chat(anna, "NATS is back");
  CHECK(node.ctl({"say", "from the operator"}).code == 0);
  const auto heard = chat(anna, "the end");
  CHECK(std::count(heard.begin(), heard.end(), "from the operator") == 1);
  node.stop();
  CHECK(fs::is_empty(local.path()));
  const Ended ended = archive(node.config(), archived);
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(!has(ended.out, "repaired"));  // no piece is missing
  const auto files = files_in(archived.path(), ".mcap");
  REQUIRE(files.size() == 1);
  CHECK(run({kEntente, "verify", files[0]}).code == 0);
  const std::string words = run({kEntente, "inspect", files[0]}).out;
  CHECK(has(words, "before NATS went away"));
  CHECK(has(words, "NATS is back"));
  CHECK(has(words, "from the operator"));
}

TEST_CASE("two recordings with the same name on different nodes are archived independently") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string config = config_in(folder, nats), bytes = recorded_bytes();
  Pieces pieces(nats);
  pieces.store("evil", "x", 0, "no recording", true, true);
  pieces.store("good", "x", 0, bytes, true);
  const auto reader = FleetReader::open(config);
  REQUIRE(reader);
  CHECK((*reader)->find("x").error().text ==
        "several recordings of the fleet are called 'x'; name one: evil/x, good/x");
  const auto found = (*reader)->find("good/x");
  REQUIRE(found);
  CHECK(found->node == "good");
  Process archiving({kEntente, "archive", config, "--to", archived.path().string()});
  CHECK(archiving.line() == archived.file("good.x.mcap") + ": " + std::to_string(bytes.size()) + " bytes");
  CHECK(content_of(archived.file("good.x.mcap")) == bytes);
  CHECK(archiving.err_has("evil.x: "));
}

TEST_CASE("archive retries recordings that failed; with --once, it ends with 1 if one failed") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string config = config_in(folder, nats), bytes = recorded_bytes();
  Pieces pieces(nats);
  pieces.store("a", "x", 0, bytes, true);
  const fs::path in_the_way = archived.file("a.x.mcap.archiving");
  REQUIRE(fs::create_directories(in_the_way / "not empty"));
  const Millis began = steady_now();
  const Ended once = archive(config, archived);
  CHECK(steady_now() - began >= fleet::Lease::kTakeAfter + 2'800);  // a pause of one second, and one of two
  CHECK(once.code == 1);
  CHECK(times_in(once.err, "a.x: ") == 1);  // of three attempts
  Process archiving({kEntente, "archive", config, "--to", archived.path().string()});
  REQUIRE(archiving.err_has("a.x: "));
  fs::remove_all(in_the_way);
  CHECK(archiving.line() == archived.file("a.x.mcap") + ": " + std::to_string(bytes.size()) + " bytes");
  archiving.signal(15);
  CHECK(archiving.wait() == 0);

  pieces.store("a", "y", 0, "no recording", true, true);
  pieces.store("a", "z", 0, bytes, true);
  const Folder other;
  const Ended unreadable = archive(config, other);
  CHECK(unreadable.code == 1);
  CHECK(has(unreadable.err, "a.y: "));
  CHECK(other.names() == std::set<std::string>{"a.x.mcap", "a.z.mcap"});
}

TEST_CASE("the help of archive says what the names of its files mean") {
  const Ended help = run({kEntente, "archive", "--help"});
  CHECK(help.code == 0);
  CHECK_MESSAGE(has(help.out, "NODE.NAME.repaired-BYTES.mcap"), help.out);
}

TEST_CASE("an archive gives its turn to the next one when it ends, and needs a folder") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string config = config_in(folder, nats);
  Pieces pieces(nats);
  pieces.store("a", "x", 0, recorded_bytes(), true);
  const Ended nowhere = run({kEntente, "archive", config, "--to", archived.file("none"), "--once"});
  CHECK(nowhere.code == 1);
  CHECK_MESSAGE(has(nowhere.err, archived.file("none") + " is not a folder"), nowhere.err);
  CHECK(archive(config, archived).code == 0);
  const Ended again = archive(config, archived);
  CHECK_MESSAGE(again.code == 0, again.err);
  CHECK(again.out.empty());  // there is nothing left to do
  fleet::Bus bus({.servers = {nats.url()}, .client = "operator"});
  fleet::testing::Station its(bus);
  REQUIRE(its.connects());
  const auto kept = its.order([&](auto done) { its.line->get(fleet::Subjects("entente").leases(), "archive", done); });
  bus::Lease lease;
  REQUIRE(kept.done());
  REQUIRE(lease.ParseFromString(std::string(as_text(kept.entry.value))));
  CHECK(lease.free());
  CHECK(lease.node().starts_with("files-archive-"));
}

TEST_CASE("of two archives one writes; the other one says once that it waits, and takes over") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string config = config_in(folder, nats), bytes = recorded_bytes();
  Pieces pieces(nats);
  const auto line = [&](const std::string& name) {
    pieces.store("a", name, 0, bytes, true);
    return archived.file("a." + name + ".mcap") + ": " + std::to_string(bytes.size()) + " bytes";
  };
  const std::vector<std::string> command = {kEntente, "archive", config, "--to", archived.path().string()};
  Process first(command);
  CHECK(first.line() == line("x"));
  Process second(command);
  const char* const kWaits = "another archive writes; this one takes over when it is gone\n";
  REQUIRE(second.err_has(kWaits));
  CHECK(first.line() == line("y"));
  first.signal(SIGTERM);
  CHECK(first.wait() == 0);
  CHECK(second.line() == line("z"));
  second.signal(SIGTERM);
  CHECK(second.wait() == 0);
  CHECK(times_in(second.err(), kWaits) == 1);
}

TEST_CASE("the unfinished recording of a node that still speaks is not archived, and that of a silent one is") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string bytes = recorded_bytes();
  Pieces pieces(nats);
  pieces.store("alive", "x", 0, bytes);  // the older one, which would be first
  pieces.store("gone", "x", 0, bytes);
  fleet::Bus bus({.servers = {nats.url()}, .client = "alive"});
  fleet::testing::Station alive(bus);
  REQUIRE(alive.connects());
  bus::NodeState state;
  state.set_run(1);
  const std::string says = state.SerializeAsString();
  Process archiving({kEntente, "archive", config_in(folder, nats), "--to", archived.path().string(), "--silence", "3"});
  auto line = std::async(std::launch::async, [&] { return archiving.line(); });
  Millis next = 0;
  REQUIRE(alive.until([&] {
    if (steady_now() >= next) {
      alive.line->publish(fleet::Subjects("entente").state("alive"), as_bytes(says));
      next = steady_now() + 100;
    }
    return line.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }));
  CHECK(line.get() == archived.file("gone.x.repaired-") + std::to_string(bytes.size()) +
                          ".mcap: " + std::to_string(bytes.size()) + " bytes, repaired: its end is missing");
  CHECK(archived.names().size() == 1);
}

TEST_CASE("archive --once that is interrupted ends with 1: something may not be archived yet") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string config = config_in(folder, nats), bytes = recorded_bytes();
  Pieces pieces(nats);
  pieces.store("a", "x", 0, bytes, true);
  pieces.store("a", "y", 0, bytes);
  Process archiving({kEntente, "archive", config, "--to", archived.path().string(), "--once"});
  REQUIRE(archiving.line() == archived.file("a.x.mcap") + ": " + std::to_string(bytes.size()) + " bytes");
  archiving.signal(SIGTERM);
  CHECK(archiving.wait() == 1);
  CHECK_MESSAGE(has(archiving.err(), "interrupted"), archiving.err());
  CHECK(archived.names() == std::set<std::string>{"a.x.mcap"});
}

TEST_CASE("what an archive that was killed has left of a shorter recording is removed") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string bytes = recorded_bytes();
  Pieces pieces(nats);
  pieces.store("a", "x", 0, bytes, true);
  for (const char* const left :
       {"a.x.mcap.archiving", "a.x.repaired-5.mcap.archiving", "a.x.repaired-17.mcap.archiving"})
    archived.write(left, "half");
  const std::set<std::string> others = {"a.xx.mcap.archiving", "a.xx.repaired-5.mcap.archiving", "a.x.repaired-.mcap",
                                        "a.x.repaired-b5.mcap.archiving"};
  for (const std::string& other : others) archived.write(other, "half");
  CHECK(archive(config_in(folder, nats), archived).code == 0);
  std::set<std::string> there = others;
  there.insert("a.x.mcap");
  CHECK(archived.names() == there);
}

TEST_CASE("a recording whose first or last piece has no time is left out, and the others are listed") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Pieces pieces(nats);
  pieces.store("a", "empty", {});
  pieces.store("a", "good", 0, "abc", true);
  pieces.store("a", "ends", 0, "abc");
  bus::RecordingPiece end;
  end.set_last(true);
  pieces.store("a", "ends", end);
  const Ended list = run({kEntente, "recordings", "--fleet", config_in(folder, nats), "--json"});
  CHECK_MESSAGE(list.code == 0, list.err);
  CHECK(std::count(list.out.begin(), list.out.end(), '\n') == 1);
  CHECK_MESSAGE(has(list.out, R"("name":"good")"), list.out);
}

TEST_CASE("recordings that NATS does not permit to read are reported") {
  if (NatsServer::is_missing()) return;
  const Folder folder, archived;
  std::string denied;
  SUBCASE("their pieces") { denied = "'$JS.API.DIRECT.GET.entente-rec', '$JS.API.DIRECT.GET.entente-rec.>'"; }
  SUBCASE("their last pieces") { denied = "'$JS.API.STREAM.MSG.GET.entente-rec'"; }
  const NatsServer nats({"-c", folder.write("nats.conf",
                                            "authorization { users = [ { user: any, password: any }, { "
                                            "user: files, password: files, permissions: { publish: { deny: [ " +
                                                denied + " ] } } } ] }\n")});
  std::filesystem::permissions(folder.write("files.password", "files\n"), fs::perms::owner_read);
  const std::string config =
      config_in(folder, nats, "user = 'files'\npassword_file = '" + folder.file("files.password") + "'\n");
  Pieces pieces(nats, "any");
  pieces.store("a", "x", 0, recorded_bytes(), true);
  const Ended listed = run({kEntente, "recordings", "--fleet", config});
  CHECK(listed.code == 1);
  CHECK(has(listed.err, "entente.rec.a.x: "));
  CHECK(has(run({kEntente, "replay", "fleet:x", "--fleet", config, "--listen", "native://127.0.0.1:0"}).err,
            "entente.rec.a.x: "));
  const Ended archiving = archive(config, archived);
  CHECK(archiving.code == 1);
  CHECK(times_in(archiving.err, "entente.rec.a.x: ") == 1);  // of three attempts
}

TEST_CASE("archive --once of a fleet that has never recorded tries three times, a second apart, and says so once") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const Millis began = steady_now();
  const Ended ended = archive(config_in(folder, nats), archived);
  CHECK(steady_now() - began >= fleet::Lease::kTakeAfter + 1'800);
  CHECK(ended.code == 1);
  CHECK_MESSAGE(times_in(ended.err, "entente archive: the fleet has no recordings: ") == 1, ended.err);
}

TEST_CASE("a repaired file is named so, and is replaced when the recording has grown or is complete") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string config = config_in(folder, nats), bytes = recorded_bytes();
  const auto cut = [&](std::size_t end) { return "a.x.repaired-" + std::to_string(end) + ".mcap"; };
  using Names = std::set<std::string>;
  Pieces pieces(nats);
  const std::size_t first = bytes.size() - 40, second = bytes.size() - 20;
  pieces.store("a", "x", 0, bytes.substr(0, first));
  CHECK(archive(config, archived).code == 0);
  CHECK(archived.names() == Names{cut(first)});
  CHECK(run({kEntente, "inspect", archived.file(cut(first))}).code == 0);
  CHECK(archive(config, archived).out.empty());
  pieces.store("a", "x", first, bytes.substr(first, second - first));
  CHECK(archive(config, archived).code == 0);
  CHECK(archived.names() == Names{cut(second)});
  pieces.store("a", "x", second, bytes.substr(second), true);
  CHECK(archive(config, archived).code == 0);
  CHECK(archived.names() == Names{"a.x.mcap"});
  CHECK(content_of(archived.file("a.x.mcap")) == bytes);
}

TEST_CASE("if NATS has a recording's beginning no longer, the archived file that has it is kept") {
  if (NatsServer::is_missing()) return;
  const Folder folder, archived;
  const std::string bytes = recorded_bytes();
  const std::size_t first = bytes.size() - 40;
  const auto cut = [&](std::size_t end) { return "a.x.repaired-" + std::to_string(end) + ".mcap"; };
  {
    const NatsServer nats;
    Pieces(nats).store("a", "x", 0, bytes.substr(0, first));
    CHECK(archive(config_in(folder, nats), archived).code == 0);
  }
  REQUIRE(archived.names() == std::set<std::string>{cut(first)});
  const NatsServer nats;
  Pieces(nats).store("a", "x", 20, bytes.substr(20), true);
  CHECK(archive(config_in(folder, nats), archived).code == 0);
  CHECK(archived.names() == std::set<std::string>{cut(first), cut(bytes.size())});
}

TEST_CASE("if NATS loses a recording's beginning before a failed archiving is tried again, the file with it is kept") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string config = config_in(folder, nats), bytes = recorded_bytes();
  const std::size_t first = bytes.size() - 40;
  const auto cut = [&](std::size_t end) { return "a.x.repaired-" + std::to_string(end) + ".mcap"; };
  Pieces pieces(nats);
  pieces.store("a", "x", 0, bytes.substr(0, 20));
  pieces.store("a", "x", 20, bytes.substr(20, first - 20));
  CHECK(archive(config, archived).code == 0);
  REQUIRE(archived.names() == std::set<std::string>{cut(first)});

  pieces.store("a", "x", first, bytes.substr(first), true);
  const fs::path in_the_way = archived.file("a.x.mcap.archiving");
  REQUIRE(fs::create_directories(in_the_way / "not empty"));
  Process archiving({kEntente, "archive", config, "--to", archived.path().string()});
  REQUIRE(archiving.err_has("a.x: "));
  pieces.lose(1);
  fs::remove_all(in_the_way);
  const auto line = archiving.line();
  REQUIRE(line.has_value());
  CHECK_MESSAGE(has(*line, "repaired: pieces are missing"), *line);
  archiving.signal(SIGTERM);
  CHECK(archiving.wait() == 0);
  CHECK(archived.names() == std::set<std::string>{cut(first), cut(bytes.size())});
}

TEST_CASE("a recording of which the fleet lacks a piece is not archived as a whole one, though its end is there") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string config = config_in(folder, nats), bytes = recorded_bytes();
  Pieces pieces(nats);
  const std::size_t first = bytes.size() - 40, second = bytes.size() - 20;
  pieces.store("a", "x", 0, bytes.substr(0, first));
  pieces.store("a", "x", second, bytes.substr(second), true);
  const Ended ended = archive(config, archived);
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(has(ended.out, "repaired: pieces are missing"));
  const std::string file = "a.x.repaired-" + std::to_string(bytes.size()) + ".mcap";
  CHECK(archived.names() == std::set<std::string>{file});
  CHECK(run({kEntente, "inspect", archived.file(file)}).code == 0);
  CHECK(archive(config, archived).out.empty());  // it is archived
  const Ended replay = run({kEntente, "replay", "fleet:x", "--fleet", config, "--listen", "native://127.0.0.1:0"});
  CHECK(has(replay.err, "the fleet does not have all of the recording 'x'; what it has is played"));
}

TEST_CASE("a recording whose last pieces NATS does not give yet is not written as one that lacks them") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder, archived;
  const std::string bytes = recorded_bytes();
  Pieces pieces(nats);
  const std::size_t first = bytes.size() - 40;
  pieces.store("a", "x", 0, bytes.substr(0, first));
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  auto found = (*reader)->find("x");
  REQUIRE(found);
  const std::string whole = archived.file("whole.mcap"), cut = archived.file("cut.mcap");
  const FleetRecording as_stored = *found;
  SUBCASE("it has ended") { found->ended = found->complete = true; }
  SUBCASE("it has ended, and lacks pieces") { found->ended = true; }
  SUBCASE("it has not ended") {}
  found->bytes = bytes.size();  // as another replica says
  const auto early = (*reader)->save(*found, whole, cut);
  REQUIRE_FALSE(early.ok());
  CHECK(early.error().text == "NATS does not give all pieces of the recording 'x' yet; try again");
  CHECK(archived.names().empty());
  pieces.store("a", "x", first, bytes.substr(first), true);
  const auto later = (*reader)->save(*found, whole, cut);
  REQUIRE_MESSAGE(later.ok(), later.error().text);
  CHECK(later->whole == found->complete);
  CHECK(archived.names() == std::set<std::string>{found->complete ? "whole.mcap" : "cut.mcap"});
  CHECK((*reader)->save(as_stored, whole + "2", cut + "2").ok());
}

/// Counts what is written, and calls `then` after each write.
struct Counting final : trace::Sink {
  const std::string& name() const override { return called; }
  Outcome<Done> write(Bytes more) override {
    bytes += more.size();
    then();
    return Done{};
  }
  Outcome<Done> cut(std::uint64_t) override { return Done{}; }
  Outcome<Done> sync() override { return Done{}; }
  Outcome<Done> finish() override { return Done{}; }
  const std::string called = "counting";
  std::size_t bytes = 0;
  std::function<void()> then = [] {};
};

TEST_CASE("a recording that grows as fast as it is read is read up to the size that it had") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Pieces pieces(nats);
  pieces.store("a", "x", 0, "abc");
  pieces.store("a", "x", 3, "def");
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  const auto found = (*reader)->find("x");
  REQUIRE(found);
  REQUIRE(found->bytes == 6);
  Counting to;
  std::size_t size = found->bytes;
  to.then = [&] {
    if (size < 60) pieces.store("a", "x", size, "ghi");
    size += 3;
  };
  const auto fetched = (*reader)->fetch(*found, to);
  REQUIRE_MESSAGE(fetched.ok(), fetched.error().text);
  CHECK_FALSE(fetched->whole);
  CHECK(to.bytes == found->bytes);
}

TEST_CASE("a recording with many pieces that add nothing is given up") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const Folder folder;
  Pieces pieces(nats);
  pieces.store("a", "x", 0, "abc");
  for (std::size_t i = 0; i < FleetReader::kMostRepeated; ++i) pieces.store("a", "x", 0, "abc");
  pieces.store("a", "x", 3, "def");
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  Counting to;
  const auto as_many_as_allowed = (*reader)->find("x");
  REQUIRE(as_many_as_allowed);
  CHECK((*reader)->fetch(*as_many_as_allowed, to).ok());
  CHECK(to.bytes == 6);
  for (std::size_t i = 0; i <= FleetReader::kMostRepeated; ++i) pieces.store("a", "x", 5, "f");
  pieces.store("a", "x", 6, "ghi", true);
  const auto one_more = (*reader)->find("x");
  REQUIRE(one_more);
  const auto fetched = (*reader)->fetch(*one_more, to);
  REQUIRE_FALSE(fetched.ok());
  CHECK(fetched.error().text == "the recording 'x' has too many pieces that add nothing");
}

TEST_CASE("a node does not count as silent while NATS is unreachable, nor just after that") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  const Folder folder;
  const auto reader = FleetReader::open(config_in(folder, nats));
  REQUIRE(reader);
  CHECK((*reader)->silent_for("a", 1) < 1'000'000);
  REQUIRE(eventually([&] { return (*reader)->silent_for("a", 1) > 100; }));
  fleet::Bus& bus = (*reader)->fleet().bus();
  nats.kill();
  REQUIRE(eventually([&] { return bus.lost_for().value_or(0) > 100; }));
  CHECK((*reader)->silent_for("a", 1) == 0);
  nats.start();
  REQUIRE(eventually([&] { return bus.connected(); }));
  CHECK((*reader)->silent_for("a", 1) == 0);
  CHECK(eventually([&] { return (*reader)->silent_for("a", 1) > 0; }));
}

}  // namespace
}  // namespace entente::fleet_recordings_test
