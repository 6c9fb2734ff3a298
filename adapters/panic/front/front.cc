#include "adapters/panic/front/front.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "adapters/panic/wire/dialect.h"
#include "adapters/panic/wire/drops.h"
#include "adapters/panic/wire/mapping.h"
#include "adapters/panic/wire/wire.h"
#include "proxy/core/seconds.h"
#include "proxy/core/unsupported.h"

namespace entente::panic {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;

constexpr Micros kSpawnAgain = 5 * kSecond;
constexpr Micros kSpawnAfterDeath = kSecond;  // at least, so that the death is visible
constexpr Micros kLongestDeath = 600 * kSecond;
constexpr Micros kStepLook = 200 * kMillisecond;
constexpr Micros kStepPatience = 400 * kMillisecond;  // at rest for this long before the goal: the step was blocked
constexpr Micros kStepMost = 5 * kSecond;
constexpr Micros kShotMost = 5 * kSecond;  // the time to turn around and shoot
constexpr Micros kAbsence = 60 * kSecond;  // how long a seat is kept
constexpr std::int32_t kMostAmmo = 9999;   // four digits of a display

Micros seconds(std::string_view text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::min(value, 60U) * kSecond;
}

bool at_rest(const words::Pose& pose) {
  return std::hypot(pose.vx(), pose.vy()) < 0.5 && std::abs(pose.yaw_rate()) < 0.05;
}

}  // namespace

PanicFront::PanicFront(const core::FaceOptions& options, const std::shared_ptr<const Maps>& maps)
    : name_(options.setting("name")),
      role_(options.setting("watch") == "yes" ? words::WATCH : words::PLAY),
      starts_again_(options.setting("reset") == "yes"),
      maps_fail_(!maps->problems.empty()),
      asks_for_(seconds(options.setting("reconnect"))),
      codec_(make_message_codec(options.dialect)),
      screen_(options.dialect, maps) {}

// -- Coming in --------------------------------------------------------------------------------------------------------

void PanicFront::opened(const core::Peer&, Out& out) {
  if (maps_fail_) out.drop(drops::kMapsUnreadable);
  if (asks_for_ == 0) return enter(out);
  enter_at_ = out.now() + asks_for_;
  out.wake(enter_at_);
}

void PanicFront::enter(Out& out) {
  phase_ = Phase::kEntered;
  words::Enter enter;
  // Panic has no names. The digits are for games in which names must be unique.
  enter.set_name(name_.empty() ? "panic-" + std::to_string(1000 + out.random() % 9000) : name_);
  enter.set_role(role_);
  enter.set_version("panic 2");
  out.say(enter);
}

/// Puts the client into the game as soon as the room does.
std::string PanicFront::hash_of_world(const Out& out) {
  const words::World* const world = out.world().geometry();
  return world != nullptr ? world->hash() : "";
}

void PanicFront::advance(Out& out) {
  if (phase_ != Phase::kEntered || !out.world().ready()) return;
  const core::PlayerState* me = out.world().player(out.me());
  const bool watcher = role_ == words::WATCH || (me != nullptr && me->player.role() == words::WATCH);
  if (!watcher && !in_play(out)) {
    if (spawn_at_ == 0) ask_spawn(out);
    return;
  }
  phase_ = watcher ? Phase::kWatching : Phase::kPlaying;
  greeted_ = true;
  spawn_at_ = 0;
  world_ = hash_of_world(out);
  screen_.greet(number(out), watcher, out);
  take_terrain(out);
}

void PanicFront::take_terrain(Out& out) {
  const words::World* world = out.world().geometry();
  terrain_ = world != nullptr && !screen_.same_game() ? core::Terrain(*world) : core::Terrain();
  if (terrain_.left_out() != 0) out.drop(core::drops::kTerrainFull);
}

void PanicFront::ask_spawn(Out& out) {
  spawn_at_ = out.now() + kSpawnAgain;
  spawn_asked_ = true;
  out.wake(spawn_at_);
  out.say(words::Spawn());
}

bool PanicFront::waits_to_spawn(const Out& out) const {
  return phase_ == Phase::kPlaying && !screen_.same_game() && spawn_at_ != 0 && !in_play(out);
}

/// A key pressed by a dead player asks to spawn again, as soon as allowed and at most once a second.
void PanicFront::ask_sooner(Out& out) {
  const bool just_asked = out.now() + kSpawnAgain - kSecond < spawn_at_;
  if (!spawn_asked_ || just_asked) return out.drop(drops::kActionOfDead);
  ask_spawn(out);
}

bool PanicFront::in_play(const Out& out) const {
  const core::UnitState* unit = out.world().active_unit(out.me());
  return unit != nullptr && unit->unit.alive();
}

/// The player's number on the wire: in a room of Panic, the number of its colour.
std::uint16_t PanicFront::number(const Out& out) const {
  const core::PlayerState* me = out.world().player(out.me());
  if (out.world().room().game() == kGameName && me != nullptr && me->player.team() != words::TEAM_ANY)
    return static_cast<std::uint16_t>(colour_slot_of_team(me->player.team(), 0) + 1);
  return static_cast<std::uint16_t>(out.me());
}

/// Resumes a session, as in the document: a client that lost its connection returns with any Action that names its
/// number.
void PanicFront::resume(std::uint16_t number, Out& out) {
  words::Resume word;
  word.set_player(number);
  phase_ = Phase::kResuming;
  out.say(word);
}

std::optional<core::Absence> PanicFront::try_reserve_seat(const Out& out) {
  if (asks_for_ == 0 || !greeted_ || phase_ == Phase::kLeft) return std::nullopt;
  return core::Absence{number(out), kAbsence};
}

/// A restarted client knows nothing, so it is sent everything again.
void PanicFront::returned(const core::Peer&, Out& out) {
  step_ = {};
  screen_.forget_all();
  greet_again(out);
}

void PanicFront::greet_again(Out& out) {
  phase_ = Phase::kEntered;
  advance(out);
}

/// A new world or round. A second Game State makes the released client fail, unless the client has lost, as a
/// spectator's has.
void PanicFront::start_again(Out& out) {
  screen_.begin_round();
  if (phase_ == Phase::kWatching || (starts_again_ && phase_ == Phase::kPlaying)) greet_again(out);
}

// -- What the client asks for -----------------------------------------------------------------------------------------

void PanicFront::receive(const Frames& frames, Out& out) {
  const auto take = [&](const auto& heard) {
    act(*std::get_if<Action>(heard.message), out);
    return phase_ != Phase::kLeft;
  };
  if (const auto fault = wire::hear(*codec_, wire::Way::kToServer, frames, take)) out.fail(*fault);
}

void PanicFront::act(const Action& action, Out& out) {
  if (phase_ == Phase::kAsked) {
    enter_at_ = 0;
    return resume(action.player, out);
  }
  if (phase_ == Phase::kResuming || phase_ == Phase::kEntered) return out.drop(drops::kActionTooEarly);
  if (action.player != number(out)) return out.drop(drops::kActionOfAnother);
  if (action.action == ActionType::kQuit) return leave("the player quit", out);
  if (action.action != ActionType::kDrive && action.action != ActionType::kShoot) return out.drop(drops::kNoAction);
  if (!is_direction(action.direction)) return out.drop(drops::kActionNoDirection);
  const core::Id unit = screen_.own_unit(action.piece, out);
  if (unit == 0 && waits_to_spawn(out)) return ask_sooner(out);
  if (unit == 0) return out.drop(drops::kActionNoTank);
  if (selected_ != unit) {
    selected_ = unit;
    words::Select select;
    select.set_unit(unit);
    out.say(select);
  }
  action.action == ActionType::kDrive ? drive(unit, action.direction, out) : shoot(unit, action.direction, out);
}

void PanicFront::drive(core::Id unit, Direction direction, Out& out) {
  const auto from = screen_.tile_of(unit);
  if (!from) return;
  if (is_turning_to_step(unit, out)) {
    step_.next = direction != step_.direction ? direction : Direction::kNone;
    return;
  }
  const Tile goal = step(*from, direction);
  if (!fits(unit, *from, goal, direction, out)) return screen_.turn(unit, direction, out);
  const bool same = step_.unit == unit && step_.goal == goal && out.now() < step_.since + kSecond;
  if (same && !screen_.same_game()) return;  // a held key repeats the same step
  step_ = {unit, direction, goal, out.now()};
  if (!screen_.same_game()) {
    screen_.hold_heading(unit, out.now() + kStepMost);  // a turn on the spot would mean that it was blocked
    out.wake(out.now() + kStepPatience);
  }
  words::Step word;
  word.set_unit(unit);
  word.set_direction(static_cast<words::Direction>(direction));
  word.set_x(screen_.tiles().x(goal));
  word.set_y(screen_.tiles().y(goal));
  out.say(word);
}

/// Whether a tank of another game is on its way. It takes seconds to turn, and would never get anywhere if each key
/// that is pressed meanwhile turned it elsewhere, to drive or to shoot. So it finishes its step first.
bool PanicFront::is_turning_to_step(core::Id unit, const Out& out) const {
  if (screen_.same_game() || step_.unit != unit || out.now() > step_.since + kStepMost) return false;
  if (screen_.tile_of(unit) == step_.goal) return false;  // done, though not looked at yet
  const words::Unit& tank = out.world().unit(unit)->unit;
  return tank.kind() == words::Unit::TANK && !at_rest(tank.pose());
}

/// Whether a step is possible. On the ground, tiles that are shown as walls block it, unless the tank stands in one
/// already. In any case, a tank must be able to stand in the middle of the goal tile.
bool PanicFront::fits(core::Id unit, Tile from, Tile tile, Direction direction, const Out& out) const {
  const words::Pose& pose = out.world().unit(unit)->unit.pose();
  if (screen_.is_walled(tile) && !screen_.is_walled(from) && pose.z() < kOnGround) return false;
  return terrain_.free({}, screen_.tiles().x(tile), screen_.tiles().y(tile), pose.z(), yaw_of(direction));
}

void PanicFront::shoot(core::Id unit, Direction direction, Out& out) {
  if (is_turning_to_step(unit, out) && direction != step_.direction) {
    step_.shot = direction;
    return;
  }
  const core::UnitState* state = out.world().unit(unit);
  const Tile ahead = step({0, 0}, direction);
  if (!screen_.same_game()) screen_.hold_heading(unit, out.now() + kShotMost);  // a turn on the spot shows the shot
  words::Fire fire;
  fire.set_unit(unit);
  fire.set_shot(++shots_);
  fire.set_kind(words::RAY);
  fire.set_x(state->unit.pose().x());
  fire.set_y(state->unit.pose().y());
  fire.set_z(state->unit.pose().z());
  fire.set_vx(ahead.x);
  fire.set_vy(-ahead.y);
  fire.set_range(kModels[screen_.model_of_unit(unit)].range * screen_.tiles().side());
  out.say(fire);
}

/// Ends a pending step: if the tank is blocked, it only turns.
void PanicFront::look_at_step(Out& out) {
  if (step_.unit == 0 || screen_.same_game()) return;
  if (out.now() < step_.since + kStepPatience) return out.wake(step_.since + kStepPatience);
  const core::UnitState* state = out.world().unit(step_.unit);
  const bool done = screen_.tile_of(step_.unit) == step_.goal || state == nullptr || !state->unit.alive();
  const bool stuck = !done && (at_rest(state->unit.pose()) || out.now() > step_.since + kStepMost);
  if (!done && !stuck) return out.wake(out.now() + kStepLook);
  screen_.hold_heading(step_.unit, 0);
  screen_.look_at(step_.unit, out);
  if (stuck) screen_.turn(step_.unit, step_.direction, out);
  const Pending over = std::exchange(step_, {});
  if (state == nullptr || !state->unit.alive()) return;
  if (over.shot != Direction::kNone) shoot(over.unit, over.shot, out);
  if (over.next != Direction::kNone) drive(over.unit, over.next, out);
}

void PanicFront::leave(std::string_view why, Out& out) {
  if (phase_ == Phase::kLeft) return;
  phase_ = Phase::kLeft;
  words::Leave word;
  word.set_why(std::string(why));
  out.say(word);
  out.close(why);  // the released client treats a closed connection as the end of the game
}

void PanicFront::tick(Out& out) {
  if (phase_ == Phase::kAsked && out.now() >= enter_at_) enter(out);
  if (out.now() < spawn_at_)
    out.wake(spawn_at_);
  else if (spawn_at_ != 0 && out.world().ready() && !in_play(out))
    ask_spawn(out);
  screen_.tick(out);
  look_at_step(out);
}

// -- What the room says -----------------------------------------------------------------------------------------------

void PanicFront::hear(const core::Fact& fact, Out& out) {
  if (phase_ == Phase::kLeft) return;
  resync_.hear(fact);
  const auto* round = core::as<words::Round>(fact);
  const bool ends_again = resync_ && round != nullptr && round->state() == words::Round::OVER;
  if (!ends_again) std::visit([&](const auto& word) { on(word, out); }, fact.content);
  advance(out);
}

template <class T>
void PanicFront::on(const T& word, Out& out) {
  core::drop_unsupported<mapping>(word, out);
}

void PanicFront::on(const words::Refused& refused, Out& out) {
  const bool full = refused.code() == words::Refused::FULL || refused.code() == words::Refused::TEAM_FULL;
  if (full && refused.may_retry() && phase_ == Phase::kEntered && role_ != words::WATCH) {
    role_ = words::WATCH;
    return enter(out);
  }
  leave(refused.text().empty() ? "refused" : refused.text(), out);
}

void PanicFront::on(const words::World&, Out& out) {
  screen_.take_world(out);
  if (phase_ == Phase::kPlaying) take_terrain(out);
  if (hash_of_world(out) != world_) start_again(out);
}

void PanicFront::on(const words::WorldEdit& edit, Out& out) {
  if (!screen_.look_at_edit(edit.edit(), out)) out.drop(drops::kMapIsFixed);
}

void PanicFront::on(const words::Player&, Out&) {}

void PanicFront::on(const words::ClaimRefused& refused, Out& out) {
  if (phase_ == Phase::kResuming) return enter(out);
  core::drop_unsupported<mapping>(refused, out);
}

void PanicFront::on(const words::PlayerGone&, Out& out) { screen_.look_at_all(out); }

void PanicFront::on(const words::Owns& owns, Out& out) {
  if (owns.player() != out.me()) return;
  screen_.look_at_own(out);
  weigh(owns.active(), out);
}

void PanicFront::on(const words::Unit& unit, Out& out) {
  screen_.look_at(unit.id(), out);
  weigh(unit.id(), out);
}

void PanicFront::on(const words::UnitChanged& changed, Out& out) {
  screen_.look_at(changed.unit(), out);
  weigh(changed.unit(), out);
}

void PanicFront::on(const words::Pose& pose, Out& out) {
  screen_.look_at_pose(pose.unit(), out);
  weigh(pose.unit(), out);
}

/// Shows a tenth of the player's mass as ammunition: cells shoot with their own mass.
void PanicFront::weigh(core::Id changed, Out& out) {
  const core::UnitState* state = out.world().unit(changed);
  const core::PlayerState* me = out.world().player(out.me());
  if (state == nullptr || me == nullptr || state->unit.owner() != out.me()) return;
  if (state->unit.kind() != words::Unit::CELL) return;
  std::int32_t mass = 0;
  for (const core::Id id : me->units)
    if (const core::UnitState* cell = out.world().unit(id)) mass += mass_of(cell->unit.radius());
  if (mass != 0) counts_ammo_ = false;
  if (mass == 0 || ammo_ == std::min(mass / 10, kMostAmmo)) return;
  ammo_ = std::min(mass / 10, kMostAmmo);
  screen_.set_ammo(ammo_, out);
}

void PanicFront::on(const words::Gone& gone, Out& out) {
  const bool own = screen_.is_own(gone.unit());
  screen_.look_at(gone.unit(), out);
  if (own) screen_.look_at_own(out);
}

void PanicFront::on(const words::Spawned& spawned, Out& out) {
  const core::UnitState* state = out.world().unit(spawned.unit());
  screen_.look_at(spawned.unit(), out);
  if (state == nullptr || state->unit.owner() != out.me()) return;
  spawn_at_ = 0;
  screen_.look_at_own(out);
  if (phase_ != Phase::kPlaying || !counts_ammo_) return;
  ammo_ = kFullAmmo;
  screen_.set_ammo(ammo_, out);
}

void PanicFront::on(const words::Died& died, Out& out) {
  screen_.look_at(died.unit(), out);
  if (died.player() != out.me() || phase_ != Phase::kPlaying || screen_.same_game() || in_play(out)) return;
  spawn_asked_ = false;
  spawn_at_ = out.now() + std::max(std::min(core::sane_micros(died.respawn_s()), kLongestDeath), kSpawnAfterDeath);
  out.wake(spawn_at_);
}

void PanicFront::on(const words::Ammo& ammo, Out& out) {
  if (ammo.player() != out.me()) return;
  counts_ammo_ = false;
  screen_.set_ammo(static_cast<std::int32_t>(std::min<std::uint32_t>(ammo.clip(), kMostAmmo)), out);
}

void PanicFront::on(const words::Shot& shot, Out& out) {
  if (shot.vx() != 0 || shot.vy() != 0) screen_.turn(shot.unit(), direction_of(std::atan2(shot.vy(), shot.vx())), out);
  if (shot.shooter() != out.me() || !counts_ammo_ || phase_ != Phase::kPlaying) return;
  ammo_ = std::max(ammo_ - 1, 1);  // it never runs out if nobody counts
  screen_.set_ammo(ammo_, out);
}

/// After an end, a client accepts only keys to look around, so the end is sent only if no other round follows.
void PanicFront::on(const words::Round& round, Out& out) {
  if (round.state() != words::Round::OVER) return screen_.is_over() ? start_again(out) : void();
  if (round.another()) return out.drop(drops::kRoundGoesOn);
  const core::PlayerState* me = out.world().player(out.me());
  const bool team_won =
      round.winning_team() != words::TEAM_ANY && me != nullptr && me->player.team() == round.winning_team();
  screen_.end_round(round.winner() == out.me() || team_won, out);
}

}  // namespace entente::panic
