// A broadcast by HTTP: each document is written once and never early, and has its caching time.
#include "proxy/program/watch/live_documents.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "proxy/program/bounds.h"
#include "proxy/program/watch/watch_room.h"
#include "tests/program/set_clock.h"
#include "tests/support/heap.h"

namespace entente::live_documents_test {
namespace {

using core::kSecond;

constexpr std::uint64_t kUnixMicros = 2'000'000 * std::uint64_t{1'000};  // the broadcast begins with fragment 1000

struct Live {
  Live() : view(broadcast->view(core::See::kPublic, 4 * kSecond)), documents(view) {
    source_id = broadcast->begin();
    words::Player player;
    player.set_id(1);
    player.set_name("anna");
    tell(player);
    tell(words::Ready());
  }
  void tell(core::Fact fact) {
    fact.at = (nanos - 1) / 1000;
    world.fold(fact);
    broadcast->tell(source_id, fact, nanos);
    if (world.ready() && broadcast->owes_world(source_id, nanos)) broadcast->tell(source_id, world, fact.at, nanos);
  }
  /// Advances the time. Each second has a chat message "1", "2", …
  void pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      nanos += 1'000'000'000;
      words::Said said;
      said.set_text(std::to_string(++said_));
      tell(said);
    }
  }
  net::HttpReply get(std::string_view name, const std::string& known = "") { return ask("GET", name, known); }
  net::HttpReply ask(const std::string& method, std::string_view name, const std::string& known = "") {
    net::HttpHead request{method, "/" + std::string(name), 0, false, {}};
    if (!known.empty()) request.headers.push_back({"If-None-Match", known});
    const auto reply = documents.answer(request, name);
    REQUIRE(reply);
    return *reply;
  }
  static std::string header(const net::HttpReply& reply, std::string_view name) {
    const auto found = std::find_if(reply.headers.begin(), reply.headers.end(),
                                    [&](const net::HttpHeader& one) { return one.name == name; });
    return found != reply.headers.end() ? found->value : "";
  }

  std::uint64_t nanos = 1;
  int said_ = 0;
  std::shared_ptr<relay::Broadcast> broadcast =
      std::make_shared<relay::Broadcast>([this] { return nanos; }, kUnixMicros);
  std::shared_ptr<relay::LiveView> view;
  LiveDocuments documents;
  std::uint64_t source_id = 0;
  core::WorldState world;
};

/// The number in a start document.
std::uint64_t fragment_of(const net::HttpReply& reply) {
  REQUIRE(reply.status == 200);
  return std::stoull(reply.body->substr(reply.body->find(':') + 1));
}

TEST_CASE("a fragment is available once it is over and its delay has passed, and caches may keep it") {
  Live live;
  CHECK(live.get("live").status == 503);
  CHECK(live.get("live/1000").status == 404);
  live.pass(5);
  CHECK(live.get("live/1000").status == 404);
  live.pass(1);
  const net::HttpReply first = live.get("live/1000");
  REQUIRE(first.status == 200);
  CHECK(*first.body ==
        "{\"fragment\":1000,\"begins_us\":0,\"facts\":[\n{\"at_us\":\"1000000\",\"said\":{\"text\":\"1\"}}]}\n");
  CHECK(Live::header(first, "Cache-Control") == "public, max-age=86400, immutable");
  const net::HttpReply early = live.get("live/1001");
  CHECK(early.status == 404);
  CHECK(Live::header(early, "Retry-After") == "1");
  CHECK(Live::header(early, "Cache-Control") == "public, max-age=1");
  CHECK(Live::header(live.get("live/1003"), "Retry-After") == "6");
  live.pass(600);
  CHECK(*live.get("live/1001").body ==
        "{\"fragment\":1001,\"begins_us\":2000000,\"facts\":[\n{\"at_us\":\"2000000\",\"said\":{\"text\":\"2\"}},\n"
        "{\"at_us\":\"3000000\",\"said\":{\"text\":\"3\"}}]}\n");
  live.pass(60);
  CHECK(live.get("live/1001").status == 404);
  CHECK(live.get("live/999").status == 404);
}

TEST_CASE("the start document has the world, and the number of the fragment that continues it") {
  Live live;
  live.pass(20);
  const net::HttpReply start = live.get("live");
  REQUIRE(start.status == 200);
  CHECK(start.body->starts_with(
      "{\"fragment\":1007,\"begins_us\":14000000,\"fragment_us\":2000000,\"delay_us\":4000000,\"facts\":[\n"));
  CHECK(start.body->find("\"name\":\"anna\"") != std::string::npos);
  CHECK(start.body->ends_with("\"ready\":{}}]}\n"));
  CHECK(Live::header(start, "Cache-Control") == "public, max-age=1");
  CHECK(*live.get("live/1007/start").body == *start.body);
  CHECK(Live::header(live.get("live/1003/start"), "Cache-Control") == "public, max-age=86400, immutable");
  CHECK(live.get("live/1008/start").status == 404);
}

TEST_CASE("each document is written once, and not sent again to a client that has it") {
  Live live;
  live.pass(20);
  const std::string tag = Live::header(live.get("live/1002"), "ETag");
  for (int i = 0; i < 10; ++i) CHECK(live.get("live/1002").status == 200);
  CHECK(live.documents.written() == 1);
  CHECK(live.get("live/1002", tag).status == 304);
  CHECK(live.get("live/1003", tag).status == 200);
  CHECK(live.documents.written() == 2);
  CHECK(live.get("live/1004/start", "\"1004s\"").status == 304);
  CHECK(live.documents.written() == 2);
}

TEST_CASE("however many old documents are asked for, few are written, and the newest ones are always there") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1} << 20U}) {
    CAPTURE(size);
    Live live;
    words::Player large;
    large.set_id(2);
    large.set_name(std::string(size, 'x'));
    live.tell(large);
    live.pass(220);
    const std::uint64_t newest = fragment_of(live.get("live"));
    REQUIRE(newest == 1107);
    const auto ask_for_all = [&] {
      std::uint64_t refused = 0;
      for (std::uint64_t number = 1000; number < newest; ++number) {
        const net::HttpReply reply = live.ask("HEAD", "live/" + std::to_string(number) + "/start");
        if (reply.status == 200) continue;
        ++refused;
        CHECK(reply.status == 503);
        CHECK(Live::header(reply, "Retry-After") == "1");
        CHECK(Live::header(reply, "Cache-Control") == "public, max-age=1");
      }
      return refused;
    };
    const std::size_t most = LiveDocuments::kStartsAtOnce / (1 + size / (128 * 1024)) + 2;
    for (int i = 0; i < 3; ++i) CHECK(ask_for_all() >= newest - 1000 - most);
    CHECK(live.documents.written() <= most);
    const std::uint64_t written = live.documents.written();
    CHECK(live.get("live").status == 200);
    CHECK(live.get("live/" + std::to_string(newest)).status == 200);
    CHECK(live.get("live/1000").status == 200);  // fragments have a rate of their own
    CHECK(live.documents.written() == written + 2);
    live.pass(2);
    CHECK(live.get("live").status == 200);
    CHECK(live.get("live/1000/start").status == 200);
    CHECK(ask_for_all() < newest - 1000);
    CHECK(live.documents.written() <= 2 * most);
  }
}

TEST_CASE("large old fragments are written at a limited rate, and take at most the memory of their bound") {
  Live live;
  for (int i = 0; i < 80; ++i) {
    words::Said said;
    said.set_text(std::string(600'000, 'x'));
    live.tell(said);
    live.pass(2);
  }
  const Bound* const bound = find_bound("documents");
  REQUIRE(bound != nullptr);
  const std::uint64_t newest = fragment_of(live.get("live"));
  const std::size_t before = testing::bytes_in_use();
  for (int i = 0; i < 3; ++i)
    for (std::uint64_t number = 1000; number <= newest; ++number)
      (void)live.ask("HEAD", "live/" + std::to_string(number));
  CHECK(testing::bytes_in_use() - before <= bound->bytes);
  CHECK(live.documents.written() <= LiveDocuments::kFragmentsAtOnce / 5 + 8);
  CHECK(live.get("live/1000").status == 503);
  for (std::uint64_t number = newest - 5; number <= newest; ++number)
    CHECK(live.get("live/" + std::to_string(number)).status == 200);
}

TEST_CASE("a broadcast that begins after the wall clock was set back does not use the numbers of an earlier one") {
  const auto before = new_broadcast("a match");
  clock_set_by = -7'200;
  const auto after = new_broadcast("a match");
  clock_set_by = 0;
  CHECK(after->fragment_of(0) >= before->fragment_of(0));
}

TEST_CASE("scripts of other sites can read each answer, and when to ask again") {
  Live live;
  live.pass(20);
  const std::string tag = Live::header(live.get("live/1002"), "ETag");
  std::vector<net::HttpReply> all = {live.get("live"), live.get("live/1002", tag), live.get("live/1008"),
                                     live.get("live/1")};
  live.documents.end();
  all.push_back(live.get("live"));
  for (const net::HttpReply& reply : all) {
    CAPTURE(reply.status);
    CHECK(Live::header(reply, "Access-Control-Allow-Origin") == "*");
    CHECK((Live::header(reply, "Access-Control-Expose-Headers") == "Retry-After") == (reply.status >= 400));
  }
}

TEST_CASE("while another process may take over, no further fragment is given out, and once it has, no document") {
  Live live;
  live.pass(20);
  REQUIRE(fragment_of(live.get("live")) == 1007);
  const std::string known = *live.get("live/1007").body;
  live.documents.hold();
  live.pass(4);
  CHECK(fragment_of(live.get("live")) == 1007);
  CHECK(*live.get("live/1007").body == known);
  CHECK(live.get("live/1008").status == 404);
  CHECK(live.get("live/1008/start").status == 404);
  live.documents.go_on();
  CHECK(fragment_of(live.get("live")) == 1009);
  CHECK(live.get("live/1008").status == 200);
  live.documents.hold();
  live.documents.end();
  for (const char* name : {"live", "live/1007", "live/1007/start", "live/1020", "live/1"}) {
    CAPTURE(name);
    const net::HttpReply reply = live.get(name);
    CHECK(reply.status == 503);
    CHECK(Live::header(reply, "Retry-After") == "1");
    CHECK(Live::header(reply, "ETag").empty());
  }
  live.view.reset();
  CHECK(live.get("live").status == 503);
}

TEST_CASE("a broadcast that is held before its first fragment is over gives out none") {
  Live live;
  live.documents.hold();
  live.pass(20);
  CHECK(live.get("live").status == 503);
  CHECK(live.get("live/1000").status == 404);
  live.documents.go_on();
  CHECK(live.get("live/1000").status == 200);
}

/// The fragments that are given out of a broadcast which begins at `unix_us` and has a world from `world_us` on.
std::optional<relay::LiveView::Range> given_out(std::uint64_t unix_us, std::uint64_t world_us, std::uint64_t now_us) {
  std::uint64_t nanos = unix_us * 1000;
  const auto broadcast = std::make_shared<relay::Broadcast>([&] { return nanos; }, unix_us);
  const auto view = broadcast->view(core::See::kPublic, 0);
  nanos = world_us * 1000;
  const std::uint64_t id = broadcast->begin();
  core::WorldState world;
  world.fold(core::Fact(words::Ready()));
  broadcast->tell(id, world, 0, nanos);
  nanos = now_us * 1000;
  return view->fragments();
}

TEST_CASE("what a broadcast gives out has higher numbers than what was given out before its world began") {
  constexpr std::uint64_t kTakeOver = kUnixMicros + 100 * kSecond, kStep = 100'000;
  for (std::uint64_t old_born = 0; old_born <= 4 * kSecond; old_born += kStep)
    for (std::uint64_t young_born = 0; young_born <= 8 * kSecond; young_born += kStep) {
      const auto before = given_out(kUnixMicros + old_born, kUnixMicros + old_born, kTakeOver);
      const auto after = given_out(kTakeOver - young_born, kTakeOver, kTakeOver + 10 * kSecond);
      REQUIRE(before.has_value());
      REQUIRE(after.has_value());
      REQUIRE(after->oldest > before->newest);
    }
}

TEST_CASE("other names do not exist, and after the end of the broadcast there are no documents") {
  Live live;
  live.pass(20);
  const net::HttpHead request{"GET", "/", 0, false, {}};
  for (const char* name : {"", "lives", "live/", "live/x", "live/-1", "live/01000", "live/1000/", "live/1000/end",
                           "live/99999999999999999999", "live//start", "alive"})
    CHECK_MESSAGE(!live.documents.answer(request, name), name);
  CHECK(live.get("live/18446744073709551615").status == 404);
  live.view.reset();
  CHECK(live.get("live").status == 503);
  CHECK(live.get("live/1002").status == 404);
}

}  // namespace
}  // namespace entente::live_documents_test
