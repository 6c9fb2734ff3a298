#include "proxy/program/operator/traffic_history.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace entente {

void TrafficHistory::start(Housekeeping& thread) {
  work_.emplace(thread, [this] {
    sample(steady_now());
    return kEvery;
  });
}

void TrafficHistory::sample(Millis now) {
  Sample fresh{now, {}};
  for (const ListedRoute& one : routes_()) {
    const relay::Totals all = server_.totals(one.numbers);
    fresh.routes.push_back({text_field("route", one.named.name), number_field("sessions", all.current_sessions()),
                            number_field("refused", all.refused()),
                            number_field("to_server", all.to_server.bytes + all.to_server.datagram_bytes),
                            number_field("to_client", all.to_client.bytes + all.to_client.datagram_bytes)});
  }
  const std::lock_guard lock(mutex_);
  samples_.push_back(std::move(fresh));
  if (samples_.size() > kMost) samples_.pop_front();
}

Reply TrafficHistory::table(Millis now) const {
  std::vector<ReplyRow> rows;
  const std::lock_guard lock(mutex_);
  for (const Sample& sample : samples_)
    for (const ReplyRow& route : sample.routes) {
      rows.push_back(route);
      rows.back().insert(rows.back().begin() + 1,
                         number_field("seconds_ago", (std::max(now, sample.at) - sample.at) / 1'000));
    }
  return Reply::table({"route", "seconds_ago", "sessions", "refused", "to_server", "to_client"}, rows);
}

}  // namespace entente
