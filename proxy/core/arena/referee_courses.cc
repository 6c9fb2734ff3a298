// Shots that do not fly straight: grenades, which fall and explode, and guided shots, which turn toward a target. See
// referee.h.
#include <algorithm>
#include <cmath>

#include "proxy/core/arena/referee.h"
#include "proxy/core/drops.h"
#include "proxy/core/gameplay/claims.h"
#include "proxy/core/gameplay/guns.h"
#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

// Grenades fly as in Ace of Spades, whose clients compute the path by themselves.
constexpr double kFall = 50;      // metres per second squared: 32 blocks
constexpr double kLeft = 0.36;    // the fraction of its speed that is left after an impact
constexpr double kHardest = 100;  // metres per second: the fastest throw
constexpr double kLongestFuse = 5;
constexpr double kFromHand = 6;  // metres: how far from its thrower a grenade may start
constexpr double kMiddle = 1;    // metres: the height of a target's centre
constexpr double kOverGround = 0.3;

// Guided shots, as in BZFlag.
constexpr double kTurn = 0.628;      // radians a second
constexpr double kAheadOfGun = 0.5;  // radians: the largest angle between the heading and the first target
constexpr Micros kBetweenCourses = 200 * kMillisecond;

double length(const std::array<double, 3>& v) { return std::hypot(v[0], v[1], v[2]); }

}  // namespace

// -- Grenades ---------------------------------------------------------------------------------------------------------

void Referee::throw_grenade(Player& player, const Shooting& wish, BackOut& out) {
  const words::Fire& fire = *wish.fire;
  const double off = std::hypot(fire.x() - player.tank.x, fire.y() - player.tank.y, fire.z() - player.tank.z);
  if (off > kFromHand) return refuse_shot(wish, player.who.id(), drops::kThrownFromAfar, out);
  if (!load(player, out.now())) return refuse_shot(wish, player.who.id(), drops::kNotLoaded, out);
  Ball ball;
  ball.kind = words::GRENADE;
  ball.shooter = player.who.id();
  ball.number = fire.shot();
  ball.team = player.who.team();
  ball.at = {fire.x(), fire.y(), std::max(fire.z(), kOverGround)};
  ball.velocity = {fire.vx(), fire.vy(), fire.vz()};
  const double speed = length(ball.velocity);
  if (speed > kHardest)
    for (double& v : ball.velocity) v *= kHardest / speed;
  const double fuse = std::clamp(fire.life(), 0.0, kLongestFuse);
  ball.until = out.now() + std::max<Micros>(1, micros(fuse));
  balls_.push_back(ball);
  words::Shot shot;
  shot.set_shooter(ball.shooter);
  shot.set_unit(player.unit);
  shot.set_shot(ball.number);
  shot.set_kind(words::GRENADE);
  set_way(ball.at, ball.velocity, shot);
  shot.set_life(fuse);
  shot.set_team(ball.team);
  out.say(shot);
}

/// Moves a grenade; it explodes when its fuse ends. Each impact takes most of its speed.
void Referee::fall(Ball& ball, double dt, BackOut& out) {
  if (out.now() >= ball.until) return burst(ball, out);
  const auto hit = [&](std::size_t axis) {
    for (double& v : ball.velocity) v *= kLeft;
    ball.velocity[axis] = -ball.velocity[axis];
  };
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double way = ball.velocity[axis] * dt, far = std::abs(way);
    if (far == 0) continue;
    const double sign = way > 0 ? 1 : -1, dx = axis == 0 ? sign : 0, dy = axis == 0 ? 0 : sign;
    const double clear = terrain_.clear_way(ball.at[0], ball.at[1], ball.at[2], dx, dy, far);
    ball.at[axis] += sign * std::max(0.0, clear - kOverGround * (clear < far ? 1 : 0));
    if (clear < far) hit(axis);
  }
  ball.velocity[2] -= kFall * dt;
  ball.at[2] += ball.velocity[2] * dt;
  TankModel point;
  point.length = point.width = 0.1;
  point.height = 0.1;
  const double ground = terrain_.floor(point, ball.at[0], ball.at[1], ball.at[2], 0) + kOverGround;
  if (ball.at[2] >= ground) return;
  ball.at[2] = ground;
  hit(2);
}

/// The damage decreases with distance; behind a wall there is none.
void Referee::burst(Ball& ball, BackOut& out) {
  end_shot(ball, true, out);
  for (auto& [id, player] : players_) {
    const double dx = player.tank.x - ball.at[0], dy = player.tank.y - ball.at[1];
    const double flat = std::hypot(dx, dy), far = std::hypot(flat, player.tank.z + kMiddle - ball.at[2]);
    if (!player.alive || far >= arena_.rules.grenade_radius || (id != ball.shooter && is_spared(player, ball)))
      continue;
    const double reach = std::max(0.0, flat - arena_.rules.tank.length / 2);  // to its nearest side
    const bool hidden = flat > 0 && terrain_.clear_way(ball.at[0], ball.at[1], std::max(ball.at[2], kMiddle), dx / flat,
                                                       dy / flat, reach) < reach;
    if (!hidden) hurt(player, arena_.rules.grenade_damage * (1 - far / arena_.rules.grenade_radius), ball, out);
  }
}

// -- Guided shots -----------------------------------------------------------------------------------------------------

bool Referee::is_foe(const Player& other, const Player& player) const {
  return &other != &player && other.alive && (!teams() || other.who.team() != player.who.team());
}

/// The nearest enemy roughly ahead; 0: none.
Id Referee::target_of(const Player& player, double yaw) const {
  Id target = 0;
  double nearest = arena_.rules.ball_range;
  for (const auto& [id, other] : players_) {
    const double dx = other.tank.x - player.tank.x, dy = other.tank.y - player.tank.y, far = std::hypot(dx, dy);
    if (far >= nearest || !is_foe(other, player) || std::abs(wrap_angle(std::atan2(dy, dx) - yaw)) > kAheadOfGun)
      continue;
    nearest = far;
    target = id;
  }
  return target;
}

/// The shooter's client chooses the target; the referee computes the path.
void Referee::move_claim(Player& player, const words::ShotMoveClaim& claim, BackOut& out) {
  for (Ball& ball : balls_) {
    if (ball.kind != words::GUIDED || ball.shooter != player.who.id() || ball.number != claim.shot()) continue;
    const Player* const target = find(claim.target());
    ball.target = target != nullptr && is_foe(*target, player) ? claim.target() : 0;
    return;
  }
  out.drop(drops::kNoGuidedShot);
}

/// Turns the shot toward its target, as far as it can turn in this time.
void Referee::guide(Ball& ball, double dt, BackOut& out) {
  const Player* const target = find(ball.target);
  if (target == nullptr || !target->alive) return;
  const double speed = length(ball.velocity);
  const double dx = target->tank.x - ball.at[0], dy = target->tank.y - ball.at[1],
               dz = target->tank.z + kMiddle - ball.at[2];
  const double yaw = std::atan2(ball.velocity[1], ball.velocity[0]),
               pitch = std::atan2(ball.velocity[2], std::hypot(ball.velocity[0], ball.velocity[1]));
  const double most = kTurn * dt;
  const double turn = std::clamp(wrap_angle(std::atan2(dy, dx) - yaw), -most, most),
               rise = std::clamp(std::atan2(dz, std::hypot(dx, dy)) - pitch, -most, most);
  if (turn == 0 && rise == 0) return;
  ball.velocity = {speed * std::cos(yaw + turn) * std::cos(pitch + rise),
                   speed * std::sin(yaw + turn) * std::cos(pitch + rise), speed * std::sin(pitch + rise)};
  if (out.now() >= ball.told + kBetweenCourses) tell_course(ball, out);
}

void Referee::tell_course(Ball& ball, BackOut& out) {
  ball.told = out.now();
  words::ShotMoved moved;
  moved.set_shooter(ball.shooter);
  moved.set_shot(ball.number);
  moved.set_target(ball.target);
  set_way(ball.at, ball.velocity, moved);
  out.say(moved);
}

}  // namespace entente::core
