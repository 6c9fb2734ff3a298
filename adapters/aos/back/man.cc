#include "adapters/aos/back/man.h"

#include <cmath>

namespace entente::aos {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;

// piqueserver moves a player back who sends his place within 0.7 s of the last time. Real clients send it once a
// second.
constexpr Micros kPlaceEvery = 1050 * kMillisecond, kPlaceSoonest = 750 * kMillisecond;
// A server sends at least 10 snapshots a second, unless it stalls. After a stall it reads several places at once, and
// treats them as sent too fast.
constexpr Micros kStalls = 300 * kMillisecond, kPlaceLatest = 5 * kSecond;
constexpr Micros kSleeps = 250 * kMillisecond;     // steps that are later than this are skipped
constexpr Micros kLookAgain = 250 * kMillisecond;  // small turns are sent at most this often
constexpr Micros kLooksOn = 300 * kMillisecond;    // along a shot
constexpr float kTurn = 0.99996F;                  // the cosine of half a degree
constexpr float kMoved = 0.01F;                    // blocks
// SpadesX moves a player back who is 6 blocks off, piqueserver at 10. Half of 6 blocks, if it lasts, is an error.
constexpr float kAstray = 3;
constexpr Micros kAstrayFor = 500 * kMillisecond, kCorrectedEvery = kSecond;
// In blocks between the client and its man: up to the first, the client may be as fast as a man on a plane, from the
// second on as slow as one who climbs. It is told a new speed when that has changed by kSpeedStep of the top speed.
constexpr double kCloseBehind = 2, kFarBehind = 6, kSpeedStep = 0.08;
constexpr Micros kSpeedEvery = 200 * kMillisecond;
constexpr float kMostAstray = 8;                 // blocks between another game's client and our man
constexpr double kNear = 0.3;                    // metres; a place this near counts as reached
constexpr double kJumps = 2;                     // metres a second upwards: the client has jumped
constexpr double kSneakSpeed = 0.6;              // share of the top speed; a slower man sneaks
constexpr std::uint8_t kStill = 1, kMoving = 4;  // forms of State Update

}  // namespace

void Man::begin_life(const CreatePlayer& created, BackOut& out) {
  const double told_speed = life_.told_speed;
  life_ = {};
  life_.place_sent_at = out.now();
  steering_.stop();
  if (told_speed < kWalks) tell_rule("speed", number_text(kWalks * kMetresPerBlock), out);
  if (!is_side(created.team)) return;
  life_.alive = true;
  life_.body.position = life_.place_sent = created.position;
  life_.since = out.now();
  life_.told = pose();
  track_.inputs.fill(0);
  track_.motions.fill({life_.body.position, life_.look, {}});
  track_.told = false;
  keep_alive(out);
}

void Man::end_life() {
  life_.alive = false;
  steering_.stop();
}

void Man::forget() {
  life_ = {};
  heard_keys_ = heard_claim_ = by_keys_ = false;
  steering_.stop();
}

bool Man::steer(const core::Intent& intent) {
  if (!steering_.hear(intent)) return false;
  by_keys_ = false;
  return true;
}

/// Asks for a tick at each step of his life.
void Man::keep_alive(BackOut& out) const {
  if (life_.alive) out.wake(next_step());
}

// -- What the server sends about him ----------------------------------------------------------------------------------

/// Must be obeyed. SpadesX sends zeros to players who are not in play.
void Man::hear(const PositionData& position, BackOut& out) {
  if (!life_.alive || !may_be(position.position) || nowhere(position.position)) return out.drop(drops::kPositionOfDead);
  be_at(position.position, out);
}

void Man::be_at(const Vec3& position, BackOut& out) {
  life_.body.position = life_.place_sent = position;
  life_.body.velocity = {};
  life_.place_sent_at = out.now();  // an old place sent right after a teleport would undo it
  life_.pilot.forget();
  life_.astray = life_.client_astray = 0;
  life_.told = pose();
  life_.told_at = out.now();
  words::Corrected corrected;
  *corrected.mutable_pose() = life_.told;
  corrected.set_hard(true);
  out.say({out.me(), corrected});
}

/// A client of this game knows its place, and servers correct it by Position Data. With State Updates (0.80), snapshots
/// are the only correction.
void Man::compare(const Vec3& seen, BackOut& out) {
  if (!life_.alive || (client_moves_body() && !server_.dialect().state_updates)) return;
  if (distance(seen, life_.body.position) < kAstray) {
    life_.astray = 0;
    return;
  }
  if (life_.astray == 0) life_.astray = out.now();
  if (out.now() >= life_.astray + kAstrayFor) be_at(seen, out);
}

// -- What his player's client sends -----------------------------------------------------------------------------------

/// Passes a client's keys and looks on at once.
void Man::hear(const words::Keys& keys, BackOut& out) {
  heard_keys_ = by_keys_ = true;
  life_.keys = static_cast<std::uint8_t>(keys.bits());
  life_.look = orientation_of(keys.yaw(), keys.pitch());
  if (!is_finite(life_.look)) life_.look = {1, 0, 0};
  if (!may_act()) return;
  if (life_.look != life_.look_sent && !server_.dialect().state_updates) send_look(life_.look, out);
  send_keys(life_.keys, out);
}

/// From a client of this game, the claim is where the player is, unless the server corrects it. From another game's
/// client, it is a place to go to.
void Man::hear(const words::PoseClaim& claim, BackOut& out) {
  steering_.hear(core::Intent(claim));
  heard_claim_ = true;
  if (!heard_keys_) by_keys_ = false;
  const Vec3 place = eyes_of(claim);
  if (!heard_keys_ || !may_act()) return;
  if (!may_be(place)) return out.drop(drops::kClaimOutside);
  life_.body.position = place;
  life_.body.crouching = (claim.state() & words::Pose::CROUCHING) != 0;
  if (server_.dialect().state_updates) {
    const Vec3 velocity = velocity_of({claim.vx(), claim.vy(), claim.vz()});
    life_.body.velocity = {};
    for (std::size_t axis = 0; axis < 3 && is_finite(velocity); ++axis)
      life_.body.velocity[axis] = std::clamp(velocity[axis], -kFastestSeen, kFastestSeen);
    return;
  }
  if (life_.place_sent_at > life_.since && !may_send_place(kPlaceSoonest, out)) return out.drop(drops::kClaimTooOften);
  send_place(out);
}

// -- Moving -----------------------------------------------------------------------------------------------------------

void Man::catch_up(BackOut& out) {
  if (out.now() <= next_step() + kSleeps) return;
  life_.since = out.now() - kSecond / kStepsPerSecond;
  life_.steps = 0;
}

void Man::drive(bool aiming, BackOut& out) {
  for (; next_step() <= out.now(); ++life_.steps) {
    const Urge urge = urge_now(aiming, out);
    step(server_.map, urge, life_.body);
    tell_server(urge, out);
  }
  correct_client(out);
  if (!client_moves_body() && !server_.dialect().state_updates && may_send_place(kPlaceEvery, out) &&
      distance(life_.place_sent, life_.body.position) > kMoved)
    send_place(out);
  tell_pose(out);
}

/// The input for his next step.
Urge Man::urge_now(bool aiming, BackOut& out) {
  Urge urge;
  urge.aiming = aiming;
  if (by_keys_) {
    urge.keys = life_.keys;
    urge.orientation = life_.look;
    return urge;
  }
  const Point here = point_of(life_.body.position);
  const core::Course course = steering_.course(here.x, here.y, kNear);
  const words::PoseClaim* claim = steering_.claim();
  const bool aims = out.now() < life_.look_until;  // along a shot, wherever it goes
  if (!aims && course.yaw) life_.look = orientation_of(*course.yaw, claim != nullptr ? claim->pitch() : 0);
  if (!is_finite(life_.look)) life_.look = {1, 0, 0};
  Goal goal{life_.body.position[0], life_.body.position[1]};
  if (course.kind != core::Course::Kind::kStay) {
    const Vec3 place = place_of({course.x, course.y, 0});
    goal.x = place[0];
    goal.y = place[1];
  }
  goal.slow = course.speed < kSneakSpeed;
  goal.hurry = !aims;
  if (aims || course.yaw || course.kind == core::Course::Kind::kStay) goal.look = &life_.look;
  if (!std::isfinite(goal.x) || !std::isfinite(goal.y)) return urge;
  urge = life_.pilot.steer(server_.map, life_.body, goal);
  urge.aiming = aiming;
  if (course.jump || (claim != nullptr && claim->vz() > kJumps)) urge.keys |= kJump;
  life_.look = urge.orientation;
  return urge;
}

/// A man who climbs hills that his client does not see falls behind. The farther, the slower the client may be; so it
/// soon drives as fast as the man climbs.
void Man::mind_speed(double off, BackOut& out) {
  const double part = std::clamp((off - kCloseBehind) / (kFarBehind - kCloseBehind), 0.0, 1.0);
  const double speed = std::lerp(kWalks, kClimbs, part);
  const bool top = speed == kWalks && life_.told_speed < kWalks;
  if ((!top && std::abs(speed - life_.told_speed) < kSpeedStep * kWalks) ||
      out.now() < life_.speed_told_at + kSpeedEvery)
    return;
  life_.told_speed = speed;
  life_.speed_told_at = out.now();
  tell_rule("speed", number_text(speed * kMetresPerBlock), out);
}

/// Corrects a client of another game that is too far away from our man for too long.
void Man::correct_client(BackOut& out) {
  const words::PoseClaim* claim = steering_.claim();
  if (claim == nullptr || heard_keys_) return;
  const Vec3 place = place_of({claim->x(), claim->y(), 0});
  const float off = std::hypot(place[0] - life_.body.position[0], place[1] - life_.body.position[1]);
  mind_speed(off, out);
  if (off <= kMostAstray) life_.client_astray = 0;
  if (off <= kMostAstray || out.now() < life_.corrected + kCorrectedEvery) return;
  if (life_.client_astray == 0) life_.client_astray = out.now();
  if (out.now() < life_.client_astray + kAstrayFor) return;
  life_.corrected = out.now();
  life_.client_astray = 0;
  steering_.stop();
  words::Corrected corrected;
  *corrected.mutable_pose() = pose();
  corrected.set_hard(true);
  out.say({out.me(), corrected});
}

// -- Telling the server -----------------------------------------------------------------------------------------------

void Man::tell_server(const Urge& urge, BackOut& out) {
  if (server_.dialect().state_updates) return send_state(urge, out);
  const Vec3 &is = urge.orientation, &was = life_.look_sent;
  const bool turned = is[0] * was[0] + is[1] * was[1] + is[2] * was[2] < kTurn;
  if (turned || (is != was && out.now() >= life_.look_sent_at + kLookAgain)) send_look(is, out);
  send_keys(urge.keys, out);
}

void Man::send_keys(std::uint8_t keys, BackOut& out) {
  if (keys == life_.keys_sent || server_.dialect().state_updates) return;
  life_.keys_sent = keys;
  server_.send(InputData{server_.number, keys}, out);
}

void Man::send_look(const Vec3& look, BackOut& out) {
  life_.look_sent = look;
  life_.look_sent_at = out.now();
  server_.send(OrientationData{look}, out);
}

/// After a stall, a server reads everything that was sent to it meanwhile, and then sends a snapshot.
void Man::mind_stall(BackOut& out) {
  if (out.now() > life_.snapshot_at + kStalls) life_.place_from = out.now() + kPlaceSoonest;
  life_.snapshot_at = out.now();
}

/// A server that sends no snapshots, or few, is sent places nevertheless.
bool Man::may_send_place(Micros every, BackOut& out) const {
  const Micros since = out.now() - life_.place_sent_at;
  if (since < every || since >= kPlaceLatest || life_.snapshot_at == 0) return since >= every;
  return out.now() >= life_.place_from && out.now() <= life_.snapshot_at + kStalls;
}

void Man::look_to_shoot(const Vec3& look, BackOut& out) {
  life_.look = look;
  life_.look_until = out.now() + kLooksOn;
  const auto keys = static_cast<std::uint8_t>(life_.keys_sent & ~kSprint);  // a sprinting player cannot shoot
  if (!server_.dialect().state_updates) {
    send_keys(keys, out);
    send_look(look, out);
  } else if (look != track_.motions[0].orientation || keys != life_.keys_sent) {
    send_state({keys, look}, out);
  }
}

void Man::send_place(BackOut& out) {
  life_.place_sent = life_.body.position;
  life_.place_sent_at = out.now();
  server_.send(PositionData{life_.body.position}, out);
}

/// Sends one update per step, and another one before a shot in a new direction. Each contains the keys of half a
/// second, so a lost one matters little. An unchanged motion is left out.
void Man::send_state(const Urge& urge, BackOut& out) {
  Track& track = track_;
  const Motion now = {life_.body.position, urge.orientation, life_.body.velocity};
  const Motion& last = track.motions[0];
  const bool rests = track.told && now.position == last.position && now.orientation == last.orientation &&
                     now.velocity == last.velocity;
  std::copy_backward(track.inputs.begin(), track.inputs.end() - 1, track.inputs.end());
  std::copy_backward(track.motions.begin(), track.motions.end() - 1, track.motions.end());
  life_.keys_sent = track.inputs[0] = urge.keys;
  track.motions[0] = now;
  track.told = true;
  StateUpdateUp update;
  update.form = rests ? kStill : kMoving;
  update.still = rests ? 1 : 0;
  update.sequence = track.sequence++;
  update.inputs = track.inputs;
  update.now = now;
  update.oldest = track.motions.back();
  server_.send(update, out, Lane::kDatagram);
}

// -- Telling the room -------------------------------------------------------------------------------------------------

words::Pose Man::pose() const {
  words::Pose pose;
  if (const ServerPlayer* me = players_.own()) pose.set_unit(me->unit);
  pose.set_state(pose_state_of(life_.keys_sent & static_cast<std::uint8_t>(~kCrouch)));
  if (life_.body.airborne) pose.set_state(pose.state() | words::Pose::FALLING);
  if (life_.body.crouching) pose.set_state(pose.state() | words::Pose::CROUCHING);
  set_place(pose, life_.body.position);
  constexpr float kCreeps = 0.001F;  // slower counts as standing: friction never stops a body completely
  const Vec3& velocity = life_.body.velocity;
  if (std::hypot(velocity[0], velocity[1]) > kCreeps || life_.body.airborne) set_velocity(pose, velocity);
  set_look(pose, life_.look);
  return pose;
}

void Man::tell_pose(BackOut& out) {
  if (out.now() < life_.told_at + kPoseEvery) return;
  const words::Pose now = pose(), &told = life_.told;
  constexpr double kAlike = 0.005;  // metres
  const bool there = std::hypot(now.x() - told.x(), now.y() - told.y(), now.z() - told.z()) < kAlike;
  const bool same = there && now.yaw() == told.yaw() && now.pitch() == told.pitch() && now.vx() == told.vx() &&
                    now.vy() == told.vy() && now.vz() == told.vz() && now.state() == told.state();
  if (same) return;
  life_.told = now;
  life_.told_at = out.now();
  out.say(now);
}

}  // namespace entente::aos
