#include "proxy/program/hooks/hook_line.h"

#include <algorithm>

#include "proxy/program/log/say.h"

namespace entente {
namespace {

std::size_t size_of(const HookEvent& event) { return event.news.size() + event.id.size() + sizeof(HookLine::Waiting); }

}  // namespace

HookLine::Put HookLine::put(std::shared_ptr<const HookEvent> event, Millis now) {
  std::unique_lock lock(mutex_);
  const std::size_t bytes = size_of(*event);
  if (waiting_.size() < kMostEvents && bytes_ + bytes <= kMostBytes) {
    bytes_ += bytes;
    waiting_.push_back({std::move(event), now});
    return waiting_.size() == 1 ? Put::kFirst : Put::kQueued;
  }
  ++totals_.dropped;
  const bool first = lost_++ == 0;
  const std::size_t waiting = waiting_.size();
  lock.unlock();
  if (first)
    log_warn("hook '{}': {} events wait, so further events are dropped; the next one that is sent says how many",
             settings.name, waiting);
  return Put::kDropped;
}

HookLine::Waiting HookLine::front() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() ? Waiting() : waiting_.front();
}

void HookLine::pop() {
  bytes_ -= size_of(*waiting_.front().event);
  waiting_.pop_front();
}

void HookLine::delivered(std::uint64_t told_lost) {
  const std::lock_guard lock(mutex_);
  pop();
  ++totals_.delivered;
  lost_ -= std::min(lost_, told_lost);
  error_.clear();
}

void HookLine::fail() {
  const std::lock_guard lock(mutex_);
  pop();
  ++totals_.failed;
  ++lost_;
}

void HookLine::retry(const std::string& error) {
  const std::lock_guard lock(mutex_);
  ++totals_.retried;
  error_ = error;
}

void HookLine::set_error(const std::string& error) {
  const std::lock_guard lock(mutex_);
  error_ = error;
}

std::uint64_t HookLine::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void HookLine::inherit(const HookLine& from) {
  const std::scoped_lock lock(mutex_, from.mutex_);
  waiting_ = from.waiting_;
  bytes_ = from.bytes_;
  lost_ = from.lost_;
  totals_ = from.totals_;
}

HookLine::Report HookLine::report() const {
  const std::lock_guard lock(mutex_);
  return {waiting_.size(), bytes_, totals_, error_};
}

}  // namespace entente
