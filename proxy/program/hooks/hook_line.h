// A hook as all threads see it: its settings, the events that wait for its receiver, and what became of the others.
// Invariant: thread-safe, and nobody waits. At most kMostEvents events and kMostBytes wait; others are dropped, and the
// next event that is sent says how many.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "proxy/base/time.h"
#include "proxy/program/hooks/event_text.h"
#include "proxy/program/settings/hook.h"

namespace entente {

struct HookTotals {
  std::uint64_t delivered = 0;
  std::uint64_t failed = 0;   ///< given up
  std::uint64_t retried = 0;  ///< further tries
  std::uint64_t dropped = 0;  ///< the queue was full
};

class HookLine {
 public:
  static constexpr std::size_t kMostEvents = 1000;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

  explicit HookLine(HookSettings its_settings) : settings(std::move(its_settings)) {}

  const HookSettings settings;

  struct Waiting {
    std::shared_ptr<const HookEvent> event;
    Millis since = 0;
  };
  enum class Put : std::uint8_t { kFirst, kQueued, kDropped };
  /// kFirst: none waited before.
  Put put(std::shared_ptr<const HookEvent> event, Millis now);
  /// The event that waits longest stays in the queue while it is sent. No event: none waits.
  Waiting front() const;
  /// It was sent, and told of this many lost events.
  void delivered(std::uint64_t told_lost);
  /// It is given up.
  void fail();
  void retry(const std::string& error);
  /// Why the last try failed.
  void set_error(const std::string& error);
  std::uint64_t lost() const;
  /// Takes over what waits for another line, and its totals.
  void inherit(const HookLine& from);

  struct Report {
    std::size_t waiting = 0, waiting_bytes = 0;
    HookTotals totals;
    std::string error;  ///< why the last try failed; "": it did not
  };
  Report report() const;

 private:
  void pop();

  mutable std::mutex mutex_;
  std::deque<Waiting> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t lost_ = 0;  // not told yet
  HookTotals totals_;
  std::string error_;
};

}  // namespace entente
