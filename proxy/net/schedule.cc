#include "proxy/net/schedule.h"

#include <cassert>
#include <utility>

namespace entente::net {
namespace {

std::size_t index(Priority priority) { return static_cast<std::size_t>(priority); }

}  // namespace

void Job::set_priority(Priority priority) {
  if (priority == priority_) return;
  Schedule* const schedule = schedule_;
  if (schedule) schedule->remove(*this);
  priority_ = priority;
  if (schedule) schedule->append(*this);
}

Millis Job::queued_millis() const { return queued_millis_ + (schedule_ ? schedule_->now_ - since_ : 0); }

void Job::cancel() {
  if (schedule_) schedule_->remove(*this);
}

void Schedule::add(Job& job, Millis now) {
  now_ = now;
  if (job.waits()) return;
  job.since_ = now;
  append(job);
}

void Schedule::append(Job& job) {
  const std::size_t i = index(job.priority_);
  job.schedule_ = this;
  job.before_ = last_[i];
  job.after_ = nullptr;
  (last_[i] ? last_[i]->after_ : first_[i]) = &job;
  last_[i] = &job;
}

void Schedule::remove(Job& job) {
  assert(job.schedule_ == this);
  const std::size_t i = index(job.priority_);
  (job.before_ ? job.before_->after_ : first_[i]) = job.after_;
  (job.after_ ? job.after_->before_ : last_[i]) = job.before_;
  job.schedule_ = nullptr;
}

void Schedule::serve(Priority priority, Millis now) {
  now_ = now;
  Job*& first = first_[index(priority)];
  if (first == nullptr) return;
  const std::uint64_t until = nanos_() + (priority == Priority::kPlayer ? kPlayersTime : kNewcomersTime);
  do {
    Job& job = *first;
    remove(job);
    job.queued_millis_ += now_ - job.since_;
    job.run();
  } while (first != nullptr && nanos_() < until);
}

}  // namespace entente::net
