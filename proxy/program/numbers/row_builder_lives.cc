// Lives, ways, shots, hits and deaths.
#include <algorithm>
#include <cmath>

#include "proxy/core/seconds.h"
#include "proxy/program/numbers/row_builder.h"
#include "proxy/program/numbers/word_names.h"

namespace entente::numbers {
namespace {

using core::Id, core::Micros;

constexpr double kFastest = 300;   // metres per second; what is faster was not driven
constexpr double kShortest = 0.1;  // seconds; poses come late and in bunches

double between(const Place& a, const Place& b) { return std::hypot(a.x - b.x, a.y - b.y); }

bool by_weapon(words::DeathCause why) {
  return why == words::BY_SHOT || why == words::BY_HEADSHOT || why == words::BY_MELEE || why == words::BY_GRENADE;
}

bool lives(const words::Unit& unit) {
  return unit.kind() == words::Unit::TANK || unit.kind() == words::Unit::MAN || unit.kind() == words::Unit::CELL;
}

}  // namespace

// -- Places -----------------------------------------------------------------------------------------------------------

Place RowBuilder::place_of(const core::UnitState& unit) const {
  const words::Pose pose = core::place_at(unit.unit.pose(), unit.posed_at, now_);
  return {pose.x(), pose.y(), pose.z()};
}

/// Of the unit that the player steers, or of the first.
Place RowBuilder::place_of_player(Id id) const {
  const core::PlayerState* player = world_.player(id);
  if (player == nullptr) return {};
  const core::UnitState* unit = world_.unit(player->active);
  if (unit == nullptr && !player->units.empty()) unit = world_.unit(player->units.front());
  if (unit != nullptr) return place_of(*unit);
  const auto all = lives_of_.find(id);
  return all != lives_of_.end() ? lives_.at(*all->second.begin()).last : Place();
}

std::string RowBuilder::weapon_of(Id shooter, Id shot) const {
  const core::ShotState* state = shot != 0 ? world_.shot(shooter, shot) : nullptr;
  return state != nullptr ? weapon_text(state->shot.weapon()) : "";
}

// -- Lives ------------------------------------------------------------------------------------------------------------

RowBuilder::LifeKey RowBuilder::key_of(const core::UnitState& unit) {
  return unit.unit.kind() == words::Unit::CELL ? kOfPlayer | unit.unit.owner() : unit.unit.id();
}

RowBuilder::Alive* RowBuilder::life_of(Id id) {
  const core::UnitState* unit = world_.unit(id);
  const auto at = unit != nullptr ? lives_.find(key_of(*unit)) : lives_.find(id);
  return at == lives_.end() ? nullptr : &at->second;
}

/// Of the unit that the player steers.
RowBuilder::Alive* RowBuilder::life_of_player(Id id) {
  if (const auto cells = lives_.find(kOfPlayer | id); cells != lives_.end()) return &cells->second;
  const core::PlayerState* player = world_.player(id);
  if (player != nullptr && player->active != 0)
    if (Alive* life = life_of(player->active)) return life;
  const auto all = lives_of_.find(id);
  return all != lives_of_.end() ? &lives_.at(*all->second.begin()) : nullptr;
}

void RowBuilder::look_at(Id id) {
  const core::UnitState* unit = world_.unit(id);
  if (unit == nullptr || !lives(unit->unit) || !guests_.contains(unit->unit.owner())) return;
  const LifeKey key = key_of(*unit);
  const bool known = lives_.contains(key);
  if (unit->unit.alive() && !known) begin_life(*unit);
  if (!unit->unit.alive() && known && key < kOfPlayer) end_life(key, "unknown");
}

void RowBuilder::begin_life(const core::UnitState& unit) {
  Alive life;
  life.number = ++lives_begun_;
  life.player = unit.unit.owner();
  life.unit = life.moves = unit.unit.id();
  life.began = life.seen = now_;
  life.from = life.last = place_of(unit);
  lives_.emplace(key_of(unit), life);
  lives_of_[life.player].insert(key_of(unit));
}

void RowBuilder::after(const words::Spawned& spawned) {
  const core::UnitState* unit = world_.unit(spawned.unit());
  if (unit == nullptr) return;
  const LifeKey key = key_of(*unit);
  if (const auto at = lives_.find(key); at != lives_.end() && key < kOfPlayer && at->second.began != now_)
    end_life(key, "unknown");
  look_at(spawned.unit());
}

void RowBuilder::end_life(LifeKey key, const char* why) {
  const auto at = lives_.find(key);
  if (at == lives_.end()) return;
  const Alive& life = at->second;
  Life row;
  row.life = life.number;
  row.match = match_.match;
  row.player = ref(life.player);
  row.unit = life.unit;
  row.began_s = core::seconds(life.began);
  row.ended_s = now_s();
  row.length_s = core::seconds(life.began, now_);
  row.from = life.from;
  row.to = life.last;
  row.distance_m = life.distance;
  row.kills = life.kills;
  row.shots = life.shots;
  row.end = why;
  to_.take(row);
  const auto all = lives_of_.find(life.player);
  all->second.erase(key);
  if (all->second.empty()) lives_of_.erase(all);
  lives_.erase(at);
}

void RowBuilder::end_lives_of(Id player, const char* why) {
  const auto found = lives_of_.find(player);
  if (found == lives_of_.end()) return;
  const std::vector<LifeKey> all(found->second.begin(), found->second.end());
  for (const LifeKey key : all) end_life(key, why);
}

void RowBuilder::before(const words::Gone& gone, const core::Fact&) {
  if (lives_.contains(gone.unit())) end_life(gone.unit(), "gone");
}

// -- Ways -------------------------------------------------------------------------------------------------------------

void RowBuilder::move(Id id, double x, double y, double z) {
  Alive* life = life_of(id);
  if (life == nullptr) return;
  if (life->unit != id || life->moves != id) {  // one of several cells
    const core::PlayerState* player = world_.player(life->player);
    const Id steered = player == nullptr || player->units.empty() ? id
                       : player->active != 0                      ? player->active
                                                                  : player->units.front();
    if (steered != id) return;
    life->broken = life->broken || std::exchange(life->moves, id) != id;
  }
  const Place to{x, y, z};
  const double way = between(life->last, to), time = std::max(kShortest, core::seconds(life->seen, now_));
  if (!std::exchange(life->broken, false) && std::isfinite(way) && way <= kFastest * time) life->distance += way;
  life->last = to;
  life->seen = now_;
}

void RowBuilder::before(const words::Pose& pose, const core::Fact&) {
  if ((pose.state() & words::Pose::TELEPORTING) != 0)
    if (Alive* life = life_of(pose.unit())) life->broken = true;
  move(pose.unit(), pose.x(), pose.y(), pose.z());
}

void RowBuilder::before(const words::Corrected& corrected, const core::Fact&) {
  const words::Pose& pose = corrected.pose();
  if (Alive* life = life_of(pose.unit())) life->broken = true;
  move(pose.unit(), pose.x(), pose.y(), pose.z());
}

void RowBuilder::before(const words::Teleported& teleported, const core::Fact&) {
  if (Alive* life = life_of(teleported.unit())) life->broken = true;
}

void RowBuilder::before(const words::Hidden& hidden, const core::Fact&) {
  Alive* life = life_of(hidden.unit());
  if (life != nullptr && life->moves == hidden.unit()) life->broken = true;
}

// -- Shots, hits, deaths ----------------------------------------------------------------------------------------------

void RowBuilder::before(const words::Shot& shot, const core::Fact&) {
  auto row = event<Shot>();
  row.player = ref(shot.shooter());
  row.shot = shot.shot();
  row.kind = name_of(shot.kind());
  row.weapon = weapon_text(shot.weapon());
  row.at = {shot.x(), shot.y(), shot.z()};
  row.vx_mps = shot.vx(), row.vy_mps = shot.vy(), row.vz_mps = shot.vz();
  if (shot.life() > 0) row.life_s = shot.life();
  if (shot.range() > 0) row.range_m = shot.range();
  to_.take(row);
  Alive* life = shot.unit() != 0 ? life_of(shot.unit()) : nullptr;
  if (life == nullptr) life = life_of_player(shot.shooter());
  if (life != nullptr) ++life->shots;
}

/// A loss of health to somebody else.
void RowBuilder::before(const words::Health& health, const core::Fact&) {
  const core::UnitState* unit = world_.unit(health.unit());
  if (unit == nullptr || health.by() == 0 || health.by() == unit->unit.owner()) return;
  const double known = unit->unit.health();
  if (known > 0 && health.now() >= known) return;
  auto row = event<Hit>();
  row.victim = ref(unit->unit.owner());
  row.shooter = ref(health.by());
  if (known > 0) row.damage = known - health.now();
  row.health = health.now();
  row.deadly = health.now() <= 0;
  row.at = place_of(*unit);
  row.shooter_at = place_of_player(health.by());
  to_.take(row);
  if (Alive* life = life_of(health.unit())) life->hit_told = row.deadly;
}

void RowBuilder::before(const words::Died& died, const core::Fact&) {
  const core::UnitState* unit = world_.unit(died.unit());
  LifeKey key = unit != nullptr ? key_of(*unit) : died.unit();
  if (unit == nullptr && lives_.contains(kOfPlayer | died.player())) key = kOfPlayer | died.player();
  const auto life = lives_.find(key);
  const bool killed = died.killer() != 0 && died.killer() != died.player();
  auto row = event<Death>();
  if (life != lives_.end()) row.life = {life->second.number}, row.at = life->second.last;
  if (unit != nullptr) row.at = place_of(*unit);
  row.victim = ref(died.player());
  row.killer = ref(died.killer());
  row.why = name_of(died.why());
  row.weapon = weapon_of(died.killer(), died.shot());
  if (killed) {
    row.killer_at = place_of_player(died.killer());
    row.distance_m = between(row.at, row.killer_at);
    Alive* own = life_of_player(died.killer());
    if (own != nullptr && died.why() != words::BY_CAPTURE) ++own->kills;
  }
  row.team_kill = same_team(died.killer(), died.player());
  row.implied = died.synthesised();
  if (killed && by_weapon(died.why()) && (life == lives_.end() || !life->second.hit_told)) {
    auto hit = event<Hit>();
    hit.victim = row.victim;
    hit.shooter = row.killer;
    hit.deadly = true;
    hit.at = row.at;
    hit.shooter_at = row.killer_at;
    to_.take(hit);
  }
  to_.take(row);
  if (life != lives_.end() && unit != nullptr) life->second.last = row.at;
  end_life(key, "died");
}

}  // namespace entente::numbers
