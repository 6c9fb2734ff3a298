// Shots on their straight ways, as others fired them, and one tank: which shot hit it, where its player's client does
// not look; which must be gone before it comes near, where a client would find itself hit and must not.
// Law: where the victim decides, its own side tells of a hit, once; where the server does, nobody but he.
#pragma once

#include <array>
#include <vector>

#include "proxy/core/tank/tank.h"
#include "proxy/core/world.h"

namespace entente::core {

/// Whether here the one that is hit says so, and not the server: the rule "hits".
bool victim_decides(const World& world);

struct Flight {
  std::array<double, 3> at{}, velocity{};  ///< metres, and metres a second, at `since`
  Micros since = 0, until = 0;             ///< when it was there, and when it is over

  /// As a Shot or a ShotMoved says that it flies from now on.
  template <class Word>
  void follow(const Word& word, Micros now) {
    at = {word.x(), word.y(), word.z()};
    velocity = {word.vx(), word.vy(), word.vz()};
    since = now;
  }
  /// Before `since`, where it was then.
  std::array<double, 3> place(Micros when) const;
};

// -- For a front ------------------------------------------------------------------------------------------------------

/// How often a front looks whether a shot comes near.
inline constexpr Micros kShotLook = 40 * kMillisecond;
/// Whether it is near the tank, that was there now, or will be before the next look but one.
bool comes_near(const Flight& shot, const words::Pose& tank, Micros now);

// -- For a back -------------------------------------------------------------------------------------------------------

/// A shot of somebody else's, in the game's own numbers.
struct Incoming : Flight {
  std::uint32_t shooter = 0, shot = 0, flag = 0;
  bool ours = false;  ///< to test: our client does not, and it may hurt us
};

/// Those that may hit our tank. They are kept for some seconds when they are over, because a death may name them.
class IncomingShots {
 public:
  /// It flies on for `life` seconds (0 to 60), or until it hits a wall, if walls stop it; where shots bounce we believe
  /// none after its first. Beyond 2'000 none is taken.
  void watch(Incoming shot, double life, bool passes_walls, const Terrain& terrain, Micros now);
  /// The last of these numbers; null if there is none. Until the next watch() or forget().
  const Incoming* find(std::uint32_t shooter, std::uint32_t shot) const;
  /// It was steered: where it is now, and how it flies.
  void steer(std::uint32_t shooter, std::uint32_t shot, const words::ShotMoved& moved, Micros now);
  /// It hits us no more.
  void spare(std::uint32_t shooter, std::uint32_t shot);
  void forget(std::uint32_t shooter, std::uint32_t shot);
  /// One of ours that met the tank while that moved from `was`, at `since`, to `is`, now; null if none did.
  const Incoming* hit(const TankModel& tank, const TankState& was, const TankState& is, Micros since, Micros now) const;

 private:
  std::vector<Incoming> shots_;
};

}  // namespace entente::core
