#include "proxy/core/tank/tank_shots.h"

#include <utility>

#include "proxy/core/drops.h"
#include "proxy/core/seconds.h"

namespace entente::core {

void TankShots::hear(const words::Shot& shot, FrontOut& out) {
  shots_.forget_old(out.now());
  const bool mine = shot.shooter() == out.me();
  if (mine && shot.shot() != drawn_) return;  // it has drawn its own already
  const std::uint8_t* known = numbers_.of(shot.unit(), shot.shooter());
  if (known == nullptr && shot.shooter() != 0) return out.drop(drops::kShooterUnseen);
  const std::uint8_t player = known != nullptr ? *known : world_number_;
  const auto number =
      mine ? std::optional(static_cast<std::uint16_t>(shot.shot())) : number_for(player, shot.shot(), out);
  if (mine) shots_.remove(numbers_.own_number(), *number);  // as the client drew it
  if (!number || shots_.full()) return out.drop(drops::kShotsFull);
  ShownShot flying = shown(shot, out.world(), out.now());
  flying.player = player;
  flying.number = *number;
  flying.at[2] -= out.world().ground_at(flying.at[0], flying.at[1]);
  add_details(flying, shot);
  shots_.add(flying);
  begin(flying, shot, out);
  end_shots_near_own_tank(out);
}

void TankShots::draw_own(std::uint16_t shot, std::uint32_t weapon, double life, const FrontOut& out) {
  drawn_ = shot;
  shots_.forget_old(out.now());
  shots_.remove(numbers_.own_number(), shot);
  if (shots_.full()) return;
  ShownShot flying;
  flying.shooter = out.me();
  flying.shot = flying.number = shot;
  flying.player = numbers_.own_number();
  flying.weapon = weapon;
  flying.since = flying.began = out.now();
  flying.life = sane_life(life);
  flying.until = out.now() + sane_micros(life);
  shots_.add(flying);
}

void TankShots::hear(const words::ShotEnded& ended, FrontOut& out) {
  ShownShot* flying = shots_.find(ended.shooter(), ended.shot());
  if (flying != nullptr && !std::exchange(flying->ended, true)) end(*flying, ended.burst(), out);
}

void TankShots::end_shots_near_own_tank(FrontOut& out) {
  const TankPlayerEntry* own = numbers_.own_entry();
  if (own == nullptr || own->unit == 0 || !own->alive) return;
  for (const ShownShot& shot : shots_.end_near(keeper_.place(out.now()), numbers_.own_number(), out))
    end(shot, false, out);
}

}  // namespace entente::core
