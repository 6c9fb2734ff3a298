// The shots that may hit a back's own tank, on a server where victims report hits.
// Invariant: a hit is reported once, by the back or by the player's client, never by both.
#pragma once

#include <optional>
#include <utility>

#include "proxy/core/drops.h"
#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/tank/driven_tank.h"
#include "proxy/core/tank/shot_numbers.h"

namespace entente::core {

class TankHits {
 public:
  /// Whether a shot met the tank in this step.
  void test(const DrivenTank::TimeStep& step, BackOut& out);
  /// The server has not confirmed that the tank died. At first, tells the server again, in a way that it cannot refuse;
  /// then assumes the death.
  void death_late(int times, BackOut& out);
  /// Tells the server that the tank is dead, in a way that it cannot refuse. A server that knows it ignores this.
  virtual void tell_dead(BackOut& out) = 0;
  /// Our tank fires the shot that has these numbers.
  void fired(std::uint32_t in_room, std::uint16_t on_server) { own_numbers_.begin(in_room, on_server); }

 protected:
  TankHits(JoinState& state, TankOnServer& tank) : state_(state), tank_(tank) {}
  ~TankHits() = default;

  /// The room's number for a shot of this player, given the server's, and the other way round. Nothing: the shot is
  /// not known any more, and another one has its number.
  std::optional<std::uint32_t> number_in_room(std::uint8_t shooter, std::uint16_t shot) const {
    return shooter == state_.number ? own_numbers_.in_room(shot) : shot;
  }
  std::optional<std::uint16_t> number_on_server(std::uint8_t shooter, std::uint32_t shot) const {
    return shooter == state_.number ? own_numbers_.on_server(shot) : static_cast<std::uint16_t>(shot);
  }
  /// The server's number for the shot of a claim. Nothing: as above, or it is above `most`; the claim is then dropped.
  template <class Claim>
  std::optional<std::uint16_t> number_for(std::uint8_t shooter, const Claim& claim, BackOut& out,
                                          std::uint16_t most = UINT16_MAX) const {
    const auto number = number_on_server(shooter, claim.shot());
    if (number && *number <= most) return number;
    out.drop(drops::kShotNumberGone, claim);
    return std::nullopt;
  }
  /// Tells the room about a shot of this player. `word`: has the server's number for the shot.
  template <class Word>
  void tell_shot(std::uint8_t shooter, Word word, BackOut& out) const {
    const auto number = number_in_room(shooter, static_cast<std::uint16_t>(word.shot()));
    if (!number) return out.drop(drops::kShotNumberTaken, word);
    word.set_shot(*number);
    out.say(std::move(word));
  }

  /// A shot begins. `shot`: has the server's number; `weapon`: the game's number; `harmless`: it cannot hurt us.
  void watch(std::uint8_t shooter, const words::Shot& shot, std::uint32_t weapon, const ShotNature& nature, double life,
             bool harmless, BackOut& out);
  /// A shot is steered, after a test of its way until now. `moved`: has the server's number for the shot.
  void steer(std::uint8_t shooter, const words::ShotMoved& moved, BackOut& out);
  /// The tank is dead, as far as we know. The server must confirm it.
  void claim_death(words::Died died, BackOut& out);
  /// Whether this shot, which met the tank, does anything to it.
  virtual bool counts(const Incoming&, const BackOut&) const { return true; }
  /// Tells the server that this shot hit the tank. Returns how it died; nothing: it lives.
  virtual std::optional<words::Died> tell_hit(const Incoming& shot, BackOut& out) = 0;
  /// The tank was not shot in this step. Looks for what else kills it.
  virtual void look_around(const DrivenTank::TimeStep&, BackOut&) {}
  /// The server has not contradicted that our tank died like this.
  virtual void assume_dead(const words::Died& died, BackOut& out) = 0;

  JoinState& state_;
  TankOnServer& tank_;
  IncomingShots incoming_;

 private:
  bool may_test() const { return !state_.client_decides() && !tank_.may_be_paused(); }
  void tell(const Incoming& hit, BackOut& out);

  words::Died claimed_;
  ShotNumbers own_numbers_;
};

}  // namespace entente::core
