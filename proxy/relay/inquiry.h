// A question to all workers of a Server, from a thread that is none of them: which sessions there are.
// Law: who asks waits until each worker has answered or is gone; a worker waits for nobody.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/relay/tap/tap_sink.h"

namespace entente::relay {

/// A session as it stands.
struct SessionReport {
  std::size_t relay = 0;  ///< as Server::add numbered it
  SessionInfo info;
  Millis age = 0;           ///< since it was accepted
  std::uint64_t bytes = 0;  ///< of messages, both ways
  std::string player;       ///< the name in its room; "" if there is no room, as in a relay: a tap may know it
};

class Inquiry {
 public:
  /// What one worker is asked. Once this is destroyed, it has said all that it will.
  class Part {
   public:
    explicit Part(Inquiry& of) : of_(&of) { of.open(); }
    Part(Part&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    Part& operator=(Part&&) = delete;
    ~Part() {
      if (of_ != nullptr) of_->close();
    }
    void found(SessionReport report) { of_->found(std::move(report)); }

   private:
    Inquiry* of_;
  };

  /// All that was found. REQUIRES: every part is on its way.
  std::vector<SessionReport> wait() {
    std::unique_lock lock(mutex_);
    closed_.wait(lock, [this] { return parts_ == 0; });
    return std::move(found_);
  }

 private:
  void open() {
    const std::lock_guard lock(mutex_);
    ++parts_;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    --parts_;
    closed_.notify_all();  // under the lock: who waits may destroy us as soon as it is free
  }
  void found(SessionReport report) {
    const std::lock_guard lock(mutex_);
    found_.push_back(std::move(report));
  }

  std::mutex mutex_;
  std::condition_variable closed_;
  std::size_t parts_ = 0;
  std::vector<SessionReport> found_;
};

/// Of which sessions: all, or the one that is to be kicked.
struct Question {
  std::optional<LinkId> kick = {};
  std::string why = {};
};

/// Of sessions by link that have `report()` and `kick(why)`.
template <class Sessions>
void answer(const Question& question, Inquiry::Part& part, Sessions& sessions) {
  for (auto& [link, session] : sessions) {
    if (question.kick && *question.kick != link) continue;
    part.found(session->report());
    if (question.kick) session->kick(question.why);
  }
}

}  // namespace entente::relay
