// Who is there, as our client sees it: a robot player for each unit that is somebody's. See front.h.
#include "adapters/bzflag/front/front.h"
#include "proxy/base/text.h"
#include "proxy/core/bodies.h"

namespace entente::bzflag {
namespace {

constexpr std::uint32_t kInfoBadges = words::REGISTERED | words::VERIFIED | words::ADMIN;

std::uint16_t counted(std::uint32_t number) { return static_cast<std::uint16_t>(std::min(number, 65535U)); }

}  // namespace

core::Id FrontSession::player_of(std::uint8_t number) const {
  const auto at = cast_.find(number);
  return at != cast_.end() ? at->second.player : 0;
}

core::Id FrontSession::own_unit() const {
  const auto at = cast_.find(number_);
  return at != cast_.end() ? at->second.unit : 0;
}

// -- Who plays whom ---------------------------------------------------------------------------------------------------

void FrontSession::recast_all(Outlet& out) {
  const core::World& world = out.world();
  for (const auto& [id, player] : world.players())
    if (id != out.me()) recast(id, out);
  for (const core::Id unit : core::bodies_of_nobody(world)) enlist(0, unit, 0, out);
  recast(out.me(), out);  // a client takes all before itself for who was there already
}

/// Makes the cast of one player what the world says.
void FrontSession::recast(core::Id id, Outlet& out) {
  const core::PlayerState* player = out.world().player(id);
  const bool me = id == out.me();
  std::vector<core::Id> units;
  if (player != nullptr) units = core::bodies_of(*player, out.world());

  std::vector<std::uint8_t> spare;  // numbers of this player that play a unit it has no more
  for (const auto& [number, actor] : cast_) {
    if (actor.player != id || (id == 0)) continue;
    const bool kept = std::find(units.begin(), units.end(), actor.unit) != units.end();
    if (!kept && number != players_.wire_or(id, number)) spare.push_back(number);
  }
  for (const std::uint8_t number : spare) dismiss(number, out);
  if (player == nullptr && !me) {
    if (const std::uint8_t* number = players_.wire(id)) dismiss(std::uint8_t{*number}, out);
    return;
  }
  const core::Id first = units.empty() ? 0 : units.front();
  if (const std::uint8_t* number = players_.wire(id)) {
    if (cast_.at(*number).unit != first) take_part(*number, first, out);
  } else {
    enlist(id, first, 0, out);
  }
  for (std::size_t i = 1; i < units.size(); ++i)
    if (units_.wire(units[i]) == nullptr) enlist(id, units[i], i, out);
}

/// From now on this number is that unit; who played it before leaves.
void FrontSession::take_part(std::uint8_t number, core::Id unit, Outlet& out) {
  if (const std::uint8_t* other = units_.wire(unit); unit != 0 && other != nullptr) dismiss(std::uint8_t{*other}, out);
  Actor& actor = cast_.at(number);
  units_.remove_id(actor.unit);
  actor.unit = unit;
  look_at_ = 0;
  if (unit == 0) return out.wake(out.now());  // it goes out of sight then, unless its player has left by then
  units_.add(number, unit);
  const core::UnitState* state = out.world().unit(unit);
  const bool waits = number == number_ && !actor.alive;  // for its client to ask for another life
  core::is_seen(state) && !waits ? put(number, state->unit.pose(), out) : show(number, out);
}

/// For a unit. If none is left, who is in sight gets that of somebody who is not.
std::optional<std::uint8_t> FrontSession::free_number(core::Id unit, Outlet& out) {
  for (std::uint8_t i = 0; i < kMostPlayers; ++i)
    if (i != number_ && !cast_.contains(i)) return i;
  if (!core::is_seen(out.world().unit(unit))) return std::nullopt;
  for (const auto& [number, actor] : cast_) {
    if (number == number_ || actor.shown) continue;
    const std::uint8_t freed = number;
    dismiss(freed, out);
    return freed;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> FrontSession::enlist(core::Id player, core::Id unit, std::size_t nth, Outlet& out) {
  const bool me = player != 0 && player == out.me();
  std::optional<std::uint8_t> number = number_;
  if (!me || nth != 0) number = free_number(unit, out);
  if (!number) return out.lose("Unit", "more than a client has room for"), std::nullopt;
  const core::PlayerState* owner = out.world().player(player);
  const core::UnitState* state = out.world().unit(unit);
  Actor& actor = cast_[*number];
  look_at_ = 0;
  actor.player = player;
  actor.unit = unit;
  const words::Player* who = owner != nullptr ? &owner->player : nullptr;
  std::string name = who != nullptr ? who->name() : me ? wish_.name() : state != nullptr ? state->unit.name() : "";
  if (name.empty()) name = "player " + std::to_string(*number);
  const bool watches = who != nullptr ? who->role() == words::WATCH : me && wish_.role() == words::WATCH;
  words::Team team = who != nullptr ? who->team() : me ? wish_.team() : words::TEAM_ANY;
  if (team == words::TEAM_ANY && state != nullptr) team = state->unit.team();
  actor.team = watches ? kObserverTeam : wire_team(team, 0);
  actor.callsign = me && nth == 0 ? name : callsign_for(name, nth);
  if (player != 0 && nth == 0) players_.add(*number, player);
  if (unit != 0) units_.add(*number, unit);
  announce(*number, out);
  actor.alive = *number != number_ && state != nullptr && state->unit.alive();
  if (core::is_seen(state)) put(*number, state->unit.pose(), out);
  if (who != nullptr) tell_badges(*number, who->badges(), out);
  return number;
}

/// As no other of the cast is called.
std::string FrontSession::callsign_for(const std::string& name, std::size_t nth) const {
  return free_name(ascii(name), kLongestName, nth + 1, [&](const std::string& callsign) {
    const auto same = [&](const auto& entry) { return entry.second.callsign == callsign; };
    return std::any_of(cast_.begin(), cast_.end(), same);
  });
}

void FrontSession::announce(std::uint8_t number, Outlet& out) {
  const Actor& actor = cast_.at(number);
  const core::PlayerState* owner = out.world().player(actor.player);
  AddPlayer add;
  add.id = player_id(number);
  const bool extra = players_.wire_or(actor.player, kNobody) != number;
  const bool robot = owner != nullptr && owner->player.role() == words::ROBOT;
  add.type = number != number_ && (extra || robot) ? kRobotPlayer : kTankPlayer;
  add.team = static_cast<std::uint16_t>(actor.team);
  add.callsign.set(actor.callsign);
  if (owner != nullptr) {
    add.motto.set(fitted(owner->player.motto(), kLongestText));
    if (!extra) {
      add.wins = counted(owner->score.wins());
      add.losses = counted(owner->score.losses());
      add.team_kills = counted(owner->score.team_kills());
    }
  } else if (number == number_) {
    add.motto.set(fitted(wish_.motto(), kLongestText));
  }
  peer_.stream(out, add);
}

void FrontSession::dismiss(std::uint8_t number, Outlet& out) {
  if (number == number_) return;  // our client stays as long as it likes
  players_.remove_wire(number);
  units_.remove_wire(number);
  cast_.erase(number);
  peer_.stream(out, RemovePlayer{player_id(number)});
}

// -- What is told of them ---------------------------------------------------------------------------------------------

void FrontSession::told(const words::Player& player, const core::Fact& fact, Outlet& out) {
  const std::uint8_t* number = players_.wire(player.id());
  if (number == nullptr) return recast(player.id(), out);
  Actor& actor = cast_.at(*number);
  if (fact.audience == words::ADMINS) return out.lose("Player.address", "only operators ask for it");
  const std::int16_t team = player.role() == words::WATCH ? kObserverTeam : wire_team(player.team(), actor.team);
  if (team != actor.team && (team == 6 || team == 7)) {
    actor.team = team;
    if (team == 6) peer_.stream(out, NewRabbit{*number});
  } else if (team != actor.team || (actor.callsign != player.name() && *number != number_)) {
    const core::Id id = player.id();
    if (*number == number_) return out.lose("Player", "a client keeps its own name and team");
    dismiss(std::uint8_t{*number}, out);
    return recast(id, out);
  }
  tell_badges(*number, player.badges(), out);
}

void FrontSession::tell_badges(std::uint8_t number, std::uint32_t badges, Outlet& out) {
  Actor& actor = cast_.at(number);
  const std::uint32_t changed = actor.badges ^ badges;
  actor.badges = badges;
  const auto on = [&](words::Badge badge) {
    return static_cast<std::uint8_t>((badges & static_cast<std::uint32_t>(badge)) != 0 ? 1 : 0);
  };
  // To a client these two are events: of a moment that is only told again there are none.
  if ((changed & words::PAUSED) != 0 && !retold_) peer_.stream(out, Pause{number, on(words::PAUSED)});
  if ((changed & words::AUTOPILOT) != 0 && !retold_) peer_.stream(out, AutoPilot{number, on(words::AUTOPILOT)});
  if ((changed & kInfoBadges) == 0) return;
  PlayerInfo info;
  info.players.push_back({number, static_cast<std::uint8_t>(badges & kInfoBadges)});
  peer_.stream(out, info);
}

void FrontSession::told(const words::PlayerGone& gone, const core::Fact&, Outlet& out) { recast(gone.id(), out); }

void FrontSession::told(const words::Unit& unit, const core::Fact&, Outlet& out) {
  if (unit.kind() == words::Unit::PICKUP) return tell_pickup(unit.id(), out);
  if (unit.kind() == words::Unit::PELLET) return litter_.stir(out);
  if (!core::is_driven(unit.kind())) return out.lose("Unit", "no tank, and nothing a tank could stand for");
  if (unit.owner() != 0)
    recast(unit.owner(), out);
  else if (units_.wire(unit.id()) == nullptr)
    enlist(0, unit.id(), 0, out);
  const std::uint8_t* number = units_.wire(unit.id());
  if (number == nullptr) return;
  Actor& actor = cast_.at(*number);
  if (unit.alive() && !actor.alive) return put(*number, unit.pose(), out);
  if (*number != number_) actor.alive = unit.alive();
  show(*number, out);
}

void FrontSession::told(const words::Hidden& hidden, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(hidden.unit());
  if (number == nullptr) return tell_pickup(hidden.unit(), out);
  if (const core::Id player = player_of(*number); player != 0) recast(player, out);  // it may have a cell in sight
  if (const std::uint8_t* still = units_.wire(hidden.unit())) show(*still, out);
}

/// The world has forgotten it already.
void FrontSession::told(const words::Gone& gone, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(gone.unit());
  if (number == nullptr) return tell_pickup(gone.unit(), out);
  const core::Id player = player_of(*number);
  if (player == 0) return dismiss(std::uint8_t{*number}, out);
  recast(player, out);
}

// -- Scores, as many in a message as are new --------------------------------------------------------------------------

void FrontSession::told(const words::Score& score, const core::Fact&, Outlet& out) {
  if (std::find(scores_due_.begin(), scores_due_.end(), score.player()) == scores_due_.end())
    scores_due_.push_back(score.player());
  out.wake(out.now());
}

void FrontSession::told(const words::TeamScore& score, const core::Fact&, Outlet& out) {
  if (std::find(team_scores_due_.begin(), team_scores_due_.end(), score.team()) == team_scores_due_.end())
    team_scores_due_.push_back(score.team());
  out.wake(out.now());
}

void FrontSession::send_scores(Outlet& out) {
  Score scores;
  for (const core::Id id : scores_due_) {
    const core::PlayerState* player = out.world().player(id);
    const std::uint8_t* number = players_.wire(id);
    if (player == nullptr || number == nullptr) continue;
    scores.players.push_back(
        {*number, counted(player->score.wins()), counted(player->score.losses()), counted(player->score.team_kills())});
    if (scores.players.size() == 100) {
      peer_.stream(out, scores);
      scores.players.clear();
    }
  }
  scores_due_.clear();
  if (!scores.players.empty()) peer_.stream(out, scores);

  TeamUpdate teams;
  for (const words::Team team : team_scores_due_) {
    const auto at = out.world().team_scores().find(team);
    const std::int16_t number = wire_team(team);
    if (at == out.world().team_scores().end() || number < 0) continue;
    teams.teams.push_back({static_cast<std::uint16_t>(number), counted(at->second.size()), counted(at->second.wins()),
                           counted(at->second.losses())});
  }
  team_scores_due_.clear();
  if (!teams.teams.empty()) peer_.stream(out, teams);
}

}  // namespace entente::bzflag
