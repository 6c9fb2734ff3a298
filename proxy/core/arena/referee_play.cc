// How players live in an arena: where they are, what hurts them, how they die. See referee.h.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "proxy/core/arena/referee.h"
#include "proxy/core/bodies.h"
#include "proxy/core/seconds.h"
#include "proxy/core/tank/tank_driver.h"
#include "proxy/core/world.h"

namespace entente::core {
namespace {

constexpr int kPlacesTried = 24;
constexpr double kMostBeside = 40, kRing = 2;  // metres: the largest ring around the pose, and between two rings
constexpr int kAround = 16;                    // places of a ring
constexpr double kBesideBase = 40;             // metres: a team spawns within this distance of its base

constexpr Micros kSilence = kSecond;

/// Tolerance for claims: a factor on the speed, and metres in addition, because clocks differ. Unclaimed distance stays
/// available for kGoodFor seconds, because links stall.
constexpr double kFaster = 1.4, kFarther = 4, kGoodFor = 2;
constexpr double kHighest = 60, kFastestFall = 60;      // metres, metres a second: Ace of Spades' men fall at 50
constexpr double kFastestTurn = 10 * std::numbers::pi;  // radians a second: the most that a small BZFlag update holds
constexpr Micros kBetweenCorrections = 250 * kMillisecond;

/// The shape of a man of Ace of Spades, for testing claims: 0.9 blocks wide and 2.7 high; climbs one block. The client
/// rounds the world to blocks of 1.5625 m, which moves walls by up to half a block. So the shape is smaller by that on
/// each side, and by 2 cm for rounding.
constexpr double kBlock = 1.5625, kHalfBlock = kBlock / 2 + 0.02;
constexpr TankModel kClaimedMan{.length = 0.9 * kBlock - 2 * kHalfBlock,
                                .width = 0.9 * kBlock - 2 * kHalfBlock,
                                .height = 2.7 * kBlock - 2 * kHalfBlock,
                                .climb = kBlock};

double share_of(std::uint32_t random) { return static_cast<double>(random) / 4294967296.0; }

}  // namespace

words::Pose Referee::pose_of(const Player& player) const {
  words::Pose pose;
  pose.set_unit(player.unit);
  put(player.tank, pose);
  pose.set_state(player.state);
  pose.set_seq(player.seq);
  return pose;
}

// -- Into play --------------------------------------------------------------------------------------------------------

/// Some clients ask only once, so a request that comes too early is remembered.
void Referee::want_spawn(Player& player, BackOut& out) {
  if (player.unit == 0) return refuse_claim(player.who.id(), drops::kSpawnOfWatcher, out);
  player.wants_spawn = !player.alive;
  spawn(player, out);
}

/// When the next life may begin, if this one ends now.
Micros Referee::next_life(const Player& player, Micros now) const {
  return std::max(player.spawn_allowed_at, now + micros(arena_.rules.respawn));
}

void Referee::spawn(Player& player, BackOut& out) {
  if (!player.wants_spawn || out.now() < player.spawn_allowed_at || !running()) return;
  player.wants_spawn = false;
  place(player, out);
  player.before = player.tank;
  player.state = 0;
  player.alive = true;
  player.spawn_allowed_at = out.now() + kTick;  // of the life after this one, whenever this one ends
  const double begins_with = std::exchange(player.start_health, 0);
  player.health = begins_with > 0 ? std::min(begins_with, arena_.rules.health) : arena_.rules.health;
  player.claimed_at = out.now();
  player.steering.stop();
  player.claims = false;
  ++player.seq;
  const words::Health health = health_word(player.unit, player.health, arena_.rules.health);
  out.say(health);
  words::Spawned spawned;
  spawned.set_unit(player.unit);
  *spawned.mutable_pose() = player.told = pose_of(player);
  player.told_at = out.now();
  out.say(spawned);
  if (player.health < arena_.rules.health) out.say(health);  // Spawned alone means full health
}

/// Places the tank near its recorded pose, if it has one and there is room. Otherwise at a free place, facing the
/// centre.
void Referee::place(Player& player, BackOut& out) const {
  const auto start = std::exchange(player.start, std::nullopt);
  player.tank = {};
  if (const auto near = start ? free_near(*start) : std::nullopt) {
    player.tank.x = (*near)[0];
    player.tank.y = (*near)[1];
    player.tank.z = (*near)[2];
    player.tank.yaw = start->yaw();
    return;
  }
  const Point free = free_place(player, out);
  player.tank.x = free[0];
  player.tank.y = free[1];
  player.tank.yaw = std::atan2(-free[1], -free[0]);
}

/// A free place at the pose or in rings around it. A man may have stood where a tank cannot, and hills of voxels are
/// walls here.
std::optional<Referee::Point> Referee::free_near(const words::Pose& pose) const {
  const words::World& world = arena_.geometry;
  const double z = std::max(0.0, pose.z());
  for (double far = 0; far <= kMostBeside; far += kRing)
    for (int i = 0; i < (far > 0 ? kAround : 1); ++i) {
      const double way = 2 * std::numbers::pi * i / kAround;
      const Point at{pose.x() + far * std::cos(way), pose.y() + far * std::sin(way), z};
      if (at[0] > world.west() && at[0] < world.east() && at[1] > world.south() && at[1] < world.north() &&
          terrain_.free(claimed_tank_, at[0], at[1], z, pose.yaw()))
        return at;
    }
  return std::nullopt;
}

/// Tries some random places with room to turn, and returns the one farthest from all other players.
Referee::Point Referee::free_place(const Player& player, BackOut& out) const {
  const words::World& world = arena_.geometry;
  double west = world.west(), east = world.east(), south = world.south(), north = world.north();
  if (const words::Solid* base = base_of(player.who.team())) {
    west = std::max(west, base->x() - kBesideBase);
    east = std::min(east, base->x() + kBesideBase);
    south = std::max(south, base->y() - kBesideBase);
    north = std::min(north, base->y() + kBesideBase);
  }
  Point best{(west + east) / 2, (south + north) / 2, 0};
  TankModel turning = arena_.rules.tank;
  turning.length = turning.width = std::hypot(turning.length, turning.width);
  double most = -1;
  for (int i = 0; i < kPlacesTried; ++i) {
    const double x = west + (east - west) * share_of(out.random()),
                 y = south + (north - south) * share_of(out.random());
    if (!terrain_.free(turning, x, y, 0, 0)) continue;
    const double room = room_around(player, x, y);
    if (room <= most) continue;
    most = room;
    best = {x, y, 0};
  }
  return best;
}

double Referee::room_around(const Player& player, double x, double y) const {
  double nearest = arena_.geometry.east() - arena_.geometry.west();
  for (const auto& [id, other] : players_)
    if (&other != &player && other.alive) nearest = std::min(nearest, std::hypot(other.tank.x - x, other.tank.y - y));
  return nearest;
}

// -- Where they are ---------------------------------------------------------------------------------------------------

void Referee::drive(Player& player, double dt, BackOut& out) {
  player.before = player.tank;
  if (!player.alive || !running()) return;
  if (!player.claims) {
    const TankModel& model = arena_.rules.tank;
    const double jump = arena_.rules.jumping ? arena_.rules.jump_speed : 0;
    core::drive(model, terrain_, follow(model, player.tank, player.steering, jump, dt), dt, player.tank);
    player.state = player.tank.vz != 0 ? words::Pose::FALLING : words::Pose::NONE;
    tell_place(player, false, out);
  }
  if (player.steering.trigger_held() && out.now() >= player.trigger_allowed_at)
    shoot(player, {player.steering.looking(), std::nullopt, nullptr}, out);
}

/// Reports the pose if dead reckoning would be wrong, and from time to time while the tank moves.
void Referee::tell_place(Player& player, bool at_once, BackOut& out) {
  const words::Pose seen = place_at(player.told, player.told_at, out.now(), 10);
  const TankState& tank = player.tank;
  const bool moves = tank.vx != 0 || tank.vy != 0 || tank.yaw_rate != 0;
  const bool wrong = strays(state_of(seen), tank) || seen.state() != player.state ||
                     (!moves && (seen.vx() != 0 || seen.vy() != 0 || seen.yaw_rate() != 0));
  if (!wrong && !at_once && !(moves && out.now() >= player.told_at + kSilence)) return;
  ++player.seq;
  player.told = pose_of(player);
  player.told_at = out.now();
  out.say(player.told);
}

/// Accepts a claimed pose if the tank could have driven there. Otherwise corrects the client.
void Referee::claim(Player& player, const words::PoseClaim& claim, BackOut& out) {
  if (!player.alive) return;  // sent before the client knew that it is dead
  save_up(player, out.now());
  if (!running() || !bears(player, claim)) return correct(player, out);
  player.steering.hear(claim);
  player.claims = true;
  player.reach -= way_to(player, claim);
  player.tank = {claim.x(),       claim.y(), claim.z(), claim.vx(), claim.vy(), claim.vz(), wrap_angle(claim.yaw()),
                 claim.yaw_rate()};
  player.state = claim.state() & (words::Pose::FALLING | words::Pose::CROUCHING | words::Pose::SNEAKING |
                                  words::Pose::SPRINTING | words::Pose::JETTING);
  tell_place(player, true, out);
}

double Referee::fastest() const { return arena_.rules.tank.speed * kFaster; }

/// All claims of a life share one budget of metres: a tolerance for each claim would add up to any speed.
void Referee::save_up(Player& player, Micros now) const {
  if (!player.claims) player.reach = kFarther + std::exchange(player.away, 0);
  player.reach = std::min(kGoodFor * fastest() + kFarther, player.reach + fastest() * seconds(player.claimed_at, now));
  player.claimed_at = now;
}

/// What a claim takes from the budget: its horizontal distance, or its share of the fastest fall if that is more.
double Referee::way_to(const Player& player, const words::PoseClaim& claim) const {
  const double fallen = std::abs(claim.z() - player.tank.z) / kFastestFall;
  return std::max(std::hypot(claim.x() - player.tank.x, claim.y() - player.tank.y), fallen * fastest());
}

bool Referee::bears(const Player& player, const words::PoseClaim& claim) const {
  if (way_to(player, claim) > player.reach) return false;
  if (std::hypot(claim.vx(), claim.vy()) > fastest() || std::abs(claim.vz()) > kFastestFall) return false;
  if (std::abs(claim.yaw_rate()) > kFastestTurn) return false;
  if (claim.z() < -2 || claim.z() > (arena_.rules.jumping ? kHighest : kHighest / 4)) return false;
  const double z = std::max(0.0, claim.z());
  if (player.walks) return terrain_.free(kClaimedMan, claim.x(), claim.y(), z + kHalfBlock, 0);
  return terrain_.free(claimed_tank_, claim.x(), claim.y(), z, claim.yaw());
}

void Referee::correct(Player& player, BackOut& out) {
  if (player.corrected_at != 0 && out.now() < player.corrected_at + kBetweenCorrections) return;
  player.corrected_at = out.now();
  player.tank.vx = player.tank.vy = player.tank.vz = player.tank.yaw_rate = 0;
  ++player.seq;
  player.told = pose_of(player);
  player.told_at = out.now();
  words::Corrected corrected;
  *corrected.mutable_pose() = player.told;
  corrected.set_hard(true);
  out.say(corrected);
}

// -- What hurts them --------------------------------------------------------------------------------------------------

void Referee::hurt(Player& victim, double damage, const Ball& by, BackOut& out) {
  victim.health = std::max(0.0, victim.health - damage);
  words::Health health = health_word(victim.unit, victim.health, arena_.rules.health);
  health.set_by(by.shooter);
  health.set_from_x(by.at[0]);
  health.set_from_y(by.at[1]);
  health.set_from_z(by.at[2]);
  out.say(health);
  const auto why = by.kind == words::GRENADE ? words::BY_GRENADE : words::BY_SHOT;
  if (victim.health <= 0) die(victim, find(by.shooter), by.number, why, out);
}

void Referee::die(Player& victim, Player* killer, std::uint32_t shot, words::DeathCause why, BackOut& out) {
  victim.alive = false;
  victim.spawn_allowed_at = next_life(victim, out.now());
  victim.steering = {};
  lose_owed_shot(victim, drops::kFireNotInPlay, out);
  if (Flag* flag = carried_by(victim.who.id())) drop(*flag, victim, out);
  words::Died died;
  died.set_player(victim.who.id());
  died.set_unit(victim.unit);
  died.set_killer(killer != nullptr ? killer->who.id() : 0);
  died.set_shot(shot);
  died.set_why(why);
  died.set_respawn_s(arena_.rules.respawn);
  out.say(died);
  if (why == words::BY_SERVER) return;
  // The loss first, because the win may end the round.
  score(victim, 0, 1, out);
  if (teams()) score_team(victim.who.team(), 0, 1, out);
  if (killer == nullptr || killer == &victim) return;
  const bool own = teams() && killer->who.team() == victim.who.team();
  if (own) killer->score.set_team_kills(killer->score.team_kills() + 1);
  score(*killer, own ? 0 : 1, 0, out);
  if (!own && teams()) score_team(killer->who.team(), 1, 0, out);
}

}  // namespace entente::core
