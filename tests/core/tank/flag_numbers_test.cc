// The flag numbers of a client: a token keeps its number as long as the world has the token.
#include "proxy/core/tank/flag_numbers.h"

#include <doctest/doctest.h>

namespace entente::core::flag_numbers_test {
namespace {

Fact token(Id id, words::Token::State state = words::Token::GROUND) {
  words::Token token;
  token.set_id(id);
  token.set_state(state);
  return token;
}

TEST_CASE("numbers of tokens that left with their server are used again") {
  FlagNumbers numbers(2);
  WorldState world;
  for (const Id id : {7u, 8u, 9u}) world.fold(token(id));
  CHECK(numbers.give(7, world) == 0);
  CHECK(numbers.give(8, world) == 1);
  CHECK_FALSE(numbers.give(9, world));

  WorldState next;
  next.fold(token(8));
  next.fold(token(10));
  world.become(std::move(next));
  CHECK(numbers.give(10, world) == 0);
  CHECK(numbers.give(8, world) == 1);
  CHECK(numbers.token(0) == 10);
  CHECK(numbers.of_token(7) == nullptr);
}

TEST_CASE("numbers of tokens that are not in the game are used again, for tokens and pickups that are") {
  FlagNumbers numbers(2);
  WorldState world;
  for (const Id id : {7u, 8u, 9u, 10u}) world.fold(token(id));
  CHECK(numbers.give(7, world) == 0);
  CHECK(numbers.give(8, world) == 1);
  world.fold(token(7, words::Token::NOWHERE));
  CHECK(numbers.give(9, world) == 0);
  CHECK_FALSE(numbers.give(7, world));
  world.fold(token(9, words::Token::NOWHERE));
  words::Unit pickup;
  pickup.set_id(20);
  pickup.set_kind(words::Unit::PICKUP);
  pickup.set_alive(true);
  world.fold(Fact(pickup));
  const auto seen = numbers.see(20, world);
  REQUIRE(seen.pickup);
  CHECK(seen.pickup->number == 0);
  CHECK(numbers.give(8, world) == 1);
}

TEST_CASE("tokens that are in the game get numbers first") {
  FlagNumbers numbers(2);
  WorldState world;
  words::Token base;
  base.set_id(5);
  base.set_kind(words::Token::BASE);
  base.set_state(words::Token::GROUND);
  world.fold(Fact(base));
  world.fold(token(6, words::Token::NOWHERE));
  for (const Id id : {7u, 8u}) world.fold(token(id));
  numbers.give_all(world);
  CHECK(numbers.token(0) == 7);
  CHECK(numbers.token(1) == 8);
  CHECK_FALSE(numbers.give(6, world));
}

}  // namespace
}  // namespace entente::core::flag_numbers_test
