// Our client's position, in both directions.
#include <cmath>

#include "adapters/aos/front/client_movement.h"
#include "adapters/aos/wire/drops.h"
#include "proxy/core/bodies.h"
#include "proxy/core/gameplay/steering.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::kSecond;

constexpr core::Micros kClaimEvery = 100 * kMillisecond;  // for a client that sends its place only once a second
constexpr core::Micros kMostSteps = 20;                   // steps that are computed at once

// Clients send their place once a second while it changes. One that is silent for longer has not moved since.
constexpr core::Micros kSilent = 1250 * kMillisecond;
// Blocks by which keys may lead astray in that second. A client that is farther off stands at something that our map
// has elsewhere; until it turns by more than kTurned (a cosine) or presses other keys, it is only where it says.
constexpr double kStuck = 1.5, kTurned = 0.94;
// A client whose look differs more (a cosine: 3 degrees) from that of its last claim claims its place again: it may
// stand where others would see a tank turn.
constexpr double kLooksElsewhere = 0.9986;

// How far our client may be from its place in the room before it is moved there, in blocks: kCellTolerance for a cell,
// the width of a tile and kBeyondTile in a world of tiles, kTolerance elsewhere (as servers of this game have it).
constexpr double kCellTolerance = 5, kTolerance = 6, kBeyondTile = 3;
/// For how long after a move an old place may still arrive, and for how long a move is sent again.
constexpr core::Micros kOnItsWay = 300 * kMillisecond, kPutAgain = kSecond;
constexpr double kPutNear = 3, kPutThere = 1;

bool is_place(const Vec3& at) {
  return at[0] >= -4 && at[0] <= 516 && at[1] >= -4 && at[1] <= 516 && at[2] >= -64 && at[2] <= 68;
}
bool is_look(const Vec3& look) {
  const double length = std::hypot(look[0], look[1], look[2]);
  return length > 0 && length <= 2;
}
double far(const Vec3& a, const Vec3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
double scalar(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

// -- What our client does --------------------------------------------------------------------------------------------

bool ClientMovement::comes_late(const Vec3& place, const FrontOut& out) const {
  return out.now() < me_.correction.put_at() + kOnItsWay && far(place, me_.body.position) > kPutNear;
}

void ClientMovement::hear(const PositionData& position, FrontOut& out) {
  if (!players_.playing()) return;  // the position of a dead player means nothing
  if (!is_place(position.position)) {
    out.drop(drops::kPositionNoPlace);
    return put(me_.body.position, out);
  }
  if (comes_late(position.position, out)) return;
  mind_stuck(position.position, out.now());
  me_.body.position = position.position;
  me_.body.crouching = (players_.own().keys & words::Keys::CROUCH) != 0;
  me_.moved = out.now();
  claim(++me_.claims, out);
}

void ClientMovement::hear(const OrientationData& orientation, FrontOut& out) {
  if (!players_.playing() || client_.tells_states()) return;
  if (!is_look(orientation.orientation)) return out.drop(drops::kNoLook);
  me_.look = orientation.orientation;
  say_keys(out);
}

void ClientMovement::hear(const InputData& input, FrontOut& out) {
  if (!players_.playing() || client_.tells_states()) return;
  players_.own().keys = input.keys;
  say_keys(out);
}

void ClientMovement::hear(const StateUpdateUp& update, FrontOut& out) {
  const bool late = me_.heard && static_cast<std::int32_t>(update.sequence - *me_.heard) <= 0;
  if (!players_.playing() || late) return;
  me_.heard = update.sequence;
  const bool whole = update.form >= 3, anew = players_.own().motion.position == Vec3{};
  const Motion motion = whole ? update.now : anew ? update.oldest : players_.own().motion;  // otherwise unchanged
  if (!is_place(motion.position) || !is_look(motion.orientation) || !is_finite(motion.velocity))
    return out.drop(drops::kUpdateNoPlace);
  if (!whole && is_put(out.now())) return;  // says nothing about where the client is
  const bool arrived = far(motion.position, me_.body.position) <= kPutThere;
  if (arrived) me_.put_until = 0;
  if (out.now() < me_.put_until || comes_late(motion.position, out)) return;
  const bool turned = players_.own().keys != update.inputs[0] || me_.look != motion.orientation;
  players_.own().keys = update.inputs[0];
  players_.own().motion = motion;
  me_.look = motion.orientation;
  me_.body.position = motion.position;
  me_.body.velocity = motion.velocity;
  me_.body.crouching = (players_.own().keys & words::Keys::CROUCH) != 0;
  me_.moved = out.now();
  if (turned) say_keys(out);
  claim(update.sequence, out);
}

void ClientMovement::say_keys(FrontOut& out) {
  words::Keys keys;
  keys.set_bits(players_.own().keys);
  set_look(keys, me_.look);
  keys.set_seq(me_.heard.value_or(0));
  me_.keyed = true;
  out.say(std::move(keys));
}

void ClientMovement::claim(std::uint32_t number, FrontOut& out) {
  words::PoseClaim claim;
  claim.set_unit(players_.own().unit);
  constexpr unsigned kCrouch = words::Keys::CROUCH;
  const unsigned others = players_.own().keys & ~kCrouch;
  claim.set_state(pose_state_of(static_cast<std::uint8_t>(others | (me_.body.crouching ? kCrouch : 0U))));
  set_place(claim, me_.body.position);
  set_look(claim, me_.look);
  set_velocity(claim, me_.body.velocity);
  claim.set_seq(number);
  if (!me_.keyed) say_keys(out);  // shows the room that this client sends keys
  me_.claimed = out.now();
  me_.claimed_look = me_.look;
  if (!client_.tells_states()) players_.own().motion.position = me_.body.position;
  out.say(std::move(claim));
}

/// The client says where it is: compares that with where its keys have led.
void ClientMovement::mind_stuck(const Vec3& place, core::Micros now) {
  const Vec3& led = me_.body.position;
  const double off = std::hypot(place[0] - led[0], place[1] - led[1]);
  const double moved = std::hypot(place[0] - me_.told[0], place[1] - me_.told[1]);
  const bool behind = !me_.stuck && off > kStuck && off > moved;
  if (behind && now < me_.told_at + kSilent) {
    me_.stuck = true;
    me_.stuck_keys = players_.own().keys;
    me_.stuck_look = me_.look;
  }
  if (me_.stuck && moved > kStuck) me_.stuck = false;
  me_.told = place;
  me_.told_at = now;
}

/// Whether the client stands although keys may be held. It is then where it said last.
bool ClientMovement::rests(core::Micros now) {
  if (me_.told_at == 0) return false;  // it was put into play, and has not said anything since
  const bool turned = scalar(me_.look, me_.stuck_look) < kTurned;
  if (me_.stuck && (turned || players_.own().keys != me_.stuck_keys)) me_.stuck = false;
  return me_.stuck || (now >= me_.told_at + kSilent && !me_.body.airborne);
}

/// Whether it looks elsewhere than in its last claim of this life.
bool ClientMovement::looks_elsewhere() const {
  if (me_.claimed == 0) return false;
  const double lengths = std::sqrt(scalar(me_.look, me_.look) * scalar(me_.claimed_look, me_.claimed_look));
  return scalar(me_.look, me_.claimed_look) < kLooksElsewhere * lengths;
}

/// Moves our client between its own claims, which it sends once a second, as its keys would. Servers of this game
/// compute that themselves; for other rooms we do.
void ClientMovement::walk(FrontOut& out) {
  if (!players_.playing() || same_game(out) || client_.tells_states()) return;
  const bool may_claim = out.now() >= me_.claimed + kClaimEvery;
  if (rests(out.now())) {
    const bool led_away = far(me_.body.position, me_.told) > 0.01;
    me_.body.position = me_.told;
    me_.body.velocity = {};
    me_.moved = out.now();
    if (led_away || (may_claim && looks_elsewhere())) claim(++me_.claims, out);
    return;
  }
  const core::Micros step_us = kSecond / kStepsPerSecond;
  const core::Micros due = std::min((out.now() - me_.moved) / step_us, kMostSteps);
  const bool aims = players_.own().tool == kGun && (players_.own().buttons & kSecondary) != 0;
  for (core::Micros i = 0; i < due; ++i) step(map_.map(), {players_.own().keys, me_.look, aims}, me_.body);
  me_.moved = due == kMostSteps ? out.now() : me_.moved + due * step_us;
  const bool moves = far(me_.body.position, players_.own().motion.position) > 0.01;
  if (may_claim && (moves || looks_elsewhere())) claim(++me_.claims, out);
}

double ClientMovement::tolerance(const words::Unit& unit, const FrontOut& out) const {
  const words::World* world = out.world().geometry();
  if (unit.kind() == words::Unit::CELL) return kCellTolerance;
  if (world == nullptr || world->columns() == 0) return kTolerance;
  return (world->east() - world->west()) / world->columns() / kMetresPerBlock + kBeyondTile;
}

/// Moves our client back if it strays from its place in the room. Servers of this game do that themselves.
void ClientMovement::check_place(FrontOut& out) {
  const core::UnitState* unit = out.world().unit(players_.own().unit);
  if (!players_.playing() || same_game(out) || unit == nullptr || !unit->unit.alive()) return;
  const Vec3 true_place = map_.stand(core::place_at(unit->unit.pose(), unit->posed_at, out.now()), out);
  const double off = std::hypot(true_place[0] - me_.body.position[0], true_place[1] - me_.body.position[1]);
  const bool near = off <= tolerance(unit->unit, out);
  const auto due = me_.correction.look(!near, out.now());
  if (due && out.now() >= *due) put(true_place, out);
}

// -- What the room says ----------------------------------------------------------------------------------------------

void ClientMovement::begin(const PlayerEntry& own, FrontOut& out) {
  me_.body = {};
  me_.body.position = own.motion.position;
  me_.look = own.motion.orientation;
  me_.moved = out.now();
  me_.told_at = me_.claimed = 0;
  me_.stuck = false;
  me_.correction.put(out.now());
}

void ClientMovement::put(const Vec3& eyes, FrontOut& out) {
  me_.body.position = players_.own().motion.position = me_.told = eyes;
  me_.body.velocity = {};
  me_.stuck = false;
  if (me_.told_at != 0) me_.told_at = out.now();
  me_.moved = out.now();
  me_.correction.put(out.now());
  if (client_.tells_states())
    me_.put_until = out.now() + kPutAgain;  // sent with the next snapshot
  else
    client_.send(PositionData{eyes}, out);
}

void ClientMovement::hear(const words::Corrected& corrected, FrontOut& out) {
  if (corrected.pose().unit() == players_.own().unit && players_.playing()) put(map_.stand(corrected.pose(), out), out);
}

void ClientMovement::hear(const words::Teleported& teleported, FrontOut& out) {
  const core::UnitState* unit = out.world().unit(teleported.unit());
  if (unit != nullptr && teleported.unit() == players_.own().unit && players_.playing())
    put(map_.stand(unit->unit.pose(), out), out);
}

}  // namespace entente::aos
