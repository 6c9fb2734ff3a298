// Values that come and go, beside a map of the standard library.
#include "adapters/ogar/shelf.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

namespace entente::ogar {
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

TEST_CASE("what is on a shelf comes to lie about as it is looked up") {
  Shelf<std::uint32_t, int> shelf;
  for (std::uint32_t key = 0; key < 100; ++key) shelf.add(key) = 0;
  for (std::uint32_t key = 100; key-- > 0;) REQUIRE(shelf.find(key) != nullptr);
  std::uint32_t expected = 100;
  int elsewhere = 0;
  for (const auto& [key, value] : shelf) elsewhere += key != --expected;
  CHECK(elsewhere <= 2);  // of two that are neighbours it does not matter which is the first
}

}  // namespace
}  // namespace entente::ogar
