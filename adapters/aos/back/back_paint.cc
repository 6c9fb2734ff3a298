// What the others do: where paints show them, what they press and hold. See back.h.
#include "adapters/aos/back/back.h"

#include "adapters/aos/losses.h"

namespace entente::aos {
namespace {

// A paint comes 10 to 60 times a second; so often at most others are told of a place.
// Velocities are reckoned from two places that are no farther apart in time.
constexpr core::Micros kOldPose = 500 * core::kMillisecond;
constexpr float kFastestSeen = 3;  // blocks per 1/32 s; what is faster was put there

bool sane_look(const Vec3& look) {
  const float size = look[0] * look[0] + look[1] * look[1] + look[2] * look[2];
  return size > 0.01F && size < 4;
}

}  // namespace

void BackSession::on(const WorldUpdate& update, Outlet& out) {
  if (stage_ < Stage::kAtTheDoor) return;
  mind_stall(out);
  const bool named = kDialects[dialect_].ids_in_world_update;
  for (std::size_t i = 0; i < update.players.size(); ++i) {
    const PlayerView& view = update.players[i];
    const std::size_t number = named ? view.player : i;
    if (number < 256) seen(static_cast<std::uint8_t>(number), view.position, view.orientation, nullptr, out);
  }
}

/// The newest sequence wins. Who is not in it is where he was.
void BackSession::on(const StateUpdateDown& update, Outlet& out) {
  if (stage_ < Stage::kAtTheDoor) return;
  if (sequence_ && static_cast<std::int32_t>(update.sequence - *sequence_) <= 0) return out.lose(loss::kUpdateOld);
  sequence_ = update.sequence;
  for (const PlayerState& state : update.players) {
    Someone* one = find(state.player);
    if (one == nullptr) continue;
    if (one->keys != state.input && state.player != number_) {
      one->keys = state.input;
      tell_input(*one, out);
    }
    if (!state.still) {
      seen(state.player, state.motion.position, state.motion.orientation, &state.motion.velocity, out);
    } else if (one->alive && one->velocity != Vec3{} && state.player != number_) {
      one->velocity = {};
      tell_pose(*one, out);
    }
  }
}

/// `velocity`: null if nobody says it. All zeros is how servers leave out who is dead, gone, or too far away.
void BackSession::seen(std::uint8_t number, const Vec3& position, const Vec3& orientation, const Vec3* velocity,
                       Outlet& out) {
  Someone* one = find(number);
  if (one == nullptr || one->unit == 0 || one->died || !may_be(position)) return;
  if (number == number_) return nowhere(position) ? void() : compare(position, out);
  if (nowhere(position)) {
    if (!one->alive || one->hidden) return;
    one->hidden = true;
    words::Hidden hidden;
    hidden.set_unit(one->unit);
    return out.say(hidden);
  }
  const core::Micros gone = out.now() - one->posed;
  const bool moved = one->position != position;
  if (one->alive && !one->hidden) {
    const bool turned = sane_look(orientation) && one->orientation != orientation;  // SpadesX: none before the first
    if (!moved && !turned && (velocity != nullptr || one->velocity == Vec3{})) return;
    if (gone < kPoseEvery) return;
  }
  Vec3 reckoned{};
  const float since = static_cast<float>(gone) * 32 / static_cast<float>(core::kSecond);
  for (std::size_t axis = 0; axis < 3 && velocity == nullptr && gone <= kOldPose && one->alive && !one->hidden; ++axis)
    reckoned[axis] = (position[axis] - one->position[axis]) / since;
  if (velocity != nullptr) reckoned = *velocity;
  for (float& speed : reckoned)
    if (!(speed > -kFastestSeen && speed < kFastestSeen)) speed = 0;
  one->velocity = reckoned;
  one->position = position;
  if (sane_look(orientation)) one->orientation = orientation;
  if (!one->alive) return tell_spawned(*one, out);  // who was there before us
  tell_pose(*one, out);
}

void BackSession::tell_pose(Someone& one, Outlet& out) {
  one.hidden = false;
  one.posed = out.now();
  words::Pose pose;
  pose.set_unit(one.unit);
  pose.set_state(pose_state_of(one.keys));
  set_place(pose, one.position);
  set_velocity(pose, one.velocity);
  set_look(pose, one.orientation);
  out.say(pose);
}

Vec3 BackSession::reckoned(const Someone& one, core::Micros now) const {
  const float gone = static_cast<float>(std::min(now - one.posed, 4 * kPoseEvery)) * 32 / 1e6F;
  return {one.position[0] + one.velocity[0] * gone, one.position[1] + one.velocity[1] * gone,
          one.position[2] + one.velocity[2] * gone};
}

// -- What they press and hold ----------------------------------------------------------------------------------------

void BackSession::on(const InputData& input, Outlet& out) {
  Someone* one = find(input.player);
  if (one == nullptr || input.player == number_) return;
  one->keys = input.keys;
  tell_input(*one, out);
}

void BackSession::on(const WeaponInput& input, Outlet& out) {
  Someone* one = find(input.player);
  if (one == nullptr || input.player == number_) return;
  const bool pressed = (input.buttons & kPrimary) != 0 && (one->buttons & kPrimary) == 0;
  one->buttons = input.buttons & (kPrimary | kSecondary);
  tell_input(*one, out);
  if (pressed && one->tool == kGun) tell_shot(*one, out);
  wake_for_shots(out);
}

void BackSession::on(const SetTool& set, Outlet& out) {
  Someone* one = find(set.player);
  if (one == nullptr || set.player == number_) return;
  one->tool = set.tool;
  tell_input(*one, out);
}

void BackSession::tell_input(const Someone& one, Outlet& out) {
  if (one.unit == 0) return;
  words::Input input;
  input.set_unit(one.unit);
  input.set_bits(one.keys);
  input.set_tool(one.tool);
  input.set_primary((one.buttons & kPrimary) != 0);
  input.set_secondary((one.buttons & kSecondary) != 0);
  out.say(input);
}

/// A gun fires as long as its trigger is held; each shot is told.
void BackSession::tell_shots(Outlet& out) {
  for (auto& [number, one] : people_) {
    const bool fires = one.alive && one.tool == kGun && (one.buttons & kPrimary) != 0 && number != number_;
    const auto interval = static_cast<core::Micros>(gun(one.weapon).interval_s * static_cast<double>(core::kSecond));
    if (fires && out.now() >= one.shot_at + interval) tell_shot(one, out);
  }
  wake_for_shots(out);
}

void BackSession::wake_for_shots(Outlet& out) {
  for (const auto& [number, one] : people_)
    if (one.alive && one.tool == kGun && (one.buttons & kPrimary) != 0 && number != number_)
      out.wake(one.shot_at +
               static_cast<core::Micros>(gun(one.weapon).interval_s * static_cast<double>(core::kSecond)));
}

void BackSession::tell_shot(Someone& one, Outlet& out) {
  one.shot_at = out.now();
  const Point from = point_of(reckoned(one, out.now()));
  words::Shot shot;
  shot.set_shooter(one.player.id());
  shot.set_unit(one.unit);
  shot.set_shot(++one.shots);
  shot.set_kind(words::RAY);
  shot.set_x(from.x);
  shot.set_y(from.y);
  shot.set_z(from.z);
  shot.set_vx(one.orientation[0]);
  shot.set_vy(-one.orientation[1]);
  shot.set_vz(-one.orientation[2]);
  shot.set_range(double{kSightRange} * kMetresPerBlock);
  shot.set_team(one.player.team());
  out.say(shot);
}

void BackSession::on(const Grenade& grenade, Outlet& out) {
  Someone* one = find(grenade.player);
  if (one == nullptr) return out.lose(loss::kGrenadeOfNobody);
  if (!may_be(grenade.position) || !(grenade.fuse >= 0 && grenade.fuse <= 60)) return out.lose(loss::kGrenadeNoPlace);
  const Point from = point_of(grenade.position);
  words::Shot shot;
  shot.set_shooter(one->player.id());
  shot.set_unit(one->unit);
  shot.set_shot(++one->shots);
  shot.set_kind(words::GRENADE);
  shot.set_x(from.x);
  shot.set_y(from.y);
  shot.set_z(from.z);
  for (const float speed : grenade.velocity)
    if (!std::isfinite(speed)) return out.lose(loss::kGrenadeNoPlace);
  set_velocity(shot, grenade.velocity);
  shot.set_life(grenade.fuse);
  shot.set_team(one->player.team());
  out.say(shot);
}

/// To the shooter: how it ended. Of another: that it began.
void BackSession::on(const WeaponReload& reload, Outlet& out) {
  Someone* one = find(reload.player);
  if (one == nullptr) return out.lose(loss::kReloadOfNobody);
  if (reload.player == number_) {
    own_.clip = reload.clip;
    own_.reserve = reload.reserve;
    own_.reloads_until = 0;
    return tell_ammo(out);
  }
  words::Ammo ammo;
  ammo.set_player(one->player.id());
  ammo.set_clip(reload.clip);
  ammo.set_reserve(reload.reserve);
  out.say(ammo);
}

}  // namespace entente::aos
