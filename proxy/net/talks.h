// Short conversations with programs that ask: who comes says something, gets an answer, and the connection is closed.
// Law: they have a thread of their own, which nobody can hold up: what is said, in how many pieces, how many come at
// once and how long each may take are bounded. Nobody who asks is kept out by those who do not: when all places are
// taken, the oldest of these makes room.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/fd.h"

namespace entente::net {

class Talks {
 public:
  static constexpr std::size_t kMostConnections = 256;  ///< at once
  static constexpr Millis kTime = 5'000;                ///< for a whole conversation
  static constexpr Millis kGrace = 200;        ///< so long nobody makes room for another; more wait in the kernel
  static constexpr unsigned kMostPieces = 64;  ///< reads until the question is whole
  static constexpr Millis kRest = 1'000;       ///< nobody is let in when there are no files left

  /// Called on the talks' thread with all that one said so far; `over`: says no more. Returns the answer, which may be
  /// empty, or nothing while more has to come. REQUIRES: answers what is longer than it wants to keep.
  using Hear = std::function<std::optional<std::string>(std::string_view said, bool over)>;

  /// `listening` does not block. `time`: for a whole conversation; more than kGrace.
  static Outcome<std::unique_ptr<Talks>> begin(Fd listening, Hear hear, Millis time = kTime);
  ~Talks();
  Talks(const Talks&) = delete;
  Talks& operator=(const Talks&) = delete;

 private:
  struct Talk {
    Fd fd;
    std::string said = {};
    std::optional<std::string> answer = {};
    std::size_t told = 0;  // of the answer
    unsigned pieces = 0;
    Millis began = 0;
  };

  Talks(Fd listening, Fd closing, Hear hear, Millis time);
  void run();
  bool has_room(Millis now) const;
  bool make_room(Millis now);
  bool accept(Millis now);
  bool go_on(Talk& talk) const;
  bool hear(Talk& talk) const;
  static bool tell(Talk& talk);
  int patience(Millis now) const;

  const Hear hear_;
  const Millis time_;
  Fd listening_, closing_;
  // The thread's.
  std::vector<Talk> talks_;  // the oldest first
  Millis rests_until_ = 0;   // accepts nobody before
  std::thread thread_;
};

}  // namespace entente::net
