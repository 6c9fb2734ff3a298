// Where everybody is, both ways. See front.h.
#include <cmath>

#include "adapters/aos/front/front.h"
#include "proxy/core/bodies.h"
#include "proxy/core/tank/steering.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::kSecond;

constexpr core::Micros kClaimEvery = 100 * kMillisecond;  // of a client that says its place once a second
constexpr core::Micros kMostSteps = 20;                   // of a body at once

// How far our client may be from where the room says it is before it is put there, in blocks: a tile; a cell that grows
// slow; or as far as this game's servers let one go.
constexpr double kCellLeash = 5, kLeash = 6, kRoom = 3;
/// What was under way while it was put somewhere.
constexpr core::Micros kOnItsWay = 300 * kMillisecond, kPutAgain = kSecond;
constexpr double kPutNear = 3, kPutThere = 1;

constexpr std::size_t kSlow = 64 * 1024;                    // bytes that wait: the client is behind
constexpr std::size_t kMostStates = 29;                     // of State Update, in 1152 bytes
constexpr core::Micros kWholeEvery = 900 * kMillisecond;    // all of a state, for who lost one
constexpr core::Micros kGuessEvery = 250 * kMillisecond;    // keys of who has none
constexpr double kStands = 1, kRuns = 9, kSideways = 0.38;  // blocks a second, and a sine

bool is_place(const Vec3& at) {
  return at[0] >= -4 && at[0] <= 516 && at[1] >= -4 && at[1] <= 516 && at[2] >= -64 && at[2] <= 68;
}
bool is_look(const Vec3& look) {
  const double length = std::hypot(look[0], look[1], look[2]);
  return length > 0 && length <= 2;
}
double far(const Vec3& a, const Vec3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

bool same(const Motion& a, const Motion& b) {
  return a.position == b.position && a.orientation == b.orientation && a.velocity == b.velocity;
}

}  // namespace

// -- What our client does --------------------------------------------------------------------------------------------

bool FrontSession::comes_late(const Vec3& place, Outlet& out) const {
  return out.now() < own_.leash.put_at() + kOnItsWay && far(place, own_.body.position) > kPutNear;
}

void FrontSession::on(const PositionData& position, Outlet& out) {
  if (!playing()) return;  // what is sent while dead means nothing
  if (!is_place(position.position)) {
    out.lose("PositionData", "no place in the map");
    return put(own_.body.position, out);
  }
  if (comes_late(position.position, out)) return;
  own_.body.position = position.position;
  own_.body.crouching = (own().keys & words::Keys::CROUCH) != 0;
  own_.moved = out.now();
  claim(++own_.claims, out);
}

void FrontSession::on(const OrientationData& orientation, Outlet& out) {
  if (!playing() || dialect().state_updates) return;
  if (!is_look(orientation.orientation)) return out.lose("OrientationData", "no direction");
  own_.look = orientation.orientation;
  say_keys(out);
}

void FrontSession::on(const InputData& input, Outlet& out) {
  if (!playing() || dialect().state_updates) return;
  own().keys = input.keys;
  say_keys(out);
}

void FrontSession::on(const StateUpdateUp& update, Outlet& out) {
  const bool late = own_.heard && static_cast<std::int32_t>(update.sequence - *own_.heard) <= 0;
  if (!playing() || late) return;
  own_.heard = update.sequence;
  const bool whole = update.form >= 3, anew = own().motion.position == Vec3{};
  const Motion motion = whole ? update.now : anew ? update.oldest : own().motion;  // else it is as it was
  if (!is_place(motion.position) || !is_look(motion.orientation) || !is_finite(motion.velocity))
    return out.lose("StateUpdate", "no place in the map");
  const bool arrived = far(motion.position, own_.body.position) <= kPutThere;
  if (arrived) own_.put_until = 0;
  if (out.now() < own_.put_until || comes_late(motion.position, out)) return;
  const bool turned = own().keys != update.inputs[0] || own_.look != motion.orientation;
  own().keys = update.inputs[0];
  own().motion = motion;
  own_.look = motion.orientation;
  own_.body.position = motion.position;
  own_.body.velocity = motion.velocity;
  own_.body.crouching = (own().keys & words::Keys::CROUCH) != 0;
  own_.moved = out.now();
  if (turned) say_keys(out);
  claim(update.sequence, out);
}

void FrontSession::say_keys(Outlet& out) {
  words::Keys keys;
  keys.set_bits(own().keys);
  set_look(keys, own_.look);
  keys.set_seq(own_.heard.value_or(0));
  own_.keyed = true;
  out.say(std::move(keys));
}

void FrontSession::claim(std::uint32_t number, Outlet& out) {
  words::PoseClaim claim;
  claim.set_unit(own().unit);
  constexpr unsigned kCrouch = words::Keys::CROUCH;
  const unsigned others = own().keys & ~kCrouch;
  claim.set_state(pose_state_of(static_cast<std::uint8_t>(others | (own_.body.crouching ? kCrouch : 0U))));
  set_place(claim, own_.body.position);
  set_look(claim, own_.look);
  set_velocity(claim, own_.body.velocity);
  claim.set_seq(number);
  if (!own_.keyed) say_keys(out);  // so that it is known for one who has keys
  own_.claimed = out.now();
  if (!dialect().state_updates) own().motion.position = own_.body.position;
  out.say(std::move(claim));
}

/// Our client says once a second where it is. In between, its keys say it to who believes them: servers of this game
/// reckon so themselves, for others we do.
void FrontSession::walk(Outlet& out) {
  if (!playing() || same_game(out) || dialect().state_updates) return;
  const core::Micros step_us = kSecond / kStepsPerSecond;
  const core::Micros due = std::min((out.now() - own_.moved) / step_us, kMostSteps);
  const bool aims = own().tool == kGun && (own().buttons & kSecondary) != 0;
  for (core::Micros i = 0; i < due; ++i) step(maker_->map(), {own().keys, own_.look, aims}, own_.body);
  own_.moved = due == kMostSteps ? out.now() : own_.moved + due * step_us;
  const bool moves = far(own_.body.position, own().motion.position) > 0.01;
  if (moves && out.now() >= own_.claimed + kClaimEvery) claim(++own_.claims, out);
}

double FrontSession::leash(const words::Unit& unit, Outlet& out) const {
  const words::World* world = out.world().geometry();
  if (unit.kind() == words::Unit::CELL) return kCellLeash;
  if (world == nullptr || world->columns() == 0) return kLeash;
  return (world->east() - world->west()) / world->columns() / kMetresPerBlock + kRoom;
}

/// Servers of this game correct their clients themselves.
void FrontSession::check_leash(Outlet& out) {
  const core::UnitState* unit = out.world().unit(own().unit);
  if (!playing() || same_game(out) || unit == nullptr || !unit->unit.alive()) return;
  const Vec3 true_place = stand(core::place_at(unit->unit.pose(), unit->posed, out.now()), out);
  const double off = std::hypot(true_place[0] - own_.body.position[0], true_place[1] - own_.body.position[1]);
  const bool near = off <= leash(unit->unit, out);
  const auto due = own_.leash.look(!near, out.now());
  if (due && out.now() >= *due) put(true_place, out);
}

// -- What the room says ----------------------------------------------------------------------------------------------

void FrontSession::put(const Vec3& eyes, Outlet& out) {
  own_.body.position = own().motion.position = eyes;
  own_.body.velocity = {};
  own_.moved = out.now();
  own_.leash.put(out.now());
  if (dialect().state_updates)
    own_.put_until = out.now() + kPutAgain;  // said with what is painted next
  else
    send(PositionData{eyes}, out);
}

void FrontSession::told(const words::Corrected& corrected, const core::Fact&, Outlet& out) {
  if (corrected.pose().unit() == own().unit && playing()) put(stand(corrected.pose(), out), out);
}

void FrontSession::told(const words::Teleported& teleported, const core::Fact&, Outlet& out) {
  const core::UnitState* unit = out.world().unit(teleported.unit());
  if (unit != nullptr && teleported.unit() == own().unit && playing()) put(stand(unit->unit.pose(), out), out);
}

void FrontSession::press_keys(Slot slot, std::uint8_t keys, Outlet& out) {
  Actor& actor = cast_[slot];
  if (!actor.told || std::exchange(actor.keys, keys) == keys || dialect().state_updates) return;
  send(InputData{slot, keys}, out);
}

void FrontSession::told(const words::Input& input, const core::Fact&, Outlet& out) {
  const auto slot = slot_of_unit(input.unit());
  if (!slot || *slot == kOwn || !cast_[*slot].told) return;
  Actor& actor = cast_[*slot];
  actor.has_keys = true;
  const auto tool = static_cast<std::uint8_t>(std::min<std::uint32_t>(input.tool(), kGrenades));
  if (std::exchange(actor.tool, tool) != tool) send(SetTool{*slot, tool}, out);
  press_keys(*slot, static_cast<std::uint8_t>(input.bits()), out);
  press(*slot, static_cast<std::uint8_t>((input.primary() ? kPrimary : 0) | (input.secondary() ? kSecondary : 0)), out);
}

/// The keys that would move a man as that unit moves: between two paintings, clients reckon by them.
void FrontSession::guess_keys(Slot slot, const words::Pose& pose, Outlet& out) {
  Actor& actor = cast_[slot];
  if (actor.has_keys || !actor.alive || out.now() < actor.keyed + kGuessEvery) return;
  actor.keyed = out.now();
  const double speed = std::hypot(pose.vx(), pose.vy()) / kMetresPerBlock;
  unsigned keys = keys_of(pose.state());
  if (speed >= kStands) {
    const double way = std::atan2(pose.vy(), pose.vx()) - pose.yaw();
    if (std::cos(way) > kSideways) keys |= words::Keys::FORWARD;
    if (std::cos(way) < -kSideways) keys |= words::Keys::BACKWARD;
    if (std::sin(way) > kSideways) keys |= words::Keys::LEFT;
    if (std::sin(way) < -kSideways) keys |= words::Keys::RIGHT;
    if (speed > kRuns) keys |= words::Keys::SPRINT;
  }
  press_keys(slot, static_cast<std::uint8_t>(keys), out);
}

/// Where a man stands who is that unit: in the map, and above whatever blocks were made of what it drives under.
Vec3 FrontSession::stand(const words::Pose& pose, Outlet& out) const {
  Vec3 eyes = eyes_of(pose);
  if ((same_game(out) || maker_ == nullptr) && is_finite(eyes)) return eyes;
  constexpr float kFirst = 0.5F, kLast = static_cast<float>(kMapSize) - 0.5F;
  for (std::size_t i = 0; i < 2; ++i) eyes[i] = std::isfinite(eyes[i]) ? std::clamp(eyes[i], kFirst, kLast) : kLast / 2;
  const auto over_feet = static_cast<float>(eyes_over_feet(pose.state()));
  const float feet = std::isfinite(eyes[2]) ? std::clamp(eyes[2] + over_feet, 3.0F, 63.0F) : 62.0F;
  if (maker_ == nullptr) return {eyes[0], eyes[1], feet - over_feet};
  const std::uint64_t column =
      maker_->map().column(static_cast<std::uint32_t>(eyes[0]), static_cast<std::uint32_t>(eyes[1]));
  auto lowest = static_cast<unsigned>(feet - 0.01F);  // the block that his feet are in
  const unsigned meant = lowest;
  while (lowest > 2 && (column >> (lowest - 2) & 7U) != 0) --lowest;
  eyes[2] = (lowest == meant ? feet : static_cast<float>(lowest + 1)) - over_feet;
  return eyes;
}

// -- Painting --------------------------------------------------------------------------------------------------------

/// Where that player is to be seen now. False: nowhere.
bool FrontSession::see(Slot slot, Motion& motion, Outlet& out) {
  Actor& actor = cast_[slot];
  if (slot == kOwn) {
    motion = {own_.body.position, own_.look, own_.body.velocity};
    return actor.told;
  }
  if (!actor.told || actor.watches) return false;
  const core::UnitState* unit = out.world().unit(actor.unit);
  if (!core::is_seen(unit) || actor.unseen) {
    motion = {};  // nowhere: who is not told of would stay where he was
    return true;
  }
  words::Pose pose = core::place_at(unit->unit.pose(), unit->posed, out.now());
  const bool cell = unit->unit.kind() == words::Unit::CELL;
  if (cell && std::hypot(pose.vx(), pose.vy()) > kMetresPerBlock) pose.set_yaw(std::atan2(pose.vy(), pose.vx()));
  motion.position = stand(pose, out);
  motion.velocity = velocity_of({pose.vx(), pose.vy(), pose.vz()});
  if (out.now() >= actor.shooting) motion.orientation = orientation_of(pose.yaw(), pose.pitch());
  // A client leaves at a number that is none.
  if (!is_finite(motion.velocity)) motion.velocity = {};
  if (!is_finite(motion.orientation)) motion.orientation = {1, 0, 0};
  if (!same_game(out)) guess_keys(slot, pose, out);
  return true;
}

void FrontSession::paint(Outlet& out) {
  if (out.waiting() >= kSlow) return;  // it is told the newest once it has caught up
  dialect().state_updates ? paint_states(out) : paint_views(out);
}

void FrontSession::paint_views(Outlet& out) {
  auto& players = std::get_if<WorldUpdate>(&views_)->players;
  players.clear();
  for (Slot slot = 0; slot < kMostPlayers; ++slot) {
    PlayerView view;
    view.player = slot;
    Motion own_motion;  // its last claim is kept
    Motion& motion = slot == kOwn ? own_motion : cast_[slot].motion;
    if (see(slot, motion, out)) {
      view.position = motion.position;
      view.orientation = motion.orientation;
      // Without ids, who is not seen in between has a place, too: none.
      if (!dialect().ids_in_world_update)
        for (auto next = static_cast<Slot>(players.size()); next < slot; ++next) players.push_back({next, {}, {}});
      players.push_back(view);
    }
  }
  if (!players.empty()) send(views_, out, Lane::kDatagram);
}

void FrontSession::paint_states(Outlet& out) {
  auto& update = *std::get_if<StateUpdateDown>(&states_);
  update.players.clear();
  const auto flush = [&] {
    if (update.players.empty()) return;
    send(states_, out, Lane::kDatagram);
    ++update.sequence;
    update.players.clear();
  };
  for (Slot slot = 0; slot < kMostPlayers; ++slot) {
    Actor& actor = cast_[slot];
    // A client takes its own state as a correction.
    if (slot == kOwn && (out.now() >= own_.put_until || !actor.alive)) continue;
    Motion motion = actor.motion;
    if (!see(slot, motion, out)) continue;
    const bool still = slot != kOwn && same(motion, actor.motion) && out.now() < actor.told_whole + kWholeEvery &&
                       actor.told_whole != 0;
    if (!still) actor.told_whole = std::max<core::Micros>(out.now(), 1);
    if (slot != kOwn) actor.motion = motion;
    update.players.push_back({slot, actor.keys, still, motion});
    if (update.players.size() == kMostStates) flush();
  }
  flush();
}

}  // namespace entente::aos
