#include "proxy/relay/faults/lab_line.h"

#include <algorithm>
#include <array>

#include "proxy/net/web/websocket.h"

namespace entente::relay {

namespace {

constexpr std::uint64_t kNanosPerMilli = 1'000'000;
constexpr Millis kResent = 200;     // after which a lost segment comes again: the shortest time that Linux waits
constexpr Millis kOvertakes = 100;  // so long the next unit may overtake one that is reordered
constexpr Millis kBetweenPieces = 1;

/// The first whole millisecond not before, as an Alarm counts.
std::uint64_t whole_millis(std::uint64_t nanos) {
  return (nanos + kNanosPerMilli - 1) / kNanosPerMilli * kNanosPerMilli;
}

}  // namespace

LabLine::LabLine(net::Loop& loop, User& user, Of of, wire::Way way, const LinkInfo& info, std::uint64_t session,
                 Counted counted, std::size_t most_waiting)
    : loop_(loop),
      user_(user),
      of_(of),
      way_(way),
      info_(info),
      session_(session),
      counted_(counted),
      most_waiting_(most_waiting),
      alarm_(loop, static_cast<net::Alarm::User&>(*this)) {
  if (info.client.port() != 0) alarm_.set_party(loop.client_party(info.client));  // else it is a local socket's
}

void LabLine::follow(const RunningLab& lab) {
  lab_ = lab;
  phase_ = unit_ = 0;
  free_at_ = stalled_until_ = 0;
  const wire::Lane lane = of_ == Of::kDatagrams ? wire::Lane::kDatagram : wire::Lane::kStream;
  if (lab_) dice_ = LabDice(lab_.plan->seed(), session_, way_, lane);
  run(false);
}

const LabRules& LabLine::rules(std::uint64_t now) {
  static const LabRules kNone{};
  if (!lab_) return kNone;
  const auto& phases = lab_.plan->phases();
  const Millis time = now / kNanosPerMilli, passed = time > lab_.since ? time - lab_.since : 0;
  while (phase_ + 1 < phases.size() && phases[phase_ + 1].from <= passed) ++phase_;
  return phases[phase_].rules(way_);
}

void LabLine::count(LabFault fault) {
  ++counted_.session.at(way_, fault);
  counted_.route.at(way_, fault).add();
}

// -- In ---------------------------------------------------------------------------------------------------------------

void LabLine::put(Bytes bytes, std::uint32_t tag, wire::Stage stage, bool is_part) {
  if (judge_ != nullptr && !judge_->lets(of_, way_, bytes, is_part ? 0 : tag, stage))
    return user_.lab_keeps(*this, bytes, tag, false);
  const LabUnit unit{bytes, tag, 0, false, inserting_, is_part};
  if (!lab_) return put_untouched(unit);
  const std::uint64_t now = loop_.nanos();
  const LabRules& here = rules(now);
  ++unit_;
  if (here.cut && is_lossy()) return lose(bytes, tag, LabFault::kCut);
  if (here.cut) count(LabFault::kCut);
  if (!is_lossy() && hits(here.reset, LabFault::kReset)) {
    count(LabFault::kReset);
    clear();
    if (!is_part) user_.lab_keeps(*this, bytes, tag, false);
    return user_.lab_resets(*this);
  }
  const bool says = !is_part && (of_ != Of::kMessages || tag <= static_cast<std::uint32_t>(net::Opcode::kBinary));
  here.said.empty() || !says ? take(unit, 0, here, now) : read(bytes, tag, stage, here, now);
  run(false);
}

/// Decides about a unit, or a frame of one, that is to pass on. `hold`: how much later than it would pass otherwise.
void LabLine::take(const LabUnit& unit, Millis hold, const LabRules& here, std::uint64_t now) {
  const bool lost = hits(here.loss, LabFault::kLoss);
  if (is_lossy() && lost) return lose(unit.bytes, unit.tag, LabFault::kLoss);
  const auto fits = [&] { return bytes_ + unit.bytes.size() + kOverhead <= most_waiting_; };
  if (is_lossy() && !fits()) return lose(unit.bytes, unit.tag, LabFault::kFull);
  if (lost) count(LabFault::kLoss);
  const std::uint64_t at = due(unit, here, now, lost);
  if (hold != 0) return add(whole_millis(at + hold * kNanosPerMilli), unit, here, now, true);
  if (is_lossy() && !parked_ && hits(here.reorder, LabFault::kReorder)) {
    count(LabFault::kReorder);
    return park(at, unit, here, now);
  }
  add(at, unit, here, now);
  if (is_lossy() && fits() && hits(here.dup, LabFault::kDup)) {
    count(LabFault::kDup);
    add(at, {unit.bytes, unit.tag, 0, true}, here, now);
  }
  unpark(at);
}

// -- By what is said --------------------------------------------------------------------------------------------------

LabReader& LabLine::reader() {
  if (reader_ && reader_->dialect() == info_.dialect) return *reader_;
  std::unique_ptr<wire::Cutter> cutter;
  if (of_ == Of::kDatagrams)
    cutter = info_.game->datagram_cutter(way_, info_.dialect);
  else if (of_ != Of::kStream)
    cutter = info_.game->cutter(way_, info_.dialect);
  reader_ = std::make_unique<LabReader>(*info_.game, info_.dialect, std::move(cutter));
  return *reader_;
}

/// Does to the frames of a unit what the plan says about such messages.
void LabLine::read(Bytes unit, std::uint32_t tag, wire::Stage stage, const LabRules& here, std::uint64_t now) {
  const wire::Lane lane = of_ == Of::kPackets     ? lab_carriage(tag).lane()
                          : of_ == Of::kDatagrams ? wire::Lane::kDatagram
                                                  : wire::Lane::kStream;
  rest_.clear();
  copies_.clear();
  frames_read_ = 0;
  bool whole = true;
  reader().each_frame(stage, unit, [&](wire::Stage its_stage, Bytes frame) {
    whole = read_frame({way_, lane, its_stage, frame}, tag, here, now) && whole;
    ++frames_read_;
  });
  if (whole)
    take({unit, tag}, 0, here, now);
  else if (!rest_.empty())
    take({rest_, tag, 0, true}, 0, here, now);
  for (const Buffer& copy : copies_) take({copy, tag, 0, true}, 0, here, now);
}

/// Adds what is left of the frame to `rest_`. Returns whether that is the frame as it came.
bool LabLine::read_frame(const wire::Frame& frame, std::uint32_t tag, const LabRules& here, std::uint64_t now) {
  Buffer changed;
  bool altered = false;
  for (std::size_t i = 0; i < here.said.size(); ++i) {
    const LabSaid& rule = here.said[i];
    const std::uint64_t more = (frames_read_ << 8U) + i + 1;
    constexpr std::array kFaults{LabFault::kDrop, LabFault::kHold, LabFault::kDuplicate, LabFault::kCorrupt};
    const LabFault fault = kFaults[static_cast<std::size_t>(rule.does)];
    if (!dice_.hits(rule.share, unit_, fault, more) || !reader().means(rule, frame)) continue;
    if (rule.does == LabSaid::Does::kDrop) return lose(frame.bytes, tag, fault), false;
    if (rule.does == LabSaid::Does::kHold) {
      count(fault);
      return take({altered ? Bytes(changed) : frame.bytes, tag, 0, altered}, rule.hold, here, now), false;
    }
    if (rule.does == LabSaid::Does::kDuplicate) copies_.emplace_back(frame.bytes.begin(), frame.bytes.end());
    if (rule.does == LabSaid::Does::kCorrupt) {
      auto made = reader().corrupted(frame, dice_.roll(unit_, fault, more + (1ULL << 32U)));
      if (!made || altered) continue;
      changed = std::move(*made);
      altered = true;
      user_.lab_keeps(*this, frame.bytes, tag, true);
    }
    count(fault);
  }
  append(rest_, altered ? Bytes(changed) : frame.bytes);
  return !altered;
}

// -- What waits -------------------------------------------------------------------------------------------------------

void LabLine::lose(Bytes unit, std::uint32_t tag, LabFault fault) {
  count(fault);
  user_.lab_keeps(*this, unit, tag, false);
}

/// Takes this without faults, after what waits.
void LabLine::put_untouched(const LabUnit& unit) {
  if (waiting_.empty()) return user_.lab_passes(*this, unit);
  const std::uint64_t now = loop_.nanos();
  std::uint64_t at = of_ == Of::kDatagrams ? now : std::max(now, last_due_);
  if (unit.part) at = last_due_ = after_what_waits(at);
  add(at, unit, LabRules(), now);
  run(false);
}

/// No message that is held back may come between the parts of a frame.
std::uint64_t LabLine::after_what_waits(std::uint64_t at) {
  return waiting_.empty() ? at : std::max(at, waiting_.rbegin()->first.first);
}

/// When a unit that comes now is to be passed on. Counts what delays it.
std::uint64_t LabLine::due(const LabUnit& unit, const LabRules& here, std::uint64_t now, bool lost) {
  std::uint64_t at = now;
  if (here.rate != 0) at = free_at_ = std::max(now, free_at_) + unit.bytes.size() * 8 * 1'000'000'000 / here.rate;
  at += here.delay * kNanosPerMilli;
  if (here.jitter != 0) {
    const std::uint64_t width = 2 * here.jitter * kNanosPerMilli + 1;
    at = at - here.jitter * kNanosPerMilli + dice_.roll(unit_, LabFault::kDelay) % width;
  }
  if (here.delay != 0 || here.rate != 0) count(LabFault::kDelay);
  if (lost) at += kResent * kNanosPerMilli;
  if (hits(here.stall, LabFault::kStall)) {
    count(LabFault::kStall);
    stalled_until_ = std::max(stalled_until_, now + here.stall_for * kNanosPerMilli);
  }
  at = std::max(at, stalled_until_);
  if (at > now) at = whole_millis(at);
  if (unit.part) at = after_what_waits(at);
  if (of_ != Of::kDatagrams) at = last_due_ = std::max(at, last_due_);
  return at;
}

void LabLine::add(std::uint64_t at, const LabUnit& unit, const LabRules& here, std::uint64_t now, bool held_back) {
  if (!held_back && merge(at, unit, here, now)) return;
  Waiting waiting{.bytes = {unit.bytes.begin(), unit.bytes.end()},
                  .tag = unit.tag,
                  .unit = unit_,
                  .came = now,
                  .made = unit.made,
                  .inserted = inserting_,
                  .part = unit.part,
                  .slice_least = of_ == Of::kStream ? here.slice_least : 0,
                  .slice_most = here.slice_most};
  bytes_ += waiting.weight();
  waiting_.emplace(Due{at, ++added_}, std::move(waiting));
  if (!held_back) last_ = Due{at, added_};
}

/// Of a stream, what came and is due at the same time, to a millisecond, waits as one; and if too much waits, what
/// comes later, too.
bool LabLine::merge(std::uint64_t at, const LabUnit& unit, const LabRules& here, std::uint64_t now) {
  const auto found = of_ == Of::kStream && last_ ? waiting_.find(*last_) : waiting_.end();
  if (found == waiting_.end()) return false;
  Waiting& last = found->second;
  const bool fits = found->first.first == at && now - last.came < kNanosPerMilli && here.slice_least == 0 &&
                    last.slice_least == 0 && last.bytes.size() + unit.bytes.size() <= kMostMerged;
  const bool alike = unit.made == last.made && inserting_ == last.inserted && unit.part == last.part;
  if ((!fits && !waits_too_much()) || !alike) return false;
  bytes_ -= last.weight();
  last.starts.push_back(static_cast<std::uint32_t>(last.bytes.size()));
  append(last.bytes, unit.bytes);
  last.tag += unit.tag;
  bytes_ += last.weight();
  return true;
}

/// Adds a unit that the next one overtakes, if it comes soon.
void LabLine::park(std::uint64_t at, const LabUnit& unit, const LabRules& here, std::uint64_t now) {
  parked_due_ = at;
  add(at + kOvertakes * kNanosPerMilli, unit, here, now);
  parked_ = {at + kOvertakes * kNanosPerMilli, added_};
}

/// The unit that overtakes is due at `at`.
void LabLine::unpark(std::uint64_t at) {
  if (!parked_) return;
  auto parked = waiting_.extract(*std::exchange(parked_, std::nullopt));
  if (parked.empty()) return;
  parked.key() = {std::max(at, parked_due_), ++added_};
  waiting_.insert(std::move(parked));
}

// -- Out --------------------------------------------------------------------------------------------------------------

/// Passes on what is due. `in_job`: for as long as the job has time.
void LabLine::run(bool in_job) {
  const std::uint64_t now = loop_.nanos();
  bool passed = false;
  while (!waiting_.empty() && waiting_.begin()->first.first <= now && next_piece_at_ <= now) {
    if (passed && in_job && loop_.time_is_up()) break;
    if (!is_lossy() && rules(now).cut) break;
    passed = true;
    pass_first(now, false);
  }
  set_alarm(now);
  if (!passed) return tell_ends();
  user_.lab_has_room(*this);
  tell_ends();
}

/// Passes on the first of what waits: all of it, or a piece.
void LabLine::pass_first(std::uint64_t now, bool whole) {
  const auto first = waiting_.begin();
  Waiting& waiting = first->second;
  if (parked_ == first->first) parked_.reset();
  const std::size_t left = waiting.bytes.size() - waiting.passed;
  std::size_t piece = left;
  if (waiting.slice_least != 0 && !whole) {
    const std::uint64_t roll = dice_.roll(waiting.unit, LabFault::kSlice, waiting.passed + 1);
    piece = std::min<std::size_t>(left, waiting.slice_least + roll % (waiting.slice_most - waiting.slice_least + 1));
    next_piece_at_ = whole_millis(now + kBetweenPieces * kNanosPerMilli);
    if (waiting.passed == 0 && piece < left) count(LabFault::kSlice);
  }
  const std::uint64_t held = now - std::min(now, waiting.came);
  if (piece < left) {
    const auto at = waiting.bytes.begin() + static_cast<std::ptrdiff_t>(waiting.passed);
    const Buffer part(at, at + static_cast<std::ptrdiff_t>(piece));
    waiting.passed += piece;
    return user_.lab_passes(*this, {part, 0, held, waiting.made, waiting.inserted});
  }
  const auto taken = waiting_.extract(first);
  const Waiting& gone = taken.mapped();
  bytes_ -= gone.weight();
  if (is_lossy() && !whole && rules(now).cut) return lose(gone.bytes, gone.tag, LabFault::kCut);
  user_.lab_passes(*this, {Bytes(gone.bytes).subspan(gone.passed), gone.tag, held, gone.made, gone.inserted});
}

bool LabLine::end_after() {
  if (waiting_.empty()) return false;
  ++ends_;
  return true;
}

void LabLine::tell_ends() {
  while (ends_ != 0 && waiting_.empty()) {
    --ends_;
    user_.lab_has_ended(*this);
  }
}

void LabLine::flush() {
  const std::uint64_t now = loop_.nanos();
  ends_ = 0;
  while (!waiting_.empty()) pass_first(now, true);
  alarm_.clear();
}

void LabLine::clear() {
  for (const auto& one : waiting_) keep(one.second);
  ends_ = bytes_ = 0;
  waiting_.clear();
  parked_.reset();
  alarm_.clear();
}

/// Tells the user of the frames that waited as they came, and of which nothing has passed.
void LabLine::keep(const Waiting& gone) {
  if (gone.made || gone.part || gone.passed != 0) return;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= gone.starts.size(); ++i) {
    const std::size_t end = i < gone.starts.size() ? gone.starts[i] : gone.bytes.size();
    user_.lab_keeps(*this, Bytes(gone.bytes).subspan(start, end - start), of_ == Of::kStream ? 1 : gone.tag, false);
    start = end;
  }
}

void LabLine::set_alarm(std::uint64_t now) {
  if (waiting_.empty()) return alarm_.clear();
  std::uint64_t at = std::max(waiting_.begin()->first.first, next_piece_at_);
  if (!is_lossy() && rules(now).cut) {
    const auto& phases = lab_.plan->phases();
    if (phase_ + 1 == phases.size()) return alarm_.clear();  // until there is another plan
    at = std::max(at, (lab_.since + phases[phase_ + 1].from) * kNanosPerMilli);
  }
  alarm_.set(at);
}

}  // namespace entente::relay
