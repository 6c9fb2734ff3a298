#include "proxy/core/replay/playhead.h"

#include <algorithm>
#include <cmath>

namespace entente::core {

Micros Playhead::position(Micros now) const {
  if (!runs() || now < since_) return at_;
  const auto gone = static_cast<Micros>(static_cast<double>(now - since_) * speed_);
  return std::min(at_ + gone, std::max(at_, end_time()));
}

Micros Playhead::when(Micros place) const {
  const double left = static_cast<double>(place - std::min(place, at_)) / speed_;
  return since_ + static_cast<Micros>(std::ceil(left));
}

void Playhead::catch_up(Micros now) {
  Micros there = position(now);
  const auto next = there != at_ ? reader_->next_at() : std::nullopt;
  if (next && *next <= there) there = std::max(at_, *next - std::min<Micros>(*next, 1));
  at_ = there;
  since_ = now;
}

}  // namespace entente::core
