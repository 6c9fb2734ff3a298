#include "proxy/relay/upstream/slot_queue.h"

#include <algorithm>

namespace entente::relay {

void SlotQueue::add(const void* whose, const Claim& claim) {
  const std::lock_guard lock(mutex_);
  members_[whose].claims.insert(claim);
}

void SlotQueue::remove(const void* whose, const Claim& claim) {
  const std::lock_guard lock(mutex_);
  const auto its = members_.find(whose);
  if (its == members_.end()) return;
  its->second.claims.erase(claim);
  if (its->second.claims.empty()) members_.erase(its);
}

void SlotQueue::refused(Millis now) {
  const std::lock_guard lock(mutex_);
  scarce_until_ = now + kScarceFor;
  ignored_until_ = 0;
}

void SlotQueue::freed() {
  const std::lock_guard lock(mutex_);
  if (elsewhere_) ++freed_;
}

/// Since when the oldest claim of other queues or processes has waited; nothing: there is none that counts.
std::optional<Millis> SlotQueue::oldest_other(const void* whose, Millis now) const {
  if (now < ignored_until_) return std::nullopt;
  std::optional<Millis> found = elsewhere_;
  if (now >= scarce_until_) return found;
  for (const auto& [who, member] : members_)
    if (who != whose) {
      const Millis since = member.claims.begin()->since;
      found = std::min(found.value_or(since), since);
    }
  return found;
}

bool SlotQueue::others_wait(const void* whose, Millis now) const {
  const std::lock_guard lock(mutex_);
  return oldest_other(whose, now).has_value();
}

bool SlotQueue::has_turn(const void* whose, Millis now) {
  const std::lock_guard lock(mutex_);
  const auto its = members_.find(whose);
  if (its == members_.end()) return true;
  Member& member = its->second;
  const auto other = oldest_other(whose, now);
  if (!other || *other + kTie >= member.claims.begin()->since) {
    member.asked_at = 0;
    return true;
  }
  const bool was_behind = member.asked_at != 0 && now <= member.asked_at + kAsksEvery;
  if (!was_behind) member.held_back_at = now;
  if (!was_behind || member.behind != *other) member.behind_at = now;
  member.behind = *other;
  member.asked_at = now;
  if (now < member.behind_at + kPatience && now < member.held_back_at + kMostPatience) return false;
  member.asked_at = 0;
  ignored_until_ = now + kIgnored;
  return true;
}

std::vector<SlotQueue::Claim> SlotQueue::claims(Millis now) const {
  const std::lock_guard lock(mutex_);
  std::vector<Claim> all;
  if (now >= scarce_until_ && !elsewhere_) return all;
  for (const auto& [who, member] : members_) all.insert(all.end(), member.claims.begin(), member.claims.end());
  std::sort(all.begin(), all.end());
  if (all.size() > kMostClaims) all.resize(kMostClaims);
  return all;
}

void SlotQueue::set_elsewhere(std::optional<Millis> since) {
  const std::lock_guard lock(mutex_);
  elsewhere_ = since;
}

}  // namespace entente::relay
