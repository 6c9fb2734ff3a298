#include "proxy/program/rules/line_limiter.h"

#include <utility>

namespace entente {
namespace {

constexpr Millis kForgetEvery = 1'000;

}  // namespace

std::optional<std::uint64_t> LineLimiter::take(const std::string& whom, const Pace& pace, Millis now) {
  Known& its = known(whom, pace, now);
  if (!its.pace.ready(now) || !all_.take_one(now)) {
    ++its.unlogged;
    return std::nullopt;
  }
  its.pace.take_one(now);
  return std::exchange(its.unlogged, 0) + std::exchange(others_.unlogged, 0);
}

LineLimiter::Known& LineLimiter::known(const std::string& whom, const Pace& pace, Millis now) {
  if (const auto found = known_.find(whom); found != known_.end()) return found->second;
  tidy(now);
  if (known_.size() >= kMostKnown) return others_;
  return known_.emplace(whom, Known{new_bucket(pace, now)}).first->second;
}

/// Forgets those who may log as much as anybody who is new.
void LineLimiter::tidy(Millis now) {
  if (tidied_ != 0 && now < tidied_ + kForgetEvery) return;
  tidied_ = now;
  std::erase_if(known_, [&](const auto& one) {
    if (!one.second.pace.full(now)) return false;
    others_.unlogged += one.second.unlogged;
    return true;
  });
}

}  // namespace entente
