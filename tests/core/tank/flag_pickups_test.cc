// The flag numbers that tokens and units to pick up share, and what a client is told of the units.
#include <doctest/doctest.h>

#include "proxy/core/tank/flag_numbers.h"
#include "tests/core/told_out.h"

namespace entente::core::flag_pickups_test {
namespace {

words::Unit pickup(Id id, bool alive = true, words::Unit::Kind kind = words::Unit::PICKUP) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_kind(kind);
  unit.set_alive(alive);
  unit.mutable_pose()->set_unit(id);
  return unit;
}

}  // namespace

TEST_CASE("tokens and units to pick up never have the same number, and a number stays while it is in use") {
  FlagNumbers numbers(3);
  testing::ToldFrontOut out;
  for (const Id id : {11U, 12U, 13U}) out.knows(pickup(id));
  words::Token token;
  token.set_id(7);
  token.set_state(words::Token::GROUND);
  out.knows(token);
  CHECK(numbers.see(11, out.world()).pickup->number == 0);
  CHECK(numbers.give(7, out.world()) == 1);
  CHECK(numbers.see(12, out.world()).pickup->number == 2);
  CHECK(numbers.see(11, out.world()).pickup->number == 0);
  CHECK(*numbers.of_token(7) == 1);
  CHECK(numbers.token(0) == 0);
  const FlagNumbers::Seen third = numbers.see(13, out.world());
  CHECK(third.no_space);
  CHECK_FALSE(third.pickup);
  CHECK_FALSE(numbers.drop(13));
  REQUIRE(numbers.drop(11));
  CHECK(numbers.see(13, out.world()).pickup->number == 0);
  numbers.set_most(4);
  CHECK(numbers.most() == 4);
  CHECK(numbers.see(11, out.world()).pickup->number == 3);
}

TEST_CASE("a unit that is hidden, dead or gone is removed at the client once, and its number is free again") {
  for (const char* how : {"hidden", "dead", "gone"}) {
    CAPTURE(how);
    FlagNumbers numbers(1);
    testing::ToldFrontOut out;
    out.knows(pickup(11));
    out.knows(pickup(12));
    const auto seen = numbers.see(11, out.world()).pickup;
    REQUIRE(seen);
    CHECK(seen->unit == out.world().unit(11));
    words::Hidden hidden;
    hidden.set_unit(11);
    words::Gone gone;
    gone.set_unit(11);
    if (how == std::string("hidden")) out.knows(hidden);
    if (how == std::string("dead")) out.knows(pickup(11, false));
    if (how == std::string("gone")) out.knows(gone);
    const auto removed = numbers.see(11, out.world());
    REQUIRE(removed.pickup);
    CHECK(removed.pickup->unit == nullptr);
    CHECK(removed.pickup->number == 0);
    CHECK_FALSE(numbers.see(11, out.world()).pickup);
    CHECK(numbers.see(12, out.world()).pickup->number == 0);
  }
}

TEST_CASE("the units to pick up are listed by their ids, without other units") {
  testing::ToldFrontOut out;
  for (const Id id : {13U, 11U, 12U}) out.knows(pickup(id, id != 12));
  out.knows(pickup(10, true, words::Unit::PELLET));
  CHECK(FlagNumbers::all_pickups(out.world()) == std::vector<Id>{11, 12, 13});
}

TEST_CASE("pellets that go are told before those that come, so that their numbers are free") {
  FlagNumbers numbers(100);
  testing::ToldFrontOut out;
  out.time = 10 * kSecond;
  out.knows(pickup(1, true, words::Unit::CELL));
  out.knows(pickup(11, true, words::Unit::PELLET));
  std::string told;
  const auto refresh = [&] {
    numbers.refresh_pellets(
        1, out, [&](Id id) { told += "-" + std::to_string(id); }, [&](Id id) { told += "+" + std::to_string(id); });
    return std::exchange(told, {});
  };
  CHECK(refresh() == "");  // nothing has changed
  numbers.mark_pellets_changed(out);
  CHECK(refresh() == "+11");
  words::Gone gone;
  gone.set_unit(11);
  out.knows(gone);
  out.knows(pickup(12, true, words::Unit::PELLET));
  out.time += kSecond;
  numbers.mark_pellets_changed(out);
  CHECK(refresh() == "-11+12");
}

}  // namespace entente::core::flag_pickups_test
