// Rules of a relay of the toy game: what they hear, want and drop; that every byte passes without `rewrite`, also while
// a rule loops; and what becomes of peers who cannot be understood.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/relay/bridging.h"
#include "tests/relay/rule_orders.h"

namespace entente::testing::relay_rules_test {
namespace {

using Kind = rules::Action::Kind;

std::string said_frame(std::string_view text) { return std::string(as_text(frame(text, toy::kSay))); }

/// A relay with one rule, and a session.
class RuledRelay final : public Serving {
 public:
  RuledRelay(const std::string& source, bool rewrite) : Serving(1), book(orders.book(source)) {
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.relay_rules = {.book = book,
                           .rewrite = rewrite,
                           .tells = true,
                           .front = [](std::size_t) { return toy::make_front(toy::stream()); },
                           .back = [](std::size_t) { return toy::make_back(toy::stream()); }};
    serve(std::move(options), fake.address(), no_limits(), nullptr);
    client = Stream::to(address);
    client.send(kHello);
    server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    server.send(kWelcome);
    CHECK(client.read_text(4) == kWelcome);
  }
  ~RuledRelay() { stop(); }  // before `orders` is gone
  /// What the server gets after the client has said these lines and "end".
  std::string gets(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) client.send(said_frame(line));
    client.send(said_frame("end"));
    std::string all;
    while (!all.ends_with("end")) all += server.read_text(1);
    return all;
  }
  std::string told(Kind kind) const { return orders.first(kind).first.text; }

  FakeServer fake;
  Orders orders;
  std::shared_ptr<relay::RuleBook> book;
  Stream client, server;
};

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
    const auto [kick, link] = it.orders.first(Kind::kKick);
    CHECK(kick.text == "mind your words");
    CHECK(link == 1);
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
    CHECK(it.orders.first(Kind::kBan).second == 1);
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

}  // namespace
}  // namespace entente::testing::relay_rules_test
