// Edits of blocks: replaced edits are not kept, a seek forward in time sends new edits only, and worlds with the same
// map share it in memory.
#include "proxy/core/edits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/tape.h"
#include "proxy/core/world.h"
#include "tests/support/steps.h"

namespace entente::core::edits_test {
namespace {

BlockEdit edit(double x, double y, words::Edit::Op op, std::uint32_t colour = 0) {
  words::WorldEdit word;
  word.mutable_edit()->set_x(x);
  word.mutable_edit()->set_y(y);
  word.mutable_edit()->set_op(op);
  word.mutable_edit()->set_colour(colour);
  return BlockEdit(word);
}

std::vector<BlockEdit> some_edits(std::uint32_t seed, std::size_t count) {
  std::mt19937 dice(seed);
  std::vector<BlockEdit> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto op = dice() % 8 == 0 ? words::Edit::LINE : dice() % 2 == 0 ? words::Edit::BUILD : words::Edit::DIG;
    const auto below = [&](unsigned most) { return static_cast<std::uint32_t>(dice() % most); };
    const std::uint32_t x = below(10), y = below(10), colour = below(3);
    all.push_back(edit(x, y, op, colour));
  }
  return all;
}

std::vector<std::string> texts(const std::vector<BlockEdit>& edits) {
  std::vector<std::string> all;
  for (const auto& one : edits) all.push_back(one.word().SerializeAsString());
  return all;
}

/// The reference result: edits applied one after another.
std::vector<BlockEdit> tidied(const std::vector<BlockEdit>& edits) {
  std::vector<BlockEdit> kept;
  for (const auto& one : edits) {
    std::erase_if(kept, [&](const auto& old) { return replaces(one, old); });
    kept.push_back(one);
  }
  return kept;
}

words::World land(std::size_t size) {
  words::World word;
  word.set_kind(words::World::VOXELS);
  word.set_voxels(std::string(size, 'v'));
  return word;
}

WorldState world_with(const std::vector<BlockEdit>& edits, std::size_t until, std::size_t size = 100'000) {
  WorldState world;
  world.fold(Fact(land(size)));
  for (std::size_t i = 0; i < until; ++i) world.fold(Fact(edits[i].word()));
  return world;
}

}  // namespace

TEST_CASE("the last edit of a block is kept, and every edit of several blocks") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const auto all = some_edits(seed, 300);
    auto kept = all;
    tidy_edits(kept);
    CHECK(texts(kept) == texts(tidied(all)));
  }
}

TEST_CASE("a world keeps at most twice as many edits as it has edited blocks") {
  WorldState world;
  world.fold(Fact(land(1)));
  for (int i = 0; i < 100'000; ++i)
    world.fold(Fact(edit(i % 1'000, 0, i / 1'000 % 2 == 0 ? words::Edit::BUILD : words::Edit::DIG).word()));
  CHECK(world.edits().size() <= 2'048);
  CHECK(world.orphaned() == 0);
  auto kept = world.edits().all();
  tidy_edits(kept);
  REQUIRE(kept.size() == 1'000);
  CHECK(std::all_of(kept.begin(), kept.end(), [](const auto& one) { return one.op == words::Edit::DIG; }));
}

TEST_CASE("a seek to a later time sends new edits only, a seek to an earlier time sends the whole map") {
  const auto all = some_edits(7, 400);
  std::mt19937 dice(1);
  for (int i = 0; i < 60; ++i) {
    const std::size_t first = dice() % all.size(), second = dice() % all.size();
    CAPTURE(first);
    CAPTURE(second);
    WorldState known = world_with(all, first);
    const WorldState wanted = world_with(all, second);
    std::size_t lands = 0, edits = 0;
    tell_difference(
        known, wanted, [](Id) { return false; },
        [&](const Fact& fact) {
          lands += as<words::World>(fact) != nullptr ? 1 : 0;
          edits += as<words::WorldEdit>(fact) != nullptr ? 1 : 0;
          known.fold(fact);
        });
    auto told = known.edits().all(), should = wanted.edits().all();
    tidy_edits(told);
    tidy_edits(should);
    CHECK(texts(told) == texts(should));
    if (second >= first) CHECK(lands == 0);
    if (second >= first) CHECK(edits <= second - first);
    const auto before = tidied({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first)});
    const auto after = tidied({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(second)});
    if (second < first && texts(before) != texts(after) && lands == 0) CHECK(edits != 0);
  }
  WorldState known = world_with(all, 300);
  std::size_t lands = 0;
  tell_difference(
      known, world_with(all, 100), [](Id) { return false; },
      [&](const Fact& fact) { lands += as<words::World>(fact) != nullptr ? 1 : 0; });
  CHECK(lands == 1);
}

TEST_CASE("worlds with the same map share it in memory") {
  const WorldState one = world_with({}, 0), other = world_with({}, 0), different = world_with({}, 0, 200'000);
  CHECK(one.geometry() == other.geometry());
  CHECK(one.geometry() != different.geometry());
  words::World named = land(100'000);
  named.set_name("another");
  WorldState third;
  third.fold(Fact(named));
  CHECK(third.geometry() != one.geometry());
  CHECK(third.geometry()->name() == "another");
}

TEST_CASE("worlds with the same edits share them in memory, even if some are ahead of others") {
  std::vector<BlockEdit> all;
  for (int i = 0; i < 3'000; ++i) all.push_back(edit(i, 0, words::Edit::BUILD));
  const auto places = [](const WorldState& world) {
    std::vector<const BlockEdit*> all_places;
    world.edits().each([&](const BlockEdit& one) { all_places.push_back(&one); });
    return all_places;
  };
  const WorldState far = world_with(all, 3'000), near = world_with(all, 1'000);
  WorldState copied;
  copied.copy(near, 0);
  const auto there = places(far);
  for (const WorldState* one : {&near, static_cast<const WorldState*>(&copied)}) {
    const auto here = places(*one);
    std::size_t shared = 0;
    for (std::size_t i = 0; i < here.size(); ++i) shared += here[i] == there[i] ? 1 : 0;
    CHECK(shared > 1'000 - EditList::kChunk);
  }
  CHECK(texts(near.edits().all()) == texts({all.begin(), all.begin() + 1'000}));
}

TEST_CASE("a full world keeps the newest edits of the first blocks, and drops those of others") {
  constexpr int kMost = 1'000, kLater = 2'000;
  EditList edits;
  std::size_t dropped = 0;
  for (int i = 0; i < kMost; ++i) dropped += edits.add(edit(i, 0, words::Edit::BUILD), kMost);
  CHECK(dropped == 0);
  for (int i = 0; i < kLater; ++i) {
    dropped += edits.add(edit(kMost + i, 0, words::Edit::BUILD), kMost);
    dropped += edits.add(edit(i % 10, 0, words::Edit::DIG, static_cast<std::uint32_t>(i)), kMost);
    REQUIRE(edits.size() <= kMost * 3 / 2 + EditList::kFew);
  }
  auto kept = edits.all();
  tidy_edits(kept);
  CHECK(kept.size() + dropped == kMost + kLater);
  CHECK(std::count_if(kept.begin(), kept.end(), [](const auto& one) { return one.x < kMost; }) == kMost);
  CHECK(kept.front().x == 10);
  CHECK(kept.back().colour == kLater - 1);
  CHECK(std::count_if(kept.begin(), kept.end(), [](const auto& one) { return one.op == words::Edit::DIG; }) == 10);
}

TEST_CASE("lists that tidy a chunk at a time are those that were tidied at once, also if they are copied meanwhile") {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const std::size_t most = 5'000;
    std::mt19937 dice(seed);
    EditList edits;
    std::vector<BlockEdit> all;
    std::size_t tidied_times = 0;
    for (int i = 0; i < 20'000; ++i) {
      const auto op = dice() % 64 == 0 ? words::Edit::LINE : words::Edit::BUILD;
      const double x = dice() % 10 == 0 ? -0.0 : static_cast<double>(dice() % 40), y = static_cast<double>(dice() % 40);
      all.push_back(edit(x, y, op, static_cast<std::uint32_t>(i)));
      const std::size_t before = edits.size();
      CHECK(edits.add(all.back(), most) == 0);
      const bool shorter = edits.size() < before;
      tidied_times += shorter ? 1 : 0;
      if (i % 50 == 0) edits = EditList(edits);
      if (shorter || i % 49 == 0) REQUIRE(edits.size() == edits.all().size());
    }
    CHECK(tidied_times > 3);
    auto kept = edits.all();
    tidy_edits(kept);
    CHECK(texts(kept) == texts(tidied(all)));
  }
}

TEST_CASE("with a limit of a few edits, no more are kept") {
  EditList edits;
  std::size_t dropped = 0;
  for (int i = 0; i < 10; ++i) dropped += edits.add(edit(i, 0, words::Edit::LINE), 4);
  CHECK(edits.size() == 4);
  CHECK(dropped == 6);
  CHECK(edits.all().back().x == 3);
}

TEST_CASE("the work for an edit does not grow with the number of edits, even in a full world") {
  if (!testing::counts_steps()) return;
  constexpr std::uint64_t kMostSteps = 250'000, kMostOnAverage = 2'000;
  for (const bool same_blocks : {false, true}) {
    WorldState world;
    world.fold(Fact(land(1)));
    std::uint64_t all = 0, most = 0;
    for (int i = 0; i < 60'000; ++i) {
      const Fact fact(edit(same_blocks ? i % 1'000 : i, 0, words::Edit::BUILD).word());
      const std::uint64_t before = testing::steps();
      world.fold(fact);
      const std::uint64_t steps = testing::steps() - before;
      all += steps;
      most = std::max(most, steps);
    }
    CHECK(most < kMostSteps);
    CHECK(all / 60'000 < kMostOnAverage);
    CHECK(world.edits().size() <= WorldLimits().units * 3 / 2 + EditList::kFew);
  }
}

TEST_CASE("a tape counts a map once, however many blocks are edited, until the map is forgotten") {
  constexpr std::size_t kMap = 1'000'000;
  TapeLimits limits;
  limits.span = 60 * kSecond;
  Tape tape(See::kPublic, limits);
  WorldState world;
  tape.begin(0);
  const auto tell = [&](Fact fact, Micros at) {
    fact.at = at;
    world.fold(fact);
    tape.append(fact, at);
    if (world.ready() && tape.owes_world(at)) tape.append_snapshot(world, at, at);
  };
  tell(Fact(land(kMap)), 0);
  tell(Fact(words::Ready()), 0);
  for (int i = 1; i <= 200; ++i) {
    tell(Fact(edit(i, 0, words::Edit::BUILD).word()), static_cast<Micros>(i) * kSecond);
    CHECK(tape.bytes() > kMap);
    CHECK(tape.bytes() < 2 * kMap);
  }
  CHECK(*tape.first() > 100 * kSecond);
  tell(Fact(land(kMap / 2)), 201 * kSecond);
  for (int i = 202; i <= 300; ++i) tell(Fact(edit(i, 0, words::Edit::BUILD).word()), static_cast<Micros>(i) * kSecond);
  CHECK(tape.bytes() > kMap / 2);
  CHECK(tape.bytes() < kMap);
}

TEST_CASE("an edit that a world keeps is the word that it was") {
  words::WorldEdit word;
  word.set_by(9);
  words::Edit& its = *word.mutable_edit();
  its.set_op(words::Edit::LINE);
  its.set_x(1), its.set_y(2), its.set_z(3), its.set_x2(4), its.set_y2(5), its.set_z2(6);
  its.set_colour(0x112233);
  CHECK(BlockEdit(word).word().ShortDebugString() == word.ShortDebugString());
}

TEST_CASE("an edit replaces one of the same block, whatever both do to it, and never one of several blocks") {
  const BlockEdit build = edit(1, 2, words::Edit::BUILD, 7);
  CHECK(replaces(edit(1, 2, words::Edit::DIG), build));
  CHECK(replaces(build, edit(1, 2, words::Edit::DIG)));
  CHECK(replaces(build, build));
  CHECK_FALSE(replaces(edit(2, 2, words::Edit::DIG), build));
  CHECK_FALSE(replaces(edit(1, 3, words::Edit::DIG), build));
  BlockEdit above = build;
  above.z = 1;
  CHECK_FALSE(replaces(above, build));
  for (const auto op : {words::Edit::COLUMN, words::Edit::BLAST, words::Edit::LINE}) {
    CHECK_FALSE(replaces(edit(1, 2, op), build));
    CHECK_FALSE(replaces(build, edit(1, 2, op)));
  }
}

TEST_CASE("a world gets to another one by the edits that it does not have yet, or not at all") {
  const BlockEdit a = edit(1, 0, words::Edit::BUILD), b = edit(2, 0, words::Edit::BUILD),
                  dug = edit(1, 0, words::Edit::DIG), line = edit(3, 0, words::Edit::LINE);
  std::vector<const BlockEdit*> between;
  const auto gets_to = [&](const std::vector<BlockEdit>& from, const std::vector<BlockEdit>& to) {
    between.clear();
    return edits_between(from, to, between);
  };
  CHECK(gets_to({a}, {a}));
  CHECK(between.empty());
  const std::vector<BlockEdit> more = {a, b, line};
  CHECK(gets_to({a}, more));
  REQUIRE(between.size() == 2);
  CHECK(between[0] == &more[1]);
  CHECK(between[1] == &more[2]);
  CHECK(gets_to({a, b}, {b, dug}));  // a is replaced
  REQUIRE(between.size() == 1);
  CHECK(*between[0] == dug);
  CHECK_FALSE(gets_to({a, b}, {b}));  // a would have to be undone
  CHECK_FALSE(gets_to({a, line}, {a}));
  CHECK_FALSE(gets_to({line, a}, {a, b}));
  CHECK(between.empty());
  CHECK(gets_to({}, {line}));
}

TEST_CASE("among a few edits a replaced one is removed at once; among more it may stay for a while") {
  EditList edits;
  for (int i = 0; i < 63; ++i) edits.add(edit(i, 0, words::Edit::BUILD), 1'000);
  edits.add(edit(5, 0, words::Edit::DIG), 1'000);
  CHECK(edits.size() == 63);
  CHECK(edits.all().size() == 63);
  CHECK(edits.all().back().op == words::Edit::DIG);
  edits.add(edit(63, 0, words::Edit::BUILD), 1'000);
  CHECK(edits.size() == 64);
  edits.clear();
  CHECK(edits.size() == 0);
  CHECK(edits.all().empty());
}

TEST_CASE("appended edits stay as they are and in their order") {
  EditList edits;
  for (int i = 0; i < 300; ++i) edits.append(edit(i / 2, 0, words::Edit::BUILD, static_cast<std::uint32_t>(i)));
  CHECK(edits.size() == 300);
  std::uint32_t next = 0;
  edits.each([&](const BlockEdit& one) { CHECK(one.colour == next++); });
  CHECK(next == 300);
}

TEST_CASE("a full list drops the edits of new blocks, however many at once, and none of several blocks that it kept") {
  constexpr std::size_t kMost = 100;
  EditList edits;
  std::size_t dropped = 0;
  for (int i = 0; i < 50; ++i) dropped += edits.add(edit(i, 0, words::Edit::LINE), kMost);
  for (int i = 0; i < 500; ++i) dropped += edits.add(edit(i, 1, words::Edit::BUILD), kMost);
  auto kept = edits.all();
  CHECK(kept.size() + dropped == 550);
  CHECK(kept.size() >= kMost);
  CHECK(std::count_if(kept.begin(), kept.end(), [](const auto& one) { return one.op == words::Edit::LINE; }) == 50);
  for (int i = 0; i < 50; ++i)
    CHECK(std::any_of(kept.begin(), kept.end(), [&](const auto& one) { return one.x == i && one.y == 1; }));
}

}  // namespace entente::core::edits_test
