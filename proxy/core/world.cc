#include "proxy/core/world.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <iterator>

#include "proxy/base/hash.h"
#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

/// The height above the ground. `at_rest`: a height below kNear counts as 0, because the ground is known only in whole
/// blocks and cells.
double above_ground(const words::World& geometry, double x, double y, double z, bool at_rest) {
  constexpr double kNear = 3;  // blocks
  const double above = z - ground_at(geometry, x, y);
  return at_rest && above < kNear * geometry.block() ? 0 : std::max(0.0, above);
}

/// Returns the equal geometry of another world of this thread, if there is one: viewers of a recording receive it one
/// after another, and a map has megabytes.
std::shared_ptr<const words::World> kept_once(std::shared_ptr<const words::World> geometry) {
  constexpr std::size_t kLarge = 4096, kRemembered = 8;
  thread_local std::array<std::weak_ptr<const words::World>, kRemembered> remembered;
  thread_local std::size_t next = 0;
  const std::size_t size = geometry != nullptr ? geometry->ByteSizeLong() : 0;
  if (size < kLarge) return geometry;
  std::string text;
  for (const auto& one : remembered) {
    const auto known = one.lock();
    if (known == geometry) return geometry;
    if (known == nullptr || known->ByteSizeLong() != size || known->hash() != geometry->hash()) continue;
    if (text.empty()) text = geometry->SerializeAsString();
    if (known->SerializeAsString() == text) return known;
  }
  remembered[next++ % kRemembered] = geometry;
  return geometry;
}

}  // namespace

void WorldState::fold(const Fact& fact) {
  std::visit([&](const auto& kind) { on(kind, fact); }, fact.content);
}

void WorldState::become(WorldState&& next) {
  next.orphaned_ += orphaned_;
  next.looks_version_ += looks_version_;
  next.players_version_ += players_version_;
  *this = std::move(next);
}

UnitState* WorldState::find_unit(Id id) {
  const auto at = units_.find(id);
  if (at != units_.end()) return &at->second;
  ++orphaned_;
  return nullptr;
}

PlayerState* WorldState::find_player(Id id) {
  for (auto* const among : {&players_, &unlisted_})
    if (const auto at = among->find(id); at != among->end()) return &at->second;
  ++orphaned_;
  return nullptr;
}

const PlayerState* WorldState::player(Id id) const {
  for (const auto* const among : {&players_, &unlisted_})
    if (const auto at = among->find(id); at != among->end()) return &at->second;
  return nullptr;
}

const UnitState* WorldState::unit(Id id) const {
  const auto at = units_.find(id);
  return at != units_.end() ? &at->second : nullptr;
}

const words::Token* WorldState::token(Id id) const {
  const auto at = tokens_.find(id);
  return at != tokens_.end() ? &at->second : nullptr;
}

const ShotState* WorldState::shot(Id shooter, std::uint32_t number) const {
  for (const auto& state : shots_)
    if (state.shot.shooter() == shooter && state.shot.shot() == number) return &state;
  return nullptr;
}

const UnitState* WorldState::active_unit(Id id) const {
  const PlayerState* state = player(id);
  return state != nullptr ? unit(state->active) : nullptr;
}

words::Round WorldState::round_at(Micros now) const {
  words::Round round = round_;
  const bool runs = round.state() == words::Round::RUNNING && !round.paused();
  if (runs && round.has_left_s()) round.set_left_s(std::max(0.0, round.left_s() - seconds(round_told_at_, now)));
  return round;
}

double WorldState::rule(std::string_view name, double otherwise) const {
  const auto at = rules_.find(name);
  if (at == rules_.end()) return otherwise;
  double value = otherwise;
  const std::string& digits = at->second;
  const auto end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc{} && stop == end && std::isfinite(value) ? value : otherwise;
}

void WorldState::on(const words::Rule& rule, const Fact&) {
  if (rules_.size() < limits_.rules || rules_.contains(rule.name()))
    rules_[rule.name()] = rule.value();
  else
    ++orphaned_;
}

void WorldState::on(const words::World& world, const Fact&) {
  if (world.ByteSizeLong() > limits_.geometry_bytes) {
    ++orphaned_;
    return;
  }
  auto kept = std::make_shared<words::World>(world);
  ensure_hash(*kept);
  share_geometry(std::move(kept));
}

void WorldState::share_geometry(std::shared_ptr<const words::World> geometry) {
  geometry_ = kept_once(std::move(geometry));
  map_version_ = next_map_version();
  edits_.clear();
}

/// Facts cannot say when a unit was posed last, so states are copied as they are.
void WorldState::copy(const WorldState& other, std::uint32_t versions_from) {
  WorldState fresh(limits_);
  fresh.room_ = other.room_;
  fresh.ready_ = other.ready_;
  fresh.share_map(other);
  fresh.round_ = other.round_;
  fresh.round_told_at_ = other.round_told_at_;
  fresh.board_ = other.board_;
  fresh.players_ = other.players_;
  std::copy_if(other.owners_.begin(), other.owners_.end(), std::inserter(fresh.owners_, fresh.owners_.end()),
               [&](const auto& owner) { return other.players_.contains(owner.second); });
  fresh.tokens_ = other.tokens_;
  fresh.nowhere_ = other.nowhere_;
  fresh.team_scores_ = other.team_scores_;
  fresh.rules_ = other.rules_;
  fresh.shots_ = other.shots_;
  fresh.looks_version_ = other.looks_version_ + versions_from;
  fresh.players_version_ = other.players_version_ + versions_from;
  fresh.units_ = other.units_;
  for (const Id id : fresh.sorted_units()) {
    const UnitState& state = fresh.units_.at(id);
    fresh.grid_.place(&state, state.unit.pose().x(), state.unit.pose().y());
  }
  *this = std::move(fresh);
}

words::Pose WorldState::flattened(words::Pose pose) const {
  if (!geometry_ || geometry_->ground().empty()) return pose;
  const bool falls = (pose.state() & words::Pose::FALLING) != 0;
  pose.set_z(above_ground(*geometry_, pose.x(), pose.y(), pose.z(), !falls));
  return pose;
}

/// Kept for late joiners. Of repeated edits of a block, only the last is kept.
void WorldState::on(const words::WorldEdit& word, const Fact&) {
  map_version_ = next_map_version();
  orphaned_ += edits_.add(BlockEdit(word), limits_.units);
}

void WorldState::on(const words::Player& player, const Fact& fact) {
  const Id id = player.id();
  const bool only_itself = fact.audience == words::PLAYER && fact.to == id && !players_.contains(id);
  auto& among = only_itself ? unlisted_ : players_;
  if (among.size() >= limits_.players && !among.contains(id)) {
    ++orphaned_;
    return;
  }
  ++players_version_;
  if (!only_itself) players_.insert(unlisted_.extract(id));
  PlayerState& state = among[id];
  state.player = player;
  state.score.set_player(player.id());
}

void WorldState::on(const words::PlayerGone& gone, const Fact&) {
  for (auto* const among : {&players_, &unlisted_}) {
    const auto gone_player = among->extract(gone.id());
    if (gone_player.empty()) continue;
    ++players_version_;
    disown(gone_player.mapped());
    for (const Id unit : gone_player.mapped().units) forget_unit(unit);
  }
}

void WorldState::on(const words::Owns& owns, const Fact&) {
  PlayerState* state = find_player(owns.player());
  if (state == nullptr) return;
  disown(*state);
  state->units.clear();
  state->active = 0;
  for (const Id unit : owns.units()) {
    if (state->units.size() >= limits_.owned || owners_.size() >= limits_.units) break;
    if (set_owner(unit, owns.player())) state->units.push_back(unit);
  }
  orphaned_ += static_cast<std::size_t>(owns.units_size()) - state->units.size();
  const bool steers_own = owners_.contains({owns.active(), owns.player()});
  if (steers_own || owns.active() == 0 || owners_.size() < limits_.units)
    state->active = owns.active();
  else
    ++orphaned_;
  if (state->active != 0) set_owner(state->active, owns.player());
}

/// False: it was so already.
bool WorldState::set_owner(Id unit, Id player) { return owners_.emplace(unit, player).second; }

void WorldState::disown(const PlayerState& state) {
  const Id player = state.player.id();
  for (const Id unit : state.units) owners_.erase({unit, player});
  owners_.erase({state.active, player});
}

void WorldState::on(const words::TeamScore& score, const Fact&) {
  if (words::Team_IsValid(score.team()))
    team_scores_[score.team()] = score;
  else
    ++orphaned_;
}

void WorldState::on(const words::Unit& unit, const Fact& fact) {
  if (units_.size() >= limits_.units && !units_.contains(unit.id())) {
    ++orphaned_;
    return;
  }
  UnitState& state = units_[unit.id()];
  state.unit = unit;
  state.unit.mutable_pose()->set_unit(unit.id());  // also allocates the pose, so that later ones need no memory
  state.hidden = false;
  state.posed_at = fact.at;
  state.looks_version = ++looks_version_;
  grid_.place(&state, unit.pose().x(), unit.pose().y());
}

void WorldState::on(const words::UnitChanged& change, const Fact&) {
  UnitState* state = find_unit(change.unit());
  if (state == nullptr) return;
  state->looks_version = ++looks_version_;
  words::Unit& unit = state->unit;
  if (change.has_radius()) unit.set_radius(change.radius());
  if (change.has_colour()) unit.set_colour(change.colour());
  if (change.has_name()) unit.set_name(change.name());
  if (change.has_skin()) unit.set_skin(change.skin());
  if (change.has_team()) unit.set_team(change.team());
  if (change.has_model()) unit.set_model(change.model());
}

void WorldState::on(const words::Pose& pose, const Fact& fact) {
  UnitState* state = find_unit(pose.unit());
  if (state == nullptr) return;
  *state->unit.mutable_pose() = pose;
  if (pose.radius() > 0) state->unit.set_radius(pose.radius());
  state->hidden = false;
  state->posed_at = fact.at;
  grid_.place(state, pose.x(), pose.y());
}

void WorldState::on(const words::Hidden& hidden, const Fact&) {
  if (UnitState* state = find_unit(hidden.unit())) state->hidden = true;
}

void WorldState::on(const words::Spawned& spawned, const Fact& fact) {
  UnitState* state = find_unit(spawned.unit());
  if (state == nullptr) return;
  state->unit.set_alive(true);
  state->unit.set_health(state->unit.max_health());
  words::Pose pose = spawned.pose();
  pose.set_unit(spawned.unit());
  on(pose, fact);
}

void WorldState::on(const words::Died& died, const Fact&) {
  if (const auto at = units_.find(died.unit()); at != units_.end()) {
    at->second.unit.set_alive(false);
    at->second.unit.set_health(0);
  }
}

void WorldState::on(const words::Health& health, const Fact&) {
  UnitState* state = find_unit(health.unit());
  if (state == nullptr) return;
  state->unit.set_health(health.now());
  if (health.max() > 0) state->unit.set_max_health(health.max());
}

void WorldState::on(const words::Ammo& ammo, const Fact&) {
  if (PlayerState* state = find_player(ammo.player())) state->ammo = ammo;
}

void WorldState::on(const words::Shot& shot, const Fact& fact) {
  forget_spent_shots(fact.at);
  if (shot.kind() == words::RAY || shot.kind() == words::MELEE) return;  // ends at once
  std::erase_if(shots_, [&](const ShotState& old) {
    return old.shot.shooter() == shot.shooter() && old.shot.shot() == shot.shot();
  });
  if (shots_.size() < limits_.shots)
    shots_.push_back({shot, fact.at});
  else
    ++orphaned_;
}

void WorldState::on(const words::ShotMoved& moved, const Fact& fact) {
  for (auto& state : shots_) {
    if (state.shot.shooter() != moved.shooter() || state.shot.shot() != moved.shot()) continue;
    const double flown = static_cast<double>(fact.at - state.fired_at) / static_cast<double>(kSecond);
    state.shot.set_life(std::max(0.0, state.shot.life() - flown));
    state.fired_at = fact.at;
    state.shot.set_x(moved.x());
    state.shot.set_y(moved.y());
    state.shot.set_z(moved.z());
    state.shot.set_vx(moved.vx());
    state.shot.set_vy(moved.vy());
    state.shot.set_vz(moved.vz());
    return;
  }
}

void WorldState::on(const words::ShotEnded& ended, const Fact&) {
  std::erase_if(shots_, [&](const ShotState& state) {
    return state.shot.shooter() == ended.shooter() && state.shot.shot() == ended.shot();
  });
}

void WorldState::on(const words::Token& token, const Fact&) {
  const Id id = token.id();
  if (tokens_.size() >= limits_.tokens && !tokens_.contains(id)) {
    if (nowhere_.empty()) {
      ++orphaned_;
      return;
    }
    tokens_.erase(nowhere_.extract(nowhere_.begin()).value());
  }
  tokens_[id] = token;
  if (token.state() == words::Token::NOWHERE)
    nowhere_.insert(id);
  else
    nowhere_.erase(id);
}

/// A zone is the token with the same id, in the hands of its owner.
void WorldState::on(const words::Zone& zone, const Fact&) {
  if (const auto at = tokens_.find(zone.id()); at != tokens_.end()) at->second.set_team(zone.owner());
}

void WorldState::on(const words::Score& score, const Fact&) {
  if (PlayerState* state = find_player(score.player())) state->score = score;
}

void WorldState::on(const words::Lag& lag, const Fact&) {
  if (PlayerState* state = find_player(lag.player())) state->ping_s = lag.ping_s();
}

void WorldState::forget_unit(Id id) {
  if (const auto at = units_.find(id); at != units_.end()) {
    grid_.remove(&at->second);
    units_.erase(at);
  }
  const auto first = owners_.lower_bound({id, 0});
  auto last = first;
  for (; last != owners_.end() && last->first == id; ++last)
    for (auto* const among : {&players_, &unlisted_}) {
      const auto owner = among->find(last->second);
      if (owner == among->end()) continue;
      PlayerState& state = owner->second;
      if (state.active == id) state.active = 0;
      const auto at = std::find(state.units.begin(), state.units.end(), id);
      if (at != state.units.end()) state.units.erase(at);
    }
  owners_.erase(first, last);
}

void WorldState::forget_spent_shots(Micros now) {
  std::erase_if(shots_, [&](const ShotState& state) {
    // Late joiners receive shots in no order of time.
    return now > state.fired_at &&
           static_cast<double>(now - state.fired_at) > state.shot.life() * static_cast<double>(kSecond);
  });
}

std::uint64_t WorldState::next_map_version() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void WorldState::tell_to(const Telling& say, bool with_map, const MapTeller* teller) const {
  say(room_);
  for (const auto& [name, value] : rules_) {
    words::Rule rule;
    rule.set_name(name);
    rule.set_value(value);
    say(rule);
  }
  const auto tell_map = [&] {
    if (geometry_) say(*geometry_);
    edits_.each([&](const BlockEdit& edit) { say(edit.word()); });
  };
  if (with_map) teller != nullptr ? (*teller)(tell_map) : tell_map();
  for (const auto& [id, state] : players_) say(state.player);
  tell_units(say);
  for (const auto& [id, state] : players_) tell_belongings(state, say);
  for (const auto& shot : shots_) say(shot.shot);
  for (const auto& [id, token] : tokens_) say(token);
  for (const auto& [team, score] : team_scores_) say(score);
  say(board_);
  say(round_);
  if (ready_) say(words::Ready());
}

/// In the order of their ids, so that the same world is told the same way.
void WorldState::tell_units(const Telling& say) const {
  for (const Id id : sorted_units()) {
    const UnitState& state = units_.at(id);
    say(state.unit);
    if (!state.hidden) continue;
    words::Hidden hidden;
    hidden.set_unit(id);
    say(hidden);
  }
}

void WorldState::tell_belongings(const PlayerState& state, const Telling& say) {
  words::Owns owns;
  owns.set_player(state.player.id());
  owns.mutable_units()->Add(state.units.begin(), state.units.end());
  owns.set_active(state.active);
  say(owns);
  say(state.score);
}

words::Pose place_at(const words::Pose& pose, Micros told, Micros now, double most) {
  words::Pose at = pose;
  const double gone = std::min(most, seconds(told, now));
  at.set_x(pose.x() + pose.vx() * gone);
  at.set_y(pose.y() + pose.vy() * gone);
  at.set_z(pose.z() + pose.vz() * gone);
  at.set_yaw(pose.yaw() + pose.yaw_rate() * gone);
  return at;
}

double ground_at(const words::World& geometry, double x, double y) {
  const std::string& ground = geometry.ground();
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(ground.size()))));
  const double wide = geometry.east() - geometry.west(), high = geometry.north() - geometry.south();
  const double column = (x - geometry.west()) / wide, row = (geometry.north() - y) / high;
  if (ground.empty() || side * side != ground.size() || !(column >= 0 && column < 1 && row >= 0 && row < 1)) return 0;
  const auto cell = [&](double part) { return static_cast<std::size_t>(part * static_cast<double>(side)); };
  return static_cast<unsigned char>(ground[cell(row) * side + cell(column)]) * geometry.block();
}

void ensure_hash(words::World& geometry) {
  if (geometry.hash().empty()) geometry.set_hash("bytes-" + hash_of(as_bytes(geometry.SerializeAsString())));
}

words::World flattened(words::World geometry) {
  if (geometry.ground().empty()) return geometry;
  const auto lower = [&](words::Solid& solid) {
    solid.set_z(above_ground(geometry, solid.x(), solid.y(), solid.z(), true));
  };
  for (auto& solid : *geometry.mutable_solids()) lower(solid);
  for (auto& base : *geometry.mutable_bases()) lower(*base.mutable_solid());
  for (auto& teleporter : *geometry.mutable_teleporters()) lower(*teleporter.mutable_frame());
  geometry.clear_ground();
  return geometry;
}

void set_sides(words::World& geometry, double width, double height) {
  geometry.set_west(-width / 2);
  geometry.set_east(width / 2);
  geometry.set_south(-height / 2);
  geometry.set_north(height / 2);
}

}  // namespace entente::core
