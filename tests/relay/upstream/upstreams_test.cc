// Which of several servers a session goes to, and which player goes first after all were down.
#include "proxy/relay/upstream/upstreams.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <thread>

namespace entente::testing::upstreams_test {
namespace {

using relay::Policy;
using relay::Upstream;
using relay::Upstreams;

net::Address client(int n) {
  return *net::Address::parse("10.0." + std::to_string(n / 250) + "." + std::to_string(1 + n % 250), 40'000);
}

/// Servers a, b, c, … with these weights.
struct Scene {
  /// `slots`: the queues of the first servers.
  explicit Scene(const relay::UpstreamRules& rules, const std::vector<std::uint32_t>& weights = {1, 1, 1},
                 std::vector<std::shared_ptr<relay::SlotQueue>> slots = {}) {
    slots.resize(weights.size());
    std::vector<std::unique_ptr<Upstream>> all;
    for (const std::uint32_t weight : weights) {
      const std::string name(1, static_cast<char>('a' + all.size()));
      const relay::UpstreamOptions options{name, 1, 0, weight, slots[all.size()]};
      all.push_back(
          std::make_unique<Upstream>(all.size(), options, name, std::vector{*net::Address::parse("127.0.0.1", 1)}));
    }
    upstreams.open(std::move(all), rules);
  }

  std::string chosen(int n = 0, Millis now = 1'000, relay::UpstreamSet tried = 0) const {
    const Upstream* server = upstreams.choose(client(n), now, tried);
    return server != nullptr ? server->name : "-";
  }

  Upstreams upstreams;
};

TEST_CASE("upstreams: `first` is the first server that is up; one that is down comes last, a drained one never") {
  Scene scene({.policy = Policy::kFirst});
  Upstream &a = scene.upstreams.at(0), &b = scene.upstreams.at(1), &c = scene.upstreams.at(2);
  CHECK(scene.chosen() == "a");
  CHECK(a.failed(1'000, "refused"));
  CHECK_FALSE(a.failed(1'000, "refused"));
  CHECK(a.why() == "refused");
  CHECK(scene.chosen() == "b");
  b.mark_full(1'000);
  CHECK(scene.chosen() == "c");
  c.drain(true);
  CHECK(scene.chosen() == "b");  // full is better than down
  CHECK(scene.chosen(0, 1'000, 2) == "a");
  CHECK(scene.chosen(0, 1'000, 3) == "-");
  CHECK(scene.upstreams.choose(client(0), 1'000, 2, {}, true) == nullptr);  // only among those that are up
  CHECK(a.succeeded(2'000));
  CHECK(scene.chosen(0, 2'000) == "a");
  for (Upstream* one : {&a, &b}) one->drain(true);
  CHECK(scene.chosen() == "-");
  CHECK(scene.upstreams.all_drained());
}

TEST_CASE("upstreams: without checks, a server that is down is tried again after a while") {
  Scene scene({.policy = Policy::kFirst});
  scene.upstreams.at(0).failed(1'000, "refused");
  CHECK(scene.chosen(0, 5'999) == "b");
  CHECK(scene.chosen(0, 6'000) == "a");
  scene.upstreams.at(0).set_has_checks();
  CHECK(scene.chosen(0, 60'000) == "b");
}

TEST_CASE("upstreams: two threads that notice that a server is down and up tell it in this order") {
  Scene scene({}, {1});
  Upstream& a = scene.upstreams.at(0);
  std::vector<bool> told;
  std::promise<void> up_told;
  std::thread other;
  a.tell_changes([&](const std::string&, bool up, const std::string&) {
    if (!up) {
      other = std::thread([&a] { a.succeeded(2'000); });
      (void)up_told.get_future().wait_for(std::chrono::milliseconds(50));  // it must not come now
    }
    told.push_back(up);
    if (up) up_told.set_value();
  });
  CHECK(a.failed(1'000, "refused"));
  other.join();
  CHECK(told == std::vector<bool>{false, true});
}

TEST_CASE("upstreams: `least` gives each server its share, and less to one that has just come up") {
  Scene scene({.policy = Policy::kLeast, .slow_start_ms = 10'000}, {1, 2, 1});
  std::vector<Upstreams::SessionCount> sessions;
  const auto join = [&](int count, Millis now) {
    for (int i = 0; i < count; ++i) sessions.emplace_back(*scene.upstreams.choose(client(0), now));
  };
  join(40, 1'000);
  CHECK(scene.upstreams.at(0).sessions() == 10);
  CHECK(scene.upstreams.at(1).sessions() == 20);
  CHECK(scene.upstreams.at(2).sessions() == 10);
  sessions.clear();
  CHECK(scene.upstreams.at(1).sessions() == 0);
  scene.upstreams.at(0).failed(1'000, "refused");
  scene.upstreams.at(0).succeeded(2'000);
  join(31, 2'000);
  CHECK(scene.upstreams.at(0).sessions() == 1);
  join(9, 12'000);
  CHECK(scene.upstreams.at(0).sessions() == 10);
}

TEST_CASE("upstreams: `hash` keeps an address with its server, in proportion to the weights") {
  Scene scene({.policy = Policy::kHash}, {1, 2, 1});
  std::map<int, std::string> before;
  std::map<std::string, int> count;
  for (int i = 0; i < 2'000; ++i) ++count[before[i] = scene.chosen(i)];
  CHECK(count["a"] > 400);
  CHECK(count["a"] < 600);
  CHECK(count["b"] > 900);
  CHECK(count["b"] < 1'100);
  scene.upstreams.at(2).failed(1'000, "refused");
  for (int i = 0; i < 2'000; ++i) {
    if (before[i] != "c")
      CHECK(scene.chosen(i) == before[i]);  // no other address moves
    else
      CHECK(scene.chosen(i) != "c");
  }
}

TEST_CASE("upstreams: a server of unknown dialect gets no session if the dialect must be known") {
  Upstreams upstreams;
  std::vector<std::unique_ptr<Upstream>> all;
  for (const char* name : {"a", "b"})
    all.push_back(std::make_unique<Upstream>(all.size(), relay::UpstreamOptions{name, 1}, name,
                                             std::vector{*net::Address::parse("127.0.0.1", 1)}));
  upstreams.open(std::move(all), {.needs_dialect = true});
  CHECK(upstreams.choose(client(0), 1'000) == nullptr);
  upstreams.at(1).set_dialect(3);
  CHECK(upstreams.choose(client(0), 1'000) == &upstreams.at(1));
  CHECK(upstreams.choose(client(0), 1'000, 0, 2) == nullptr);
  CHECK(upstreams.choose(client(0), 1'000, 0, 3) == &upstreams.at(1));
  upstreams.at(1).failed(1'000, "refused");  // it may come back with another dialect
  CHECK(upstreams.choose(client(0), 1'000) == nullptr);
}

TEST_CASE("server walk: a server that was chosen early is left out if it was drained meanwhile") {
  Scene scene({.policy = Policy::kFirst});
  relay::UpstreamWalk walk(scene.upstreams, client(0), &scene.upstreams.at(0), std::nullopt);
  scene.upstreams.at(0).drain(true);
  REQUIRE(walk.next(1'000, "") != nullptr);
  CHECK(walk.server().name == "b");
}

TEST_CASE("upstreams: waiting players go in order: one while no server is up, then the next few") {
  Scene scene({.hold_ms = 1'000});
  std::vector<Upstreams::QueueTicket> tickets;
  for (std::uint64_t link : {30U, 10U, 20U}) tickets.push_back(scene.upstreams.wait(link, 1'000));
  CHECK(scene.upstreams.waiting() == 3);
  CHECK(tickets[1].turn(1'000) != 0);
  CHECK(tickets[2].turn(1'000) == 0);
  CHECK(tickets[0].turn(1'000) == 0);
  tickets[1].leave();
  CHECK(tickets[2].turn(1'000) != 0);
  CHECK(tickets[0].turn(1'000) == 0);
  scene.upstreams.at(0).succeeded(1'000);
  CHECK(tickets[0].turn(1'000) != 0);
  tickets.clear();
  CHECK(scene.upstreams.waiting() == 0);
}

TEST_CASE("upstreams: while slots are scarce, waiting players go one by one; a session that ends frees a slot") {
  Scene scene({.hold_ms = 1'000}, {1, 1});
  Upstream &a = scene.upstreams.at(0), &b = scene.upstreams.at(1);
  a.succeeded(1'000);
  b.failed(1'000, "refused");
  b.set_has_checks();
  std::optional<Upstreams::SessionCount> seated(std::in_place, a), waits(std::in_place, a);
  seated->note_reached();
  CHECK_FALSE(scene.upstreams.all_full(1'000));
  a.mark_full(1'000);
  CHECK(scene.upstreams.all_full(1'000));
  const auto first = scene.upstreams.wait(1, 1'000), second = scene.upstreams.wait(2, 1'000);
  CHECK(first.turn(1'000) != 0);
  CHECK(second.turn(1'000) == 0);
  CHECK(second.turn(60'000) != 0);
  CHECK_FALSE(scene.upstreams.all_full(4'000));  // the server is tried again
  a.mark_full(4'000);
  { const Upstreams::SessionCount refused(a); }  // was refused, so it had no slot
  waits.reset();                                 // was never there, so it had none either
  CHECK(scene.upstreams.all_full(4'000));
  seated.reset();
  CHECK_FALSE(scene.upstreams.all_full(4'000));
  CHECK(second.turn(4'000) == 0);
}

TEST_CASE("upstreams: who cannot use its turn keeps its place, and those behind it do not wait for it") {
  Scene scene({.hold_ms = 1'000});
  auto first = scene.upstreams.wait(1, 1'000), second = scene.upstreams.wait(2, 1'000);
  const auto third = scene.upstreams.wait(3, 1'000);
  first.set_passes(true);
  first.set_passes(true);
  CHECK(first.turn(1'000) != 0);
  CHECK(second.turn(1'000) != 0);
  CHECK(third.turn(1'000) == 0);
  CHECK(scene.upstreams.waiting() == 3);
  second.set_passes(true);
  CHECK(third.turn(1'000) != 0);
  first.set_passes(false);
  CHECK(second.turn(1'000) == 0);
  CHECK(third.turn(1'000) == 0);
  const auto moved = std::move(second);
  first.leave();
  CHECK(third.turn(1'000) != 0);
  second = {};
  CHECK(scene.upstreams.waiting() == 2);
}

TEST_CASE("upstreams: a full server is avoided for three seconds, and its slots are scarce for thirty") {
  Scene scene({.hold_ms = 1'000}, {1, 1});
  Upstream& a = scene.upstreams.at(0);
  a.succeeded(1'000);
  a.mark_full(1'000);
  CHECK(a.is_full(3'999));
  CHECK(scene.chosen(0, 3'999) == "b");
  CHECK_FALSE(a.is_full(4'000));
  CHECK(scene.chosen(0, 4'000) == "a");
  CHECK(a.is_scarce(30'999));
  CHECK_FALSE(a.is_scarce(31'000));
}

TEST_CASE("upstreams: once a server is up, the first 64 who wait may connect at once, and not one more") {
  Scene scene({.hold_ms = 1'000}, {1});
  scene.upstreams.at(0).succeeded(1'000);
  std::vector<Upstreams::QueueTicket> tickets;
  for (std::uint64_t link = 1; link <= 66; ++link) tickets.push_back(scene.upstreams.wait(link, 1'000));
  CHECK(tickets[63].turn(1'000) != 0);
  CHECK(tickets[64].turn(1'000) == 0);
  tickets.erase(tickets.begin());
  CHECK(tickets[63].turn(1'000) != 0);
  CHECK(tickets[64].turn(1'000) == 0);
  CHECK(scene.upstreams.waiting() == 65);
}

TEST_CASE("upstreams: a ticket that is replaced or moved leaves the queue once") {
  Scene scene({.hold_ms = 1'000}, {1});
  Upstreams::QueueTicket ticket = scene.upstreams.wait(1, 1'000);
  ticket = scene.upstreams.wait(2, 1'000);
  CHECK(scene.upstreams.waiting() == 1);
  Upstreams::QueueTicket moved = std::move(ticket);
  CHECK(moved.taken());
  CHECK_FALSE(ticket.taken());  // NOLINT: that is what is tested
  ticket.leave();
  CHECK(scene.upstreams.waiting() == 1);
  moved.leave();
  moved.leave();
  CHECK(scene.upstreams.waiting() == 0);
  CHECK_FALSE(moved.taken());
}

TEST_CASE("upstreams: a session counts for one server at a time, and as an asker until it asks no more") {
  Scene scene({}, {1, 1});
  Upstream &a = scene.upstreams.at(0), &b = scene.upstreams.at(1);
  Upstreams::SessionCount session(a);
  for (int i = 0; i < 2; ++i) session.set_asks(true);
  CHECK(a.sessions() == 1);
  CHECK(a.askers() == 1);
  Upstreams::SessionCount moved = std::move(session);
  CHECK(a.sessions() == 1);
  CHECK(a.askers() == 1);
  moved = Upstreams::SessionCount(b);
  CHECK(a.sessions() == 0);
  CHECK(a.askers() == 0);
  CHECK(b.sessions() == 1);
  CHECK(b.askers() == 0);
  moved.set_asks(true);
  for (int i = 0; i < 2; ++i) moved.set_asks(false);
  CHECK(b.askers() == 0);
  moved.set_asks(true);
  moved.refused();
  CHECK(b.sessions() == 0);
  CHECK(b.askers() == 0);
  moved = {};
  CHECK(b.sessions() == 0);
}

TEST_CASE("upstreams: a session that ends frees a slot of its server only if it was there when the server was full") {
  Scene scene({}, {1});
  Upstream& a = scene.upstreams.at(0);
  a.mark_full(1'000);
  Upstreams::SessionCount late(a);
  late.note_reached();
  late = {};
  CHECK(a.is_full(1'000));
  std::optional<Upstreams::SessionCount> early(std::in_place, a);
  early->note_reached();
  a.mark_full(1'000);
  early.reset();
  CHECK_FALSE(a.is_full(1'000));
}

TEST_CASE("upstreams: a dialect that was found is known until the server fails, and one that is named always is") {
  std::vector<std::unique_ptr<Upstream>> all;
  const std::vector<net::Address> here{*net::Address::parse("127.0.0.1", 1)};
  Upstream found(0, relay::UpstreamOptions{"a", 1}, "a", here), named(0, relay::UpstreamOptions{"b", 1, 2}, "b", here);
  CHECK_FALSE(found.last_dialect());
  for (Upstream* const one : {&found, &named}) {
    one->set_dialect(1);
    one->failed(1'000, "refused");
  }
  CHECK_FALSE(found.dialect());
  CHECK(found.last_dialect() == 1U);
  CHECK(named.dialect() == 2U);
  CHECK(named.last_dialect() == 2U);
  found.set_dialect(0);
  CHECK(found.dialect() == 0U);
  CHECK(found.last_dialect() == 0U);
}

TEST_CASE(
    "upstreams: that a server goes down or comes up is told once, and that it is up at the beginning not at all") {
  Scene scene({}, {1});
  Upstream& a = scene.upstreams.at(0);
  std::vector<std::string> told;
  a.tell_changes([&](const std::string& server, bool up, const std::string& why) {
    told.push_back(server + (up ? " up" : " down") + why);
  });
  CHECK_FALSE(a.succeeded(1'000));
  CHECK(a.since() == 0);
  CHECK(a.failed(2'000, ": refused"));
  CHECK_FALSE(a.failed(3'000, ": timed out"));
  CHECK(a.since() == 2'000);
  CHECK(a.why() == ": timed out");
  CHECK(a.succeeded(4'000));
  CHECK_FALSE(a.succeeded(5'000));
  CHECK(a.since() == 4'000);
  CHECK(a.succeeded_since(4'999));
  CHECK_FALSE(a.succeeded_since(5'000));
  CHECK(told == std::vector<std::string>{"a down: refused", "a up"});
}

TEST_CASE("upstreams: a route that replaces another one knows what that knew of the servers of the same names") {
  Scene before({}, {1, 1}), after({}, {1, 1, 1});
  before.upstreams.at(1).failed(1'000, "refused");
  after.upstreams.share(before.upstreams);
  CHECK(after.upstreams.at(0).state() == Upstream::State::kUnknown);
  CHECK(after.upstreams.at(1).state() == Upstream::State::kDown);
  CHECK(after.upstreams.at(1).why() == "refused");
  const Upstreams::SessionCount session(before.upstreams.at(0));
  CHECK(after.upstreams.at(0).sessions() == 1);
  after.upstreams.at(0).drain(true);
  CHECK(before.upstreams.at(0).drained());
  before.upstreams.at(1).succeeded(2'000);
  CHECK(after.upstreams.at(1).state() == Upstream::State::kUp);
  CHECK(after.upstreams.at(2).state() == Upstream::State::kUnknown);
}

/// A route whose only server is full, and a slot queue for that server, which others share.
struct Queued {
  Queued() {
    scene.upstreams.at(0).succeeded(1'000);
    scene.upstreams.at(0).mark_full(1'000);
  }
  const std::shared_ptr<relay::SlotQueue> slots = std::make_shared<relay::SlotQueue>();
  Scene scene{{.hold_ms = 60'000}, {1}, {slots}};
};

TEST_CASE("slot queue: of two routes to one server, the one with the longer wait goes first, then the other") {
  Queued one, other;
  Scene both({.hold_ms = 60'000}, {1}, {one.slots});
  auto late = one.scene.upstreams.wait(2, 3'000);
  CHECK(late.turn(4'000) != 0);
  CHECK(one.scene.upstreams.wanted_by_others(4'000) == 0);
  {
    const auto early = both.upstreams.wait(7, 2'000);
    CHECK(one.scene.upstreams.wanted_by_others(4'000) == 1);
    CHECK(both.upstreams.wanted_by_others(4'000) == 1);
    CHECK(early.turn(4'000) != 0);
    CHECK(late.turn(4'000) == 0);
    CHECK(one.slots->claims(4'000) == std::vector<relay::SlotQueue::Claim>{{2'000, 7}, {3'000, 2}});
  }
  CHECK(late.turn(4'000) != 0);
  CHECK(one.slots->claims(40'000).empty());  // the last refusal is long ago, so it waits for no slot
  CHECK(other.slots->claims(4'000).empty());
}

TEST_CASE("slot queue: routes with different lists of servers wait in one order for a common server") {
  constexpr relay::UpstreamSet kA = 1, kB = 2;
  const auto a = std::make_shared<relay::SlotQueue>(), b = std::make_shared<relay::SlotQueue>();
  Scene only({.hold_ms = 60'000}, {1}, {a}), either({.hold_ms = 60'000}, {1, 1}, {a, b});
  for (Scene* scene : {&only, &either}) scene->upstreams.at(0).mark_full(1'000);
  either.upstreams.at(1).mark_full(1'000);
  auto early = only.upstreams.wait(1, 2'000);
  const auto late = either.upstreams.wait(2, 3'000);
  CHECK(late.turn(2'500) == 0);  // all are full
  CHECK(early.turn(4'000) == kA);
  CHECK(late.turn(4'000) == kB);
  CHECK(either.upstreams.wanted_by_others(4'000) == kA);
  CHECK(either.upstreams.all_full(4'000, kA | kB));
  CHECK_FALSE(either.upstreams.all_full(4'000, kA));
  relay::UpstreamWalk walk(either.upstreams, client(0), &either.upstreams.at(0), std::nullopt);
  walk.leave_out(kA);
  REQUIRE(walk.next(4'000, "") != nullptr);
  CHECK(walk.server().name == "b");
  walk.again(true, kB);
  REQUIRE(walk.next(4'000, "") != nullptr);
  CHECK(walk.server().name == "b");
  CHECK(walk.next(4'000, "") == nullptr);
  early.leave();
  CHECK(late.turn(4'000) == (kA | kB));
  CHECK(only.upstreams.wanted_by_others(4'000) == kA);
}

TEST_CASE("slot queue: a longer wait elsewhere goes first for a limited time, and again after a refusal") {
  Queued it;
  const auto mine = it.scene.upstreams.wait(1, 5'000);
  it.slots->set_elsewhere(4'950);  // almost the same time
  CHECK(mine.turn(6'000) != 0);
  it.slots->set_elsewhere(4'000);
  CHECK(it.scene.upstreams.wanted_by_others(6'000) == 1);
  for (Millis now = 6'000; now < 16'000; now += 500) CHECK(mine.turn(now) == 0);
  CHECK(mine.turn(16'000) != 0);
  CHECK(it.scene.upstreams.wanted_by_others(16'000) == 0);  // a newcomer is not held back
  CHECK(mine.turn(40'000) != 0);
  it.scene.upstreams.at(0).mark_full(40'000);
  CHECK(it.scene.upstreams.wanted_by_others(40'000) == 1);
  CHECK(mine.turn(43'000) == 0);
  CHECK(mine.turn(60'000) == 0);  // it did not ask meanwhile, so its patience begins again
  // While the longest wait elsewhere changes, the queue is held back for longer than kPatience, up to kMostPatience.
  Millis now = 70'000;
  for (; now < 99'000; now += 1'000) {
    it.slots->set_elsewhere(now / 100);
    CHECK(mine.turn(now) == 0);
  }
  it.slots->set_elsewhere(1);
  CHECK(mine.turn(100'000) != 0);
}

TEST_CASE("slot queue: after a slot was freed elsewhere, the servers are tried again") {
  Queued it;
  CHECK(it.scene.upstreams.all_full(2'000));
  std::optional<Upstreams::SessionCount> seated(std::in_place, it.scene.upstreams.at(0));
  seated->note_reached();
  it.slots->freed_elsewhere(2'000);
  CHECK_FALSE(it.scene.upstreams.all_full(2'000));
  it.scene.upstreams.at(0).mark_full(2'100);
  CHECK(it.scene.upstreams.all_full(2'200));
  Upstreams::SessionCount nobody_hears(it.scene.upstreams.at(0));
  nobody_hears.note_reached();
  nobody_hears = {};
  it.slots->set_elsewhere(1'000);
  { const Upstreams::SessionCount never_there(it.scene.upstreams.at(0)); }
  Upstreams::SessionCount(it.scene.upstreams.at(0)).refused();
  CHECK(it.scene.upstreams.at(0).sessions() == 1);
  CHECK(it.slots->times_freed() == 0);
  seated.reset();
  CHECK(it.slots->times_freed() == 1);
}

TEST_CASE("server walk: all addresses of a server are tried, then the next server; only one that failed is down") {
  Upstreams upstreams;
  std::vector<std::unique_ptr<Upstream>> all;
  const auto address = [](std::uint16_t port) { return *net::Address::parse("127.0.0.1", port); };
  all.push_back(
      std::make_unique<Upstream>(0, relay::UpstreamOptions{"a", 1}, "a", std::vector{address(1), address(2)}));
  all.push_back(std::make_unique<Upstream>(1, relay::UpstreamOptions{"b", 1}, "b", std::vector{address(3)}));
  upstreams.open(std::move(all), {});
  relay::UpstreamWalk walk(upstreams, client(0), nullptr, std::nullopt);
  CHECK(*walk.next(1'000, "") == address(1));
  CHECK(*walk.next(1'000, "refused") == address(2));
  CHECK(upstreams.at(0).state() == Upstream::State::kUnknown);
  CHECK(*walk.next(1'000, "refused") == address(3));
  CHECK(upstreams.at(0).state() == Upstream::State::kDown);
  CHECK(walk.next(1'000, "") == nullptr);
  CHECK(upstreams.at(1).state() == Upstream::State::kUnknown);  // no reason is given: the fault was ours
}

}  // namespace
}  // namespace entente::testing::upstreams_test
