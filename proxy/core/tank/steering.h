// What a player wants the unit it steers to do, whatever words its game has for it: Step, Toward, Keys or PoseClaim
// become one course, and Fire, Trigger, Split or Eject one wish to shoot. For backs, each of which acts on it in its
// own game's way. Law: only the newest wish of each sort counts; nothing queues up.
#pragma once

#include <optional>

#include "proxy/core/word.h"

namespace entente::core {

/// Where to, seen from where the unit is.
struct Course {
  enum class Kind : std::uint8_t {
    kStay,  ///< no wish, or to stand still
    kGoTo,  ///< steer to x, y
    kBe,    ///< be there: its client has moved it already (`claim` has all of it)
  };
  Kind kind = Kind::kStay;
  double x = 0, y = 0;
  double speed = 1;           ///< of its top speed, 0 to 1
  std::optional<double> yaw;  ///< where it shall look, if that was said
  bool jump = false;
};

/// Metres: who is so near to where he shall go is there.
inline constexpr double kReached = 0.5;

/// One shot that is wished for.
struct Shooting {
  std::optional<double> yaw, pitch;   ///< where to, if that was said; else straight on
  const words::Fire* fire = nullptr;  ///< all of it, if the player's client makes its own shots; until the next word
};

class Steering {
 public:
  /// Takes the word if it steers. True if it did.
  bool hear(const Intent& intent);

  /// For a unit at x, y. A goal within `near` metres is reached: stay.
  Course course(double x, double y, double near = kReached) const;
  /// The last claim, if claims are what steers.
  const words::PoseClaim* claim() const;
  /// The last step, if steps are what steers; stop() forgets it.
  const words::Step* step() const { return std::get_if<words::Step>(&wish_); }
  void stop() { wish_.emplace<std::monostate>(); }
  /// Its player points at where to go, and at the unit itself to stand.
  bool by_mouse() const { return std::holds_alternative<words::Toward>(wish_); }

  /// Whether this word wishes a shot now. A trigger wishes one when it is pressed, and as long as it is held
  /// trigger_held() says so.
  std::optional<Shooting> shooting(const Intent& intent);
  bool trigger_held() const { return trigger_; }
  /// Where keys or a claim look; for held triggers.
  std::optional<double> looking() const;

 private:
  std::variant<std::monostate, words::Step, words::Toward, words::Keys, words::PoseClaim> wish_;
  bool trigger_ = false;
};

/// In [-pi, pi).
double wrap_angle(double angle);

}  // namespace entente::core
