// How players shoot in an arena: balls that fly, and rays. See referee.h.
#include <algorithm>
#include <cmath>

#include "proxy/core/arena/referee.h"
#include "proxy/core/drops.h"
#include "proxy/core/gameplay/claims.h"
#include "proxy/core/gameplay/guns.h"
#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

constexpr double kMuzzleHeight = 1.57, kMuzzleFront = 4.4;  // of a tank, from its middle
constexpr double kOffMuzzle = 12;                           // metres: how far from its tank a client's muzzle may be
constexpr double kBack = 0.05;                              // metres before a wall at which a ball bounces

}  // namespace

void Referee::shoot(Player& player, const Shooting& wish, BackOut& out) {
  if (!player.alive || !running()) return refuse_shot(wish, player.who.id(), drops::kFireNotInPlay, out);
  const bool by_client = wish.fire != nullptr;
  if (by_client && wish.fire->kind() == words::GRENADE) return throw_grenade(player, wish, out);
  const bool ray =
      by_client ? wish.fire->kind() == words::RAY || wish.fire->kind() == words::MELEE : player.steering.trigger_held();
  ray ? shoot_ray(player, wish, out) : shoot_ball(player, wish, out);
}

void Referee::shoot_ball(Player& player, const Shooting& wish, BackOut& out) {
  if (!load(player, out.now())) return refuse_shot(wish, player.who.id(), drops::kNotLoaded, out);
  const double yaw = wish.yaw.value_or(player.tank.yaw), pitch = std::clamp(wish.pitch.value_or(0), -0.6, 0.6);
  Ball ball;
  ball.shooter = player.who.id();
  ball.number = wish.fire != nullptr ? wish.fire->shot() : ++player.shots;
  ball.team = player.who.team();
  ball.at = {player.tank.x + kMuzzleFront * std::cos(yaw), player.tank.y + kMuzzleFront * std::sin(yaw),
             player.tank.z + kMuzzleHeight};
  if (wish.fire != nullptr) {
    const words::Fire& fire = *wish.fire;
    const double off = std::hypot(fire.x() - player.tank.x, fire.y() - player.tank.y, fire.z() - player.tank.z);
    if (off <= kOffMuzzle && fire.z() > 0) ball.at = {fire.x(), fire.y(), fire.z()};
  }
  const double speed = arena_.rules.ball_speed, life = arena_.rules.ball_range / speed;
  ball.velocity = {speed * std::cos(yaw) * std::cos(pitch), speed * std::sin(yaw) * std::cos(pitch),
                   speed * std::sin(pitch)};
  ball.until = out.now() + micros(life);
  if (guides(ball.shooter)) {
    ball.kind = words::GUIDED;
    ball.target = target_of(player, yaw);
  }
  balls_.push_back(ball);
  words::Shot shot;
  shot.set_shooter(ball.shooter);
  shot.set_unit(player.unit);
  shot.set_shot(ball.number);
  set_way(ball.at, ball.velocity, shot);
  shot.set_life(life);
  shot.set_range(arena_.rules.ball_range);
  shot.set_team(ball.team);
  shot.set_kind(ball.kind);
  out.say(shot);
}

/// Uses a loaded barrel, which then reloads. False: none is loaded, or the player has as many shots in the air as it may
/// have.
bool Referee::load(Player& player, Micros now) const {
  const auto flying = std::count_if(balls_.begin(), balls_.end(), [&](const Ball& ball) {
    return ball.shooter == player.who.id() && ball.until > now;
  });
  if (static_cast<std::uint32_t>(flying) >= arena_.rules.most_balls) return false;
  const auto barrel =
      std::find_if(player.barrels.begin(), player.barrels.end(), [&](Micros loaded) { return loaded <= now; });
  if (barrel == player.barrels.end()) return false;
  *barrel = now + micros(arena_.rules.reload);
  return true;
}

void Referee::shoot_ray(Player& player, const Shooting& wish, BackOut& out) {
  if (out.now() < player.trigger_allowed_at) {
    if (wish.fire != nullptr)
      refuse_shot(wish, player.who.id(), drops::kNotLoaded, out);
    else
      player.owes_shot = true;  // a trigger that is held fires later
    return;
  }
  if (wish.fire == nullptr) player.owes_shot = false;
  player.trigger_allowed_at = out.now() + micros(arena_.rules.trigger);
  const double yaw = wish.yaw.value_or(player.tank.yaw);
  Ball ray;
  ray.shooter = player.who.id();
  ray.number = wish.fire != nullptr ? wish.fire->shot() : ++player.shots;
  ray.team = player.who.team();
  ray.at = {player.tank.x, player.tank.y, player.tank.z + kMuzzleHeight};
  const bool near = wish.fire != nullptr && wish.fire->range() > 0;
  const double most = near ? std::min(wish.fire->range(), arena_.rules.ray_range) : arena_.rules.ray_range;
  const double way = terrain_.clear_way(ray.at[0], ray.at[1], ray.at[2], std::cos(yaw), std::sin(yaw), most);
  words::Shot shot;
  shot.set_shooter(ray.shooter);
  shot.set_unit(player.unit);
  shot.set_shot(ray.number);
  shot.set_kind(words::RAY);
  shot.set_x(ray.at[0]);
  shot.set_y(ray.at[1]);
  shot.set_z(ray.at[2]);
  shot.set_vx(std::cos(yaw));
  shot.set_vy(std::sin(yaw));
  shot.set_range(way);
  shot.set_team(ray.team);
  out.say(shot);
  const Point end{ray.at[0] + way * std::cos(yaw), ray.at[1] + way * std::sin(yaw), ray.at[2]};
  if (Player* victim = first_met(ray, ray.at, end)) hurt(*victim, arena_.rules.ray_damage, ray, out);
}

/// The trigger is not held any more.
void Referee::lose_owed_shot(Player& player, const MappingLine& why, BackOut& out) {
  if (std::exchange(player.owes_shot, false)) out.drop(why);
}

// -- In the air -------------------------------------------------------------------------------------------------------

void Referee::fly(Ball& ball, double dt, BackOut& out) {
  if (ball.kind == words::GRENADE) return fall(ball, dt, out);
  if (ball.kind == words::GUIDED) guide(ball, dt, out);
  const Point way{ball.velocity[0] * dt, ball.velocity[1] * dt, ball.velocity[2] * dt};
  const double flat = std::hypot(way[0], way[1]);
  if (flat == 0) return end_shot(ball, false, out);
  const double free = terrain_.clear_way(ball.at[0], ball.at[1], ball.at[2], way[0] / flat, way[1] / flat, flat);
  const double share = free / flat;
  const Point to{ball.at[0] + way[0] * share, ball.at[1] + way[1] * share, ball.at[2] + way[2] * share};
  if (Player* victim = first_met(ball, ball.at, to)) {
    end_shot(ball, true, out);
    return hurt(*victim, arena_.rules.ball_damage, ball, out);
  }
  const words::World& world = arena_.geometry;
  const bool outside = to[0] < world.west() || to[0] > world.east() || to[1] < world.south() || to[1] > world.north();
  if (out.now() >= ball.until || to[2] < 0 || outside) return end_shot(ball, false, out);
  if (free < flat && !bounce(ball, way, free, out)) return end_shot(ball, true, out);
  if (free < flat) return;
  ball.at = to;
  ball.flown = true;
}

/// Reflects the ball, if the rules allow it, and reports its new course. False: it does not bounce.
bool Referee::bounce(Ball& ball, const Point& way, double free, BackOut& out) {
  if (!arena_.rules.ricochet) return false;
  const double flat = std::hypot(way[0], way[1]), share = std::max(0.0, free - kBack) / flat;
  for (std::size_t i = 0; i < 3; ++i) ball.at[i] += way[i] * share;
  TankModel point;
  point.length = point.width = 0.3;
  point.height = 0.1;
  point.climb = 0;
  const double ahead = 2 * kBack + point.length;
  const auto normal =
      terrain_.normal(point, ball.at[0] + way[0] / flat * ahead, ball.at[1] + way[1] / flat * ahead, ball.at[2], 0);
  if (!normal) return false;
  const double into = ball.velocity[0] * normal->first + ball.velocity[1] * normal->second;
  if (into >= 0) return false;
  ball.velocity[0] -= 2 * into * normal->first;
  ball.velocity[1] -= 2 * into * normal->second;
  ball.flown = true;
  tell_course(ball, out);
  return true;
}

bool Referee::may_hurt(const Player& victim, const Ball& ball) const {
  if (!victim.alive) return false;
  if (victim.who.id() == ball.shooter) return ball.flown && arena_.rules.ricochet;
  return !is_spared(victim, ball);
}

/// Whether the victim is a team mate of the shooter, and friendly fire is off.
bool Referee::is_spared(const Player& victim, const Ball& ball) const {
  return teams() && !arena_.rules.friendly_fire && victim.who.team() == ball.team;
}

/// The player nearest to `from` that the shot hits on its way to `to`.
Referee::Player* Referee::first_met(const Ball& ball, const Point& from, const Point& to) {
  const TankModel& model = arena_.rules.tank;
  const double reach = std::hypot(to[0] - from[0], to[1] - from[1]) + model.length;
  Player* first = nullptr;
  double nearest = reach * reach;  // squared, as there are many balls and many players
  for (auto& [id, player] : players_) {
    const double dx = player.tank.x - from[0], dy = player.tank.y - from[1], far = dx * dx + dy * dy;
    if (far > nearest || (first != nullptr && far == nearest) || !may_hurt(player, ball)) continue;
    if (!met(model, player.before, player.tank, from, to)) continue;
    first = &player;
    nearest = far;
  }
  return first;
}

/// Reports the end of a shot and marks it as ended; the caller removes it.
void Referee::end_shot(Ball& ball, bool burst, BackOut& out) {
  if (std::exchange(ball.until, 0) == 0) return;
  words::ShotEnded ended;
  ended.set_shooter(ball.shooter);
  ended.set_shot(ball.number);
  ended.set_burst(burst);
  out.say(ended);
}

/// A client may end its own shots.
void Referee::end_claim(Player& player, const words::ShotEndClaim& claim, BackOut& out) {
  if (claim.shooter() != player.who.id()) return out.drop(drops::kShotOfAnother);
  for (Ball& ball : balls_)
    if (ball.shooter == claim.shooter() && ball.number == claim.shot()) end_shot(ball, claim.burst(), out);
  std::erase_if(balls_, [](const Ball& ball) { return ball.until == 0; });
}

}  // namespace entente::core
