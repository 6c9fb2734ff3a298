// Short conversations with programs that ask: who comes says something, gets an answer, and the connection is closed.
// Law: they have a thread of their own, which nobody can hold up: what is said, how many come at once and how long each
// may take are bounded.
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
  static constexpr std::size_t kMostConnections = 16;  ///< more wait in the kernel
  static constexpr Millis kTime = 5'000;               ///< for a whole conversation
  static constexpr Millis kRest = 1'000;               ///< nobody is let in when there are no files left

  /// Called on the talks' thread with all that one said so far; `over`: says no more. Returns the answer, which may be
  /// empty, or nothing while more has to come. REQUIRES: answers what is longer than it wants to keep.
  using Hear = std::function<std::optional<std::string>(std::string_view said, bool over)>;

  /// `listening` does not block.
  static Outcome<std::unique_ptr<Talks>> begin(Fd listening, Hear hear);
  ~Talks();
  Talks(const Talks&) = delete;
  Talks& operator=(const Talks&) = delete;

 private:
  struct Talk {
    Fd fd;
    std::string said = {};
    std::optional<std::string> answer = {};
    std::size_t told = 0;  // of the answer
    Millis until = 0;
  };

  Talks(Fd listening, Fd closing, Hear hear);
  void run();
  void accept(Millis now);
  bool go_on(Talk& talk) const;
  bool hear(Talk& talk) const;
  static bool tell(Talk& talk);
  int patience(Millis now) const;

  const Hear hear_;
  Fd listening_, closing_;
  // The thread's.
  std::vector<Talk> talks_;
  Millis rests_until_ = 0;  // accepts nobody before
  std::thread thread_;
};

}  // namespace entente::net
