#include "adapters/bzflag/front/tanks.h"

namespace entente::bzflag {
namespace {

/// A stock client takes who says nothing for five seconds for gone.
constexpr core::Micros kSilence = 2 * core::kSecond;

}  // namespace

void Tanks::put(std::uint8_t number, const words::Pose& there, FrontOut& out) {
  const words::Pose pose = out.world().flattened(there);
  Actor& actor = cast_.at(number);
  actor.alive = true;
  if (number == client_.number()) keeper_.put(pose, out.now());
  actor.told = out.now();
  next_look_.by(out.now() + kSilence);
  actor.glide.jump();
  actor.glide.at(pose, out.now(), out.now());
  actor.shown = !retold_ || number == client_.number();
  if (!actor.shown) return show(number, out);
  Alive alive;
  alive.player = player_id(number);
  alive.pos = vec3(pose.x(), pose.y(), pose.z());
  alive.azimuth = to_azimuth(pose.yaw());
  client_.stream(out, alive);
}

/// Told as a state, which is no event to it. On the stream: a datagram that is lost would leave it where it was.
void Tanks::show(std::uint8_t number, FrontOut& out) {
  Actor& actor = cast_.at(number);
  const bool shown = actor.alive && core::is_seen(out.world().unit(actor.unit));
  if (number == client_.number() || actor.shown == shown) return;
  actor.late = false;
  client_.stream(out, newest(number, actor, out));
}

void Tanks::update(std::uint8_t number, Actor& actor, FrontOut& out) {
  actor.told = out.now();
  actor.rests_at = 0;
  actor.late = !actor.updates.take(out.now());
  if (actor.late) next_look_.by(actor.updates.next());
  if (actor.late) return out.wake(actor.updates.next());
  if (out.world().unit(actor.unit) != nullptr) client_.quick(out, newest(number, actor, out));
}

/// A tank whose unit is gone is nowhere; who plays it is still there.
Message Tanks::newest(std::uint8_t number, Actor& actor, FrontOut& out) {
  const core::UnitState* state = out.world().unit(actor.unit);
  words::Pose pose = state != nullptr ? seen(actor, *state, out) : words::Pose();
  actor.told = out.now();
  next_look_.by(actor.rests_at != 0 ? actor.rests_at : out.now() + kSilence);
  actor.shown = actor.alive && state != nullptr && !state->hidden;
  actor.order = std::max(actor.order + 1, pose.seq());
  pose.set_seq(actor.order);
  return update_of(pose, number, client_.clock(out), actor.shown, client_.dialect().small_updates);
}

/// Where a world has tiles it tells of whole ones: a tank drives from one to the next, and a client reckons how.
words::Pose Tanks::seen(Actor& actor, const core::UnitState& state, FrontOut& out) {
  words::Pose pose = out.world().flattened(
      state.posed < out.now() ? core::place_at(state.unit.pose(), state.posed, out.now()) : state.unit.pose());
  const words::World* world = out.world().geometry();
  if (world == nullptr || world->kind() != words::World::TILES) return pose;
  const core::Glide::Point at = actor.glide.at(state.unit.pose(), state.posed, out.now());
  const core::Glide::Motion motion = actor.glide.motion(out.now());
  pose.set_x(at.x);
  pose.set_y(at.y);
  if (motion.until == 0) return pose;
  pose.set_vx(motion.vx);
  pose.set_vy(motion.vy);
  actor.rests_at = motion.until;
  out.wake(motion.until);
  return pose;
}

void Tanks::update_late(FrontOut& out) {
  if (!next_look_.is_due(out)) return;
  bool each_tick = false;
  for (auto& [number, actor] : cast_) {
    if (number == client_.number()) continue;
    if (actor.unit == 0) show(number, out);
    each_tick |= actor.unit == 0;
    if (actor.late || out.now() >= due_at(actor, out)) update(number, actor, out);
    next_look_.by(actor.late ? std::min(actor.updates.next(), due_at(actor, out)) : due_at(actor, out));
  }
  next_look_.ask(out);
  if (each_tick) next_look_.now();
}

/// When it comes to rest; or when it has stood for so long that our client would take its player for gone: other games
/// need not say so again and again.
core::Micros Tanks::due_at(const Actor& actor, const FrontOut& out) {
  const bool quiet = actor.shown && out.world().room().game() != game().name();
  const core::Micros rests = actor.rests_at != 0 ? actor.rests_at : core::NextLook::kNever;
  return quiet ? std::min(rests, actor.told + kSilence) : rests;
}

void Tanks::hear(const words::Died& died, FrontOut& out) {
  const std::uint8_t* number = cast_.of(died.unit(), died.player());
  if (number == nullptr || !std::exchange(cast_.at(*number).alive, false)) return;
  cast_.at(*number).shown = false;
  if (*number == client_.number()) keeper_.forget_death();
  Killed killed;
  killed.victim = player_id(*number);
  killed.killer = player_id(died.killer() != 0 ? cast_.number_of(died.killer(), kServerId) : kServerId);
  killed.death.reason = death_reason(died.why());
  killed.death.shot = died.shot() != 0 ? static_cast<std::uint16_t>(died.shot()) : kNoShot;
  if (const core::ShownShot* shot = shots_.find(died.killer(), died.shot())) {
    killed.death.shot = shot->number;
    killed.death.flag = flag_kind(shot->weapon);
  }
  client_.stream(out, killed);
}

void Tanks::hear(const words::Teleported& teleported, FrontOut& out) {
  if (const std::uint8_t* number = cast_.of_unit(teleported.unit()))
    client_.stream(out, Teleport{player_id(*number), static_cast<std::uint16_t>(teleported.from()),
                                 static_cast<std::uint16_t>(teleported.to())});
}

}  // namespace entente::bzflag
