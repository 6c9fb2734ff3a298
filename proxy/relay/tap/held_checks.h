// What a tap is told of load balancers' health checks, until they turn out to be clients.
// Invariant: at most kMost bytes are held, of all health checks together; the check that exceeds them counts as a
// client. What is held of a health check that ends as one is dropped.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/relay/tap/ring_sink.h"

namespace entente::relay {

class HeldChecks {
 public:
  static constexpr std::size_t kMost = 4U << 20U;

  /// Whether the entry belongs to a health check. Then it is held, or if it ends the check or shows a client, what was
  /// held before is dropped or given to `take`, in its order.
  template <class Take>
  bool hold(const Ring::Entry& entry, const Take& take) {
    const auto kind = static_cast<RingSink::Kind>(entry.header.kind);
    if (kind == RingSink::kOpened) add_link(from_raw<LinkInfo>(entry.bytes));
    const auto link = session_of_.find(entry.header.link);
    if (link == session_of_.end()) return false;
    const LinkId session = link->second;
    if (kind == RingSink::kPlays) return release(session, take), true;
    if (kind == RingSink::kClosed && session == entry.header.link) return (void)remove(session), true;
    held_[session].push_back({entry.header, Buffer(entry.bytes.begin(), entry.bytes.end())});
    bytes_ += sizeof(Held) + entry.bytes.size();
    if (bytes_ > kMost) release(session, take);
    return true;
  }

 private:
  struct Held {
    Ring::EntryHeader header;
    Buffer bytes;
  };

  /// A link of a health check, or another one of its session.
  void add_link(const LinkInfo& info) {
    const LinkId session = info.session != 0 ? info.session : info.link;
    if (info.health_check || held_.contains(session)) session_of_[info.link] = session;
  }

  std::vector<Held> remove(LinkId session) {
    std::vector<Held> held = std::move(held_[session]);
    held_.erase(session);
    std::erase_if(session_of_, [session](const auto& one) { return one.second == session; });
    for (const Held& one : held) bytes_ -= sizeof(Held) + one.bytes.size();
    return held;
  }

  template <class Take>
  void release(LinkId session, const Take& take) {
    for (const Held& one : remove(session)) take(Ring::Entry{one.header, one.bytes});
  }

  std::unordered_map<LinkId, LinkId> session_of_;       // by link
  std::unordered_map<LinkId, std::vector<Held>> held_;  // by session
  std::size_t bytes_ = 0;
};

}  // namespace entente::relay
