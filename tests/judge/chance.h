// Random numbers that are the same on every machine. std's distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace entente::judged {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// From 0 to 1, without 1.
  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  double between(double from, double to) { return from + (to - from) * unit(); }
  int whole(int from, int to) { return from + static_cast<int>(next() % static_cast<std::uint64_t>(to - from + 1)); }
  bool happens(double share) { return unit() < share; }
  double normal() { return std::sqrt(-2 * std::log(1 - unit())) * std::cos(2 * std::numbers::pi * unit()); }
  double exponential(double mean) { return -mean * std::log(1 - unit()); }

 private:
  std::uint64_t state_;
};

}  // namespace entente::judged
