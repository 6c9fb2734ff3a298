// A thread that does jobs in their order, so that a loop need not wait for them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "proxy/base/time.h"
#include "proxy/net/named_thread.h"

namespace entente::net {

class JobThread {
 public:
  using Job = std::function<void()>;
  /// Is called before jobs; returns after how many milliseconds it wants to be called again, at the latest.
  using Tend = std::function<Millis()>;
  static constexpr Millis kLong = 3'600'000;

  /// `name`: of the thread, up to 15 letters. `most`: bytes that may wait. `at_end`: is called on the thread before it
  /// ends.
  JobThread(std::string name, std::size_t most, Tend tend, Job at_end)
      : most_(most),
        tend_(std::move(tend)),
        at_end_(std::move(at_end)),
        thread_(named_thread(std::move(name), [this] { run(); })) {}
  ~JobThread() { stop(); }

  /// False: too much waits, or it stops.
  bool put(std::size_t bytes, Job job) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ || waiting_ + bytes > most_) return false;
      waiting_ += bytes;
      jobs_.push_back({std::move(job), bytes});
    }
    woken_.notify_one();
    return true;
  }
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      tend_now_ = true;
    }
    woken_.notify_one();
  }
  /// Stops after the jobs that wait.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    woken_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  struct Waiting {
    Job job;
    std::size_t bytes;
  };

  void run() {
    std::deque<Waiting> now;
    std::unique_lock lock(mutex_);
    for (;;) {
      Millis again = kLong;
      if (tend_ && !stopping_) {
        lock.unlock();
        again = tend_();
        lock.lock();
      }
      woken_.wait_for(lock, std::chrono::milliseconds(again),
                      [this] { return stopping_ || tend_now_ || !jobs_.empty(); });
      tend_now_ = false;
      if (jobs_.empty() && stopping_) break;
      now.swap(jobs_);
      lock.unlock();
      std::size_t done = 0;
      for (Waiting& one : now) {
        one.job();
        done += one.bytes;
      }
      now.clear();
      lock.lock();
      waiting_ -= done;
    }
    lock.unlock();
    at_end_();
  }

  const std::size_t most_;
  const Tend tend_;
  const Job at_end_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Waiting> jobs_;
  std::size_t waiting_ = 0;
  bool stopping_ = false, tend_now_ = false;
  std::thread thread_;
};

}  // namespace entente::net
