#include "proxy/core/tank/driven_tank.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "proxy/core/gameplay/claims.h"

namespace entente::core {
namespace {

/// How long a server may take to put a tank into play. bzfs queues or ignores a request that comes too early after a
/// death.
constexpr Micros kSpawnPatience = 3 * kSecond;
constexpr int kMostDoublings = 3;  // of the interval between two requests that had no answer
/// The tank's place is sent again after this silence, because a server takes some seconds of silence for a lost
/// connection. A client that claims places sends its own once a second itself, so we wait longer for it.
constexpr Micros kServerSilence = kSecond, kClientSilence = 3 * kSecond;

}  // namespace

void DrivenTank::begin(const words::Pose& place, Micros now) {
  alive = has_lived = true;
  paused = update_pending = false;
  claims.answered(Claim::kSpawn);
  claims.answered(Claim::kDeath);
  pose = sent = place;
  posed_at = sent_at = driven_until = now;
  steering.stop();
  driver.drop_aim();
}

void DrivenTank::end(Micros from) {
  alive = paused = update_pending = false;
  spawns_from = from;
  claims.end_life();
  steering.stop();
}

void DrivenTank::told(const words::Pose& place, Micros now) {
  update_pending = false;
  sent = place;
  sent_at = now;
}

void DrivenTank::claimed(const words::Pose& place, Micros now) {
  pose = place;
  posed_at = now;
  update_pending = true;
}

std::optional<DrivenTank::TimeStep> DrivenTank::step(Micros now) {
  if (!alive || now <= driven_until) return std::nullopt;
  const Micros since = std::exchange(driven_until, now);
  return TimeStep{since, std::min(0.2, static_cast<double>(now - since) / kSecond), state_of(pose)};
}

void TankOnServer::hear(const words::Spawn&, BackOut& out) {
  const TankServerPlayer* me = players_.own();
  if (alive || me == nullptr || me->unit == 0 || claims.waits(Claim::kSpawn)) return;
  request_spawn(kSpawnPatience, out);
}

void TankOnServer::arrive(BackOut& out) {
  if (std::exchange(spawn_early, false)) hear(words::Spawn(), out);
}

void TankOnServer::request_spawn(Micros patience, BackOut& out) {
  ask_to_spawn(out);
  claims.begin(Claim::kSpawn, patience, out);
}

bool TankOnServer::spawn_late(int times, BackOut& out) {
  if (players_.own() == nullptr) return false;
  if (out.now() < spawns_from + kSpawnPatience) {  // it was asked too early
    claims.answered(Claim::kSpawn);
    request_spawn(kSpawnPatience, out);
    return false;
  }
  claims.tell_unanswered(Claim::kSpawn, out);
  request_spawn(kSpawnPatience << std::min(times, kMostDoublings), out);
  return true;
}

void TankOnServer::hear(const words::PoseClaim& claim, BackOut& out) {
  if (!alive) return;  // it is still exploding
  steering.hear(Intent(claim));
  words::Pose place = pose_of(claim);
  limit_and_number(place);
  place.set_unit(players_.own()->unit);
  claimed(place, out.now());
  out.say(place);
  report_if_due(out);
}

bool TankOnServer::steer(const Intent& intent) {
  const auto* keys = as<words::Keys>(intent);
  if (keys == nullptr || steering.claim() == nullptr) return steering.hear(intent);
  steering.look(keys->yaw());
  return true;
}

void TankOnServer::begin_life(const words::Pose& place, BackOut& out) {
  begin(place, out.now());
  schedule_tick(out);
}

void TankOnServer::schedule_tick(BackOut& out) const {
  if (alive) out.wake(out.now() + 40 * kMillisecond);
}

void TankOnServer::report(const words::Pose& place, BackOut& out) {
  told(place, out.now());
  tell_server(place, out);
}

void TankOnServer::report_if_due(BackOut& out) {
  if (!alive) return;
  if (update_pending) return updates_.take(out.now()) ? report(pose, out) : out.wake(updates_.next());
  if (out.now() >= sent_at + silence()) report(standing(), out);
}

/// How long the server may go without a report of the tank.
Micros TankOnServer::silence() const { return steering.claim() != nullptr ? kClientSilence : kServerSilence; }

/// The pose that is reported after silence(). A client that sends no updates has stopped.
words::Pose TankOnServer::standing() {
  words::Pose place = pose;
  if (steering.claim() != nullptr) {
    place.set_vx(0);
    place.set_vy(0);
    place.set_yaw_rate(0);
  }
  place.set_seq(++last_seq);
  return place;
}

void keep_within(words::Pose& pose, double most, double edge) {
  const double speed = std::hypot(pose.vx(), pose.vy());
  if (speed > most) {
    pose.set_vx(pose.vx() * most / speed);
    pose.set_vy(pose.vy() * most / speed);
  }
  pose.set_x(std::clamp(pose.x(), -edge, edge));
  pose.set_y(std::clamp(pose.y(), -edge, edge));
}

}  // namespace entente::core
