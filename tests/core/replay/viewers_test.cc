// Viewers of a recording: what they are told of it, and of each other.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "proxy/core/drops.h"
#include "tests/core/replay/replay_show.h"

namespace entente::testing::viewers_test {

using namespace replay_show;

namespace {

/// A recording with these moments.
class Eventful final : public FactReader {
 public:
  explicit Eventful(std::vector<Moment> moments) : facts_(drive()), moments_(std::move(moments)) {}
  Micros end_time() const override { return facts_.end_time(); }
  std::optional<Micros> next_at() override { return facts_.next_at(); }
  Fact next() override { return facts_.next(); }
  Outcome<Done> seek(Micros at, WorldState& world) override { return facts_.seek(at, world); }
  std::vector<Moment> moments() const override { return moments_; }

 private:
  MemoryFacts facts_;
  const std::vector<Moment> moments_;
};

/// So many moments of a kind, one each microsecond, of player 1.
void add(std::vector<Moment>& moments, std::size_t count, words::Timeline::What what) {
  for (std::size_t i = 0; i < count; ++i) moments.push_back({moments.size(), what, 1, 0});
}

/// Says the intents that the test gives it, and keeps the facts that it hears.
class Guest final : public Front {
 public:
  void receive(const Frames&, FrontOut& out) override {
    for (Intent& intent : std::exchange(to_say, {})) out.say(std::move(intent));
  }
  void hear(const Fact& fact, FrontOut&) override { heard.push_back(fact); }

  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const Fact& fact : heard)
      if (const auto* word = as<T>(fact)) found.push_back(*word);
    return found;
  }

  std::vector<Intent> to_say;
  std::vector<Fact> heard;
};

/// A room with a replay, and guests who say what the test wants.
struct Cinema {
  explicit Cinema(std::unique_ptr<FactReader> recording, const Replay::Options& options = {})
      : room(host, std::make_unique<Replay>(std::move(recording), options), with_commands()) {
    room.back_opened({}, now);
  }
  static RoomOptions with_commands() {
    RoomOptions options = shared();
    options.chat.commands = true;
    options.ids_after = 100;  // the room's ids are not those of the recording
    return options;
  }
  struct Seated {
    Id id;
    Guest* guest;
  };
  Seated sits() {
    auto front = std::make_unique<Guest>();
    Guest* const guest = front.get();
    return {room.seat(std::move(front), {}, now), guest};
  }
  Seated enters(const char* name) {
    const Seated seated = sits();
    words::Enter enter;
    enter.set_name(name);
    says(seated, enter);
    return seated;
  }
  void says(Seated who, Intent intent) {
    who.guest->to_say.push_back(std::move(intent));
    const std::uint8_t nudge = 0;
    room.received(who.id, {Lane::kStream, {&nudge, 1}}, now);
    while (room.next_wake() <= now) room.tick(now);
  }

  Nobody host;
  Micros now = kSecond;
  Room room;
};

std::unique_ptr<FactReader> a_drive() { return std::make_unique<MemoryFacts>(drive()); }

/// The moments that a viewer of a recording with these learns.
words::Timeline learned(std::vector<Moment> moments) {
  Cinema cinema(std::make_unique<Eventful>(std::move(moments)));
  const std::vector<words::Timeline> told = cinema.enters("anna").guest->all<words::Timeline>();
  REQUIRE(told.size() == 1);
  return told.front();
}

bool has(const words::Timeline& timeline, words::Timeline::What what) {
  for (const auto& moment : timeline.moments())
    if (moment.what() == what) return true;
  return false;
}

}  // namespace

TEST_CASE("a viewer learns once what happens when in a recording, in the ids of the room") {
  Cinema cinema(std::make_unique<Eventful>(std::vector<Moment>{{7 * kSecond, words::Timeline::CAPTURE, 1, 0}}));
  const auto anna = cinema.enters("anna");
  words::Change change;
  change.set_name("bella");
  cinema.says(anna, change);
  const std::vector<words::Timeline> told = anna.guest->all<words::Timeline>();
  REQUIRE(told.size() == 1);
  REQUIRE(told.front().moments_size() == 1);
  const auto& moment = told.front().moments(0);
  CHECK(moment.us() == 7 * kSecond);
  CHECK(moment.what() == words::Timeline::CAPTURE);
  CHECK(moment.by() == 0);
  REQUIRE(cinema.room.world().player(moment.player()) != nullptr);
  CHECK(cinema.room.world().player(moment.player())->player.name() == "p1");
}

TEST_CASE("a viewer of a recording in which nothing happens is told of no moments") {
  Cinema cinema(a_drive());
  CHECK(cinema.enters("anna").guest->all<words::Timeline>().empty());
}

TEST_CASE("of more than 2,000 moments, first the chat is left out, then who joins, and then some of each kind") {
  std::vector<Moment> moments;
  add(moments, 1'000, words::Timeline::KILL);
  add(moments, 500, words::Timeline::JOIN);
  add(moments, 500, words::Timeline::CHAT);
  CHECK(learned(moments).moments_size() == 2'000);
  add(moments, 1, words::Timeline::CHAT);
  CHECK(learned(moments).moments_size() == 1'500);
  CHECK_FALSE(has(learned(moments), words::Timeline::CHAT));
  add(moments, 501, words::Timeline::JOIN);
  CHECK(learned(moments).moments_size() == 1'000);
  CHECK_FALSE(has(learned(moments), words::Timeline::JOIN));
  add(moments, 1'001, words::Timeline::CAPTURE);
  const words::Timeline all = learned(moments);
  CHECK(all.moments_size() == 1'001);  // every second one
  CHECK(has(all, words::Timeline::KILL));
  CHECK(has(all, words::Timeline::CAPTURE));
}

TEST_CASE("a client that asks only for the world learns where the recording is; a viewer knows that already") {
  Cinema cinema(a_drive());
  const auto anna = cinema.sits();
  const std::size_t before = anna.guest->all<words::Clock>().size();
  cinema.says(anna, words::WantWorld());
  REQUIRE(anna.guest->all<words::Clock>().size() == before + 1);
  CHECK(anna.guest->all<words::Clock>().back().length_us() == 10 * kSecond);
  const auto ben = cinema.enters("ben");
  const std::size_t known = ben.guest->all<words::Clock>().size();
  cinema.says(ben, words::WantWorld());
  CHECK(ben.guest->all<words::Clock>().size() == known);
}

TEST_CASE("a client that has not entered sees the whole world of a recording where it begins") {
  Cinema cinema(a_drive());
  const auto anna = cinema.sits();
  CHECK(anna.guest->all<words::Ready>().size() == 1);
  CHECK(anna.guest->all<words::Unit>().size() == 1);
  cinema.enters("ben");
  CHECK(anna.guest->all<words::Ready>().size() == 1);
}

TEST_CASE("a viewer's clock says all that its client shows of the recording") {
  for (const bool one_clock : {true, false}) {
    CAPTURE(one_clock);
    Replay::Options options;
    options.one_clock = one_clock;
    options.speed = 2;
    options.paused = true;
    options.at = 3 * kSecond;
    Cinema cinema(a_drive(), options);
    const auto anna = cinema.enters("anna");
    const words::Clock clock = anna.guest->all<words::Clock>().back();
    CHECK(clock.us() == 3 * kSecond);
    CHECK(clock.speed() == 2);
    CHECK(clock.paused());
    CHECK(clock.length_us() == 10 * kSecond);
    CHECK(clock.own() == !one_clock);
    CHECK_FALSE(clock.live());
    CHECK(clock.follow() == 0);
  }
}

TEST_CASE("whom a viewer follows is told to nobody else, also when the clock that they share changes") {
  Cinema cinema(a_drive());
  const auto anna = cinema.enters("anna"), ben = cinema.enters("ben");
  Id player = 0;
  for (const auto& [id, state] : cinema.room.world().players())
    if (state.player.name() == "p1") player = id;
  words::Playback follow;
  follow.set_follow(player);
  cinema.says(anna, follow);
  CHECK(anna.guest->all<words::Clock>().back().follow() == player);
  cinema.room.order([](Back& back) { static_cast<Replay&>(back).pause(true); }, cinema.now);
  CHECK(anna.guest->all<words::Clock>().back().paused());
  CHECK(anna.guest->all<words::Clock>().back().follow() == player);
  CHECK(ben.guest->all<words::Clock>().back().paused());
  for (const words::Clock& clock : ben.guest->all<words::Clock>()) CHECK(clock.follow() == 0);
  follow.set_follow(12'345);  // there is no such player
  cinema.says(anna, follow);
  CHECK(anna.guest->all<words::Clock>().back().follow() == player);
  follow.set_follow(0);
  cinema.says(anna, follow);
  CHECK(anna.guest->all<words::Clock>().back().follow() == 0);
}

TEST_CASE("a viewer's action is shown to all, even if it begins like a command") {
  Cinema cinema(a_drive());
  const auto anna = cinema.enters("anna"), ben = cinema.enters("ben");
  words::Say say;
  say.set_kind(words::Say::ACTION);
  say.set_text("/help");
  cinema.says(anna, say);
  REQUIRE(ben.guest->all<words::Said>().size() == 1);
  CHECK(ben.guest->all<words::Said>().front().text() == "/help");
  CHECK(ben.guest->all<words::Said>().front().kind() == words::Say::ACTION);
  CHECK(ben.guest->all<words::Said>().front().from() == anna.id);
  CHECK(ben.guest->heard.back().scene == 0);  // of the room's own world, which they share
}

TEST_CASE("a viewer who enters again is told its clock, and that it is ready, again") {
  Cinema cinema(a_drive());
  const auto anna = cinema.enters("anna");
  anna.guest->heard.clear();
  cinema.says(anna, words::Enter());
  CHECK(anna.guest->all<words::Clock>().size() == 1);
  CHECK(anna.guest->all<words::Ready>().size() == 1);
}

TEST_CASE("a client that is no viewer yet follows nobody, and a viewer who looks around follows on") {
  Cinema cinema(a_drive());
  const auto anna = cinema.sits(), ben = cinema.enters("ben");
  Id player = 0;
  for (const auto& [id, state] : cinema.room.world().players())
    if (state.player.name() == "p1") player = id;
  words::Watch watch;
  watch.set_mode(words::Watch::PLAYER);
  watch.set_target(player);
  anna.guest->heard.clear();
  cinema.says(anna, watch);
  CHECK(anna.guest->heard.empty());
  cinema.says(ben, watch);
  CHECK(ben.guest->all<words::Clock>().back().follow() == player);
  CHECK(ben.guest->all<words::Said>().empty());  // it has not asked by chat
  watch.set_mode(words::Watch::ROAM);
  watch.clear_target();
  cinema.says(ben, watch);
  CHECK(ben.guest->all<words::Clock>().back().follow() == player);
}

TEST_CASE("a viewer goes to kills only, and is answered in the chat only if it asked there") {
  Replay::Options options;
  options.one_clock = false;
  options.paused = true;
  Cinema cinema(std::make_unique<Eventful>(std::vector<Moment>{{4 * kSecond, words::Timeline::CAPTURE, 1, 0},
                                                               {7 * kSecond, words::Timeline::KILL, 1, 0}}),
                options);
  const auto anna = cinema.enters("anna");
  words::Playback next;
  next.set_kill(words::Playback::NEXT_KILL);
  cinema.says(anna, next);
  CHECK(anna.guest->all<words::Clock>().back().us() == 5 * kSecond);
  cinema.says(anna, next);  // there is none
  CHECK(anna.guest->all<words::Clock>().back().us() == 5 * kSecond);
  CHECK(anna.guest->all<words::Said>().empty());
}

TEST_CASE("viewers who share a clock are told who leaves, and why") {
  Cinema cinema(a_drive());
  const auto anna = cinema.enters("anna"), ben = cinema.enters("ben");
  words::Leave leave;
  leave.set_why("went home");
  cinema.says(anna, leave);
  const std::vector<words::PlayerGone> gone = ben.guest->all<words::PlayerGone>();
  REQUIRE(gone.size() == 1);
  CHECK(gone.front().id() == anna.id);
  CHECK(gone.front().why() == "went home");
}

TEST_CASE("what only a viewer may do is counted as lost if somebody does it who is none") {
  Cinema cinema(a_drive());
  const auto anna = cinema.sits();
  words::Change change;
  change.set_name("anna");
  words::Playback playback;
  playback.set_paused(true);
  words::Say say;
  say.set_text("hello");
  for (const Intent& intent : {Intent(change), Intent(playback), Intent(say)}) cinema.says(anna, intent);
  std::vector<const MappingLine*> lines;
  for (const auto& entry : cinema.room.ledger().entries()) lines.push_back(entry.line);
  CHECK(lines ==
        std::vector<const MappingLine*>{&drops::kChangeOfWatcher, &drops::kOnlyWatched, &drops::kSayOfWatcher});
  CHECK(anna.guest->all<words::Said>().empty());
  words::Change skin;
  skin.set_skin("tiger");
  const auto ben = cinema.enters("ben");
  cinema.says(ben, skin);  // a viewer has only a name
  CHECK(cinema.room.ledger().entries().front().times == 2);
}

TEST_CASE("a viewer who cannot move the shared clock is told so, as the answer to its request") {
  Cinema cinema(a_drive());
  const auto anna = cinema.enters("anna");
  words::Playback playback;
  playback.set_paused(true);
  cinema.says(anna, playback);
  const std::vector<words::ClaimRefused> refused = anna.guest->all<words::ClaimRefused>();
  REQUIRE(refused.size() == 1);
  CHECK(refused.front().why() == "all viewers of this replay share one clock");
  CHECK(anna.guest->heard.back().cause == 2);
}

}  // namespace entente::testing::viewers_test
