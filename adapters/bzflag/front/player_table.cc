#include "adapters/bzflag/front/player_table.h"

#include "adapters/bzflag/front/scores.h"
#include "adapters/bzflag/wire/drops.h"
#include "proxy/base/text.h"

namespace entente::bzflag {
namespace {

constexpr std::uint32_t kInfoBadges = words::REGISTERED | words::VERIFIED | words::ADMIN;

}  // namespace

// -- How they come and go ---------------------------------------------------------------------------------------------

void PlayerTable::no_space(FrontOut& out) { out.drop(drops::kUnitsFull); }

void PlayerTable::announce(std::uint8_t number, std::size_t nth, FrontOut& out) {
  describe(number, nth, out);
  tell_entry(number, out);
}

void PlayerTable::describe(std::uint8_t number, std::size_t nth, const FrontOut& out) {
  PlayerEntry& entry = at(number);
  const bool me = entry.player != 0 && entry.player == out.me();
  const core::PlayerState* owner = out.world().player(entry.player);
  const core::UnitState* state = out.world().unit(entry.unit);
  const words::Enter& wish = client_.wish;
  const words::Player* who = owner != nullptr ? &owner->player : nullptr;
  std::string name;
  if (me || who != nullptr)
    name = me ? own_name(out) : who->name();
  else if (state != nullptr)
    name = state->unit.name();
  entry.full_name = name;
  if (name.empty()) name = "player " + std::to_string(number);
  const bool watches = who != nullptr ? who->role() == words::WATCH : me && wish.role() == words::WATCH;
  words::Team team = who != nullptr ? who->team() : me ? wish.team() : words::TEAM_ANY;
  if (team == words::TEAM_ANY && state != nullptr) team = state->unit.team();
  entry.team = watches ? kObserverTeam : wire_team(team, 0);
  entry.callsign = me && nth == 0 ? name : callsign_for(name, nth, out);
}

std::string PlayerTable::own_name(const FrontOut& out) const {
  const core::PlayerState* player = out.world().player(out.me());
  return player != nullptr ? player->player.name() : client_.wish.name();
}

/// A callsign that no other player has. Our client, which is announced last, keeps its own.
std::string PlayerTable::callsign_for(const std::string& name, std::size_t nth, const FrontOut& out) const {
  const std::string own = own_name(out);
  std::vector<std::string_view> taken;
  if (own_entry() == nullptr) taken.push_back(own);
  for (const auto& [number, entry] : *this) taken.push_back(entry.callsign);
  return free_name_among(std::move(taken), ascii(name), kLongestName, nth + 1);
}

void PlayerTable::tell_entry(std::uint8_t number, FrontOut& out) const {
  const PlayerEntry& entry = at(number);
  const core::PlayerState* owner = out.world().player(entry.player);
  AddPlayer add;
  add.id = player_id(number);
  const bool extra = number_of(entry.player, kNobody) != number;
  const bool robot = owner != nullptr && owner->player.role() == words::ROBOT;
  add.type = number != own_number() && (extra || robot) ? kRobotPlayer : kTankPlayer;
  add.team = static_cast<std::uint16_t>(entry.team);
  add.callsign.set(entry.callsign);
  if (owner != nullptr) {
    add.motto.set(fitted(owner->player.motto(), kLongestText));
    if (!extra) {
      add.wins = to_u16(owner->score.wins());
      add.losses = to_u16(owner->score.losses());
      add.team_kills = to_u16(owner->score.team_kills());
    }
  } else if (number == own_number()) {
    add.motto.set(fitted(client_.wish.motto(), kLongestText));
  }
  client_.stream(out, add);
}

void PlayerTable::announced(std::uint8_t number, FrontOut& out) {
  if (const core::PlayerState* owner = out.world().player(at(number).player))
    tell_badges(number, owner->player.badges(), out);
  tell_rabbit(number, out);
}

/// A client does not hunt a player just because its team is the rabbit's. While the client enters, the rabbit is told
/// last.
void PlayerTable::tell_rabbit(std::uint8_t number, FrontOut& out) const {
  if (own_entry() == nullptr) return;
  for (const auto& [other, entry] : *this)
    if (entry.team == wire_team(words::RABBIT) && (other == number || number == own_number()))
      client_.stream(out, NewRabbit{other});
}

void PlayerTable::dismissed(std::uint8_t number, FrontOut& out) {
  client_.stream(out, RemovePlayer{player_id(number)});
}

// -- What the room says about them ------------------------------------------------------------------------------------

void PlayerTable::see_player(const words::Player& player, words::Audience audience, FrontOut& out) {
  const std::uint8_t* known = of_player(player.id());
  if (known == nullptr) return reassign(player.id(), out);
  const std::uint8_t number = *known;
  PlayerEntry& entry = at(number);
  if (audience == words::ADMINS) return out.drop(drops::kAddress);
  const std::int16_t team = player.role() == words::WATCH ? kObserverTeam : wire_team(player.team(), entry.team);
  if (team != entry.team && (team == 6 || team == 7)) {
    entry.team = team;
    if (team == 6) client_.stream(out, NewRabbit{number});
  } else if (team != entry.team || (entry.full_name != player.name() && number != own_number())) {
    if (number == own_number()) return out.drop(drops::kOwnName);
    dismiss(number, out);
    return reassign(player.id(), out);
  }
  tell_badges(number, player.badges(), out);
}

void PlayerTable::tell_badges(std::uint8_t number, std::uint32_t badges, FrontOut& out) {
  PlayerEntry& entry = at(number);
  const std::uint32_t changed = entry.badges ^ badges;
  entry.badges = badges;
  const auto on = [&](words::Badge badge) {
    return static_cast<std::uint8_t>((badges & static_cast<std::uint32_t>(badge)) != 0 ? 1 : 0);
  };
  // A client treats these two as events, so they are not sent while a replay seeks.
  if ((changed & words::PAUSED) != 0 && !resync_) client_.stream(out, Pause{number, on(words::PAUSED)});
  if ((changed & words::AUTOPILOT) != 0 && !resync_) client_.stream(out, AutoPilot{number, on(words::AUTOPILOT)});
  if ((changed & kInfoBadges) == 0) return;
  PlayerInfo info;
  info.players.push_back({number, static_cast<std::uint8_t>(badges & kInfoBadges)});
  client_.stream(out, info);
}

/// Class Flags handles pickups and pellets.
void PlayerTable::hear(const words::Unit& unit, FrontOut& out) {
  if (unit.kind() == words::Unit::PICKUP || unit.kind() == words::Unit::PELLET) return;
  if (!core::shown_as_tank(unit.kind())) return out.drop(drops::kUnitUnlike);
  see_unit(unit, out);
}

}  // namespace entente::bzflag
