// Rules of a relay of the toy game: what they hear, want and drop; that every byte passes without `rewrite`, also while
// a rule loops; and what becomes of peers who cannot be understood.
#include <doctest/doctest.h>

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/steady_wall.h"
#include "proxy/relay/overhear/overhearing.h"
#include "tests/relay/enet_yard.h"
#include "tests/relay/native_lines.h"
#include "tests/relay/rule_orders.h"

namespace entente::testing::relay_rules_test {
namespace {

using Kind = rules::Action::Kind;

std::string said_frame(std::string_view text) { return std::string(as_text(frame(text, toy::kSay))); }

/// A relay with one rule.
class RuledServing : public Serving {
 public:
  RuledServing(const wire::Game& game, const net::Address& server, const std::string& source, bool rewrite,
               relay::RouteOptions options = {})
      : Serving(1), book(orders.book(source)) {
    options.game = &game;
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.relay_rules = {.book = book,
                           .rewrite = rewrite,
                           .tells = true,
                           .front = [&game](std::size_t) { return toy::make_front(game); },
                           .back = [&game](std::size_t) { return toy::make_back(game); }};
    serve(std::move(options), server, no_limits(), nullptr);
  }
  ~RuledServing() { stop(); }  // before `orders` is gone
  std::string told(Kind kind) const { return orders.first(kind).first.text; }
  /// Waits until a rule has logged this.
  bool logged(std::string_view text) const {
    return eventually([&] { return orders.has(Kind::kLog, text); });
  }

  Orders orders;
  std::shared_ptr<relay::RuleBook> book;
};

struct WithFake {
  FakeServer fake;
};

/// The same over TCP, and a session.
class RuledRelay final : public WithFake, public RuledServing {
 public:
  RuledRelay(const std::string& source, bool rewrite, relay::RouteOptions options = {})
      : RuledServing(toy::stream(), fake.address(), source, rewrite, std::move(options)) {
    client = Stream::to(address);
    client.send(kHello);
    server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    server.send(kWelcome);
    CHECK(client.read_text(4) == kWelcome);
  }
  /// What the server gets after the client has said these lines and "end".
  std::string gets(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) client.send(said_frame(line));
    client.send(said_frame("end"));
    std::string all;
    while (!all.ends_with("end")) all += server.read_text(1);
    return all;
  }

  Stream client, server;
};

/// The same over ENet.
struct RuledPackets : Yard {
  RuledPackets(const std::string& source, bool rewrite, relay::RouteOptions options = {})
      : relay(toy::packets(), serve(), source, rewrite, std::move(options)) {
    join(relay.address);
    until([&] { return server.peer != nullptr; });
  }
  RuledServing relay;
};

/// Logs all that is said, and drops "psst".
const std::string kHearsAll = R"(
function on_chat(player, text)
  log("client: " .. text)
  if text == "psst" then return false end
end
function on_fact.said(word) log("server: " .. word.text) end)";

/// A relay of native, as lines of JSON.
class RuledNativeRelay final : public Serving {
 public:
  RuledNativeRelay(const std::string& source, const net::Address& server) : Serving(1) {
    relay::RouteOptions options;
    options.game = &native::game();
    options.servers[0].dialect = kJson;
    options.listen = loopback();
    options.relay_rules = {.book = orders.book(source),
                           .rewrite = true,
                           .tells = true,
                           .front = kNativeFront,
                           .back = [](std::size_t dialect) {
                             return native::make_back({dialect, {}});
                           }};
    serve(std::move(options), server, no_limits(), nullptr, kJson);
  }
  ~RuledNativeRelay() { stop(); }  // before `orders` is gone
  Orders orders;
};

TEST_CASE("relay rules: a filter also hears what a client says before it enters") {
  const FakeServer fake;
  const RuledNativeRelay relay("function on_chat(_, text) log('heard ' .. text) return text ~= 'psst' end",
                               fake.address());
  const Lines client(Stream::to(relay.address));
  for (const char* const line : {"psst", "hello"}) client.say(R"({"say":{"text":")" + std::string(line) + "\"}}");
  Lines server(fake.accept());
  CHECK(server.next().find("hello") != std::string::npos);
  CHECK(relay.orders.texts(Kind::kLog) == std::vector<std::string>{"heard psst", "heard hello"});
}

TEST_CASE("relay rules: a filter hears, kicks and tells; it drops only with `rewrite`") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    RuledRelay it(R"(
function on_chat(player, text)
  if text == "psst" then return false end
  if text == "darn" then return "****" end
  if text == "heck" then kick(player, "mind your words") end
end
function on_fact.said(word) log("heard " .. word.text) end
command("ready", "is ready", function(player, rest) tell(player, "ready " .. rest) end))",
                  rewrite);
    const std::string all = it.gets({"one", "psst", "darn", "/ready now", "two"});
    if (rewrite)
      CHECK(all == said_frame("one") + said_frame("two") + said_frame("end"));
    else
      CHECK(all == said_frame("one") + said_frame("psst") + said_frame("darn") + said_frame("/ready now") +
                       said_frame("two") + said_frame("end"));
    CHECK(it.told(Kind::kTell) == "ready now");
    it.server.send(said_frame("hello"));
    CHECK(it.client.read_text(said_frame("hello").size()) == said_frame("hello"));
    CHECK(eventually([&] { return it.orders.has(Kind::kLog, "heard hello"); }));
    CHECK(it.orders.has(Kind::kLog, "`rewrite` is not set") == !rewrite);
    it.client.send(said_frame("heck"));
    const auto [kick, player] = it.orders.first(Kind::kKick);
    CHECK(kick.text == "mind your words");
    CHECK(player.link == 1);
    CHECK(it.tapped.record(1).kept.size() == (rewrite ? 3 : 0));
  }
}

TEST_CASE("relay rules: a rule that loops, recurses or grows holds up nobody, and is switched off once") {
  for (const char* const does : {"while true do end", "local function f() return 1 + f() end f()",
                                 "local all = {} while true do all[#all + 1] = ('x'):rep(9000 + #all) end", "error({})",
                                 "while true do tell(player, 'spam') end", "while true do pcall(error) end"})
    for (const bool rewrite : {false, true}) {
      CAPTURE(does);
      CAPTURE(rewrite);
      RuledRelay it("function on_chat(player, text) if text == 'go' then " + std::string(does) + " end end", rewrite);
      CHECK(it.gets({"go", "on"}) == said_frame("go") + said_frame("on") + said_frame("end"));
      CHECK(!it.told(Kind::kSwitchedOff).empty());
      CHECK(it.gets({"go"}) == said_frame("go") + said_frame("end"));
      CHECK(it.orders.count(Kind::kSwitchedOff) == 1);
      CHECK(it.orders.count(Kind::kTell) <= 400);
    }
}

TEST_CASE("relay rules: a rule kicks only the player whose session it hears") {
  for (const bool rewrite : {false, true}) {
    RuledRelay it("function on_chat() for id = 0, 1000 do kick(id, 'all') ban(id, 5, 'all') end end", rewrite);
    it.client.send(said_frame("go"));
    CHECK(it.orders.first(Kind::kBan).second.link == 1);
    it.gets({});
    it.stop();
    CHECK(it.orders.count(Kind::kKick) == it.orders.count(Kind::kBan));
    CHECK(it.orders.count(Kind::kKick) <= 2);  // for each of two lines
  }
}

TEST_CASE("relay rules: a client that cannot be understood goes on without `rewrite`, and is sent away with it") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    RuledRelay it("function on_chat(_, text) log(text) end", rewrite);
    it.client.send(frame("", toy::kWrong));
    CHECK(it.told(Kind::kLost).find("the client broke its game's rules") != std::string::npos);
    CHECK(it.book->lost() == 1);
    if (rewrite) {
      CHECK(it.ended(relay::Reason::kProtocolFault));
    } else {
      CHECK(it.gets({"still"}).ends_with(said_frame("still") + said_frame("end")));
      CHECK(it.orders.count(Kind::kLog) == 0);
    }
  }
}

TEST_CASE("relay rules: a server that cannot be understood is passed on, and told once") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    RuledRelay it("function on_chat() return false end", rewrite);
    const Buffer wrong = frame("", toy::kWrong);
    it.server.send(wrong);
    it.server.send(said_frame("on"));
    CHECK(it.client.read(wrong.size()) == wrong);
    CHECK(it.client.read_text(said_frame("on").size()) == said_frame("on"));
    CHECK(it.told(Kind::kLost).find("the server broke its game's rules") != std::string::npos);
    it.client.send(said_frame("on"));
    CHECK(it.server.read_text(said_frame("on").size()) == said_frame("on"));
    CHECK(it.orders.count(Kind::kLost) == 1);
  }
}

TEST_CASE("relay rules: open sessions get the new rules, state survives, and the clock ticks") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    RuledRelay it("state.lines = 0 function on_chat(_, text) state.lines = state.lines + 1 log('one') end", rewrite);
    it.client.send(said_frame("first"));
    CHECK(it.told(Kind::kLog) == "one");
    it.book->set(Orders::set_of("function on_tick() log('kept ' .. state.lines) end"));
    it.client.send(said_frame("what happens next"));
    CHECK(eventually([&] { return it.orders.has(Kind::kLog, "kept 2"); }));
  }
}

TEST_CASE("relay rules: the clock goes on ticking while nobody says anything") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    RuledRelay it("state.ticks = 0 function on_tick() state.ticks = state.ticks + 1 log('tick ' .. state.ticks) end",
                  rewrite);
    it.client.send(said_frame("the last word"));
    CHECK(it.logged("tick 3"));
  }
}

TEST_CASE("relay rules: what the operator announces is not heard, however many lines it has") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    relay::RouteOptions options;
    options.announce = true;
    RuledRelay it(kHearsAll, rewrite, options);
    REQUIRE(it.say("we stop in an hour").front().told == relay::AnnounceResult::kYes);
    const std::string lines = said_frame("we stop ") + said_frame("in an ho") + said_frame("ur");
    CHECK(it.client.read_text(lines.size()) == lines);
    it.server.send(said_frame("hello"));
    CHECK(it.client.read_text(7) == said_frame("hello"));
    CHECK(it.logged("server: hello"));
    CHECK(it.orders.count(Kind::kLog) == 1);
  }
}

/// A route with this lab, to whose players an operator may speak.
relay::RouteOptions with_lab(std::string_view text) {
  const auto same = [](std::string_view name) -> Outcome<std::vector<std::string>> {
    return std::vector{std::string(name)};
  };
  auto plan = relay::LabPlan::parse(text, same);
  REQUIRE(plan.ok());
  relay::RouteOptions options;
  options.announce = true;
  options.lab = std::make_shared<const relay::LabPlan>(std::move(*plan));
  return options;
}

TEST_CASE("relay rules: what the operator announces is not heard when a lab passes it on later, or in slices") {
  for (const bool rewrite : {false, true})
    for (const char* const lab : {"to_client: delay=50ms", "to_client: slice=1", "to_client: delay=20ms, slice=1-3"}) {
      CAPTURE(rewrite);
      CAPTURE(lab);
      RuledRelay it(kHearsAll, rewrite, with_lab(lab));
      it.server.send(said_frame("before"));
      CHECK(eventually([&] { return it.sessions().at(0).bytes > 8; }));
      REQUIRE(it.say("psst").front().told == relay::AnnounceResult::kYes);
      it.server.send(said_frame("after"));
      const std::string lines = said_frame("before") + said_frame("psst") + said_frame("after");
      CHECK(it.client.read_text(lines.size()) == lines);
      CHECK(it.logged("server: after"));
      CHECK(it.orders.has(Kind::kLog, "server: before"));
      CHECK(it.orders.count(Kind::kLog) == 2);
      CHECK(it.orders.count(Kind::kLost) == 0);
    }
}

TEST_CASE("relay rules: what a lab drops is not heard") {
  const relay::RouteOptions options = with_lab("to_server: drop Texts");
  RuledRelay it(kHearsAll, false, options);
  it.client.send(said_frame("lost"));
  it.server.send(said_frame("hello"));
  CHECK(it.logged("server: hello"));
  CHECK(it.tapped.record(1).kept.size() == 1);
  CHECK(it.orders.count(Kind::kLog) == 1);
}

TEST_CASE("relay rules: a rule tells the players of a relay, each in a session of its own") {
  for (const bool rewrite : {false, true}) {
    RuledRelay it("function on_chat(player, text) tell_all('to all: ' .. text) end", rewrite);
    it.client.send(said_frame("hello"));
    const auto [action, player] = it.orders.first(Kind::kTell);
    CHECK(action.text == "to all: hello");
    CHECK(player.link == 1);
  }
}

TEST_CASE("relay rules: once a peer does not send messages any more, the rules of its session end") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    RuledRelay it(kHearsAll, rewrite);
    const Buffer nonsense(300, 0xFF);
    it.server.send(nonsense);
    CHECK(it.client.read(nonsense.size()) == nonsense);
    const std::string why = it.told(Kind::kLost);
    CHECK(why.find(rewrite ? "the server sent a part of a message" : "the server sent what is not a message") == 0);
    CHECK(it.gets({"psst"}) == said_frame("psst") + said_frame("end"));
    CHECK(it.orders.count(Kind::kLost) == 1);
    CHECK(it.orders.count(Kind::kLog) == 0);
  }
}

TEST_CASE("relay rules: a client that goes on after its goodbye is sent away if rules may drop what it says") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    RuledRelay it(kHearsAll, rewrite);
    it.client.send(Buffer{0, toy::kBye});
    CHECK(it.server.read(2) == Buffer{0, toy::kBye});
    it.client.send(said_frame("psst"));
    CHECK(it.told(Kind::kLost).find("it goes on after our front ended it") == 0);
    if (rewrite)
      CHECK(it.ended(relay::Reason::kProtocolFault));
    else
      CHECK(it.server.read_text(6) == said_frame("psst"));
  }
}

TEST_CASE("relay rules: packets of ENet are heard, and dropped only with `rewrite`") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    RuledPackets it(kHearsAll, rewrite);
    const auto heard = [](std::string_view text) { return "0/1 " + to_hex(as_bytes(said_frame(text))); };
    it.say(it.client, frame("psst", toy::kSay));
    it.say(it.client, frame("hi", toy::kSay));
    it.say(it.server, frame("hello", toy::kSay));
    it.until([&] { return it.server.heard(heard("hi")) && it.client.heard(heard("hello")); });
    CHECK(it.server.heard(heard("psst")) == !rewrite);
    CHECK(it.relay.logged("client: psst"));
    CHECK(it.relay.logged("client: hi"));
    CHECK(it.relay.logged("server: hello"));
    it.say(it.server, frame("by datagram", toy::kSay), EnetDelivery::kUnreliable);
    it.until([&] { return it.relay.orders.has(Kind::kLog, "server: by datagram"); });
  }
}

TEST_CASE("relay rules: they hear a player over ENet who had to wait for a place on the server") {
  relay::RouteOptions options;
  options.upstream.hold_ms = 60'000;
  RuledPackets it(kHearsAll, true, options);
  it.server.host.disconnect(*it.server.peer, toy::packets().enet_parting(wire::Parting::kFull));
  it.until([&] { return it.server.peer == nullptr; });
  it.until([&] { return it.server.peer != nullptr; });  // some seconds later
  const auto heard = [](std::string_view text) { return "0/1 " + to_hex(as_bytes(said_frame(text))); };
  it.say(it.client, frame("psst", toy::kSay));
  it.say(it.client, frame("hi", toy::kSay));
  it.until([&] { return it.server.heard(heard("hi")); });
  CHECK_FALSE(it.server.heard(heard("psst")));
  CHECK(it.relay.logged("client: psst"));
}

TEST_CASE("relay rules: with mode=datagrams, the datagrams of ENet are taken apart, and pass as they came") {
  relay::RouteOptions options;
  options.enet = EnetMode::kDatagrams;
  RuledPackets it(kHearsAll, false, options);
  const std::string heard = "0/1 " + to_hex(as_bytes(said_frame("psst")));
  it.say(it.client, frame("psst", toy::kSay));
  it.say(it.server, frame("hello", toy::kSay));
  it.until([&] { return it.server.heard(heard) && it.relay.orders.has(Kind::kLog, "server: hello"); });
  CHECK(it.relay.logged("client: psst"));
}

TEST_CASE("relay rules: what the server of a WebSocket says before the client has named its dialect is heard, too") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    FakeServer fake;
    RuledServing relay(toy::messages(), fake.address(), kHearsAll, rewrite);
    WebClient client(relay.address);
    WebServer server(fake);
    server.upgrade();
    client.upgrade();
    const auto message = [](std::string_view text) { return "b:" + to_hex(as_bytes(said_frame(text))); };
    server.send(net::Opcode::kBinary, frame("early", toy::kSay));
    CHECK(client.next() == message("early"));
    for (const char* const text : {"psst", "hi"}) client.send(net::Opcode::kBinary, frame(text, toy::kSay));
    if (!rewrite) CHECK(server.next() == message("psst"));
    CHECK(server.next() == message("hi"));
    for (const char* const line : {"server: early", "client: psst", "client: hi"}) CHECK(relay.logged(line));
  }
}

TEST_CASE("relay rules: a session in which nobody has said anything ends like any other") {
  for (const bool rewrite : {false, true}) {
    CAPTURE(rewrite);
    FakeServer fake;
    RuledServing running(toy::messages(), fake.address(), kHearsAll, rewrite);
    WebClient client(running.address);
    WebServer server(fake);
    server.upgrade();
    client.upgrade();
    client.send(net::CloseFrame{1000, "bye"});
    CHECK(server.next() == "close:1000 bye");
    server.send(net::CloseFrame{1000, "bye"});
    CHECK(running.ended(relay::Reason::kClientLeft));
    CHECK(running.orders.count(Kind::kLost) == 0);
  }
}

constexpr std::size_t kWordless = 1;  // a dialect in which the toy game has no front

/// Rules that log what is said, on a thread that the test can block.
class SlowRules {
 public:
  /// `other`: gets what passes, too.
  explicit SlowRules(std::size_t ring_bytes, relay::TapSink* other = nullptr) : overhearing_(ring_bytes) {
    options_->game = &toy::stream();
    options_->relay_rules = {.book = book_,
                             .rewrite = false,
                             .tells = false,
                             .front = [](std::size_t dialect) -> std::unique_ptr<core::Front> {
                               if (dialect == kWordless) return nullptr;
                               return toy::make_front(toy::stream());
                             },
                             .back = [](std::size_t) { return toy::make_back(toy::stream()); }};
    book_->set(Orders::set_of(kHearsAll));
    sink_ = &overhearing_.sink(0, 0, options_, other);
  }
  ~SlowRules() { go(); }

  void open(relay::LinkId link, std::size_t dialect = 0) {
    const std::string from = "192.0.2." + std::to_string(link);
    sink_->opened({.link = link,
                   .game = &toy::stream(),
                   .dialect = dialect,
                   .client = *net::Address::parse(from, 4'000),
                   .server = {},
                   .listener = {}},
                  steady_wall_now());
    pass(link, wire::Way::kToServer, kHello);
    pass(link, wire::Way::kToClient, kWelcome);
  }
  void pass(relay::LinkId link, wire::Way way, std::string_view bytes) {
    sink_->bytes(link, way, wire::Lane::kStream, as_bytes(bytes), steady_wall_now());
  }
  void plays(relay::LinkId link) { sink_->plays(link, steady_wall_now()); }
  void wait_until_stuck() { stuck_.get_future().wait(); }
  void go() {
    if (!std::exchange(goes_, true)) go_.set_value();
  }
  /// Whether there is such an order.
  bool has(Kind kind, std::string_view part) {
    const std::lock_guard lock(mutex_);
    return std::any_of(all_.begin(), all_.end(), [&](const rules::Action& one) {
      return one.kind == kind && one.text.find(part) != std::string::npos;
    });
  }
  /// The links whose rules have ended.
  std::vector<relay::LinkId> lost() {
    const std::lock_guard lock(mutex_);
    return lost_;
  }

 private:
  void act(const rules::Action& action, const relay::LinkInfo* player) {
    if (action.text == "client: wait") {
      stuck_.set_value();
      may_go_.wait();
    }
    const std::lock_guard lock(mutex_);
    all_.push_back(action);
    if (action.kind == Kind::kLost) lost_.push_back(player != nullptr ? player->link : 0);
  }

  std::promise<void> stuck_, go_;
  std::future<void> may_go_ = go_.get_future();
  bool goes_ = false;
  std::mutex mutex_;
  std::vector<rules::Action> all_;
  std::vector<relay::LinkId> lost_;
  std::shared_ptr<relay::RuleBook> book_ =
      std::make_shared<relay::RuleBook>("the test", [this](const relay::RuleBook&, const rules::Action& action,
                                                           const relay::LinkInfo* player) { act(action, player); });
  std::shared_ptr<relay::RouteOptions> options_ = std::make_shared<relay::RouteOptions>();
  relay::Overhearing overhearing_;
  relay::TapSink* sink_ = nullptr;
};

TEST_CASE("relay rules: if rules are too slow for a flood, those of its session end, and others hear everything") {
  SlowRules it(std::size_t{64} << 10U);
  it.open(1);
  it.open(2);
  it.pass(1, wire::Way::kToServer, said_frame("wait"));
  it.wait_until_stuck();
  for (int i = 0; i < 2'000; ++i) it.pass(1, wire::Way::kToServer, said_frame(std::string(100, 'x')));
  it.pass(2, wire::Way::kToServer, said_frame("meanwhile"));
  it.go();
  CHECK(eventually([&] { return it.has(Kind::kLog, "client: meanwhile"); }));
  it.pass(1, wire::Way::kToServer, said_frame("too late"));
  CHECK(eventually([&] { return it.has(Kind::kLost, "rules are too slow for what passes"); }));
  it.pass(2, wire::Way::kToServer, said_frame("afterwards"));
  CHECK(eventually([&] { return it.has(Kind::kLog, "client: afterwards"); }));
  CHECK(it.lost() == std::vector<relay::LinkId>{1});
  CHECK_FALSE(it.has(Kind::kLog, "too late"));
}

TEST_CASE("relay rules: a recording beside the rules has all that passes, and knows who plays") {
  net::Waker waker;
  relay::RingSink recorded(4096, waker);
  SlowRules it(std::size_t{64} << 10U, &recorded);
  it.open(1);
  it.plays(1);
  std::vector<std::uint8_t> kinds;
  for (; !recorded.ring().empty(); recorded.ring().pop(recorded.ring().front()))
    kinds.push_back(recorded.ring().front().header.kind);
  using Ring = relay::RingSink;
  CHECK(kinds == std::vector<std::uint8_t>{Ring::kOpened, Ring::kBytes, Ring::kBytes, Ring::kPlays});
}

TEST_CASE("relay rules: a flood in a dialect without words ends no rules") {
  SlowRules it(std::size_t{64} << 10U);
  it.open(1);
  it.open(2, kWordless);
  it.pass(1, wire::Way::kToServer, said_frame("wait"));
  it.wait_until_stuck();
  for (int i = 0; i < 2'000; ++i) it.pass(2, wire::Way::kToServer, said_frame(std::string(100, 'x')));
  it.pass(1, wire::Way::kToServer, said_frame("meanwhile"));
  it.go();
  CHECK(eventually([&] { return it.has(Kind::kLog, "client: meanwhile"); }));
  it.pass(2, wire::Way::kToServer, said_frame("x"));  // before it, the ring tells what is missing
  it.pass(1, wire::Way::kToServer, said_frame("afterwards"));
  CHECK(eventually([&] { return it.has(Kind::kLog, "client: afterwards"); }));
  CHECK(it.lost().empty());
}

}  // namespace
}  // namespace entente::testing::relay_rules_test
