#include "adapters/bzflag/front/scores.h"

namespace entente::bzflag {
namespace {

constexpr std::size_t kScoresAtOnce = 100;

}  // namespace

void Scores::hear(const words::Score& score, FrontOut& out) {
  if (std::find(changed_.begin(), changed_.end(), score.player()) == changed_.end()) changed_.push_back(score.player());
  out.wake(out.now());
}

void Scores::hear(const words::TeamScore& score, FrontOut& out) {
  if (std::find(teams_.begin(), teams_.end(), score.team()) == teams_.end()) teams_.push_back(score.team());
  out.wake(out.now());
}

void Scores::send_new(FrontOut& out) {
  Score scores;
  for (const core::Id id : changed_) {
    const core::PlayerState* player = out.world().player(id);
    const std::uint8_t* number = players_.of_player(id);
    if (player == nullptr || number == nullptr) continue;
    scores.players.push_back(
        {*number, to_u16(player->score.wins()), to_u16(player->score.losses()), to_u16(player->score.team_kills())});
    if (scores.players.size() == kScoresAtOnce) {
      client_.stream(out, scores);
      scores.players.clear();
    }
  }
  changed_.clear();
  if (!scores.players.empty()) client_.stream(out, scores);

  TeamUpdate teams;
  for (const words::Team team : teams_) {
    const auto at = out.world().team_scores().find(team);
    const std::int16_t number = wire_team(team);
    if (at == out.world().team_scores().end() || number < 0) continue;
    teams.teams.push_back({static_cast<std::uint16_t>(number), to_u16(at->second.size()), to_u16(at->second.wins()),
                           to_u16(at->second.losses())});
  }
  teams_.clear();
  if (!teams.teams.empty()) client_.stream(out, teams);
}

void Scores::send_teams(FrontOut& out) const {
  TeamUpdate teams;
  for (std::int16_t team = 0; team <= 4; ++team) {
    TeamUpdate::Item item;
    item.team = static_cast<std::uint16_t>(team);
    if (const auto at = out.world().team_scores().find(team_of(team)); at != out.world().team_scores().end()) {
      item.size = to_u16(at->second.size());
      item.won = to_u16(at->second.wins());
      item.lost = to_u16(at->second.losses());
    }
    teams.teams.push_back(item);
  }
  client_.stream(out, teams);
}

}  // namespace entente::bzflag
