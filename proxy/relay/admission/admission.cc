#include "proxy/relay/admission/admission.h"

#include <algorithm>
#include <cassert>

namespace entente::relay {

void Admission::set_rules(std::vector<Access> access, Bans* bans, const std::atomic<bool>* draining) {
  const std::lock_guard lock(mutex_);
  access_ = std::move(access);
  bans_ = bans;
  draining_ = draining;
}

void Admission::set_ban_scope(BanScope scope) {
  const std::lock_guard lock(mutex_);
  ban_scope_ = std::move(scope);
}

void Admission::set_access(std::vector<Access> access) {
  const std::lock_guard lock(mutex_);
  access_ = std::move(access);
}

bool Admission::crowded(const Limits& limits) const {
  const std::lock_guard lock(mutex_);
  return limits.sessions && kept_ && inside_ + kept_ > limits.sessions;
}

bool Admission::empty() const {
  const std::lock_guard lock(mutex_);
  return inside_ + kept_ == 0;
}

std::uint32_t Admission::inside() const {
  const std::lock_guard lock(mutex_);
  return inside_;
}

std::size_t Admission::known() const {
  const std::lock_guard lock(mutex_);
  return known_.size();
}

std::optional<Reason> Admission::enter(const net::Address& from, const Limits& limits, Millis now) {
  const std::lock_guard lock(mutex_);
  return let_in(from, limits, now, false);
}

std::optional<Reason> Admission::enter_moved(const net::Address& from, const Limits& limits, Millis now) {
  const std::lock_guard lock(mutex_);
  return let_in(from, limits, now, true);
}

std::optional<Reason> Admission::let_in(const net::Address& from, const Limits& limits, Millis now, bool moved) {
  if (const auto why = bar(from)) return why;
  auto found = known_.find(from.host_key());
  if (found == known_.end()) {
    if (known_.size() >= kMostKnown) return Reason::kTooFast;
    const Bucket pace(limits.connects_per_second, limits.connects_burst, now);
    found = known_.emplace(from.host_key(), AddressRecord{0, 0, pace}).first;
  }
  AddressRecord& record = found->second;
  record.pace.adapt(limits.connects_per_second, limits.connects_burst, now);
  if (!moved && !record.pace.take_one(now)) return Reason::kTooFast;
  if (const auto why = full(record.inside, limits)) return why;
  ++record.inside;
  ++inside_;
  return std::nullopt;
}

std::optional<Reason> Admission::objection(const net::Address& from, const Limits& limits) const {
  const std::lock_guard lock(mutex_);
  if (const auto why = bar(from)) return why;
  const auto found = known_.find(from.host_key());
  return full(found == known_.end() ? 0 : found->second.inside, limits);
}

std::optional<Reason> Admission::bar(const net::Address& from) const {
  const bool let = std::all_of(access_.begin(), access_.end(), [&](const Access& access) { return access.lets(from); });
  if (!let) return Reason::kNotAllowed;
  const bool banned = bans_ != nullptr && bans_->find(from, steady_seconds(), ban_scope_);
  if (banned) return Reason::kBanned;
  if (draining_ == nullptr || !*draining_) return std::nullopt;
  // A player whose link broke has a place already.
  const auto known = known_.find(from.host_key());
  return known != known_.end() && known->second.kept != 0 ? std::nullopt : std::optional(Reason::kDraining);
}

std::optional<Reason> Admission::full(std::uint32_t from_there, const Limits& limits) const {
  if (limits.sessions && inside_ >= limits.sessions) return Reason::kTooMany;
  if (limits.sessions_per_address && from_there >= limits.sessions_per_address) return Reason::kTooManyFromAddress;
  return std::nullopt;
}

std::shared_ptr<SharedRates> Admission::rates(const net::Address& from, const Limits& limits, Millis now) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(from.host_key());
  std::shared_ptr<SharedRates> rates = found != known_.end() ? found->second.rates : nullptr;
  if (!rates) rates = std::make_shared<SharedRates>();
  rates->adapt(limits.address_bytes_per_second, limits.address_messages_per_second, now);
  rates->adapt_part(limits.server_bytes_per_second, limits.server_messages_per_second, now);
  if (found != known_.end()) found->second.rates = rates;
  return rates;
}

void Admission::leave(const net::Address& from) {
  const std::lock_guard lock(mutex_);
  let_out(from);
}

void Admission::let_out(const net::Address& from) {
  const auto found = known_.find(from.host_key());
  assert(found != known_.end() && found->second.inside > 0);
  --found->second.inside;
  --inside_;
}

void Admission::keep(const net::Address& from) {
  const std::lock_guard lock(mutex_);
  let_out(from);
  ++known_.at(from.host_key()).kept;
  ++kept_;
}

void Admission::unkeep(const net::Address& from) {
  const std::lock_guard lock(mutex_);
  AddressRecord& record = known_.at(from.host_key());
  assert(record.kept > 0);
  --record.kept;
  --kept_;
  ++record.inside;
  ++inside_;
}

bool Admission::crowded_from(const net::Address& from, const Limits& limits) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(from.host_key());
  if (limits.sessions_per_address == 0 || found == known_.end()) return false;
  const AddressRecord& record = found->second;
  return record.kept > 0 && record.inside + record.kept > limits.sessions_per_address;
}

void Admission::tidy(Millis now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& one) {
    const AddressRecord& record = one.second;
    const bool rests = record.pace.full(now) && (!record.rates || record.rates->full(now));
    return record.inside == 0 && record.kept == 0 && rests;
  });
}

}  // namespace entente::relay
