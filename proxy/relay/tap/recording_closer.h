// Closes recordings on a thread of its own: to write a large file to disk may take long.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "proxy/trace/recorder.h"

namespace entente::relay {

class RecordingCloser {
 public:
  /// What was closed, with its outcome; on the closer's thread, or in close().
  using Closed = std::function<void(const trace::Recorder&, const Outcome<Done>&)>;

  explicit RecordingCloser(Closed closed) : closed_(std::move(closed)) {}
  ~RecordingCloser() { finish(); }
  RecordingCloser(const RecordingCloser&) = delete;
  RecordingCloser& operator=(const RecordingCloser&) = delete;

  /// `ahead`: of its times, as in steady_wall.h. If the machine has no thread left, it is closed at once.
  void close(std::unique_ptr<trace::Recorder> recorder, std::int64_t ahead = 0);
  /// Returns when all recordings are closed. close() must not be called after.
  void finish();
  /// What of these recordings was recorded and lost since they were given to close().
  trace::Amount recorded() const;
  trace::Amount lost() const;

 private:
  void run();
  struct Waiting {
    std::unique_ptr<trace::Recorder> recorder;
    std::int64_t ahead;
  };
  void close_one(const Waiting& one);

  const Closed closed_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  trace::Amount recorded_, lost_;
  bool stopping_ = false;
  std::thread thread_;  // from the first close() on
};

}  // namespace entente::relay
