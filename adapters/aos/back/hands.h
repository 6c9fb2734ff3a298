// The hands of the back's own player: the buttons, tools, blocks and grenades that its client uses, and what is left of
// its ammunition.
// Invariant: nothing is sent that makes a real server refuse or ban the player.
#pragma once

#include "adapters/aos/back/man.h"

namespace entente::aos {

class Hands {
 public:
  Hands(Server& server, ServerPlayers& players, const Man& man) : server_(server), players_(players), man_(man) {}

  /// `plays`: false for a spectator.
  void begin_life(bool plays, std::uint8_t weapon, BackOut& out);
  /// The next map comes.
  void forget();
  std::uint8_t tool() const { return life_.tool; }
  std::uint32_t colour() const { return colour_; }
  std::uint8_t clip() const { return life_.clip; }
  std::uint8_t reserve() const { return life_.reserve; }
  bool aiming() const { return life_.tool == kGun && (life_.buttons_sent & kSecondary) != 0; }

  void hear(const WeaponReload& reload, BackOut& out);
  void hear(const Restock& restock, BackOut& out);
  /// From a client of this game, which fires by itself.
  void hear(const words::Trigger& trigger, BackOut& out);
  void hear(const words::Reload&, BackOut& out) { reload(out); }
  void hear(const words::Tool& tool, BackOut& out);
  void hear(const words::HitClaim& claim, BackOut& out);
  void hear(const words::Edit& edit, BackOut& out);
  void hear(const words::Change& change, BackOut& out);
  /// Becomes a spectator.
  void watch(BackOut& out);
  void throw_grenade(const words::Fire& fire, BackOut& out);
  void reload(BackOut& out);
  void tell_ammo(BackOut& out);
  void spend_blocks(std::size_t count);

  // For the shots that the player's client does not fire itself.
  /// Null: the gun may be fired now.
  const MappingLine* why_not_fire(const BackOut& out) const;
  void aim(BackOut& out);
  void pull(BackOut& out);
  /// Releases the trigger, some time after it was pulled.
  void release_trigger(BackOut& out);
  /// Whether to tell the player now that no rounds are left. Not too often.
  bool may_complain(const BackOut& out);

 private:
  void ask_team(std::uint8_t team, core::Micros patience, BackOut& out);
  void hold(std::uint8_t tool, BackOut& out);
  void press(std::uint8_t buttons, BackOut& out);

  Server& server_;
  ServerPlayers& players_;
  const Man& man_;
  std::uint32_t colour_ = kPlainColour;
  core::Micros edits_at_ = 0;  ///< 0: nothing was edited yet

  struct Life {
    std::uint8_t buttons_sent = 0, tool = kGun;
    std::uint8_t weapon = 0;  ///< the kind of gun, as last told to the room, also by an earlier life
    std::uint8_t clip = 0, reserve = 0, blocks = 0, grenades = 0;
    core::Micros reloads_until = 0, fires_at = 0, releases_at = 0;
    core::Micros throws_from = 0;  ///< the earliest time of the next grenade
    core::Micros empty_told = 0;   ///< when the player was told that the gun is empty; 0: not since it had rounds
  };
  Life life_;
};

/// Tells the room how fast this gun loads, so that clients of other games fire no faster.
void tell_gun(std::uint8_t weapon, BackOut& out);

}  // namespace entente::aos
