// How the bus makes buckets and streams, and what it reads of them at their edges.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proxy/fleet/bus.h"
#include "tests/fleet/station.h"
#include "tests/program/folder.h"
#include "tests/support/nats_server.h"

namespace entente::fleet::bus_streams_test {
namespace {

using testing::Station;

BusOptions options_to(const NatsServer& server) {
  BusOptions options;
  options.servers = {server.url()};
  options.client = "test";
  return options;
}

/// What the server says of a stream, as JSON.
std::string info_of(Station& its, const std::string& stream) {
  std::string info;
  its.line->ask("$JS.API.STREAM.INFO." + stream, {}, 20'000, 1, [&](const std::vector<BusMessage>& answers) {
    if (!answers.empty()) info = as_text(answers.front().bytes);
  });
  REQUIRE(its.until([&] { return !info.empty(); }));
  return info;
}

void check_has(const std::string& info, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) CHECK_MESSAGE(info.find(part) != std::string::npos, (part + " in " + info));
}

bool is_open(Station& its, const StreamOptions& options) {
  std::optional<bool> done;
  its.line->open_stream(options, [&](const Outcome<std::uint64_t>& outcome) { done = outcome.ok(); });
  REQUIRE(its.until([&] { return done.has_value(); }));
  return *done;
}

TEST_CASE("a bucket keeps its entries as its options say") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  Bus bus(options_to(server));
  Station its(bus);
  REQUIRE(its.connects());
  BucketOptions options;
  options.name = "one";
  options.keep = 70'000;
  options.history = 3;
  options.most_bytes = 5'000'000;
  options.in_memory = true;
  REQUIRE(its.order([&](auto done) { its.line->open_bucket(options, done); }).done());
  check_has(info_of(its, "KV_one"), {"\"max_age\":70000000000,", "\"max_msgs_per_subject\":3,",
                                     "\"max_bytes\":5000000,", "\"storage\":\"memory\"", "\"num_replicas\":1,"});
  BucketOptions usual;
  usual.name = "other";
  REQUIRE(its.order([&](auto done) { its.line->open_bucket(usual, done); }).done());
  check_has(info_of(its, "KV_other"),
            {"\"max_age\":0,", "\"max_msgs_per_subject\":1,", "\"max_bytes\":268435456,", "\"storage\":\"file\""});
}

TEST_CASE("a stream keeps its messages as its options say; one that is there stays as it is") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  Bus bus(options_to(server));
  Station its(bus);
  REQUIRE(its.connects());
  StreamOptions options;
  options.name = "one";
  options.subjects = {"one.*", "first.*"};
  options.keep = 70'000;
  options.most_per_subject = 3;
  options.most_bytes = 5'000'000;
  options.in_memory = true;
  REQUIRE(is_open(its, options));
  const std::vector<std::string> made = {"\"one.*\"",
                                         "\"first.*\"",
                                         "\"max_age\":70000000000,",
                                         "\"max_msgs_per_subject\":3,",
                                         "\"max_bytes\":5000000,",
                                         "\"storage\":\"memory\"",
                                         "\"allow_direct\":true"};
  check_has(info_of(its, "one"), made);
  options.keep = 80'000;
  options.most_bytes = 0;
  CHECK(is_open(its, options));
  check_has(info_of(its, "one"), made);
  StreamOptions usual;
  usual.name = "other";
  usual.subjects = {"other.*"};
  REQUIRE(is_open(its, usual));
  check_has(info_of(its, "other"),
            {"\"max_age\":0,", "\"max_msgs_per_subject\":-1,", "\"max_bytes\":-1,", "\"storage\":\"file\""});
  usual.name = "third";  // of the same subjects
  CHECK_FALSE(is_open(its, usual));
}

TEST_CASE("an empty stream has no subjects and no messages, and one that is not there fails") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  Bus bus(options_to(server));
  Station its(bus);
  REQUIRE(its.connects());
  StreamOptions options;
  options.name = "one";
  options.subjects = {"one.*"};
  REQUIRE(is_open(its, options));
  for (const std::string stream : {"one", "none"}) {
    CAPTURE(stream);
    std::optional<Outcome<std::vector<std::string>>> subjects;
    std::optional<Outcome<std::vector<BusMessage>>> read;
    std::optional<Outcome<std::optional<BusMessage>>> last;
    its.line->subjects(stream, "one.*", [&](auto outcome) { subjects = outcome; });
    its.line->read(stream, "one.*", 0, 1'000, [&](auto outcome) { read = outcome; });
    its.line->last(stream, "one.a", [&](auto outcome) { last = outcome; });
    REQUIRE(its.until([&] { return subjects && read && last; }));
    const bool is_there = stream == "one";
    REQUIRE(subjects->ok() == is_there);
    CHECK(read->ok() == is_there);
    if (!is_there) continue;
    CHECK((*subjects)->empty());
    CHECK((*read)->empty());
    REQUIRE(last->ok());
    CHECK_FALSE((*last)->has_value());
  }
}

TEST_CASE("a stream is read up to the size that was asked for, and from its first message on") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  Bus bus(options_to(server));
  Station its(bus);
  REQUIRE(its.connects());
  StreamOptions options;
  options.name = "one";
  options.subjects = {"one.*"};
  REQUIRE(is_open(its, options));
  const Buffer large(1'000);
  int stored = 0;
  for (int i = 0; i < 5; ++i)
    its.line->store("one.a", large, "", [&](const Outcome<std::uint64_t>& outcome) { stored += outcome.ok() ? 1 : 0; });
  REQUIRE(its.until([&] { return stored == 5; }));
  const auto read = [&](std::uint64_t from, std::size_t most) {
    std::optional<Outcome<std::vector<BusMessage>>> answer;
    its.line->read(
        "one", "one.a", from, most, [&](auto outcome) { answer = outcome; }, 20'000);
    REQUIRE(its.until([&] { return answer.has_value(); }));
    REQUIRE(answer->ok());
    return (*answer)->size();
  };
  CHECK(read(0, 100'000) == 5);
  CHECK(read(1, 2'500) < 4);  // the last one may go beyond it
  CHECK(read(1, 2'500) > 1);
  CHECK(read(5, 100'000) == 1);
  CHECK(read(6, 100'000) == 0);
}

TEST_CASE("a stream with more copies than there are servers is not made") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  Bus bus(options_to(server));
  Station its(bus);
  REQUIRE(its.connects());
  StreamOptions options;
  options.name = "one";
  options.subjects = {"one.*"};
  options.replicas = 3;
  CHECK_FALSE(is_open(its, options));
  options.replicas = 1;
  CHECK(is_open(its, options));
}

TEST_CASE("a watch gives the entries whose keys it asks for") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  Bus bus(options_to(server));
  Station its(bus);
  REQUIRE(its.connects());
  REQUIRE(its.open_bucket("one").done());
  std::vector<std::string> keys;
  bool complete = false;
  const auto put = [&](const std::string& key) {
    REQUIRE(its.order([&](auto done) { its.line->put("one", key, as_bytes("1"), done); }).done());
  };
  for (const char* key : {"net.a", "access.a"}) put(key);
  const auto watch = its.line->watch("one", "net.>", [&](const BusEntry* entry) {
    complete |= entry == nullptr;
    if (entry != nullptr) keys.push_back(entry->key);
  });
  REQUIRE(its.until([&] { return complete; }));
  for (const char* key : {"access.b", "net.b"}) put(key);
  CHECK(its.until([&] { return keys.size() == 2; }));
  CHECK(keys == std::vector<std::string>{"net.a", "net.b"});
  its.line->unwatch(watch);
}

TEST_CASE("why an order has failed is said to people: without a connection, and if a server refuses it") {
  if (NatsServer::is_missing()) return;
  NatsServer server;
  Bus bus(options_to(server));
  Station its(bus);
  REQUIRE(its.connects());
  const auto why_not_stored = [&] {
    std::optional<std::string> why;
    its.line->store("nowhere", {}, "", [&](const auto& stored) { why = stored.ok() ? "" : stored.error().text; });
    REQUIRE(its.until([&] { return why.has_value(); }));
    return *why;
  };
  const auto why_not_got = [&] { return its.order([&](auto done) { its.line->get("none", "a", done); }).why; };
  CHECK_FALSE(why_not_stored().empty());
  CHECK(why_not_got() == "cannot open the bucket none");
  const auto put = [&](auto done) { its.line->put("none", "a", as_bytes("1"), done); };
  CHECK(its.order(put).why == "cannot open the bucket none");
  CHECK(its.order([&](auto done) { its.line->remove("none", "a", done); }).why == "cannot open the bucket none");
  server.kill();
  REQUIRE(its.until([&] { return !its.line->connected(); }));
  CHECK_FALSE(bus.last_error().empty());
  CHECK(why_not_stored() == "there is no connection to NATS");
  CHECK(why_not_got() == "there is no connection to NATS");
  server.start();
  REQUIRE(its.connects());
  CHECK(bus.last_error().empty());
}

TEST_CASE("what is larger than all that may wait is dropped at once, and counted; an order says so") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  BusOptions options = options_to(server);
  options.most_waiting = 10'000;
  Bus bus(options);
  Station its(bus);
  REQUIRE(its.connects());
  REQUIRE(its.open_bucket("one").done());
  const Buffer large(10'000), small(9'000);
  CHECK_FALSE(its.line->publish("a", large));
  CHECK(bus.counts().dropped_out == 1);
  CHECK(its.line->publish("a", small));
  const BucketResult put = its.order([&](auto done) { its.line->put("one", "a", large, done); });
  CHECK(put.how == BucketResult::How::kFailed);
  CHECK(put.why == "too much waits for NATS");
  CHECK(its.order([&](auto done) { its.line->put("one", "a", small, done); }).done());
  std::optional<std::string> why;
  its.line->store("nowhere", large, "", [&](const auto& stored) { why = stored.ok() ? "" : stored.error().text; });
  CHECK(its.until([&] { return why.has_value(); }));
  CHECK(why == "too much waits for NATS");
}

TEST_CASE("who hears a message may end its own subscription, and a watch itself") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  Bus bus(options_to(server));
  Station its(bus);
  REQUIRE(its.connects());
  REQUIRE(its.open_bucket("one").done());
  std::vector<std::string> heard;
  BusLine::SubscriptionId first = 0, watch = 0;
  const std::string name = "the first one, whose name is long";
  first = its.line->subscribe("a", [&, name](const BusMessage&) {
    its.line->unsubscribe(first);
    heard.push_back(name);
  });
  its.line->subscribe("b", [&](const BusMessage&) { heard.emplace_back("b"); });
  for (const char* subject : {"a", "a", "b"}) its.line->publish(subject, {});
  CHECK(its.until([&] { return !heard.empty() && heard.back() == "b"; }));
  CHECK(heard == std::vector<std::string>{name, "b"});
  heard.clear();
  watch = its.line->watch("one", ">", [&, name](const BusEntry*) {
    its.line->unwatch(watch);
    heard.push_back(name);
  });
  CHECK(its.until([&] { return !heard.empty(); }));
}

TEST_CASE("a server that stops answering is noticed, and that the bus is closed is no loss") {
  if (NatsServer::is_missing()) return;
  const NatsServer server;
  BusOptions options = options_to(server);
  std::atomic<int> up{0}, down{0};
  options.told = [&](bool connected, const std::string&) { ++(connected ? up : down); };
  {
    const Bus bus(options);
    const auto end = steady_now() + 30'000;
    while (!bus.connected() && steady_now() < end) std::this_thread::yield();
  }
  CHECK(up == 1);
  CHECK(down == 0);
  Bus bus(options);
  Station its(bus);
  REQUIRE(its.connects());
  server.freeze();
  CHECK(its.until([&] { return !its.line->connected(); }));
  server.thaw();
  CHECK(its.connects());
}

TEST_CASE("the bus tells of a hundred refusals, and counts all") {
  if (NatsServer::is_missing()) return;
  const Folder folder;
  const NatsServer server({"-c", folder.write("nats.conf",
                                              "authorization { users = [ { user: a, password: a, "
                                              "permissions: { publish: { deny: [\"no.>\"] } } } ] }")});
  BusOptions options = options_to(server);
  options.user = options.password = "a";
  std::atomic<int> told{0};
  options.refused = [&](const std::string&) { ++told; };
  Bus bus(options);
  Station its(bus);
  REQUIRE(its.connects());
  constexpr std::uint64_t kSubjects = 120;
  for (std::uint64_t i = 0; i < kSubjects; ++i) its.line->publish("no." + std::to_string(i), {});
  CHECK(its.until([&] { return bus.counts().refused == kSubjects; }));
  CHECK(told == 100);
}

}  // namespace
}  // namespace entente::fleet::bus_streams_test
