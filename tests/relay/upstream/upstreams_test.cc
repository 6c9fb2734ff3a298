// Which of several servers a session goes to, and which player goes first after all were down.
#include "proxy/relay/upstream/upstreams.h"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
  auto moved = std::move(second);
  first.leave();
  CHECK(third.turn(1'000) != 0);
  second = {};
  CHECK(scene.upstreams.waiting() == 2);
  moved.leave();  // while it passes
  CHECK(scene.upstreams.waiting() == 1);
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

TEST_CASE("upstreams: a server that is drained, down or full counts as such where a player looks for one") {
  Scene scene({.policy = Policy::kFirst}, {1, 1});
  Upstream &a = scene.upstreams.at(0), &b = scene.upstreams.at(1);
  const auto& all = scene.upstreams;
  CHECK(all.any_up(1'000));
  CHECK_FALSE(all.all_full(1'000));
  CHECK_FALSE(all.all_drained());
  a.drain(true);
  CHECK_FALSE(all.all_drained());
  CHECK(all.any_up(1'000));
  b.mark_full(1'000);
  CHECK(all.any_up(1'000));
  CHECK(all.all_full(1'000));  // the only one that may be reached is full
  CHECK_FALSE(all.all_full(4'000));
  CHECK(all.all_full(4'000, 2));
  b.failed(4'000, "refused");
  CHECK_FALSE(all.any_up(4'000));
  CHECK_FALSE(all.all_full(4'000, 3));  // none may be reached
  a.drain(false);
  CHECK(all.any_up(4'000));
  CHECK_FALSE(all.all_full(4'000));
  b.drain(true);
  a.drain(true);
  CHECK(all.all_drained());
  CHECK_FALSE(all.any_up(60'000));
}

TEST_CASE("upstreams: a session could go to a server that is among these, not drained, up if need be, and known") {
  Scene scene({.policy = Policy::kFirst}, {1, 1});
  Upstream &a = scene.upstreams.at(0), &b = scene.upstreams.at(1);
  const auto& all = scene.upstreams;
  CHECK(all.any_takes(1'000, 1, true));
  CHECK_FALSE(all.any_takes(1'000, 0, false));
  a.failed(1'000, "refused");
  CHECK_FALSE(all.any_takes(1'000, 1, true));
  CHECK(all.any_takes(1'000, 1, false));
  CHECK(all.any_takes(1'000, 2, true));
  CHECK(all.any_takes(6'000, 1, true));  // it may be tried again
  b.drain(true);
  CHECK_FALSE(all.any_takes(1'000, 2, false));
  CHECK(all.any_takes(1'000, 3, false));
  Upstreams unknown;
  std::vector<std::unique_ptr<Upstream>> one;
  one.push_back(std::make_unique<Upstream>(0, relay::UpstreamOptions{"a", 1}, "a",
                                           std::vector{*net::Address::parse("127.0.0.1", 1)}));
  unknown.open(std::move(one), {.needs_dialect = true});
  CHECK_FALSE(unknown.any_takes(1'000, 1, false));
  unknown.at(0).set_dialect(0);
  CHECK(unknown.any_takes(1'000, 1, false));
}

TEST_CASE("upstreams: a server that has banned an address gets none of its players") {
  relay::UpstreamRules rules{.policy = Policy::kFirst};
  rules.banned = [](const std::string& server, const net::Address& from) {
    return server == "a" && from.ip_text() == client(1).ip_text();
  };
  const Scene scene(rules, {1, 1});
  CHECK(scene.chosen(0) == "a");
  CHECK(scene.chosen(1) == "b");
  CHECK(scene.chosen(1, 1'000, 2) == "-");
  CHECK(scene.upstreams.is_closed_to(scene.upstreams.at(0), client(1)));
  CHECK_FALSE(scene.upstreams.is_closed_to(scene.upstreams.at(0), client(0)));
  CHECK_FALSE(scene.upstreams.is_closed_to(scene.upstreams.at(1), client(1)));
  scene.upstreams.at(1).drain(true);
  CHECK(scene.upstreams.is_closed_to(scene.upstreams.at(1), client(0)));
  relay::UpstreamWalk walk(scene.upstreams, client(1), &scene.upstreams.at(0), std::nullopt);
  CHECK(walk.next(1'000, "") == nullptr);
}

TEST_CASE("upstreams: where the session detects the dialect, a server of unknown dialect takes who needs none") {
  const auto opened = [](std::optional<std::size_t> second, bool detects) {
    auto made = std::make_unique<Upstreams>();
    std::vector<std::unique_ptr<Upstream>> all;
    const std::vector<net::Address> here{*net::Address::parse("127.0.0.1", 1)};
    all.push_back(std::make_unique<Upstream>(0, relay::UpstreamOptions{"a", 1, 2}, "a", here));
    all.push_back(std::make_unique<Upstream>(1, relay::UpstreamOptions{"b", 1, second}, "b", here));
    made->open(std::move(all), {.detects_in_session = detects});
    return made;
  };
  const auto some = opened({}, true);
  CHECK(some->detects_any_in_session());
  CHECK(some->fits(some->at(1), std::nullopt));
  CHECK_FALSE(some->fits(some->at(1), 0));
  some->at(1).set_dialect(1);
  CHECK(some->fits(some->at(1), 1));
  CHECK_FALSE(some->fits(some->at(1), 0));
  CHECK(some->detects_any_in_session());  // what was found may be forgotten
  CHECK_FALSE(opened(1, true)->detects_any_in_session());
  CHECK_FALSE(opened({}, false)->detects_any_in_session());
  const auto assumed = opened({}, false);
  CHECK(assumed->fits(assumed->at(1), 0));  // the game's first
  CHECK_FALSE(assumed->fits(assumed->at(1), 1));
}

TEST_CASE(
    "upstreams: while it starts slowly, a server's share grows from a tenth; one that was never down has its whole") {
  Scene scene({.policy = Policy::kLeast, .slow_start_ms = 10'000}, {1, 1});
  Upstream &a = scene.upstreams.at(0), &b = scene.upstreams.at(1);
  a.failed(1'000, "refused");
  a.succeeded(2'000);
  b.succeeded(2'000);
  std::vector<Upstreams::SessionCount> on_b;
  const auto fill = [&](std::size_t sessions) {
    on_b.clear();
    while (on_b.size() < sessions) on_b.emplace_back(b);
  };
  fill(8);
  CHECK(scene.chosen(0, 2'000) == "b");  // (0 + 1) / 0.1 is more than (8 + 1) / 1
  CHECK(scene.chosen(0, 1'900) == "b");  // by the time of a loop that is a turn behind
  fill(10);
  CHECK(scene.chosen(0, 2'000) == "a");
  fill(1);
  CHECK(scene.chosen(0, 6'900) == "b");
  CHECK(scene.chosen(0, 7'100) == "a");  // more than half
  fill(0);
  CHECK(scene.chosen(0, 11'999) == "b");
  CHECK(scene.chosen(0, 12'000) == "a");
}

TEST_CASE("upstreams: a server is up again at once for all, and is tried again five seconds after it failed last") {
  Scene scene({.policy = Policy::kFirst}, {1, 1});
  Upstream& a = scene.upstreams.at(0);
  a.failed(1'000, "refused");
  a.failed(4'000, "refused");
  CHECK(a.is_down(8'999));
  CHECK_FALSE(a.is_down(9'000));
  CHECK(a.since() == 1'000);
  CHECK(a.state() == Upstream::State::kDown);
  a.succeeded(8'000);
  CHECK_FALSE(a.is_down(8'000));
}

TEST_CASE("upstreams: a drained server lets nobody in the queue connect out of order") {
  Scene scene({.hold_ms = 1'000}, {1, 1});
  Upstream &a = scene.upstreams.at(0), &b = scene.upstreams.at(1);
  a.succeeded(1'000);
  a.drain(true);
  const auto first = scene.upstreams.wait(1, 1'000), second = scene.upstreams.wait(2, 1'000);
  CHECK(first.turn(1'000) != 0);
  CHECK(second.turn(1'000) == 0);
  b.succeeded(1'000);
  CHECK(second.turn(1'000) != 0);
  b.mark_full(1'000);
  CHECK(second.turn(1'000) == 0);
}

TEST_CASE("upstreams: commands are shared by routes that have the same ones, and by no others") {
  const auto opened = [](const char* start, const char* stop) {
    auto scene = std::make_unique<Scene>(relay::UpstreamRules{.launch = {.start = start, .stop = stop}});
    return scene;
  };
  const auto one = opened("up", "down"), same = opened("up", "down"), other = opened("up", "halt");
  same->upstreams.share_runs(one->upstreams);
  other->upstreams.share_runs(one->upstreams);
  CHECK(&same->upstreams.starts() == &one->upstreams.starts());
  CHECK(&same->upstreams.stops() == &one->upstreams.stops());
  CHECK(&other->upstreams.starts() == &one->upstreams.starts());
  CHECK_FALSE(&other->upstreams.stops() == &one->upstreams.stops());
  relay::CommandRuns& runs = one->upstreams.starts();
  runs.runs = true;
  runs.end(3'000, 9'000);
  CHECK_FALSE(runs.runs);
  CHECK(runs.ended_at == 3'000);
  CHECK(runs.again_at == 9'000);
}

/// Two servers with names. A lookup ends when the test says so.
struct ByName {
  /// Lookups may outlive the test.
  struct Lookups {
    std::mutex mutex;
    std::condition_variable changed;
    bool go_on = false;
    std::uint64_t ended = 0;
    std::map<std::string, std::vector<net::Address>> found{
        {"a.test", {*net::Address::parse("[2001:db8::1]:9"), *net::Address::parse("192.0.2.1:9")}},
        {"b.test", {*net::Address::parse("127.0.0.7:9")}}};

    Outcome<std::vector<net::Address>> look_up(const std::string& host) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return go_on; });
      if (found[host].empty()) return Error{"no such host"};
      return found[host];
    }
    void note_end() {
      const std::lock_guard lock(mutex);
      ++ended;
      changed.notify_all();
    }
  };

  explicit ByName(relay::ServerAddresses::Rules rules = {}) {
    std::vector<std::unique_ptr<Upstream>> all;
    for (const char* name : {"a.test", "b.test"})
      all.push_back(std::make_unique<Upstream>(all.size(), relay::UpstreamOptions{name, 77}, name,
                                               relay::ServerAddresses(names.host(name), 77, rules)));
    upstreams.open(std::move(all), {});
  }
  ~ByName() { go_on(); }
  void go_on() const {
    const std::lock_guard lock(lookups->mutex);
    lookups->go_on = true;
    lookups->changed.notify_all();
  }
  /// Waits until so many lookups have ended.
  void wait_for(std::uint64_t ended) const {
    std::unique_lock lock(lookups->mutex);
    REQUIRE(lookups->changed.wait_for(lock, std::chrono::seconds(30), [&] { return lookups->ended >= ended; }));
  }
  /// The next address, once all lookups that it needs have ended.
  const net::Address* next(relay::UpstreamWalk& walk, const std::string& why = "") const {
    const net::Address* at = walk.next(kNow, why);
    for (std::uint64_t more = 1; walk.looks_up(); at = walk.next(kNow, "")) {
      go_on();
      wait_for(more++);
    }
    return at;
  }

  static constexpr Millis kNow = 1'000;
  const std::shared_ptr<Lookups> lookups = std::make_shared<Lookups>();
  net::HostNames names{[its = lookups] { its->note_end(); },
                       [its = lookups](const std::string& host) { return its->look_up(host); }, [] { return kNow; }};
  Upstreams upstreams;
};

TEST_CASE("server walk: a server is looked up when its turn comes, and has its own port at each address") {
  ByName it;
  relay::UpstreamWalk walk(it.upstreams, client(0), nullptr, std::nullopt);
  CHECK(it.upstreams.any_address().port() == 0);  // nothing is known yet
  CHECK(it.upstreams.at(0).addresses.why_none() == "'a.test' is being looked up");
  CHECK(walk.next(ByName::kNow, "") == nullptr);
  CHECK(walk.looks_up());
  CHECK(walk.server().name == "a.test");
  it.go_on();
  it.wait_for(1);
  const net::Address* at = walk.next(ByName::kNow, "");
  REQUIRE(at != nullptr);
  CHECK_FALSE(walk.looks_up());
  CHECK(at->text() == "[2001:db8::1]:77");
  CHECK(it.upstreams.any_address().text() == "[2001:db8::1]:77");
  CHECK(it.upstreams.at(0).addresses.why_none().empty());
  CHECK(it.upstreams.at(0).addresses.lookups() == 1);
  at = it.next(walk, "refused");
  REQUIRE(at != nullptr);
  CHECK(at->text() == "192.0.2.1:77");
  walk.reached();
  CHECK(it.upstreams.at(0).addresses.all(ByName::kNow).front().text() == "192.0.2.1:77");  // the other one failed
  CHECK(it.upstreams.at(0).state() == Upstream::State::kUnknown);
}

TEST_CASE("server walk: a server that is drained during its lookup is left, and is not down for that") {
  ByName it;
  relay::UpstreamWalk walk(it.upstreams, client(0), nullptr, std::nullopt);
  CHECK(walk.next(ByName::kNow, "") == nullptr);
  it.upstreams.at(0).drain(true);
  const net::Address* const at = it.next(walk);
  REQUIRE(at != nullptr);
  CHECK(walk.server().name == "b.test");
  CHECK(it.upstreams.at(0).state() == Upstream::State::kUnknown);
  walk.again(false, 1);
  CHECK(it.next(walk) == nullptr);
  CHECK_FALSE(walk.looks_up());
}

TEST_CASE("server walk: a server whose name has no address that can be used is down, for that reason") {
  {
    ByName it({.only_v4 = true});
    it.lookups->found["b.test"].clear();
    relay::UpstreamWalk walk(it.upstreams, client(0), &it.upstreams.at(1), std::nullopt);
    const net::Address* const at = it.next(walk);
    REQUIRE(at != nullptr);
    CHECK(at->text() == "192.0.2.1:77");
    CHECK(it.upstreams.at(1).state() == Upstream::State::kDown);
    CHECK(it.upstreams.at(1).why() == "no such host");
    CHECK(it.next(walk) == nullptr);
  }
  {
    ByName it({.only_v4 = true});
    it.lookups->found["a.test"].pop_back();
    relay::UpstreamWalk walk(it.upstreams, client(0), nullptr, std::nullopt);
    REQUIRE(it.next(walk) != nullptr);
    CHECK(walk.server().name == "b.test");
    CHECK(it.upstreams.at(0).why() == "'a.test' has no IPv4 address, and ENet supports only IPv4");
  }
  ByName it({.only_v4_loopback = true});
  relay::UpstreamWalk walk(it.upstreams, client(0), nullptr, std::nullopt);
  const net::Address* const at = it.next(walk);
  REQUIRE(at != nullptr);
  CHECK(at->text() == "127.0.0.7:77");
  CHECK(it.upstreams.at(0).why().starts_with("source=loopback is for a server on this machine"));
}

TEST_CASE("server walk: an address that failed goes behind the others; without a reason it keeps its place") {
  for (const bool to_blame : {true, false}) {
    CAPTURE(to_blame);
    ByName it;
    relay::UpstreamWalk walk(it.upstreams, client(0), nullptr, std::nullopt);
    const std::string why = to_blame ? "refused" : "";
    CHECK(it.next(walk)->v6());
    CHECK_FALSE(it.next(walk, why)->v6());
    const auto known = it.upstreams.at(0).addresses.all(ByName::kNow);
    CHECK(known.front().v6() == !to_blame);
    walk.reached();
    walk.not_reached(ByName::kNow);  // it did not answer
    CHECK(it.upstreams.at(0).addresses.all(ByName::kNow).front().v6());
  }
}

TEST_CASE("server walk: the server that was chosen first is left out if it does not speak the wanted dialect") {
  Scene scene({.policy = Policy::kFirst}, {1, 1});
  relay::UpstreamWalk wrong(scene.upstreams, client(0), &scene.upstreams.at(0), 1);
  CHECK(wrong.next(1'000, "") == nullptr);
  relay::UpstreamWalk right(scene.upstreams, client(0), &scene.upstreams.at(1), 0);
  REQUIRE(right.next(1'000, "") != nullptr);
  CHECK(right.server().name == "b");
  REQUIRE(right.next(1'000, "") != nullptr);
  CHECK(right.server().name == "a");
  CHECK(right.next(1'000, "") == nullptr);
  relay::UpstreamWalk again(scene.upstreams, client(0), &scene.upstreams.at(1), 0);
  again.again(false, 3);  // it begins with the best one, not with the one that was chosen
  REQUIRE(again.next(1'000, "") != nullptr);
  CHECK(again.server().name == "a");
  CHECK(relay::UpstreamWalk().next(1'000, "") == nullptr);
}

TEST_CASE("server walk: among those that are up only, one that is down is not tried") {
  Scene scene({.policy = Policy::kFirst}, {1, 1});
  scene.upstreams.at(0).failed(1'000, "refused");
  relay::UpstreamWalk walk(scene.upstreams, client(0), nullptr, std::nullopt);
  walk.again(true, 3);
  REQUIRE(walk.next(1'000, "") != nullptr);
  CHECK(walk.server().name == "b");
  CHECK(walk.next(1'000, "") == nullptr);
  walk.again(false, 3);
  REQUIRE(walk.next(1'000, "") != nullptr);
  REQUIRE(walk.next(1'000, "") != nullptr);
  CHECK(walk.server().name == "a");
}

TEST_CASE("upstreams: a server that came up long ago gets its whole share, and not more") {
  Scene scene({.policy = Policy::kLeast, .slow_start_ms = 10'000}, {1, 1});
  scene.upstreams.at(0).failed(1'000, "refused");
  scene.upstreams.at(0).succeeded(2'000);
  std::vector<Upstreams::SessionCount> sessions;
  for (int i = 0; i < 40; ++i) sessions.emplace_back(*scene.upstreams.choose(client(0), 60'000));
  CHECK(scene.upstreams.at(0).sessions() == 20);
}

}  // namespace
}  // namespace entente::testing::upstreams_test
