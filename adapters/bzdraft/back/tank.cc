#include "adapters/bzdraft/back/tank.h"

namespace entente::bzdraft {
namespace {

constexpr double kMostSpeed = 1.67;  // a factor: the speed with the fastest flag
constexpr double kOutside = 5;
constexpr double kJump = 19;  // metres a second upwards, as BZFlag's

}  // namespace

void Tank::hear(const words::Spawn& spawn, BackOut& out) {
  waits_ = players_.own() == nullptr;
  TankOnServer::hear(spawn, out);
}

void Tank::arrive(BackOut& out) {
  if (waits_) hear(words::Spawn(), out);
}

void Tank::learn(const words::World& world) {
  half_ = world.east();
  terrain = core::Terrain(world);
}

void Tank::limit_and_number(words::Pose& place) {
  place.set_seq(++last_seq);
  core::keep_within(place, model().speed * kMostSpeed, half_ + kOutside);
}

void Tank::tell_server(const words::Pose& place, BackOut& out) {
  link_.send(out, update_of(place, state_.number, alive));
}

double Tank::jump() const { return state_.room.jumping() ? kJump : 0; }

void Tank::drove(const core::TankState& to, BackOut& out) {
  if (to != core::state_of(pose)) {
    core::put(to, pose);
    pose.set_state(to.vz != 0 ? words::Pose::FALLING : 0);
    pose.set_seq(++last_seq);
    out.say(pose);
  }
  const core::TankState reckoned = core::state_of(seen(out.now()));
  update_pending |= core::strays(reckoned, to) || core::strays_soon(reckoned, to);
}

}  // namespace entente::bzdraft
