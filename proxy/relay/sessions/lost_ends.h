// The ends of servers that a session has lost. They may be calling the session at that moment, so they are closed at
// once and destroyed later.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "proxy/relay/ends/end.h"

namespace entente::relay {

class LostEnds {
 public:
  void add(std::unique_ptr<End> end, Millis now) {
    end->hang_up();
    add_parting(std::move(end), now);
  }
  /// An end that was shut down, and sends what waits.
  void add_parting(std::unique_ptr<End> end, Millis now) {
    if (ends_.size() >= kMost) ends_.erase(ends_.begin());
    ends_.push_back(std::move(end));
    added_ = now;
  }
  bool empty() const { return ends_.empty(); }
  void tick(Millis now) {
    if (!ends_.empty() && now > added_ + kDestroyAfter) ends_.clear();
  }

 private:
  static constexpr Millis kDestroyAfter = 1'000;  // more than a turn of the loop
  static constexpr std::size_t kMost = 8;         // more than are lost in a turn of the loop

  std::vector<std::unique_ptr<End>> ends_;
  Millis added_ = 0;
};

}  // namespace entente::relay
