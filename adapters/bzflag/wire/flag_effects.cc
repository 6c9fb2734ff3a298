#include "adapters/bzflag/wire/flag_effects.h"

#include <cmath>
#include <numbers>

namespace entente::bzflag {
namespace {

using Walls = FlagEffect::Walls;
using Victim = FlagEffect::Victim;

constexpr std::string_view kWindow = "no effect: their clients have another view";
constexpr std::string_view kDriven = "no effect on how the tank drives";
constexpr std::string_view kTeamFlag = "the flag can be captured";

constexpr FlagEffect kEffects[] = {
    {.code = "", .name = "no flag"},
    {.code = "A", .name = "Agility", .carried = kDriven},
    {.code = "B", .name = "Blindness", .carried = kWindow},
    {.code = "B*", .name = "Blue Team", .carried = kTeamFlag},
    {.code = "BU",
     .name = "Burrow",
     .carried = "is 1.32 m below the ground: shots pass above it; a tank that rolls over it kills it",
     .elsewhere = "the tank is below the ground"},
    {.code = "BY", .name = "Bouncy", .carried = kDriven},
    {.code = "CB", .name = "Colorblindness", .carried = kWindow},
    {.code = "CL", .name = "Cloaking", .carried = "rays pass it", .elsewhere = "the tank is visible, as on radar"},
    {.code = "F",
     .name = "Rapid Fire",
     .shot_speed = "_rFireAdVel",
     .shot_life = "_rFireAdLife",
     .fire_rate = "_rFireAdRate"},
    {.code = "FO", .name = "Forward Only", .carried = kDriven},
    {.code = "G", .name = "Genocide", .victim = Victim::kDiesWithTeam},
    {.code = "G*", .name = "Green Team", .carried = kTeamFlag},
    {.code = "GM", .name = "Guided Missile", .kind = words::GUIDED, .shot_life = "_gmAdLife"},
    {.code = "IB", .name = "Invisible Bullet", .elsewhere = "the shots are visible, as out of the window"},
    {.code = "ID", .name = "Identify", .carried = "is told of the closest flag, by a notice"},
    {.code = "JM", .name = "Jamming", .carried = kWindow},
    {.code = "JP", .name = "Jumping", .carried = "can jump"},
    {.code = "L",
     .name = "Laser",
     .kind = words::RAY,
     .shot_speed = "_laserAdVel",
     .shot_life = "_laserAdLife",
     .fire_rate = "_laserAdRate",
     .goes_on = true},
    {.code = "LT", .name = "Left Turn Only", .carried = kDriven},
    {.code = "M", .name = "Momentum", .carried = kDriven},
    {.code = "MG",
     .name = "Machine Gun",
     .shot_speed = "_mGunAdVel",
     .shot_life = "_mGunAdLife",
     .fire_rate = "_mGunAdRate"},
    {.code = "MQ", .name = "Masquerade", .elsewhere = "the tank has its own team's colour"},
    {.code = "N",
     .name = "Narrow",
     .carried = "is hit only within 0.5 m of its length",
     .elsewhere = "the tank is not narrow"},
    {.code = "NJ", .name = "No Jumping", .carried = "cannot jump"},
    {.code = "O", .name = "Obesity", .size = "_obeseFactor", .elsewhere = "the tank is not larger"},
    {.code = "OO", .name = "Oscillation Overthruster", .carried = "no effect: buildings stop it"},
    {.code = "P*", .name = "Purple Team", .carried = kTeamFlag},
    {.code = "PZ",
     .name = "Phantom Zone",
     .walls = Walls::kThrough,
     .victim = Victim::kIfZoned,
     .carried = "no effect: it does not teleport",
     .elsewhere = "the tank is visible; its shots are shown and hit nobody"},
    {.code = "QT", .name = "Quick Turn", .turn = "_angularAd"},
    {.code = "R", .name = "Ricochet", .walls = Walls::kBounce},
    {.code = "R*", .name = "Red Team", .carried = kTeamFlag},
    {.code = "RC", .name = "Reverse Controls", .carried = kDriven},
    {.code = "RO", .name = "Reverse Only", .carried = kDriven},
    {.code = "RT", .name = "Right Turn Only", .carried = kDriven},
    {.code = "SB", .name = "Super Bullet", .walls = Walls::kThrough},
    {.code = "SE", .name = "Seer", .carried = kWindow},
    {.code = "SH", .name = "Shield", .carried = "a shot takes the flag instead of its life"},
    {.code = "SR", .name = "Steamroller", .rolls = true},
    {.code = "ST",
     .name = "Stealth",
     .carried = "guided missiles lose it",
     .elsewhere = "the tank is visible, as out of the window"},
    {.code = "SW", .name = "Shock Wave", .kind = words::WAVE, .shot_life = "_shockAdLife", .goes_on = true},
    {.code = "T", .name = "Tiny", .size = "_tinyFactor", .elsewhere = "the tank is not smaller"},
    {.code = "TH",
     .name = "Thief",
     .kind = words::RAY,
     .shot_speed = "_thiefAdShotVel",
     .shot_life = "_thiefAdLife",
     .fire_rate = "_thiefAdRate",
     .victim = Victim::kLosesFlag,
     .goes_on = true,
     .speed = "_thiefVelAd",
     .size = "_thiefTinyFactor",
     .elsewhere = "the tank is not smaller"},
    {.code = "TR", .name = "Trigger Happy", .carried = "no effect: it fires when its player wants"},
    {.code = "US", .name = "Useless"},
    {.code = "V", .name = "High Speed", .speed = "_velocityAd"},
    {.code = "WA", .name = "Wide Angle", .carried = kWindow},
    {.code = "WG", .name = "Wings", .carried = kDriven},
};

/// A number as people write it: "1.5".
std::string plain(double value) { return shortest(static_cast<float>(std::round(value * 1000) / 1000)); }

void add(std::string& text, const std::string& more) { text += (text.empty() ? "" : "; ") + more; }

std::string shots_of(const FlagEffect& effect, const Variables& variables) {
  const double life = variables["_reloadTime"] * factor(effect.shot_life, variables);
  const double speed = variables["_shotSpeed"] * factor(effect.shot_speed, variables);
  std::string text;
  if (effect.kind == words::WAVE)
    return "a sphere that grows from " + plain(variables["_shockInRadius"]) + " to " +
           plain(variables["_shockOutRadius"]) + " m in " + plain(life) + " s, through everything";
  if (effect.kind == words::RAY)
    text = "a ray of up to " + plain(speed * life) + " m that stays for " + plain(life) + " s";
  if (effect.kind == words::GUIDED)
    text = "turn towards their target by " + plain(variables["_gmTurnAngle"]) + " radians a second; harmless for " +
           plain(variables["_gmActivationTime"]) + " s";
  if (effect.kind == words::BALL && effect.shot_speed != nullptr)
    text = plain(speed) + " m/s for " + plain(life) + " s";
  if (effect.walls == Walls::kThrough) add(text, "pass through buildings");
  if (effect.walls == Walls::kBounce) add(text, "bounce off walls");
  return text.empty() ? "plain" : text;
}

std::string victim_of(const FlagEffect& effect) {
  if (effect.rolls) return "dies, also if the tank touches it";
  switch (effect.victim) {
    case Victim::kLosesFlag:
      return "loses its flag to the shooter";
    case Victim::kIfZoned:
      return "lives";
    case Victim::kDiesWithTeam:
      return "dies, and its team with it";
    default:
      return effect.goes_on ? "dies; the shot goes on" : "dies";
  }
}

std::string shown_of(const FlagEffect& effect) {
  std::string text;
  if (effect.kind == words::RAY) text = "a ray";
  if (effect.kind == words::WAVE) text = "a wave, or an explosion";
  if (effect.kind == words::GUIDED) text = "a ball that turns";
  if (effect.kind == words::BALL && effect.shot_speed != nullptr) text = "a ball at its own speed";
  if (!effect.elsewhere.empty()) add(text, std::string(effect.elsewhere));
  return text;
}

std::string carried_of(const FlagEffect& effect, const Variables& variables) {
  std::string text;
  const auto times = [&](const char* variable, std::string_view what) {
    if (variable != nullptr) add(text, plain(factor(variable, variables)) + " times " + std::string(what));
  };
  times(effect.speed, "the speed");
  times(effect.turn, "the rate of turn");
  times(effect.size, "the length and width");
  times(effect.fire_rate, "the rate of fire");
  if (!effect.carried.empty()) add(text, std::string(effect.carried));
  return text;
}

}  // namespace

std::span<const FlagEffect> flag_effects() { return kEffects; }

const FlagEffect& effect_of(std::string_view code) {
  const auto* at = std::find_if(std::begin(kEffects), std::end(kEffects),
                                [&](const FlagEffect& effect) { return effect.code == code; });
  return at != std::end(kEffects) ? *at : kEffects[0];
}

std::string flags_table() {
  const Variables variables;
  std::string table =
      "| flag | its carrier's shots | a driven tank that they hit | what other games show |"
      " a driven tank that carries it |\n|---|---|---|---|---|\n";
  for (const FlagEffect& effect : kEffects) {
    const std::string code = effect.code.empty() ? "" : "`" + std::string(effect.code) + "` ";
    table += "| " + code + std::string(effect.name) + " | " + shots_of(effect, variables) + " | " + victim_of(effect) +
             " | " + shown_of(effect) + " | " + carried_of(effect, variables) + " |\n";
  }
  return table;
}

double factor(const char* variable, const Variables& variables) {
  if (variable == nullptr) return 1;
  const double value = variables[variable];
  return value > 0 ? value : 1;
}

core::ShotNature nature_of(const FlagEffect& effect, const Variables& variables, bool ricochet, double range) {
  core::ShotNature nature;
  nature.kind = effect.kind;
  nature.through = effect.walls == Walls::kThrough;
  nature.bounces = !nature.through && (ricochet || effect.walls == Walls::kBounce) && effect.kind != words::GUIDED;
  nature.radius = std::max(0.0F, variables["_shockInRadius"]);
  nature.range = range;
  nature.turn_rate = variables["_gmTurnAngle"];
  if (effect.kind == words::GUIDED) nature.harmless_s = variables["_gmActivationTime"];
  return nature;
}

double ray_range(double speed, double life, double world_size) {
  const double across = std::numbers::sqrt2 * std::max(0.0, world_size), far = speed * life;
  return far > 0 ? std::min(far, across) : 0;
}

}  // namespace entente::bzflag
