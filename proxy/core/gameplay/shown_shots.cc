#include "proxy/core/gameplay/shown_shots.h"

#include <algorithm>

#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

constexpr double kRaySpeed = 300;  // metres a second
constexpr std::size_t kMostShown = 2'000;

Micros old_at(const ShownShot& shot) { return shot.until + kSecond; }

/// A number is given again while the last shot that had it is still known, so only the newest one counts.
template <class Shots, class Wanted>
auto last_of(Shots& shots, Wanted&& wanted) -> decltype(shots.data()) {
  const auto at = std::find_if(shots.rbegin(), shots.rend(), wanted);
  return at != shots.rend() ? &*at : nullptr;
}

}  // namespace

ShownShot shown(const words::Shot& shot, const WorldState& world, Micros now) {
  ShownShot flying;
  flying.shooter = shot.shooter();
  flying.shot = shot.shot();
  flying.began = now;
  flying.life = shot.life();
  flying.decided = !victim_decides(world);
  flying.follow(shot, now);
  if (shot.kind() == words::RAY || shot.kind() == words::MELEE) {
    for (double& component : flying.velocity) component *= kRaySpeed;
    if (shot.range() > 0) flying.life = shot.range() / kRaySpeed;
  }
  flying.until = now + sane_micros(flying.life);
  return flying;
}

bool ShownShots::full() const { return shots_.size() >= kMostShown; }

ShownShot* ShownShots::find(Id shooter, std::uint32_t shot) {
  return last_of(shots_, [&](const ShownShot& one) { return one.shooter == shooter && one.shot == shot; });
}

const ShownShot* ShownShots::find(Id shooter, std::uint32_t shot) const {
  return last_of(shots_, [&](const ShownShot& one) { return one.shooter == shooter && one.shot == shot; });
}

const ShownShot* ShownShots::numbered(std::uint8_t player, std::uint16_t number) const {
  return last_of(shots_, [&](const ShownShot& one) { return one.player == player && one.number == number; });
}

bool ShownShots::busy(std::uint8_t player, std::uint32_t slot, Micros now) const {
  return std::any_of(shots_.begin(), shots_.end(), [&](const ShownShot& flying) {
    return flying.player == player && (flying.number & 0xffU) == slot && !flying.ended && flying.until > now;
  });
}

ShownShot* ShownShots::oldest(std::uint8_t player) {
  const auto at = std::find_if(shots_.begin(), shots_.end(),
                               [&](const ShownShot& shot) { return shot.player == player && !shot.ended; });
  return at != shots_.end() ? &*at : nullptr;
}

void ShownShots::remove(std::uint8_t player, std::uint16_t number) {
  std::erase_if(shots_, [&](const ShownShot& shot) { return shot.player == player && shot.number == number; });
}

void ShownShots::add(const ShownShot& shot) {
  next_old_ = shots_.empty() ? old_at(shot) : std::min(next_old_, old_at(shot));
  shots_.push_back(shot);
}

void ShownShots::forget_old(Micros now) {
  if (now <= next_old_) return;
  std::erase_if(shots_, [&](const ShownShot& shot) { return old_at(shot) < now; });
  next_old_ = now;
  const auto sooner = [](const ShownShot& a, const ShownShot& b) { return a.until < b.until; };
  const auto next = std::min_element(shots_.begin(), shots_.end(), sooner);
  if (next != shots_.end()) next_old_ = old_at(*next);
}

std::vector<ShownShot> ShownShots::end_near(const words::Pose& tank, std::uint8_t own, FrontOut& out) {
  std::vector<ShownShot> near;
  bool flying_on = false;
  for (ShownShot& shot : shots_) {
    if (!shot.decided || shot.ended || shot.player == own || shot.until <= out.now()) continue;
    shot.ended = comes_near(shot, tank, out.now());
    flying_on |= !shot.ended;
    if (shot.ended) near.push_back(shot);
  }
  if (flying_on) out.wake(out.now() + kShotLook);
  return near;
}

}  // namespace entente::core
