#include "proxy/relay/base/log_limiter.h"

#include <algorithm>
#include <cassert>

namespace entente::relay {

LogLimiter::Slot& LogLimiter::slot_of(LogKind kind, std::string_view what) {
  const auto found =
      std::find_if(slots_.begin(), slots_.end(), [&](const Slot& one) { return one.kind == kind && one.what == what; });
  return found != slots_.end() ? *found : slots_.emplace_back(Slot{kind, what});
}

bool LogLimiter::say(LogKind kind, std::string_view what, Millis now, Say tell, std::uint64_t times) {
  assert(times > 0);
  std::uint64_t more = 0;
  {
    const std::lock_guard lock(mutex_);
    Slot& slot = slot_of(kind, what);
    slot.suppressed += times;
    if (!slot.may_speak(now)) {
      slot.kept = std::move(tell);
      return false;
    }
    slot.speak(now);
    slot.kept = nullptr;
    more = std::exchange(slot.suppressed, 0) - 1;
  }
  tell(more);
  return true;
}

void LogLimiter::take_kept(Slot& slot, Due& due) {
  if (slot.kept) due.emplace_back(std::exchange(slot.kept, nullptr), std::exchange(slot.suppressed, 0) - 1);
}

void LogLimiter::say_kept(Millis now) {
  Due due;
  {
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_) {
      if (!slot.kept || !slot.may_speak(now)) continue;
      slot.speak(now);
      take_kept(slot, due);
    }
  }
  for (const auto& [tell, more] : due) tell(more);
}

void LogLimiter::say_rest() {
  Due due;
  {
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_) take_kept(slot, due);
  }
  for (const auto& [tell, more] : due) tell(more);
}

}  // namespace entente::relay
