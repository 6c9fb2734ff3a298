#include "proxy/relay/admission/admission.h"

#include <algorithm>
#include <cassert>

namespace entente::relay {
namespace {

/// 0: there is no limit.
std::uint32_t at_least(std::uint32_t limit, std::uint32_t least) { return limit == 0 ? 0 : std::max(limit, least); }

}  // namespace

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
  return limits.sessions && all_.kept && all_.inside + all_.kept > limits.sessions;
}

bool Admission::empty() const {
  const std::lock_guard lock(mutex_);
  return all_.inside + all_.kept + all_.calling == 0;
}

std::uint32_t Admission::inside() const {
  const std::lock_guard lock(mutex_);
  return all_.inside;
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

Admission::AddressRecord* Admission::record_of(const net::Address& from, const Limits& limits, Millis now) {
  const auto found = known_.find(from.host_key());
  if (found != known_.end()) return &found->second;
  if (known_.size() >= kMostKnown) return nullptr;
  const Bucket pace(limits.connects_per_second, limits.connects_burst, now);
  const Bucket requests(at_least(limits.connects_per_second, kRequestsPerSecond),
                        std::max(limits.connects_burst, kRequestsAtOnce), now);
  return &known_.emplace(from.host_key(), AddressRecord{{}, pace, requests}).first->second;
}

Admission::AddressRecord* Admission::admit(const net::Address& from, const Limits& limits, Millis now, bool moved,
                                           Reason& why) {
  if (const auto no = bar(from)) return why = *no, nullptr;
  why = Reason::kTooFast;
  AddressRecord* const record = record_of(from, limits, now);
  if (record == nullptr) return nullptr;
  record->pace.adapt(limits.connects_per_second, limits.connects_burst, now);
  return moved || record->pace.take_one(now) ? record : nullptr;
}

std::optional<Reason> Admission::let_in(const net::Address& from, const Limits& limits, Millis now, bool moved) {
  Reason no{};
  AddressRecord* const record = admit(from, limits, now, moved, no);
  if (record == nullptr) return no;
  if (const auto why = full(all_.inside, record->inside, limits.sessions, limits.sessions_per_address)) return why;
  count(*record, nullptr, &Counts::inside);
  return std::nullopt;
}

std::optional<Reason> Admission::call(const net::Address& from, const Limits& limits, Millis now) {
  const std::lock_guard lock(mutex_);
  Reason no{};
  AddressRecord* const record = admit(from, limits, now, false, no);
  return record != nullptr ? add_caller(*record, limits) : no;
}

std::optional<Reason> Admission::call_for_check(const net::Address& from, const Limits& limits, Millis now) {
  const std::lock_guard lock(mutex_);
  if (draining_ != nullptr && *draining_) return Reason::kDraining;
  AddressRecord* const record = record_of(from, limits, now);
  return record != nullptr ? add_caller(*record, limits) : Reason::kTooFast;
}

std::optional<Reason> Admission::add_caller(AddressRecord& record, const Limits& limits) {
  const std::uint32_t most = at_least(limits.sessions, kCallers);
  const std::uint32_t most_from_there = at_least(limits.sessions_per_address, kCallersOfAddress);
  if (const auto why = full(all_.calling, record.calling, most, most_from_there)) return why;
  count(record, nullptr, &Counts::calling);
  return std::nullopt;
}

std::optional<Reason> Admission::request(const net::Address& from, const Limits& limits, Millis now) {
  const std::lock_guard lock(mutex_);
  if (const auto why = bar(from)) return why;
  Bucket& requests = known_.at(from.host_key()).requests;
  requests.adapt(at_least(limits.connects_per_second, kRequestsPerSecond),
                 std::max(limits.connects_burst, kRequestsAtOnce), now);
  return requests.take_one(now) ? std::nullopt : std::optional(Reason::kTooFast);
}

std::optional<Reason> Admission::begin_session(const net::Address& from, const Limits& limits) {
  const std::lock_guard lock(mutex_);
  AddressRecord& record = known_.at(from.host_key());
  if (const auto why = bar(from)) return why;
  if (const auto why = full(all_.inside, record.inside, limits.sessions, limits.sessions_per_address)) return why;
  count(record, &Counts::calling, &Counts::inside);
  return std::nullopt;
}

void Admission::stop_calling(const net::Address& from) {
  const std::lock_guard lock(mutex_);
  count(known_.at(from.host_key()), &Counts::calling, nullptr);
}

std::optional<Reason> Admission::objection(const net::Address& from, const Limits& limits) const {
  const std::lock_guard lock(mutex_);
  if (const auto why = bar(from)) return why;
  const auto found = known_.find(from.host_key());
  const std::uint32_t from_there = found == known_.end() ? 0 : found->second.inside;
  return full(all_.inside, from_there, limits.sessions, limits.sessions_per_address);
}

std::optional<Reason> Admission::barred(const net::Address& from) const {
  const std::lock_guard lock(mutex_);
  return bar_by_address(from);
}

std::optional<Reason> Admission::bar_by_address(const net::Address& from) const {
  const bool let = std::all_of(access_.begin(), access_.end(), [&](const Access& access) { return access.lets(from); });
  if (!let) return Reason::kNotAllowed;
  const bool banned = bans_ != nullptr && bans_->find(from, steady_seconds(), ban_scope_);
  return banned ? std::optional(Reason::kBanned) : std::nullopt;
}

std::optional<Reason> Admission::bar(const net::Address& from) const {
  if (const auto why = bar_by_address(from)) return why;
  if (draining_ == nullptr || !*draining_) return std::nullopt;
  // A player whose link broke has a place or a seat already. Whether this is that player, the session finds out.
  const auto known = known_.find(from.host_key());
  return known != known_.end() && known->second.keeps() ? std::nullopt : std::optional(Reason::kDraining);
}

std::optional<Reason> Admission::full(std::uint32_t all, std::uint32_t from_there, std::uint32_t most,
                                      std::uint32_t most_from_there) {
  if (most != 0 && all >= most) return Reason::kTooMany;
  if (most_from_there != 0 && from_there >= most_from_there) return Reason::kTooManyFromAddress;
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
  count(known_.at(from.host_key()), &Counts::inside, nullptr);
}

void Admission::keep(const net::Address& from) {
  const std::lock_guard lock(mutex_);
  count(known_.at(from.host_key()), &Counts::inside, &Counts::kept);
}

void Admission::unkeep(const net::Address& from) {
  const std::lock_guard lock(mutex_);
  count(known_.at(from.host_key()), &Counts::kept, &Counts::inside);
}

void Admission::may_return(const net::Address& from, std::time_t until) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(from.host_key());
  if (known != known_.end()) known->second.seat_until = std::max(known->second.seat_until, until);
}

void Admission::count(AddressRecord& record, std::uint32_t Counts::*from, std::uint32_t Counts::*to) {
  for (Counts* const counts : {static_cast<Counts*>(&record), &all_}) {
    assert(from == nullptr || counts->*from > 0);
    if (from != nullptr) --(counts->*from);
    if (to != nullptr) ++(counts->*to);
  }
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
    const bool rests = record.pace.full(now) && record.requests.full(now) && (!record.rates || record.rates->full(now));
    return record.inside + record.kept + record.calling == 0 && rests && !record.keeps();
  });
}

}  // namespace entente::relay
