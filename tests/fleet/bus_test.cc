// The bus, with a real nats-server: messages, questions, buckets, streams, and what happens when the server is away.
#include "proxy/fleet/bus.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/nats_server.h"

namespace entente::fleet::bus_test {
namespace {

BusOptions options_for(const NatsServer& server) {
  BusOptions options;
  options.servers = {server.url()};
  options.client = "test";
  return options;
}

/// A loop with one line, turned by the test.
struct Station final : net::Ticker::User {
  explicit Station(Bus& bus) : line(std::in_place, bus, loop), ticker(std::in_place, loop, *this, 5) {}
  ~Station() override {
    line.reset();
    ticker.reset();
    loop.run();
  }
  void tick(Millis) override {}
  bool until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done() && std::chrono::steady_clock::now() < end) uv_run(loop.raw(), UV_RUN_ONCE);
    return done();
  }
  bool connects() {
    return until([this] { return line->connected(); });
  }
  Kept order(const std::function<void(BusLine::Done)>& give) {
    std::optional<Kept> answer;
    give([&](Kept kept) { answer = std::move(kept); });
    CHECK(until([&] { return answer.has_value(); }));
    return answer.value_or(Kept());
  }
  Kept open_bucket(const std::string& name) {
    BucketOptions options;
    options.name = name;
    options.in_memory = true;
    return order([&](auto done) { line->open_bucket(options, done); });
  }

  net::Loop loop;
  std::optional<BusLine> line;
  std::optional<net::Ticker> ticker;
};

/// Whether a subscription works: NATS learns of it some time after subscribe().
void wait_for_subscription(Station& by, Station& of, const std::string& subject) {
  bool heard = false;
  const auto probe = of.line->subscribe(subject, [&](const BusMessage&) { heard = true; });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!heard && std::chrono::steady_clock::now() < end) {
    by.line->publish(subject, {});
    uv_run(by.loop.raw(), UV_RUN_NOWAIT);
    uv_run(of.loop.raw(), UV_RUN_ONCE);
  }
  of.line->unsubscribe(probe);
  REQUIRE(heard);
}

TEST_CASE("messages arrive in order, also across subjects, on the loop of their line") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus one(options_for(server)), other(options_for(server));
  Station from(one), to(other);
  REQUIRE(from.connects());
  REQUIRE(to.connects());
  std::vector<std::string> heard;
  for (const char* subject : {"t.a", "t.b"})
    to.line->subscribe(subject, [&](const BusMessage& message) {
      if (!message.bytes.empty()) heard.emplace_back(as_text(message.bytes));
    });
  wait_for_subscription(from, to, "t.a");
  wait_for_subscription(from, to, "t.b");
  std::vector<std::string> sent;
  for (int i = 0; i < 1000; ++i) {
    sent.push_back(std::to_string(i));
    CHECK(from.line->publish(i % 2 == 0 ? "t.a" : "t.b", as_bytes(sent.back())));
  }
  CHECK(to.until([&] { return heard.size() >= sent.size(); }));
  CHECK(heard == sent);
  CHECK(one.counts().published >= 1000);
  CHECK(other.counts().received_bytes >= 2890);
}

TEST_CASE("a question is answered by one, by several, or by nobody") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station station(bus);
  REQUIRE(station.connects());
  std::optional<std::size_t> answers;
  const auto count = [&](const std::vector<BusMessage>& all) { answers = all.size(); };
  station.line->ask("nobody", {}, 60'000, 1, count);
  CHECK(station.until([&] { return answers.has_value(); }));
  CHECK(answers == 0);  // at once: NATS says that nobody listens

  for (int i = 0; i < 3; ++i)
    station.line->subscribe("ask", [&](const BusMessage& asked) {
      CHECK(as_text(asked.bytes) == "who");
      if (!asked.reply.empty()) station.line->publish(asked.reply, as_bytes("I"));
    });
  wait_for_subscription(station, station, "probe");  // after those of "ask"
  answers.reset();
  station.line->ask("ask", as_bytes("who"), 60'000, 3, count);
  CHECK(station.until([&] { return answers.has_value(); }));
  CHECK(answers == 3);
  answers.reset();
  station.line->ask("ask", as_bytes("who"), 300, 100, count);
  CHECK(station.until([&] { return answers.has_value(); }));
  CHECK(answers == 3);
}

TEST_CASE("a bucket: create once, update by revision, remove, and the loser is told what is there") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  CHECK(its.order([&](auto done) { its.line->get("none", "a", done); }).how == Kept::How::kFailed);
  REQUIRE(its.open_bucket("leases").done());
  CHECK(its.open_bucket("leases").done());  // it is there already
  CHECK(its.order([&](auto done) { its.line->get("leases", "a", done); }).how == Kept::How::kMissing);
  const Kept created = its.order([&](auto done) { its.line->create("leases", "a", as_bytes("one"), done); });
  CHECK(created.done());
  const Kept again = its.order([&](auto done) { its.line->create("leases", "a", as_bytes("two"), done); });
  CHECK(again.how == Kept::How::kConflict);
  CHECK(as_text(again.entry.value) == "one");
  const std::uint64_t first = created.entry.revision;
  const Kept updated = its.order([&](auto done) { its.line->update("leases", "a", as_bytes("three"), first, done); });
  CHECK(updated.done());
  CHECK(updated.entry.revision > first);
  const Kept late = its.order([&](auto done) { its.line->update("leases", "a", as_bytes("four"), first, done); });
  CHECK(late.how == Kept::How::kConflict);
  CHECK(as_text(late.entry.value) == "three");
  CHECK(late.entry.revision == updated.entry.revision);
  CHECK(its.order([&](auto done) { its.line->remove("leases", "a", done); }).done());
  CHECK(its.order([&](auto done) { its.line->get("leases", "a", done); }).how == Kept::How::kMissing);
  CHECK(its.order([&](auto done) { its.line->create("leases", "a", as_bytes("five"), done); }).done());
}

TEST_CASE("a watch tells what is there, then what changes, and all of it again after the server was away") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  BucketOptions options;
  options.name = "bans";  // in a file: it outlives the server
  REQUIRE(its.order([&](auto done) { its.line->open_bucket(options, done); }).done());
  CHECK(its.order([&](auto done) { its.line->put("bans", "a", as_bytes("1"), done); }).done());
  std::map<std::string, std::string> seen;
  int complete = 0;
  const auto watch = its.line->watch("bans", ">", [&](const BusEntry* entry) {
    if (entry == nullptr)
      ++complete;
    else if (entry->gone)
      seen.erase(entry->key);
    else
      seen[entry->key] = as_text(entry->value);
  });
  CHECK(its.until([&] { return complete == 1; }));
  CHECK(seen == std::map<std::string, std::string>{{"a", "1"}});
  CHECK(its.order([&](auto done) { its.line->put("bans", "b", as_bytes("2"), done); }).done());
  CHECK(its.until([&] { return seen.contains("b"); }));
  CHECK(its.order([&](auto done) { its.line->remove("bans", "a", done); }).done());
  CHECK(its.until([&] { return !seen.contains("a"); }));

  server.kill();
  CHECK(its.until([&] { return !its.line->connected(); }));
  CHECK(bus.lost_for().has_value());
  CHECK(its.order([&](auto done) { its.line->get("bans", "b", done); }).how == Kept::How::kFailed);
  server.start();
  CHECK(its.connects());
  CHECK(its.until([&] { return complete == 2; }));
  CHECK(seen == std::map<std::string, std::string>{{"b", "2"}});
  its.line->unwatch(watch);
  CHECK(bus.counts().losses == 1);
}

TEST_CASE("without a server: what is published is dropped and counted; subscriptions work once there is one") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  server.kill();
  Bus bus(options_for(server));
  Station its(bus);
  int heard = 0;
  std::vector<bool> states;
  its.line->on_state([&](bool up) { states.push_back(up); });
  its.line->subscribe("late", [&](const BusMessage&) { ++heard; });
  CHECK(!its.line->publish("late", as_bytes("lost")));
  std::optional<std::size_t> answers;
  its.line->ask("late", {}, 60'000, 1, [&](const auto& all) { answers = all.size(); });
  CHECK(its.until([&] { return answers == 0; }));
  CHECK(bus.counts().dropped_out == 2);
  server.start();
  REQUIRE(its.connects());
  CHECK(its.until([&] { return states == std::vector<bool>{true}; }));
  CHECK(its.until([&] {
    its.line->publish("late", as_bytes("now"));
    return heard > 0;
  }));
  server.kill();
  CHECK(its.until([&] { return states.size() == 2; }));
  const int before = heard;
  server.start();
  CHECK(its.until([&] {
    its.line->publish("late", as_bytes("again"));
    return heard > before;
  }));
}

TEST_CASE("a stream stores messages, one with the same id once, and gives back the last of a subject") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  std::optional<Outcome<std::uint64_t>> number;
  const auto stored = [&](Outcome<std::uint64_t> outcome) { number = std::move(outcome); };
  const auto wait = [&] {
    CHECK(its.until([&] { return number.has_value(); }));
    const auto value = number && *number ? **number : 0;
    number.reset();
    return value;
  };
  StreamOptions options;
  options.name = "snapshots";
  options.subjects = {"snapshot.*"};
  options.most_per_subject = 1;
  its.line->open_stream(options, stored);
  wait();
  its.line->store("snapshot.a", as_bytes("1"), "x", stored);
  CHECK(wait() == 1);
  its.line->store("snapshot.a", as_bytes("1"), "x", stored);
  CHECK(wait() == 1);
  its.line->store("snapshot.a", as_bytes("2"), "", stored);
  CHECK(wait() == 2);
  std::optional<Outcome<std::optional<BusMessage>>> last;
  its.line->last("snapshots", "snapshot.a", [&](auto outcome) { last = std::move(outcome); });
  CHECK(its.until([&] { return last.has_value(); }));
  REQUIRE(last->ok());
  REQUIRE((*last)->has_value());
  CHECK(as_text((**last)->bytes) == "2");
  last.reset();
  its.line->last("snapshots", "snapshot.b", [&](auto outcome) { last = std::move(outcome); });
  CHECK(its.until([&] { return last.has_value(); }));
  REQUIRE(last->ok());
  CHECK(!(*last)->has_value());
  its.line->store("elsewhere", as_bytes("3"), "", stored);
  CHECK(its.until([&] { return number.has_value(); }));
  CHECK(!number->ok());
}

TEST_CASE("a line that is not read gets a bounded number of bytes; the rest is counted") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  BusOptions small = options_for(server);
  small.most_waiting = 100'000;
  Bus bus(options_for(server)), slow(small);
  Station from(bus), to(slow);
  REQUIRE(from.connects());
  REQUIRE(to.connects());
  std::size_t heard = 0;
  to.line->subscribe("flood", [&](const BusMessage& message) { heard += message.bytes.size(); });
  wait_for_subscription(from, to, "flood");
  const Buffer big(10'000);
  for (int i = 0; i < 100; ++i) from.line->publish("flood", big);
  CHECK(from.until([&] { return slow.counts().received_bytes >= 1'000'000; }));
  CHECK(to.until([&] { return heard > 0; }));
  CHECK(heard <= 100'000);
  CHECK(slow.counts().dropped_in >= 90);
}

TEST_CASE("a password: the right one connects, a wrong one does not, and may be put right") {
  if (NatsServer::is_missing()) return;
  NatsServer server({"--user", "fleet", "--pass", "secret"});
  BusOptions options = options_for(server);
  options.user = "fleet";
  options.password = "wrong";
  std::atomic<int> told{0};
  options.told = [&](bool connected, const std::string& why) {
    CHECK(!connected);
    CHECK(!why.empty());
    ++told;
  };
  {
    Bus bus(options);
    Station its(bus);
    CHECK(its.until([&] { return !bus.last_error().empty(); }));
    CHECK(!bus.connected());
    CHECK(told == 1);
  }
  options.told = nullptr;
  options.password = "secret";
  Bus bus(options);
  Station its(bus);
  CHECK(its.connects());
}

TEST_CASE("a connection that would carry secrets in clear is refused") {
  for (const char* good : {"nats://127.0.0.1:4222", "nats://127.9.9.9", "nats://localhost:4222", "nats://[::1]:4222",
                           "tls://nats.example.org:4222", "tls://10.0.0.1:4222"})
    CHECK_MESSAGE(!objection_to_server(good), good);
  for (const char* bad : {"nats://10.0.0.1:4222", "nats://nats.example.org", "nats://127.0.0.1.example.org:4222",
                          "nats://user:secret@127.0.0.1:4222", "http://127.0.0.1", "127.0.0.1:4222", "nats://",
                          "nats://[2001:db8::1]:4222"})
    CHECK_MESSAGE(objection_to_server(bad), bad);
}

}  // namespace
}  // namespace entente::fleet::bus_test
