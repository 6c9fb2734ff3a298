// The numbers of a back's own shots, in the room and on the server.
#include "proxy/core/tank/shot_numbers.h"

#include <doctest/doctest.h>

namespace entente::core::shot_numbers_test {

TEST_CASE("a shot is found by both of its numbers; an unknown one keeps its number") {
  ShotNumbers numbers;
  numbers.begin(0x10000, 0x0302);
  numbers.begin(5, 0);
  CHECK(numbers.on_server(0x10000) == 0x0302);
  CHECK(numbers.in_room(0x0302) == 0x10000);
  CHECK(numbers.on_server(5) == 0);
  CHECK(numbers.in_room(0) == 5);
  CHECK(numbers.in_room(0x0402) == 0x0402);  // the same gun
  CHECK(numbers.on_server(0x10007) == 7);
  CHECK(numbers.in_room(7) == 7);
}

TEST_CASE("an unknown shot keeps its number whether its gun has another shot or none") {
  ShotNumbers numbers;
  CHECK(numbers.on_server(0) == 0);
  CHECK(numbers.in_room(0) == 0);
  numbers.begin(7, 0x0305);
  CHECK(numbers.on_server(0x0105) == 0x0105);
}

TEST_CASE("a gun has one shot, the last one; a number in the room is that of the last shot that had it") {
  ShotNumbers numbers;
  numbers.begin(9, 0x0100);
  numbers.begin(10, 0x0200);
  CHECK(numbers.in_room(0x0100) == 0x0100);
  CHECK(numbers.on_server(9) == 9);
  CHECK(numbers.on_server(10) == 0x0200);
  numbers.begin(10, 0x0201);
  CHECK(numbers.on_server(10) == 0x0201);
  CHECK(numbers.in_room(0x0200) == 0x0200);
}

TEST_CASE("no number of an unknown shot leads to a kept one") {
  ShotNumbers numbers;
  numbers.begin(0x0105, 0x0302);
  CHECK(numbers.on_server(0x0302) == std::nullopt);
  CHECK(numbers.on_server(0x50302) == std::nullopt);
  CHECK(numbers.in_room(0x0105) == std::nullopt);
  numbers.begin(0x0302, 0x0302);  // the same gun
  CHECK(numbers.on_server(0x0302) == 0x0302);
  CHECK(numbers.in_room(0x0105) == 0x0105);
  CHECK(numbers.on_server(0x0105) == 0x0105);
}

}  // namespace entente::core::shot_numbers_test
