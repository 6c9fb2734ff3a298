#include "proxy/relay/admission/admission.h"

#include <algorithm>
#include <cassert>

namespace entente::relay {
namespace {

/// 0: there is no limit.
std::uint32_t at_least(std::uint32_t limit, std::uint32_t least) { return limit == 0 ? 0 : std::max(limit, least); }

/// Null: nobody has been in this part.
template <class Part>
const Part* find_part(const std::vector<Part>& parts, std::size_t part) {
  return part < parts.size() ? &parts[part] : nullptr;
}

template <class Part>
Part& part_of(std::vector<Part>& parts, std::size_t part) {
  if (part >= parts.size()) parts.resize(part + 1);
  return parts[part];
}

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

bool Admission::crowded(const Limits& limits, std::size_t part) const {
  const std::lock_guard lock(mutex_);
  const Counts* const counts = find_part(parts_, part);
  return counts != nullptr && limits.sessions && counts->kept && counts->inside + counts->kept > limits.sessions;
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
  return let_in(from, limits, now, 0, false);
}

std::optional<Reason> Admission::enter_moved(const net::Address& from, const Limits& limits, Millis now,
                                             std::size_t part) {
  const std::lock_guard lock(mutex_);
  return let_in(from, limits, now, part, true);
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
  if (const auto no = bar(from, ban_scope_)) return why = *no, nullptr;
  why = Reason::kTooFast;
  AddressRecord* const record = record_of(from, limits, now);
  if (record == nullptr) return nullptr;
  record->pace.adapt(limits.connects_per_second, limits.connects_burst, now);
  return moved || record->pace.take_one(now) ? record : nullptr;
}

std::optional<Reason> Admission::let_in(const net::Address& from, const Limits& limits, Millis now, std::size_t part,
                                        bool moved) {
  Reason no{};
  AddressRecord* const record = admit(from, limits, now, moved, no);
  if (record == nullptr) return no;
  if (const auto why = full_part(record, limits, part)) return why;
  count(*record, part, nullptr, &Counts::inside);
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
  if (const auto why = bar(from, ban_scope_)) return why;
  Bucket& requests = known_.at(from.host_key()).requests;
  requests.adapt(at_least(limits.connects_per_second, kRequestsPerSecond),
                 std::max(limits.connects_burst, kRequestsAtOnce), now);
  return requests.take_one(now) ? std::nullopt : std::optional(Reason::kTooFast);
}

std::optional<Reason> Admission::begin_session(const net::Address& from, const Limits& limits, std::size_t part) {
  const std::lock_guard lock(mutex_);
  AddressRecord& record = known_.at(from.host_key());
  if (const auto why = bar(from, ban_scope_)) return why;
  return seat_caller(record, limits, part);
}

std::optional<Reason> Admission::begin_session_at(const net::Address& from, const Limits& limits, std::size_t part,
                                                  const BanScope& scope, Millis now) {
  const std::lock_guard lock(mutex_);
  AddressRecord& record = known_.at(from.host_key());
  if (const auto why = bar(from, scope)) return why;
  std::optional<Bucket>& pace = part_of(record.parts, part).pace;
  if (!pace) pace.emplace(limits.connects_per_second, limits.connects_burst, now);
  pace->adapt(limits.connects_per_second, limits.connects_burst, now);
  return pace->take_one(now) ? seat_caller(record, limits, part) : Reason::kTooFast;
}

std::optional<Reason> Admission::seat_caller(AddressRecord& record, const Limits& limits, std::size_t part) {
  if (const auto why = full_part(&record, limits, part)) return why;
  count(record, part, &Counts::calling, &Counts::inside);
  return std::nullopt;
}

void Admission::stop_calling(const net::Address& from) {
  const std::lock_guard lock(mutex_);
  count(known_.at(from.host_key()), &Counts::calling, nullptr);
}

std::optional<Reason> Admission::objection(const net::Address& from, const Limits& limits) const {
  const std::lock_guard lock(mutex_);
  if (const auto why = bar(from, ban_scope_)) return why;
  const auto found = known_.find(from.host_key());
  return full_part(found == known_.end() ? nullptr : &found->second, limits, 0);
}

std::optional<Reason> Admission::barred(const net::Address& from) const {
  const std::lock_guard lock(mutex_);
  return bar_by_address(from, ban_scope_);
}

std::optional<Reason> Admission::barred(const net::Address& from, const BanScope& scope) const {
  const std::lock_guard lock(mutex_);
  return bar_by_address(from, scope);
}

std::optional<Reason> Admission::bar_by_address(const net::Address& from, const BanScope& scope) const {
  const bool let = std::all_of(access_.begin(), access_.end(), [&](const Access& access) { return access.lets(from); });
  if (!let) return Reason::kNotAllowed;
  const bool banned = bans_ != nullptr && bans_->find(from, steady_seconds(), scope);
  return banned ? std::optional(Reason::kBanned) : std::nullopt;
}

std::optional<Reason> Admission::bar(const net::Address& from, const BanScope& scope) const {
  if (const auto why = bar_by_address(from, scope)) return why;
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

/// `record`: null if nobody of the address is known.
std::optional<Reason> Admission::full_part(const AddressRecord* record, const Limits& limits, std::size_t part) const {
  const Counts* const all = find_part(parts_, part);
  const Counts* const there = record != nullptr ? find_part(record->parts, part) : nullptr;
  return full(all != nullptr ? all->inside : 0, there != nullptr ? there->inside : 0, limits.sessions,
              limits.sessions_per_address);
}

std::shared_ptr<SharedRates> Admission::rates(const net::Address& from, const Limits& limits, Millis now,
                                              std::size_t part) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(from.host_key());
  const OfPart* const there = found != known_.end() ? find_part(found->second.parts, part) : nullptr;
  std::shared_ptr<SharedRates> rates = there != nullptr ? there->rates : nullptr;
  if (!rates) rates = std::make_shared<SharedRates>();
  rates->adapt(limits.address_bytes_per_second, limits.address_messages_per_second, now);
  rates->adapt_part(limits.server_bytes_per_second, limits.server_messages_per_second, now);
  if (found != known_.end()) part_of(found->second.parts, part).rates = rates;
  return rates;
}

void Admission::leave(const net::Address& from, std::size_t part) {
  const std::lock_guard lock(mutex_);
  count(known_.at(from.host_key()), part, &Counts::inside, nullptr);
}

void Admission::keep(const net::Address& from, std::size_t part) {
  const std::lock_guard lock(mutex_);
  count(known_.at(from.host_key()), part, &Counts::inside, &Counts::kept);
}

void Admission::unkeep(const net::Address& from, std::size_t part) {
  const std::lock_guard lock(mutex_);
  count(known_.at(from.host_key()), part, &Counts::kept, &Counts::inside);
}

void Admission::may_return(const net::Address& from, std::time_t until) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(from.host_key());
  if (known != known_.end()) known->second.seat_until = std::max(known->second.seat_until, until);
}

void Admission::count(AddressRecord& record, Count from, Count to) {
  shift(record, from, to);
  shift(all_, from, to);
}

void Admission::count(AddressRecord& record, std::size_t part, Count from, Count to) {
  count(record, from, to);
  const Count within = from == &Counts::calling ? nullptr : from;
  shift(part_of(record.parts, part), within, to);
  shift(part_of(parts_, part), within, to);
}

void Admission::shift(Counts& counts, Count from, Count to) {
  assert(from == nullptr || counts.*from > 0);
  if (from != nullptr) --(counts.*from);
  if (to != nullptr) ++(counts.*to);
}

bool Admission::crowded_from(const net::Address& from, const Limits& limits, std::size_t part) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(from.host_key());
  const OfPart* const there = found != known_.end() ? find_part(found->second.parts, part) : nullptr;
  if (limits.sessions_per_address == 0 || there == nullptr) return false;
  return there->kept > 0 && there->inside + there->kept > limits.sessions_per_address;
}

void Admission::tidy(Millis now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& one) {
    const AddressRecord& record = one.second;
    const bool rests = record.pace.full(now) && record.requests.full(now) &&
                       std::all_of(record.parts.begin(), record.parts.end(), [now](const OfPart& part) {
                         return (!part.pace || part.pace->full(now)) && (!part.rates || part.rates->full(now));
                       });
    return record.inside + record.kept + record.calling == 0 && rests && !record.keeps();
  });
}

}  // namespace entente::relay
