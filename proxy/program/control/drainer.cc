#include "proxy/program/control/drainer.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "proxy/program/base/counted.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

constexpr Millis kLook = 100;           // between checks whether the last session has ended
constexpr Millis kLookForOver = 1'000;  // the same for a retired route

constexpr Millis kOnTheWay = 5'500;  // a client may still be connecting for this long: ENet retries for 5 s

}  // namespace

Drainer::Drainer(relay::ProxyServer& server, Millis before_stop, Housekeeping& thread)
    : server_(server), before_stop_(before_stop), work_(thread, [this] { return look(); }) {}

void Drainer::add(std::size_t route, std::string name, std::optional<std::size_t> instead_of) {
  const std::lock_guard lock(mutex_);
  for (auto& [number, drained] : routes_)
    if (instead_of && (number == *instead_of || drained.replaced == instead_of)) drained.replaced = route;
  routes_[route].name = std::move(name);
  if (stopping_) server_.set_draining(route, true);
}

std::optional<Millis> Drainer::until(Time time) { return time ? std::optional(steady_now() + *time) : std::nullopt; }

void Drainer::drain(std::size_t route, Time time, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = routes_.find(route); found != routes_.end()) {
      found->second.until = time ? until(time) : found->second.ends;
      found->second.why = why;
    }
  }
  server_.set_draining(route, true);
  work_.news();
}

void Drainer::retire(std::size_t route, Time time, std::function<void()> over) {
  {
    const std::lock_guard lock(mutex_);
    routes_[route].over = std::move(over);
  }
  limit(route, time);
}

void Drainer::limit(std::size_t route, Time time) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = routes_.find(route);
    if (found == routes_.end()) return;
    Drained& drained = found->second;
    drained.ends = until(time);
    if (drained.ends) drained.until = std::min(*drained.ends, drained.until.value_or(*drained.ends));
  }
  work_.news();
}

void Drainer::keep(std::size_t route) {
  const std::lock_guard lock(mutex_);
  const auto found = routes_.find(route);
  if (found == routes_.end()) return;
  found->second.ends.reset();
  found->second.end_drain();
}

void Drainer::drain_server(const std::string& server, Time time) {
  {
    const std::lock_guard lock(mutex_);
    servers_.erase(server);
    if (const auto ends = until(time)) servers_[server] = *ends;
  }
  server_.drain_server(server, true);
  work_.news();
}

std::size_t Drainer::undrain_server(const std::string& server) {
  {
    const std::lock_guard lock(mutex_);
    servers_.erase(server);
  }
  return server_.drain_server(server, false);
}

bool Drainer::undrain(std::size_t route) {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [number, drained] : routes_)
      if (number == route || drained.replaced == route) drained.end_drain();
  }
  work_.news();
  const bool did = server_.is_draining(route);
  server_.set_draining(route, false);
  return did;
}

void Drainer::begin_stop() {
  asked_to_stop_ = stopping_ = true;
  work_.news();
}

void Drainer::begin_retirement() {
  asked_to_retire_ = retiring_ = true;
  work_.news();
}

// -- On its thread ----------------------------------------------------------------------------------------------------

Millis Drainer::look() {
  const Millis now = steady_now();
  if (asked_to_retire_.exchange(false) && !stop_at_) {
    stop_at_ = before_stop_ > 0 ? now + before_stop_ : std::numeric_limits<Millis>::max();
    not_before_ = now + kOnTheWay;
  }
  if (asked_to_stop_.exchange(false) && !stop_at_) drain_all(now);
  end_overdue(now);
  forget_over();
  if (stop_at_ && (now >= *stop_at_ || (now >= not_before_ && server_.is_empty()))) {
    stop_at_.reset();
    server_.stop();
  }
  return patience(now);
}

void Drainer::drain_all(Millis now) {
  stop_at_ = now + before_stop_;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [route, drained] : routes_) server_.set_draining(route, true);
  }
  log_info("draining for at most {} s before the stop; another SIGTERM stops at once", before_stop_ / 1000);
}

void Drainer::end_overdue(Millis now) {
  struct Overdue {
    std::size_t route;
    std::string name, why;
  };
  std::vector<Overdue> overdue;
  std::vector<std::string> servers;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(servers_, [&](const auto& one) {
      if (now < one.second) return false;
      servers.push_back(one.first);
      return true;
    });
    for (auto& [route, drained] : routes_) {
      if (!drained.until || now < *drained.until) continue;
      drained.until.reset();
      drained.ends.reset();
      overdue.push_back({route, drained.name, drained.why.empty() ? kWhy : drained.why});
    }
  }
  for (const Overdue& one : overdue)
    log_info("drained {}: {} ended", one.name, counted(server_.end_sessions(one.route, one.why), "session"));
  for (const std::string& one : servers)
    log_info("drained server {}: {} left it", one, counted(server_.leave_server(one, kWhy), "session"));
}

/// Forgets retired routes whose last session has ended.
void Drainer::forget_over() {
  std::vector<std::function<void()>> over;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(routes_, [&](auto& one) {
      if (!one.second.over || !server_.is_over(one.first)) return false;
      over.push_back(std::move(one.second.over));
      return true;
    });
  }
  for (const auto& tell : over) tell();
}

/// Returns the time until the next thing is due.
Millis Drainer::patience(Millis now) {
  if (stop_at_) return kLook;
  Millis until = now + Housekeeping::kIdle;
  const std::lock_guard lock(mutex_);
  for (const auto& [server, ends] : servers_) until = std::min(until, ends);
  for (const auto& [route, drained] : routes_) {
    until = std::min(until, drained.until.value_or(until));
    if (drained.over) until = std::min(until, now + kLookForOver);
  }
  return until > now ? until - now : 0;
}

}  // namespace entente
