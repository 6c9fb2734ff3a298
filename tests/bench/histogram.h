// Counts of durations in buckets 1/64 of a power of two wide: a duration is known to 1.6 %, and counting is cheap. The
// histograms of several rounds can be added (report.py does).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>

namespace entente::bench {

class Histogram {
 public:
  std::uint64_t count() const { return count_; }

  void add(std::uint64_t ns) {
    ++buckets_[bucket(ns)];
    ++count_;
  }

  /// As JSON: [[the least duration of a bucket in ns, its count], ...], ascending, without empty buckets.
  void print() const {
    const char* before = "[";
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      if (buckets_[i] == 0) continue;
      std::printf("%s[%llu, %u]", before, static_cast<unsigned long long>(lowest(i)), unsigned{buckets_[i]});
      before = ", ";
    }
    std::fputs(count_ == 0 ? "[]" : "]", stdout);
  }

 private:
  static constexpr unsigned kFine = 6;  // bits of a duration, below the highest, that select its bucket

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
