#include "adapters/bzflag/back/rules.h"

#include <unordered_map>
#include <utility>

#include "adapters/bzflag/wire/dialect.h"
#include "proxy/base/text.h"

namespace entente::bzflag {
namespace {

void tell_rule(const std::string& name, const std::string& value, BackOut& out) {
  words::Rule rule;
  rule.set_name(clean(name));
  rule.set_value(clean(value));
  out.say(std::move(rule));
}

}  // namespace

void ServerRules::learn(const GameSettings& settings, BackOut& out) {
  tank_rules_.size = settings.world_size > 0 && settings.world_size < 1e6F ? settings.world_size : 800;
  words::Room& room = state_.room;
  room.set_game(std::string(kGameName));
  room.set_dialect(std::string(link_.dialect().name));
  room.set_mode(std::string(mode_of(settings.game_type)));
  room.set_most_players(settings.max_players);
  room.set_most_shots(settings.max_shots);
  room.set_jumping((settings.options & kJumping) != 0);
  room.set_ricochet((settings.options & kRicochet) != 0);
  room.set_teams(settings.game_type != 2);
  out.say(room);
  const auto raw = [&](const char* name, double value) {
    tell_rule(std::string("BZFLAG.") + name, shortest(static_cast<float>(value)), out);
  };
  raw("options", settings.options);
  raw("maxFlags", settings.max_flags);
  raw("linearAcceleration", settings.linear_acceleration);
  raw("angularAcceleration", settings.angular_acceleration);
  raw("shakeTimeout", settings.shake_timeout);
  raw("shakeWins", settings.shake_wins);
  tell_rule("hits", "victim", out);
  for (const auto& ruled : ruled_variables())  // the defaults; MsgSetVar arrives only once we are in the game
    tell_rule(ruled.rule, shortest(tank_rules_.variables[ruled.variable]), out);
}

void ServerRules::hear(const SetVar& set, BackOut& out) {
  Variables& variables = tank_rules_.variables;
  std::unordered_map<const char*, float> before;
  for (const auto& ruled : ruled_variables()) before[ruled.rule] = variables[ruled.variable];
  for (const auto& item : set.variables) {
    if (item.name == "poll") continue;  // servers send a pointer in it by mistake
    variables.set(item.name, item.value);
    tell_rule("BZFLAG." + item.name, item.value, out);
  }
  for (const auto& ruled : ruled_variables())
    if (const float now = variables[ruled.variable]; now != before[ruled.rule])
      tell_rule(ruled.rule, shortest(now), out);
}

/// The first one follows the greeting. Another Entente repeats it while our player has to wait.
void ServerRules::hear(const GameTime& time, BackOut& out) {
  if (!state_.in() && std::exchange(knows_time_, true)) out.say(words::WorldProgress());
  words::Clock clock;
  clock.set_us(time.microseconds);
  clock.set_speed(1);
  out.say(clock);
}

void ServerRules::hear(const GameAnswer& answer, BackOut& out) {
  std::uint32_t players = 0;
  for (const std::uint16_t size : answer.sizes) players += size;
  state_.room.set_players(players);
  state_.room.set_watchers(answer.observers);
  state_.room.set_most_players(answer.max_players);
  out.say(state_.room);
}

}  // namespace entente::bzflag
