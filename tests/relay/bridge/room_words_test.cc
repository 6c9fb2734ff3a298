// How a room gives its world to a tap: when, which parts, and that no world names a geometry that was not stored.
#include "proxy/relay/tap/room_words.h"

#include <doctest/doctest.h>

#include "proxy/relay/tap/ring_sink.h"
#include "proxy/relay/tap/word_echoes.h"
#include "schema/snapshot.pb.h"

namespace entente::testing::room_words_test {
namespace {

using core::Fact, core::Micros, core::kSecond;

/// Keeps what it receives; accepts geometry only while it has room.
class Sink final : public relay::TapSink {
 public:
  void opened(const relay::LinkInfo&, WallTime) override {}
  void bytes(relay::LinkId, wire::Way, wire::Lane, Bytes, WallTime) override {}
  void closed(relay::LinkId, std::string_view, WallTime) override {}
  bool wants_words() const override { return true; }
  std::uint32_t recording_generation() const override { return file; }
  void word(relay::LinkId, bool fact, Bytes bytes, WallTime) override {
    if (!fact) REQUIRE(intents.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  }
  void world(relay::LinkId link, Bytes bytes, WallTime) override {
    REQUIRE(worlds.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    CHECK(worlds.back().link() == link);
  }
  bool geometry(relay::LinkId, Bytes bytes, WallTime) override {
    if (!room) return false;
    REQUIRE(geometries.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    return true;
  }

  bool room = true;
  std::uint32_t file = 1;
  std::vector<words::Intent> intents;
  std::vector<trace::Snapshot> worlds;
  std::vector<trace::Geometry> geometries;
};

/// A room that only gives words.
struct Told {
  void fact(Fact fact, Micros at) {
    fact.at = at;
    world.fold(fact);
    words.tell(7, fact, at);
    if (words.owes_world(at)) words.tell(7, world, at, at);
  }
  void passes(Micros at) {
    if (words.owes_world(at)) words.tell(7, world, at, at);
  }
  Sink sink;
  relay::RoomWords words{&sink, false};
  core::WorldState world;
};

words::World map_of(const char* name) {
  words::World map;
  map.set_name(name);
  map.set_hash("the game's own");
  return map;
}

words::Unit unit(double x) {
  words::Unit one;
  one.set_id(3);
  one.mutable_pose()->set_unit(3);
  one.mutable_pose()->set_x(x);
  return one;
}

TEST_CASE("a world is given at the beginning, when the room is ready, and every ten seconds") {
  Told told;
  std::vector<Micros> at;
  for (Micros now = 0; now < 35 * kSecond; now += kSecond / 4) {
    now == 3 * kSecond ? told.fact(words::Ready(), now) : told.passes(now);
    if (now == 4 * kSecond) told.fact(words::Ready(), now);  // repeated: no change
  }
  for (const auto& world : told.sink.worlds) at.push_back(world.at_us());
  CHECK(at == std::vector<Micros>{0, 3 * kSecond, 13 * kSecond, 23 * kSecond, 33 * kSecond});
}

TEST_CASE("a world has everything but its geometry, which is given once and referred to") {
  Told told;
  told.passes(0);
  told.fact(map_of("a"), 1 * kSecond);
  told.fact(unit(5), 2 * kSecond);
  told.passes(10 * kSecond);
  told.passes(20 * kSecond);
  REQUIRE(told.sink.geometries.size() == 1);
  CHECK(told.sink.geometries[0].world().name() == "a");
  REQUIRE(told.sink.worlds.size() == 3);
  CHECK(told.sink.worlds[0].geometry().empty());
  for (const std::size_t i : {1U, 2U}) {
    CHECK(told.sink.worlds[i].geometry() == told.sink.geometries[0].hash());
    const auto& facts = told.sink.worlds[i].facts();
    CHECK(std::none_of(facts.begin(), facts.end(), [](const auto& fact) { return fact.has_world(); }));
    const auto found = std::find_if(facts.begin(), facts.end(), [](const auto& fact) { return fact.has_unit(); });
    REQUIRE(found != facts.end());
    CHECK(found->at_us() == 2 * kSecond);  // not the time of the world: it may have moved since
    CHECK(found->unit().pose().x() == 5);
  }
  told.fact(map_of("b"), 21 * kSecond);
  told.passes(30 * kSecond);
  REQUIRE(told.sink.geometries.size() == 2);
  CHECK(told.sink.worlds.back().geometry() == told.sink.geometries[1].hash());
  CHECK(told.sink.geometries[0].hash() != told.sink.geometries[1].hash());
}

TEST_CASE("while a geometry finds no room, no world names it, and it is given again") {
  Told told;
  told.sink.room = false;
  told.fact(map_of("a"), 0);
  told.passes(10 * kSecond);
  CHECK(told.sink.worlds.empty());
  told.sink.room = true;
  told.passes(20 * kSecond);
  REQUIRE(told.sink.worlds.size() == 1);
  REQUIRE(told.sink.geometries.size() == 1);
  CHECK(told.sink.worlds[0].geometry() == told.sink.geometries[0].hash());
}

TEST_CASE("when the recording continues in a new file, the world is given at once, with its geometry") {
  Told told;
  told.fact(map_of("a"), 0);
  told.passes(1 * kSecond);
  const std::size_t worlds = told.sink.worlds.size(), geometries = told.sink.geometries.size();
  told.sink.file = 2;
  told.passes(2 * kSecond);
  told.passes(3 * kSecond);
  CHECK(told.sink.worlds.size() == worlds + 1);
  CHECK(told.sink.geometries.size() == geometries + 1);
}

TEST_CASE("only the first word of a command is recorded, unless secrets are") {
  for (const bool with_secrets : {false, true}) {
    Sink sink;
    relay::RoomWords words(&sink, with_secrets);
    words::Say say;
    for (const char* text : {"/password sesame", " /login anna sesame", "hello /password sesame", "/help",
                             "/password\u00a0sesame", "\u3000/login\u2003anna sesame", "/password\u200bsesame"}) {
      say.set_text(text);
      words.tell(7, core::Intent(say), 0);
    }
    words::Enter enter;
    enter.set_name("anna");
    enter.set_password("sesame");
    words.tell(7, core::Intent(enter), 0);
    REQUIRE(sink.intents.size() == 8);
    CHECK(sink.intents[0].say().text() == (with_secrets ? "/password sesame" : "/password"));
    CHECK(sink.intents[1].say().text() == (with_secrets ? " /login anna sesame" : " /login"));
    CHECK(sink.intents[2].say().text() == "hello /password sesame");
    CHECK(sink.intents[3].say().text() == "/help");
    CHECK(sink.intents[4].say().text() == (with_secrets ? "/password\u00a0sesame" : "/password"));
    CHECK(sink.intents[5].say().text() == (with_secrets ? "\u3000/login\u2003anna sesame" : "\u3000/login"));
    CHECK(sink.intents[6].say().text() == (with_secrets ? "/password\u200bsesame" : "/password"));
    CHECK(sink.intents[7].enter().name() == "anna");
    CHECK(sink.intents[7].enter().password() == (with_secrets ? "sesame" : ""));
  }
}

TEST_CASE("a room gives no words while they are not wanted, and a world as soon as they are") {
  net::Waker waker;
  relay::WordsWanted wanted;
  relay::RingSink sink(4096, waker, &wanted);
  relay::RoomWords words(&sink, false);
  CHECK_FALSE(words.owes_world(0));
  words.tell(7, Fact(words::Ready()), 1);
  CHECK(sink.ring().empty());
  wanted.recording_generation = 1;
  wanted.wanted = true;
  CHECK(words.owes_world(0));
  words.tell(7, core::WorldState(), 0, 1);
  CHECK_FALSE(words.owes_world(1));
  wanted.recording_generation = 2;
  CHECK(words.owes_world(1));
  wanted.wanted = false;
  CHECK_FALSE(words.owes_world(1));
}

TEST_CASE("words and worlds that do not fit into a ring are counted, and reported as a gap when there is room") {
  net::Waker waker;
  relay::WordsWanted wanted;
  relay::RingSink sink(4096, waker, &wanted);
  const Buffer word(1000, 1);
  for (int i = 0; i < 3; ++i) sink.word(5, true, word, 1);
  CHECK(sink.dropped().read() == 0);
  sink.word(5, true, word, 2);
  CHECK_FALSE(sink.geometry(5, word, 2));
  sink.world(5, word, 2);
  CHECK(sink.dropped().read() == 3);
  CHECK(sink.dropped_bytes().read() == 3000);
  for (int i = 0; i < 3; ++i) sink.ring().pop((sink.ring().empty(), sink.ring().front()));
  sink.word(5, true, word, 3);
  relay::WordGap missed;
  relay::Ring::Entry entry;
  while (!sink.ring().empty() && (entry = sink.ring().front()).header.kind == relay::RingSink::kWordGap) {
    const auto gap = relay::from_raw<relay::WordGap>(entry.bytes);
    missed.words += gap.words;
    missed.bytes += gap.bytes;
    sink.ring().pop(entry);
  }
  CHECK(missed.words == 3);
  CHECK(missed.bytes == 3000);
  CHECK(entry.header.kind == relay::RingSink::kFact);
}

TEST_CASE("missing words are reported as soon as there is room, also if no more words come") {
  net::Waker waker;
  relay::WordsWanted wanted;
  relay::RingSink sink(4096, waker, &wanted);
  const Buffer word(1000, 1);
  for (int i = 0; i < 4; ++i) sink.word(5, true, word, 1);
  CHECK(sink.dropped().read() == 1);
  while (!sink.ring().empty()) sink.ring().pop(sink.ring().front());
  sink.note(5, "the player says nothing more", 2);
  REQUIRE_FALSE(sink.ring().empty());
  const relay::Ring::Entry entry = sink.ring().front();
  REQUIRE(entry.header.kind == relay::RingSink::kWordGap);
  const auto gap = relay::from_raw<relay::WordGap>(entry.bytes);
  CHECK(gap.link == 5);
  CHECK(gap.words == 1);
  CHECK(gap.bytes == 1000);
}

TEST_CASE("facts that repeat a player's secret have asterisks, for him alone or in a room of his own") {
  relay::WordEchoes echoes;
  const auto says = [&](core::Id by, const std::string& text) {
    words::Say say;
    say.set_text(text);
    core::Intent intent(std::move(say));
    intent.by = by;
    echoes.hear(intent);
  };
  const auto notice = [](const std::string& text) {
    words::Notice told;
    told.set_text(text);
    return told;
  };
  const auto shown = [&](Fact fact, bool alone) {
    const auto hidden = echoes.without(fact, alone);
    if (hidden) fact = *hidden;
    const auto* told = core::as<words::Notice>(fact);
    return told != nullptr ? told->text() : core::as<words::Said>(fact)->text();
  };
  CHECK_FALSE(echoes.without(Fact(3, notice("sesame")), true));
  says(3, "hello");
  CHECK_FALSE(echoes.without(Fact(3, notice("hello")), true));
  says(3, "/identify Sesame");
  CHECK(shown(Fact(3, notice("Unknown command [identify sesame]")), false) == "Unknown command [identify ******]");
  CHECK(shown(Fact(4, notice("sesame")), false) == "sesame");  // for another player
  CHECK(shown(Fact(notice("sesame")), false) == "sesame");
  CHECK(shown(Fact(notice("sesame")), true) == "******");
  words::Said said;
  said.set_text("/idetify sesame");
  said.set_from(3);
  CHECK(shown(Fact(said), false) == "/idetify ******");
  said.set_from(4);
  CHECK(shown(Fact(said), true) == "/idetify sesame");
  words::Enter enter;
  enter.set_token("open-7");
  core::Intent entering(std::move(enter));
  entering.by = 5;
  echoes.hear(entering);
  words::Refused refused;
  refused.set_text("wrong token open-7");
  CHECK(core::as<words::Refused>(*echoes.without(Fact(5, refused), false))->text() == "wrong token ******");
  for (core::Id id = 10; id < 10 + 2 * relay::WordEchoes::kMostPlayers; ++id) says(id, "/password sesame");
  CHECK_FALSE(echoes.without(Fact(5, refused), false));  // forgotten: the room remembers a limited number
}

TEST_CASE("a secret is hidden in each text for people, and in none for others") {
  relay::WordEchoes echoes;
  words::Enter enter;
  enter.set_password("sesame");
  core::Intent entering(std::move(enter));
  entering.by = 3;
  echoes.hear(entering);
  words::Said said;
  said.set_text("sesame, sesame");
  const auto hidden = echoes.without(Fact(3, said), false);
  REQUIRE(hidden);
  CHECK(core::as<words::Said>(*hidden)->text() == "******, ******");
  CHECK(hidden->to == 3);  // all else is as it was
  CHECK(hidden->audience == words::PLAYER);
  words::Kicked kicked;
  kicked.set_text("no sesame");
  CHECK(core::as<words::Kicked>(*echoes.without(Fact(3, kicked), false))->text() == "no ******");
  words::ClaimRefused claim;
  claim.set_why("sesame?");
  CHECK(core::as<words::ClaimRefused>(*echoes.without(Fact(3, claim), false))->why() == "******?");
  CHECK_FALSE(echoes.without(Fact(4, claim), false));  // for somebody else
  CHECK_FALSE(echoes.without(Fact(kicked), false));    // for all
  CHECK(echoes.without(Fact(kicked), true));
  said.set_from(0);
  CHECK(echoes.without(Fact(said), true));  // the server says it
  CHECK_FALSE(echoes.without(Fact(3, words::Ready()), true));
}

TEST_CASE("a player who wrote no secret is not remembered, so that it displaces nobody") {
  relay::WordEchoes echoes;
  const auto hear = [&](core::Id by, auto word) {
    core::Intent intent(std::move(word));
    intent.by = by;
    echoes.hear(intent);
  };
  words::Enter secret;
  secret.set_password("sesame");
  hear(1, secret);
  words::Enter without;
  without.set_name("anna");
  for (core::Id id = 2; id < 10; ++id) hear(id, without);
  for (core::Id id = 100; id < 100 + relay::WordEchoes::kMostPlayers - 1; ++id) hear(id, secret);
  words::Notice notice;
  notice.set_text("sesame");
  CHECK(echoes.without(Fact(1, notice), false));  // as many as may be remembered
  hear(1, secret);
  CHECK(echoes.without(Fact(1, notice), false));
  hear(5, secret);
  CHECK_FALSE(echoes.without(Fact(1, notice), false));
  CHECK(echoes.without(Fact(5, notice), false));
}

TEST_CASE("a snapshot for a recording lacks secrets that the world keeps, one for a bundle has them") {
  core::WorldState world;
  const trace::Snapshot all = relay::snapshot_of(9, world, 5, "map");
  CHECK(all.link() == 9);
  CHECK(all.at_us() == 5);
  CHECK(all.geometry() == "map");
  words::World map = map_of("a");
  const trace::Geometry one = relay::geometry_of(map), same = relay::geometry_of(map);
  CHECK(one.hash() == same.hash());
  CHECK_FALSE(one.hash().empty());
  CHECK(one.world().name() == "a");
  map.set_name("b");
  CHECK(relay::geometry_of(map).hash() != one.hash());
}

TEST_CASE("what was not forwarded is listed by how often it was, and the rest is counted by kinds") {
  static constexpr MappingLine kChat{"", kUp, "", "Say", Fidelity::kDropped, "no chat"},
      kFire{"", kUp, "", "Fire", Fidelity::kDropped, "no shots"},
      kMove{"Move", kUp, "x", "", Fidelity::kDropped, "no x"};
  core::Ledger ledger;
  CHECK(relay::text(ledger).empty());
  ledger.add(kChat);
  for (int i = 0; i < 3; ++i) ledger.add(kFire);
  ledger.add(kMove);
  CHECK(relay::text(ledger) == "3 Fire (no shots), 1 Say (no chat), 1 Move.x (no x)");
  CHECK(relay::text(ledger, 3) == relay::text(ledger));
  CHECK(relay::text(ledger, 1) == "3 Fire (no shots) and 2 other kinds");
}

}  // namespace
}  // namespace entente::testing::room_words_test
