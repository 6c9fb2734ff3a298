#include "adapters/aos/front/entry.h"

#include <algorithm>
#include <utility>

#include "adapters/aos/wire/drops.h"
#include "proxy/core/seconds.h"

namespace entente::aos {
namespace {

constexpr core::Micros kSpawnAgain = 5 * core::kSecond;
constexpr core::Micros kUnchanged = core::kSecond;  // after this time, a change of side counts as refused

}  // namespace

void Entry::hear(const ExistingPlayer& player, FrontOut& out) {
  if (profile_.entered()) return join(player, out);
  const bool again = profile_.known(), watched = watches(out);
  profile_.enter(player, players_.sides());
  players_.own().tool = player.tool <= kGrenades ? player.tool : std::uint8_t{kGun};
  if (!again || same_game(out))
    out.say(profile_.wish());  // such a server starts anew with each map
  else
    take_role(watched, out);
  came_ = same_game(out);
  if (came_) come(out);
  if (map_.loaded()) return enter(out);
  early_side_ = player.team;
}

/// Servers of this game are told the colour and the tool, and that the player wants to play.
void Entry::come(FrontOut& out) {
  words::Change colour;
  colour.set_colour(profile_.colour());
  out.say(colour);
  words::Tool tool;
  tool.set_number(players_.own().tool);
  out.say(std::move(tool));
  if (profile_.wish().role() == words::PLAY) out.say(words::Spawn());
}

void Entry::catch_up(FrontOut& out) {
  const auto side = std::exchange(early_side_, std::nullopt);
  if (!side || !same_game(out)) return;
  const words::Team team = players_.sides().team_of(*side);
  if (came_ && team == profile_.wish().team()) return;
  profile_.set_team(team);
  out.say(profile_.wish());
  come(out);
}

/// Whether our client is a spectator in the room; before the room has told so, whether it asked for that.
bool Entry::watches(const FrontOut& out) const {
  const core::PlayerState* me = out.world().player(out.me());
  return (me != nullptr ? me->player.role() : profile_.wish().role()) == words::WATCH;
}

/// The client has chosen its role again, with the next map of a server of another game, where it has entered already.
/// A spectator may ask to play; a player stays one.
void Entry::take_role(bool watched, FrontOut& out) {
  const bool wants_to_watch = profile_.wish().role() == words::WATCH;
  if (wants_to_watch == watched) return;
  if (!wants_to_watch) return out.say(profile_.wish());
  profile_.set_role(words::PLAY);
  watch(out);
}

/// OpenSpades leaves the spectators by the packet by which it entered. A weapon that it has already is not asked for.
void Entry::join(const ExistingPlayer& player, FrontOut& out) {
  if (!players_.own().watches) return out.drop(drops::kEnteredAlready);
  const std::uint8_t weapon = std::min<std::uint8_t>(player.weapon, 2);
  change(player.team, weapon != players_.own().weapon ? std::optional(weapon) : std::nullopt, out);
}

void Entry::enter(FrontOut& out) {
  if (!profile_.entered() || players_.own().told) return;
  const core::PlayerState* me = out.world().player(out.me());
  const core::UnitState* unit = out.world().active_unit(out.me());
  const bool watching = me != nullptr && me->player.role() == words::WATCH && out.world().ready();
  if (watching) {
    players_.watch_own(out);
  } else if (unit != nullptr && unit->unit.alive()) {
    players_.own().unit = unit->unit.id();
    players_.create_own(unit->unit.pose(), out);
  } else {
    ask_spawn(out);
  }
}

/// Asks for a spawn, unless the server is one of this game: those spawn a player that has entered without being asked.
void Entry::ask_spawn(FrontOut& out) {
  const bool wants = profile_.entered() && !players_.own().alive && profile_.wish().role() == words::PLAY;
  if (!wants || !out.world().ready() || same_game(out)) return;
  if (out.now() < spawn_at_) return out.wake(spawn_at_);
  spawn_at_ = out.now() + kSpawnAgain;
  out.wake(spawn_at_);
  players_.own().dead = false;
  out.say(words::Spawn());
}

void Entry::wait(double seconds, FrontOut& out) { spawn_at_ = out.now() + core::micros(seconds); }

/// In a room of another game, a player may choose any weapon and gets it at once; the room decides about the side.
void Entry::change(std::optional<std::uint8_t> team, std::optional<std::uint8_t> weapon, FrontOut& out) {
  if (!profile_.entered() || (weapon && *weapon > 2)) return out.drop(drops::kNoWeapon);
  const bool watches = team && !is_side(*team);
  words::Change change;
  if (team && !watches) change.set_team(players_.sides().team_of(*team));
  if (weapon) change.set_kit(kit_of(*weapon));
  if (weapon) profile_.set_kit(kit_of(*weapon));
  if (team && early_side_) early_side_ = *team;
  if (change.has_team() && early_side_) profile_.set_team(change.team());
  if (change.has_team() || change.has_kit()) out.say(change);
  if (watches) watch(out);
  if (same_game(out)) return;
  if (change.has_team() && (players_.own().watches || *team != players_.own().side))
    side_asked_ = std::max<core::Micros>(out.now(), 1);
  if (weapon && map_.loaded()) players_.redress(out);
}

/// Servers of other games make no player a spectator.
void Entry::watch(FrontOut& out) {
  if (same_game(out)) {
    words::Watch watch;
    watch.set_mode(words::Watch::ROAM);
    return out.say(watch);
  }
  if (players_.own().watches) return;
  out.drop(drops::kNoSpectators);
  if (map_.loaded()) client_.notice("players cannot become spectators here", out);
}

/// A spawn is asked for again and again, so the same answer is not shown each time.
void Entry::hear_refused(std::string_view why, FrontOut& out) {
  if (why.empty()) return;
  const bool answers_side = std::exchange(side_asked_, 0) != 0;
  if (answers_side || !client_.has_noticed(why)) client_.notice(why, out);
}

/// Tells the client that its side did not change, if the room does not answer its request.
void Entry::check_side(FrontOut& out) {
  if (side_asked_ == 0 || out.now() < side_asked_ + kUnchanged) return;
  side_asked_ = 0;
  client_.notice("sides cannot be changed here", out);
}

void Entry::hear(const SetColour& colour, FrontOut& out) {
  profile_.set_colour(colour_of(colour.colour));
  if (!profile_.entered() || !same_game(out)) return;
  words::Change change;
  change.set_colour(profile_.colour());
  out.say(change);
}

}  // namespace entente::aos
