// A shared room: clients of several games in one room. Some of them leave, do not read, or break a rule. Also, what is
// counted and recorded of the room.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>

#include "adapters/bzflag/bzflag.h"
#include "proxy/relay/tap/tap.h"
#include "proxy/trace/recording.h"
#include "tests/relay/in_shared_room.h"
#include "tests/relay/rule_orders.h"

namespace entente::testing::shared_room_test {
namespace {

using relay::Reason;

Stream come(const InSharedRoom& shared_room, std::size_t listener = 0, const net::Address* from = nullptr,
            int receive_buffer = 0) {
  Stream client = Stream::to(shared_room.at[listener], from, receive_buffer);
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);
  return client;
}

/// A client that has received its own chat, and so has its seat.
Stream seated(const InSharedRoom& shared_room, std::size_t listener = 0, const net::Address* from = nullptr) {
  Stream client = come(shared_room, listener, from);
  client.send(said("here"));
  CHECK(client.read_text(6) == said("here"));
  return client;
}

TEST_CASE("clients of several games and transports are in one room, whatever their workers") {
  for (const std::size_t workers : {1U, 3U}) {
    InSharedRoom shared_room(no_limits(), workers);
    const Stream tcp = seated(shared_room);
    WebClient web(shared_room.at[1], "/");
    web.upgrade();
    const net::Address from = free_for_both();
    const Stream both = come(shared_room, 2, &from);
    const Datagrams udp(from);
    const auto all_hear = [&](const std::string& what) {
      CHECK(tcp.read_text(what.size()) == what);
      CHECK(web.next() == "b:" + to_hex(as_bytes(what)));
      CHECK(both.read_text(what.size()) == what);
    };
    both.send(said("by tcp"));
    all_hear(said("by tcp"));
    web.send(net::Opcode::kBinary, frame("by web", toy::kSay));
    all_hear(said("by web"));
    udp.send(shared_room.at[2], point(42));
    CHECK(tcp.read(3) == point(42));
    CHECK(web.next() == "b:" + to_hex(point(42)));
    CHECK(udp.receive().bytes == point(42));
    shared_room.point(7);
    CHECK(tcp.read(3) == point(7));
    CHECK(shared_room.heard.line("opened " + tcp.here().text()));
    CHECK(shared_room.orphaned() == 2);  // the unit that points was never announced
  }
}

TEST_CASE("a client that greeted in time is let in, however late its greeting is read") {
  Limits limits = no_limits();
  limits.greet_ms = 300;
  InSharedRoom shared_room(limits);
  const Stream client = Stream::to(shared_room.at[0]);
  REQUIRE(eventually([&] { return shared_room.now() == 1; }));
  std::promise<void> over;
  shared_room.hold_up(over.get_future().share());
  client.send(kHello);
  std::this_thread::sleep_for(std::chrono::milliseconds(3 * limits.greet_ms));
  over.set_value();
  CHECK(client.read_text(4) == kWelcome);
  client.send(said("here"));
  CHECK(client.read_text(6) == said("here"));
  CHECK(shared_room.total(Reason::kGreetTimeout) == 0);
}

TEST_CASE("a client with which nothing is exchanged for idle_ms is sent away") {
  Limits limits = no_limits();
  limits.idle_ms = 300;
  InSharedRoom shared_room(limits);
  const Stream silent = seated(shared_room);
  CHECK(as_text(silent.read_all()) == kBye);
  CHECK(shared_room.ended(Reason::kIdle));
}

TEST_CASE("the room is told when a client leaves, and goes on even without clients") {
  InSharedRoom shared_room;
  const Stream anna = seated(shared_room);
  {
    const Stream ben = come(shared_room);
    ben.send(said("hello"));
    CHECK(anna.read_text(7) == said("hello"));
    CHECK(ben.read_text(7) == said("hello"));
    SUBCASE("by closing") { ben.finish(); }
    SUBCASE("by a frame") { ben.send(kBye); }
    CHECK(anna.read_text(6) == said("gone"));
    CHECK(ben.read_all().empty());
  }
  CHECK(shared_room.ended(Reason::kClientLeft));
  anna.send(said("still here"));
  CHECK(anna.read_text(12) == said("still here"));
  anna.finish();
  CHECK(anna.read_all().empty());
  CHECK(shared_room.empty());
  const Stream carl = seated(shared_room);
}

TEST_CASE("a client that lost its link resumes its seat") {
  InSharedRoom shared_room(no_limits(), 2);
  shared_room.asks = true;
  const Stream other = seated(shared_room);
  std::optional<Stream> client = seated(shared_room);
  CHECK(other.read_text(6) == said("here"));
  client->send(Buffer{2, toy::kAway, 7, 200});
  client->send(said("wait"));
  CHECK(other.read_text(6) == said("wait"));
  CHECK(client->read_text(6) == said("wait"));
  client.reset();
  CHECK(shared_room.ended(Reason::kClientLeft));
  CHECK_FALSE(other.readable(50));  // no player is gone
  client = come(shared_room);
  client->send(Buffer{1, toy::kBack, 7});
  CHECK(client->read(3) == Buffer{1, toy::kBack, 7});
  client->send(said("back"));
  CHECK(client->read_text(6) == said("back"));
  CHECK(other.read_text(6) == said("back"));
  client->send(Buffer{0, toy::kBye});
  CHECK(other.read_text(6) == said("gone"));
  const Stream late = come(shared_room);
  late.send(Buffer{1, toy::kBack, 7});  // that seat is gone: a new player
  late.send(said("late"));
  CHECK(other.read_text(6) == said("late"));
}

TEST_CASE("a client that lost its link resumes its seat while the room drains, and nobody else comes in") {
  InSharedRoom shared_room(no_limits(), 2);
  shared_room.asks = true;
  const Stream other = seated(shared_room);
  {
    const Stream client = seated(shared_room);
    CHECK(other.read_text(6) == said("here"));
    client.send(Buffer{2, toy::kAway, 7, 200});
    client.send(said("wait"));
    CHECK(other.read_text(6) == said("wait"));
    CHECK(client.read_text(6) == said("wait"));
  }
  CHECK(shared_room.ended(Reason::kClientLeft));
  shared_room.server().set_draining(0, true);
  const Stream newcomer = come(shared_room);
  newcomer.send(said("new"));
  CHECK(as_text(newcomer.read_all()).ends_with(kBye));
  CHECK(shared_room.ended(Reason::kDraining));
  const net::Address elsewhere = *net::Address::parse("127.0.0.2", 0);
  (void)Stream::to(shared_room.at[0], &elsewhere).read_all();
  CHECK(shared_room.ended(Reason::kDraining, 2));
  const Stream client = come(shared_room);
  client.send(Buffer{1, toy::kBack, 7});
  CHECK(client.read(3) == Buffer{1, toy::kBack, 7});
  client.send(said("back"));
  CHECK(client.read_text(6) == said("back"));
  CHECK(other.read_text(6) == said("back"));
}

TEST_CASE("a rule bans the address of a player whose link is broken and whose seat is kept") {
  using Kind = rules::Action::Kind;
  Orders orders;
  InSharedRoom shared_room(no_limits(), 1, nullptr, 0, nullptr, nullptr, net::Loop::clock(), orders.book(R"(
function on_chat(player, text)
  if text == "me" then suspect = player end
  if text == "ban" then ban(suspect, 5, "no cheats") end
end)"));
  shared_room.asks = true;
  const net::Address there = *net::Address::parse("127.0.0.2", 0);
  const Stream other = seated(shared_room);
  Stream suspect = seated(shared_room, 0, &there);
  CHECK(other.read_text(6) == said("here"));
  suspect.send(Buffer{2, toy::kAway, 7, 200});
  suspect.send(said("me"));
  CHECK(other.read_text(4) == said("me"));
  CHECK(suspect.read_text(4) == said("me"));  // else its end is a reset
  suspect.close();
  CHECK(shared_room.ended(Reason::kClientLeft));
  other.send(said("ban"));
  const auto ordered = orders.first(Kind::kBan);
  CHECK(ordered.first.minutes == 5);
  CHECK(ordered.second.client.ip_text() == "127.0.0.2");
  CHECK(other.read_text(5) == said("ban"));
  CHECK(other.read_text(6) == said("gone"));  // its seat is given up
}

TEST_CASE("kept seats count for their address, and the oldest one is given up for a newcomer") {
  Limits limits = no_limits();
  limits.sessions_per_address = 3;
  InSharedRoom shared_room(limits, 2);
  shared_room.asks = true;
  const net::Address elsewhere = *net::Address::parse("127.0.0.2", 0);
  const Stream other = seated(shared_room, 0, &elsewhere);
  std::uint64_t left = 0;
  /// `goes`: an older seat is given up for it. The others are told that before or after they receive its chat.
  const auto is_away = [&](std::uint8_t number, bool goes) {
    {
      const Stream client = come(shared_room);
      client.send(Buffer{2, toy::kAway, number, 200});
      client.send(said("here"));
      for (const Stream* hears : {&other, &client}) {
        const std::string heard = hears->read_text(goes ? 12 : 6);
        CHECK((heard == said("here") ||
               (goes && (heard == said("here") + said("gone") || heard == said("gone") + said("here")))));
      }
    }
    CHECK(shared_room.ended(Reason::kClientLeft, ++left));
  };
  for (std::uint8_t number = 1; number <= 3; ++number) is_away(number, false);
  CHECK_FALSE(other.readable(20));  // all three are kept
  const Stream fourth = come(shared_room);
  fourth.send(said("four"));
  CHECK(other.read_text(6) == said("four"));
  CHECK(other.read_text(6) == said("gone"));  // the oldest seat
  for (std::uint8_t number = 5; number <= 40; ++number) is_away(number, true);
  const Stream back = come(shared_room);
  back.send(Buffer{1, toy::kBack, 39});
  CHECK(back.read(3) == Buffer{1, toy::kBack, 39});  // it is one of the three: no seat is given up
  CHECK_FALSE(other.readable(20));
}

TEST_CASE("a player who is in and asks again to enter takes no kept seat of its address") {
  Limits limits = no_limits();
  limits.sessions_per_address = 3;
  InSharedRoom shared_room(limits, 2);
  shared_room.asks = true;
  const net::Address elsewhere = *net::Address::parse("127.0.0.2", 0);
  const Stream other = seated(shared_room, 0, &elsewhere);
  for (std::uint8_t number = 1; number <= 2; ++number) {
    {
      const Stream away = come(shared_room);
      away.send(Buffer{2, toy::kAway, number, 200});
      away.send(said("away"));
      CHECK(away.read_text(6) == said("away"));
      CHECK(other.read_text(6) == said("away"));
    }
    CHECK(shared_room.ended(Reason::kClientLeft, number));
  }
  const Stream anna = seated(shared_room);
  CHECK(other.read_text(6) == said("here"));
  const Stream late = come(shared_room);  // there are four now, but it has not entered yet
  anna.send(Buffer{1, toy::kBack, 99});   // no such seat is kept, so its front asks to enter
  for (const char* line : {"anna", "more"}) {
    anna.send(said(line));
    CHECK(other.read_text(6) == said(line));
  }
  late.send(said("late"));
  CHECK(other.read_text(6) == said("late"));
  CHECK(other.read_text(6) == said("gone"));
}

TEST_CASE("a client that breaks a rule is refused alone") {
  InSharedRoom shared_room;
  const Stream anna = seated(shared_room);
  const Stream bad = seated(shared_room);
  CHECK(anna.read_text(6) == said("here"));
  SUBCASE("of the game's framing") {
    bad.send("\xff");
    CHECK(as_text(bad.read_all()) == kBye);
    CHECK(shared_room.ended(Reason::kBadFrame));
    CHECK(shared_room.heard.line("bad frame: frame too large/length at " + std::to_string(4 + 6)));
  }
  SUBCASE("of the game") {
    bad.send(Buffer{0, toy::kWrong});
    CHECK(bad.read_all().empty());
    CHECK(shared_room.ended(Reason::kProtocolFault));
  }
  SUBCASE("of the room, which refuses it by a frame") {
    bad.send(said("refuse me"));
    CHECK(as_text(bad.read_all()) == std::string("\0\x0d", 2));
    CHECK(shared_room.ended(Reason::kServerDeclined));
  }
  CHECK(anna.read_text(6) == said("gone"));
  anna.send(said("peace"));
  CHECK(anna.read_text(7) == said("peace"));
}

/// Asks to enter again when it is refused.
class Stubborn final : public core::Front {
 public:
  void receive(const Frames& frames, core::FrontOut& out) override { toy_->receive(frames, out); }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    core::as<words::Refused>(fact) != nullptr ? out.say(words::Enter()) : toy_->hear(fact, out);
  }

 private:
  const std::unique_ptr<core::Front> toy_ = toy::make_front(toy::stream());
};

TEST_CASE("a player who was refused, tried again and was let in leaves like any other") {
  InSharedRoom shared_room(no_limits(), 1, nullptr, 0, nullptr,
                           [](std::size_t) { return std::make_unique<Stubborn>(); });
  const Stream anna = seated(shared_room);
  anna.send(said("refuse me"));
  for (int i = 0; i < 2; ++i) {  // what it says the second time waits until it is in
    anna.send(said("here"));
    CHECK(anna.read_text(6) == said("here"));
  }
  anna.send(Buffer{0, toy::kBye});
  CHECK(shared_room.ended(Reason::kClientLeft));
  CHECK(shared_room.total(Reason::kServerDeclined) == 0);
}

TEST_CASE("a client that reads nothing is closed alone, and the others receive everything") {
  Limits limits = no_limits();
  limits.high_water = 256 * 1024;  // eight times this may wait: more than one flood, so that slow reading is allowed
  limits.linger_ms = 300;
  InSharedRoom shared_room(limits);
  const Stream slow = Stream::to(shared_room.at[0], nullptr, 4096);
  slow.send(kHello);
  CHECK(slow.read_text(4) == kWelcome);
  const Stream anna = seated(shared_room);
  constexpr std::size_t kFlood = 4'000 * 182;
  std::size_t floods = 0;
  while (shared_room.total(Reason::kClientStalled) == 0 && floods < 100) {
    anna.send(said("flood"));
    CHECK(anna.read(kFlood).size() == kFlood);
    ++floods;
  }
  CHECK(shared_room.ended(Reason::kClientStalled));
  CHECK(shared_room.total(Reason::kClientStalled) == 1);
  CHECK(anna.read_text(6) == said("gone"));
}

TEST_CASE("a client that sends pings and does not read gets a limited number of pongs") {
  Limits limits = no_limits();
  limits.high_water = 64 * 1024;
  InSharedRoom shared_room(limits);
  WebClient client(shared_room.at[1], "/", {}, 4096);
  client.upgrade();
  Buffer ping = from_hex("89fd 00000000");  // with 125 bytes
  ping.resize(ping.size() + 125);
  Buffer thousand;
  for (int i = 0; i < 1'000; ++i) append(thousand, ping);
  for (int i = 0; i < 100; ++i) client.send_raw(thousand);
  client.send(net::Opcode::kBinary, frame("x", toy::kSay));
  int pongs = 0;
  std::string next = client.next();
  for (; next.starts_with("pong:"); next = client.next()) ++pongs;
  CHECK(next == "b:" + to_hex(frame("x", toy::kSay)));
  CHECK(pongs < 20'000);
}

TEST_CASE("limits apply to each client") {
  Limits limits = no_limits();
  SUBCASE("a client that sends nothing in time") {
    limits.greet_ms = 300;
    InSharedRoom shared_room(limits);
    const Stream talks = seated(shared_room);
    const Stream silent = Stream::to(shared_room.at[0]);
    CHECK(as_text(silent.read_all()) == kBye);
    CHECK(shared_room.ended(Reason::kGreetTimeout));
    CHECK_FALSE(talks.readable(0));
  }
  SUBCASE("an idle client") {
    limits.idle_ms = 800;
    InSharedRoom shared_room(limits);
    const Stream client = seated(shared_room);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2 * limits.idle_ms);
    while (std::chrono::steady_clock::now() < until) {  // a client that receives is not idle
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      shared_room.point(1);
      CHECK(client.read(3) == point(1));
    }
    CHECK(as_text(client.read_all()) == kBye);
    CHECK(shared_room.ended(Reason::kIdle));
  }
  SUBCASE("a client that sends faster is delayed") {
    limits.messages_per_second = 50;
    InSharedRoom shared_room(limits);
    const Stream client = seated(shared_room);
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 150; ++i) {  // the burst is 100
      client.send(point(1));
      CHECK(client.read(3) == point(1));
    }
    CHECK(std::chrono::steady_clock::now() - began > std::chrono::milliseconds(500));
  }
  SUBCASE("a client that sends pings faster is delayed") {
    limits.messages_per_second = 50;
    InSharedRoom shared_room(limits);
    WebClient client(shared_room.at[1]);
    client.upgrade();
    for (int i = 0; i < 150; ++i) client.send(net::Opcode::kPing, from_hex("aa"));
    for (int i = 0; i < 150; ++i) CHECK(client.next() == "pong:aa");
    CHECK(shared_room.throttled() > 0);
  }
  SUBCASE("a session that will not close is closed") {
    limits.linger_ms = 300;
    InSharedRoom shared_room(limits);
    const Stream stays = seated(shared_room);
    stays.send(Buffer{0, toy::kStay});
    stays.send(said("close"));
    CHECK(as_text(stays.read_all()) == kBye);
    CHECK(shared_room.empty());
  }
}

/// Enters with the first message, and says a line for each byte of every other one.
class TalkativeFront final : public core::Front {
  void receive(const Frames& frames, core::FrontOut& out) override {
    for (const std::uint8_t& one : frames.bytes) {
      words::Say say;
      say.set_text(std::string(1, static_cast<char>(one)));
      if (entered_) out.say(std::move(say));
    }
    if (std::exchange(entered_, true)) return;
    words::Enter enter;
    enter.set_name("toy");
    out.say(std::move(enter));
  }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    if (const auto* said = core::as<words::Said>(fact)) out.send(Lane::kStream, as_bytes(said->text()));
  }
  bool entered_ = false;
};

TEST_CASE("a message that says many things counts as many against its client's rate, and each of them once") {
  Limits limits = no_limits();
  limits.messages_per_second = 50;  // 100 at once
  InSharedRoom shared_room(limits, 1, nullptr, 0, nullptr,
                           [](std::size_t) { return std::make_unique<TalkativeFront>(); });
  WebClient client(shared_room.at[1]);
  client.upgrade();
  client.send(net::Opcode::kBinary, as_bytes("enter"));
  const auto say = [&client](int times) {
    client.send(net::Opcode::kBinary, Buffer(static_cast<std::size_t>(times), 'x'));
    for (int i = 0; i < times; ++i) CHECK(client.next() == "b:78");
  };
  for (const int times : {30, 30, 30, 1}) say(times);  // the last one is heard after the others were counted
  CHECK(shared_room.throttled() == 0);
  say(120);
  CHECK(eventually([&] { return shared_room.throttled() == 1; }));
}

TEST_CASE("in a bridge, too, a message that says many things counts as many against its client's rate") {
  struct Talkative final : Serving {
    Talkative(const net::Address& server, const Limits& limits) : Serving(1) {
      relay::RouteOptions options;
      options.game = &toy::messages();
      options.listen = loopback();
      options.servers[0].dialect = 0;
      options.bridge = toy_bridge(toy::messages(), toy::stream());
      options.bridge->front = [](std::size_t) { return std::make_unique<TalkativeFront>(); };
      serve(std::move(options), server, limits, nullptr);
    }
  };
  Limits limits = no_limits();
  limits.messages_per_second = 50;  // 100 at once
  const FakeServer fake;
  const Talkative running(fake.address(), limits);
  WebClient client(running.address);
  client.upgrade();
  client.send(net::Opcode::kBinary, as_bytes("enter"));
  const Stream server = fake.accept();
  CHECK(server.read_text(4) == kHello);
  server.send(kWelcome);
  const auto say = [&](int times) {
    client.send(net::Opcode::kBinary, Buffer(static_cast<std::size_t>(times), 'x'));
    for (int i = 0; i < times; ++i) CHECK(server.read_text(3) == said("x"));
  };
  for (const int times : {30, 30, 30, 1}) say(times);
  CHECK(running.totals().throttled == 0);
  say(120);
  CHECK(eventually([&] { return running.totals().throttled == 1; }));
}

TEST_CASE("when the room's back leaves, all clients get a goodbye, and newcomers are not let in") {
  InSharedRoom shared_room;
  const Stream anna = seated(shared_room), ben = come(shared_room);
  ben.send(said("close"));
  CHECK(as_text(ben.read_all()) == kBye);
  CHECK(as_text(anna.read_all()) == kBye);
  CHECK(shared_room.ended(Reason::kServerLeft, 2));
  const Stream late = Stream::to(shared_room.at[0]);
  CHECK(late.read_all().empty());
  CHECK(shared_room.ended(Reason::kServerUnreachable));
  shared_room.point(3);  // has no effect
}

TEST_CASE("when the program stops, all clients get a goodbye") {
  InSharedRoom shared_room;
  const Stream anna = seated(shared_room);
  anna.send(Buffer{0, 77});  // has no word
  WebClient web(shared_room.at[1], "/");
  web.upgrade();
  anna.send(said("x"));
  CHECK(anna.read_text(3) == said("x"));
  CHECK(web.next() == "b:" + to_hex(frame("x", toy::kSay)));
  std::thread stopping([&] { shared_room.stop(); });
  CHECK(as_text(anna.read_all()) == kBye);
  CHECK(web.next() == "b:0009");
  CHECK(web.next() == "close:4001 proxy stopped");
  web.send(net::CloseFrame{4001, ""});
  web.stream().finish();
  stopping.join();
  CHECK(shared_room.total(Reason::kStopped) == 2);
  CHECK(shared_room.heard.line("words_dropped 1 a frame (no word for it)"));
}

TEST_CASE("a recording of a shared room has its words once, and the frames of each link") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("entente_shared_room_" + std::to_string(getpid()))).string();
  auto recorder = trace::Recorder::open(path);
  REQUIRE(recorder.ok());
  relay::TapThread tap({.recorder = std::move(*recorder)});
  {
    InSharedRoom shared_room(no_limits(), 1, &tap);
    const Stream anna = seated(shared_room);
    const Stream ben = seated(shared_room);
    CHECK(anna.read_text(6) == said("here"));
    anna.send(said("once"));
    CHECK(anna.read_text(6) == said("once"));
    CHECK(ben.read_text(6) == said("once"));
    shared_room.stop();
  }
  REQUIRE(tap.stop().ok());
  std::map<std::uint32_t, std::string> links;
  std::map<std::uint32_t, std::size_t> frames;
  std::size_t once = 0;
  std::uint32_t words_of = 0, closed = 0;
  auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE(event.ok());
    if (*event == nullptr) break;
    if ((*event)->opened) links[(*event)->opened->link()] = (*event)->opened->game();
    if ((*event)->closed) ++closed;
    if ((*event)->frame) ++frames[(*event)->frame->link()];
    if (!(*event)->word) continue;
    words_of = (*event)->word->link;
    if ((*event)->word->fact) once += (*event)->word->fact->said().text() == "once";
  }
  CHECK(links.size() == 3);
  CHECK(closed == 3);
  CHECK(words_of == 1);
  CHECK(once == 1);
  CHECK(frames.size() == 2);
  CHECK_FALSE(frames.contains(1));
  std::filesystem::remove(path);
}

TEST_CASE("bots fill up to the minimum, and players are counted by game") {
  InSharedRoom shared_room(no_limits(), 1, nullptr, 2);
  const auto present = [&](std::size_t bots, std::size_t people) {
    return eventually([&] {
      std::size_t seen_bots = 0, seen_people = 0;
      for (const auto& row : shared_room.attendance())
        (row.game_dialect == "bot" ? seen_bots : seen_people) += row.present;
      return seen_bots == bots && seen_people == people;
    });
  };
  CHECK(present(2, 0));
  {
    const Stream anna = come(shared_room);
    CHECK(present(1, 1));
    const Stream ben = come(shared_room, 2);
    CHECK(present(0, 2));
    anna.finish();
    CHECK(anna.read_all().size() > 0);
    CHECK(present(1, 1));
  }
  CHECK(present(2, 0));
  const auto rows = shared_room.attendance();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].game_dialect == "bot");
  CHECK(rows[0].players == 4);
  CHECK(rows[1].game_dialect == "toy big");
  CHECK(rows[1].players == 2);
  CHECK(rows[1].names.size() == 2);
}

}  // namespace
}  // namespace entente::testing::shared_room_test
