// What our client fights with, and how well it is: its trigger, its gun's load, its health.
#pragma once

#include <utility>

#include "adapters/aos/front/cast.h"
#include "proxy/core/arena/guns.h"

namespace entente::aos {

class Arms {
 public:
  Arms(Client& client, Cast& cast) : client_(client), cast_(cast) {}

  void hear(const WeaponInput& input, FrontOut& out);
  void hear(const SetTool& tool, FrontOut& out);
  void hear(const Hit& hit, FrontOut& out);
  void hear(const Grenade& grenade, FrontOut& out);
  void hear(const WeaponReload& reload, FrontOut& out);
  void hear(const words::Health& health, FrontOut& out);
  void hear(const words::Ammo& ammo, FrontOut& out);
  void hear(const words::Shot& shot, FrontOut& out);

  /// It was put into play: it has all there is to have …
  void begin(const Actor& own);
  /// … until it uses something.
  void use() { me_.fresh = false; }
  /// It loads another map.
  void forget() { me_ = {}; }

  void fill_magazine(FrontOut& out);
  void mind_guns(FrontOut& out);
  void feel_mass(FrontOut& out);

 private:
  std::uint32_t room_guns(const FrontOut& out) const;
  bool is_counted(const FrontOut& out) const;
  void fill_clip(FrontOut& out);
  void pull(FrontOut& out);
  void tell_load(std::uint8_t clip, std::uint8_t reserve, FrontOut& out);

  Client& client_;
  Cast& cast_;
  struct Me {
    std::uint32_t shots = 0;
    std::uint8_t hp = 100;
    double most_mass = 0;                          ///< of its cells, in this life
    core::Micros reloaded = 0;                     ///< when its magazine is full again; 0: nobody waits for it
    core::Guns guns;                               ///< of a room in which they load one by one
    std::uint8_t gun = 0;                          ///< of them, that was fired last
    core::Micros pulls_at = 0;                     ///< when its trigger, if it is held, is pulled again
    bool fresh = false;                            ///< just created: it has all there is to have
    std::pair<std::uint8_t, std::uint8_t> load{};  ///< of its gun, as last told: clip and reserve
  };
  Me me_;
};

}  // namespace entente::aos
