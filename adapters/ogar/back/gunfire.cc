#include "adapters/ogar/back/gunfire.h"

#include <algorithm>
#include <cmath>

#include "proxy/core/seconds.h"

namespace entente::ogar {
namespace {

using core::seconds;

constexpr std::size_t kMostOwnShots = 64;

}  // namespace

void Gunfire::wished(std::uint32_t number, bool will, core::BackOut& out) {
  if (number == 0 || own_.size() >= kMostOwnShots) return;
  own_.push_back({number, out.now() + (will ? kFlight : 0)});
}

void Gunfire::seen(core::Id player, const words::Pose& unit, double yaw, words::Team team, core::BackOut& out) {
  if (player == out.me() || std::find(seen_.begin(), seen_.end(), player) != seen_.end()) return;
  seen_.push_back(player);
  const double range = Plane().metres(kBoost), speed = range / seconds(kFlight);
  words::Shot shot;
  shot.set_shooter(player);
  shot.set_unit(unit.unit());
  shot.set_shot(++count_);
  shot.set_kind(words::BALL);
  shot.set_x(unit.x());
  shot.set_y(unit.y());
  shot.set_vx(speed * std::cos(yaw));
  shot.set_vy(speed * std::sin(yaw));
  shot.set_life(seconds(kFlight));
  shot.set_range(range);
  shot.set_team(team);
  out.say(shot);
}

void Gunfire::end_shots(core::BackOut& out) {
  seen_.clear();
  while (!own_.empty() && own_.front().ends <= out.now()) {
    words::ShotEnded ended;
    ended.set_shooter(out.me());
    ended.set_shot(own_.front().number);
    own_.pop_front();
    out.say(ended);
  }
}

}  // namespace entente::ogar
