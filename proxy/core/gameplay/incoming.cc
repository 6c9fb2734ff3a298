#include "proxy/core/gameplay/incoming.h"

#include <algorithm>
#include <cmath>

#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

constexpr Micros kKeptAfterEnd = 5 * kSecond;
constexpr std::size_t kMostIncoming = 2'000;
/// Metres around a tank (half of its diagonal is 3.3 m), plus the distance that shot and tank move until the client is
/// told.
constexpr double kNearMiss = 8;

auto is(std::uint32_t shooter, std::uint32_t shot) {
  return [=](const Incoming& one) { return one.shooter == shooter && one.shot == shot; };
}

}  // namespace

bool victim_decides(const WorldState& world) {
  const auto at = world.rules().find("hits");
  return at != world.rules().end() && at->second == "victim";
}

std::array<double, 3> Flight::place(Micros when) const {
  const double t = seconds(since, when);
  return {at[0] + velocity[0] * t, at[1] + velocity[1] * t, at[2] + velocity[2] * t};
}

bool comes_near(const Flight& shot, const words::Pose& tank, Micros now) {
  const double ahead = seconds(2 * kShotLook);
  const auto here = shot.place(now);
  const double ax = here[0] - tank.x(), ay = here[1] - tank.y();
  const double bx = (shot.velocity[0] - tank.vx()) * ahead, by = (shot.velocity[1] - tank.vy()) * ahead;
  const double length = bx * bx + by * by;
  const double along = length > 0 ? std::clamp(-(ax * bx + ay * by) / length, 0.0, 1.0) : 0;
  return !(std::hypot(ax + along * bx, ay + along * by) > kNearMiss);  // NaN counts as near
}

void IncomingShots::watch(Incoming shot, double life, bool passes_walls, const Terrain& terrain, Micros now) {
  std::erase_if(shots_, [&](const Incoming& one) { return one.until + kKeptAfterEnd < now; });
  if (shots_.size() >= kMostIncoming) return;
  const double vx = shot.velocity[0], vy = shot.velocity[1], speed = std::hypot(vx, vy);
  if (speed > 0 && !passes_walls)
    life = std::min(
        life, terrain.clear_way(shot.at[0], shot.at[1], shot.at[2], vx / speed, vy / speed, speed * life) / speed);
  shot.until = now + micros(life);
  shots_.push_back(shot);
}

const Incoming* IncomingShots::find(std::uint32_t shooter, std::uint32_t shot) const {
  const auto at = std::find_if(shots_.rbegin(), shots_.rend(), is(shooter, shot));
  return at != shots_.rend() ? &*at : nullptr;
}

void IncomingShots::steer(std::uint32_t shooter, std::uint32_t shot, const words::ShotMoved& moved, Micros now) {
  for (Incoming& one : shots_)
    if (is(shooter, shot)(one)) one.follow(moved, now);
}

void IncomingShots::mark_harmless(std::uint32_t shooter, std::uint32_t shot) {
  for (Incoming& one : shots_)
    if (is(shooter, shot)(one)) one.back_tests = false;
}

void IncomingShots::forget(std::uint32_t shooter, std::uint32_t shot) { std::erase_if(shots_, is(shooter, shot)); }

const Incoming* IncomingShots::hit(const TankModel& tank, const TankState& was, const TankState& is, Micros since,
                                   Micros now) const {
  for (const Incoming& shot : shots_) {
    const Micros from = std::max(since, shot.since), to = std::min(now, shot.until);
    if (shot.back_tests && from <= to && met(tank, was, is, shot.place(from), shot.place(to))) return &shot;
  }
  return nullptr;
}

}  // namespace entente::core
