#include "proxy/core/gameplay/incoming.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "proxy/core/gameplay/steering.h"
#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

constexpr Micros kKeptAfterEnd = 5 * kSecond;
constexpr std::size_t kMostIncoming = 2'000;
/// Metres around a tank (half of its diagonal is 3.3 m), plus the distance that shot and tank move until the client is
/// told.
constexpr double kNearMiss = 8;

constexpr double kShortestWay = 1e-3;  // metres, between two bounces
constexpr double kOffWall = 1e-6;      // metres from a wall at which a shot flies on

/// The tank at a time within the step.
TankState tank_at(const IncomingShots::Step& step, Micros when) {
  const double whole = seconds(step.since, step.now), fraction = whole > 0 ? seconds(step.since, when) / whole : 1;
  const auto between = [&](double a, double b) { return a + (b - a) * fraction; };
  TankState tank = step.is;
  tank.x = between(step.was.x, step.is.x);
  tank.y = between(step.was.y, step.is.y);
  tank.z = between(step.was.z, step.is.z);
  tank.yaw = step.was.yaw + wrap_angle(step.is.yaw - step.was.yaw) * fraction;
  return tank;
}

/// Where a ray is after so many metres.
std::array<double, 3> ahead(const Flight& ray, double metres) {
  return {ray.at[0] + ray.velocity[0] * metres, ray.at[1] + ray.velocity[1] * metres,
          ray.at[2] + ray.velocity[2] * metres};
}

/// Turns the shot off the wall that it meets there. False: the wall stops it.
bool reflect(Incoming& shot, const Terrain::Strike& wall, const std::array<double, 3>& place) {
  double into = 0;
  for (std::size_t i = 0; i < 3; ++i) into += shot.velocity[i] * wall.normal[i];
  if (into >= 0 || (!shot.nature.bounces && !wall.bounces)) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    shot.velocity[i] -= 2 * into * wall.normal[i];
    shot.at[i] = place[i] + kOffWall * wall.normal[i];
  }
  return true;
}

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

double wave_radius(const words::Shot& wave, double age) {
  const double fraction = wave.life() > 0 ? std::clamp(age / wave.life(), 0.0, 1.0) : 1;
  return std::max(0.0, wave.radius() + (wave.range() - wave.radius()) * fraction);
}

bool IncomingShots::watch(Incoming shot, double life, Micros now) {
  std::erase_if(shots_, [&](const Incoming& one) { return one.ends + kKeptAfterEnd < now; });
  if (shots_.size() >= kMostIncoming) return false;
  shot.began = now;
  shot.until = shot.ends = now + micros(life);
  shots_.push_back(std::move(shot));
  return true;
}

const Incoming* IncomingShots::find(std::uint32_t shooter, std::uint32_t shot) const {
  const auto at = std::find_if(shots_.rbegin(), shots_.rend(), is(shooter, shot));
  return at != shots_.rend() ? &*at : nullptr;
}

void IncomingShots::steer(std::uint32_t shooter, std::uint32_t shot, const words::ShotMoved& moved, Micros now) {
  for (Incoming& one : shots_) {
    if (!is(shooter, shot)(one)) continue;
    one.follow(moved, now);
    one.target = moved.target();
    one.traced = false;
  }
}

void IncomingShots::mark_harmless(std::uint32_t shooter, std::uint32_t shot) {
  for (Incoming& one : shots_)
    if (is(shooter, shot)(one)) one.back_tests = false, one.target = 0;
}

void IncomingShots::forget(std::uint32_t shooter, std::uint32_t shot) { std::erase_if(shots_, is(shooter, shot)); }

void IncomingShots::forget_shooter(std::uint32_t shooter) {
  std::erase_if(shots_, [&](const Incoming& one) { return one.shooter == shooter; });
}

// -- Hits -------------------------------------------------------------------------------------------------------------

const Incoming* IncomingShots::hit(const Step& step, const std::function<bool(const Incoming&)>& counts) {
  Left left = left_of_steered_ = {};
  free_ended_beams(step.since);
  for (Incoming& shot : shots_)
    if (may_hit(shot, step) && hits(shot, step, left) && (!counts || counts(shot))) return &shot;
  return nullptr;
}

const Incoming* IncomingShots::hit_by(std::uint32_t shooter, std::uint32_t shot, const Step& step,
                                      const std::function<bool(const Incoming&)>& counts) {
  const auto at = std::find_if(shots_.rbegin(), shots_.rend(), is(shooter, shot));
  if (at == shots_.rend() || !may_hit(*at, step) || !hits(*at, step, left_of_steered_)) return nullptr;
  return !counts || counts(*at) ? &*at : nullptr;
}

bool IncomingShots::may_hit(const Incoming& shot, const Step& step) {
  return shot.back_tests && step.now >= shot.began + micros(shot.nature.harmless_s) && step.since <= shot.ends;
}

/// Whether another way between two walls may be looked at; if so, it counts.
bool IncomingShots::start_leg(Left& left) { return left.legs > 0 && left.solids > 0 && left.legs-- > 0; }

/// What the shot meets within `most` seconds.
std::optional<Terrain::Strike> IncomingShots::look_ahead(const Incoming& shot, double most, const Terrain& terrain,
                                                         Left& left) {
  std::size_t looked = 0;
  const auto wall = terrain.strike(shot.at, shot.velocity, most, shot.nature.through, &looked);
  left.solids -= std::min(left.solids, looked);
  return wall;
}

bool IncomingShots::hits(Incoming& shot, const Step& step, Left& left) {
  if (shot.nature.kind == words::WAVE) return wave_hits(shot, step);
  if (shot.nature.kind == words::RAY || shot.nature.kind == words::MELEE) return ray_hits(shot, step, left);
  for (;;) {
    if (!shot.traced) {
      if (!start_leg(left)) return false;
      trace(shot, step.terrain, left);
    }
    const Micros from = std::max(step.since, shot.since), to = std::min(step.now, shot.until);
    const bool armed = !shot.own || shot.bounced > 0;
    if (armed && from <= to &&
        met(step.model, tank_at(step, from), tank_at(step, to), shot.place(from), shot.place(to)))
      return true;
    if (shot.until >= step.now || !bounce(shot)) return false;
  }
}

/// A wave reaches through everything. It is measured to the middle of the tank's base.
bool IncomingShots::wave_hits(const Incoming& shot, const Step& step) {
  if (shot.own) return false;
  const double life = seconds(shot.ends - shot.began);
  const double fraction = life > 0 ? std::min(1.0, seconds(shot.began, step.now) / life) : 1;
  const double radius = shot.nature.radius + (shot.nature.range - shot.nature.radius) * fraction;
  return std::hypot(step.is.x - shot.at[0], step.is.y - shot.at[1], step.is.z - shot.at[2]) <= radius;
}

/// A ray is there at once, all of its way, and hits for as long as it lives.
bool IncomingShots::ray_hits(Incoming& shot, const Step& step, Left& left) {
  const auto goes_on = [&] {
    return shot.gone < shot.nature.range && shot.beam.size() <= kMostBounces && ways_ < kMostWays && start_leg(left);
  };
  for (; goes_on(); ++ways_) {
    const auto wall = look_ahead(shot, shot.nature.range - shot.gone, step.terrain, left);
    const double far = wall ? wall->after : shot.nature.range - shot.gone;
    const Incoming::Way way{shot.at, ahead(shot, far)};
    shot.beam.push_back(way);
    shot.gone = wall && reflect(shot, *wall, way.to) ? shot.gone + std::max(far, kShortestWay) : shot.nature.range;
  }
  for (std::size_t i = shot.own ? 1 : 0; i < shot.beam.size(); ++i)
    if (met(step.model, step.is, step.is, shot.beam[i].from, shot.beam[i].to)) return true;
  return false;
}

/// The way of a ray is of no use after its end.
void IncomingShots::free_ended_beams(Micros now) {
  ways_ = 0;
  for (Incoming& shot : shots_) {
    if (now > shot.ends) std::vector<Incoming::Way>().swap(shot.beam);  // clear() would keep the memory
    ways_ += shot.beam.size();
  }
}

/// Finds the end of the way from where the shot is.
void IncomingShots::trace(Incoming& shot, const Terrain& terrain, Left& left) {
  shot.traced = true;
  shot.wall = look_ahead(shot, seconds(shot.since, shot.ends), terrain, left);
  shot.until = shot.wall ? shot.since + sane_micros(shot.wall->after) : shot.ends;
}

/// The shot is at the end of its way. False: it ends there.
bool IncomingShots::bounce(Incoming& shot) {
  if (!shot.wall || shot.bounced >= kMostBounces || !reflect(shot, *shot.wall, shot.place(shot.until))) return false;
  ++shot.bounced;
  shot.since = std::max(shot.until, shot.since + 1);
  shot.traced = false;
  return true;
}

// -- Guided shots -----------------------------------------------------------------------------------------------------

void IncomingShots::turn(Incoming& shot, const std::array<double, 3>& goal, Micros now, double dt) {
  const double speed = std::hypot(shot.velocity[0], shot.velocity[1], shot.velocity[2]);
  const std::array<double, 3> here = shot.place(now);
  const auto nearer = [&](double to, double from) {
    return from + std::clamp(wrap_angle(to - from), -shot.nature.turn_rate * dt, shot.nature.turn_rate * dt);
  };
  const double flat = std::hypot(goal[0] - here[0], goal[1] - here[1]);
  const double yaw =
      nearer(std::atan2(goal[1] - here[1], goal[0] - here[0]), std::atan2(shot.velocity[1], shot.velocity[0]));
  const double pitch = nearer(std::atan2(goal[2] - here[2], flat),
                              std::atan2(shot.velocity[2], std::hypot(shot.velocity[0], shot.velocity[1])));
  shot.at = here;
  shot.velocity = {speed * std::cos(yaw) * std::cos(pitch), speed * std::sin(yaw) * std::cos(pitch),
                   speed * std::sin(pitch)};
  shot.since = now;
  shot.traced = false;
}

void IncomingShots::guide(Id me, Micros now, double dt,
                          const std::function<std::optional<std::array<double, 3>>(Id)>& where,
                          const std::function<void(const Incoming&)>& turned) {
  int left = kGuidedAtOnce;
  for (const bool at_me : {true, false})
    for (Incoming& shot : shots_) {
      if (shot.nature.kind != words::GUIDED || shot.target == 0 || now >= shot.until) continue;
      if ((shot.target == me) != at_me) continue;
      if (left-- == 0) return;
      const auto goal = where(shot.target);
      if (!goal) continue;
      turn(shot, *goal, now, dt);
      turned(shot);
    }
}

}  // namespace entente::core
