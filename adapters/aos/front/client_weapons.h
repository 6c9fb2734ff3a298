// Our client's weapons and health: its trigger, its ammunition, its hits.
#pragma once

#include <utility>

#include "adapters/aos/front/player_table.h"
#include "proxy/core/gameplay/guns.h"

namespace entente::aos {

class ClientWeapons {
 public:
  ClientWeapons(Client& client, PlayerTable& players) : client_(client), players_(players) {}

  void hear(const WeaponInput& input, FrontOut& out);
  void hear(const SetTool& tool, FrontOut& out);
  void hear(const Hit& hit, FrontOut& out);
  void hear(const Grenade& grenade, FrontOut& out);
  void hear(const WeaponReload& reload, FrontOut& out);
  void hear(const words::Health& health, FrontOut& out);
  void hear(const words::Ammo& ammo, FrontOut& out);
  void hear(const words::Shot& shot, FrontOut& out);

  /// Our client was put into play, with full health and ammunition.
  void begin(const PlayerEntry& own);
  /// Our client has used something, so a Restock would no longer be redundant.
  void use() { me_.fresh = false; }
  /// Our client loads another map.
  void forget() { me_ = {}; }

  void fill_magazine(FrontOut& out);
  /// Tells the client how many guns are loaded, then fires one if the trigger is held. A client keeps firing while its
  /// trigger is held and its clip is not empty.
  void mind_guns(FrontOut& out);
  /// Tells the client its health, if it is a cell: its mass as a share of the largest mass of this life.
  void feel_mass(FrontOut& out);

 private:
  std::uint32_t room_guns(const FrontOut& out) const;
  bool is_counted(const FrontOut& out) const;
  void fill_clip(FrontOut& out);
  void pull(FrontOut& out);
  void tell_load(const words::Ammo& ammo, FrontOut& out);
  void tell_load(std::uint8_t clip, std::uint8_t reserve, FrontOut& out);

  Client& client_;
  PlayerTable& players_;
  struct Me {
    std::uint32_t shots = 0;
    std::uint8_t hp = 100;
    double most_mass = 0;                          ///< largest mass of its cells in this life
    core::Micros reloaded = 0;                     ///< when its clip is full again; 0: no reload is under way
    core::GunReloads guns;                         ///< in a room where guns load one by one
    std::uint8_t gun = 0;                          ///< the one of them that was fired last
    core::Micros pulls_at = 0;                     ///< when a held trigger fires next
    bool fresh = false;                            ///< just created, and nothing used since
    std::pair<std::uint8_t, std::uint8_t> load{};  ///< clip and reserve, as last sent
  };
  Me me_;
};

}  // namespace entente::aos
