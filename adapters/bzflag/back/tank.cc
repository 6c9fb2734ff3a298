#include "adapters/bzflag/back/tank.h"

#include <cmath>
#include <numbers>

#include "adapters/bzflag/wire/flag_effects.h"
#include "proxy/core/seconds.h"

namespace entente::bzflag {
namespace {

constexpr double kMouseThere = 1.7;  // metres: 30 of Ogar's units
constexpr double kMouseLate = 0.04;  // seconds: one of Ogar's ticks

/// bzfs kicks above the square root of 1.125 times the top speed (bzfs.cxx:5240 at v2.4.26).
constexpr double kSpeeding = 1.05;
/// The factor by which the fastest flag (Thief) speeds a tank up.
constexpr double kFlagSpeed = 1.67;
/// Metres outside of the world that we allow. bzfs kicks at 10 m.
constexpr double kOutside = 5;
constexpr double kDeepestBurrow = -1.32;  // metres: z of a burrowed tank

constexpr int kPlaces = 50;  // places that are tried before any is accepted
constexpr double kOneIn = 1.0 / 4294967296.0;

}  // namespace

core::TankModel Tank::model() const {
  const Variables& variables = tank_rules_.variables;
  const std::string flag = tokens_.carried();
  const FlagEffect& effect = effect_of(flag);
  const auto sane = [&](const char* name, const char* by, double least, double most) {
    return std::clamp<double>(variables[name] * factor(by, variables), least, most);
  };
  const bool burrows = flag == "BU", below = burrows && pose.z() < 0;
  core::TankModel model;
  model.length = sane("_tankLength", effect.size, 0.1, 100);
  model.width = sane("_tankWidth", effect.size, 0.1, 100);
  model.height = sane("_tankHeight", nullptr, 0.1, 100);
  model.speed = sane("_tankSpeed", below ? "_burrowSpeedAd" : effect.speed, 0.1, 500);
  model.turn_rate = sane("_tankAngVel", below ? "_burrowAngularAd" : effect.turn, 0.01, 50);
  model.gravity = -variables["_gravity"];
  model.climb = variables["_maxBumpHeight"];
  if (burrows) model.lowest = std::clamp<double>(variables["_burrowDepth"], kDeepestBurrow, 0);
  return model;
}

/// A shot hits a tank within its radius, at its height; a narrow one only within the shot's radius of its length
/// (SegmentedShotStrategy::checkHit at v2.4.26).
core::TankModel Tank::target() const {
  const Variables& variables = tank_rules_.variables;
  core::TankModel target = model();
  const std::string flag = tokens_.carried();
  if (flag == "N")
    target.width = 2 * std::clamp<double>(variables["_shotRadius"], 0.01, 100);
  else
    target.target =
        0.99 * std::clamp<double>(variables["_tankRadius"] * factor(effect_of(flag).size, variables), 0.1, 100);
  return target;
}

double Tank::jump() const {
  const std::string flag = tokens_.carried();
  const bool may = (state_.room.jumping() || flag == "JP") && flag != "NJ" && pose.z() >= 0;
  return may ? tank_rules_.variables["_jumpVelocity"] : 0;
}

/// How near a goal counts as reached. For a mouse, farther if the tank moves: it points at where its player sees the
/// tank, which is where the tank was a moment ago.
double Tank::near() const {
  return steering.by_mouse() ? kMouseThere + kMouseLate * std::hypot(pose.vx(), pose.vy()) : core::kReached;
}

/// Asks for a free place on the ground if clients choose it; otherwise the server chooses one.
void Tank::ask_to_spawn(BackOut& out) {
  AliveRequest request;
  if (!link_.dialect().spawn_by_client) return link_.stream(out, request);
  const core::TankModel tank = model();
  const auto between = [&](double least, double most) { return least + (most - least) * kOneIn * out.random(); };
  const double edge = std::max(0.0, tank_rules_.size / 2 - tank.length);
  for (int i = 0; i < kPlaces; ++i) {
    const double x = between(-edge, edge), y = between(-edge, edge);
    const double yaw = between(-std::numbers::pi, std::numbers::pi);
    request.pos = vec3(x, y, 0);
    request.forward = vec3(std::cos(yaw), std::sin(yaw), 0);
    if (terrain.free(tank, x, y, 0, yaw)) break;
  }
  link_.stream(out, request);
}

void Tank::hear(const words::PoseClaim& claim, BackOut& out) {
  if (claim.sent_at() != 0) {
    clock_ = claim.sent_at();
    clock_at_ = out.now();
  }
  TankOnServer::hear(claim, out);
}

/// A clock of our own is always negative. bzfs measures jitter only after times above 0 (LagInfo::updateLag), so it
/// does not take a new turn of the clock for hours of jitter, for which it may kick.
float Tank::clock(const BackOut& out) const {
  const core::Micros passed = out.now() - clock_at_;
  const Dialect& dialect = link_.dialect();
  if (clock_ == 0) return clock_of(passed, dialect) - static_cast<float>(dialect.clock_turn);
  return static_cast<float>(clock_ + static_cast<double>(passed) / core::kSecond);
}

void Tank::limit_and_number(words::Pose& place) {
  limit(place);
  last_seq = std::max(last_seq + 1, place.seq());
  place.set_seq(last_seq);
}

/// Limits speed and place to what the server accepts.
void Tank::limit(words::Pose& place) const {
  const double most = tank_rules_.variables["_tankSpeed"] * kSpeeding * (tokens_.carried().empty() ? 1 : kFlagSpeed);
  core::keep_within(place, most, tank_rules_.size / 2 + kOutside);
  place.set_z(std::max(place.z(), kDeepestBurrow));
}

void Tank::tell_server(const words::Pose& place, BackOut& out) {
  link_.quick(out, update_of(place, state_.number, clock(out), alive, link_.dialect().small_updates));
}

/// Others extrapolate our place; an update is sent when they would be wrong.
void Tank::drove(const core::TankState& to, BackOut& out) {
  const bool still = to.x == pose.x() && to.y == pose.y() && to.z == pose.z() && to.yaw == pose.yaw() &&
                     pose.vx() == 0 && pose.vy() == 0 && pose.yaw_rate() == 0;
  if (!still) {
    core::put(to, pose);
    pose.set_state(to.vz != 0 ? words::Pose::FALLING : 0);
    limit(pose);
    out.say(pose);
  }
  const words::Pose reckoned = seen(out.now());
  const core::TankState here = core::state_of(pose), there = core::state_of(reckoned);
  const bool wrong = core::strays(there, here) || core::strays_soon(there, here) || reckoned.state() != pose.state();
  if (!wrong || update_pending) return;
  pose.set_seq(++last_seq);
  update_pending = true;
}

}  // namespace entente::bzflag
