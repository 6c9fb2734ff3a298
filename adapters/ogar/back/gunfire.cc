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
  if (!will || own_.size() >= kMostOwnShots) return end(number, out);
  own_.push_back({number, out.now() + kFlight});
}

void Gunfire::end(std::uint32_t number, core::BackOut& out) {
  words::ShotEnded ended;
  ended.set_shooter(out.me());
  ended.set_shot(number);
  out.say(ended);
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
    const std::uint32_t number = own_.front().number;
    own_.pop_front();
    end(number, out);
  }
}

}  // namespace entente::ogar
