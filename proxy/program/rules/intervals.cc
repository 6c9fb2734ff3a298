#include "proxy/program/rules/intervals.h"

#include <algorithm>
#include <cmath>

namespace entente {
namespace {

constexpr double kTail = 0.025;          // on each side
constexpr double kDeviations = 1.95996;  // of a normal distribution, beyond which this is left

/// The probability of at most `count` events where `expected` are expected.
double at_most(std::size_t count, double expected) {
  if (expected <= 0) return 1;
  double sum = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const auto n = static_cast<double>(i);
    sum += std::exp(n * std::log(expected) - expected - std::lgamma(n + 1));
  }
  return std::min(sum, 1.0);
}

/// The expected number at which at_most(count) has fallen to `probability`.
double expected_at(std::size_t count, double probability) {
  double low = 0, high = 2 * static_cast<double>(count) + 20;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (at_most(count, middle) > probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Interval share_interval(std::size_t part, std::size_t all) {
  if (all == 0) return {0, 1};
  const auto n = static_cast<double>(all);
  const double share = static_cast<double>(part) / n, z = kDeviations * kDeviations;
  const double middle = (share + z / (2 * n)) / (1 + z / n);
  const double half = kDeviations * std::sqrt(share * (1 - share) / n + z / (4 * n * n)) / (1 + z / n);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

Interval count_interval(std::size_t count) {
  return {count == 0 ? 0 : expected_at(count - 1, 1 - kTail), expected_at(count, kTail)};
}

}  // namespace entente
