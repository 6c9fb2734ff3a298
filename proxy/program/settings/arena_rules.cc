#include "proxy/program/settings/arena_rules.h"

#include <algorithm>
#include <numbers>

#include "proxy/program/base/time_text.h"

namespace entente {
namespace {

double in_seconds(std::uint32_t milliseconds) { return milliseconds / 1000.0; }

core::ArenaMode mode_of(config::Arena::Mode mode) {
  switch (mode) {
    case config::Arena::teams:
      return core::ArenaMode::kTeams;
    case config::Arena::flags:
      return core::ArenaMode::kFlags;
    default:
      return core::ArenaMode::kFreeForAll;
  }
}

core::Behaviour behaviour_of(config::Arena::Behaviour behaviour) {
  switch (behaviour) {
    case config::Arena::idle:
      return core::Behaviour::kIdle;
    case config::Arena::wander:
      return core::Behaviour::kWander;
    default:
      return core::Behaviour::kHunt;
  }
}

}  // namespace

core::Arena arena_of(const config::Arena& settings) {
  core::ArenaRules rules;
  rules.name = settings.name();
  rules.mode = mode_of(settings.mode());
  rules.most_players = settings.seats();
  rules.tank.speed = settings.speed();
  rules.tank.turn_rate = settings.turn_rate() * std::numbers::pi / 180;
  rules.jumping = settings.jumping();
  rules.ricochet = settings.ricochet();
  rules.friendly_fire = settings.friendly_fire();
  rules.health = settings.health();
  rules.ball_damage = settings.ball_damage();
  rules.ball_speed = settings.ball_speed();
  rules.ball_range = settings.ball_range();
  rules.most_balls = settings.balls();
  rules.reload = in_seconds(settings.reload_ms());
  rules.ray_damage = settings.ray_damage();
  rules.ray_range = settings.ray_range();
  rules.grenade_damage = settings.grenade_damage();
  rules.grenade_radius = settings.grenade_radius();
  rules.guided = settings.guided();
  rules.trigger = in_seconds(settings.trigger_ms());
  rules.respawn = in_seconds(settings.respawn_ms());
  rules.round = settings.round_s();
  rules.score_limit = settings.score_limit();
  rules.pause = settings.pause_s();
  rules.lockstep = settings.lockstep();
  return {rules, core::courtyard(settings.side() / 2.0)};
}

core::StandInOptions stand_ins_of(const config::Arena& settings, const std::vector<core::SavedPlayer>& starts) {
  core::StandInOptions options;
  for (const core::SavedPlayer& start : starts) options.names.push_back(start.name);
  options.least = std::min<std::size_t>(std::max<std::size_t>(settings.bots(), starts.size()), settings.seats() - 1);
  options.each.behaviour = behaviour_of(settings.behaviour());
  return options;
}

std::vector<ArenaObjection> objections_to(const config::Arena& settings) {
  std::vector<ArenaObjection> all;
  if (settings.listen().empty()) all.push_back({"listen", "must have at least one URL"});
  if (settings.bots() >= settings.seats())
    all.push_back({"bots", "must be less than seats, so that a person can join"});
  if (settings.lockstep() && (settings.fleet() || settings.watch_size() != 0))
    all.push_back({"lockstep", "needs an arena that is not of the fleet, and has no `watch`"});
  const auto at = parse_time(settings.at());
  if (!at) all.push_back({"at", at.error().text});
  if (at && *at != 0 && settings.from().empty()) all.push_back({"at", "needs 'from', the recording to start from"});
  return all;
}

}  // namespace entente
