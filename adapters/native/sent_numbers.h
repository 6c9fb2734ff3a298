// The numbers of the intents that a back has sent, there and here. A server counts the intents of a link from 1, and
// answers by its own count (Fact.cause). Here the player has said more, which was not sent, and the room has said
// something in the player's name.
// Invariant: it keeps at most kMostRuns runs, the last ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>

namespace entente::native {

class SentNumbers {
 public:
  static constexpr std::size_t kMostRuns = 1'024;

  void clear() {
    runs_.clear();
    sent_ = 0;
  }
  /// An intent was sent. `here`: its number in our room; 0: it is none of the player's.
  void add(std::uint32_t here) {
    ++sent_;
    if (!runs_.empty() && number_in(runs_.back(), sent_) == here) return;
    if (runs_.size() == kMostRuns) runs_.pop_front();
    runs_.push_back({sent_, here});
  }
  /// The number in our room of the intent that is the server's number `there`; 0: none, or it is not known any more.
  std::uint32_t here(std::uint32_t there) const {
    if (there > sent_) return 0;
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), there,
                                        [](std::uint32_t number, const Run& run) { return number < run.there; });
    return after != runs_.begin() ? number_in(*std::prev(after), there) : 0;
  }

 private:
  /// Intents that were numbered one after another, there and here.
  struct Run {
    std::uint32_t there, here;  // of the first one; here 0: all of them are the room's
  };
  static std::uint32_t number_in(const Run& run, std::uint32_t there) {
    return run.here != 0 ? run.here + (there - run.there) : 0;
  }

  std::deque<Run> runs_;
  std::uint32_t sent_ = 0;
};

}  // namespace entente::native
