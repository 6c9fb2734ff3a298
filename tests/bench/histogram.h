// Counts of durations in buckets 1/64 of a power of two wide: a percentile is right to 1.6 %, and counting costs
// nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace entente::bench {

class Histogram {
 public:
  void clear() { *this = {}; }
  std::uint64_t count() const { return count_; }

  void add(std::uint64_t ns) {
    ++buckets_[bucket(ns)];
    ++count_;
  }

  /// The duration that `share` (0 to 1) of all counted ones do not exceed, in ns; 0 if nothing was counted.
  std::uint64_t percentile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      if ((seen += buckets_[i]) > wanted) return lowest(i);
    return 0;
  }

 private:
  static constexpr unsigned kFine = 6;  // bits of a duration that its bucket tells, below the highest

  static std::size_t bucket(std::uint64_t ns) {
    const auto high = static_cast<unsigned>(std::bit_width(ns | (1u << kFine)) - 1);
    return (std::size_t{high - kFine} << kFine) + (ns >> (high - kFine));
  }
  static std::uint64_t lowest(std::size_t bucket) {
    if (bucket < (2u << kFine)) return bucket;
    const auto shift = (bucket >> kFine) - 1;
    return (bucket - (shift << kFine)) << shift;
  }

  std::array<std::uint32_t, (64 - kFine + 1) << kFine> buckets_{};
  std::uint64_t count_ = 0;
};

}  // namespace entente::bench
