#include "proxy/relay/base/counters.h"

#include <algorithm>

namespace entente::relay {
namespace {

void add_traffic(TrafficOf<std::uint64_t>& sum, const TrafficOf<Count>& part) {
  sum.bytes += part.bytes.read();
  sum.frames += part.frames.read();
  sum.datagrams += part.datagrams.read();
  sum.datagram_bytes += part.datagram_bytes.read();
}

}  // namespace

void Losses::add(const core::Ledger& ledger) {
  const std::lock_guard lock(mutex_);
  for (const auto& one : ledger.entries()) {
    const auto same = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const auto& known) { return known.line == one.line && known.word == one.word; });
    same == entries_.end() ? entries_.push_back(one) : void(same->times += one.times);
  }
}

std::vector<core::Ledger::Entry> Losses::all() const {
  const std::lock_guard lock(mutex_);
  return entries_;
}

void Totals::add(const Counters& part) {
  begun += part.begun.read();
  held += part.held.read();
  holds_ended += part.holds_ended.read();
  brought_back += part.brought_back.read();
  http_connections += part.http_connections.read();
  http_found += part.http_found.read();
  http_missing += part.http_missing.read();
  http_later += part.http_later.read();
  moved += part.moved.read();
  gone += part.gone.read();
  stalls += part.stalls.read();
  throttled += part.throttled.read();
  server_bans += part.server_bans.read();
  unframed += part.unframed.read();
  held_back_lines += part.held_back_lines.read();
  orphaned += part.orphaned.read();
  for (std::size_t i = 0; i < kReasons; ++i) ended[i] += part.ended[i].read();
  for (std::size_t i = 0; i < kDrops; ++i) dropped[i] += part.dropped[i].read();
  for (std::size_t way = 0; way < lab.by.size(); ++way)
    for (std::size_t i = 0; i < kLabFaults; ++i) lab.by[way][i] += part.lab.by[way][i].read();
  add_traffic(to_server, part.to_server);
  add_traffic(to_client, part.to_client);
  relay::add(opening, part.opening);
  relay::add(length, part.length);
}

std::uint64_t Totals::refused() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kReasons; ++i)
    if (is_refusal(static_cast<Reason>(i))) sum += ended[i];
  return sum;
}

}  // namespace entente::relay
