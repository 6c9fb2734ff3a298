// A player's own tanks, driven by wishes: which Action to send next, and when. What its game had for a wish (a step, a
// goal, keys, a place claimed) becomes one tile at a time.
// Law: a good citizen of the released server, which an Action too much aborts for all: only living tanks of its own,
// directions 1 to 4, no shot that may leave the map, one unanswered Action for each tank, ten a second for all.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "adapters/panic/back/field.h"
#include "proxy/core/room_member.h"
#include "proxy/core/tank/steering.h"

namespace entente::panic {

struct Order {
  std::uint32_t piece;
  ActionType action;
  Direction direction;
  std::uint32_t shot;  ///< the player's own number for it, if it has one
};

class Driver {
 public:
  /// `field` outlives it.
  explicit Driver(const Field& field) : field_(field) {}

  void add(std::uint32_t piece) { wheels_[piece]; }
  /// Destroyed: what was wished for it is forgotten.
  void remove(std::uint32_t piece) { wheels_.erase(piece); }
  void remove_all() { wheels_.clear(); }
  /// The one that words which name none are about. 0: none.
  void set_active(std::uint32_t piece) { active_ = piece; }
  std::uint32_t active() const { return active_; }
  void set_ammo(std::int32_t ammo) { ammo_ = ammo; }

  /// Whether the word says itself which unit it is about.
  static bool names_unit(const core::Intent& intent);
  /// Takes a word that steers or shoots. False if it does neither.
  bool hear(const core::Intent& intent, core::BackOut& out);
  /// The server moved or turned this tank: what it was asked, if it was asked anything.
  std::optional<Order> answered(std::uint32_t piece);

  /// What to send now, which counts as sent.
  std::optional<Order> next(core::BackOut& out);
  /// The active tank, if its player's own client has long had it elsewhere. Asked once, said once.
  const Piece* astray(core::BackOut& out);

 private:
  struct Wheel {
    core::Steering steering;
    std::uint64_t step_asked = 0;
    struct Shot {
      Direction direction;
      std::uint32_t number;
      std::uint64_t asked;
    };
    std::optional<Shot> shot;
    std::optional<Order> unanswered;
    core::Micros sent = 0, fired = 0;
    std::optional<core::Micros> drove, off_since;
    core::Micros stirred = 0;          ///< when its player's own client last had it move or turn
    std::optional<Direction> turned;   ///< where it was turned to since …
    std::optional<Direction> returns;  ///< … and has yet to drive for that
  };
  using Wheels = std::map<std::uint32_t, Wheel>;

  Wheels::iterator wheel_for(const core::Intent& intent);
  void wish_shot(Wheel& wheel, const Piece& piece, const core::Shooting& shooting);
  Direction ahead(const Wheel& wheel, const Piece& piece) const;
  std::optional<Order> next_of(Wheel& wheel, const Piece& piece, core::BackOut& out);
  std::optional<Order> take_shot(Wheel& wheel, const Piece& piece, core::BackOut& out);
  std::optional<Order> take_drive(Wheel& wheel, const Piece& piece, core::BackOut& out);
  std::optional<Direction> way(const Piece& piece, double x, double y) const;
  std::optional<Direction> turn(Wheel& wheel, const Piece& piece, core::BackOut& out) const;
  bool may_send(core::Micros now) const;

  const Field& field_;
  Wheels wheels_;
  std::uint32_t active_ = 0;
  std::int32_t ammo_ = 0;
  std::uint64_t asked_ = 0;
  std::array<core::Micros, 10> sent_{};  // when the last ten Actions went out, in a ring
  std::uint64_t sent_count_ = 0;
};

}  // namespace entente::panic
