// The bus with a real nats-server: messages, requests, buckets, streams, and outages of the server.
#include "proxy/fleet/bus.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/net/fd.h"
#include "proxy/net/named_thread.h"
#include "tests/fleet/station.h"
#include "tests/support/certificate.h"
#include "tests/support/nats_server.h"

namespace entente::fleet::bus_test {
namespace {

BusOptions options_for(const NatsServer& server) {
  BusOptions options;
  options.servers = {server.url()};
  options.client = "test";
  return options;
}

using testing::Station;

/// Waits until a subscription is active: NATS processes it some time after subscribe().
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
  CHECK(one.counts().published_bytes >= 2890);
  CHECK(other.counts().received_bytes >= 2890);
}

TEST_CASE("a subscription that ends leaves those of other lines alone") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station from(bus), one(bus), other(bus);
  for (Station* each : {&from, &one, &other}) REQUIRE(each->connects());
  std::string last_of_one, last_of_other;
  const auto first =
      one.line->subscribe("t.a", [&](const BusMessage& message) { last_of_one = std::string(as_text(message.bytes)); });
  other.line->subscribe("t.b", [&](const BusMessage& message) { last_of_other = std::string(as_text(message.bytes)); });
  CHECK(one.until([&] {
    from.line->publish("t.a", as_bytes(std::string_view("before")));
    return last_of_one == "before";
  }));
  CHECK(other.until([&] {
    from.line->publish("t.b", as_bytes(std::string_view("before")));
    return last_of_other == "before";
  }));
  one.line->unsubscribe(first);
  for (const char* subject : {"t.a", "t.b"}) from.line->publish(subject, as_bytes(std::string_view("after")));
  CHECK(other.until([&] { return last_of_other == "after"; }));
  uv_run(one.loop.raw(), UV_RUN_NOWAIT);
  CHECK(last_of_one == "before");
}

TEST_CASE("what comes for a subscription that has ended is not received") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  int heard = 0;
  const auto first = its.line->subscribe("first", [&](const BusMessage&) { ++heard; });
  bool after = false;
  its.line->subscribe("after", [&](const BusMessage&) { after = true; });
  its.line->publish("first", {});
  its.line->publish("after", {});
  REQUIRE(its.until([&] { return after; }));
  CHECK(heard == 1);
  its.line->unsubscribe(first);
  after = false;
  const std::uint64_t before = bus.counts().received;
  its.line->publish("first", {});
  its.line->publish("after", {});  // comes after it
  CHECK(its.until([&] { return after; }));
  CHECK(bus.counts().received == before + 1);
  CHECK(heard == 1);
}

TEST_CASE("a line is told of a connection that there is already, and orders that fail are counted") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  CHECK_FALSE(bus.lost_for().has_value());
  CHECK(bus.last_error().empty());
  std::vector<bool> states;
  std::optional<Station> late(std::in_place, bus);
  late->line->on_state([&](bool up) { states.push_back(up); });
  CHECK(late->until([&] { return !states.empty(); }));
  CHECK(states == std::vector<bool>{true});
  late.reset();
  CHECK(bus.counts().failures == 0);
  CHECK_FALSE(its.order([&](auto done) { its.line->get("none", "a", done); }).done());
  CHECK(bus.counts().failures == 1);
  bool answered = false;
  its.line->store("nowhere", {}, "", [&](const auto& stored) {
    CHECK_FALSE(stored.ok());
    answered = true;
  });
  CHECK(its.until([&] { return answered; }));
  CHECK(bus.counts().failures == 2);
}

TEST_CASE("an update that depends on the entry writes only the entry that it expects") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  REQUIRE(its.open_bucket("leases").done());
  const auto update = [&](const std::string& expected) {
    const auto is_it = [expected](const BusEntry& entry) { return as_text(entry.value) == expected; };
    return its.order([&](auto done) { its.line->update_if("leases", "a", as_bytes("mine"), is_it, done); });
  };
  const auto value = [&] {
    return std::string(as_text(its.order([&](auto done) { its.line->get("leases", "a", done); }).entry.value));
  };
  CHECK(update("one").how == BucketResult::How::kMissing);
  REQUIRE(its.order([&](auto done) { its.line->create("leases", "a", as_bytes("one"), done); }).done());
  const BucketResult other = update("two");
  CHECK(other.how == BucketResult::How::kConflict);
  CHECK(as_text(other.entry.value) == "one");
  CHECK(value() == "one");
  CHECK(update("one").done());
  CHECK(value() == "mine");
}

TEST_CASE("answers come below the subject that the question names") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  BusOptions options = options_for(server);
  options.inbox = "its.inbox";
  Bus bus(options);
  Station its(bus);
  REQUIRE(its.connects());
  std::vector<std::string> replies;
  its.line->subscribe("ask", [&](const BusMessage& asked) {
    replies.push_back(asked.reply);
    its.line->publish(asked.reply, as_bytes("I"));
  });
  std::size_t answers = 0;
  const auto answered = [&](const std::vector<BusMessage>& all) { answers += all.size(); };
  its.line->ask("ask", {}, 60'000, 1, answered);
  its.line->ask("ask", {}, 60'000, 1, answered, "its.answers");
  CHECK(its.until([&] { return answers == 2; }));
  REQUIRE(replies.size() == 2);
  CHECK(replies[0].starts_with("its.inbox."));
  CHECK(replies[1].starts_with("its.answers."));
  CHECK(replies[0].substr(10) != replies[1].substr(12));  // nobody can guess them
}

TEST_CASE("a request is answered by one, several or no subscribers") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station station(bus);
  REQUIRE(station.connects());
  std::optional<std::size_t> answers;
  const auto count = [&](const std::vector<BusMessage>& all) { answers = all.size(); };
  station.line->ask("nobody", {}, 60'000, 1, count);
  CHECK(station.until([&] { return answers.has_value(); }));
  CHECK(answers == 0);  // at once: NATS reports that there are no subscribers

  for (int i = 0; i < 3; ++i)
    station.line->subscribe("ask", [&](const BusMessage& asked) {
      CHECK(as_text(asked.bytes) == "who");
      if (!asked.reply.empty()) station.line->publish(asked.reply, as_bytes("I"));
    });
  wait_for_subscription(station, station, "probe");  // after the subscriptions to "ask"
  answers.reset();
  station.line->ask("ask", as_bytes("who"), 60'000, 3, count);
  CHECK(station.until([&] { return answers.has_value(); }));
  CHECK(answers == 3);
  answers.reset();
  station.line->ask("ask", as_bytes("who"), 300, 100, count);
  CHECK(station.until([&] { return answers.has_value(); }));
  CHECK(answers == 3);
}

TEST_CASE("what comes for a question that is answered, or for a line that is gone, is not received") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  std::string asked_at;
  its.line->subscribe("ask", [&](const BusMessage& asked) {
    asked_at = asked.reply;
    its.line->publish(asked.reply, as_bytes("I"));
  });
  bool answered = false, heard = false;
  its.line->subscribe("after", [&](const BusMessage&) { heard = true; });
  its.line->ask("ask", {}, 60'000, 1, [&](const auto&) { answered = true; });
  REQUIRE(its.until([&] { return answered; }));
  auto other = std::make_unique<Station>(bus);
  other->line->subscribe("gone", [](const BusMessage&) {});
  other.reset();
  const std::uint64_t before = bus.counts().received;
  its.line->publish(asked_at, as_bytes("I, too"));
  its.line->publish("gone", as_bytes("late"));
  its.line->publish("after", {});  // comes after both
  CHECK(its.until([&] { return heard; }));
  CHECK(bus.counts().received == before + 1);
}

TEST_CASE("of two answers that come at once to a question for one, the second is passed over") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station asks(bus), answers(bus);
  REQUIRE(asks.connects());
  answers.line->subscribe("ask", [&](const BusMessage& asked) {
    for (const char* text : {"one", "two"}) answers.line->publish(asked.reply, as_bytes(text));
  });
  wait_for_subscription(asks, answers, "ask");
  std::vector<std::size_t> heard;
  const std::uint64_t before = bus.counts().received;
  asks.line->ask("ask", {}, 60'000, 1, [&](const auto& all) { heard.push_back(all.size()); });
  REQUIRE(answers.until([&] { return bus.counts().received >= before + 3; }));  // the question, too
  CHECK(asks.until([&] { return !heard.empty(); }));
  bool after = false;
  asks.line->subscribe("after", [&](const BusMessage&) { after = true; });
  asks.line->publish("after", {});
  CHECK(asks.until([&] { return after; }));
  CHECK(heard == std::vector<std::size_t>{1});
}

TEST_CASE("the time without a connection begins when it is lost, not when the process begins") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  const Millis later = steady_now() + 500;
  REQUIRE(its.until([&] { return steady_now() >= later; }));
  const Millis before = steady_now();
  server.kill();
  REQUIRE(its.until([&] { return bus.lost_for().has_value(); }));
  const Millis lost = bus.lost_for().value_or(0);
  CHECK(lost <= steady_now() - before);
}

TEST_CASE("a bucket: create once, update by revision, remove; a conflict returns the current entry") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  CHECK(its.order([&](auto done) { its.line->get("none", "a", done); }).how == BucketResult::How::kFailed);
  REQUIRE(its.open_bucket("leases").done());
  CHECK(its.open_bucket("leases").done());  // it exists already
  CHECK(its.order([&](auto done) { its.line->get("leases", "a", done); }).how == BucketResult::How::kMissing);
  const BucketResult created = its.order([&](auto done) { its.line->create("leases", "a", as_bytes("one"), done); });
  CHECK(created.done());
  const BucketResult again = its.order([&](auto done) { its.line->create("leases", "a", as_bytes("two"), done); });
  CHECK(again.how == BucketResult::How::kConflict);
  CHECK(as_text(again.entry.value) == "one");
  const std::uint64_t first = created.entry.revision;
  const BucketResult updated =
      its.order([&](auto done) { its.line->update("leases", "a", as_bytes("three"), first, done); });
  CHECK(updated.done());
  CHECK(updated.entry.revision > first);
  const BucketResult late =
      its.order([&](auto done) { its.line->update("leases", "a", as_bytes("four"), first, done); });
  CHECK(late.how == BucketResult::How::kConflict);
  CHECK(as_text(late.entry.value) == "three");
  CHECK(late.entry.revision == updated.entry.revision);
  const std::string too_large(4U << 20U, 'x');
  const BucketResult failed =
      its.order([&](auto done) { its.line->update("leases", "a", as_bytes(too_large), updated.entry.revision, done); });
  CHECK(failed.how == BucketResult::How::kFailed);  // nobody else was first
  CHECK(its.order([&](auto done) { its.line->remove("leases", "a", done); }).done());
  CHECK(its.order([&](auto done) { its.line->get("leases", "a", done); }).how == BucketResult::How::kMissing);
  CHECK(its.order([&](auto done) { its.line->create("leases", "a", as_bytes("five"), done); }).done());
}

TEST_CASE("a bucket that the server lost is created again with another revision") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  const BucketResult first = its.open_bucket("leases");
  REQUIRE(first.done());
  CHECK(its.open_bucket("leases").entry.revision == first.entry.revision);
  const auto put = [&] { return its.order([&](auto done) { its.line->put("leases", "a", as_bytes("1"), done); }); };
  CHECK(put().done());
  server.kill();
  CHECK(its.until([&] { return !its.line->connected(); }));
  server.start_empty();
  REQUIRE(its.connects());
  CHECK(!put().done());
  const BucketResult again = its.open_bucket("leases");
  CHECK(again.done());
  CHECK(again.entry.revision != first.entry.revision);
  CHECK(put().done());
}

/// How many threads of this process are called so.
int threads_called(const std::string& name) {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string its;
    std::getline(std::ifstream(task.path() / "comm"), its);
    count += its == name;
  }
  return count;
}

TEST_CASE("a watch gives the existing entries, then changes, and all entries again after an outage of the server") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  BucketOptions options;
  options.name = "bans";  // in a file, so that it survives the server
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
  CHECK(its.order([&](auto done) { its.line->get("bans", "b", done); }).how == BucketResult::How::kFailed);
  server.start();
  CHECK(its.connects());
  CHECK(its.until([&] { return complete == 2; }));
  CHECK(seen == std::map<std::string, std::string>{{"b", "2"}});
  its.line->unwatch(watch);
  CHECK(bus.counts().losses == 1);
  CHECK(bus.counts().connects == 2);
}

TEST_CASE("when a watch of a line ends, the other watches of the line go on") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  REQUIRE(its.open_bucket("bans").done());
  std::string heard;
  const auto first = its.line->watch("bans", ">", [](const BusEntry*) {});
  its.line->watch("bans", ">", [&](const BusEntry* entry) { heard = entry != nullptr ? entry->key : "complete"; });
  REQUIRE(its.until([&] { return heard == "complete"; }));
  its.line->unwatch(first);
  CHECK(its.until([&] { return threads_called("bus watch") == 1; }));
  CHECK(its.order([&](auto done) { its.line->put("bans", "a", as_bytes("1"), done); }).done());
  CHECK(its.until([&] { return heard == "a"; }));
}

TEST_CASE("a watch can begin after another one has ended, and one that has ended leaves no thread") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  REQUIRE(its.open_bucket("bans").done());
  for (int times = 0; times < 3; ++times) {
    bool complete = false;
    const auto watch = its.line->watch("bans", ">", [&](const BusEntry* entry) { complete |= entry == nullptr; });
    CHECK(its.until([&] { return complete; }));
    CHECK(threads_called("bus watch") == 1);
    its.line->unwatch(watch);
    CHECK(its.until([&] { return threads_called("bus watch") == 0; }));
  }
}

TEST_CASE("a line that is gone leaves no thread of its watches, and those of another line go on") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  REQUIRE(its.open_bucket("bans").done());
  int told = 0;
  its.line->watch("bans", ">", [&](const BusEntry* entry) { told += entry != nullptr ? 1 : 0; });
  std::optional<BusLine> other(std::in_place, bus, its.loop);
  for (int times = 0; times < 2; ++times) other->watch("bans", ">", [](const BusEntry*) {});
  CHECK(its.until([&] { return threads_called("bus watch") == 3; }));
  other.reset();
  CHECK(its.until([&] { return threads_called("bus watch") == 1; }));
  its.line->put("bans", "net", as_bytes("a"), [](const BucketResult&) {});
  CHECK(its.until([&] { return told == 1; }));
}

TEST_CASE("a watch that the machine has no thread for begins once there is one, and the bus tells of it once") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  BusOptions options = options_for(server);
  std::atomic<int> told{0};
  options.no_thread = [&](const std::string& what) { told += what.starts_with("the bucket bans is not watched: "); };
  Bus bus(options);
  Station its(bus);
  REQUIRE(its.connects());
  REQUIRE(its.open_bucket("bans").done());
  bool complete = false;
  net::no_thread_left() = true;
  its.line->unwatch(its.line->watch("bans", ">", [](const BusEntry*) { FAIL("it has ended"); }));
  const auto watch = its.line->watch("bans", ">", [&](const BusEntry* entry) { complete |= entry == nullptr; });
  CHECK(told == 1);
  CHECK(threads_called("bus watch") == 0);
  net::no_thread_left() = false;
  CHECK(its.until([&] { return complete; }));
  CHECK(threads_called("bus watch") == 1);
  CHECK(told == 1);
  its.line->unwatch(watch);
}

TEST_CASE("without a server, messages are dropped and counted, and subscriptions start once there is one") {
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

TEST_CASE("why a server refuses the account is told once, and again when it does so after a connection") {
  if (NatsServer::is_missing()) return;
  const std::vector<std::string> right = {"--user", "fleet", "--pass", "secret"};
  const std::vector<std::string> wrong = {"--user", "fleet", "--pass", "other"};
  NatsServer server(right);
  BusOptions options = options_for(server);
  options.user = "fleet";
  options.password = "secret";
  std::mutex mutex;
  std::vector<std::string> whys;  // since the connection was up
  options.told = [&](bool connected, const std::string& why) {
    const std::lock_guard lock(mutex);
    connected ? whys.clear() : whys.push_back(why);
  };
  const auto told = [&] {
    const std::lock_guard lock(mutex);
    return whys;
  };
  Bus bus(options);
  Station its(bus);
  for (int times = 0; times < 3; ++times) {
    CAPTURE(times);
    REQUIRE(its.connects());
    server.kill();
    server.start_with(wrong);
    CHECK(its.until([&] { return told().size() >= 2; }));
    const auto all = told();
    CHECK(all.front() == "the connection was lost");
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
    server.kill();
    server.start_with(right);
  }
}

TEST_CASE("a server that refuses the account again and again is tried until it accepts it") {
  if (NatsServer::is_missing()) return;
  const std::vector<std::string> right = {"--user", "fleet", "--pass", "secret"};
  NatsServer server(right);
  BusOptions options = options_for(server);
  options.user = "fleet";
  options.password = "secret";
  options.reconnect_first = 1;
  options.reconnect_last = 5;
  Bus bus(options);
  Station its(bus);
  REQUIRE(its.connects());
  server.kill();
  server.start_with({"--user", "fleet", "--pass", "other"});
  REQUIRE(server.log_has(" cid:20 - "));  // the number of a connection
  server.kill();
  server.start_with(right);
  CHECK(its.connects());
}

/// A server that answers only what a test has it answer. It waits 30 s at most.
class FalseServer {
 public:
  FalseServer() {
    const timeval patience{30, 0};
    REQUIRE(::setsockopt(listener_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    REQUIRE(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&at), length) == 0);
    REQUIRE(::listen(listener_.get(), 16) == 0);
    REQUIRE(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &length) == 0);
    options.servers = {"nats://127.0.0.1:" + std::to_string(ntohs(at.sin_port))};
    options.client = "test";
  }
  net::Fd accept() const {
    net::Fd connection(::accept(listener_.get(), nullptr, nullptr));
    REQUIRE(connection.get() >= 0);
    return connection;
  }
  /// Accepts the next connection and reads its CONNECT.
  net::Fd greet() const {
    constexpr std::string_view kInfo = "INFO {\"server_id\":\"test\",\"headers\":true,\"max_payload\":1048576}\r\n";
    net::Fd connection = accept();
    REQUIRE(::send(connection.get(), kInfo.data(), kInfo.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(kInfo.size()));
    std::string heard;
    for (char one = 0; !heard.ends_with("PING\r\n"); heard += one) REQUIRE(::recv(connection.get(), &one, 1, 0) == 1);
    return connection;
  }

  BusOptions options;

 private:
  const net::Fd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

TEST_CASE("a server that goes silent before it answers CONNECT is given up, and holds up no end of the bus") {
  FalseServer server;
  server.options.reconnect_first = server.options.reconnect_last = 10;
  std::mutex mutex;
  std::vector<std::string> told;
  server.options.told = [&](bool, const std::string& why) {
    const std::lock_guard lock(mutex);
    told.push_back(why);
  };
  std::optional<Bus> bus(server.options);
  const net::Fd silent = server.greet();
  const net::Fd next = server.greet();  // once that is given up
  {
    const std::lock_guard lock(mutex);
    REQUIRE(told.size() == 1);
    const bool said = told[0] == "NATS went silent before it answered CONNECT" || told[0] == "Timeout";  // libnats 3.8
    CHECK_MESSAGE(said, told[0]);
  }
  REQUIRE(::send(next.get(), "PONG\r\n", 6, MSG_NOSIGNAL) == 6);
  while (!bus->connected()) std::this_thread::yield();
  ::shutdown(next.get(), SHUT_RDWR);
  const net::Fd silent_later = server.greet();
  bus.reset();
}

/// Closes so many connections of a bus, which waits from `first` to `last` ms before each next one.
void refuse(int attempts, Millis first, Millis last) {
  FalseServer server;
  server.options.reconnect_first = first;
  server.options.reconnect_last = last;
  const Bus bus(server.options);
  for (int attempt = 0; attempt < attempts; ++attempt) server.accept();
}

TEST_CASE("a server that cannot be reached is tried after pauses that double") {
  const auto begun = std::chrono::steady_clock::now();
  refuse(6, 20, 10'000);
  // 20 + 40 + 80 + 160 + 320 ms, less what is lost by rounding.
  CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(600));
}

TEST_CASE("the pauses after which a server is tried again do not double without end") {
  refuse(17, 1, 2);  // without a limit, the last pause would be longer than the server waits
}

TEST_CASE("a stream stores messages, a message with the same id only once, and returns the last one of a subject") {
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

TEST_CASE("a stream is read by pattern, in order, in batches, and lists its subjects") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_for(server));
  Station its(bus);
  REQUIRE(its.connects());
  int done = 0;
  const auto stored = [&](const Outcome<std::uint64_t>& outcome) { done += outcome.ok() ? 1 : 0; };
  StreamOptions options;
  options.name = "rec";
  options.subjects = {"rec.*"};
  its.line->open_stream(options, stored);
  for (const char* subject : {"rec.a", "rec.b", "rec.a", "rec.a"})
    its.line->store(subject, as_bytes("12345"), "", stored);
  CHECK(its.until([&] { return done == 5; }));
  std::optional<Outcome<std::vector<BusMessage>>> read;
  const auto messages = [&](const char* subject, std::uint64_t from, std::size_t most,
                            Millis within = BusLine::kReadFor) {
    read.reset();
    its.line->read(
        "rec", subject, from, most, [&](auto outcome) { read = std::move(outcome); }, within);
    CHECK(its.until([&] { return read.has_value(); }));
    std::string numbers;
    if (read->ok())
      for (const BusMessage& one : **read) numbers += one.subject + "#" + std::to_string(one.number) + " ";
    return numbers;
  };
  CHECK(messages("rec.a", 1, 10'000) == "rec.a#1 rec.a#3 rec.a#4 ");
  CHECK(messages("rec.a", 2, 1) == "rec.a#3 ");
  CHECK(messages("rec.a", 1, 10'000, 0) == "rec.a#1 ");  // no time: returns at least one
  CHECK(messages("rec.*", 2, 10'000) == "rec.b#2 rec.a#3 rec.a#4 ");
  CHECK(messages("rec.a", 5, 10'000).empty());
  CHECK(messages("rec.c", 1, 10'000).empty());
  CHECK(read->ok());
  std::optional<Outcome<std::vector<std::string>>> subjects;
  its.line->subjects("rec", "rec.*", [&](auto outcome) { subjects = std::move(outcome); });
  CHECK(its.until([&] { return subjects.has_value(); }));
  REQUIRE(subjects->ok());
  std::sort((*subjects)->begin(), (*subjects)->end());
  CHECK(**subjects == std::vector<std::string>{"rec.a", "rec.b"});
}

/// A line, and one for which at most so many bytes may wait.
struct Limited {
  explicit Limited(std::size_t most_waiting) : slow(options(server, most_waiting)) {
    REQUIRE(from.connects());
    REQUIRE(to.connects());
  }
  static BusOptions options(const NatsServer& server, std::size_t most_waiting) {
    BusOptions small = options_for(server);
    small.most_waiting = most_waiting;
    return small;
  }
  NatsServer server;
  Bus bus{options_for(server)}, slow;
  Station from{bus}, to{slow};
};

TEST_CASE("a line that is not read receives a bounded number of bytes; the rest is counted") {
  if (NatsServer::is_missing()) return;
  Limited its(100'000);
  std::size_t heard = 0;
  its.to.line->subscribe("flood", [&](const BusMessage& message) { heard += message.bytes.size(); });
  wait_for_subscription(its.from, its.to, "flood");
  const Buffer big(10'000);
  for (int i = 0; i < 100; ++i) its.from.line->publish("flood", big);
  CHECK(its.from.until([&] { return its.slow.counts().received_bytes >= 1'000'000; }));
  CHECK(its.to.until([&] { return heard > 0; }));
  CHECK(heard <= 100'000);
  CHECK(its.slow.counts().dropped_in >= 90);
}

TEST_CASE("what a line has read makes room for more") {
  if (NatsServer::is_missing()) return;
  Limited its(100'000);
  std::size_t heard = 0;
  its.to.line->subscribe("news", [&](const BusMessage& message) { heard += message.bytes.size(); });
  wait_for_subscription(its.from, its.to, "news");
  const Buffer big(10'000);
  for (std::size_t i = 1; i <= 30; ++i) {
    its.from.line->publish("news", big);
    REQUIRE(its.to.until([&] { return heard == i * big.size(); }));
  }
  CHECK(its.slow.counts().dropped_in == 0);
}

TEST_CASE("a line that reads late has the newest entries of a watched bucket, however often they changed meanwhile") {
  if (NatsServer::is_missing()) return;
  Limited its(40'000);
  REQUIRE(its.from.open_bucket("bans").done());
  std::map<std::string, std::string> seen;
  bool complete = false;
  const auto watch = its.to.line->watch("bans", ">", [&](const BusEntry* entry) {
    complete |= entry == nullptr;
    if (entry != nullptr) seen[entry->key] = as_text(entry->value);
  });
  REQUIRE(its.to.until([&] { return complete; }));
  std::map<std::string, std::string> last;
  for (int i = 0; i < 30; ++i)  // more than may wait; it reads nothing of it yet
    for (const std::string key : {"a", "b"}) {
      last[key] = std::string(10'000, static_cast<char>('0' + i));
      REQUIRE(its.from.order([&](auto done) { its.from.line->put("bans", key, as_bytes(last[key]), done); }).done());
    }
  CHECK(its.to.until([&] { return seen == last; }));
  its.to.line->unwatch(watch);
}

TEST_CASE("a password: the right one connects, a wrong one does not, and it can be corrected") {
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

TEST_CASE(
    "TLS: the server's certificate must be from the configured authority, and the server may require the client's") {
  if (NatsServer::is_missing()) return;
  const Certificate certificate, other;
  const std::string& file = certificate.file();
  NatsServer server({"--tls", "--tlscert", file, "--tlskey", file, "--tlsverify", "--tlscacert", file});
  BusOptions options = options_for(server);
  CHECK(options.servers[0].starts_with("tls://"));
  const auto fails = [&] {
    Bus bus(options);
    Station its(bus);
    CHECK(its.until([&] { return !bus.last_error().empty(); }));
    return !bus.connected();
  };
  options.certificate_file = options.key_file = file;
  options.ca_file = other.file();
  CHECK(fails());
  options.ca_file = file;
  options.certificate_file = options.key_file = "";
  CHECK(fails());
  options.certificate_file = options.key_file = file;
  Bus bus(options);
  Station its(bus);
  CHECK(its.connects());
}

TEST_CASE("a bus that closes does not wait for all orders that JetStream does not answer") {
  if (NatsServer::is_missing()) return;
  std::string pattern = (std::filesystem::temp_directory_path() / "entente-permissions-XXXXXX").string();
  const std::string folder = ::mkdtemp(pattern.data());
  std::ofstream(folder + "/nats.conf") << R"(authorization { users = [ { user: fleet, password: secret,
    permissions: { publish: { deny: ["$JS.API.>", "$KV.>"] } } } ] })";
  {
    NatsServer server({"-c", folder + "/nats.conf"});
    BusOptions options = options_for(server);
    options.user = "fleet";
    options.password = "secret";
    std::optional<Bus> bus(std::in_place, options);
    {
      Station its(*bus);
      REQUIRE(its.connects());
      for (int i = 0; i < 20; ++i) its.line->update("leases", "a", as_bytes("1"), 1, [](const BucketResult&) {});
    }
    const auto begun = std::chrono::steady_clock::now();
    bus.reset();
    // An order takes 2 s at least: all of them 40 s, the one under way 6 s at most.
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("orders of a patient line that JetStream does not answer hold up no order of a prompt line") {
  if (NatsServer::is_missing()) return;
  std::string pattern = (std::filesystem::temp_directory_path() / "entente-permissions-XXXXXX").string();
  const std::string folder = ::mkdtemp(pattern.data());
  std::ofstream(folder + "/nats.conf") << R"(authorization { users = [ { user: fleet, password: secret,
    permissions: { publish: { deny: ["$KV.bans.>"] } } } ] })";
  {
    NatsServer server({"-c", folder + "/nats.conf"});
    BusOptions options = options_for(server);
    options.user = "fleet";
    options.password = "secret";
    Bus bus(options);
    Station its(bus);
    BusLine patient(bus, its.loop, BusLine::Orders::kPatient);
    REQUIRE(its.connects());
    for (const char* name : {"bans", "leases"}) REQUIRE(its.open_bucket(name).done());
    constexpr int kOrders = 10;  // each takes 2 s
    int failed = 0;
    for (int i = 0; i < kOrders; ++i)
      patient.put("bans", "a", as_bytes("1"), [&](const BucketResult& result) { failed += result.done() ? 0 : 1; });
    CHECK(its.order([&](auto done) { its.line->put("leases", "a", as_bytes("1"), done); }).done());
    CHECK(failed < kOrders / 2);
    CHECK(its.until([&] { return failed != 0; }));
  }
  std::filesystem::remove_all(folder);
}

// An operator, two accounts and a user that were made for this test: JWTs (ed25519-nkey of nats.io) and the seed of the
// user.
constexpr const char* kOperator =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9CNFRXSkE1Tk0zTDJESkg1Q0lWV"
    "VZIUjJIVlNYWlNOWkFaUjQ2N1A2R1JJTTRSQUU1UFVVTTVKIiwibmFtZSI6Ik8iLCJzdWIiOiJPQjRUV0pBNU5NM0wyREpINUNJVlVWSFIyS"
    "FZTWFpTTlpBWlI0NjdQNkdSSU00UkFFNVBVVU01SiIsIm5hdHMiOnsidHlwZSI6Im9wZXJhdG9yIiwidmVyc2lvbiI6Mn0sImp0aSI6IlJBS"
    "jY2STJIRUZXSFA0QlY3QU0zU1ozV1c0NVZFQURRRkxRRFI3Nk1JRUxVS0NIN1BBWUEifQ.HgcJqEtiOjcPhILgtrngzvsLVhudzRYF6un6bR"
    "qjceEoqC2jRrm7c6sTsQfi1owDjgKoQrnfl8rpdC6kbV-8CA";
constexpr const char* kAccount = "ADVODSDZHNKZPRFT6SIOO2WDCFZMIOLJB6HOCQKCXOCRUYPZUSPQ5PE6";
constexpr const char* kAccountToken =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9CNFRXSkE1Tk0zTDJESkg1Q0lWV"
    "VZIUjJIVlNYWlNOWkFaUjQ2N1A2R1JJTTRSQUU1UFVVTTVKIiwibmFtZSI6IkEiLCJzdWIiOiJBRFZPRFNEWkhOS1pQUkZUNlNJT08yV0RDR"
    "lpNSU9MSkI2SE9DUUtDWE9DUlVZUFpVU1BRNVBFNiIsIm5hdHMiOnsibGltaXRzIjp7InN1YnMiOi0xLCJkYXRhIjotMSwicGF5bG9hZCI6L"
    "TEsImltcG9ydHMiOi0xLCJleHBvcnRzIjotMSwid2lsZGNhcmRzIjp0cnVlLCJjb25uIjotMSwibGVhZiI6LTEsIm1lbV9zdG9yYWdlIjotM"
    "SwiZGlza19zdG9yYWdlIjotMSwic3RyZWFtcyI6LTEsImNvbnN1bWVyIjotMX0sImRlZmF1bHRfcGVybWlzc2lvbnMiOnsicHViIjp7fSwic"
    "3ViIjp7fX0sInR5cGUiOiJhY2NvdW50IiwidmVyc2lvbiI6Mn0sImp0aSI6IjVPMzMzQ1ZFSkNER0k2V1lBTUFWN1ZYQ0tFS1JUTEJYVlpKT"
    "UtER0hYV0UyQkFLRDRTSEEifQ.8NYOk4JEllpMuaEr88XzNx6dgirmT3ktF_btZsl_B8pYw6PU3yqbUsVSMehFXEyQzHUcTzoksz_Ff3Xlgk"
    "-XBg";
constexpr const char* kSystem = "ABXN7JFHHV7CU4PGD65YBKXW4V4KTR56O6JYFRWX7SM6BBSABSBQ6LH2";
constexpr const char* kSystemToken =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9CNFRXSkE1Tk0zTDJESkg1Q0lWV"
    "VZIUjJIVlNYWlNOWkFaUjQ2N1A2R1JJTTRSQUU1UFVVTTVKIiwibmFtZSI6IlNZUyIsInN1YiI6IkFCWE43SkZISFY3Q1U0UEdENjVZQktYV"
    "zRWNEtUUjU2TzZKWUZSV1g3U002QkJTQUJTQlE2TEgyIiwibmF0cyI6eyJsaW1pdHMiOnsic3VicyI6LTEsImRhdGEiOi0xLCJwYXlsb2FkI"
    "jotMSwiaW1wb3J0cyI6LTEsImV4cG9ydHMiOi0xLCJ3aWxkY2FyZHMiOnRydWUsImNvbm4iOi0xLCJsZWFmIjotMSwibWVtX3N0b3JhZ2UiO"
    "jAsImRpc2tfc3RvcmFnZSI6MCwic3RyZWFtcyI6MCwiY29uc3VtZXIiOjB9LCJkZWZhdWx0X3Blcm1pc3Npb25zIjp7InB1YiI6e30sInN1Y"
    "iI6e319LCJ0eXBlIjoiYWNjb3VudCIsInZlcnNpb24iOjJ9LCJqdGkiOiJIRjZDUk9TNFZTQTNPTExGVTJXUVRZWjJKUExPWEZVMzJCSEdSQ"
    "UZXWDZKVkZEVExaWVFRIn0.gTUmf7hNK6nC4KnXi1Nlph5wxa170DND0R-6GgQEXpRmxYlCwInFka5v34vds__5Q3QR_K_bTghSLLWQCqnZB"
    "w";
constexpr const char* kUserToken =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6IkFEVk9EU0RaSE5LWlBSRlQ2U0lPT"
    "zJXRENGWk1JT0xKQjZIT0NRS0NYT0NSVVlQWlVTUFE1UEU2IiwibmFtZSI6IlUiLCJzdWIiOiJVRE40VFMzNjJXN0gzQUI0NjdRN0pMTlNWW"
    "lBSMlo2N1M2MkxLVUlRWjJZSlJPWE02VFBCWFY2QyIsIm5hdHMiOnsicHViIjp7fSwic3ViIjp7fSwic3VicyI6LTEsImRhdGEiOi0xLCJwY"
    "Xlsb2FkIjotMSwidHlwZSI6InVzZXIiLCJ2ZXJzaW9uIjoyfSwianRpIjoiUFY0SjY0NzVIRkFDTVlIUklVVURYU0dJVjJHRjJNVU9VREozR"
    "kJGWkMyRkg3U0k1QkdMQSJ9.XOeMWrh9F_HKgIR4xYs9Wyqw03w1NFCsbg16_vEs-DXglNPmCfksaXG4kH1g_uqjpJjS5_uZ5OcFYj_9uWt9"
    "AA";
constexpr const char* kUserSeed = "SUAAX7UTLZYMGIOHZI5PY5OOBUGKF6MLKQROACF3GHAAY3L7D4OAVVTTMI";

TEST_CASE("a credentials file as nsc writes it: a JWT, and the seed that signs the server's challenge") {
  if (NatsServer::is_missing()) return;
  std::string pattern = (std::filesystem::temp_directory_path() / "entente-credentials-XXXXXX").string();
  const std::string folder = ::mkdtemp(pattern.data());
  std::ofstream(folder + "/nats.conf") << "operator: " << kOperator << "\nresolver: MEMORY\nsystem_account: " << kSystem
                                       << "\nresolver_preload: { " << kSystem << ": " << kSystemToken << ", "
                                       << kAccount << ": " << kAccountToken << " }\n";
  const auto credentials = [&](const std::string& seed) {
    std::ofstream(folder + "/user.creds")
        << "-----BEGIN NATS USER JWT-----\n"
        << kUserToken << "\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n"
        << seed << "\n------END USER NKEY SEED------\n";
  };
  {
    NatsServer server({"-c", folder + "/nats.conf"});
    BusOptions options = options_for(server);
    options.credentials_file = folder + "/user.creds";
    std::string other = kUserSeed;
    other[20] = other[20] == 'A' ? 'B' : 'A';
    credentials(other);
    {
      Bus bus(options);
      Station its(bus);
      CHECK(its.until([&] { return !bus.last_error().empty(); }));
      CHECK(!bus.connected());
    }
    credentials(kUserSeed);
    Bus bus(options);
    Station its(bus);
    CHECK(its.connects());
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a connection that would send secrets unencrypted is refused") {
  for (const char* good : {"nats://127.0.0.1:4222", "nats://127.9.9.9", "nats://localhost:4222", "nats://[::1]:4222",
                           "nats://localhost/", "tls://nats.example.org:4222", "tls://10.0.0.1:4222"})
    CHECK_MESSAGE(!objection_to_server(good), good);
  for (const char* bad :
       {"nats://10.0.0.1:4222", "nats://nats.example.org", "nats://127.0.0.1.example.org:4222",
        "nats://user:secret@127.0.0.1:4222", "http://127.0.0.1", "127.0.0.1:4222", "nats://", "tls://:4222",
        "tls:///path", "tls://user:secret@nats.example.org:4222", "nats://[2001:db8::1]:4222"})
    CHECK_MESSAGE(objection_to_server(bad), bad);
}

}  // namespace
}  // namespace entente::fleet::bus_test
