#include "proxy/relay/pace.h"

namespace entente::relay {

std::optional<std::uint64_t> Pace::may_say(Line line, Millis now) {
  Slot& slot = slots_[static_cast<std::size_t>(line)];
  Millis next = slot.next.load(std::memory_order_relaxed);
  // Of two workers that come at once, one moves the time on and speaks.
  if (now >= next && slot.next.compare_exchange_strong(next, now + kEvery, std::memory_order_relaxed))
    return slot.unsaid.exchange(0, std::memory_order_relaxed);
  slot.unsaid.fetch_add(1, std::memory_order_relaxed);
  return std::nullopt;
}

}  // namespace entente::relay
