#include "proxy/net/schedule.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace entente::net {
namespace {

std::size_t index(Priority priority) { return static_cast<std::size_t>(priority); }

}  // namespace

// -- Jobs and parties -------------------------------------------------------------------------------------------------

void Job::set_priority(Priority priority) {
  if (priority == priority_) return;
  Schedule* const schedule = schedule_;
  if (schedule) schedule->remove(*this);
  priority_ = priority;
  if (schedule) schedule->append(*this);
}

void Job::set_party(std::shared_ptr<Party> party) {
  if (party == party_) return;
  Schedule* const schedule = schedule_;
  if (schedule) schedule->remove(*this);
  party_ = std::move(party);
  if (schedule) schedule->append(*this);
}

Millis Job::queued_millis() const { return queued_millis_ + (schedule_ ? schedule_->now_ - since_ : 0); }

void Job::cancel() {
  if (schedule_) schedule_->remove(*this);
}

std::shared_ptr<Party> Party::part(const std::shared_ptr<Party>& whole, const Address& for_whom) {
  const Address key = for_whom.host_key();
  std::weak_ptr<Party>& there = whole->parts_[key];
  if (auto part = there.lock()) return part;
  const auto forget = [key](const Party* part) {
    part->whole_->parts_.erase(key);
    delete part;
  };
  std::shared_ptr<Party> part(new Party, forget);
  part->whole_ = whole;
  there = part;
  return part;
}

std::shared_ptr<Party> Parties::of(const Address& address, Kind kind) {
  Known& known = known_[static_cast<std::size_t>(kind)];
  const Address key = kind == Kind::kClient ? address.host_key() : address;
  std::weak_ptr<Party>& there = known[key];
  if (auto party = there.lock()) return party;
  const auto forget = [&known, key](const Party* party) {
    known.erase(key);
    delete party;
  };
  std::shared_ptr<Party> party(new Party, forget);
  there = party;
  return party;
}

// -- Who waits --------------------------------------------------------------------------------------------------------

void Schedule::add(Job& job, Millis now) {
  now_ = now;
  if (job.waits()) return;
  job.since_ = now;
  append(job);
}

Party::Line& Schedule::line_of(const Job& job) {
  return (job.party_ ? *job.party_ : chores_).lines_[index(job.priority_)];
}

void Schedule::append(Job& job) {
  Party::Line& line = line_of(job);
  const bool is_new = line.first == nullptr;
  job.schedule_ = this;
  job.before_ = line.last;
  job.after_ = nullptr;
  (line.last ? line.last->after_ : line.first) = &job;
  line.last = &job;
  ++waiting_;
  if (!is_new || !job.party_) return;
  Party::Line& whole = whole_of(job, line);
  if (&whole != &line) {
    line.waits = job.party_;
    whole.parts.add(line);
  }
  if (whole.waits) return;
  if (whole.credit < 0) {  // what it used too much is forgiven with time
    const auto rested = static_cast<std::int64_t>(std::min<std::uint64_t>(nanos_() - whole.left_at, kMostDebt));
    whole.credit = std::min<std::int64_t>(whole.credit + rested, 0);
  }
  whole.waits = &whole != &line ? job.party_->whole_ : job.party_;
  groups_[index(job.priority_)].add(whole);
}

/// A party that is being served keeps its place, even without jobs: serve_party() takes it out.
void Schedule::remove(Job& job) {
  assert(job.schedule_ == this);
  Party::Line& line = line_of(job);
  Party::Line& whole = whole_of(job, line);
  (job.before_ ? job.before_->after_ : line.first) = job.after_;
  (job.after_ ? job.after_->before_ : line.last) = job.before_;
  job.schedule_ = nullptr;
  --waiting_;
  if (line.first != nullptr || !job.party_) return;
  if (&whole != &line) {
    whole.parts.remove(line);
    line.waits.reset();  // the job still holds it
  }
  if (whole.empty() && whole.waits && &whole != serving_) take_out(groups_[index(job.priority_)], whole);
}

Party::Line& Schedule::whole_of(const Job& job, Party::Line& line) {
  return job.party_ && job.party_->whole_ ? job.party_->whole_->lines_[index(job.priority_)] : line;
}

void Party::Lines::add(Line& line) {
  line.before = last;
  line.after = nullptr;
  (last ? last->after : first) = &line;
  last = &line;
}

void Party::Lines::remove(Line& line) {
  (line.before ? line.before->after : first) = line.after;
  (line.after ? line.after->before : last) = line.before;
}

void Schedule::take_out(Group& group, Party::Line& line) {
  group.remove(line);
  line.credit = std::min<std::int64_t>(line.credit, 0);
  if (line.credit < 0) line.left_at = nanos_();
  line.in_turn = false;
  line.waits.reset();  // may be the last that held it
}

// -- Service ----------------------------------------------------------------------------------------------------------

void Schedule::serve(Priority priority, Millis now) {
  now_ = now;
  Group& group = groups_[index(priority)];
  std::uint64_t time = nanos_();
  const std::uint64_t until = time + (priority == Priority::kPlayer ? kPlayersTime : kNewcomersTime);
  const Party::Line& chores = chores_.lines_[index(priority)];
  bool served = false;  // somebody else than us
  while (chores.first != nullptr || group.first != nullptr) {
    if (time >= until && (served || group.first == nullptr)) break;
    time = serve_chores(priority, time);
    if (group.first == nullptr) continue;
    time = serve_party(group, time, until);
    served = true;
  }
  job_until_ = 0;
}

std::uint64_t Schedule::serve_chores(Priority priority, std::uint64_t from) {
  Party::Line& line = chores_.lines_[index(priority)];
  const std::uint64_t until = from + kJobTime;
  while (line.first != nullptr && from < until) from = run_first(line, from);
  return from;
}

/// Serves the first party whose turn it is, until its turn or the time of the group is over. Then it goes to the back.
std::uint64_t Schedule::serve_party(Group& group, std::uint64_t from, std::uint64_t until) {
  for (;;) {  // ends: each round adds to the credit of all
    Party::Line& line = *group.first;
    if (!std::exchange(line.in_turn, true)) line.credit += kJobTime;
    if (line.credit > 0) break;
    line.in_turn = false;
    group.remove(line);
    group.add(line);
  }
  Party::Line& line = *group.first;
  serving_ = &line;
  do {
    const std::uint64_t ended = run_first(line, from);
    line.credit = std::max(line.credit - static_cast<std::int64_t>(ended - from), -kMostDebt);
    from = ended;
  } while (!line.empty() && line.credit > 0 && from < until);
  serving_ = nullptr;
  if (line.empty()) {
    take_out(group, line);
  } else if (line.credit <= 0) {
    line.in_turn = false;
    group.remove(line);
    group.add(line);
  }
  return from;
}

/// Returns when the job had ended.
std::uint64_t Schedule::run_first(Party::Line& line, std::uint64_t from) {
  Party::Line* const part = line.parts.first;
  const bool others_wait = part != line.parts.last;
  if (others_wait) {
    line.parts.remove(*part);
    line.parts.add(*part);
  }
  Job& job = part != nullptr ? *part->first : *line.first;
  remove(job);
  job.queued_millis_ += now_ - job.since_;
  job_until_ = from + (others_wait ? kJobTime / kPartsAtOnce : kJobTime);
  job.run();
  return nanos_();
}

}  // namespace entente::net
