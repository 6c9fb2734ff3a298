#include "proxy/relay/admission/bans.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace entente::relay {

namespace {

/// Whether these say the same: after an upgrade, several processes tell each other of one ban.
bool are_same(const Ban& one, const Ban& other) {
  constexpr std::time_t kApart = 10;  // seconds: each process computes the end when it hears of the ban
  const bool for_good = one.until == Ban::kForGood;
  return one.who == other.who && one.where == other.where && one.why == other.why && one.by_server == other.by_server &&
         for_good == (other.until == Ban::kForGood) && (for_good || std::abs(one.until - other.until) <= kApart);
}

}  // namespace

std::optional<Ban> Bans::add(Ban ban) {
  auto before = restore(ban);
  if (added_ && !(before && are_same(*before, ban))) added_(ban);
  return before;
}

std::optional<Ban> Bans::restore(Ban ban) {
  const std::lock_guard lock(mutex_);
  std::optional<Ban> before;
  erase(bans_[ban.who], [&](const Ban& other) {
    if (other.where != ban.where) return false;
    before = shown(other);
    return true;
  });
  put(steady(std::move(ban)));
  return before;
}

/// With its end by the steady clock instead of the wall clock.
Ban Bans::steady(Ban ban) const {
  if (ban.until != Ban::kForGood) ban.until = std::max<std::time_t>(ban.until - ahead_(), 1);
  return ban;
}

/// With its end as the wall clock will show it.
Ban Bans::shown(Ban ban) const {
  if (ban.until != Ban::kForGood) ban.until = std::max<std::time_t>(ban.until + ahead_(), 1);
  return ban;
}

void Bans::put(Ban ban) {
  ++count_;
  ++by_bits_[ban.who.bits()];
  bans_[ban.who].push_back(std::move(ban));
}

template <class Condition>
std::size_t Bans::erase(OfNet& bans, Condition&& condition) {
  return std::erase_if(bans, [&](const Ban& ban) {
    const bool goes = condition(ban);
    if (goes) --count_, --by_bits_[ban.who.bits()];
    return goes;
  });
}

bool Bans::remove(const net::Network& who) {
  const std::lock_guard lock(mutex_);
  const auto found = bans_.find(who);
  if (found == bans_.end()) return false;
  const bool known = erase(found->second, [](const Ban&) { return true; }) != 0;
  bans_.erase(found);
  return known;
}

std::optional<Ban> Bans::find(const net::Address& from, std::time_t now, const BanScope& scope) {
  const std::lock_guard lock(mutex_);
  if (count_ == 0) return std::nullopt;
  const auto of_all =
      look_up(from, now, [&](const std::string& where) { return where.empty() || where == scope.listener; });
  std::optional<Ban> found = of_all;
  for (const std::string& server : scope.servers) {
    const auto there = look_up(from, now, [&](const std::string& where) { return where == server; });
    if (!there) return of_all;
    if (!found || there->who.bits() > found->who.bits()) found = there;
  }
  return found;
}

bool Bans::bans_from(const std::string& server, const net::Address& from, std::time_t now) {
  const std::lock_guard lock(mutex_);
  return count_ != 0 && look_up(from, now, [&](const std::string& where) { return where == server; }).has_value();
}

template <class Wanted>
std::optional<Ban> Bans::look_up(const net::Address& from, std::time_t now, Wanted&& wanted) {
  for (unsigned bits = static_cast<unsigned>(by_bits_.size()); bits-- > 0;) {
    if (by_bits_[bits] == 0) continue;
    const auto at = bans_.find(net::Network::around(from, bits));
    if (at == bans_.end()) continue;
    erase(at->second, [&](const Ban& ban) { return ban.over(now); });
    const auto found =
        std::find_if(at->second.begin(), at->second.end(), [&](const Ban& ban) { return wanted(ban.where); });
    if (found != at->second.end()) return shown(*found);
    if (at->second.empty()) bans_.erase(at);
  }
  return std::nullopt;
}

std::optional<Ban> Bans::learn(const net::Address& from, std::string_view why, std::time_t now, std::string_view where,
                               std::optional<std::uint32_t> lasts) {
  const auto ban = learn_quietly(from, why, now, where, lasts);
  if (ban && added_) added_(*ban);
  return ban;
}

std::optional<Ban> Bans::learn_quietly(const net::Address& from, std::string_view why, std::time_t now,
                                       std::string_view where, std::optional<std::uint32_t> lasts) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t seconds = remember_ == 0 ? 0 : lasts.value_or(remember_);
  const auto there = [&](const std::string& other) { return other.empty() || other == where; };
  if (seconds == 0 || look_up(from, now, there)) return std::nullopt;
  if (count_ >= kMostLearnt) forget_old(now);
  if (count_ >= kMostLearnt) return std::nullopt;
  Ban ban{net::Network::of_host(from), now + static_cast<std::time_t>(seconds), std::string(why), true,
          std::string(where)};
  put(ban);
  return shown(ban);
}

void Bans::forget_old(std::time_t now) {
  for (auto at = bans_.begin(); at != bans_.end();) {
    erase(at->second, [&](const Ban& ban) { return ban.over(now); });
    at = at->second.empty() ? bans_.erase(at) : std::next(at);
  }
}

std::vector<Ban> Bans::all(std::time_t now) {
  const std::lock_guard lock(mutex_);
  forget_old(now);
  std::vector<Ban> all;
  for (const auto& [who, bans] : bans_)
    for (const Ban& ban : bans) all.push_back(shown(ban));
  return all;
}

}  // namespace entente::relay
