// What each flag of the game does: to the shots of its carrier, to those whom they hit, and to a tank that we drive.
// The README's table of flags is made from it.
// Invariant: on the wire, all shots have the speed and the life of a plain one, and every program multiplies them by
// variables (ShotPath.cxx, SegmentedShotStrategy.cxx at v2.4.26). Words have the speed and the life that result.
#pragma once

#include <algorithm>
#include <string>

#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/variables.h"
#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/seconds.h"

namespace entente::bzflag {

struct FlagEffect {
  enum class Walls { kStop, kThrough, kBounce };
  enum class Victim { kDies, kLosesFlag, kIfZoned, kDiesWithTeam };

  std::string_view code, name;
  // Its carrier's shots. The names are of variables that are factors; null: 1.
  words::ShotKind kind = words::BALL;
  const char* shot_speed = nullptr;
  const char* shot_life = nullptr;
  const char* fire_rate = nullptr;
  Walls walls = Walls::kStop;
  Victim victim = Victim::kDies;
  bool goes_on = false;  ///< after it has hit a tank
  bool rolls = false;    ///< its carrier kills tanks by touching them
  // A tank that we drive.
  const char* speed = nullptr;
  const char* turn = nullptr;
  const char* size = nullptr;       ///< of its length and width
  std::string_view carried = {};    ///< what else the flag does to it, for the table
  std::string_view elsewhere = {};  ///< what BZFlag clients show of it and others do not, for the table
};

/// In the order in which clients list them. The first is no flag.
std::span<const FlagEffect> flag_effects();
/// That of no flag for an unknown code.
const FlagEffect& effect_of(std::string_view code);
/// The table of the README, in Markdown.
std::string flags_table();

/// A variable that is a factor; 1 if there is none.
double factor(const char* variable, const Variables& variables);
/// How a shot flies. `ricochet`: all shots bounce here.
core::ShotNature nature_of(const FlagEffect& effect, const Variables& variables, bool ricochet, double range);

/// Metres that a ray reaches: as far as it would fly, but not farther than across the world. It ends before, at the
/// first wall, if the caller knows one.
double ray_range(double speed, double life, double world_size);

/// Makes the flight of a shot on the wire one in words, or the other way round. In words, a shot lives for at most a
/// minute, and no length is negative.
template <class Word>
void fly_in_words(const ShotBegin& begin, const FlagEffect& effect, const Variables& variables, double world_size,
                  Word& word) {
  const double life = core::sane_life(begin.life * factor(effect.shot_life, variables));
  const double faster = factor(effect.shot_speed, variables);
  const double speed = std::hypot(begin.vel[0], begin.vel[1], begin.vel[2]);
  double scale = faster;
  core::set_way(begin.pos, begin.vel, word);
  word.set_kind(effect.kind);
  word.set_life(life);
  if (effect.kind == words::WAVE) {
    scale = 0;
    word.set_range(std::max(0.0F, variables["_shockOutRadius"]));
    if constexpr (requires { word.set_radius(0); }) word.set_radius(std::max(0.0F, variables["_shockInRadius"]));
  } else if (effect.kind == words::RAY) {
    scale = speed > 0 ? 1 / speed : 0;
    word.set_range(ray_range(speed * faster, life, world_size));
  } else if (effect.shot_speed != nullptr) {
    word.set_range(speed * faster * life);
  }
  word.set_vx(scale != 0 ? word.vx() * scale : 0);
  word.set_vy(scale != 0 ? word.vy() * scale : 0);
  word.set_vz(scale != 0 ? word.vz() * scale : 0);
}

template <class Word>
void fly_on_wire(const Word& word, const FlagEffect& effect, const Variables& variables, ShotBegin& begin) {
  double scale = 1 / factor(effect.shot_speed, variables);
  if (effect.kind == words::RAY) {
    const double length = std::hypot(word.vx(), word.vy(), word.vz());
    scale = length > 0 ? variables["_shotSpeed"] / length : 0;
  }
  if (effect.kind == words::WAVE) scale = 0;
  begin.vel = vec3(word.vx() * scale, word.vy() * scale, word.vz() * scale);
  begin.life = to_float(word.life() / factor(effect.shot_life, variables));
}

}  // namespace entente::bzflag
