#include "adapters/aos/front/fights.h"

#include <algorithm>
#include <cmath>

#include "adapters/aos/wire/drops.h"

namespace entente::aos {
namespace {

constexpr core::Micros kPulse = 150 * core::kMillisecond;  // how long a shot's trigger is shown as pressed
constexpr double kRespawn = 3;                             // seconds, in games where players spawn on request

}  // namespace

/// Sends each death once, however often it is reported. If the fact names no unit of the room, the shown unit of the
/// player dies.
void Fights::hear(const words::Died& died, FrontOut& out) {
  const bool is_there = out.world().unit(died.unit()) != nullptr;
  const auto slot = is_there ? players_.slot_of_unit(died.unit()) : players_.slot_of_player(died.player());
  if (!slot || !players_[*slot].told) return;
  const bool unseen = std::exchange(players_[*slot].unseen, false);  // the client takes it for alive
  if (!std::exchange(players_[*slot].alive, false) && !unseen) return;
  players_[*slot].dead = !is_there || (*slot == kOwn && !same_game(out));  // until it asks for a spawn, or is spawned
  if (died.synthesised() && same_game(out)) return;                        // clients of this game find out themselves
  KillAction kill;
  kill.victim = *slot;
  kill.killer = players_.shown_player(died.killer()).value_or(*slot);
  kill.type = kill_type(died.why());
  const double told = died.respawn_s() > 0 ? std::min(255.0, died.respawn_s()) : 0;
  const double respawn = told == 0 && !same_game(out) ? kRespawn : told;
  kill.respawn = static_cast<std::uint8_t>(std::lround(respawn));
  players_[*slot].keys = players_[*slot].buttons = 0;
  client_.send(kill, out);
  if (*slot == kOwn) entry_.wait(respawn, out);
}

/// Another player's shot: shows the player looking along it and pressing the trigger for a moment. A wave is shown as a
/// grenade that explodes at once. Our client draws its own shots itself.
void Fights::hear(const words::Shot& shot, FrontOut& out) {
  if (shot.shooter() == out.me()) return;
  const bool wave = shot.kind() == words::WAVE, thrown = wave || shot.kind() == words::GRENADE;
  if (resync_ && !thrown) return;  // already in flight: the trigger was pressed earlier
  auto slot = players_.slot_of_unit(shot.unit());
  if (!slot) slot = players_.slot_of_player(shot.shooter());
  if (wave && shot.shooter() == 0) slot = kOwn;  // a gun of the world; the number only gives a team
  if (!slot || !players_[*slot].told) return out.drop(drops::kShooterUnseen);
  PlayerEntry& entry = players_[*slot];
  if (entry.has_keys && !thrown) return;  // its trigger is sent as it is
  if (thrown) {
    Grenade grenade;
    grenade.player = *slot;
    grenade.fuse = wave ? 0 : static_cast<float>(shot.life());
    grenade.position = place_of({shot.x(), shot.y(), shot.z()});
    grenade.velocity = velocity_of({shot.vx(), shot.vy(), shot.vz()});
    if (!is_finite(grenade.position) || !is_finite(grenade.velocity)) return out.drop(drops::kShotNoPlace);
    return client_.send(grenade, out);
  }
  const double flat = std::hypot(shot.vx(), shot.vy());
  if (flat > 0 || shot.vz() != 0)
    entry.motion.orientation = orientation_of(std::atan2(shot.vy(), shot.vx()), std::atan2(shot.vz(), flat));
  entry.shooting = out.now() + kPulse;
  players_.press(*slot, kPrimary, out);
}

void Fights::stop_shooting(FrontOut& out) {
  for (Slot slot = 0; slot < kMostPlayers; ++slot) {
    PlayerEntry& entry = players_[slot];
    if (entry.shooting == 0 || out.now() < entry.shooting) continue;
    entry.shooting = 0;
    players_.press(slot, 0, out);
  }
}

}  // namespace entente::aos
