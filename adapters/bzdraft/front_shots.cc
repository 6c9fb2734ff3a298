// Shots, both ways. Where the server decides what they hit, our client must not: it would blow itself up. See front.h.
#include <cmath>

#include "adapters/bzdraft/front.h"
#include "proxy/core/seconds.h"

namespace entente::bzdraft {
namespace {

using core::sane_micros, core::seconds;

constexpr double kMuzzleHeight = 1.57;
constexpr double kRaySpeed = 300;  // a ray is everywhere at once; our client is shown a fast ball
/// Around a tank (half of its diagonal is 3.3 m), with what shot and tank move until the client is told.
constexpr double kNear = 8;
constexpr core::Micros kLook = 40 * core::kMillisecond;
constexpr std::size_t kMostShots = 2'000;

}  // namespace

bool FrontSession::victim_decides(Outlet& out) const {
  const auto& rules = out.world().rules();
  const auto at = rules.find("hits");
  return at != rules.end() && at->second == "victim";
}

// -- What our client does ---------------------------------------------------------------------------------------------

void FrontSession::on(const ShotBegin& begin, Outlet& out) {
  if (stage_ != Stage::kIn || !cast_.at(kNumber).alive) return;
  own_.last_shot = begin.shot;
  words::Fire fire;
  fire.set_unit(own_unit());
  fire.set_shot(begin.shot);
  fire.set_weapon(weapon_of(begin.flag));
  fire.set_kind(shot_kind(begin.flag));
  fire.set_x(whole(begin.position[0]));
  fire.set_y(whole(begin.position[1]));
  fire.set_z(whole(begin.position[2]));
  fire.set_vx(whole(begin.velocity[0]));
  fire.set_vy(whole(begin.velocity[1]));
  fire.set_vz(whole(begin.velocity[2]));
  fire.set_life(whole(begin.lifetime));
  fire.set_range(std::hypot(fire.vx(), fire.vy()) * fire.life());
  out.say(fire);
}

/// One of its own, or one that it has found to end in its tank.
void FrontSession::on(const ShotEnd& end, Outlet& out) {
  if (stage_ != Stage::kIn) return;
  words::ShotEndClaim claim;
  claim.set_shooter(end.shooter == kServer ? out.me() : player_of(end.shooter));
  claim.set_shot(end.shot);
  for (const Flying& flying : shots_)
    if (flying.player == end.shooter && flying.number == end.shot) claim.set_shot(flying.shot);
  claim.set_burst(end.reason != 0);
  out.say(claim);
}

void FrontSession::on(const ShotUpdate& update, Outlet& out) {
  if (stage_ != Stage::kIn) return;
  words::ShotMoveClaim claim;
  claim.set_shot(update.shot);
  claim.set_target(player_of(update.target));
  claim.set_x(whole(update.position[0]));
  claim.set_y(whole(update.position[1]));
  claim.set_z(whole(update.position[2]));
  claim.set_vx(whole(update.velocity[0]));
  claim.set_vy(whole(update.velocity[1]));
  claim.set_vz(whole(update.velocity[2]));
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

FrontSession::Flying* FrontSession::find_shot(core::Id shooter, std::uint32_t shot) {
  for (Flying& flying : shots_)
    if (flying.shooter == shooter && flying.shot == shot) return &flying;
  return nullptr;
}

/// As wished if it fits, else a free one of that player.
std::optional<std::uint8_t> FrontSession::shot_number(std::uint8_t player, std::uint32_t wished, Outlet& out) const {
  const auto busy = [&](std::uint32_t number) {
    return std::any_of(shots_.begin(), shots_.end(), [&](const Flying& flying) {
      return flying.player == player && flying.number == number && !flying.ended && flying.until > out.now();
    });
  };
  if (wished < most_shots_ && wished < 256 && !busy(wished)) return static_cast<std::uint8_t>(wished);
  for (std::uint32_t number = 0; number < most_shots_ && number < 256; ++number)
    if (!busy(number)) return static_cast<std::uint8_t>(number);
  return std::nullopt;
}

void FrontSession::told(const words::Shot& shot, const core::Fact&, Outlet& out) {
  std::erase_if(shots_, [&](const Flying& one) { return one.until + core::kSecond < out.now(); });
  const bool mine = shot.shooter() == out.me();
  if (mine && shot.shot() != own_.last_shot) return;  // it has drawn its own already
  const std::uint8_t* known = units_.wire(shot.unit());
  if (known == nullptr) known = players_.wire(shot.shooter());
  if (known == nullptr && shot.shooter() != 0) return out.lose("Shot", "of somebody who is not shown");
  Flying flying;
  flying.player = known != nullptr ? *known : kServer;
  const auto number =
      mine ? std::optional(static_cast<std::uint8_t>(shot.shot())) : shot_number(flying.player, shot.shot(), out);
  if (!number || shots_.size() >= kMostShots) return out.lose("Shot", "more than a client has room for");

  const bool ray = shot.kind() == words::RAY || shot.kind() == words::MELEE;
  const double speed = ray ? kRaySpeed : 1;
  const double life = ray && shot.range() > 0 ? shot.range() / kRaySpeed : shot.life();
  flying.shooter = shot.shooter();
  flying.shot = shot.shot();
  flying.number = *number;
  flying.flag = flag_of(shot);
  flying.x = shot.x();
  flying.y = shot.y();
  flying.z = ray && shot.z() == 0 ? kMuzzleHeight : shot.z();
  flying.vx = shot.vx() * speed;
  flying.vy = shot.vy() * speed;
  flying.vz = shot.vz() * speed;
  flying.began = flying.since = out.now();
  flying.until = out.now() + sane_micros(life);
  flying.decided = !victim_decides(out);
  shots_.push_back(flying);

  ShotBegin begin;
  begin.shooter = flying.player;
  begin.shot = *number;
  begin.position = triple(flying.x, flying.y, flying.z);
  begin.velocity = triple(flying.vx, flying.vy, flying.vz);
  begin.lifetime = thousandths(life);
  begin.flag = flying.flag;
  peer_.send(out, begin);
  spare_own_tank(out);
}

void FrontSession::told(const words::ShotMoved& moved, const core::Fact&, Outlet& out) {
  Flying* flying = find_shot(moved.shooter(), moved.shot());
  if (flying == nullptr) return out.lose("ShotMoved", "of a shot that is not shown");
  flying->x = moved.x();
  flying->y = moved.y();
  flying->z = moved.z();
  flying->vx = moved.vx();
  flying->vy = moved.vy();
  flying->vz = moved.vz();
  flying->since = out.now();
  ShotUpdate update;
  update.shooter = flying->player;
  update.shot = flying->number;
  update.position = triple(moved.x(), moved.y(), moved.z());
  update.velocity = triple(moved.vx(), moved.vy(), moved.vz());
  update.time = thousandths(seconds(flying->began, out.now()));
  update.target = number_of(moved.target(), kServer);
  peer_.send(out, update);
}

void FrontSession::told(const words::ShotEnded& ended, const core::Fact&, Outlet& out) {
  Flying* flying = find_shot(ended.shooter(), ended.shot());
  if (flying == nullptr || std::exchange(flying->ended, true)) return;
  peer_.send(out, ShotEnd{flying->player, flying->number, std::uint8_t{ended.burst()}});
}

/// Ends shots that the server decides about before our client could find itself hit: when they come near its tank, or
/// will before we look again.
void FrontSession::spare_own_tank(Outlet& out) {
  if (own_unit() == 0 || !cast_.at(kNumber).alive) return;
  const words::Pose tank = own_.posed != 0 ? core::place_at(own_.pose, own_.posed, out.now()) : own_.pose;
  bool flying_on = false;
  for (Flying& shot : shots_) {
    if (!shot.decided || shot.ended || shot.player == kNumber || shot.until <= out.now()) continue;
    const double from = seconds(shot.since, out.now()), to = from + seconds(0, 2 * kLook);
    const double ax = shot.x + shot.vx * from - tank.x(), ay = shot.y + shot.vy * from - tank.y();
    const double bx = (shot.vx - tank.vx()) * (to - from), by = (shot.vy - tank.vy()) * (to - from);
    const double length = bx * bx + by * by;
    const double along = length > 0 ? std::clamp(-(ax * bx + ay * by) / length, 0.0, 1.0) : 0;
    if (std::hypot(ax + along * bx, ay + along * by) > kNear) {
      flying_on = true;
      continue;
    }
    shot.ended = true;
    peer_.send(out, ShotEnd{shot.player, shot.number, 0});
  }
  if (flying_on) out.wake(out.now() + kLook);
}

}  // namespace entente::bzdraft
