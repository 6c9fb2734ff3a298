// Nobody can choose keys that meet in one bucket. Counts comparisons instead of time.
#include "proxy/base/keyed_hash.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace entente::keyed_hash_test {
namespace {

std::size_t compared = 0;

template <class Key>
struct CountingEqual {
  bool operator()(const Key& a, const Key& b) const {
    ++compared;
    return a == b;
  }
};

/// Comparisons for each key when all are entered and looked up.
template <class Key, class Hash = KeyedHash<Key>>
std::size_t probes(const std::vector<Key>& keys) {
  std::unordered_map<Key, int, Hash, CountingEqual<Key>> table;
  compared = 0;
  for (const Key& key : keys) table[key] = 1;
  for (const Key& key : keys) table[key] = 2;
  return compared / keys.size();
}

TEST_CASE("keys that meet in one bucket of other hashes are spread") {
  constexpr std::size_t kKeys = 3'000;
  std::unordered_map<std::uint64_t, int> plain;
  for (std::uint64_t i = 0; i < kKeys; ++i) plain[i] = 0;
  std::vector<std::uint64_t> steps, mixed;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    steps.push_back(i * plain.bucket_count());
    mixed.push_back(i * 0xf1de83e19937733d << 32U);  // the inverse of 0x9e3779b97f4a7c15, times numbers of few bits
  }
  CHECK(probes<std::uint64_t, std::hash<std::uint64_t>>(steps) > 500);  // what chosen keys do to a table
  CHECK(probes(steps) <= 4);
  CHECK(probes(mixed) <= 4);
  std::vector<std::uint32_t> low, high;
  for (std::uint32_t i = 0; i < kKeys; ++i) low.push_back(i), high.push_back(i << 20U);
  CHECK(probes(low) <= 4);
  CHECK(probes(high) <= 4);
}

TEST_CASE("the low bits of a number's hash, which tables use, depend on all of its bits") {
  for (unsigned bit = 0; bit < 64; ++bit) {
    CAPTURE(bit);
    std::size_t differ = 0;
    for (std::uint64_t i = 0; i < 256; ++i)
      differ += ((keyed_hash(i * 0x10001) ^ keyed_hash(i * 0x10001 ^ std::uint64_t{1} << bit)) & 0xff) != 0 ? 1 : 0;
    CHECK(differ > 200);
  }
}

TEST_CASE("the hash of a text is SipHash-1-3, with another result for another key") {
  const HashSecret secret = {0x0706050403020100, 0x0f0e0d0c0b0a0908, 0, 0};
  Buffer bytes;
  CHECK(keyed_hash(bytes, secret) == 0xabac0158050fc4dc);
  for (std::uint8_t i = 0; i < 15; ++i) bytes.push_back(i);
  CHECK(keyed_hash(bytes, secret) != keyed_hash(bytes));
  std::vector<std::string> names;
  for (int i = 0; i < 3'000; ++i) names.push_back("player " + std::to_string(i));
  CHECK(probes(names) <= 4);
  CHECK(KeyedHash<std::string>()("anna") == keyed_hash(as_bytes("anna")));
}

}  // namespace
}  // namespace entente::keyed_hash_test
