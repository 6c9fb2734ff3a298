// Shots, and one tank. For a back: which shot hits the tank, if the client does not test this itself. For a front:
// which shot must end early, because the client would wrongly count itself hit. Invariant: if victims decide hits, only
// the victim's side reports a hit, once. If the server decides, only the server does. A test looks at no more than
// kLegsAtOnce ways between two walls, and starts none after kSolidsAtOnce solids beside them; the rest wait for the
// next test.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "proxy/core/gameplay/tank.h"
#include "proxy/core/world.h"

namespace entente::core {

/// Whether victims report hits, and not the server: the rule "hits".
bool victim_decides(const WorldState& world);

struct Flight {
  std::array<double, 3> at{}, velocity{};  ///< metres, and metres a second, at `since`
  Micros since = 0, until = 0;             ///< when it was at `at`, and when it ends

  /// The flight that a Shot or a ShotMoved describes.
  template <class Word>
  void follow(const Word& word, Micros now) {
    at = {word.x(), word.y(), word.z()};
    velocity = {word.vx(), word.vy(), word.vz()};
    since = now;
  }
  /// The place at a time; before `since`, the place at `since`.
  std::array<double, 3> place(Micros when) const;
};

// -- For a front ------------------------------------------------------------------------------------------------------

/// How often a front checks whether a shot comes near.
inline constexpr Micros kShotLook = 40 * kMillisecond;
/// Whether it is near the tank now, or will be within two checks.
bool comes_near(const Flight& shot, const words::Pose& tank, Micros now);

// -- For a back -------------------------------------------------------------------------------------------------------

/// The radius of a WAVE so many seconds after it began, in metres; never negative.
double wave_radius(const words::Shot& wave, double age);

/// How a shot flies, apart from its speed.
struct ShotNature {
  words::ShotKind kind = words::BALL;
  bool through = false;   ///< solids do not stop it
  bool bounces = false;   ///< off solids, the ground and the walls around the world
  double radius = 0;      ///< of a WAVE: metres, when it begins
  double range = 0;       ///< metres: of a WAVE at its end; of a RAY, the length of its way
  double turn_rate = 0;   ///< of a GUIDED: radians a second
  double harmless_s = 0;  ///< seconds in which it hits nobody yet
};

/// A shot, with the game's own numbers. Its flight is the way to the next wall. Of a RAY, the velocity has length 1.
struct Incoming : Flight {
  std::uint32_t shooter = 0, shot = 0, flag = 0;
  bool back_tests = false;  ///< the back must test it: it may hit the tank, and the client does not test it
  bool own = false;         ///< the tank's own: it hits only after it has bounced
  ShotNature nature;
  Id target = 0;  ///< of a GUIDED: the player whom it follows

 private:
  friend class IncomingShots;
  struct Way {
    std::array<double, 3> from{}, to{};
  };
  Micros began = 0, ends = 0;  // its whole life
  bool traced = false;         // `until` and `wall` are known
  std::optional<Terrain::Strike> wall;
  std::uint32_t bounced = 0;
  double gone = 0;        // of a RAY: metres
  std::vector<Way> beam;  // of a RAY
};

/// The shots that may hit our tank. They are kept for some seconds after their end, because a death may refer to
/// them.
class IncomingShots {
 public:
  static constexpr int kLegsAtOnce = 128;
  static constexpr std::size_t kSolidsAtOnce = 16'384;
  static constexpr std::size_t kMostWays = 2'048;  ///< of all rays; those that find no room wait for the end of others
  static constexpr std::uint32_t kMostBounces = 100;
  static constexpr int kGuidedAtOnce = 64;  ///< the others fly straight on

  /// A step of the tank, and what it drives in.
  struct Step {
    const TankModel& model;
    const Terrain& terrain;
    TankState was, is;
    Micros since = 0, now = 0;
  };

  /// Adds a shot that lives for `life` seconds (0 to 60). False: there are 2'000 shots already.
  bool watch(Incoming shot, double life, Micros now);
  /// The last shot with these numbers; null if there is none. Valid until the next watch() or forget().
  const Incoming* find(std::uint32_t shooter, std::uint32_t shot) const;
  /// As hit(), for one shot alone. For a shot that is to be steered, whose way until now is then forgotten. Between two
  /// calls of hit(), all calls together look at no more than one call of hit() may.
  const Incoming* hit_by(std::uint32_t shooter, std::uint32_t shot, const Step& step,
                         const std::function<bool(const Incoming&)>& counts = {});
  /// The shot was steered: its new place and flight, and whom it follows.
  void steer(std::uint32_t shooter, std::uint32_t shot, const words::ShotMoved& moved, Micros now);
  /// The shot has ended: it can no longer hit us, and follows nobody.
  void mark_harmless(std::uint32_t shooter, std::uint32_t shot);
  void forget(std::uint32_t shooter, std::uint32_t shot);
  void forget_shooter(std::uint32_t shooter);
  /// A shot that hit the tank in this step, and that `counts`; null if none did.
  const Incoming* hit(const Step& step, const std::function<bool(const Incoming&)>& counts = {});
  /// Turns guided shots towards their targets, for the next step: at most kGuidedAtOnce, first those that follow `me`.
  /// `where`: the middle of a player's unit; nothing if it cannot be followed. `turned`: is called for each that has
  /// turned.
  void guide(Id me, Micros now, double dt, const std::function<std::optional<std::array<double, 3>>(Id)>& where,
             const std::function<void(const Incoming&)>& turned);

 private:
  /// What may still be looked at.
  struct Left {
    int legs = kLegsAtOnce;
    std::size_t solids = kSolidsAtOnce;
  };
  static bool may_hit(const Incoming& shot, const Step& step);
  bool hits(Incoming& shot, const Step& step, Left& left);
  static bool wave_hits(const Incoming& shot, const Step& step);
  bool ray_hits(Incoming& shot, const Step& step, Left& left);
  static bool start_leg(Left& left);
  static std::optional<Terrain::Strike> look_ahead(const Incoming& shot, double most, const Terrain& terrain,
                                                   Left& left);
  static void trace(Incoming& shot, const Terrain& terrain, Left& left);
  void free_ended_beams(Micros now);
  static bool bounce(Incoming& shot);
  static void turn(Incoming& shot, const std::array<double, 3>& goal, Micros now, double dt);

  std::vector<Incoming> shots_;
  Left left_of_steered_;  // for hit_by()
  std::size_t ways_ = 0;  // of all rays
};

}  // namespace entente::core
