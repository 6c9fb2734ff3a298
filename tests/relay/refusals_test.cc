// Every refusal says why, in the words that the client of the game shows: in relays and bridges, before and after the
// player has joined. proxy/manual/refusals.md has the table, which this test compares.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "adapters/aos/aos.h"
#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/native/native.h"
#include "adapters/ogar/ogar.h"
#include "adapters/panic/panic.h"
#include "proxy/relay/admission/bans.h"
#include "proxy/relay/ends/enet_reason.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/web_peers.h"
#include "tests/support/no_files_left.h"
#include "tests/support/paths.h"

namespace entente::testing::refusals_test {
namespace {

using relay::Reason;
using wire::ClientStage, wire::Parting;

// -- Games and their clients ------------------------------------------------------------------------------------------

struct Spoken {
  const wire::Game& game;
  const core::Faces& faces;
  std::size_t dialect;
  std::string_view greeting = "";  ///< what a client sends first
};

std::vector<Spoken> all_spoken() {
  constexpr std::string_view kHeader = "BZFLAG\r\n\r\n", kEnter = "{\"enter\":{\"name\":\"anna\"}}\n";
  return {{bzflag::game(), bzflag::faces(), 0, kHeader},
          {bzflag::game(), bzflag::faces(), 1},
          {bzflag::game(), bzflag::faces(), 2},
          {aos::game(), aos::faces(), 0},
          {bzdraft::game(), bzdraft::faces(), 0},
          {native::game(), native::faces(), 0},
          {native::game(), native::faces(), 1, kEnter},
          {*native::game().over_web(), native::faces(), 1},
          {ogar::game(), ogar::faces(), 0},
          {panic::game(), panic::faces(), 0}};
}

std::string name_of(const Spoken& spoken) {
  return std::string(spoken.game.name()) + " " + std::string(spoken.game.dialects()[spoken.dialect].name);
}

/// What a client got at the end: the bytes of a stream, the answer to its WebSocket's request ("503: words"), or the
/// number of a disconnect after its packets ("down 4").
std::string stream_gets(const Stream& stream) { return std::string(as_text(stream.read_all())); }

std::string web_gets(WebClient& client) {
  const net::HttpHead head = client.answer();
  if (head.status == 101) return client.next();
  std::string body;
  const std::string* size = head.find("Content-Length");
  while (size != nullptr && body.size() < std::stoul(*size)) {
    const std::string rest = client.rest();
    if (rest.empty()) break;
    body += rest;
  }
  return std::to_string(head.status) + ": " + body;
}

std::string joined_frames(const std::vector<Buffer>& frames) {
  std::string all;
  for (const Buffer& frame : frames) all += as_text(frame);
  return all;
}

std::string words_of(Reason why) { return relay::telling(why).words; }

/// What a newcomer of this game must get.
std::string expected(const Spoken& spoken, Reason why, const std::string& words) {
  const wire::Game& game = spoken.game;
  if (game.transport() == wire::Transport::kWebSocket) return std::to_string(relay::telling(why).http) + ": " + words;
  if (game.transport() == wire::Transport::kEnet) return "down " + std::to_string(relay::enet_parting(game, why));
  return joined_frames(game.last_words(spoken.dialect, ClientStage::kNew, relay::telling(why).parting, words));
}

/// A client over ENet, with a loop of its own.
struct EnetClient : Turning {
  explicit EnetClient(const Spoken& its) : end(loop), spoken(its) {
    const auto settings = its.game.enet();
    REQUIRE(end.host.open({2, settings.channels, settings.range_coder, 8U << 20U}).ok());
  }
  ~EnetClient() override { end.host.close(); }
  void knock(const net::Address& to) { end.host.connect(to, 1, spoken.game.connect_data(spoken.dialect)); }
  std::string gets() {
    until([&] { return !end.log.empty() && end.log.back().starts_with("down"); });
    return end.log.empty() ? "" : end.log.back();
  }
  End end;
  const Spoken& spoken;
};

/// What a newcomer gets.
std::string newcomer_gets(const Spoken& spoken, const net::Address& at) {
  if (spoken.game.transport() == wire::Transport::kEnet) {
    EnetClient client(spoken);
    client.knock(at);
    return client.gets();
  }
  if (spoken.game.transport() == wire::Transport::kWebSocket) {
    WebClient client(at);
    return web_gets(client);
  }
  const Stream client = Stream::to(at);
  client.try_send(as_bytes(spoken.greeting));
  return stream_gets(client);
}

// -- Routes -----------------------------------------------------------------------------------------------------------

/// A relay or a bridge (to native) with one route.
class Place : public Serving {
 public:
  Place(const Spoken& spoken, bool bridge, const net::Address& server, const Limits& limits,
        relay::Bans* bans = nullptr, relay::Access access = {}, const char* proxies = nullptr)
      : Serving(1) {
    relay::RouteOptions options;
    options.game = &spoken.game;
    options.listen = loopback();
    options.bans = bans;
    options.access = {std::move(access)};
    if (proxies != nullptr) options.proxies.networks = {*net::Network::parse(proxies)};
    options.servers[0].dialect = bridge ? 0 : spoken.dialect;
    if (bridge) {
      relay::BridgeOptions between;
      between.server_game = &native::game();
      between.front = [faces = &spoken.faces](std::size_t dialect) { return faces->front({dialect, {}}); };
      between.back = [](std::size_t dialect) { return native::faces().back({dialect, {}}); };
      options.bridge = std::move(between);
    }
    serve(std::move(options), server, limits, nullptr, spoken.dialect);
  }
};

net::Address nobody() { return free_for_both(); }

Limits patient() {
  Limits limits = no_limits();
  limits.connect_ms = 2'000;
  return limits;
}

template <class Do>
void for_all(Do&& check) {
  for (const Spoken& spoken : all_spoken())
    for (const bool bridge : {false, true}) {
      CAPTURE(name_of(spoken));
      CAPTURE(bridge);
      check(spoken, bridge);
    }
}

TEST_CASE("a newcomer whose server is down is told so") {
  for_all([](const Spoken& spoken, bool bridge) {
    Place place(spoken, bridge, nobody(), patient());
    // A bridge greets its client before it connects to the server, and clients of BZFlag and some others have to ask
    // for something first: their fronts' tests have the words.
    const bool in_room = bridge && spoken.game.transport() != wire::Transport::kEnet;
    if (in_room && (spoken.greeting.empty() || spoken.game.name() == "bzflag")) return;
    const std::string got = newcomer_gets(spoken, place.address);
    const std::string words = words_of(Reason::kServerUnreachable);
    if (in_room)
      CHECK_MESSAGE(got.find(words) != std::string::npos, got);
    else
      CHECK(got == expected(spoken, Reason::kServerUnreachable, words));
  });
}

TEST_CASE("a newcomer above a limit is told so") {
  for_all([](const Spoken& spoken, bool bridge) {
    struct Case {
      Reason why;
      Limits limits;
    };
    Limits few = patient(), few_there = patient(), slow = patient();
    few.sessions = few_there.sessions_per_address = 1;
    slow.connects_per_second = slow.connects_burst = 1;
    for (const Case& one :
         {Case{Reason::kTooMany, few}, Case{Reason::kTooManyFromAddress, few_there}, Case{Reason::kTooFast, slow}}) {
      FakeServer fake(true);
      Place place(spoken, bridge, fake.address(), one.limits);
      std::optional<EnetClient> enet;
      std::optional<Stream> first;
      std::optional<WebClient> web;
      if (spoken.game.transport() == wire::Transport::kEnet) {
        enet.emplace(spoken).knock(place.address);
        enet->until([&] { return enet->end.ups == 1; });
      } else if (spoken.game.transport() == wire::Transport::kWebSocket) {
        web.emplace(place.address);  // a session begins with the request
        REQUIRE(eventually([&] { return place.sessions().size() == 1; }));
      } else {
        first = Stream::to(place.address);
      }
      CHECK(newcomer_gets(spoken, place.address) == expected(spoken, one.why, words_of(one.why)));
      CHECK(eventually([&] { return place.totals().by(one.why) == 1; }));  // it is counted after it is told
    }
  });
}

TEST_CASE("a newcomer who is banned, whose address is not allowed, or who comes while the route drains is told so") {
  for_all([](const Spoken& spoken, bool bridge) {
    FakeServer fake(true);
    relay::Bans bans;
    bans.add({*net::Network::parse("127.0.0.1"), relay::Ban::kForGood, "no cheating", false});
    {
      Place place(spoken, bridge, fake.address(), patient(), &bans);
      CHECK(newcomer_gets(spoken, place.address) == expected(spoken, Reason::kBanned, "no cheating"));
    }
    {
      Place place(spoken, bridge, fake.address(), patient(), nullptr, {{}, {*net::Network::parse("127.0.0.0/8")}});
      CHECK(newcomer_gets(spoken, place.address) ==
            expected(spoken, Reason::kNotAllowed, words_of(Reason::kNotAllowed)));
    }
    Place place(spoken, bridge, fake.address(), patient());
    place.set_draining(true);
    CHECK(newcomer_gets(spoken, place.address) == expected(spoken, Reason::kDraining, words_of(Reason::kDraining)));
  });
}

TEST_CASE("a newcomer who comes past the load balancer, or for whom no descriptor is left, is told so") {
  for_all([](const Spoken& spoken, bool bridge) {
    if (spoken.game.transport() == wire::Transport::kEnet) return;  // no PROXY header, and no descriptor of its own
    FakeServer fake(true);
    {
      Place place(spoken, bridge, fake.address(), patient(), nullptr, {}, "192.0.2.0/24");
      CHECK(newcomer_gets(spoken, place.address) == expected(spoken, Reason::kNotProxy, words_of(Reason::kNotProxy)));
    }
    Place place(spoken, bridge, fake.address(), patient());
    const Stream client(net::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)));
    std::string got;
    {
      const NoFilesLeft none;
      REQUIRE(::connect(client.fd(), place.address.raw(), place.address.size()) == 0);
      client.try_send(as_bytes(spoken.greeting));
      got = stream_gets(client);
    }
    const std::string words = words_of(Reason::kOutOfDescriptors);
    if (spoken.game.transport() == wire::Transport::kWebSocket)
      CHECK((got.starts_with("HTTP/1.1 503 ") && got.ends_with("\r\n\r\n" + words)));
    else
      CHECK(got == expected(spoken, Reason::kOutOfDescriptors, words));
    CHECK(eventually([&] { return place.totals().by(Reason::kOutOfDescriptors) == 1; }));
  });
}

// -- Ends of sessions -------------------------------------------------------------------------------------------------

/// A client of a relay over TCP, whose server has said this much.
struct Joined {
  Joined(const Spoken& spoken, const Place& place, const FakeServer& fake, std::string_view said)
      : client(Stream::to(place.address)) {
    client.send(spoken.greeting);
    server = fake.accept();
    CHECK(server.read_text(spoken.greeting.size()) == spoken.greeting);
    server.send(said);
    CHECK(client.read_text(said.size()) == said);
  }
  Stream client, server;
};

struct StageOfClient {
  const char* name;
  ClientStage stage;
  std::string said;  ///< by its server
};

std::vector<StageOfClient> stages_of(const Spoken& spoken) {
  if (spoken.game.name() != "bzflag") {
    const std::string you = "{\"you\":{\"player\":1}}\n";
    return {{"new", ClientStage::kNew, ""}, {"playing", ClientStage::kPlaying, you}};
  }
  const std::string greeting = std::string(bzflag::kDialects[spoken.dialect].version) + "\x05";
  return {{"new", ClientStage::kNew, ""},
          {"joining", ClientStage::kJoining, greeting},
          {"playing", ClientStage::kPlaying, greeting + std::string("\0\0ac", 4)}};
}

relay::LinkId only_link(const Place& place) {
  REQUIRE(eventually([&] { return place.sessions().size() == 1; }));
  return place.sessions().at(0).info.link;
}

TEST_CASE("a player whose session ends in a relay is told why, at each stage of its joining") {
  struct Ending {
    Reason why;
    std::string words;
    std::function<void(Place&, Joined&)> cause;
  };
  const Ending endings[] = {
      {Reason::kKicked, "kicked: no cheating",
       [](Place& place, Joined&) { CHECK(place.kick(only_link(place), "no cheating")); }},
      {Reason::kDrained, words_of(Reason::kDrained), [](Place& place, Joined&) { place.end_sessions(""); }},
      {Reason::kStopped, words_of(Reason::kStopped), [](Place& place, Joined&) { place.server().stop(); }},
      {Reason::kIdle, words_of(Reason::kIdle), nullptr},
      {Reason::kServerReset, words_of(Reason::kServerReset), [](Place&, Joined& joined) { joined.server.reset(); }},
  };
  for (const Spoken& spoken : all_spoken()) {
    const bool by_lines = spoken.game.transport() == wire::Transport::kTcp && !spoken.greeting.empty();
    if (spoken.game.name() != "bzflag" && !by_lines) continue;
    for (const Ending& ending : endings)
      for (const StageOfClient& at : stages_of(spoken)) {
        CAPTURE(name_of(spoken));
        CAPTURE(relay::text(ending.why));
        CAPTURE(at.name);
        // Its relay may not know yet that the server accepted the connection.
        if (ending.why == Reason::kServerReset && spoken.greeting.empty() && at.said.empty()) continue;
        FakeServer fake(true);
        Limits limits = patient();
        if (ending.why == Reason::kIdle) limits.idle_ms = 200;
        Place place(spoken, false, fake.address(), limits);
        Joined joined(spoken, place, fake, at.said);
        if (ending.cause != nullptr) ending.cause(place, joined);
        const Parting parting = relay::telling(ending.why).parting;
        CHECK(stream_gets(joined.client) ==
              joined_frames(spoken.game.last_words(spoken.dialect, at.stage, parting, ending.words)));
      }
  }
}

TEST_CASE("a player whose server stops reading, and one who has only half closed, is told so") {
  for (const Spoken& spoken : all_spoken()) {
    if (spoken.game.transport() == wire::Transport::kWebSocket || spoken.greeting.empty()) continue;
    CAPTURE(name_of(spoken));
    const StageOfClient playing = stages_of(spoken).back();
    const auto expected_for = [&](Reason why) {
      return joined_frames(
          spoken.game.last_words(spoken.dialect, playing.stage, relay::telling(why).parting, words_of(why)));
    };
    FakeServer fake(true);
    Limits limits = patient();
    limits.stall_ms = 200;
    {
      Place place(spoken, false, fake.address(), limits);
      Joined joined(spoken, place, fake, playing.said);
      const std::string one = spoken.game.name() == "bzflag" ? std::string("\0\0al", 4) : "{\"spawn\":{}}\n";
      std::string much;
      while (much.size() < 64'000) much += one;
      std::size_t sent = 0;  // of `much`: whole frames, in order
      CHECK(eventually([&] {
        while (const std::size_t taken = joined.client.try_send(as_bytes(much).subspan(sent)))
          sent = (sent + taken) % much.size();
        return place.totals().by(Reason::kServerStalled) == 1;
      }));
      CHECK(stream_gets(joined.client) == expected_for(Reason::kServerStalled));
    }
    limits = patient();
    limits.half_closed_ms = 200;
    Place place(spoken, false, fake.address(), limits);
    Joined joined(spoken, place, fake, playing.said);
    joined.client.finish();
    CHECK(stream_gets(joined.client) == expected_for(Reason::kHalfClosed));
    CHECK(place.ended(Reason::kHalfClosed));
  }
}

TEST_CASE("a client whose game breaks the framing is told what is wrong") {
  const Spoken spoken = all_spoken().front();
  FakeServer fake(true);
  Place place(spoken, false, fake.address(), patient());
  const Stream client = Stream::to(place.address);
  client.send("SSH-2.0-x\r\n");
  CHECK(stream_gets(client).starts_with("REFUSED:" + words_of(Reason::kBadFrame) + ": wrong greeting in header"));
}

TEST_CASE("a player over ENet who is kicked reads why in chat, and the disconnect carries the number") {
  Scene scene(aos::game());
  scene.join(3);
  scene.client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
  scene.until([&] { return scene.server.log.size() == 2; });
  scene.server.say(0, "1200001800", EnetDelivery::kReliable);
  scene.until([&] { return scene.client.log.size() == 2; });
  CHECK(scene.running.kick(scene.running.sessions().at(0).info.link, "no cheating"));
  scene.until([&] { return scene.client.heard("down 10"); });
  CHECK(scene.client.heard("0/1 1123026b69636b65"));  // a line of the server: "kicke…"
  CHECK(scene.client.heard("0/1 11ff026b69636b65"));  // the reason
}

TEST_CASE("a player over WebSocket who is kicked reads why as a message of its game, and in the close frame") {
  const Spoken spoken{*native::game().over_web(), native::faces(), 1};
  FakeServer fake;
  Place place(spoken, false, fake.address(), patient());
  WebClient client(place.address);
  WebServer server(fake);
  server.upgrade();
  client.upgrade();
  client.send(net::Opcode::kText, as_bytes("{\"enter\":{\"name\":\"anna\"}}"));
  CHECK(server.next().starts_with("t:"));
  CHECK(place.kick(only_link(place), "no cheating"));
  const auto words = spoken.game.last_words(1, ClientStage::kPlaying, Parting::kKicked, "kicked: no cheating");
  REQUIRE(words.size() == 1);
  CHECK(client.next() == "t:" + to_hex(words[0]));
  CHECK(client.next() == "close:1008 kicked: no cheating");
}

TEST_CASE("a player of Ogar reads why in chat before the close frame, because the page clears its chat then") {
  FakeServer fake;
  const Spoken spoken{ogar::game(), ogar::faces(), 0};
  Place place(spoken, false, fake.address(), patient());
  WebClient client(place.address);
  WebServer server(fake);
  server.upgrade();
  client.upgrade();
  client.send("0103000000");
  CHECK(server.next().starts_with("b:"));
  CHECK(place.kick(only_link(place), "no cheating"));
  const std::string said = client.next();
  CHECK_MESSAGE(said.find(to_hex(as_bytes("kicked: no cheating"))) != std::string::npos, said);
}

TEST_CASE("a server's answer to a WebSocket's request is passed on with its words") {
  const Spoken spoken{*native::game().over_web(), native::faces(), 1};
  FakeServer fake;
  Place place(spoken, false, fake.address(), patient());
  WebClient client(place.address);
  WebServer server(fake);
  Buffer answer;
  net::write_answer(503, "the server is full; try again later", answer);
  server.send_raw(answer);
  CHECK(web_gets(client) == "503: the server is full; try again later");
}

// -- What stock clients show ------------------------------------------------------------------------------------------

/// BZFlag's clients, by the first bytes that they get (ServerLink.cxx and playing.cxx at v2.4.26, v2.0.16, v1.10.8).
std::string bzflag_shows(std::string_view said, const bzflag::Dialect& dialect) {
  const std::string_view version = said.substr(0, 8);
  if (version == "REFUSED:" && dialect.shows_refusals)
    return "You have been banned from this server: " + std::string(said.substr(8, said.find('\0') - 8));
  if (version != dialect.version) return "Incompatible server version " + std::string(version);
  return said.size() > 8 && said[8] == '\xff' ? "Game is full or over.  Try again later." : "?";
}

/// network_reason_disconnect() in network.c of BetterSpades.
std::string better_spades_shows(std::uint32_t number) {
  switch (number) {
    case 1:
      return "Banned";
    case 2:
      return "Connection limit";
    case 3:
      return "Wrong protocol";
    case 4:
      return "Server full";
    case 5:
      return "Server shutdown";
    case 10:
      return "Kicked";
    default:
      return "Unknown";
  }
}

/// NetClient::DisconnectReasonString() of OpenSpades.
std::string open_spades_shows(std::uint32_t number) {
  switch (number) {
    case 1:
      return "You are banned from this server.";
    case 2:
    case 10:
      return "You were kicked from this server.";
    case 3:
      return "Incompatible client protocol version.";
    case 4:
      return "Server full";
    default:
      return "Unknown Reason";
  }
}

std::string row_of(Reason why) {
  const relay::Telling its = relay::telling(why);
  const auto bzflag_of = [&](std::size_t dialect) {
    std::string shown =
        bzflag_shows(joined_frames(bzflag::game().last_words(dialect, ClientStage::kNew, its.parting, its.words)),
                     bzflag::kDialects[dialect]);
    const auto at = shown.rfind(its.words);
    return at == std::string::npos ? shown : shown.replace(at, std::strlen(its.words), "…");
  };
  const std::uint32_t number = relay::enet_parting(aos::game(), why);
  std::string row = "| " + std::string(relay::text(why)) + " | " + its.words;
  for (const std::string& cell :
       {bzflag_of(0), bzflag_of(2), better_spades_shows(number), open_spades_shows(number), std::to_string(its.http)})
    row += " | " + cell;
  return row + " |\n";
}

std::string table() {
  std::string all =
      "| reason | text | BZFlag 2.4, 2.0 | BZFlag 1.10 | BetterSpades | OpenSpades | HTTP |\n"
      "|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < relay::kReasons; ++i)
    if (*relay::telling(static_cast<Reason>(i)).words != 0) all += row_of(static_cast<Reason>(i));
  return all;
}

TEST_CASE("the table of refusals in the manual is true") {
  const std::string path = source_dir() + "/proxy/manual/refusals.md";
  std::ifstream in(path);
  std::ostringstream read;
  read << in.rdbuf();
  std::string manual = read.str();
  const std::string_view begin = "| reason | text |";
  const auto from = manual.find(begin);
  REQUIRE(from != std::string::npos);
  auto to = from;
  while (to < manual.size() && manual[to] == '|') to = manual.find('\n', to) + 1;
  if (std::getenv("ENTENTE_WRITE_FORMAT") != nullptr) {
    manual.replace(from, to - from, table());
    std::ofstream(path) << manual;
    return;
  }
  CHECK(manual.substr(from, to - from) == table());
}

TEST_CASE("every reason has words, unless the client has left or got what it asked for") {
  // The lab resets connections, so that nothing can be told.
  constexpr Reason kNobodyWaits[] = {Reason::kClientLeft, Reason::kClientReset, Reason::kResumed, Reason::kLabReset};
  for (std::size_t i = 0; i < relay::kReasons; ++i) {
    const auto why = static_cast<Reason>(i);
    CAPTURE(relay::text(why));
    const bool waits = std::find(std::begin(kNobodyWaits), std::end(kNobodyWaits), why) == std::end(kNobodyWaits);
    CHECK((*relay::telling(why).words != 0) == waits);
    if (!waits) continue;
    CHECK(relay::telling(why).http >= 400);
    CHECK(relay::telling(why).parting != Parting::kLeft);
    // Every game has bytes, a number or a close frame for it.
    for (const Spoken& spoken : all_spoken()) {
      const Parting parting = relay::telling(why).parting;
      for (const ClientStage stage : {ClientStage::kNew, ClientStage::kJoining, ClientStage::kPlaying}) {
        const auto frames = spoken.game.last_words(spoken.dialect, stage, parting, words_of(why));
        const auto codec = spoken.game.codec(spoken.dialect);
        CAPTURE(name_of(spoken));
        for (const Buffer& frame : frames)
          if (stage != ClientStage::kNew && spoken.game.transport() != wire::Transport::kEnet)
            CHECK(codec->decode({wire::Way::kToClient, wire::Lane::kStream, wire::Stage::kPlay, frame}).ok());
      }
    }
  }
}

}  // namespace
}  // namespace entente::testing::refusals_test
