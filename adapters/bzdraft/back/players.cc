#include "adapters/bzdraft/back/players.h"

#include "adapters/bzdraft/wire/drops.h"

namespace entente::bzdraft {
namespace {

constexpr double kTankRadius = 4.32;  // BZFlag's

}  // namespace

/// For a known player, the message is a change of its data.
void Players::hear(const AddPlayer& added, BackOut& out) {
  const std::uint8_t number = added.player;
  if (!state_.in() || number < kFirstPlayer || number > kLastPlayer) return out.drop(drops::kNoPlayer);
  const bool known = players_.find(number) != nullptr;
  core::TankServerPlayer& one = players_.meet(number, out);
  words::Player& player = one.player;
  one.team = added.team;
  player.set_name(readable(added.callsign.chars));
  player.set_motto(readable(added.email.chars));
  player.set_skin(readable(added.avatar.chars));
  player.set_team(team_of(added.team));
  player.set_role(role_of(added.type));
  const bool watches = player.role() == words::WATCH;
  if (watches && one.unit != 0) {
    players_.forget_tank(one, out);
    if (number == state_.number) tank_.end(), tank_.claims.forget(core::Claim::kSpawn);
  }
  out.say(player);
  if (!watches && one.unit == 0) players_.tell_tank(one, kTankRadius, out);
  if (!known || added.wins != 0 || added.losses != 0) hear(Score{number, added.wins, added.losses}, out);
  if (known || number != state_.number) return;
  out.say(words::Ready());  // the server lists our own player last
  tank_.arrive(out);
}

/// The session ends if our own player is removed.
void Players::hear(const RemovePlayer& removed, BackOut& out) {
  if (removed.player == state_.number && players_.own() != nullptr)
    return state_.be_kicked("removed by the server", out);
  players_.forget(removed.player, out);
}

void Players::hear(const Score& score, BackOut& out) {
  players_.tell_score(players_.id_of(score.player), score.wins, score.losses, 0, out);
}

void Players::hear(const words::ScoreClaim& claim, BackOut& out) {
  link_.send(out, Score{state_.number, to_u16(claim.wins()), to_u16(claim.losses())});
}

void Players::hear(const TeamUpdate& update, BackOut& out) {
  if (team_of(update.team) == words::TEAM_ANY) return out.drop(drops::kNoTeam);
  words::TeamScore score;
  score.set_team(team_of(update.team));
  score.set_wins(update.wins);
  score.set_losses(update.losses);
  for (const auto& [number, one] : players_)  // the draft leaves the counting to clients
    if (one.team == update.team) score.set_size(score.size() + 1);
  out.say(score);
}

void Players::hear(const ScoreOver& over, BackOut& out) {
  words::Round round;
  round.set_state(words::Round::OVER);
  if (const auto team = target_team(over.winner))
    round.set_winning_team(team_of(*team));
  else
    round.set_winner(players_.id_of(over.winner));
  out.say(round);
}

/// A time of 0 means that the game is over.
void Players::hear(const TimeLeft& left, BackOut& out) {
  words::Round round;
  if (left.seconds == 0) round.set_state(words::Round::OVER);
  round.set_left_s(left.seconds);
  out.say(round);
}

}  // namespace entente::bzdraft
