#include "proxy/relay/bans.h"

#include <utility>

namespace entente::relay {

void Bans::add(Ban ban) {
  const std::lock_guard lock(mutex_);
  erase(ban.who);
  ++by_bits_[ban.who.bits()];
  const net::Network who = ban.who;
  bans_.emplace(who, std::move(ban));
}

bool Bans::remove(const net::Network& who) {
  const std::lock_guard lock(mutex_);
  const bool known = bans_.contains(who);
  erase(who);
  return known;
}

void Bans::erase(const net::Network& who) { by_bits_[who.bits()] -= bans_.erase(who); }

std::optional<Ban> Bans::find(const net::Address& from, std::time_t now) {
  const std::lock_guard lock(mutex_);
  return look_up(from, now);
}

std::optional<Ban> Bans::look_up(const net::Address& from, std::time_t now) {
  for (unsigned bits = static_cast<unsigned>(by_bits_.size()); bits-- > 0;) {
    if (by_bits_[bits] == 0) continue;
    const auto at = bans_.find(net::Network::around(from, bits));
    if (at == bans_.end()) continue;
    if (!at->second.over(now)) return at->second;
    erase(net::Network(at->first));
  }
  return std::nullopt;
}

std::optional<Ban> Bans::learn(const net::Address& from, std::string_view why, std::time_t now) {
  const std::lock_guard lock(mutex_);
  if (remember_ == 0 || look_up(from, now)) return std::nullopt;
  if (bans_.size() >= kMostLearnt) forget_old(now);
  if (bans_.size() >= kMostLearnt) return std::nullopt;
  Ban ban{net::Network::of_host(from), now + static_cast<std::time_t>(remember_), std::string(why), true};
  ++by_bits_[ban.who.bits()];
  return bans_.emplace(ban.who, ban).first->second;
}

void Bans::forget_old(std::time_t now) {
  std::erase_if(bans_, [&](const auto& one) {
    if (!one.second.over(now)) return false;
    --by_bits_[one.first.bits()];
    return true;
  });
}

std::vector<Ban> Bans::all(std::time_t now) {
  const std::lock_guard lock(mutex_);
  forget_old(now);
  std::vector<Ban> all;
  for (const auto& one : bans_) all.push_back(one.second);
  return all;
}

}  // namespace entente::relay
