// The tap's reports about itself: its totals, and that it could not keep up.
#include "proxy/relay/tap/tap.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace entente::relay {
namespace {

constexpr WallTime kSayDropsEvery = 1'000'000'000;  // ns
constexpr WallTime kBusy = 80;                      // percent of a core

}  // namespace

/// What this thread has used of its core, and how often it waited for something else than the core.
TapThread::Usage TapThread::usage(WallTime now) {
  rusage used{};
  (void)::getrusage(RUSAGE_THREAD, &used);
  const auto nanos = [](const timeval& time) {
    return static_cast<WallTime>(time.tv_sec) * 1'000'000'000 + static_cast<WallTime>(time.tv_usec) * 1000;
  };
  return {now, nanos(used.ru_utime) + nanos(used.ru_stime), used.ru_nvcsw, used.ru_nivcsw};
}

/// Why it could not keep up since it last did: it used all of a core, or others used it, or else it waited for the
/// disk.
std::string TapThread::why_slow(WallTime now) {
  constexpr const char* kWaited = "a larger recording.buffer_mb or a faster disk helps";
  if (stopping_.load(std::memory_order_relaxed)) return kWaited;  // on another thread
  const Usage before = std::exchange(used_, usage(now));
  const WallTime passed = std::max<WallTime>(now - std::min(now, before.at), 1);
  const WallTime percent = std::min<WallTime>((used_.cpu - before.cpu) * 100 / passed, 100);
  const bool preempted = used_.preempted - before.preempted > used_.waits - before.waits;
  if (percent < kBusy && !preempted) return kWaited;
  return "the CPU is short: the tap had " + std::to_string(percent) +
         " % of a core. More cores help, or fewer routes that are recorded";
}

void TapThread::tell_drops(WallTime now) {
  std::uint64_t dropped = 0, bytes = 0;
  for (const auto* sink : rings_) {
    dropped += sink->dropped().read();
    bytes += sink->dropped_bytes().read();
  }
  if (dropped == told_drops_ && now - used_.at >= kSayDropsEvery) used_ = usage(now);
  if (dropped == told_drops_ || now - told_drops_at_ < kSayDropsEvery) return;
  say("the tap could not keep up: " + std::to_string(dropped - told_drops_) +
      " writes were passed on but neither decoded nor" + " recorded (" + std::to_string(bytes) +
      " bytes since the start); " + why_slow(now));
  told_drops_ = dropped;
  told_drops_at_ = now;
}

/// Reports the suppressed faults that no later report of their kind has counted.
void TapThread::tell_suppressed(WallTime now) {
  for (const auto& counts : counts_)
    for (const FaultCount& suppressed : counts->take_suppressed(now))
      say(std::string(suppressed.game) + " " + std::string(suppressed.dialect) + " " + text(suppressed.way) + ": " +
          std::to_string(suppressed.count) + " more could not be decoded: " + std::string(suppressed.what) +
          (suppressed.field.empty() ? "" : " (" + std::string(suppressed.field) + ")"));
}

void TapThread::publish() {
  published_.links.store(links_.size(), std::memory_order_relaxed);
  if (!recording_) return;
  const RecordingTotals recorded = recording_->totals();
  const auto store = [](auto& to, auto value) { to.store(value, std::memory_order_relaxed); };
  store(published_.recorded_frames, recorded.recorded.frames);
  store(published_.recorded_bytes, recorded.recorded.bytes);
  store(published_.unrecorded_frames, recorded.lost.frames);
  store(published_.unrecorded_bytes, recorded.lost.bytes);
  store(published_.file_bytes, recorded.file_bytes);
  if (recorded.files != published_.files.load(std::memory_order_relaxed)) remember(recording_->status());
  store(published_.files, recorded.files);
  store(published_.rotations, recorded.rotations);
  store(published_.failed_rotations, recorded.failed_rotations);
  store(published_.greetings, recorded.greetings);
  store(published_.recording_fails, recorded.failing);
  store(published_.recording, recording_->on());
}

void TapThread::remember(const RecordingStatus& status) {
  const std::lock_guard lock(orders_mutex_);
  said_ = status;
}

RecordingStatus TapThread::last_status() const {
  RecordingStatus status;
  {
    const std::lock_guard lock(orders_mutex_);
    status = said_;
  }
  status.on = published_.recording.load(std::memory_order_relaxed);
  status.bytes = published_.file_bytes.load(std::memory_order_relaxed);
  status.failing = published_.recording_fails.load(std::memory_order_relaxed);
  return status;
}

std::uint64_t TapThread::undecoded(std::size_t route) const {
  const std::lock_guard lock(mutex_);
  return route < routes_.size() ? routes_[route]->undecoded.read() : 0;
}

TapThread::RoundTrips TapThread::round_trips(std::size_t route) const {
  RoundTrips sum;
  const std::lock_guard lock(mutex_);
  if (route < routes_.size()) add(sum, routes_[route]->round_trips);
  return sum;
}

std::string TapThread::player(LinkId link) const {
  const std::lock_guard lock(players_mutex_);
  const auto found = players_.find(link);
  return found == players_.end() ? "" : found->second;
}

TapTotals TapThread::totals() const {
  TapTotals all;
  const auto read = [](const auto& number) { return number.load(std::memory_order_relaxed); };
  const std::lock_guard lock(mutex_);
  for (const auto& counts : counts_) counts->snapshot(all.messages, all.faults);
  for (const auto& sink : sinks_) {
    all.dropped += sink->dropped().read();
    all.dropped_bytes += sink->dropped_bytes().read();
  }
  all.links = read(published_.links);
  all.frames = published_.frames.read();
  all.bytes = published_.bytes.read();
  all.words = published_.words.read();
  all.raw_bytes = published_.raw_bytes.read();
  all.wake_ups = published_.wake_ups.read();
  all.recorded_frames = read(published_.recorded_frames);
  all.recorded_bytes = read(published_.recorded_bytes);
  all.unrecorded_frames = read(published_.unrecorded_frames);
  all.unrecorded_bytes = read(published_.unrecorded_bytes);
  all.file_bytes = read(published_.file_bytes);
  all.files = read(published_.files);
  all.rotations = read(published_.rotations);
  all.failed_rotations = read(published_.failed_rotations);
  all.greetings = read(published_.greetings);
  all.recording_fails = read(published_.recording_fails);
  all.recording = read(published_.recording);
  return all;
}

}  // namespace entente::relay
