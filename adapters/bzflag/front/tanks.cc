#include "adapters/bzflag/front/tanks.h"
#include "adapters/bzflag/wire/dialect.h"

namespace entente::bzflag {
namespace {

/// How often the poses of standing tanks are repeated: a stock client drops a player that is silent for five seconds.
constexpr core::Micros kFrontSilence = 2 * core::kSecond;

}  // namespace

void Tanks::put(std::uint8_t number, const words::Pose& there, FrontOut& out) {
  const words::Pose pose = out.world().flattened(there);
  PlayerEntry& entry = players_.at(number);
  entry.alive = true;
  if (number == client_.number()) keeper_.put(pose, out.now());
  entry.told = out.now();
  scan_timer_.schedule(out.now() + kFrontSilence);
  entry.interpolator.jump();
  entry.interpolator.at(pose, out.now(), out.now());
  entry.shown = !resync_ || number == client_.number();
  if (!entry.shown) return show(number, out);
  Alive alive;
  alive.player = player_id(number);
  alive.pos = vec3(pose.x(), pose.y(), pose.z());
  alive.azimuth = to_azimuth(pose.yaw());
  client_.stream(out, alive);
}

/// Shows or hides a tank by an update: the client does not treat that as an event. It is sent on the stream, because a
/// lost datagram would leave the tank where it was.
void Tanks::show(std::uint8_t number, FrontOut& out) {
  PlayerEntry& entry = players_.at(number);
  const bool shown = entry.alive && core::is_seen(out.world().unit(entry.unit));
  if (number == client_.number() || entry.shown == shown) return;
  entry.update_pending = false;
  client_.stream(out, newest(number, entry, out));
}

void Tanks::update(std::uint8_t number, PlayerEntry& entry, FrontOut& out) {
  entry.told = out.now();
  entry.rests_at = 0;
  entry.update_pending = !entry.updates.take(out.now());
  if (entry.update_pending) scan_timer_.schedule(entry.updates.next());
  if (entry.update_pending) return out.wake(entry.updates.next());
  if (out.world().unit(entry.unit) != nullptr) client_.quick(out, newest(number, entry, out));
}

/// The newest update of a tank. Without a unit it is not shown, but its player stays.
Message Tanks::newest(std::uint8_t number, PlayerEntry& entry, FrontOut& out) {
  const core::UnitState* state = out.world().unit(entry.unit);
  words::Pose pose = state != nullptr ? seen(entry, *state, out) : words::Pose();
  entry.told = out.now();
  scan_timer_.schedule(entry.rests_at != 0 ? entry.rests_at : out.now() + kFrontSilence);
  entry.shown = entry.alive && state != nullptr && !state->hidden;
  entry.order = std::max(entry.order + 1, pose.seq());
  pose.set_seq(entry.order);
  return update_of(pose, number, client_.clock(out), entry.shown, client_.dialect().small_updates);
}

/// The pose that a client is shown. A world of tiles reports only whole tiles, so tanks glide from one tile to the
/// next, and clients extrapolate the motion.
words::Pose Tanks::seen(PlayerEntry& entry, const core::UnitState& state, FrontOut& out) {
  words::Pose pose = out.world().flattened(
      state.posed_at < out.now() ? core::place_at(state.unit.pose(), state.posed_at, out.now()) : state.unit.pose());
  const words::World* world = out.world().geometry();
  if (world == nullptr || world->kind() != words::World::TILES) return pose;
  const core::TileInterpolator::Point at = entry.interpolator.at(state.unit.pose(), state.posed_at, out.now());
  const core::TileInterpolator::Motion motion = entry.interpolator.motion(out.now());
  pose.set_x(at.x);
  pose.set_y(at.y);
  if (motion.until == 0) return pose;
  pose.set_vx(motion.vx);
  pose.set_vy(motion.vy);
  entry.rests_at = motion.until;
  out.wake(motion.until);
  return pose;
}

void Tanks::update_late(FrontOut& out) {
  if (!scan_timer_.is_due(out)) return;
  bool each_tick = false;
  for (auto& [number, entry] : players_) {
    if (number == client_.number()) continue;
    if (entry.unit == 0) show(number, out);
    each_tick |= entry.unit == 0;
    if (entry.update_pending || out.now() >= due_at(entry, out)) update(number, entry, out);
    scan_timer_.schedule(entry.update_pending ? std::min(entry.updates.next(), due_at(entry, out))
                                              : due_at(entry, out));
  }
  scan_timer_.ask(out);
  if (each_tick) scan_timer_.schedule_now();
}

/// When the tank's next update is due: when it comes to rest, or before our client would drop a silent player. Servers
/// of other games do not repeat the poses of standing units, and a paused replay sends no poses.
core::Micros Tanks::due_at(const PlayerEntry& entry, const FrontOut& out) const {
  const bool quiet = entry.shown && (paused_ || out.world().room().game() != kGameName);
  const core::Micros rests = entry.rests_at != 0 ? entry.rests_at : core::ScanTimer::kNever;
  return quiet ? std::min(rests, entry.told + kFrontSilence) : rests;
}

void Tanks::hear(const words::Clock& clock, FrontOut& out) {
  paused_ = clock.paused();
  scan_timer_.schedule_now();
  scan_timer_.ask(out);
}

/// A client that was told of the capture has already drawn the explosions. It still has to learn that the other tanks
/// are gone, as it does from the updates of their clients on a bzfs. MsgKilled would make a client that counts its own
/// score count a kill.
void Tanks::hear(const words::Died& died, FrontOut& out) {
  const std::uint8_t* number = players_.of(died.unit(), died.player());
  if (number == nullptr || !players_.at(*number).alive) return;
  PlayerEntry& entry = players_.at(*number);
  entry.alive = false;
  if (*number == client_.number()) keeper_.forget_death();
  if (died.why() == words::BY_CAPTURE && capture_.has_killed(team_of(entry.team), out.now())) return show(*number, out);
  entry.shown = false;
  Killed killed;
  killed.victim = player_id(*number);
  killed.killer = player_id(died.killer() != 0 ? players_.number_of(died.killer(), kServerId) : kServerId);
  killed.death.reason = death_reason(died.why());
  killed.death.shot = died.shot() != 0 ? static_cast<std::uint16_t>(died.shot()) : kNoShot;
  if (const core::ShownShot* shot = shots_.find(died.killer(), died.shot())) {
    killed.death.shot = shot->number;
    killed.death.flag = flag_kind(shot->weapon);
  }
  client_.stream(out, killed);
}

void Tanks::hear(const words::Teleported& teleported, FrontOut& out) {
  if (const std::uint8_t* number = players_.of_unit(teleported.unit()))
    client_.stream(out, Teleport{player_id(*number), static_cast<std::uint16_t>(teleported.from()),
                                 static_cast<std::uint16_t>(teleported.to())});
}

}  // namespace entente::bzflag
