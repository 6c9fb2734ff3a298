#include "proxy/fleet/arena/saved_arena.h"

#include <set>

#include "proxy/fleet/arena/finite.h"

namespace entente::fleet {
namespace {

constexpr Millis kKept = 600'000;
constexpr int kMostPlayers = 10'000, kMostTokens = 2'000;

}  // namespace

StreamOptions saved_arenas(const Subjects& names, std::uint32_t replicas) {
  StreamOptions options;
  options.name = names.snapshots();
  options.subjects = {names.snapshot("*")};
  options.keep = kKept;
  options.most_per_subject = 1;
  options.replicas = replicas;
  return options;
}

bus::SavedArena save(const core::World& world, core::Micros now, const std::function<SeatOf(core::Id)>& seat_of) {
  bus::SavedArena saved;
  for (const auto& [id, state] : world.players()) {
    auto& player = *saved.add_players();
    *player.mutable_who() = state.player;
    *player.mutable_score() = state.score;
    auto [node, run, seat] = seat_of(id);
    player.set_node(std::move(node));
    player.set_run(run);
    player.set_seat(seat);
    const core::UnitState* unit = world.active_unit(id);
    if (unit == nullptr || !unit->unit.alive()) continue;
    *player.mutable_pose() = core::place_at(unit->unit.pose(), unit->posed_at, now);
    player.set_health(unit->unit.health());
  }
  for (const auto& [id, token] : world.tokens()) *saved.add_tokens() = token;
  for (const auto& [team, score] : world.team_scores()) *saved.add_teams() = score;
  *saved.mutable_round() = world.round_at(now);
  if (saved.ByteSizeLong() > kMostSaved) saved.clear_players();
  return saved;
}

Outcome<ReadArena> read_arena(Bytes bytes) {
  bus::SavedArena saved;
  if (!saved.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Error{"does not decode"};
  if (!has_finite_numbers(saved)) return Error{"has numbers that are not finite"};
  if (saved.players_size() > kMostPlayers || saved.tokens_size() > kMostTokens) return Error{"is too large"};
  ReadArena read;
  std::set<std::string> taken;
  for (auto& player : *saved.mutable_players()) {
    const std::string& name = player.who().name();
    if (name.empty() || !taken.insert(name).second) continue;
    core::ArenaStart start;
    start.name = name;
    start.team = player.who().team();
    if (player.has_pose()) start.pose = player.pose();
    start.health = player.health();
    start.score = player.score();
    start.id = player.who().id();
    start.held = !player.node().empty();
    if (start.held) read.names[{player.node(), player.run(), player.seat()}] = name;
    read.starts.push_back(std::move(start));
  }
  read.in_play.tokens.assign(saved.tokens().begin(), saved.tokens().end());
  read.in_play.team_scores.assign(saved.teams().begin(), saved.teams().end());
  read.in_play.round = saved.round();
  return read;
}

}  // namespace entente::fleet
