// The ids and random numbers that a room gives.
#include "proxy/core/room/numbers.h"

#include <doctest/doctest.h>

namespace entente::core::numbers_test {
namespace {

bool nobody(Id) { return false; }

TEST_CASE("ids are counted up, and asked for only once all have been given") {
  Numbers numbers(1, kLastId - 2);
  int asked = 0;
  const auto next = [&] {
    return numbers.next_id([&](Id id) {
      ++asked;
      return id == 1 || id == 2;
    });
  };
  CHECK(next() == kLastId - 1);
  CHECK(next() == kLastId);
  CHECK(asked == 0);
  CHECK(next() == 3);
  CHECK(asked == 3);
  CHECK(next() == 4);
}

TEST_CASE("a room to which a player goes gives none of the ids that the other room gives meanwhile") {
  Numbers there(1, 7), here(2, 0);
  here.go_on_after(there, 100);
  for (Id id = 8; id <= 107; ++id) REQUIRE(there.next_id(nobody) == id);
  CHECK(here.next_id(nobody) == 108);
}

TEST_CASE("also if the other room has given all ids") {
  Numbers there(1, kLastId - 1), here(2, 0);
  here.go_on_after(there, 100);
  CHECK(here.next_id([](Id id) { return id <= 5; }) == 6);
}

TEST_CASE("the same seed gives the same random numbers") {
  Numbers one(5, 0), other(5, 9), third(6, 0);
  const std::uint32_t first = one.random();
  CHECK(other.random() == first);
  CHECK(third.random() != first);
}

}  // namespace
}  // namespace entente::core::numbers_test
