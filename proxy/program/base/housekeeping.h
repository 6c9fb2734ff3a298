// A thread for work that is done now and then, such as ending a drain whose time is over.
// Invariant: works are done one after another. So works that may wait for a disk or a peer share no thread with others.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "proxy/base/time.h"

namespace entente {

class Housekeeping {
 public:
  /// `name`: of the thread, up to 15 letters.
  explicit Housekeeping(std::string name);
  /// REQUIRES: its works are gone.
  ~Housekeeping();
  Housekeeping(const Housekeeping&) = delete;
  Housekeeping& operator=(const Housekeeping&) = delete;

  /// Until there is news.
  static constexpr Millis kIdle = 60'000;

  /// A work, as long as it exists.
  class Work {
   public:
    /// Calls `look` on the thread of `by`: at once, then each time that the milliseconds have passed which the last
    /// call returned (kIdle at most), and after news(). `by` outlives it.
    Work(Housekeeping& by, std::function<Millis()> look);
    /// Waits for a call that is under way. REQUIRES: not called by the work itself.
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    /// From any thread, and from a signal handler.
    void news() {
      has_news_ = true;
      ::sem_post(&by_.news_);
    }

   private:
    friend class Housekeeping;
    Housekeeping& by_;
    const std::function<Millis()> look_;
    std::atomic<bool> has_news_{true};
    Millis due_ = 0;  // of the thread
  };

 private:
  void run();
  Millis do_all();

  sem_t news_;  // a signal handler may post it
  std::atomic<bool> ends_{false};
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<Work*> works_;
  const Work* under_way_ = nullptr;
  std::thread thread_;  // last: it uses the others
};

}  // namespace entente
