// Units in cells, and the memory that units can make a grid keep.
#include "proxy/core/grid.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/heap.h"

namespace entente::core::grid_test {
namespace {

std::vector<int> in_box(const Grid<int>& grid, double west, double east, double south, double north) {
  std::vector<int> all;
  grid.in_box(west, east, south, north, [&](int unit) { all.push_back(unit); });
  std::sort(all.begin(), all.end());
  return all;
}

TEST_CASE("grid: a box has the units in it, wherever they are") {
  Grid<int> grid(10);
  for (int i = 0; i < 100; ++i) grid.place(i, i % 10 * 10 - 45, i / 10 * 10 - 45);
  CHECK(in_box(grid, -45, -35, -45, -35) == std::vector<int>{0, 1, 10, 11});
  CHECK(in_box(grid, -1e9, 1e9, -1e9, 1e9).size() == 100);
  CHECK(in_box(grid, 5, -5, -45, 45).empty());
  CHECK(in_box(grid, -4, 4, -1e9, 1e9).empty());
  CHECK(in_box(grid, -5, -5, -1e9, 1e9) == std::vector<int>{4, 14, 24, 34, 44, 54, 64, 74, 84, 94});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  grid.place(5, nan, 1e300);
  grid.place(6, 1e6, -1e6);
  CHECK(in_box(grid, -1e9, 1e9, -1e9, 1e9).size() == 99);
  CHECK(in_box(grid, 1e5, 1e7, -1e7, -1e5) == std::vector<int>{6});
  Grid<int> copy(grid);
  copy.place(4, 1e4, 0);
  CHECK(in_box(copy, -5, -5, -1e9, 1e9).size() == 9);
  CHECK(in_box(grid, -5, -5, -1e9, 1e9).size() == 10);
  grid.remove(6);
  grid.remove(6);
  CHECK(in_box(grid, 1e5, 1e7, -1e7, -1e5).empty());
}

TEST_CASE("grid: cells without units are forgotten, however far units go") {
  Grid<int> grid(10);
  std::size_t most = 0;
  for (int step = 0; step < 20'000; ++step) {
    for (int unit = 0; unit < 10; ++unit) grid.place(unit, step * 10, (step * 7919 + unit) % 3'000 * 10);
    REQUIRE(grid.cells() <= 21 + Grid<int>::kMostSpare);
    if (step < 2'000) most = std::max(most, grid.bytes());
  }
  CHECK(grid.bytes() <= most + most / 10);
}

TEST_CASE("grid: units that stayed are found, move and leave after cells without units were forgotten") {
  Grid<int> grid(10);
  for (int unit = 0; unit < 10; ++unit) grid.place(unit, unit * 10, -50);
  constexpr int kSteps = 3'000;
  for (int step = 0; step < kSteps; ++step) grid.place(10, step * 10, 50);
  REQUIRE(grid.cells() < kSteps);
  CHECK(in_box(grid, 0, 99, -50, -50) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(in_box(grid, 0, 29, -50, -50) == std::vector<int>{0, 1, 2});
  grid.place(3, 31, -49);    // in its cell
  grid.place(4, 52, -50);    // into another one that is known
  grid.place(5, 500, -500);  // into a new one
  grid.remove(6);
  CHECK(in_box(grid, 30, 39, -50, -40) == std::vector<int>{3});
  CHECK(in_box(grid, 40, 69, -50, -40) == std::vector<int>{4});
  CHECK(in_box(grid, 500, 509, -500, -491) == std::vector<int>{5});
}

TEST_CASE("grid: a cell that a crowd has left has no more room than four times its units") {
  Grid<int> grid(10);
  constexpr int kCrowd = 2'000;
  for (int step = 0; step < 500; ++step)  // the crowd leaves one behind at each step
    for (int unit = step; unit < kCrowd; ++unit) grid.place(unit, step * 10, 0);
  CHECK(grid.bytes() < 500 * 1'000 + kCrowd * 4 * 24);
}

TEST_CASE("grid: units that move between known cells allocate nothing") {
  Grid<int> grid(10);
  std::size_t before = 0;
  for (int step = 0; step < 100; ++step) {
    if (step == 20) before = testing::allocations_here();
    for (int unit = 0; unit < 50; ++unit) grid.place(unit, step % 10 * 10, unit * 10);
  }
  CHECK(testing::allocations_here() == before);
}

}  // namespace
}  // namespace entente::core::grid_test
