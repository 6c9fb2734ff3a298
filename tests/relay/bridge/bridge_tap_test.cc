// What a tap records of a bridge: the frames of both links, the words between them without secrets, and what was not
// forwarded.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>

#include "adapters/panic/panic.h"
#include "proxy/relay/tap/tap.h"
#include "proxy/trace/recording.h"
#include "tests/relay/native_lines.h"

namespace entente::testing::bridge_tap_test {
namespace {

/// A file that is removed with the test.
struct Scratch {
  ~Scratch() { std::filesystem::remove(path); }
  std::string path = (std::filesystem::temp_directory_path() / ("entente_bridge_" + std::to_string(getpid()))).string();
};

struct Recorded {
  explicit Recorded(const std::string& path) {
    auto recording = trace::Recording::open(path);
    REQUIRE(recording.ok());
    (*recording)->with_calls();
    for (;;) {
      const auto event = (*recording)->next();
      REQUIRE_MESSAGE(event.ok(), event.error().text);
      if (*event == nullptr) break;
      take(**event);
    }
  }
  void take(const trace::Recording::Event& event) {
    if (event.calls)
      for (const trace::Detail& call : event.calls->details()) calls.push_back(call);
    if (event.opened) links[event.opened->link()] = event.opened->game() + " " + event.opened->dialect();
    if (event.frame) ++frames[event.frame->link()];
    if (event.note) notes.push_back(std::to_string(event.note->link()) + ": " + event.note->text());
    if (event.world) {
      CHECK(event.world->link() == 1);
      worlds.push_back(*event.world);
    }
    if (!event.word) return;
    CHECK(event.word->link == 1);
    CHECK(event.time >= last_said);
    last_said = event.time;
    if (event.word->intent) intents.push_back(*event.word->intent);
    if (event.word->fact) facts.push_back(*event.word->fact);
  }

  std::map<std::uint32_t, std::string> links;
  std::map<std::uint32_t, std::size_t> frames;
  std::vector<std::string> notes;
  std::vector<trace::Detail> calls;  // those with details
  std::vector<words::Intent> intents;
  std::vector<words::Fact> facts;
  std::vector<trace::Snapshot> worlds;
  WallTime last_said = 0;
};

TEST_CASE("a recording of a bridge has both links and all words in order, no secrets, and what was not forwarded") {
  Scratch scratch;
  auto recorder = trace::Recorder::open(scratch.path);
  REQUIRE(recorder.ok());
  relay::TapThread tap({.recorder = std::move(*recorder)});
  {
    FakeServer fake;
    Bridging running(toy::stream(), toy::messages(), fake.address(), no_limits(), 1, &tap);
    const Stream client = Stream::to(running.address);
    client.send(kHello);
    CHECK(client.read_text(4) == kWelcome);
    WebServer server(fake);
    server.upgrade();
    client.send(Buffer{0, 77});  // has no word
    client.send(frame("hello", toy::kSay));
    CHECK(server.next().starts_with("b:0503"));
    server.send(net::Opcode::kBinary, point(9));
    CHECK(client.read(3) == point(9));
    client.finish();
    CHECK(server.next() == "b:0009");
    server.stream().finish();
    CHECK(running.empty());
    CHECK(running.heard.line("words_dropped 1 a frame (no word for it)"));
  }
  REQUIRE(tap.stop().ok());

  const Recorded recorded(scratch.path);
  CHECK(recorded.links == std::map<std::uint32_t, std::string>{{1, "toy big"}, {2, "toy big"}});
  CHECK(recorded.frames == std::map<std::uint32_t, std::size_t>{{1, 5}, {2, 3}});
  REQUIRE(recorded.intents.size() == 3);
  CHECK(recorded.intents[0].enter().name() == "toy");
  CHECK(recorded.intents[0].enter().password().empty());
  CHECK(recorded.intents[1].say().text() == "hello");
  CHECK(recorded.intents[2].has_leave());
  REQUIRE(recorded.facts.size() == 1);
  CHECK(recorded.facts[0].pose().x() == 9);
  const auto noted = [&](std::string_view part) {
    return std::any_of(recorded.notes.begin(), recorded.notes.end(), [&](auto& one) { return one.starts_with(part); });
  };
  CHECK(noted("1: a room with seed "));
  REQUIRE(recorded.worlds.size() == 1);  // at the beginning
  CHECK(noted("1: dialling 127.0.0.1:"));
  CHECK(noted("2: for the player of link 1"));
  CHECK(noted("1: not forwarded: 1 a frame (no word for it)"));
}

/// A bridge whose players wait for the next server.
class Holding final : public Serving {
 public:
  Holding(const net::Address& server, relay::Tap* tap) : Serving(1) {
    serve(held(60'000, native::game(), true), server, no_limits(), tap, kJson);
  }
};

TEST_CASE(
    "a recording of a bridge has the calls of its room, also that the next server takes the place of a lost one") {
  Scratch scratch;
  auto recorder = trace::Recorder::open(scratch.path);
  REQUIRE(recorder.ok());
  relay::TapThread tap({.recorder = std::move(*recorder)});
  {
    const net::Address at = free_for_both();
    std::optional<LateServer> up(at);
    Holding running(at, &tap);
    Lines client(Stream::to(running.address));
    client.say(R"({"enter":{"name":"anna"}})");
    {
      auto [server, enter] = greet(*up);
      let_in(server, "one", "ben");
      client.until("ready");
    }
    auto [server, enter] = greet(*up);
    let_in(server, "two", "cleo");
    client.until("back on the server");
    client.stream().finish();
    CHECK(running.empty());
  }
  REQUIRE(tap.stop().ok());

  const Recorded recorded(scratch.path);
  const auto count = [&](trace::Detail::KindCase kind) {
    return std::count_if(recorded.calls.begin(), recorded.calls.end(),
                         [=](auto& one) { return one.kind_case() == kind; });
  };
  REQUIRE(!recorded.calls.empty());
  CHECK(recorded.calls.front().has_began());
  CHECK(recorded.calls.front().began().back().game() == "native");
  CHECK(count(trace::Detail::kSeated) == 1);
  CHECK(count(trace::Detail::kServerUp) == 2);
  REQUIRE(count(trace::Detail::kServerReplaced) == 1);
  for (const trace::Detail& call : recorded.calls)
    if (call.has_server_replaced()) {
      CHECK(call.server_replaced().back().game() == "native");
      CHECK(call.server_replaced().back().dialect() == "json");
      CHECK_FALSE(call.server_replaced().why().empty());
      CHECK_FALSE(call.server_replaced().meanwhile());
    }
  CHECK(count(trace::Detail::kGone) == 1);  // the client
}

/// A bridge from native to a server of Panic whose dialect is found in the session.
class ToPanic final : public Serving {
 public:
  ToPanic(const net::Address& server, relay::Tap* tap) : Serving(1) {
    relay::RouteOptions options = held(0, native::game(), true);
    options.servers[0].dialect = std::nullopt;
    options.bridge->server_game = &panic::game();
    options.bridge->back = [](std::size_t dialect) { return panic::faces().back({dialect, {}}); };
    serve(std::move(options), server, no_limits(), tap, kJson);
  }
};

TEST_CASE("a recording of a bridge says which dialect its server was found to speak") {
  Scratch scratch;
  auto recorder = trace::Recorder::open(scratch.path);
  REQUIRE(recorder.ok());
  relay::TapThread tap({.recorder = std::move(*recorder)});
  {
    const FakeServer fake;
    ToPanic running(fake.address(), &tap);
    Lines client(Stream::to(running.address));
    client.say(R"({"enter":{"name":"anna"}})");
    const Stream server = fake.accept();
    server.send(Buffer{1,  1, 1, 0, 1,  1,   0, 0, 0, 1,  // as in detection_test.cc
                       32, 0, 0, 0, 0,  100, 0, 0, 0, 0,  //
                       16, 0, 0, 0, 50, 0,   0, 0, 1, 1, 4});
    CHECK(eventually([&] { return running.heard.told("opened") == 1; }));
    client.stream().finish();
    CHECK(running.empty());
  }
  REQUIRE(tap.stop().ok());
  std::vector<std::string> spoken;
  for (const trace::Detail& call : Recorded(scratch.path).calls)
    if (call.has_server_speaks()) spoken.push_back(call.server_speaks());
  REQUIRE(spoken.size() == 1);
  CHECK(spoken[0] == "be-packed");
}

}  // namespace
}  // namespace entente::testing::bridge_tap_test
