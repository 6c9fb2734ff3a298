// Straight shots of other players, and one tank. For a back: which shot hits the tank, if the client does not test this
// itself. For a front: which shot must end early, because the client would wrongly count itself hit.
// Law: if victims decide hits, only the victim's side reports a hit, once. If the server decides, only the server
// does.
#pragma once

#include <array>
#include <vector>

#include "proxy/core/tank/tank.h"
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

/// A shot of another player, with the game's own numbers.
struct Incoming : Flight {
  std::uint32_t shooter = 0, shot = 0, flag = 0;
  bool back_tests = false;  ///< the back must test it: it may hit the tank, and the client does not test it
};

/// The shots that may hit our tank. They are kept for some seconds after their end, because a death may refer to
/// them.
class IncomingShots {
 public:
  /// Adds a shot that flies for `life` seconds (0 to 60), or until a wall if walls stop it; where shots bounce,
  /// until its first wall. Beyond 2'000 shots none is added.
  void watch(Incoming shot, double life, bool passes_walls, const Terrain& terrain, Micros now);
  /// The last shot with these numbers; null if there is none. Valid until the next watch() or forget().
  const Incoming* find(std::uint32_t shooter, std::uint32_t shot) const;
  /// The shot was steered: its new place and flight.
  void steer(std::uint32_t shooter, std::uint32_t shot, const words::ShotMoved& moved, Micros now);
  /// The shot can no longer hit us.
  void mark_harmless(std::uint32_t shooter, std::uint32_t shot);
  void forget(std::uint32_t shooter, std::uint32_t shot);
  /// A shot that met the tank while it moved from `was`, at `since`, to `is`, now; null if none did.
  const Incoming* hit(const TankModel& tank, const TankState& was, const TankState& is, Micros since, Micros now) const;

 private:
  std::vector<Incoming> shots_;
};

}  // namespace entente::core
