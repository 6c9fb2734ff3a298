// One queue for slots on servers across all nodes: the claims of other nodes, how far they are trusted, and who goes
// first.
#include "proxy/fleet/server_queues.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "schema/fleet.pb.h"
#include "tests/fleet/station.h"
#include "tests/support/nats_server.h"

namespace entente::fleet::queues_test {
namespace {

using relay::SlotQueue, relay::UpstreamOptions;
using Heard = ForeignClaims::Heard;

std::string claims(std::uint64_t run, const std::vector<std::pair<std::uint64_t, std::uint32_t>>& all,
                   std::uint64_t freed = 0) {
  bus::SeatClaims said;
  said.set_run(run);
  said.set_freed(freed);
  for (const auto& [link, waited] : all) {
    said.add_claims()->set_link(link);
    said.mutable_claims()->rbegin()->set_waited_ms(waited);
  }
  return said.SerializeAsString();
}

TEST_CASE("the same server has the same key; a loopback address is of this machine only") {
  const UpstreamOptions a = {"example.org", 5154}, b = {"example.org", 5154}, c = {"example.org", 5155},
                        d = {"127.0.0.1", 5154};
  CHECK(queue_key(a, "here") == queue_key(b, "there"));
  CHECK(queue_key(a, "here") != queue_key(c, "here"));
  CHECK(queue_key(d, "here") == queue_key(d, "here"));
  CHECK(queue_key(d, "here") != queue_key(d, "there"));
  CHECK(queue_key(a, "here") == "2459137156337375198");  // on every machine
  CHECK_FALSE(objection_to_token(queue_key(d, "here")));
  SlotQueues queues("here");
  auto one = queues.of(a);
  CHECK(one == queues.of(b));
  CHECK(one != queues.of(c));
  CHECK(queues.all().size() == 1);
  one.reset();
  CHECK(queues.all().empty());
  CHECK(queues.of(a) != nullptr);  // a new one
}

TEST_CASE("every name of this machine is of this machine only") {
  for (const char* host : {"localhost", "::1", "127.0.0.1", "127.9.9.9"})
    CHECK_MESSAGE(queue_key({host, 1}, "here") != queue_key({host, 1}, "there"), host);
  for (const char* host : {"128.0.0.1", "192.0.2.1", "::2", "localhost.example.org"})
    CHECK_MESSAGE(queue_key({host, 1}, "here") == queue_key({host, 1}, "there"), host);
}

TEST_CASE("claims of others count while their processes send them, and keep their place") {
  ForeignClaims foreign(10'000);
  CHECK_FALSE(foreign.oldest(10'000));
  CHECK(foreign.hear("a", as_bytes(claims(1, {{7, 500}, {8, 100}})), 20'000) == Heard::kNothing);
  CHECK(foreign.oldest(20'000) == 19'500);
  CHECK(foreign.hear("a", as_bytes(claims(1, {{7, 4'000'000}, {8, 600}})), 20'500) == Heard::kNothing);
  CHECK(foreign.oldest(20'500) == 19'500);                                               // not older than before
  CHECK(foreign.hear("a", as_bytes(claims(2, {{9, 700}})), 20'500) == Heard::kNothing);  // after an upgrade
  CHECK(foreign.hear("a", as_bytes(claims(1, {{8, 700}})), 20'600) == Heard::kNothing);
  CHECK(foreign.oldest(20'600) == 19'800);
  CHECK(foreign.oldest(22'550) == 19'900);  // the other run is silent
  CHECK_FALSE(foreign.oldest(22'601));
  CHECK(foreign.hear("a", as_bytes(claims(1, {{7, 30'000}})), 30'000) == Heard::kNothing);
  CHECK(foreign.oldest(30'000) == 19'500);  // as old as when it was first sent
  foreign.hear("a", as_bytes(claims(1, {})), 30'100);
  CHECK_FALSE(foreign.oldest(30'100));
}

TEST_CASE("a new claim can be only a little older than its node's silence before it") {
  ForeignClaims foreign(100'000);
  foreign.hear("evil", as_bytes(claims(1, {{1, 86'400'000}})), 110'000);
  CHECK(foreign.oldest(110'000) == 97'000);  // before this process started
  foreign.hear("evil", as_bytes(claims(1, {{2, 86'400'000}})), 120'000);
  CHECK(foreign.oldest(120'000) == 107'000);
  foreign.hear("evil", as_bytes(claims(2, {{2, 86'400'000}})), 130'000);  // also with another run
  CHECK(foreign.oldest(130'000) == 117'000);
  CHECK(foreign.hear("evil", as_bytes(claims(1, {{2, 86'400'001}})), 130'000) == Heard::kNonsense);
  CHECK(foreign.hear("evil", as_bytes("?"), 130'000) == Heard::kNonsense);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> many;
  for (std::uint64_t i = 0; i <= SlotQueue::kMostClaims; ++i) many.emplace_back(i, 1);
  CHECK(foreign.hear("evil", as_bytes(claims(1, many)), 130'000) == Heard::kNonsense);
  // Nodes, runs and claims take bounded memory, and those that still send count.
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    foreign.hear("n" + std::to_string(i), as_bytes(claims(i, {{i, 1}})), 200'000 + i);
    foreign.hear("evil", as_bytes(claims(i, {{i, 1}, {5'000 + i, 1}})), 200'000 + i);
  }
  CHECK(foreign.oldest(202'000) >= 200'000);
}

TEST_CASE("whoever is known already pushes out nobody, though as many are known as may be") {
  ForeignClaims foreign(10'000);
  SUBCASE("nodes") {
    const auto speaks = [&](std::size_t node, Millis now) {
      foreign.hear("n" + std::to_string(node), as_bytes(claims(1, {{1, 500}})), now);
    };
    for (std::size_t i = 0; i < ForeignClaims::kMostNodes; ++i) speaks(i, 20'000 + i);
    speaks(ForeignClaims::kMostNodes - 1, 20'400);
    CHECK(foreign.oldest(20'400) == 19'500);
    speaks(ForeignClaims::kMostNodes, 20'400);
    CHECK(foreign.oldest(20'400) == 19'501);  // the one that was silent longest has made room
  }
  SUBCASE("processes of a node") {
    const auto speaks = [&](std::size_t run, Millis now) { foreign.hear("a", as_bytes(claims(run, {{1, 500}})), now); };
    for (std::size_t i = 0; i < ForeignClaims::kMostRuns; ++i) speaks(i, 20'000 + i);
    speaks(ForeignClaims::kMostRuns - 1, 20'400);
    CHECK(foreign.oldest(20'400) == 19'500);
    speaks(ForeignClaims::kMostRuns, 20'400);
    CHECK(foreign.oldest(20'400) == 19'501);
  }
}

TEST_CASE("the claims of a process count until it was silent for too long, to the millisecond") {
  ForeignClaims foreign(10'000);
  foreign.hear("a", as_bytes(claims(1, {{7, 500}})), 20'000);
  CHECK(foreign.oldest(20'000 + ForeignClaims::kFresh) == 19'500);
  CHECK_FALSE(foreign.oldest(20'000 + ForeignClaims::kFresh + 1));
}

TEST_CASE("a claim that is not repeated keeps its place for a while, and then it is a new one") {
  for (const Millis late : {0U, 1U}) {
    CAPTURE(late);
    ForeignClaims foreign(10'000);
    foreign.hear("a", as_bytes(claims(1, {{7, 500}})), 20'000);
    const Millis later = 20'000 + ForeignClaims::kKept + late;
    foreign.hear("a", as_bytes(claims(1, {{8, 1}})), later);
    CHECK(foreign.oldest(later) == later - 1);  // those of its last message count
    foreign.hear("a", as_bytes(claims(1, {{7, 1}})), later);
    CHECK(foreign.oldest(later) == (late == 0 ? 19'500 : later - 1));
  }
}

TEST_CASE("of a process that claims more and more, only what its last message has is remembered") {
  constexpr std::size_t kOnce = SlotQueue::kMostClaims, kTimes = ForeignClaims::kMostRemembered / kOnce;
  for (const std::uint64_t more : {0U, 1U}) {
    CAPTURE(more);
    ForeignClaims foreign(10'000);
    std::uint64_t link = 0;
    for (std::size_t time = 0; time < kTimes; ++time) {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> some;
      for (std::size_t i = 0; i < kOnce; ++i) some.emplace_back(++link, 500);
      CHECK(foreign.hear("a", as_bytes(claims(1, some)), 20'000 + time) == Heard::kNothing);  // the most that may be
    }
    for (std::uint64_t i = 0; i < more; ++i) foreign.hear("a", as_bytes(claims(1, {{++link, 1}})), 20'100);
    foreign.hear("a", as_bytes(claims(1, {{1, 1}})), 20'100);
    CHECK(foreign.oldest(20'100) == (more == 0 ? 19'500 : 20'099));
  }
}

TEST_CASE("nobody has waited since before the clock began") {
  ForeignClaims foreign(1'000);
  foreign.hear("a", as_bytes(claims(1, {{1, 86'400'000}})), 1'500);
  CHECK(foreign.oldest(1'500) == 0);
}

TEST_CASE("a hint of a free slot counts a second after the last one, and each process counts for itself") {
  ForeignClaims foreign(0);
  foreign.hear("a", as_bytes(claims(1, {}, 7)), 10'000);
  CHECK(foreign.hear("a", as_bytes(claims(2, {}, 8)), 10'000) == Heard::kNothing);  // its first message
  CHECK(foreign.hear("a", as_bytes(claims(1, {}, 8)), 10'000) == Heard::kFreed);
  CHECK(foreign.hear("a", as_bytes(claims(2, {}, 9)), 10'000 + ForeignClaims::kHint - 1) == Heard::kNothing);
  CHECK(foreign.hear("a", as_bytes(claims(2, {}, 10)), 10'000 + ForeignClaims::kHint) == Heard::kFreed);
  CHECK(foreign.hear("a", as_bytes(claims(2, {}, 3)), 20'000) == Heard::kNothing);  // fewer than before
  CHECK(foreign.hear("a", as_bytes(claims(2, {}, 4)), 20'000) == Heard::kFreed);
}

TEST_CASE("a slot that was freed elsewhere is a hint, at most one a second") {
  ForeignClaims foreign(0);
  CHECK(foreign.hear("a", as_bytes(claims(1, {}, 7)), 10'000) == Heard::kNothing);  // freed before this process started
  CHECK(foreign.hear("a", as_bytes(claims(1, {}, 8)), 10'100) == Heard::kFreed);
  CHECK(foreign.hear("a", as_bytes(claims(1, {}, 9)), 10'200) == Heard::kNothing);
  CHECK(foreign.hear("a", as_bytes(claims(1, {}, 9)), 11'200) == Heard::kNothing);
  CHECK(foreign.hear("a", as_bytes(claims(1, {}, 10)), 11'300) == Heard::kFreed);
}

/// A process with a queue for the same server as others.
struct QueueNode {
  QueueNode(const NatsServer& nats, net::Loop& loop, const std::string& node, std::uint64_t run = 1)
      : bus({.servers = {nats.url()}, .client = node}), line(std::in_place, bus, loop), queue(queues.of({"s", 1})) {
    post.emplace(*line, loop, queues, Subjects("entente"), node, run);
  }
  Bus bus;
  std::optional<BusLine> line;
  SlotQueues queues{"here"};
  std::shared_ptr<SlotQueue> queue;
  std::optional<QueuePost> post;
};

/// Runs the loop until `done`, for 40 s at most. Returns whether it is done.
bool run_until(net::Loop& loop, const std::function<bool()>& done) {
  const Millis end = steady_now() + 40'000;
  while (!done() && steady_now() < end) uv_run(loop.raw(), UV_RUN_ONCE);
  return done();
}

TEST_CASE("players of two nodes wait in one order; without NATS each node continues alone") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  net::Loop loop;
  {
    QueueNode a(nats, loop, "a"), b(nats, loop, "b");
    const auto until = [&](const std::function<bool()>& done) { return run_until(loop, done); };
    const SlotQueue::Claim first{loop.now() - 2'500, 1}, second{loop.now() - 1'500, 1}, third{loop.now() - 500, 2};
    for (QueueNode* one : {&a, &b}) one->queue->refused(loop.now());
    a.queue->add(&a, first);
    b.queue->add(&b, second);
    a.queue->add(&a, third);
    CHECK(until([&] { return b.queue->others_wait(&b, loop.now()) && a.queue->others_wait(&a, loop.now()); }));
    CHECK(a.queue->has_turn(&a, loop.now()));
    CHECK_FALSE(b.queue->has_turn(&b, loop.now()));
    a.queue->remove(&a, first);
    a.queue->freed();
    CHECK(until([&] { return b.queue->has_turn(&b, loop.now()); }));
    CHECK_FALSE(a.queue->has_turn(&a, loop.now()));
    CHECK(until([&] { return b.queue->freed_elsewhere_at() != 0; }));
    CHECK(a.queue->freed_elsewhere_at() == 0);  // its own
    nats.kill();
    CHECK(until([&] { return a.queue->has_turn(&a, loop.now()) && b.queue->has_turn(&b, loop.now()); }));
    CHECK_FALSE(a.queue->others_wait(&a, loop.now()));
    CHECK(a.post->refused() == 0);
    for (QueueNode* one : {&a, &b}) {
      one->post.reset();
      one->line.reset();
    }
  }
  loop.run();
}

TEST_CASE("two processes of one node, as during an upgrade, wait in one order, and none waits for itself") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  net::Loop loop;
  {
    QueueNode older(nats, loop, "a", 1), newer(nats, loop, "a", 2);
    const auto until = [&](const std::function<bool()>& done) { return run_until(loop, done); };
    for (QueueNode* one : {&older, &newer}) one->queue->refused(loop.now());
    const SlotQueue::Claim first{loop.now() - 1'500, 1};
    older.queue->add(&older, first);
    CHECK(until([&] { return newer.queue->others_wait(&newer, loop.now()); }));
    newer.queue->add(&newer, {loop.now() - 500, 2});
    CHECK(until([&] { return older.queue->others_wait(&older, loop.now()); }));
    CHECK(older.queue->has_turn(&older, loop.now()));
    CHECK_FALSE(newer.queue->has_turn(&newer, loop.now()));
    newer.queue->remove(&newer, {loop.now() - 500, 2});
    newer.post.reset();
    CHECK_FALSE(newer.queue->others_wait(&newer, loop.now()));  // it hears of the others no more
    older.post.reset();
    for (QueueNode* one : {&older, &newer}) one->line.reset();
  }
  loop.run();
}

TEST_CASE("a node says at once that nobody waits any more, and counts what is no claim") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  net::Loop loop;
  {
    QueueNode a(nats, loop, "a");
    const auto until = [&](const std::function<bool()>& done) { return run_until(loop, done); };
    Bus other({.servers = {nats.url()}, .client = "other"});
    std::optional<BusLine> ear(std::in_place, other, loop);
    std::string key;
    std::vector<int> told;
    ear->subscribe("entente.server.*.queue.a", [&](const BusMessage& message) {
      bus::SeatClaims said;
      REQUIRE(said.ParseFromString(std::string(as_text(message.bytes))));
      told.push_back(said.claims_size());
      key = message.subject.substr(0, message.subject.rfind('.'));
    });
    a.queue->refused(loop.now());
    const SlotQueue::Claim claim{loop.now(), 1};
    a.queue->add(&a, claim);
    CHECK(until([&] { return !told.empty() && told.back() == 1; }));
    a.queue->remove(&a, claim);
    CHECK(until([&] { return told.back() == 0; }));
    CHECK(a.post->refused() == 0);
    CHECK(until([&] {
      ear->publish(key + ".evil", as_bytes("?"));
      return a.post->refused() != 0;
    }));
    CHECK_FALSE(a.queue->others_wait(&a, loop.now()));
    // Its name is none of a node. What comes from there later shows that this has come.
    ear->publish(key + ".b$", as_bytes(claims(1, {{1, 500}})));
    const std::uint64_t refused = a.post->refused();
    ear->publish(key + ".evil", as_bytes("?"));
    CHECK(until([&] { return a.post->refused() > refused; }));
    CHECK_FALSE(a.queue->others_wait(&a, loop.now()));
    ear.reset();
    a.post.reset();
    a.line.reset();
  }
  loop.run();
}

TEST_CASE("a node where nobody waits says at once that a seat is free for those who wait elsewhere") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  net::Loop loop;
  {
    QueueNode a(nats, loop, "a"), b(nats, loop, "b");
    const auto until = [&](const std::function<bool()>& done) { return run_until(loop, done); };
    Bus other({.servers = {nats.url()}, .client = "other"});
    std::optional<BusLine> ear(std::in_place, other, loop);
    std::vector<std::uint64_t> freed;
    ear->subscribe("entente.server.*.queue.a", [&](const BusMessage& message) {
      bus::SeatClaims said;
      REQUIRE(said.ParseFromString(std::string(as_text(message.bytes))));
      CHECK(said.claims().empty());
      freed.push_back(said.freed());
    });
    for (QueueNode* one : {&a, &b}) one->queue->refused(loop.now());
    b.queue->add(&b, {loop.now(), 1});
    CHECK(until([&] { return ear->connected() && a.queue->others_wait(&a, loop.now()); }));
    for (std::uint64_t times = 1; times <= 2; ++times) {
      a.queue->freed();
      CHECK(until([&] { return freed.size() == times; }));
    }
    CHECK(freed == std::vector<std::uint64_t>{1, 2});
    CHECK(until([&] { return b.queue->freed_elsewhere_at() != 0; }));
    ear.reset();
    for (QueueNode* one : {&a, &b}) {
      one->post.reset();
      one->line.reset();
    }
  }
  loop.run();
}

TEST_CASE("a node tells again and again who waits, also while nothing changes") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  net::Loop loop;
  {
    QueueNode a(nats, loop, "a");
    Bus other({.servers = {nats.url()}, .client = "other"});
    std::optional<BusLine> ear(std::in_place, other, loop);
    int told = 0;
    ear->subscribe("entente.server.*.queue.a", [&](const BusMessage& message) {
      bus::SeatClaims said;
      REQUIRE(said.ParseFromString(std::string(as_text(message.bytes))));
      told += said.claims_size() == 1 ? 1 : 0;
    });
    a.queue->refused(loop.now());
    const Millis began = steady_now();
    a.queue->add(&a, {loop.now(), 1});
    while (told < 3 && steady_now() < began + 40'000) uv_run(loop.raw(), UV_RUN_ONCE);
    CHECK(told == 3);
    CHECK(steady_now() - began >= 1'000);  // twice a second, and no more often
    ear.reset();
    a.post.reset();
    a.line.reset();
  }
  loop.run();
}

/// What a node says of the players who wait there, heard by its own connection, so that nothing is missed.
struct Ear {
  Ear(QueueNode& node, net::Loop& loop) : line(std::in_place, node.bus, loop) {
    line->subscribe("entente.server.*.queue.a", [this](const BusMessage& message) {
      bus::SeatClaims said;
      REQUIRE(said.ParseFromString(std::string(as_text(message.bytes))));
      claims.push_back(said.claims_size());
      freed.push_back(said.freed());
    });
  }
  std::optional<BusLine> line;
  std::vector<int> claims;
  std::vector<std::uint64_t> freed;
};

/// Says that somebody waits at another node. False: there is no connection.
bool claims_elsewhere(BusLine& line) {
  return line.publish(Subjects("entente").queue(queue_key({"s", 1}, "here"), "b"), as_bytes(claims(1, {{1, 500}})));
}

/// Some of the node's looks at its queues.
void pass_looks(net::Loop& loop) {
  run_until(loop, [&loop, end = loop.now() + 350] { return loop.now() >= end; });
}

TEST_CASE("a node tells of a free seat once, and not in each of its looks") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  net::Loop loop;
  {
    QueueNode a(nats, loop, "a");
    Ear ear(a, loop);
    a.queue->refused(loop.now());
    CHECK(run_until(loop, [&] { return claims_elsewhere(*ear.line) && a.queue->others_wait(&a, loop.now()); }));
    a.queue->freed();
    CHECK(run_until(loop, [&] { return !ear.freed.empty(); }));
    pass_looks(loop);
    a.queue->add(&a, {loop.now(), 1});
    CHECK(run_until(loop, [&] { return !ear.claims.empty() && ear.claims.back() == 1; }));
    CHECK(std::count(ear.claims.begin(), ear.claims.end(), 0) == 1);
    ear.line.reset();
    a.post.reset();
    a.line.reset();
  }
  loop.run();
}

TEST_CASE("what a node could not tell without NATS, it tells when NATS is back") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  net::Loop loop;
  {
    QueueNode a(nats, loop, "a");
    Ear ear(a, loop);
    a.queue->refused(loop.now());
    const SlotQueue::Claim claim{loop.now(), 1};
    a.queue->add(&a, claim);
    REQUIRE(run_until(loop, [&] { return !ear.claims.empty(); }));
    nats.kill();
    REQUIRE(run_until(loop, [&] { return !a.line->connected(); }));
    a.queue->remove(&a, claim);
    pass_looks(loop);
    nats.start();
    CHECK(run_until(loop, [&] { return ear.claims.back() == 0; }));
    ear.line.reset();
    a.post.reset();
    a.line.reset();
  }
  loop.run();
}

TEST_CASE("a node hears nothing more of a server once nobody here waits for it, and hears again when somebody does") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  net::Loop loop;
  {
    QueueNode a(nats, loop, "a");
    Bus other({.servers = {nats.url()}, .client = "other"});
    std::optional<BusLine> voice(std::in_place, other, loop);
    const std::string subject = Subjects("entente").queue(queue_key({"s", 1}, "here"), "b");
    const auto says = [&] { return voice->publish(subject, as_bytes(claims(1, {{1, 500}}))); };
    const auto hears = [&] { return run_until(loop, [&] { return says() && a.queue->others_wait(&a, loop.now()); }); };
    a.queue->refused(loop.now());
    CHECK(hears());
    a.queue.reset();
    pass_looks(loop);
    // NATS carries out what comes from a connection in its order.
    const auto settle = [&](BusLine& line) {
      bool answered = false;
      line.ask("nobody", {}, 10'000, 1, [&](const std::vector<BusMessage>&) { answered = true; });
      REQUIRE(run_until(loop, [&] { return answered; }));
    };
    settle(*a.line);
    const std::uint64_t before = a.bus.counts().received;
    for (int times = 0; times < 5; ++times) CHECK(claims_elsewhere(*voice));
    settle(*voice);
    settle(*a.line);
    CHECK(a.bus.counts().received == before + 1);  // that there is nobody
    a.queue = a.queues.of({"s", 1});
    a.queue->refused(loop.now());
    CHECK(hears());
    voice.reset();
    a.post.reset();
    a.line.reset();
  }
  loop.run();
}

}  // namespace
}  // namespace entente::fleet::queues_test
