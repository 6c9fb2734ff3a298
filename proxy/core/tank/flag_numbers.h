// The numbers by which a client of a tank game knows its flags: tokens, and units that lie there for who drives upon
// them, of the smallest of which only the nearest are told of.
// Law: one space of numbers, none beyond what the client was told there is; whoever has one keeps it.
#pragma once

#include <optional>

#include "proxy/core/litter.h"
#include "proxy/core/roster.h"

namespace entente::core {

class FlagNumbers {
 public:
  explicit FlagNumbers(std::uint16_t most) : most_(most) {}

  std::uint16_t most() const { return most_; }
  void set_most(std::uint16_t most) { most_ = most; }

  /// That token's: a free one if it has none yet; nothing if none is left.
  std::optional<std::uint16_t> give(Id token);
  /// Null: it has none.
  const std::uint16_t* of_token(Id token) const { return tokens_.wire(token); }
  /// 0: no token has it.
  Id token(std::uint16_t number) const { return tokens_.id(number); }

  /// What the client is to be told of a unit.
  struct Pickup {
    std::uint16_t number = 0;
    const UnitState* lies = nullptr;  ///< null: it does not, any more
  };
  struct Seen {
    std::optional<Pickup> pickup;  ///< nothing: it never lay there
    bool no_room = false;
  };
  Seen see(Id unit, const World& world);
  /// It may still lie there, but the client is told no more of it.
  std::optional<Pickup> drop(Id unit);

  /// Which of the smallest are told of, once in a while: calls `gone(Id)` and `come(Id)`. REQUIRES: asked at each wake.
  template <class Gone, class Come>
  void look_about(Id own_unit, FrontOut& out, Gone&& gone, Come&& come) {
    if (!litter_.look_about(out.world().unit(own_unit), out)) return;
    for (const Id unit : litter_.gone()) gone(unit);
    for (const Id unit : litter_.come()) come(unit);
  }
  /// Something small came or went somewhere.
  void stir(FrontOut& out) { litter_.stir(out); }

  /// What lies there in the world, but for the smallest.
  static std::vector<Id> all_pickups(const World& world);

 private:
  std::optional<std::uint16_t> free() const;

  std::uint16_t most_;
  Roster<std::uint16_t> tokens_, pickups_;
  Litter litter_;
};

}  // namespace entente::core
