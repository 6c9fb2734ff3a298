#include "adapters/aos/back/server_objectives.h"

namespace entente::aos {
namespace {

constexpr std::uint32_t kPerCapture = 10;  // points in the carrier's score for a captured intel
constexpr std::size_t kMostTerritories = 16;
constexpr double kPerRate = 0.05;  // share of a territory per second, for each unit of Progress Bar's rate

/// In State Data, SpadesX may write NaN as the place of an intel. It sends the place a little later.
void put(words::Token& token, const Vec3& place) {
  token.set_carrier(0);
  token.set_state(is_finite(place) ? words::Token::GROUND : words::Token::NOWHERE);
  if (!is_finite(place)) return;
  const Point at = point_of(place);
  token.set_x(at.x);
  token.set_y(at.y);
  token.set_z(at.z);
}

/// Reports a token that the last map had and this one lacks. It keeps its id for a later map that has it again.
void tell_nowhere(words::Token& token, BackOut& out) {
  if (token.id() == 0 || token.state() == words::Token::NOWHERE) return;
  token.set_state(words::Token::NOWHERE);
  token.set_carrier(0);
  out.say(token);
}

/// The server starts the next map without another packet about the end.
void win(words::Team team, BackOut& out) {
  words::Round round;
  round.set_state(words::Round::OVER);
  round.set_winning_team(team);
  out.say(round);
}

}  // namespace

void ServerObjectives::tell_all(const StateData& state, BackOut& out) {
  const bool flags = state.mode == 0;
  captures_ = {};
  if (flags) captures_ = {state.ctf.score1, state.ctf.score2};
  for (std::size_t side = 0; side < 2; ++side) tell_team(side, out);
  const auto count = flags ? 0 : std::min<std::size_t>(state.territory_count, kMostTerritories);
  zones_.assign(count, {});
  for (std::size_t i = count; i < territories_.size(); ++i) tell_nowhere(territories_[i], out);
  if (flags) return tell_intel(state.ctf, out);
  for (words::Token& token : objectives_) tell_nowhere(token, out);
  for (std::size_t i = 0; i < count; ++i) tell_territory(i, state.territories[i], out);
}

/// REQUIRES: all territories before it were reported.
void ServerObjectives::tell_territory(std::size_t i, const Territory& territory, BackOut& out) {
  if (i == territories_.size()) territories_.emplace_back().set_id(out.new_id());
  zones_[i].set_id(territories_[i].id());
  words::Token& token = territories_[i];
  token.set_kind(words::Token::BASE);
  token.set_code(kTerritory);
  token.set_team(server_.sides.team_of(territory.team));
  put(token, territory.position);
  out.say(token);
  zones_[i].set_owner(token.team());
  out.say(zones_[i]);
}

void ServerObjectives::tell_intel(const CtfState& ctf, BackOut& out) {
  const Vec3* places[] = {&ctf.intel1, &ctf.intel2, &ctf.base1, &ctf.base2};
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    words::Token& token = objectives_[i];
    if (token.id() == 0) token.set_id(out.new_id());
    token.set_kind(i < kTentObject ? words::Token::INTEL : words::Token::BASE);
    token.set_team(server_.sides.team_of(static_cast<std::uint8_t>(i % 2)));
    put(token, *places[i]);
  }
  const auto carried = [&](words::Token& token, std::uint8_t carrier) {
    token.set_state(words::Token::CARRIED);
    token.set_carrier(players_.id_of(carrier));
  };
  if ((ctf.held & 1U) != 0) carried(objectives_[1], ctf.carrier2.player);
  if ((ctf.held & 2U) != 0) carried(objectives_[0], ctf.carrier1.player);
  for (const words::Token& token : objectives_) out.say(token);
}

void ServerObjectives::tell_team(std::size_t side, BackOut& out) {
  words::TeamScore score;
  score.set_team(server_.sides.team_of(static_cast<std::uint8_t>(side)));
  score.set_wins(captures_[side]);
  std::uint32_t size = 0;
  for (const auto& [number, one] : players_) size += one.team == side ? 1U : 0U;
  score.set_size(size);
  out.say(score);
}

void ServerObjectives::hear(const MoveObject& moved, BackOut& out) {
  if (!server_.loaded()) return out.drop(drops::kObjectTooEarly);
  const bool territory = server_.room.mode() == kTerritoryControl;
  if (moved.object >= (territory ? zones_.size() : objectives_.size())) return out.drop(drops::kNoObject);
  words::Token* token = territory ? &territories_[moved.object] : &objectives_[moved.object];
  if (territory) {
    token->set_team(server_.sides.team_of(moved.team));
    zones_[moved.object].set_owner(token->team());
  }
  put(*token, moved.position);
  out.say(*token);
}

/// The intel of the player's enemies, which the player can take.
words::Token* ServerObjectives::intel_for(std::uint8_t player) {
  const ServerPlayer* one = players_.find(player);
  if (one == nullptr || !is_side(one->team) || server_.room.mode() != kCaptureTheFlag) return nullptr;
  return &objectives_[1U - one->team];
}

void ServerObjectives::hear(const IntelPickup& picked, BackOut& out) {
  words::Token* token = intel_for(picked.player);
  if (token == nullptr) return out.drop(drops::kPickupByNobody);
  token->set_state(words::Token::CARRIED);
  token->set_carrier(players_.id_of(picked.player));
  words::TokenTaken taken;
  *taken.mutable_token() = *token;
  taken.set_by(token->carrier());
  out.say(std::move(taken));
}

void ServerObjectives::hear(const IntelDrop& dropped, BackOut& out) {
  words::Token* token = intel_for(dropped.player);
  if (token == nullptr) return out.drop(drops::kDropByNobody);
  put(*token, dropped.position);
  words::TokenDropped word;
  *word.mutable_token() = *token;
  word.set_by(players_.id_of(dropped.player));
  out.say(std::move(word));
}

void ServerObjectives::hear(const IntelCapture& captured, BackOut& out) {
  words::Token* token = intel_for(captured.player);
  if (token == nullptr) return out.drop(drops::kCaptureByNobody);
  ServerPlayer& one = *players_.find(captured.player);
  token->set_state(words::Token::GROUND);
  token->set_carrier(0);
  words::TokenCaptured word;
  word.set_token(token->id());
  word.set_by(one.player.id());
  word.set_team(token->team());
  word.set_winning(captured.winning != 0);
  out.say(word);
  one.kills += kPerCapture;
  players_.tell_score(one, out);
  ++captures_[one.team];
  tell_team(one.team, out);
  if (captured.winning != 0) win(one.player.team(), out);
}

void ServerObjectives::hear(const TerritoryCapture& captured, BackOut& out) {
  if (captured.territory >= zones_.size()) return out.drop(drops::kNoTerritory);
  words::Token& token = territories_[captured.territory];
  words::Zone& zone = zones_[captured.territory];
  words::TokenCaptured word;
  word.set_token(token.id());
  word.set_team(token.team());
  word.set_winning(captured.winning != 0);
  token.set_team(server_.sides.team_of(captured.team));
  zone.set_owner(token.team());
  zone.set_capturing(words::TEAM_ANY);
  zone.set_rate(0);
  zone.set_progress(0);
  out.say(zone);
  out.say(word);
  if (captured.winning != 0) win(token.team(), out);
}

void ServerObjectives::hear(const ProgressBar& progress, BackOut& out) {
  if (progress.territory >= zones_.size()) return out.drop(drops::kNoProgressTerritory);
  if (!(progress.progress >= -1 && progress.progress <= 2)) return out.drop(drops::kNoProgress);
  words::Zone& zone = zones_[progress.territory];
  zone.set_capturing(server_.sides.team_of(progress.team));
  zone.set_rate(progress.rate * kPerRate);
  zone.set_progress(progress.progress);
  out.say(zone);
}

}  // namespace entente::aos
