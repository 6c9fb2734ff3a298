#include "proxy/core/bot/bot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "proxy/core/drops.h"
#include "proxy/core/gameplay/steering.h"
#include "proxy/core/seconds.h"
#include "proxy/core/world.h"

namespace entente::core {
namespace {

constexpr Micros kThinkEvery = 100 * kMillisecond;
constexpr Micros kAskAgain = 2 * kSecond;  // before a request to spawn is repeated
constexpr double kClose = 20;              // metres: it does not drive closer to an enemy
constexpr double kPointBlank = 8;          // metres: the muzzle may be behind an enemy this near
constexpr double kMuzzle = 1.57;           // metres: the height from which it shoots
constexpr double kAhead = 0.2;             // radians: it shoots at enemies within this angle of its heading

double distance(const words::Pose& a, const words::Pose& b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

/// Whether the two are on one side.
bool mates(const WorldState& world, const PlayerState& one, const PlayerState* other) {
  if (!world.room().teams() || other == nullptr || one.player.team() == words::ROGUE) return false;
  return one.player.team() == other->player.team();
}

/// The nearest visible unit of an enemy; null if there is none.
const UnitState* nearest_foe(const WorldState& world, Id me, const words::Pose& self) {
  const UnitState* nearest = nullptr;
  const PlayerState* const own = world.player(me);
  for (const auto& [id, player] : world.players()) {
    if (id == me || mates(world, player, own)) continue;
    for (const Id unit : player.units) {
      const UnitState* state = world.unit(unit);
      if (state == nullptr || !state->unit.alive() || state->hidden) continue;
      if (nearest == nullptr || distance(state->unit.pose(), self) < distance(nearest->unit.pose(), self))
        nearest = state;
    }
  }
  return nearest;
}

}  // namespace

void Bot::opened(const Peer&, FrontOut& out) {
  words::Enter enter;
  enter.set_name(options_.name);
  enter.set_team(options_.team);
  if (options_.behaviour == Behaviour::kWatch) enter.set_role(words::WATCH);
  out.say(enter);
  out.wake(out.now() + kThinkEvery);
}

void Bot::hear(const Fact& fact, FrontOut& out) {
  const auto spawn_in = [&](double seconds) {
    wants_spawn_ = options_.behaviour != Behaviour::kWatch;
    spawn_at_ = out.now() + micros(seconds);
  };
  const auto died = [&](const words::Died& word) {
    if (word.killer() == out.me() && word.player() != out.me() && word.why() != words::BY_CAPTURE) ++tally_.kills;
    if (word.player() != out.me()) return;
    ++tally_.deaths;
    spawn_in(word.respawn_s());
  };
  const auto spawned = [&](const words::Spawned& word) {
    const UnitState* unit = out.world().unit(word.unit());
    if (unit == nullptr || unit->unit.owner() != out.me()) return;
    ++tally_.spawns;
    wants_spawn_ = false;
    goal_ = {};
  };
  const auto refused = [&](const std::string& why) {
    tally_.refused = why.empty() ? "refused" : why;
    out.close(tally_.refused);
  };
  std::visit(Overloaded{[&](const words::Ready&) { tally_.in = true, spawn_in(0); }, died, spawned,
                        [&](const words::Refused& word) { refused(word.text()); },
                        [&](const words::Kicked& word) { refused(word.text()); }, [](const auto&) {}},
             fact.content);
}

void Bot::tick(FrontOut& out) {
  out.wake(out.now() + kThinkEvery);
  const UnitState* self = out.world().active_unit(out.me());
  if (wants_spawn_ && out.now() >= spawn_at_) {
    spawn_at_ = out.now() + kAskAgain;
    out.say(words::Spawn());
  }
  if (self == nullptr || !self->unit.alive()) return;
  play(place_at(self->unit.pose(), self->posed_at, out.now()), out);
}

void Bot::play(const words::Pose& self, FrontOut& out) {
  if (options_.behaviour == Behaviour::kIdle || options_.behaviour == Behaviour::kWatch) return;
  const UnitState* foe = options_.behaviour == Behaviour::kHunt ? nearest_foe(out.world(), out.me(), self) : nullptr;
  if (foe != nullptr)
    hunt(self, place_at(foe->unit.pose(), foe->posed_at, out.now()), out);
  else
    wander(self, out);
}

void Bot::wander(const words::Pose& self, FrontOut& out) {
  roam(self, out);
  if (out.now() >= shoot_at_) shoot(self, self.yaw(), out);
}

/// Drives from one random place to the next.
void Bot::roam(const words::Pose& self, FrontOut& out) {
  const bool there = std::hypot(goal_.x - self.x(), goal_.y - self.y()) < kClose / 2;
  if (there || !roams_ || out.now() >= goal_.until) {
    roams_ = true;
    const words::World* map = out.world().geometry();
    const double west = map ? map->west() : self.x() - 100, east = map ? map->east() : self.x() + 100;
    const double south = map ? map->south() : self.y() - 100, north = map ? map->north() : self.y() + 100;
    goal_.x = chance(out, west + (east - west) * 0.1, east - (east - west) * 0.1);
    goal_.y = chance(out, south + (north - south) * 0.1, north - (north - south) * 0.1);
    goal_.until = out.now() + micros(chance(out, 4, 8));
    go_to(goal_.x, goal_.y, out);
  }
}

/// Whether no known obstacle would stop a shot.
bool Bot::sees(const words::Pose& self, const words::Pose& foe, FrontOut& out) {
  const words::World* map = out.world().geometry();
  const double far = distance(self, foe);
  if (map == nullptr || far < 1) return true;
  if (!terrain_ || terrain_of_ != map->hash()) {
    terrain_.emplace(*map);
    if (terrain_->left_out() != 0) out.drop(drops::kTerrainFull);
    terrain_of_ = map->hash();
  }
  const double dx = (foe.x() - self.x()) / far, dy = (foe.y() - self.y()) / far;
  return terrain_->clear_way(self.x(), self.y(), std::max(self.z(), foe.z()) + kMuzzle, dx, dy, far) > far - 1;
}

void Bot::hunt(const words::Pose& self, const words::Pose& foe, FrontOut& out) {
  if (!sees(self, foe, out)) return roam(self, out);
  if (std::exchange(roams_, false)) goal_.until = 0;
  const double yaw = std::atan2(foe.y() - self.y(), foe.x() - self.x());
  const double far = distance(self, foe);
  if (out.now() >= goal_.until) {
    // Drives at the enemy, so that the hull turns: a short step if it is near, past it if it is too near.
    const bool too_close = far < kPointBlank;
    const double step = far > kClose ? far - kClose / 2 : too_close ? kClose : 1;
    go_to(self.x() + step * std::cos(yaw), self.y() + step * std::sin(yaw), out);
    goal_.until = out.now() + micros(too_close ? 1 : 0.3);
  }
  const bool in_front = std::fabs(wrap_angle(yaw - self.yaw())) < kAhead;
  if (in_front && far < out.world().rule("shot_range", 350) && out.now() >= shoot_at_) shoot(self, yaw, out);
}

void Bot::go_to(double x, double y, FrontOut& out) {
  words::Toward toward;
  toward.set_x(x);
  toward.set_y(y);
  out.say(toward);
}

void Bot::shoot(const words::Pose& from, double yaw, FrontOut& out) {
  shoot_at_ = out.now() + micros(out.world().rule("reload", 1) + chance(out, 0.2, 2));
  if (shot_++ == 0) return;  // skips the first shot, right after it spawned
  words::Fire fire;
  fire.set_unit(from.unit());
  fire.set_shot(shot_);
  fire.set_x(from.x());
  fire.set_y(from.y());
  fire.set_z(from.z());
  const double speed = out.world().rule("shot_speed", 100);
  fire.set_vx(speed * std::cos(yaw));
  fire.set_vy(speed * std::sin(yaw));
  fire.set_range(out.world().rule("shot_range", 350));
  fire.set_life(fire.range() / speed);
  out.say(fire);
  ++tally_.shots;
}

double Bot::chance(FrontOut& out, double from, double to) {
  return from + (to - from) * static_cast<double>(out.random()) / 4294967296.0;
}

}  // namespace entente::core
