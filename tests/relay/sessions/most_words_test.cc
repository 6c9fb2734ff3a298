// How many words a shared room lets wait: a viewer's seek from a full world into another full one does not end it.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "proxy/relay/sessions/shared_room.h"
#include "tests/core/replay/replay_show.h"

namespace entente::testing::most_words_test {

using namespace replay_show;

namespace {

constexpr WorldLimits kLimits;

/// The facts of a world that holds as much as it may. Its ids and its land differ from those of a world of another
/// `number`, and only its rules have the same names.
std::vector<Fact> full_world(Micros when, Id number) {
  std::vector<Fact> facts;
  const auto add = [&](const auto& word) { facts.push_back(at(when, word)); };
  const auto each = [&](std::size_t most, const auto& tell) {
    for (std::size_t i = 0; i < most; ++i) tell(static_cast<Id>(number * 100'000 + i + 10), i);
  };
  words::World land;
  land.set_hash(std::to_string(number));
  add(land);
  each(kLimits.rules, [&](Id, std::size_t i) {
    words::Rule rule;
    rule.set_name("r" + std::to_string(i));
    rule.set_value(std::to_string(number));
    add(rule);
  });
  each(kLimits.units * 3 / 2 - 1, [&](Id, std::size_t i) {
    words::WorldEdit edit;
    edit.mutable_edit()->set_x(static_cast<double>(i));
    add(edit);
  });
  each(kLimits.players - 2,
       [&](Id id, std::size_t) { add(player(50'000 + id)); });  // also the recorded one, and a viewer
  each(kLimits.units, [&](Id id, std::size_t) {
    words::Unit unit;
    unit.set_id(id);
    add(unit);
    words::Hidden hidden;
    hidden.set_unit(id);
    add(hidden);
  });
  each(kLimits.shots, [&](Id, std::size_t i) {
    words::Shot shot;
    shot.set_shooter(1);
    shot.set_shot(static_cast<std::uint32_t>(number * 10'000 + i));
    shot.set_life(1'000);
    add(shot);
  });
  each(kLimits.tokens, [&](Id id, std::size_t) {
    words::Token token;
    token.set_id(60'000 + id);
    token.set_state(words::Token::GROUND);
    add(token);
  });
  return facts;
}

/// The facts that remove it.
std::vector<Fact> gone(Micros when, const std::vector<Fact>& world) {
  std::vector<Fact> facts;
  const auto add = [&](const auto& word) { facts.push_back(at(when, word)); };
  for (const Fact& fact : world) {
    words::Gone unit_gone;
    words::PlayerGone player_gone;
    words::ShotEnded ended;
    if (const auto* unit = as<words::Unit>(fact)) unit_gone.set_unit(unit->id()), add(unit_gone);
    if (const auto* player = as<words::Player>(fact)) player_gone.set_id(player->id()), add(player_gone);
    if (const auto* shot = as<words::Shot>(fact))
      ended.set_shooter(shot->shooter()), ended.set_shot(shot->shot()), add(ended);
    if (const auto* known = as<words::Token>(fact)) {
      words::Token token = *known;
      token.set_state(words::Token::NOWHERE);
      add(token);
    }
  }
  return facts;
}

TEST_CASE("a seek from a full world into another full one does not end a shared room") {
  std::vector<Fact> facts{at(0, player(1))};
  const auto append = [&](const std::vector<Fact>& more) { facts.insert(facts.end(), more.begin(), more.end()); };
  const std::vector<Fact> first = full_world(0, 1);
  append(first);
  facts.push_back(at(0, words::Ready()));
  append(gone(60 * kSecond, first));
  append(full_world(60 * kSecond, 2));
  facts.push_back(at(90 * kSecond, player(1)));

  RoomOptions rules = shared();
  rules.most_words = relay::SharedRoom::kMostWords;
  Show show(facts, {}, rules);
  const Seen& seen = show.watch();
  REQUIRE(seen.world.units().size() == kLimits.units);
  const std::size_t before = seen.heard.size();
  show.order([](Replay& replay) { replay.seek(61 * kSecond); });
  CHECK(seen.heard.size() - before > 100'000);
  CHECK(seen.world.units().size() == kLimits.units);
  CHECK_FALSE(show.room->over());
  CHECK(show.host.closed == "");
}

}  // namespace
}  // namespace entente::testing::most_words_test
