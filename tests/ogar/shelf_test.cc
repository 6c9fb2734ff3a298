// Values that come and go, beside a map of the standard library.
#include "adapters/ogar/front/shelf.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace entente::ogar::shelf_test {
namespace {

TEST_CASE("a shelf knows what was put there and not taken away, in whatever order it is asked") {
  Shelf<std::uint64_t, int> shelf;
  std::map<std::uint64_t, int> kept;
  std::mt19937 random(7);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t key = random() % 200 + (random() % 2 == 0 ? 1ULL << 63U : 0);
    INFO(step, ", key ", key);
    switch (random() % 8) {
      case 0:
        shelf.remove(key);
        kept.erase(key);
        break;
      case 1:
        if (!kept.contains(key)) shelf.add(key) = kept[key] = step;
        break;
      case 2:
        shelf.begin_round();
        break;
      default: {
        const int* value = random() % 4 == 0 ? shelf.peek(key) : shelf.find(key);
        const auto at = kept.find(key);
        REQUIRE((value != nullptr) == (at != kept.end()));
        if (value != nullptr) REQUIRE(*value == at->second);
      }
    }
    REQUIRE(shelf.has(key) == kept.contains(key));
    REQUIRE(shelf.size() == kept.size());
  }
  std::map<std::uint64_t, int> all;
  for (const auto& [key, value] : shelf) all[key] = value;
  CHECK(all == kept);
  shelf.clear();
  CHECK(shelf.size() == 0);
  CHECK(shelf.find(kept.begin()->first) == nullptr);
}

/// A hundred keys, each with itself.
void fill(Shelf<std::uint32_t, int>& shelf) {
  for (std::uint32_t key = 0; key < 100; ++key) shelf.add(key) = static_cast<int>(key);
}

/// The keys as they lie.
std::vector<std::uint32_t> lying(const Shelf<std::uint32_t, int>& shelf) {
  std::vector<std::uint32_t> keys;
  for (const auto& [key, value] : shelf) keys.push_back(key);
  return keys;
}

void look_up(Shelf<std::uint32_t, int>& shelf, const std::vector<std::uint32_t>& keys) {
  shelf.begin_round();
  for (const std::uint32_t key : keys) {
    int* value = shelf.find(key);
    REQUIRE(value != nullptr);
    CHECK(*value == static_cast<int>(key));
  }
}

TEST_CASE("what is on a shelf comes to lie as it is looked up, in the round after one in which it lay elsewhere") {
  Shelf<std::uint32_t, int> shelf;
  fill(shelf);
  const std::vector<std::uint32_t> before = lying(shelf);
  std::vector<std::uint32_t> order = before;
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  look_up(shelf, order);
  CHECK(lying(shelf) == before);
  look_up(shelf, order);
  CHECK(lying(shelf) == order);
}

TEST_CASE("on a shelf few that are looked up earlier, later or twice move none of the others") {
  Shelf<std::uint32_t, int> shelf;
  fill(shelf);
  const std::vector<std::uint32_t> before = lying(shelf);
  std::vector<std::uint32_t> order = before;
  std::rotate(order.begin(), order.end() - 1, order.end());  // 99 comes first
  order.erase(order.begin() + 30, order.begin() + 35);       // some are out of sight
  std::swap(order[50], order[53]);                           // and two have changed places
  order.insert(order.begin() + 70, {order[10], order[20]});  // or are asked for twice
  for (int round = 0; round < 5; ++round) look_up(shelf, order);
  CHECK(lying(shelf) == before);
}

}  // namespace
}  // namespace entente::ogar::shelf_test
