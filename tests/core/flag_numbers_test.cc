// The flag numbers of a client: a token keeps its number as long as the world has the token.
#include "proxy/core/tank/flag_numbers.h"

#include <doctest/doctest.h>

namespace entente::core::flag_numbers_test {
namespace {

Fact token(Id id) {
  words::Token token;
  token.set_id(id);
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

}  // namespace
}  // namespace entente::core::flag_numbers_test
