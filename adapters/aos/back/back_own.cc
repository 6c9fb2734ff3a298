// Our own man: his body goes 60 steps a second as keys and looks make it, and the server is told of those; once a
// second of the place. See back.h.
#include <cmath>

#include "adapters/aos/losses.h"

#include "adapters/aos/back/back.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;

// piqueserver puts back who tells his place within 0.7 s of the last time, real clients tell it once a second.
constexpr Micros kPlaceEvery = 1050 * kMillisecond, kPlaceSoonest = 750 * kMillisecond;
// What a server hears at once after a stall was said too fast to it. It paints 10 times a second or more, or it stalls.
constexpr Micros kStalls = 300 * kMillisecond, kPlaceLatest = 5 * kSecond;
constexpr Micros kSleeps = 250 * kMillisecond;     // nobody woke us for so long: those steps are gone
constexpr Micros kLookAgain = 250 * kMillisecond;  // a small turn is told so late at most
constexpr float kTurn = 0.99996F;                  // the cosine of half a degree
constexpr float kMoved = 0.01F;                    // blocks
// SpadesX puts back who is 6 blocks off, piqueserver at 10. Half of that is wrong for sure, if it lasts.
constexpr float kAstray = 3;
constexpr Micros kAstrayFor = 500 * kMillisecond, kCorrectedEvery = kSecond;
constexpr double kFallsBehind = 3.5, kCaughtUp = 1.5;  // blocks between the two, for its client to be told to be slow
constexpr float kLeash = 8;                            // blocks between a foreign client's claim and our man
constexpr double kNear = 0.3;                          // metres from a place: nearer, nothing is wished any more
constexpr double kJumps = 2;                           // metres a second upwards: its client has jumped
constexpr double kSlow = 0.6;                          // of the top speed: sneaks
constexpr std::uint8_t kStill = 1, kMoving = 4;        // forms of State Update

float distance(const Vec3& a, const Vec3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

}  // namespace

void BackSession::begin_life(const CreatePlayer& created, Outlet& out) {
  stage_ = Stage::kIn;
  const Own before = std::exchange(own_, Own{});
  own_.heard_keys = before.heard_keys;
  own_.heard_claim = before.heard_claim;
  own_.by_keys = before.by_keys;
  own_.colour = before.colour;
  own_.shots = before.shots;
  own_.place_sent_at = out.now();
  own_.edits_at = before.edits_at;
  steering_.stop();
  if (created.team == kSpectator) return;
  own_.alive = true;
  own_.body.position = own_.place_sent = created.position;
  own_.since = out.now();
  const std::uint8_t weapon = find(number_)->weapon;
  if (before.weapon != weapon) tell_gun(weapon, out);
  if (before.slowed) tell_rule("speed", number_text(kWalks * kMetresPerBlock), out);
  own_.weapon = weapon;
  const Gun& full = gun(weapon);
  own_.clip = full.clip;
  own_.reserve = full.reserve;
  own_.blocks = kFullBlocks;
  own_.grenades = kFullGrenades;
  own_.told = own_pose();
  track_.inputs.fill(0);
  track_.motions.fill({own_.body.position, own_.look, {}});
  track_.told = false;
  tell_ammo(out);
  keep_alive(out);
}

// -- What the server says of it ---------------------------------------------------------------------------------------

/// A command. SpadesX says zeros to who is not in play.
void BackSession::on(const PositionData& position, Outlet& out) {
  if (!own_.alive || !may_be(position.position) || nowhere(position.position)) return out.lose(loss::kPositionOfDead);
  be_at(position.position, out);
}

void BackSession::be_at(const Vec3& position, Outlet& out) {
  own_.body.position = own_.place_sent = position;
  own_.body.velocity = {};
  own_.place_sent_at = out.now();  // who tells the old place right after a teleport is back there
  own_.pilot.forget();
  own_.astray = 0;
  own_.told = own_pose();
  own_.told_at = out.now();
  words::Corrected corrected;
  *corrected.mutable_pose() = own_.told;
  corrected.set_hard(true);
  out.say({out.me(), corrected});
}

/// Where a paint shows us. A client of this game knows itself where it is, and is told by Position Data where it shall
/// be; with State Updates there is no other word for that.
void BackSession::compare(const Vec3& seen, Outlet& out) {
  if (!own_.alive || (plays_itself() && !kDialects[dialect_].state_updates)) return;
  if (distance(seen, own_.body.position) < kAstray) {
    own_.astray = 0;
    return;
  }
  if (own_.astray == 0) own_.astray = out.now();
  if (out.now() >= own_.astray + kAstrayFor) be_at(seen, out);
}

/// Who shot us is nearest to where it came from.
void BackSession::on(const SetHp& hp, Outlet& out) {
  const Someone* me = find(number_);
  if (me == nullptr || me->unit == 0) return out.lose(loss::kHpOfDead);
  words::Health health;
  health.set_unit(me->unit);
  health.set_now(hp.hp);
  health.set_max(kFullHealth);
  if (is_finite(hp.source)) {
    const Point from = point_of(hp.source);
    health.set_from_x(from.x);
    health.set_from_y(from.y);
    health.set_from_z(from.z);
    float nearest = kSightRange;
    for (const auto& [number, one] : people_) {
      const float far = distance(one.position, hp.source);
      if (hp.cause != kHurtByWeapon || number == number_ || !one.alive || far >= nearest) continue;
      nearest = far;
      health.set_by(one.player.id());
    }
  }
  out.say(health);
}

void BackSession::on(const Restock& restock, Outlet& out) {
  Someone* me = find(number_);
  if (restock.player != number_ || me == nullptr || me->unit == 0) return out.lose(loss::kRestockOfOther);
  own_.reserve = gun(me->weapon).reserve;
  own_.blocks = kFullBlocks;
  own_.grenades = kFullGrenades;
  words::Health health;
  health.set_unit(me->unit);
  health.set_now(kFullHealth);
  health.set_max(kFullHealth);
  out.say(health);
  own_.empty_told = 0;
  tell_ammo(out);
  if (own_.clip == 0 && !plays_itself()) reload(out);
}

// -- What its player says of it -------------------------------------------------------------------------------------

/// A client's keys and looks go on as they come.
void BackSession::hear_keys(const words::Keys& keys, Outlet& out) {
  own_.heard_keys = own_.by_keys = true;
  own_.keys = static_cast<std::uint8_t>(keys.bits());
  own_.look = orientation_of(keys.yaw(), keys.pitch());
  if (!is_finite(own_.look)) own_.look = {1, 0, 0};
  if (!may_act()) return;
  if (own_.look != own_.look_sent && !kDialects[dialect_].state_updates) tell_look(own_.look, out);
  tell_keys(own_.keys, out);
}

/// Of a client of this game it is the truth, as far as the server lets it be; of another, a wish.
void BackSession::hear_claim(const words::PoseClaim& claim, Outlet& out) {
  own_.heard_claim = true;
  if (!own_.heard_keys) own_.by_keys = false;
  const Vec3 place = eyes_of(claim);
  if (!own_.heard_keys || !may_act()) return;
  if (!may_be(place)) return out.lose(loss::kClaimOutside);
  own_.body.position = place;
  own_.body.crouching = (claim.state() & words::Pose::CROUCHING) != 0;
  if (kDialects[dialect_].state_updates) {
    const Vec3 velocity = velocity_of({claim.vx(), claim.vy(), claim.vz()});
    own_.body.velocity = is_finite(velocity) ? velocity : Vec3{};
    return;
  }
  if (own_.place_sent_at > own_.since && !may_tell_place(kPlaceSoonest, out)) return out.lose(loss::kClaimTooOften);
  tell_place(out);
}

// -- Going ----------------------------------------------------------------------------------------------------------

void BackSession::drive(Outlet& out) {
  if (!may_act()) return;
  const auto due = [&] { return own_.since + (own_.steps + 1) * kSecond / kStepsPerSecond; };
  if (out.now() > due() + kSleeps) {
    own_.since = out.now() - kSecond / kStepsPerSecond;
    own_.steps = 0;
  }
  mind_trigger(out);
  for (; due() <= out.now(); ++own_.steps) {
    const Urge urge = urge_now(out);
    step(map_, urge, own_.body);
    tell_server(urge, out);
  }
  mind_leash(out);
  if (!plays_itself() && !kDialects[dialect_].state_updates && may_tell_place(kPlaceEvery, out) &&
      distance(own_.place_sent, own_.body.position) > kMoved)
    tell_place(out);
  tell_own_pose(out);
}

/// What our man shall do in the next step.
Urge BackSession::urge_now(Outlet& out) {
  Urge urge;
  urge.aiming = own_.tool == kGun && (own_.buttons_sent & kSecondary) != 0;
  if (own_.by_keys) {
    urge.keys = own_.keys;
    urge.orientation = own_.look;
    return urge;
  }
  const Point here = point_of(own_.body.position);
  const core::Course course = steering_.course(here.x, here.y, kNear);
  const words::PoseClaim* claim = steering_.claim();
  const bool aims = out.now() < own_.look_until;  // along a shot, wherever it goes
  if (!aims && course.yaw) own_.look = orientation_of(*course.yaw, claim != nullptr ? claim->pitch() : 0);
  if (!is_finite(own_.look)) own_.look = {1, 0, 0};
  Goal goal{own_.body.position[0], own_.body.position[1]};
  if (course.kind != core::Course::Kind::kStay) {
    const Vec3 place = place_of({course.x, course.y, 0});
    goal.x = place[0];
    goal.y = place[1];
  }
  goal.slow = course.speed < kSlow;
  goal.hurry = !aims;
  if (aims || course.yaw || course.kind == core::Course::Kind::kStay) goal.look = &own_.look;
  if (!std::isfinite(goal.x) || !std::isfinite(goal.y)) return urge;
  const bool aiming = urge.aiming;
  urge = own_.pilot.steer(map_, own_.body, goal);
  urge.aiming = aiming;
  if (course.jump || (claim != nullptr && claim->vz() > kJumps)) urge.keys |= kJump;
  own_.look = urge.orientation;
  return urge;
}

/// A client that does not see the hills its man climbs is told to be as slow, until he has caught up.
void BackSession::mind_speed(double off, Outlet& out) {
  const bool slowed = off > (own_.slowed ? kCaughtUp : kFallsBehind);
  if (std::exchange(own_.slowed, slowed) == slowed) return;
  tell_rule("speed", number_text((slowed ? kClimbs : kWalks) * kMetresPerBlock), out);
}

/// A client of another game that is far from where our man could go is told so.
void BackSession::mind_leash(Outlet& out) {
  const words::PoseClaim* claim = steering_.claim();
  if (claim == nullptr || own_.heard_keys) return;
  const Vec3 place = place_of({claim->x(), claim->y(), 0});
  const float off = std::hypot(place[0] - own_.body.position[0], place[1] - own_.body.position[1]);
  mind_speed(off, out);
  if (off <= kLeash) own_.astray = 0;
  if (off <= kLeash || out.now() < own_.corrected + kCorrectedEvery) return;
  if (own_.astray == 0) own_.astray = out.now();
  if (out.now() < own_.astray + kAstrayFor) return;
  own_.corrected = out.now();
  own_.astray = 0;
  steering_.stop();
  words::Corrected corrected;
  *corrected.mutable_pose() = own_pose();
  corrected.set_hard(true);
  out.say({out.me(), corrected});
}

// -- Telling the server -----------------------------------------------------------------------------------------------

void BackSession::tell_server(const Urge& urge, Outlet& out) {
  if (kDialects[dialect_].state_updates) return tell_state(urge, out);
  const Vec3 &is = urge.orientation, &was = own_.look_sent;
  const bool turned = is[0] * was[0] + is[1] * was[1] + is[2] * was[2] < kTurn;
  if (turned || (is != was && out.now() >= own_.look_sent_at + kLookAgain)) tell_look(is, out);
  tell_keys(urge.keys, out);
}

void BackSession::tell_keys(std::uint8_t keys, Outlet& out) {
  if (keys == own_.keys_sent || kDialects[dialect_].state_updates) return;
  own_.keys_sent = keys;
  send(InputData{number_, keys}, out);
}

void BackSession::tell_look(const Vec3& look, Outlet& out) {
  own_.look_sent = look;
  own_.look_sent_at = out.now();
  send(OrientationData{look}, out);
}

/// It has just shown where everybody is; after a stall it has heard, just before that, whatever was said meanwhile.
void BackSession::mind_stall(Outlet& out) {
  if (out.now() > own_.painted_at + kStalls) own_.place_from = out.now() + kPlaceSoonest;
  own_.painted_at = out.now();
}

/// A server that never paints, or seldom, is told all the same.
bool BackSession::may_tell_place(Micros every, Outlet& out) const {
  const Micros since = out.now() - own_.place_sent_at;
  if (since < every || since >= kPlaceLatest || own_.painted_at == 0) return since >= every;
  return out.now() >= own_.place_from && out.now() <= own_.painted_at + kStalls;
}

void BackSession::tell_place(Outlet& out) {
  own_.place_sent = own_.body.position;
  own_.place_sent_at = out.now();
  send(PositionData{own_.body.position}, out);
}

/// One a step, and one more before a shot that turns. It says half a second of keys, so that a lost one matters little;
/// what does not move is not repeated.
void BackSession::tell_state(const Urge& urge, Outlet& out) {
  Track& track = track_;
  const Motion now = {own_.body.position, urge.orientation, own_.body.velocity};
  const Motion& last = track.motions[0];
  const bool rests = track.told && now.position == last.position && now.orientation == last.orientation &&
                     now.velocity == last.velocity;
  std::copy_backward(track.inputs.begin(), track.inputs.end() - 1, track.inputs.end());
  std::copy_backward(track.motions.begin(), track.motions.end() - 1, track.motions.end());
  own_.keys_sent = track.inputs[0] = urge.keys;
  track.motions[0] = now;
  track.told = true;
  StateUpdateUp update;
  update.form = rests ? kStill : kMoving;
  update.still = rests ? 1 : 0;
  update.sequence = track.sequence++;
  update.inputs = track.inputs;
  update.now = now;
  update.oldest = track.motions.back();
  send(update, out, Lane::kDatagram);
}

// -- Telling the room -------------------------------------------------------------------------------------------------

words::Pose BackSession::own_pose() const {
  words::Pose pose;
  const auto at = people_.find(number_);
  if (at != people_.end()) pose.set_unit(at->second.unit);
  pose.set_state(pose_state_of(own_.keys_sent & static_cast<std::uint8_t>(~kCrouch)));
  if (own_.body.airborne) pose.set_state(pose.state() | words::Pose::FALLING);
  if (own_.body.crouching) pose.set_state(pose.state() | words::Pose::CROUCHING);
  set_place(pose, own_.body.position);
  constexpr float kCreeps = 0.001F;  // friction stops a body never quite
  const Vec3& velocity = own_.body.velocity;
  if (std::hypot(velocity[0], velocity[1]) > kCreeps || own_.body.airborne) set_velocity(pose, velocity);
  set_look(pose, own_.look);
  return pose;
}

void BackSession::tell_own_pose(Outlet& out) {
  if (out.now() < own_.told_at + kPoseEvery) return;
  const words::Pose pose = own_pose(), &told = own_.told;
  constexpr double kAlike = 0.005;  // metres
  const bool there = std::hypot(pose.x() - told.x(), pose.y() - told.y(), pose.z() - told.z()) < kAlike;
  const bool same = there && pose.yaw() == told.yaw() && pose.pitch() == told.pitch() && pose.vx() == told.vx() &&
                    pose.vy() == told.vy() && pose.vz() == told.vz() && pose.state() == told.state();
  if (same) return;
  own_.told = pose;
  own_.told_at = out.now();
  out.say(pose);
}

}  // namespace entente::aos
