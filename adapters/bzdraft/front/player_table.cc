#include "adapters/bzdraft/front/player_table.h"

#include "adapters/bzdraft/wire/drops.h"
#include "proxy/base/text.h"

namespace entente::bzdraft {
namespace {

constexpr std::size_t kLongestMotto = 127;

bool same(const AddPlayer& a, const AddPlayer& b) {
  return a.type == b.type && a.team == b.team && a.callsign.chars == b.callsign.chars && a.email.chars == b.email.chars;
}

}  // namespace

void PlayerTable::no_space(FrontOut& out) { out.drop(drops::kUnitsFull); }

void PlayerTable::announce(std::uint8_t number, std::size_t nth, FrontOut& out) {
  PlayerEntry& entry = at(number);
  entry.said = announcement(number, nth, out);
  client_.send(out, entry.said);
}

AddPlayer PlayerTable::announcement(std::uint8_t number, std::size_t nth, const FrontOut& out) {
  PlayerEntry& entry = at(number);
  const core::PlayerState* owner = out.world().player(entry.player);
  const core::UnitState* state = out.world().unit(entry.unit);
  const bool me = number == kNumber;
  std::string name = me ? own_name(out) : owner != nullptr ? owner->player.name() : "";
  if (name.empty() && state != nullptr) name = state->unit.name();
  if (name.empty()) name = "player " + std::to_string(number);
  words::Team team = owner != nullptr ? owner->player.team() : me ? client_.wish.team() : words::TEAM_ANY;
  if (team == words::TEAM_ANY && state != nullptr) team = state->unit.team();
  const words::Role role = owner != nullptr ? owner->player.role() : me ? client_.wish.role() : words::ROBOT;
  AddPlayer add;
  add.player = number;
  add.type = nth != 0 ? kRobot : wire_type(role);
  add.team = wire_team(team);
  if (!me && std::exchange(entry.full_name, name) != name) {
    entry.said.callsign.chars.clear();  // so that its own counts as free
    entry.said.callsign.chars = callsign_for(name, nth, out);
  }
  add.callsign.chars = me ? ended_text(name, kLongestName) : entry.said.callsign.chars;
  const std::string& motto = owner != nullptr ? owner->player.motto() : me ? client_.wish.motto() : std::string();
  add.email.chars = ended_text(motto, kLongestMotto);
  if (owner == nullptr || nth != 0) return add;
  add.wins = to_u16(owner->score.wins());
  add.losses = to_u16(owner->score.losses());
  return add;
}

std::string PlayerTable::own_name(const FrontOut& out) const {
  const core::PlayerState* player = out.world().player(out.me());
  return player != nullptr ? player->player.name() : client_.wish.name();
}

/// A callsign that no other player has. Our client, which is announced last, keeps its own.
std::string PlayerTable::callsign_for(const std::string& name, std::size_t nth, const FrontOut& out) const {
  const std::string own = ended_text(own_name(out), kLongestName);
  std::vector<std::string_view> taken;
  if (own_entry() == nullptr) taken.push_back(own);
  for (const auto& [number, entry] : *this) taken.push_back(entry.said.callsign.chars);
  return free_name_among(std::move(taken), ascii(name), kLongestName, nth + 1);
}

/// Our client's player keeps its name. Others who are shown under it get other callsigns.
void PlayerTable::free_own_callsign(FrontOut& out) {
  for (auto& [number, entry] : *this) {
    if (number == kNumber || entry.said.callsign.chars != own().said.callsign.chars) continue;
    entry.said.callsign.chars.clear();
    entry.said.callsign.chars = callsign_for(entry.full_name, 0, out);
    const core::PlayerState* owner = out.world().player(entry.player);
    const std::uint8_t* first = of_player(entry.player);
    if (owner != nullptr && first != nullptr && *first == number) {
      entry.said.wins = to_u16(owner->score.wins());
      entry.said.losses = to_u16(owner->score.losses());
    }
    client_.send(out, entry.said);
  }
}

void PlayerTable::tell_own_entry(FrontOut& out) {
  own().said = announcement(kNumber, 0, out);
  free_own_callsign(out);
  client_.send(out, own().said);
}

// -- What the room says about them ------------------------------------------------------------------------------------

/// Announces a known player again if its data has changed: the draft lets players change.
void PlayerTable::hear(const words::Player& player, FrontOut& out) {
  const std::uint8_t* known = of_player(player.id());
  if (known == nullptr) return reassign(player.id(), out);
  const std::uint8_t number = *known;
  PlayerEntry& entry = at(number);
  const AddPlayer before = entry.said;
  entry.said = announcement(number, 0, out);
  if (same(entry.said, before)) return;
  if (number == kNumber) free_own_callsign(out);
  client_.send(out, entry.said);
}

/// Class Flags handles pickups and pellets.
void PlayerTable::hear(const words::Unit& unit, FrontOut& out) {
  if (unit.kind() == words::Unit::PICKUP || unit.kind() == words::Unit::PELLET) return;
  if (!core::shown_as_tank(unit.kind())) return out.drop(drops::kUnitUnlike);
  see_unit(unit, out);
}

void PlayerTable::hear(const words::Score& score, FrontOut& out) {
  if (const std::uint8_t* number = of_player(score.player()))
    client_.send(out, Score{*number, to_u16(score.wins()), to_u16(score.losses())});
}

void PlayerTable::hear(const words::TeamScore& score, FrontOut& out) {
  const std::uint8_t team = wire_team(score.team());
  if (team_of(team) != score.team()) return out.drop(drops::kOtherTeam);
  client_.send(out, TeamUpdate{team, to_u16(score.wins()), to_u16(score.losses())});
}

void PlayerTable::send_teams(FrontOut& out) const {
  for (std::uint8_t team = 0; team <= kLastTeam; ++team) {
    TeamUpdate update{team, 0, 0};
    if (const auto at = out.world().team_scores().find(team_of(team)); at != out.world().team_scores().end()) {
      update.wins = to_u16(at->second.wins());
      update.losses = to_u16(at->second.losses());
    }
    client_.send(out, update);
  }
}

}  // namespace entente::bzdraft
