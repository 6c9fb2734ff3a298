#include "proxy/program/control/replay_control.h"

#include "proxy/base/time.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

using core::Replay;

constexpr Millis kSayEvery = 10'000;

std::string status_text(const Replay::Status& status) {
  return "replay: " + time_text(status.at) + " of " + time_text(status.length) +
         (status.paused ? ", paused" : fmt::format(", speed {:g}", status.speed)) +
         fmt::format(", {} watching", status.watchers);
}

}  // namespace

template <class Order>
void ReplayControl::order(Order order) {
  server_.order(shared_room_, [order](core::Back& back) { order(static_cast<Replay&>(back)); });
}

void ReplayControl::pause(bool on) {
  order([on](Replay& replay) { replay.pause(on); });
}

void ReplayControl::seek(core::Micros at) {
  order([at](Replay& replay) { replay.seek(at); });
}

void ReplayControl::set_speed(double speed) {
  order([speed](Replay& replay) { replay.set_speed(speed); });
}

Replay::Status ReplayControl::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void ReplayControl::status_changed(const Replay::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    status_ = status;
  }
  if (worth_saying(status)) {
    log_info("{}", status_text(status));
    said_ = status;
    said_at_ = steady_now();
  }
  if (!status.over) return;
  if (status.error.empty()) log_info("replay: end of the recording");
  server_.stop();
}

bool ReplayControl::worth_saying(const Replay::Status& status) const {
  const bool other = status.paused != said_.paused || status.speed != said_.speed || status.watchers != said_.watchers;
  const bool moves = status.at != said_.at && steady_now() >= said_at_ + kSayEvery;
  return other || moves;
}

}  // namespace entente
