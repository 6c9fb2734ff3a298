#include "proxy/relay/admission/admission.h"

#include <algorithm>
#include <cassert>

namespace entente::relay {

std::optional<Reason> Admission::enter(const net::Address& from, const Limits& limits, Millis now) {
  if (const auto why = bar(from)) return why;
  auto found = known_.find(from.network());
  if (found == known_.end()) {
    if (known_.size() >= kMostKnown) return Reason::kTooFast;
    const Bucket pace(limits.connects_per_second, limits.connects_burst, now);
    found = known_.emplace(from.network(), AddressRecord{0, 0, pace}).first;
  }
  AddressRecord& record = found->second;
  record.pace.adapt(limits.connects_per_second, limits.connects_burst, now);
  if (!record.pace.take_one(now)) return Reason::kTooFast;
  if (const auto why = full(record.inside, limits)) return why;
  ++record.inside;
  ++inside_;
  return std::nullopt;
}

std::optional<Reason> Admission::objection(const net::Address& from, const Limits& limits) const {
  if (const auto why = bar(from)) return why;
  const auto found = known_.find(from.network());
  return full(found == known_.end() ? 0 : found->second.inside, limits);
}

std::optional<Reason> Admission::bar(const net::Address& from) const {
  const bool let = std::all_of(access_.begin(), access_.end(), [&](const Access& access) { return access.lets(from); });
  if (!let) return Reason::kNotAllowed;
  const bool banned = bans_ != nullptr && bans_->find(from, std::time(nullptr), place_);
  if (banned) return Reason::kBanned;
  if (draining_ == nullptr || !*draining_) return std::nullopt;
  // A player whose link broke has a place already.
  const auto known = known_.find(from.network());
  return known != known_.end() && known->second.kept != 0 ? std::nullopt : std::optional(Reason::kDraining);
}

std::optional<Reason> Admission::full(std::uint32_t from_there, const Limits& limits) const {
  if (limits.sessions && inside_ >= limits.sessions) return Reason::kTooMany;
  if (limits.sessions_per_address && from_there >= limits.sessions_per_address) return Reason::kTooManyFromAddress;
  return std::nullopt;
}

void Admission::leave(const net::Address& from) {
  const auto found = known_.find(from.network());
  assert(found != known_.end() && found->second.inside > 0);
  --found->second.inside;
  --inside_;
}

void Admission::keep(const net::Address& from) {
  leave(from);
  ++known_.at(from.network()).kept;
  ++kept_;
}

void Admission::take_back(const net::Address& from) {
  AddressRecord& record = known_.at(from.network());
  assert(record.kept > 0);
  --record.kept;
  --kept_;
  ++record.inside;
  ++inside_;
}

bool Admission::crowded_from(const net::Address& from, const Limits& limits) const {
  const auto found = known_.find(from.network());
  if (limits.sessions_per_address == 0 || found == known_.end()) return false;
  const AddressRecord& record = found->second;
  return record.kept > 0 && record.inside + record.kept > limits.sessions_per_address;
}

void Admission::tidy(Millis now) {
  std::erase_if(known_,
                [&](auto& one) { return one.second.inside == 0 && one.second.kept == 0 && one.second.pace.full(now); });
}

}  // namespace entente::relay
