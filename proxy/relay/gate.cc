#include "proxy/relay/gate.h"

#include <algorithm>
#include <cassert>

namespace entente::relay {

std::optional<Reason> Gate::enter(const net::Address& from, const Limits& limits, Millis now) {
  if (!may_come(from)) return Reason::kNotAllowed;
  if (bans_ != nullptr && bans_->find(from)) return Reason::kBanned;
  auto found = known_.find(from.network());
  if (found == known_.end()) {
    if (known_.size() >= kMostKnown) return Reason::kTooFast;
    const Bucket pace(limits.connects_per_second, limits.connects_burst, now);
    found = known_.emplace(from.network(), Visitor{0, pace}).first;
  }
  Visitor& visitor = found->second;
  visitor.pace.adapt(limits.connects_per_second, limits.connects_burst, now);
  if (!visitor.pace.take_one(now)) return Reason::kTooFast;
  if (limits.sessions && inside_ >= limits.sessions) return Reason::kTooMany;
  if (limits.sessions_per_address && visitor.inside >= limits.sessions_per_address) return Reason::kTooManyFromAddress;
  ++visitor.inside;
  ++inside_;
  return std::nullopt;
}

bool Gate::may_come(const net::Address& from) const {
  return std::all_of(access_.begin(), access_.end(), [&](const Access& access) { return access.lets(from); });
}

void Gate::leave(const net::Address& from) {
  const auto found = known_.find(from.network());
  assert(found != known_.end() && found->second.inside > 0);
  --found->second.inside;
  --inside_;
}

void Gate::tidy(Millis now) {
  std::erase_if(known_, [&](auto& one) { return one.second.inside == 0 && one.second.pace.full(now); });
}

}  // namespace entente::relay
