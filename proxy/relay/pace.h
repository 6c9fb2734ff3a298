// How often a relay may say one kind of thing: once a second, so that nobody can flood the log by what he does to us.
// Law: callable from all workers at once, without a lock; what is left unsaid is counted until the next time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "proxy/base/time.h"
#include "proxy/relay/reason.h"

namespace entente::relay {

/// A kind of line: a reason, or one of these.
enum class Line : std::size_t { kOpened = kReasons, kUnframed, kDialect, kMachine, kUntold, kBanned, kCount };

constexpr Line line_of(Reason reason) { return static_cast<Line>(reason); }

class Pace {
 public:
  static constexpr Millis kEvery = 1000;

  /// How many of this kind were left unsaid since the last, if one may be said now; else nothing, and it is counted.
  std::optional<std::uint64_t> may_say(Line line, Millis now);

 private:
  struct Slot {
    std::atomic<Millis> next{0};
    std::atomic<std::uint64_t> unsaid{0};
  };
  std::array<Slot, static_cast<std::size_t>(Line::kCount)> slots_;
};

}  // namespace entente::relay
