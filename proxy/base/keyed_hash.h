// Hashes for tables whose keys a peer chooses.
// Invariant: they depend on a random key of the process. Who does not know it cannot choose keys that meet in one
// bucket. The order in which such a table is gone through differs from process to process, so it must never reach what
// is sent or written.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <type_traits>

#include "proxy/base/bytes.h"

namespace entente {

using HashSecret = std::array<std::uint64_t, 4>;

/// The random key of this process.
inline const HashSecret& hash_secret() {
  static const HashSecret secret = [] {
    std::random_device random;
    HashSecret made{};
    for (std::uint64_t& part : made) part = std::uint64_t{random()} << 32U | random();
    return made;
  }();
  return secret;
}

/// SipHash-1-3 of these bytes, by the first two words of the key (https://www.aumasson.jp/siphash/siphash.pdf).
inline std::uint64_t keyed_hash(Bytes bytes, const HashSecret& secret = hash_secret()) {
  std::uint64_t a = secret[0] ^ 0x736f6d6570736575, b = secret[1] ^ 0x646f72616e646f6d,
                c = secret[0] ^ 0x6c7967656e657261, d = secret[1] ^ 0x7465646279746573;
  const auto round = [&] {
    a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
    c += d, d = std::rotl(d, 16) ^ c;
    a += d, d = std::rotl(d, 21) ^ a;
    c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
  };
  const auto take = [&](std::uint64_t word) {
    d ^= word;
    round();
    a ^= word;
  };
  std::uint64_t last = std::uint64_t{bytes.size()} << 56U;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 8; ++i) word |= std::uint64_t{bytes[i]} << 8 * i;
    take(word);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) last |= std::uint64_t{bytes[i]} << 8 * i;
  take(last);
  c ^= 0xff;
  for (int i = 0; i < 3; ++i) round();
  return a ^ b ^ c ^ d;
}

/// The same for a number: two multiplications, for tables that are looked up for each packet.
inline std::uint64_t keyed_hash(std::uint64_t number, const HashSecret& secret = hash_secret()) {
  __extension__ using Wide = unsigned __int128;
  const auto fold = [](std::uint64_t a, std::uint64_t b) {
    const Wide product = Wide{a} * (b | 1U);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  };
  return fold(fold(number ^ secret[0], secret[1]) ^ secret[2], secret[3]);
}

/// The hash of a table: of numbers, pointers, and texts.
template <class Key>
struct KeyedHash {
  std::size_t operator()(const Key& key) const {
    if constexpr (std::is_convertible_v<const Key&, std::string_view>)
      return keyed_hash(as_bytes(std::string_view(key)));
    else if constexpr (std::is_pointer_v<Key>)
      return keyed_hash(std::bit_cast<std::uintptr_t>(key));
    else
      return keyed_hash(static_cast<std::uint64_t>(key));
  }
};

}  // namespace entente
