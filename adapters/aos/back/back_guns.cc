// The shots of our man where its player's client makes none of its own: the ray is traced on the map, and a hit is
// reported if it met somebody, as honest clients do. See back.h.
#include <cmath>
#include <numbers>

#include "adapters/aos/back/back.h"
#include "adapters/aos/losses.h"
#include "proxy/core/arena/guns.h"
#include "proxy/core/seconds.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::micros, core::Micros;

constexpr Micros kPress = 60 * kMillisecond;     // a trigger pulled once
constexpr Micros kLooksOn = 300 * kMillisecond;  // along a shot
constexpr double kMargin = 1.1;                  // of the time between two shots: servers drop what comes early
constexpr Micros kTellEmpty = 10 * core::kSecond;
constexpr std::uint8_t kShotgun = 2;

/// How far a pellet strays from where one aims, as real clients let it, and how many there are.
struct Spread {
  float stray;
  int pellets;
};
constexpr Spread kSpreads[] = {{0.006F, 1}, {0.012F, 1}, {0.024F, 8}};

constexpr float kAimsWithin = 45 * std::numbers::pi_v<float> / 180;  // of aim=auto, to either side
constexpr float kAimsAsFar = 96;                                     // blocks
constexpr float kTrunk = 0.6F;                                       // below the eyes

}  // namespace

void BackSession::wish_shot(const core::Shooting& shooting, Outlet& out) {
  const Mapping* why = may_act() ? why_not_shoot(out) : &loss::kFireNotInPlay;
  const double ahead = std::atan2(-own_.look[1], own_.look[0]);
  const double level = std::atan2(-own_.look[2], std::hypot(own_.look[0], own_.look[1]));
  const double yaw = shooting.yaw.value_or(ahead), pitch = shooting.pitch.value_or(shooting.yaw ? 0 : level);
  if (why == nullptr && (!std::isfinite(yaw) || !std::isfinite(pitch))) why = &loss::kFireNotFinite;
  if (why != nullptr) {
    core::refuse_shot(shooting, out.me(), *why, out);
    return tell_empty(out);
  }
  shoot(yaw, pitch, out);
  keep_alive(out);
}

/// Null: the gun may be fired now. A magazine is filled as soon as it is empty; while shells go in one by one, what is
/// in can be fired.
const Mapping* BackSession::why_not_shoot(Outlet& out) const {
  if (own_.clip == 0 && own_.reserve == 0) return &loss::kNoRounds;
  const bool loads = own_.clip == 0 || people_.at(number_).weapon != kShotgun;
  if (out.now() < own_.reloads_until && loads) return &loss::kReloading;
  if (own_.clip == 0) return &loss::kClipEmpty;
  return out.now() < own_.fires_at ? &loss::kNextRound : nullptr;
}

/// Says where there are more rounds, to who has pulled in vain.
void BackSession::tell_empty(Outlet& out) {
  if (!may_act() || own_.clip != 0) return;
  if (own_.reserve != 0) return reload(out);
  if (own_.empty_told != 0 && out.now() < own_.empty_told + kTellEmpty) return;
  own_.empty_told = std::max<Micros>(out.now(), 1);
  words::Notice notice;
  notice.set_level(words::Notice::WARNING);
  notice.set_text("no rounds left: your side's tent has more, and so has the next life");
  const words::Token& tent = things_[kTentObject + find(number_)->team];
  if (tent.state() == words::Token::GROUND)
    notice.set_text("no rounds left: your side's tent has more, " + way_to(tent) + "; and so has the next life");
  out.say({out.me(), notice});
}

/// "120 metres to the north-east".
std::string BackSession::way_to(const words::Token& token) const {
  static constexpr const char* kWays[] = {"east", "north-east", "north", "north-west",
                                          "west", "south-west", "south", "south-east"};
  const Point here = point_of(own_.body.position);
  const double dx = token.x() - here.x, dy = token.y() - here.y;
  const auto eighth = static_cast<int>(std::lround(std::atan2(dy, dx) / (std::numbers::pi / 4)));
  return std::to_string(std::lround(std::hypot(dx, dy))) + " metres to the " + kWays[(eighth + 8) % 8];
}

/// While it is held, as fast as the gun loads; and let go of.
void BackSession::mind_trigger(Outlet& out) {
  if (own_.releases_at != 0 && out.now() >= own_.releases_at) {
    own_.releases_at = 0;
    press(own_.buttons_sent & kSecondary, out);
  }
  if (plays_itself() || !steering_.trigger_held()) return;
  if (why_not_shoot(out) != nullptr) return tell_empty(out);
  const double level = std::atan2(-own_.look[2], std::hypot(own_.look[0], own_.look[1]));
  shoot(steering_.looking().value_or(std::atan2(-own_.look[1], own_.look[0])), level, out);
}

/// What others' guns are told to be, so that they load no faster than ours is fired.
void BackSession::tell_gun(std::uint8_t weapon, Outlet& out) {
  constexpr double kSlower = 1.2;  // than the server loads it: a client's shots do not come at even times
  const Gun& full = gun(weapon);
  const double interval = full.interval_s * kSlower, range = double{kSightRange} * kMetresPerBlock;
  const double refill = weapon == kShotgun ? full.reload_s * full.clip : full.reload_s;
  tell_rule("reload", number_text(interval), out);
  tell_rule("refill", number_text(refill * kSlower), out);
  tell_rule("shot_speed", number_text(range / interval), out);  // a ray: it is there before the next
}

/// Looks, pulls, hits, in this order: so servers take it. REQUIRES: it may.
void BackSession::shoot(double yaw, double pitch, Outlet& out) {
  const std::uint8_t weapon = find(number_)->weapon;
  own_.fires_at = out.now() + micros(gun(weapon).interval_s * kMargin);
  own_.reloads_until = 0;
  hold(kGun, out);
  own_.look = auto_aim_ ? aimed(yaw, pitch) : orientation_of(yaw, pitch);
  own_.look_until = out.now() + kLooksOn;
  const auto keys = static_cast<std::uint8_t>(own_.keys_sent & ~kSprint);  // who sprints cannot shoot
  if (!kDialects[dialect_].state_updates) {
    tell_keys(keys, out);
    tell_look(own_.look, out);
  } else if (own_.look != track_.motions[0].orientation || keys != own_.keys_sent) {
    tell_state({keys, own_.look}, out);
  }
  press(own_.buttons_sent | kPrimary, out);
  own_.releases_at = out.now() + kPress;
  --own_.clip;
  for (int i = 0; i < kSpreads[weapon].pellets; ++i) trace(strayed(own_.look, out), out);
  Someone& me = *find(number_);
  me.position = own_.body.position;
  me.velocity = {};
  me.orientation = own_.look;
  tell_shot(me, out);
  tell_ammo(out);
  if (own_.clip == 0) reload(out);
}

/// The first of the other side that the ray meets, if no voxel is before him.
void BackSession::trace(const Vec3& direction, Outlet& out) {
  const Vec3& from = own_.body.position;
  const std::uint8_t side = find(number_)->team;
  float nearest = clear_way(map_, from, direction, kSightRange);
  std::optional<Hit> hit;
  for (const auto& [number, one] : people_) {
    if (number == number_ || !one.alive || one.hidden || one.team == side) continue;
    const auto met = meets(from, direction, reckoned(one, out.now()), (one.keys & kCrouch) != 0);
    if (!met || met->distance >= nearest) continue;
    nearest = met->distance;
    hit = Hit{number, static_cast<std::uint8_t>(met->part)};
  }
  if (hit) send(*hit, out);
}

Vec3 BackSession::strayed(const Vec3& direction, Outlet& out) const {
  const auto chance = [&] {  // from -1 to 1, mostly little
    const auto part = [&] { return static_cast<float>(out.random() % 65536) / 65536; };
    return part() - part();
  };
  const float stray = kSpreads[people_.at(number_).weapon].stray;
  Vec3 to = direction;
  for (float& axis : to) axis += stray * chance();
  return towards({}, to);
}

/// aim=auto: at the trunk of the nearest foe in sight, half of a right angle to either side; else straight on.
Vec3 BackSession::aimed(double yaw, double pitch) const {
  const Vec3 straight = orientation_of(yaw, pitch);
  const Vec3& from = own_.body.position;
  const std::uint8_t side = people_.at(number_).team;
  float nearest = kAimsAsFar;
  Vec3 best = straight;
  for (const auto& [number, one] : people_) {
    if (number == number_ || !one.alive || one.hidden || one.team == side) continue;
    const Vec3 trunk = {one.position[0], one.position[1], one.position[2] + kTrunk};
    const Vec3 way = towards(from, trunk);
    const float far = std::hypot(trunk[0] - from[0], trunk[1] - from[1], trunk[2] - from[2]);
    const float off = std::abs(std::remainder(std::atan2(way[1], way[0]) - std::atan2(straight[1], straight[0]),
                                              2 * std::numbers::pi_v<float>));
    if (far >= nearest || off > kAimsWithin || clear_way(map_, from, way, far) < far) continue;
    nearest = far;
    best = way;
  }
  return best;
}

}  // namespace entente::aos
