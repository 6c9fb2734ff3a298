// The flag numbers of a client of a tank game. Tokens have one, and so have units that a tank picks up by driving over
// them. Only the nearest pellets have one.
// Invariant: tokens and units share the numbers below most(), the count that the client was told. A number does not
// change while it is in use.
#pragma once

#include <optional>

#include "proxy/core/gameplay/nearest_pellets.h"
#include "proxy/core/id_map.h"

namespace entente::core {

class FlagNumbers {
 public:
  explicit FlagNumbers(std::uint16_t most) : most_(most) {}

  std::uint16_t most() const { return most_; }
  void set_most(std::uint16_t most) { most_ = most; }

  /// The token's number. A token without one gets a free one. If there is none, a token that is in the game gets that
  /// of one that is not: its state is NOWHERE, or the world does not know it any more. Nothing: there is none.
  std::optional<std::uint16_t> give(Id token, const WorldState& world);
  /// Gives numbers to the tokens that are in the game. For a client that enters: the others get what is left.
  void give_all(const WorldState& world);
  /// Null: it has none.
  const std::uint16_t* of_token(Id token) const { return tokens_.number(token); }
  /// 0: no token has it.
  Id token(std::uint16_t number) const { return tokens_.id(number); }

  /// What to tell the client about a unit.
  struct Pickup {
    std::uint16_t number = 0;
    const UnitState* unit = nullptr;  ///< null: the client must remove it
  };
  struct Seen {
    std::optional<Pickup> pickup;  ///< nothing: there is nothing to tell
    bool no_space = false;
  };
  Seen see(Id unit, const WorldState& world);
  /// Frees the unit's number: the client no longer sees the unit, which may still exist. Nothing if it had no number.
  std::optional<Pickup> drop(Id unit);

  /// Chooses again which pellets the client sees, if it is time; calls `gone(Id)` and `come(Id)` for what changes.
  /// REQUIRES: called at each wake.
  template <class Gone, class Come>
  void refresh_pellets(Id own_unit, FrontOut& out, Gone&& gone, Come&& come) {
    if (!pellets_.refresh(out.world().unit(own_unit), out)) return;
    for (const Id unit : pellets_.gone()) gone(unit);
    for (const Id unit : pellets_.come()) come(unit);
  }
  /// A pellet appeared or disappeared.
  void mark_pellets_changed(FrontOut& out) { pellets_.mark_changed(out); }

  /// All units of kind PICKUP, in the order of their ids.
  static std::vector<Id> all_pickups(const WorldState& world);

 private:
  std::optional<std::uint16_t> free() const;
  std::optional<std::uint16_t> make_free(const WorldState& world);

  std::uint16_t most_;
  IdMap<std::uint16_t> tokens_, pickups_;
  NearestPellets pellets_;
};

}  // namespace entente::core
