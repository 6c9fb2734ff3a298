#include "adapters/bzflag/front/queries.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "adapters/bzflag/front/lobby.h"
#include "adapters/bzflag/front/scores.h"
#include "adapters/bzflag/translate/dialect_translator.h"
#include "adapters/bzflag/wire/wire.h"
#include "proxy/base/text.h"

namespace entente::bzflag {
namespace {

constexpr std::uint16_t kUsualShots = 20;
constexpr std::size_t kAnsweredTeams = 5;  // rogue, red, green, blue, purple

struct Told {
  std::uint8_t number;
  const core::PlayerState* state;
};

/// The players to tell about.
std::vector<Told> told_players(const Client& client, const PlayerTable& players, const FrontOut& out) {
  std::vector<Told> all;
  for (const auto& [id, state] : out.world().players()) {
    if (all.size() == kMostPlayers) break;
    const std::uint8_t number = client.in() ? players.number_of(id, kNobody) : static_cast<std::uint8_t>(all.size());
    if (number != kNobody && !state.player.name().empty()) all.push_back({number, &state});
  }
  return all;
}

/// kObserverTeam, or a team below kAnsweredTeams.
std::uint16_t shown_team(const words::Player& player) {
  if (player.role() == words::WATCH) return static_cast<std::uint16_t>(kObserverTeam);
  const std::int16_t team = wire_team(player.team(), 0);
  return team >= 0 && team < static_cast<std::int16_t>(kAnsweredTeams) ? static_cast<std::uint16_t>(team) : 0;
}

/// Players by team; the last number is that of the observers.
std::array<std::uint16_t, kAnsweredTeams + 1> sizes_of(const std::vector<Told>& players) {
  std::array<std::uint16_t, kAnsweredTeams + 1> sizes{};
  for (const Told& one : players) ++sizes[shown_team(one.state->player)];
  return sizes;
}

GameAnswer game_answer(const core::WorldState& world, const std::vector<Told>& players) {
  const words::Room& room = world.room();
  const auto sizes = sizes_of(players);
  const auto most = static_cast<std::uint16_t>(
      room.most_players() == 0 ? kMostPlayers : std::min<std::uint32_t>(room.most_players(), kMostPlayers));
  GameAnswer game;
  game.game_type = game_type_of(room.mode());
  game.options = options_of(world);
  game.max_players = most;
  game.max_shots = room.most_shots() == 0 ? kUsualShots : static_cast<std::uint16_t>(std::min(room.most_shots(), 255U));
  std::copy_n(sizes.begin(), kAnsweredTeams, game.sizes.begin());
  game.observers = sizes[kAnsweredTeams];
  game.max_sizes.fill(most);
  game.max_observers = most;
  return game;
}

TeamUpdate team_answer(const core::WorldState& world, const std::vector<Told>& players) {
  const auto sizes = sizes_of(players);
  TeamUpdate teams;
  for (std::uint16_t team = 0; team < kAnsweredTeams; ++team) {
    TeamUpdate::Item item{team, sizes[team], 0, 0};
    const auto& scores = world.team_scores();
    if (const auto at = scores.find(team_of(static_cast<std::int16_t>(team))); at != scores.end()) {
      item.won = to_u16(at->second.wins());
      item.lost = to_u16(at->second.losses());
    }
    teams.teams.push_back(item);
  }
  return teams;
}

/// The message in this dialect.
void add_frames(const Message& message, std::size_t dialect, Buffer& to) {
  DialectTranslator translator(dialect, wire::Way::kToClient);
  const auto codec = make_message_codec(dialect);
  for (const Message& said : translator.say(message)) {
    Buffer frame;
    codec->write(said, wire::Way::kToClient, frame);
    append(to, frame);
  }
}

}  // namespace

Buffer game_of_nobody(std::size_t dialect) {
  Buffer all;
  add_frames(game_answer(core::WorldState(), {}), dialect, all);
  return all;
}

Buffer list_of_nobody(std::size_t dialect) {
  Buffer all;
  PlayersAnswer answer;
  answer.teams = kAnsweredTeams;
  add_frames(answer, dialect, all);
  add_frames(team_answer(core::WorldState(), {}), dialect, all);
  return all;
}

void Queries::hear(const QueryGame&, FrontOut& out) {
  wants_game_ = true;
  out.say(words::Query());
  out.wake(out.now());
}

void Queries::hear(const QueryPlayers&, FrontOut& out) {
  wants_players_ = true;
  words::Query query;
  query.set_kind(words::Query::PLAYERS);
  out.say(query);
  out.wake(out.now());
}

void Queries::answer(FrontOut& out) {
  if (std::exchange(wants_game_, false)) tell_game(out);
  if (std::exchange(wants_players_, false)) tell_players(out);
}

void Queries::tell_game(FrontOut& out) {
  client_.stream(out, game_answer(out.world(), told_players(client_, players_, out)));
}

/// The number, the teams, and then each player, as bzfs answers.
void Queries::tell_players(FrontOut& out) {
  const auto players = told_players(client_, players_, out);
  PlayersAnswer answer;
  answer.teams = kAnsweredTeams;
  answer.players = static_cast<std::uint16_t>(players.size());
  client_.stream(out, answer);
  client_.stream(out, team_answer(out.world(), players));
  for (const auto& [number, state] : players) {
    AddPlayer add;
    add.id = player_id(number);
    add.type = state->player.role() == words::ROBOT ? kRobotPlayer : kTankPlayer;
    add.team = shown_team(state->player);
    add.callsign.set(fitted(ascii(state->player.name()), kLongestName));
    add.motto.set(fitted(state->player.motto(), kLongestText));
    add.wins = to_u16(state->score.wins());
    add.losses = to_u16(state->score.losses());
    add.team_kills = to_u16(state->score.team_kills());
    client_.stream(out, add);
  }
}

}  // namespace entente::bzflag
