// What a player wants the steered unit to do, whatever words the player's game uses: Step, Toward, Keys or PoseClaim
// become one course; Fire, Trigger, Split or Eject become one request to shoot. Backs carry these out in their own
// game's way.
// Invariant: only the newest request of each kind counts; nothing queues up.
#pragma once

#include <optional>

#include "proxy/core/word.h"

namespace entente::core {

/// The course from the unit's place.
struct Course {
  enum class Kind : std::uint8_t {
    kStay,  ///< no request, or stand still
    kGoTo,  ///< steer to x, y
    kBe,    ///< be there: the client has already moved it (`claim` has the details)
  };
  Kind kind = Kind::kStay;
  double x = 0, y = 0;
  double speed = 1;           ///< of its top speed, 0 to 1
  std::optional<double> yaw;  ///< direction to look in, if given
  bool jump = false;
};

/// In metres: within this distance a unit has arrived.
inline constexpr double kReached = 0.5;

/// A request for one shot.
struct Shooting {
  std::optional<double> yaw, pitch;  ///< direction, if given; otherwise straight ahead
  const words::Fire* fire =
      nullptr;  ///< the whole shot, if the player's client makes its own; valid until the next word
};

class Steering {
 public:
  /// Takes the word if it is about steering. True if so.
  bool hear(const Intent& intent);

  /// The course for a unit at x, y. A goal within `near` metres is reached: stay.
  Course course(double x, double y, double near = kReached) const;
  /// The last claim, if the player steers by claims.
  const words::PoseClaim* claim() const;
  /// The last step, if the player steers by steps; stop() forgets it.
  const words::Step* step() const { return std::get_if<words::Step>(&wish_); }
  /// A player who steers by claims looks there; the next claim may come later.
  void look(double yaw) {
    if (auto* pose = std::get_if<words::PoseClaim>(&wish_)) pose->set_yaw(yaw);
  }
  void stop() { wish_.emplace<std::monostate>(); }
  /// Whether the player points at a goal, and at the unit itself to stand.
  bool by_mouse() const { return std::holds_alternative<words::Toward>(wish_); }

  /// Whether this word asks for a shot now, of a unit at x, y (metres). A trigger does when it is pressed, and while
  /// held as long as trigger_held() is true. A Split or an Eject is a shot at the mouse, as in Ogar: its player does
  /// not see where the gun points.
  std::optional<Shooting> shooting(const Intent& intent, double x, double y);
  bool trigger_held() const { return trigger_; }
  /// The direction of keys or a claim; for held triggers.
  std::optional<double> looking() const;

 private:
  std::optional<double> pointing(double x, double y) const;

  std::variant<std::monostate, words::Step, words::Toward, words::Keys, words::PoseClaim> wish_;
  bool trigger_ = false;
};

/// In [-pi, pi).
double wrap_angle(double angle);

}  // namespace entente::core
