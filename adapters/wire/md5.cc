#include "adapters/wire/md5.h"

#include <bit>
#include <cmath>

namespace entente::wire {
namespace {

constexpr std::size_t kBlock = 64;
using State = std::array<std::uint32_t, 4>;

/// RFC 1321, 3.4: the whole part of 2^32 times the sine of 1 … 64.
const std::array<std::uint32_t, 64>& sines() {
  static const auto all = [] {
    std::array<std::uint32_t, 64> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
      table[i] = static_cast<std::uint32_t>(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0);
    return table;
  }();
  return all;
}

/// The function of b, c and d (F, G, H or I of RFC 1321) that step `i` uses.
std::uint32_t mixed(std::size_t i, const State& s) {
  switch (i / 16) {
    case 0:
      return (s[1] & s[2]) | (~s[1] & s[3]);
    case 1:
      return (s[1] & s[3]) | (s[2] & ~s[3]);
    case 2:
      return s[1] ^ s[2] ^ s[3];
    default:
      return s[2] ^ (s[1] | ~s[3]);
  }
}

void take(State& state, const std::uint8_t* block) {
  static constexpr std::array<std::array<int, 4>, 4> kTurns{
      {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
  static constexpr std::array<std::size_t, 4> kStep{1, 5, 3, 7}, kFirst{0, 1, 5, 0};
  State s = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t round = i / 16, word = 4 * ((kStep[round] * i + kFirst[round]) % 16);
    const std::uint32_t in =
        static_cast<std::uint32_t>(block[word]) | static_cast<std::uint32_t>(block[word + 1]) << 8U |
        static_cast<std::uint32_t>(block[word + 2]) << 16U | static_cast<std::uint32_t>(block[word + 3]) << 24U;
    const std::uint32_t sum = s[0] + mixed(i, s) + in + sines()[i];
    s = {s[3], s[1] + std::rotl(sum, kTurns[round][i % 4]), s[1], s[2]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

}  // namespace

std::array<std::uint8_t, 16> md5(Bytes bytes) {
  State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::size_t whole = bytes.size() / kBlock * kBlock;
  for (std::size_t at = 0; at < whole; at += kBlock) take(state, bytes.data() + at);

  Buffer last(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end());
  last.push_back(0x80);
  while (last.size() % kBlock != kBlock - 8) last.push_back(0);
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (unsigned shift = 0; shift < 64; shift += 8) last.push_back(static_cast<std::uint8_t>(bits >> shift));
  for (std::size_t at = 0; at < last.size(); at += kBlock) take(state, last.data() + at);

  std::array<std::uint8_t, 16> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (8 * (i % 4)));
  return digest;
}

}  // namespace entente::wire
