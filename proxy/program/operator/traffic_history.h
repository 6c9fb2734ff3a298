// What the routes had in the last ten minutes, so that the graphs of the operator page begin with it.
// Invariant: it keeps one sample of each route every kEvery, at most kMost of each; a route that is gone is forgotten
// with its last sample. Ages are those of a monotonic clock. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/program/base/housekeeping.h"
#include "proxy/program/control/reply.h"
#include "proxy/program/control/route_names.h"

namespace entente {

class TrafficHistory {
 public:
  static constexpr Millis kEvery = 5'000;
  static constexpr std::size_t kMost = 120;

  /// `server` outlives it.
  TrafficHistory(const relay::ProxyServer& server, RouteLister routes) : server_(server), routes_(std::move(routes)) {}

  /// Samples on this thread from now on; it outlives this.
  void start(Housekeeping& thread);
  /// Takes one sample of each route. `now`: as steady_now().
  void sample(Millis now);
  /// A table, the oldest first: route, seconds_ago, sessions, refused, to_server, to_client (bytes so far).
  Reply table(Millis now) const;

 private:
  struct Sample {
    Millis at = 0;
    std::vector<ReplyRow> routes;  // without seconds_ago
  };

  const relay::ProxyServer& server_;
  const RouteLister routes_;
  mutable std::mutex mutex_;
  std::deque<Sample> samples_;
  std::optional<Housekeeping::Work> work_;  // last: it uses the others
};

}  // namespace entente
