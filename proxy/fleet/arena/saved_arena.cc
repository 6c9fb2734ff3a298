#include "proxy/fleet/arena/saved_arena.h"

#include <set>

#include "proxy/fleet/arena/finite.h"
#include "proxy/fleet/decode.h"

namespace entente::fleet {
namespace {

constexpr Millis kKept = 600'000;
constexpr int kMostPlayers = 10'000, kMostTokens = 2'000;

}  // namespace

StreamOptions saved_arenas(const Subjects& names, std::uint32_t replicas) {
  StreamOptions options;
  options.name = names.saved_arena_stream();
  options.subjects = {names.saved_arena("*")};
  options.keep = kKept;
  options.most_per_subject = 1;
  options.replicas = replicas;
  return options;
}

bus::SavedArena::Player save(const core::WorldState& world, const core::PlayerState& player, core::Micros now) {
  bus::SavedArena::Player saved;
  *saved.mutable_who() = player.player;
  *saved.mutable_score() = player.score;
  const core::UnitState* unit = world.active_unit(player.player.id());
  if (unit == nullptr || !unit->unit.alive()) return saved;
  *saved.mutable_pose() = core::place_at(unit->unit.pose(), unit->posed_at, now);
  saved.set_health(unit->unit.health());
  return saved;
}

core::SavedPlayer start_of(const bus::SavedArena::Player& player) {
  core::SavedPlayer start;
  start.name = player.who().name();
  start.team = player.who().team();
  if (player.has_pose()) start.pose = player.pose();
  start.health = player.health();
  start.score = player.score();
  start.id = player.who().id();
  start.held = !player.node().empty();
  return start;
}

bus::SavedArena save(const core::WorldState& world, core::Micros now,
                     const std::function<void(core::Id, bus::SavedArena::Player&)>& add_client) {
  bus::SavedArena saved;
  for (const auto& [id, state] : world.players()) {
    auto& player = *saved.add_players() = save(world, state, now);
    add_client(id, player);
  }
  for (const auto& [id, token] : world.tokens()) *saved.add_tokens() = token;
  for (const auto& [team, score] : world.team_scores()) *saved.add_teams() = score;
  *saved.mutable_round() = world.round_at(now);
  if (saved.ByteSizeLong() > kMostSaved) saved.clear_players();
  return saved;
}

Outcome<ReadArena> read_arena(Bytes bytes) {
  bus::SavedArena saved;
  if (!decode(bytes, saved)) return Error{"does not decode"};
  if (!has_finite_numbers(saved)) return Error{"has numbers that are not finite"};
  if (saved.players_size() > kMostPlayers || saved.tokens_size() > kMostTokens) return Error{"is too large"};
  ReadArena read;
  std::set<std::string> taken;
  for (const auto& player : saved.players()) {
    core::SavedPlayer start = start_of(player);
    if (start.name.empty() || !taken.insert(start.name).second) continue;
    if (start.held) read.seats[{player.node(), player.run(), player.seat()}] = player;
    read.starts.push_back(std::move(start));
  }
  read.in_play.tokens.assign(saved.tokens().begin(), saved.tokens().end());
  read.in_play.team_scores.assign(saved.teams().begin(), saved.teams().end());
  read.in_play.round = saved.round();
  read.in_play.closed = saved.closed();
  return read;
}

}  // namespace entente::fleet
