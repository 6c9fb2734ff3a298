#include "proxy/program/base/housekeeping.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "proxy/net/named_thread.h"

namespace entente {

Housekeeping::Housekeeping(std::string name) {
  ::sem_init(&news_, 0, 0);
  thread_ = net::named_thread(std::move(name), [this] { run(); });
}

Housekeeping::~Housekeeping() {
  ends_ = true;
  ::sem_post(&news_);
  thread_.join();
  ::sem_destroy(&news_);
}

Housekeeping::Work::Work(Housekeeping& by, std::function<Millis()> look) : by_(by), look_(std::move(look)) {
  {
    const std::lock_guard lock(by_.mutex_);
    by_.works_.push_back(this);
  }
  ::sem_post(&by_.news_);
}

Housekeeping::Work::~Work() {
  std::unique_lock lock(by_.mutex_);
  by_.changed_.wait(lock, [this] { return by_.under_way_ != this; });
  std::erase(by_.works_, this);
  ::sem_post(&by_.news_);  // the thread may have passed over one of the others
}

void Housekeeping::run() {
  while (!ends_) {
    const Millis patience = do_all();
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience);
    const auto nanos = std::chrono::nanoseconds(until.time_since_epoch()).count();
    const timespec at{static_cast<time_t>(nanos / 1'000'000'000), static_cast<long>(nanos % 1'000'000'000)};
    (void)::sem_clockwait(&news_, CLOCK_MONOTONIC, &at);
  }
}

/// Does what is due. Returns how long nothing will be due.
Millis Housekeeping::do_all() {
  Millis next = steady_now() + kIdle;
  std::unique_lock lock(mutex_);
  for (std::size_t i = 0; i < works_.size(); ++i) {
    Work& work = *works_[i];
    if (work.has_news_.exchange(false) || work.due_ <= steady_now()) {
      under_way_ = &work;
      lock.unlock();
      const Millis again = std::min(work.look_(), kIdle);
      work.due_ = steady_now() + again;
      lock.lock();
      under_way_ = nullptr;
      changed_.notify_all();
    }
    next = std::min(next, work.due_);
  }
  const Millis now = steady_now();
  return next > now ? next - now : 0;
}

}  // namespace entente
