#include "proxy/relay/tap/recording_closer.h"

#include "proxy/base/steady_wall.h"
#include "proxy/net/named_thread.h"

namespace entente::relay {
namespace {

trace::Amount more(const trace::Amount& now, const trace::Amount& before) {
  return {now.frames - before.frames, now.bytes - before.bytes};
}

}  // namespace

void RecordingCloser::finish() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void RecordingCloser::close(std::unique_ptr<trace::Recorder> recorder, std::int64_t ahead) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) {
    auto started = net::start_thread("closer", [this] { run(); });
    if (!started) {
      lock.unlock();
      return close_one({std::move(recorder), ahead});
    }
    thread_ = std::move(*started);
  }
  waiting_.push_back({std::move(recorder), ahead});
  changed_.notify_all();
}

void RecordingCloser::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Waiting one = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    close_one(one);
    lock.lock();
  }
}

void RecordingCloser::close_one(const Waiting& one) {
  trace::Recorder& recorder = *one.recorder;
  const trace::Amount recorded = recorder.ever_recorded(), lost = recorder.lost();
  const auto closed = recorder.close(shown(steady_wall_now(), one.ahead));
  {
    const std::lock_guard lock(mutex_);
    recorded_ += more(recorder.ever_recorded(), recorded);
    lost_ += more(recorder.lost(), lost);
  }
  closed_(recorder, closed);
}

trace::Amount RecordingCloser::recorded() const {
  const std::lock_guard lock(mutex_);
  return recorded_;
}

trace::Amount RecordingCloser::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace entente::relay
