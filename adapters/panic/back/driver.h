// Drives and fires the tanks of a back's player: decides which Action to send next, and when. Whatever the player's
// game steers by (steps, a goal, keys, claims of places), the tanks drive one tile at a time.
// Invariant: no Action may abort the released server, which would end the game for everybody. So Actions are only for
// the player's own living tanks, in directions 1 to 4; no shot may leave the map; each tank has one unanswered Action,
// and all tanks together send ten Actions a second.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "adapters/panic/back/battlefield.h"
#include "proxy/core/gameplay/steering.h"
#include "proxy/core/room_member.h"

namespace entente::panic {

struct Order {
  std::uint32_t piece;
  ActionType action;
  Direction direction;
  std::optional<std::uint32_t> shot;  ///< the player's own number for the shot, if it has one
  bool sure = true;                   ///< false: the server may have answered another kind of order instead
};

class Driver {
 public:
  /// `battlefield` outlives it.
  explicit Driver(const Battlefield& battlefield) : battlefield_(battlefield) {}

  void add(std::uint32_t piece) { tanks_[piece]; }
  /// The tank was destroyed, or is not the player's any more: forgets what was wished for it, and ends its shots.
  void remove(std::uint32_t piece, core::BackOut& out);
  void remove_all(core::BackOut& out);
  /// Sets the tank for intents that name no tank. 0: none.
  void set_active(std::uint32_t piece) { active_ = piece; }
  std::uint32_t active() const { return active_; }
  void set_ammo(std::int32_t ammo) { ammo_ = ammo; }

  /// Counts an intent that nobody carries out, and tells a client that has drawn its shot that it has ended.
  static void refuse(const core::Intent& intent, const MappingLine& why, core::BackOut& out);
  /// Whether the intent names its unit.
  static bool names_unit(const core::Intent& intent);
  /// Takes an intent that steers or shoots. False if it does neither.
  bool hear(const core::Intent& intent, core::BackOut& out);
  /// The server moved or turned this tank. Returns the order that it has answered by this; nothing if none was sent.
  std::optional<Order> answered(std::uint32_t piece, Direction direction, bool moved, core::BackOut& out);

  /// What to send now, which counts as sent.
  std::optional<Order> next(core::BackOut& out);
  /// The active tank, if the player's client has claimed it to be elsewhere for too long. Its steering is then
  /// forgotten, so it is returned once. Null: it is where it should be.
  const Piece* astray(core::BackOut& out);

 private:
  struct SentOrder : Order {
    core::Micros sent = 0;
    bool counted = false;  ///< that it has had no answer in time
  };
  struct TankOrders {
    core::Steering steering;
    std::uint64_t step_asked = 0;
    struct Shot {
      Direction direction;
      std::optional<std::uint32_t> number;
      std::uint64_t asked;
    };
    std::optional<Shot> shot;
    std::optional<SentOrder> unanswered;
    std::vector<SentOrder> late;  ///< orders before it that may still be answered, the oldest first
    core::Micros fired = 0;
    std::optional<core::Micros> drove, off_since;
    core::Micros stirred = 0;          ///< when the player's client last moved or turned it
    std::optional<Direction> turned;   ///< the direction in which the server's tank was turned since then
    std::optional<Direction> returns;  ///< the direction in which it must still drive one tile for this
  };
  using OrdersByTank = std::map<std::uint32_t, TankOrders>;

  OrdersByTank::iterator orders_for(const core::Intent& intent);
  static void end_shots(const TankOrders& tank, core::BackOut& out);
  void wish_shot(TankOrders& tank, const Piece& piece, const core::Shooting& shooting, core::BackOut& out);
  Direction ahead(const TankOrders& tank, const Piece& piece) const;
  static void count_unanswered(SentOrder& order, core::BackOut& out);
  static void drop_late(TankOrders& tank, std::size_t count, core::BackOut& out);
  std::optional<Order> next_of(TankOrders& tank, const Piece& piece, core::BackOut& out);
  std::optional<Order> take_shot(TankOrders& tank, const Piece& piece, core::BackOut& out);
  std::optional<Order> take_drive(TankOrders& tank, const Piece& piece, core::BackOut& out);
  std::optional<Direction> way(const Piece& piece, double x, double y) const;
  std::optional<Direction> turn(TankOrders& tank, const Piece& piece, core::BackOut& out) const;
  bool may_send(core::Micros now) const;

  const Battlefield& battlefield_;
  OrdersByTank tanks_;
  std::uint32_t active_ = 0;
  std::int32_t ammo_ = 0;
  std::uint64_t asked_ = 0;
  std::array<core::Micros, 10> sent_{};  // when the last ten Actions went out, in a ring
  std::uint64_t sent_count_ = 0;
};

}  // namespace entente::panic
