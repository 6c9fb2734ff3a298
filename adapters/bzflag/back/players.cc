#include "adapters/bzflag/back/players.h"

#include <utility>

#include "adapters/bzflag/wire/drops.h"
#include "proxy/base/text.h"

namespace entente::bzflag {
namespace {

/// MsgPlayerInfo's bits, in the order of the badges.
constexpr std::pair<std::uint8_t, words::Badge> kInfoBits[] = {
    {1, words::REGISTERED}, {2, words::VERIFIED}, {4, words::ADMIN}};

/// bzfs answers at once (pausePlayer in bzfs.cxx at v2.4.26). A pause that is answered late must not be taken for one
/// that was refused, so we wait longer for it.
constexpr core::Micros kPausePatience = 8 * core::kSecond, kAutopilotPatience = 3 * core::kSecond;

std::string dotted(const std::array<std::uint8_t, 4>& ip) {
  std::string text;
  for (const std::uint8_t part : ip) text += (text.empty() ? "" : ".") + std::to_string(part);
  return text;
}

}  // namespace

void Players::hear(const AddPlayer& added, BackOut& out) {
  const std::uint8_t number = added.id.byte;
  if (!state_.in()) return;
  if (number > kMostPlayers + 15) return out.drop(drops::kNoPlayer);
  // A full bzfs makes an observer of a player who lets it choose the team.
  const bool watches = static_cast<std::int16_t>(added.team) == kObserverTeam;
  if (number == state_.number && watches && state_.wish->role() != words::WATCH &&
      out.report_server_full("the server has only observers' seats left"))
    return void(state_.goodbye_said = true);
  forget(number, out);
  core::TankServerPlayer& one = players_.meet(number, out);
  words::Player& player = one.player;
  one.team = static_cast<std::int16_t>(added.team);
  player.set_name(clean(added.callsign.view()));
  player.set_motto(clean(added.motto.view()));
  player.set_team(team_of(one.team));
  player.set_role(role_of(added.type, one.team));
  out.say(player);
  if (one.team != kObserverTeam) players_.tell_tank(one, tank_rules_.variables["_tankRadius"], out);
  if (added.wins != 0 || added.losses != 0 || added.team_kills != 0)
    players_.tell_score(player.id(), added.wins, added.losses, added.team_kills, out);
  if (number != state_.number) return;
  out.say(words::Ready());  // the server lists our own player last
  tank_.arrive(out);
}

void Players::forget(std::uint8_t number, BackOut& out) {
  if (players_.find(number) == nullptr) return;
  if (number == state_.number) tank_.end();
  if (rabbit_ == number) rabbit_.reset();
  players_.forget(number, out);
}

/// A server that replays a recording resets its state: all players of the recording are gone.
void Players::hear(const ReplayReset&, BackOut& out) {
  std::vector<std::uint8_t> gone;
  for (const auto& [number, one] : players_)
    if (number != state_.number && number < kMostPlayers) gone.push_back(number);
  for (const std::uint8_t number : gone) forget(number, out);
}

void Players::set_badge(std::uint8_t number, words::Badge badge, bool on, BackOut& out) {
  core::TankServerPlayer* one = players_.find(number);
  if (one == nullptr) return;
  const auto bit = static_cast<std::uint32_t>(badge);
  const std::uint32_t before = one->player.badges();
  one->player.set_badges(on ? before | bit : before & ~bit);
  if (one->player.badges() != before) out.say(one->player);
}

void Players::hear(const PlayerInfo& info, BackOut& out) {
  for (const auto& item : info.players)
    for (const auto& [bit, badge] : kInfoBits) set_badge(item.player, badge, (item.bits & bit) != 0, out);
}

void Players::hear(const AdminInfo& info, BackOut& out) {
  for (const auto& item : info.players) {
    core::TankServerPlayer* one = players_.find(item.player);
    if (one == nullptr) continue;
    words::Player known = one->player;  // the address is only for operators, and is not kept
    known.set_address(dotted(item.ip));
    core::Fact fact(std::move(known));
    fact.audience = words::ADMINS;
    out.say(std::move(fact));
  }
}

void Players::hear(const Pause& pause, BackOut& out) {
  set_badge(pause.player, words::PAUSED, pause.paused != 0, out);
  if (pause.player != state_.number) return;
  tank_.paused = pause.paused != 0;
  tank_.claims.answered(core::Claim::kPause);
  ask_for_pause(out);
}

/// A new life begins without a pause; the server says nothing about that.
void Players::hear(const Alive& alive, BackOut& out) { set_badge(alive.player.byte, words::PAUSED, false, out); }

void Players::hear(const AutoPilot& autopilot, BackOut& out) {
  if (autopilot.player == state_.number) tank_.claims.answered(core::Claim::kAutopilot);
  set_badge(autopilot.player, words::AUTOPILOT, autopilot.on != 0, out);
}

void Players::hear(const words::Pause& pause, BackOut& out) {
  if (!tank_.alive) return out.drop(drops::kPauseNotInPlay);
  pause_wish_ = pause.on();
  ask_for_pause(out);
}

/// bzfs kicks a player whose paused tank acts, so the tank may not act while a request is under way. There is one at a
/// time, so that it is known what an answer is for. The server does not answer one that changes nothing.
void Players::ask_for_pause(BackOut& out) {
  if (!pause_wish_ || tank_.claims.waits(core::Claim::kPause)) return;
  const bool on = *std::exchange(pause_wish_, std::nullopt);
  if (!tank_.alive || on == tank_.paused) return;
  link_.stream(out, PauseReport{std::uint8_t{on}});
  if (!link_.dialect().address_ids) tank_.claims.begin(core::Claim::kPause, kPausePatience, out);
}

/// Dialects without the message: there is nothing to wait for.
void Players::hear(const words::Autopilot& word, BackOut& out) {
  link_.stream(out, AutoPilotReport{std::uint8_t{word.on()}});
  if (link_.dialect().game_clock) tank_.claims.begin(core::Claim::kAutopilot, kAutopilotPatience, out);
}

void Players::hear(const NewRabbit& rabbit, BackOut& out) {
  const auto set_team_of = [&](std::uint8_t number, words::Team team) {
    if (core::TankServerPlayer* one = players_.find(number); one != nullptr && one->unit != 0) {
      one->player.set_team(team);
      one->team = wire_team(team);
      out.say(one->player);
    }
  };
  if (rabbit_) set_team_of(*rabbit_, words::HUNTER);
  rabbit_ = rabbit.player;
  set_team_of(rabbit.player, words::RABBIT);
}

void Players::hear(const Score& scores, BackOut& out) {
  for (const auto& item : scores.players)
    players_.tell_score(players_.id_of(item.player), item.wins, item.losses, item.team_kills, out);
}

void Players::hear(const TeamUpdate& teams, BackOut& out) {
  for (const auto& item : teams.teams) {
    const words::Team team = team_of(static_cast<std::int16_t>(item.team));
    if (team == words::TEAM_ANY) continue;
    words::TeamScore score;
    score.set_team(team);
    score.set_size(item.size);
    score.set_wins(item.won);
    score.set_losses(item.lost);
    out.say(score);
  }
}

void Players::hear(const ScoreOver& over, BackOut& out) {
  words::Round round;
  round.set_state(words::Round::OVER);
  round.set_winner(players_.id_of(over.player.byte));
  round.set_winning_team(team_of(static_cast<std::int16_t>(over.team)));
  out.say(round);
}

/// A time of 0 means that the game is over.
void Players::hear(const TimeLeft& left, BackOut& out) {
  words::Round round;
  if (left.long_seconds == 0) round.set_state(words::Round::OVER);
  if (left.long_seconds < 0)
    round.set_paused(true);
  else
    round.set_left_s(left.long_seconds);
  out.say(round);
}

}  // namespace entente::bzflag
