#include "proxy/program/serve/served_routes.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace entente {
namespace {

using SeenTaps = std::unordered_set<const relay::TapThread*>;

auto find(std::vector<ServedRoute>& in, std::size_t number) {
  return std::find_if(in.begin(), in.end(), [&](const ServedRoute& one) { return one.named.number == number; });
}

/// Adds the counters of `old` to those of `route`.
void add_counters(const ServedRoute& old, ServedRoute& route) {
  for (const std::size_t number : old.numbers())
    if (std::find(route.before.begin(), route.before.end(), number) == route.before.end())
      route.before.push_back(number);
  for (relay::TapThread* const tap : old.taps())
    if (std::find(route.taps_before.begin(), route.taps_before.end(), tap) == route.taps_before.end())
      route.taps_before.push_back(tap);
}

/// Gives `route` those of its taps that are not yet in `seen`.
void count_taps(ServedRoute& route, SeenTaps& seen) {
  for (relay::TapThread* const tap : route.taps())
    if (seen.insert(tap).second) route.counted_taps.push_back(tap);
}

}  // namespace

std::vector<std::size_t> ServedRoute::numbers() const {
  std::vector<std::size_t> all = before;
  all.push_back(named.number);
  return all;
}

std::vector<relay::TapThread*> ServedRoute::taps() const {
  std::vector<relay::TapThread*> all = taps_before;
  if (tap != nullptr && std::find(all.begin(), all.end(), tap) == all.end()) all.push_back(tap);
  return all;
}

void ServedRoutes::add(ServedRoute route, std::optional<std::size_t> instead_of) {
  const std::lock_guard lock(mutex_);
  if (instead_of) {
    const auto old = find(served_, *instead_of);
    if (old != served_.end()) {
      retired_.push_back(std::move(*old));
      served_.erase(old);
    }
  }
  for (const ServedRoute& old : retired_)
    if (old.named.name == route.named.name) add_counters(old, route);
  served_.push_back(std::move(route));
}

void ServedRoutes::retire(std::size_t number) {
  const std::lock_guard lock(mutex_);
  const auto old = find(served_, number);
  if (old == served_.end()) return;
  retired_.push_back(std::move(*old));
  served_.erase(old);
  // What came in its place may be served already.
  for (ServedRoute& route : served_)
    if (route.named.name == retired_.back().named.name) add_counters(retired_.back(), route);
}

std::optional<ServedRoute> ServedRoutes::forget(std::size_t number) {
  const std::lock_guard lock(mutex_);
  const auto old = find(retired_, number);
  if (old == retired_.end()) return std::nullopt;
  ServedRoute route = std::move(*old);
  retired_.erase(old);
  return route;
}

std::vector<ServedRoute> ServedRoutes::served() const {
  const std::lock_guard lock(mutex_);
  std::vector<ServedRoute> all = served_;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.position < b.position; });
  SeenTaps seen;
  for (ServedRoute& one : all) count_taps(one, seen);
  return all;
}

std::vector<ListedRecording> ServedRoutes::recordings() const {
  std::vector<ListedRecording> all;
  SeenTaps seen;
  for (ServedRoute& one : served())
    if (one.tap != nullptr && seen.insert(one.tap).second) all.push_back({std::move(one), false});
  const std::lock_guard lock(mutex_);
  for (const ServedRoute& one : retired_)
    if (one.tap != nullptr && seen.insert(one.tap).second) all.push_back({one, true});
  return all;
}

void ServedRoutes::move(std::size_t number, std::size_t position) {
  const std::lock_guard lock(mutex_);
  if (const auto found = find(served_, number); found != served_.end()) found->position = position;
}

std::vector<ServedRoute> ServedRoutes::retired() const {
  const std::lock_guard lock(mutex_);
  std::vector<ServedRoute> alone;
  SeenTaps seen;  // an arena goes on with its other listeners
  for (const ServedRoute& one : served_)
    for (const relay::TapThread* tap : one.taps()) seen.insert(tap);
  for (const ServedRoute& one : retired_) {
    const auto has_it = [&](const ServedRoute& other) {
      return std::find(other.before.begin(), other.before.end(), one.named.number) != other.before.end();
    };
    if (std::none_of(served_.begin(), served_.end(), has_it) && std::none_of(retired_.begin(), retired_.end(), has_it))
      count_taps(alone.emplace_back(one), seen);
  }
  return alone;
}

std::vector<ListedRoute> ServedRoutes::listed() const {
  std::vector<ListedRoute> all;
  for (const ServedRoute& one : served()) all.push_back({one.named, one.numbers(), false});
  for (const ServedRoute& one : retired()) all.push_back({one.named, one.numbers(), true});
  return all;
}

std::vector<NamedRoute> ServedRoutes::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<NamedRoute> names;
  for (const ServedRoute& one : served_) names.push_back(one.named);
  return names;
}

bool ServedRoutes::uses(const relay::TapThread* tap) const {
  const auto has_it = [&](const ServedRoute& one) { return one.tap == tap; };
  const std::lock_guard lock(mutex_);
  return std::any_of(served_.begin(), served_.end(), has_it) || std::any_of(retired_.begin(), retired_.end(), has_it);
}

}  // namespace entente
