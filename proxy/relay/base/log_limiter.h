// Limits how often each kind of line is logged, so that a client cannot flood the log: ten lines in a burst, then one
// per second. Banned clients, which are turned away as intended, are logged once per minute.
// Invariant: thread-safe. A line that is held back is logged when its time has come (say_kept), or counted in the line
// that is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay {

/// A kind of log line. Each Reason is a kind (kind_of); the others are these.
enum class LogKind : std::size_t {
  kOpened = kReasons,
  kUnframed,
  kDialect,
  kUnreached,       ///< a server that cannot be reached
  kName,            ///< a server whose name has no address, or another one
  kUp,              ///< a server that was down and is up again
  kServer,          ///< a problem with a server
  kWaitsForServer,  ///< players who wait for their server
  kBackOnServer,    ///< they are back on a server
  kMoved,           ///< players who were moved, or could not be
  kCommand,         ///< a command that starts or stops servers
  kCommandEnd,
  kMachine,
  kWordsDropped,
  kTooFast,  ///< who is above a rate, and read more slowly
  kServerBanned,
  kDropped,
};

constexpr LogKind kind_of(Reason reason) { return static_cast<LogKind>(reason); }

class LogLimiter {
 public:
  static constexpr Millis kEvery = 1000, kEveryBanned = 60'000;
  static constexpr unsigned kAtOnce = 10;  ///< lines of a kind that are logged at once after a silence

  /// How often a line of this kind is logged in the long run.
  static constexpr Millis every(LogKind kind) { return kind == kind_of(Reason::kBanned) ? kEveryBanned : kEvery; }
  static constexpr unsigned at_once(LogKind kind) { return kind == kind_of(Reason::kBanned) ? 1 : kAtOnce; }

  /// Writes a line that also stands for `more` similar ones.
  using Say = std::function<void(std::uint64_t more)>;

  /// Calls `tell` at once if a line of this kind may be logged: at_once(kind) after a silence, then one in every(kind).
  /// Otherwise keeps it for later, in place of an earlier one, which is then only counted. Returns whether it was
  /// called at once. `what` divides a LogKind into kinds; it is one of a few strings that live as long as the program.
  /// `times`: how many events the line reports, at least 1.
  bool say(LogKind kind, std::string_view what, Millis now, Say tell, std::uint64_t times = 1);

  /// Logs the kept lines that are due.
  void say_kept(Millis now);
  /// Logs all kept lines. say() must not be called after this.
  void say_rest();

 private:
  struct Slot {
    LogKind kind;
    std::string_view what;
    Millis paid = 0;  ///< until when the lines that were logged use up the rate
    std::uint64_t suppressed = 0;
    Say kept = nullptr;

    bool may_speak(Millis now) const { return paid <= now + (at_once(kind) - 1) * every(kind); }
    void speak(Millis now) { paid = std::max(paid, now) + every(kind); }
  };
  using Due = std::vector<std::pair<Say, std::uint64_t>>;
  Slot& slot_of(LogKind kind, std::string_view what);
  static void take_kept(Slot& slot, Due& due);

  std::mutex mutex_;  // never held while a line is logged
  std::vector<Slot> slots_;
};

}  // namespace entente::relay
