// Collects reports about sessions from all workers of a Server, for a thread that is not a worker.
// Law: the caller waits until each worker has answered or is gone. Workers never wait.
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
  std::size_t route = 0;  ///< as Server::add numbered it
  SessionInfo info;
  Millis age = 0;           ///< since it was accepted
  std::uint64_t bytes = 0;  ///< of messages, both ways
  net::Address source;      ///< the address that the server sees, if it is not ours; else a wildcard
  std::string player;       ///< the name in its room; "" if there is no room, as in a relay: a tap may know it
};

class Inquiry {
 public:
  /// One worker's part of the answer. It is complete when it is destroyed.
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
    closed_.notify_all();  // under the lock, because wait() may return, and destroy us, as soon as it is free
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

/// Which sessions are meant: all, none, or the one that is to be kicked.
struct Question {
  bool none = false;
  std::optional<LinkId> kick = {};
  std::string why = {};
};

/// Answers from a map of sessions by link, which have `report()` and `kick(why)`.
template <class Sessions>
void answer(const Question& question, Inquiry::Part& part, Sessions& sessions) {
  if (question.none) return;
  for (auto& [link, session] : sessions) {
    if (question.kick && *question.kick != link) continue;
    part.found(session->report());
    if (question.kick) session->kick(question.why);
  }
}

}  // namespace entente::relay
