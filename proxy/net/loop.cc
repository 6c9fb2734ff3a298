#include "proxy/net/loop.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

namespace entente::net {
namespace {

constexpr std::size_t kReadBuffer = 64 * 1024;
constexpr std::size_t kLaterAtOnce = 1024;

void check(int result) {
  if (result != 0) std::abort();  // out of memory or of file descriptors before anything began
}

/// A process that still runs, and that nobody waits for (process/child_process.h).
void close_detached(uv_handle_t* handle, void*) {
  if (handle->type == UV_PROCESS && handle->data == nullptr && uv_is_closing(handle) == 0)
    HandleCloser()(reinterpret_cast<uv_process_t*>(handle));
}

}  // namespace

DatagramBuffers::DatagramBuffers() : bytes(kSlots * kSlotSize) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    parts[i] = {bytes.data() + i * kSlotSize, kSlotSize};
    headers[i].msg_hdr.msg_iov = &parts[i];
    headers[i].msg_hdr.msg_iovlen = 1;
    headers[i].msg_hdr.msg_name = &from[i];
    headers[i].msg_hdr.msg_namelen = sizeof(from[i]);
  }
}

Loop::Loop(Schedule::Clock nanos) : schedule_(std::move(nanos)), read_buffer_(kReadBuffer) {
  check(uv_loop_init(&loop_));
  later_.reserve(kLaterAtOnce);
  due_.reserve(kLaterAtOnce);
  next_.reserve(kLaterAtOnce);
  after_events_ = make_handle<uv_check_t>(this, [this](uv_check_t* it) { return uv_check_init(&loop_, it); });
  after_timers_ = make_handle<uv_prepare_t>(this, [this](uv_prepare_t* it) { return uv_prepare_init(&loop_, it); });
  awake_ = make_handle<uv_idle_t>(this, [this](uv_idle_t* it) { return uv_idle_init(&loop_, it); });
  uv_check_start(after_events_.get(), [](uv_check_t* it) { static_cast<Loop*>(it->data)->turn(); });
  uv_prepare_start(after_timers_.get(), [](uv_prepare_t* it) { static_cast<Loop*>(it->data)->prepare(); });
  uv_unref(reinterpret_cast<uv_handle_t*>(after_events_.get()));
  uv_unref(reinterpret_cast<uv_handle_t*>(after_timers_.get()));
}

Loop::~Loop() {
  after_events_.reset();
  after_timers_.reset();
  awake_.reset();
  uv_walk(&loop_, close_detached, nullptr);
  uv_run(&loop_, UV_RUN_DEFAULT);  // only close callbacks are left
  [[maybe_unused]] const int left_open = uv_loop_close(&loop_);
  assert(left_open == 0);
}

void Loop::cancel_later(const Later& it) {
  std::erase(later_, &it);
  std::erase(next_, &it);
  std::replace(due_.begin(), due_.end(), const_cast<Later*>(&it), static_cast<Later*>(nullptr));
}

/// After the timers and before the loop sleeps.
void Loop::prepare() {
  end_turn();
  stay_awake();
}

/// After events were looked for.
void Loop::turn() {
  const bool timed = watch_ != nullptr && !schedule_.empty() && ++turns_ % kTimed == 0;
  const std::uint64_t began = timed ? nanos() : 0;
  later_.insert(later_.end(), next_.begin(), next_.end());
  next_.clear();
  schedule_.serve(Priority::kPlayer, now());
  outbox_.flush();
  schedule_.serve(Priority::kNewcomer, now());
  behind_ = !schedule_.empty();
  end_turn();
  if (timed) watch_->turn_took(nanos() - began);
  stay_awake();
}

/// Jobs are served after new events were looked for, so that a player's event is served before jobs that are left over.
void Loop::stay_awake() {
  if (schedule_.empty() && next_.empty())
    uv_idle_stop(awake_.get());
  else
    wake();
}

/// Since 1.45 libuv runs timers at the end of a turn. What they ask for must keep a loop running that has nothing else
/// to do.
void Loop::wake() {
  uv_idle_start(awake_.get(), [](uv_idle_t*) {});
}

void Loop::end_turn() {
  outbox_.flush();
  while (!later_.empty()) {
    due_.swap(later_);
    for (std::size_t i = 0; i < due_.size(); ++i)
      if (Later* it = due_[i]) {
        called_ = it;
        it->at_turn_end();
        called_ = nullptr;
      }
    due_.clear();
    outbox_.flush();
  }
}

Alarm::Alarm(Loop& loop, User& user)
    : loop_(loop),
      user_(user),
      timer_(make_handle<uv_timer_t>(this, [&](uv_timer_t* it) { return uv_timer_init(loop.raw(), it); })) {}

void Alarm::set(std::uint64_t nanos) {
  const std::uint64_t at = nanos / 1'000'000 + (nanos % 1'000'000 != 0 ? 1 : 0);
  if (at == set_to_) return;
  if (waits() && at <= loop_.now()) return;  // it is about to fire
  cancel();
  set_to_ = at;
  const auto ring = [](uv_timer_t* it) {
    auto* self = static_cast<Alarm*>(it->data);
    self->set_to_ = kOff;
    self->loop_.serve(*self);
  };
  uv_timer_start(timer_.get(), ring, at > loop_.now() ? at - loop_.now() : 0, 0);
}

void Alarm::clear() {
  set_to_ = kOff;
  uv_timer_stop(timer_.get());
  cancel();
}

void Alarm::run() { user_.rang(); }

Ticker::Ticker(Loop& loop, User& user, Millis every)
    : user_(user),
      timer_(make_handle<uv_timer_t>(this, [&](uv_timer_t* it) { return uv_timer_init(loop.raw(), it); })) {
  uv_timer_start(
      timer_.get(),
      [](uv_timer_t* it) {
        auto* self = static_cast<Ticker*>(it->data);
        self->user_.tick(uv_now(it->loop));
      },
      every, every);
}

}  // namespace entente::net
