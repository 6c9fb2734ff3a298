#include "adapters/aos/back/snapshot_reader.h"

#include <cmath>

namespace entente::aos {
namespace {

// Velocities are computed from two places that are at most this far apart in time.
constexpr core::Micros kOldPose = 500 * core::kMillisecond;

bool sane_look(const Vec3& look) {
  const float size = look[0] * look[0] + look[1] * look[1] + look[2] * look[2];
  return size > 0.01F && size < 4;
}

}  // namespace

void SnapshotReader::hear(const WorldUpdate& update, BackOut& out) {
  if (!server_.loaded()) return;
  man_.mind_stall(out);
  const bool named = server_.dialect().ids_in_world_update;
  for (std::size_t i = 0; i < update.players.size(); ++i) {
    const PlayerView& view = update.players[i];
    const std::size_t number = named ? view.player : i;
    if (number < 256) seen(static_cast<std::uint8_t>(number), view.position, view.orientation, nullptr, out);
  }
}

/// The newest sequence number counts. Players that are not in the update stay where they were.
void SnapshotReader::hear(const StateUpdateDown& update, BackOut& out) {
  if (!server_.loaded()) return;
  if (sequence_ && static_cast<std::int32_t>(update.sequence - *sequence_) <= 0) return out.drop(drops::kUpdateOld);
  sequence_ = update.sequence;
  for (const PlayerState& state : update.players) {
    ServerPlayer* one = players_.find(state.player);
    if (one == nullptr) continue;
    if (one->keys != state.input && state.player != server_.number) {
      one->keys = state.input;
      players_.tell_input(*one, out);
    }
    if (!state.still) {
      seen(state.player, state.motion.position, state.motion.orientation, &state.motion.velocity, out);
    } else if (one->alive && one->velocity != Vec3{} && state.player != server_.number) {
      one->velocity = {};
      players_.tell_pose(*one, out);
    }
  }
}

/// `velocity`: null if the snapshot has none. Servers send all zeros for players who are dead, gone, or too far away.
void SnapshotReader::seen(std::uint8_t number, const Vec3& position, const Vec3& orientation, const Vec3* velocity,
                          BackOut& out) {
  ServerPlayer* one = players_.find(number);
  if (one == nullptr || one->unit == 0 || one->died || !may_be(position)) return;
  if (number == server_.number) return nowhere(position) ? void() : man_.compare(position, out);
  if (nowhere(position)) {
    if (!one->alive || one->hidden) return;
    one->hidden = true;
    words::Hidden hidden;
    hidden.set_unit(one->unit);
    return out.say(hidden);
  }
  const core::Micros gone = out.now() - one->posed_at;
  const bool moved = one->position != position;
  if (one->alive && !one->hidden) {
    // SpadesX sends no valid direction before the player's first one.
    const bool turned = sane_look(orientation) && one->orientation != orientation;
    if (!moved && !turned && (velocity != nullptr || one->velocity == Vec3{})) return;
    if (gone < kPoseEvery) return;
  }
  Vec3 reckoned{};
  const float since = static_cast<float>(gone) * 32 / static_cast<float>(core::kSecond);
  for (std::size_t axis = 0; axis < 3 && velocity == nullptr && gone <= kOldPose && one->alive && !one->hidden; ++axis)
    reckoned[axis] = (position[axis] - one->position[axis]) / since;
  if (velocity != nullptr) reckoned = *velocity;
  for (float& speed : reckoned)
    if (!(speed > -kFastestSeen && speed < kFastestSeen)) speed = 0;  // the server moved the player
  one->velocity = reckoned;
  one->position = position;
  if (sane_look(orientation)) one->orientation = orientation;
  if (!one->alive) return players_.tell_spawned(*one, out);  // a player who was there before us
  players_.tell_pose(*one, out);
}

void SnapshotReader::hear(const InputData& input, BackOut& out) {
  ServerPlayer* one = players_.find(input.player);
  if (one == nullptr || input.player == server_.number) return;
  one->keys = input.keys;
  players_.tell_input(*one, out);
}

void SnapshotReader::hear(const WeaponInput& input, BackOut& out) {
  ServerPlayer* one = players_.find(input.player);
  if (one == nullptr || input.player == server_.number) return;
  const bool pressed = (input.buttons & kPrimary) != 0 && (one->buttons & kPrimary) == 0;
  one->buttons = input.buttons & (kPrimary | kSecondary);
  players_.tell_input(*one, out);
  if (pressed && one->tool == kGun) players_.tell_shot(*one, out);
  wake_for_shots(out);
}

void SnapshotReader::hear(const SetTool& set, BackOut& out) {
  ServerPlayer* one = players_.find(set.player);
  if (one == nullptr || set.player == server_.number) return;
  one->tool = set.tool;
  players_.tell_input(*one, out);
}

/// A gun fires as long as its trigger is held. Reports each shot.
void SnapshotReader::tell_shots(BackOut& out) {
  for (auto& [number, one] : players_) {
    const bool fires = one.alive && one.tool == kGun && (one.buttons & kPrimary) != 0 && number != server_.number;
    const auto interval = static_cast<core::Micros>(gun(one.weapon).interval_s * static_cast<double>(core::kSecond));
    if (fires && out.now() >= one.shot_at + interval) players_.tell_shot(one, out);
  }
  wake_for_shots(out);
}

void SnapshotReader::wake_for_shots(BackOut& out) {
  for (const auto& [number, one] : players_)
    if (one.alive && one.tool == kGun && (one.buttons & kPrimary) != 0 && number != server_.number)
      out.wake(one.shot_at +
               static_cast<core::Micros>(gun(one.weapon).interval_s * static_cast<double>(core::kSecond)));
}

}  // namespace entente::aos
