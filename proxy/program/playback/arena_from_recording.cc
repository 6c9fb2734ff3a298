#include "proxy/program/playback/arena_from_recording.h"

#include <algorithm>

#include "proxy/core/world.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/playback/playable.h"
#include "proxy/program/settings/arena_rules.h"

namespace entente {
namespace {

constexpr double kSide = 800;  // metres; for a world without bounds

bool has_hills(const words::World* geometry) { return geometry != nullptr && geometry->kind() == words::World::VOXELS; }

/// A geometry with a flat floor, for an arena. Of a voxel world it keeps only the solids, all moved to z = 0.
words::World ground_of(const words::World* geometry) {
  words::World ground;
  if (geometry != nullptr) ground = *geometry;
  if (has_hills(geometry)) {
    ground = core::flattened(std::move(ground));
    ground.set_kind(words::World::SOLIDS);
    ground.clear_voxels();
    ground.clear_block();
    for (words::Solid& solid : *ground.mutable_solids()) solid.clear_z();
    ground.set_hash("solids-of-" + ground.hash());
  }
  if (ground.east() > ground.west() && ground.north() > ground.south()) return ground;
  core::set_sides(ground, kSide, kSide);
  ground.set_walled(true);
  return ground;
}

/// The unit to continue with if a player has several: the steered one if it is alive, otherwise the first living one.
const core::UnitState* body_of(const core::WorldState& world, const core::PlayerState& player) {
  const core::UnitState* const active = world.unit(player.active);
  if (active != nullptr && active->unit.alive()) return active;
  for (const core::Id id : player.units)
    if (const core::UnitState* unit = world.unit(id); unit != nullptr && unit->unit.alive()) return unit;
  return nullptr;
}

}  // namespace

std::vector<core::SavedPlayer> starts_of(const core::WorldState& world, core::Micros at) {
  std::vector<core::SavedPlayer> starts;
  for (const auto& [id, player] : world.players()) {
    const std::string& name = player.player.name();
    const auto taken = [&](const core::SavedPlayer& start) { return start.name == name; };
    if (player.player.role() == words::WATCH || name.empty() || player.units.empty() ||
        std::any_of(starts.begin(), starts.end(), taken))
      continue;
    core::SavedPlayer start{name, player.player.team(), {}, player.score};
    if (const core::UnitState* body = body_of(world, player))
      start.pose = core::place_at(body->unit.pose(), body->posed_at, at);
    start.score.clear_player();
    starts.push_back(std::move(start));
  }
  return starts;
}

Outcome<core::Arena> open_arena(const config::Arena& settings, std::string* damage) {
  core::Arena arena = arena_of(settings);
  if (settings.from().empty()) return arena;
  const auto at = parse_time(settings.at());
  if (!at) return at.error();
  const auto session =
      open_playable({.input = {.file = settings.from()}, .link = settings.from_link(), .link_option = "from_link"});
  if (!session) return Error{session.error().text};
  const core::Micros length = (*session)->end_time();
  if (damage != nullptr && !(*session)->damage().empty())
    *damage =
        settings.from() + " is damaged and can be read only until " + time_text(length) + ": " + (*session)->damage();
  if (*at > length)
    return Error{"at " + time_text(*at) + " is after the end of " + settings.from() + ", which is " +
                 time_text(length) + " long"};
  core::WorldState world;
  if (const auto gone = (*session)->seek(std::max(*at, (*session)->first()), world); !gone) return gone.error();
  arena.geometry = ground_of(world.geometry());
  arena.starts = starts_of(world, *at);
  if (has_hills(world.geometry()))
    for (core::SavedPlayer& start : arena.starts)
      if (start.pose) start.pose->clear_z();
  return arena;
}

}  // namespace entente
