// How often a relay may say one kind of thing: once a second, so that nobody can flood the log by what he does to us.
// Law: callable from all workers at once; whatever is not said at once is said, or counted by a line that is, about a
// second later at the latest (say_kept), whether or not more of its kind comes.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/relay/sessions/reason.h"

namespace entente::relay {

/// A kind of line: a reason, or one of these.
enum class Line : std::size_t {
  kOpened = kReasons,
  kUnframed,
  kDialect,
  kUnreached,  ///< a server that cannot be reached
  kServer,     ///< a server that is not as it should be
  kMachine,
  kUntold,
  kBanned,
  kDropped,
};

constexpr Line line_of(Reason reason) { return static_cast<Line>(reason); }

class LogRate {
 public:
  static constexpr Millis kEvery = 1000;

  /// Says one line, which stands for `more` others like it, too.
  using Say = std::function<void(std::uint64_t more)>;

  /// Says it if nothing of its kind was said for kEvery. Else it is kept, and what was kept of that kind before only
  /// counts. Returns whether it was said. `what` tells kinds of one Line apart, lives as long as the program, and is
  /// one of few; `times`: how often happened what it tells, at least 1.
  bool say(Line line, std::string_view what, Millis now, Say tell, std::uint64_t times = 1);

  /// Says what was kept and may be said by now.
  void say_kept(Millis now);
  /// Says all that was kept: nothing follows.
  void say_rest();

 private:
  struct Slot {
    Line line;
    std::string_view what;
    Millis next = 0;
    std::uint64_t unsaid = 0;
    Say kept = nullptr;
  };
  using Due = std::vector<std::pair<Say, std::uint64_t>>;
  Slot& slot_of(Line line, std::string_view what);
  static void take_kept(Slot& slot, Due& due);

  std::mutex mutex_;  // never held while something is said
  std::vector<Slot> slots_;
};

}  // namespace entente::relay
