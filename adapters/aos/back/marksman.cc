#include "adapters/aos/back/marksman.h"

#include <cmath>
#include <numbers>

#include "adapters/aos/world/sight.h"
#include "proxy/core/gameplay/guns.h"

namespace entente::aos {
namespace {

/// By weapon: how far pellets stray from the aim, as in real clients, and how many there are.
struct Spread {
  float stray;
  int pellets;
};
constexpr Spread kSpreads[] = {{0.006F, 1}, {0.012F, 1}, {0.024F, 8}};

constexpr float kAimsWithin = 45 * std::numbers::pi_v<float> / 180;  // of aim=auto, to either side
constexpr float kAimsAsFar = 96;                                     // blocks
constexpr float kTrunk = 0.6F;                                       // blocks below the eyes

double ahead(const Vec3& look) { return std::atan2(-look[1], look[0]); }
double level(const Vec3& look) { return std::atan2(-look[2], std::hypot(look[0], look[1])); }

}  // namespace

bool Marksman::wish(const core::Shooting& shooting, BackOut& out) {
  const MappingLine* why = man_.may_act() ? hands_.why_not_fire(out) : &drops::kFireNotInPlay;
  const double yaw = shooting.yaw.value_or(ahead(man_.look()));
  const double pitch = shooting.pitch.value_or(shooting.yaw ? 0 : level(man_.look()));
  if (why == nullptr && (!std::isfinite(yaw) || !std::isfinite(pitch))) why = &drops::kFireNotFinite;
  if (why != nullptr) {
    core::refuse_shot(shooting, out.me(), *why, out);
    tell_empty(out);
    return false;
  }
  shoot(yaw, pitch, out);
  return true;
}

/// Reloads an empty clip. If no rounds are left, tells the player where to get more.
void Marksman::tell_empty(BackOut& out) {
  if (!man_.may_act() || hands_.clip() != 0) return;
  if (hands_.reserve() != 0) return hands_.reload(out);
  if (!hands_.may_complain(out)) return;
  words::Notice notice;
  notice.set_level(words::Notice::WARNING);
  notice.set_text("no rounds left: get more at your side's tent, or in your next life");
  const words::Token* tent = objectives_.tent(players_.own()->team);
  if (tent != nullptr && tent->state() == words::Token::GROUND)
    notice.set_text("no rounds left: get more at your side's tent, " + way_to(*tent) + ", or in your next life");
  out.say({out.me(), notice});
}

/// "120 metres to the north-east".
std::string Marksman::way_to(const words::Token& token) const {
  static constexpr const char* kWays[] = {"east", "north-east", "north", "north-west",
                                          "west", "south-west", "south", "south-east"};
  const Point here = point_of(man_.place());
  const double dx = token.x() - here.x, dy = token.y() - here.y;
  const auto eighth = static_cast<int>(std::lround(std::atan2(dy, dx) / (std::numbers::pi / 4)));
  return std::to_string(std::lround(std::hypot(dx, dy))) + " metres to the " + kWays[(eighth + 8) % 8];
}

/// Releases the trigger of the last shot when it is time. While the player's trigger is held, fires as fast as the gun
/// loads.
void Marksman::mind_trigger(BackOut& out) {
  hands_.release_trigger(out);
  const core::Steering& steering = man_.steering();
  if (man_.client_moves_body() || !steering.trigger_held()) return;
  if (hands_.why_not_fire(out) != nullptr) return tell_empty(out);
  shoot(steering.looking().value_or(ahead(man_.look())), level(man_.look()), out);
}

/// Sends look, trigger and hits in the order that servers accept. REQUIRES: the gun may be fired now.
void Marksman::shoot(double yaw, double pitch, BackOut& out) {
  ServerPlayer& me = *players_.own();
  hands_.aim(out);
  man_.look_to_shoot(auto_aim_ ? aimed(yaw, pitch) : orientation_of(yaw, pitch), out);
  hands_.pull(out);
  for (int i = 0; i < kSpreads[me.weapon].pellets; ++i) trace(strayed(man_.look(), out), out);
  me.position = man_.place();
  me.velocity = {};
  me.orientation = man_.look();
  players_.tell_shot(me, out);
  hands_.tell_ammo(out);
  if (hands_.clip() == 0) hands_.reload(out);
}

/// Reports a hit of the first player of the other side that the ray meets, unless it meets a voxel first.
void Marksman::trace(const Vec3& direction, BackOut& out) {
  const Vec3& from = man_.place();
  const std::uint8_t side = players_.own()->team;
  float nearest = clear_way(server_.map, from, direction, kSightRange);
  std::optional<Hit> hit;
  for (const auto& [number, one] : players_) {
    if (number == server_.number || !one.alive || one.hidden || one.team == side) continue;
    const auto met = meets(from, direction, one.reckoned(out.now()), (one.keys & kCrouch) != 0);
    if (!met || met->distance >= nearest) continue;
    nearest = met->distance;
    hit = Hit{number, static_cast<std::uint8_t>(met->part)};
  }
  if (hit) server_.send(*hit, out);
}

Vec3 Marksman::strayed(const Vec3& direction, BackOut& out) const {
  const auto chance = [&] {  // from -1 to 1, mostly near 0
    const auto part = [&] { return static_cast<float>(out.random() % 65536) / 65536; };
    return part() - part();
  };
  const float stray = kSpreads[players_.own()->weapon].stray;
  Vec3 to = direction;
  for (float& axis : to) axis += stray * chance();
  return towards({}, to);
}

/// For aim=auto: aims at the trunk of the nearest enemy in sight, up to 45 degrees to either side; without an enemy,
/// straight ahead.
Vec3 Marksman::aimed(double yaw, double pitch) const {
  const Vec3 straight = orientation_of(yaw, pitch);
  const Vec3& from = man_.place();
  const std::uint8_t side = players_.own()->team;
  float nearest = kAimsAsFar;
  Vec3 best = straight;
  for (const auto& [number, one] : players_) {
    if (number == server_.number || !one.alive || one.hidden || one.team == side) continue;
    const Vec3 trunk = {one.position[0], one.position[1], one.position[2] + kTrunk};
    const Vec3 way = towards(from, trunk);
    const float far = std::hypot(trunk[0] - from[0], trunk[1] - from[1], trunk[2] - from[2]);
    const float off = std::abs(std::remainder(std::atan2(way[1], way[0]) - std::atan2(straight[1], straight[0]),
                                              2 * std::numbers::pi_v<float>));
    if (far >= nearest || off > kAimsWithin || clear_way(server_.map, from, way, far) < far) continue;
    nearest = far;
    best = way;
  }
  return best;
}

}  // namespace entente::aos
