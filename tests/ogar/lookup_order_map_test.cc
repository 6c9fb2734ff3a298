// LookupOrderMap, compared with a map of the standard library.
#include "adapters/ogar/translate/lookup_order_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace entente::ogar::lookup_order_map_test {
namespace {

TEST_CASE("a lookup finds exactly the values that were added and not removed, in any order of lookup") {
  LookupOrderMap<std::uint64_t, int> map;
  std::map<std::uint64_t, int> kept;
  std::mt19937 random(7);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t key = random() % 200 + (random() % 2 == 0 ? 1ULL << 63U : 0);
    INFO(step, ", key ", key);
    switch (random() % 8) {
      case 0:
        map.remove(key);
        kept.erase(key);
        break;
      case 1:
        if (!kept.contains(key)) map.add(key) = kept[key] = step;
        break;
      case 2:
        map.begin_round();
        break;
      default: {
        const int* value = random() % 4 == 0 ? map.peek(key) : map.find(key);
        const auto at = kept.find(key);
        REQUIRE((value != nullptr) == (at != kept.end()));
        if (value != nullptr) REQUIRE(*value == at->second);
      }
    }
    REQUIRE(map.has(key) == kept.contains(key));
    REQUIRE(map.size() == kept.size());
  }
  std::map<std::uint64_t, int> all;
  for (const auto& [key, value] : map) all[key] = value;
  CHECK(all == kept);
  map.clear();
  CHECK(map.size() == 0);
  CHECK(map.find(kept.begin()->first) == nullptr);
}

/// Adds a hundred keys, each with itself as value.
void fill(LookupOrderMap<std::uint32_t, int>& map) {
  for (std::uint32_t key = 0; key < 100; ++key) map.add(key) = static_cast<int>(key);
}

/// The keys in the order in which they are stored.
std::vector<std::uint32_t> lying(const LookupOrderMap<std::uint32_t, int>& map) {
  std::vector<std::uint32_t> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

void look_up(LookupOrderMap<std::uint32_t, int>& map, const std::vector<std::uint32_t>& keys) {
  map.begin_round();
  for (const std::uint32_t key : keys) {
    int* value = map.find(key);
    REQUIRE(value != nullptr);
    CHECK(*value == static_cast<int>(key));
  }
}

TEST_CASE("values are moved into the order of lookup, one round after they were out of order") {
  LookupOrderMap<std::uint32_t, int> map;
  fill(map);
  const std::vector<std::uint32_t> before = lying(map);
  std::vector<std::uint32_t> order = before;
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  look_up(map, order);
  CHECK(lying(map) == before);
  look_up(map, order);
  CHECK(lying(map) == order);
}

TEST_CASE("a few lookups that come earlier, later or twice do not move values") {
  LookupOrderMap<std::uint32_t, int> map;
  fill(map);
  const std::vector<std::uint32_t> before = lying(map);
  std::vector<std::uint32_t> order = before;
  std::rotate(order.begin(), order.end() - 1, order.end());  // 99 comes first
  order.erase(order.begin() + 30, order.begin() + 35);       // some are out of sight
  std::swap(order[50], order[53]);                           // two are swapped
  order.insert(order.begin() + 70, {order[10], order[20]});  // two are looked up twice
  for (int round = 0; round < 5; ++round) look_up(map, order);
  CHECK(lying(map) == before);
}

}  // namespace
}  // namespace entente::ogar::lookup_order_map_test
