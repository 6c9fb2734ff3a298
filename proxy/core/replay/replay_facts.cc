#include "proxy/core/replay/replay_facts.h"

#include <algorithm>

#include "proxy/base/lower_case.h"
#include "proxy/core/drops.h"
#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

using ForRecordedPlayer = std::variant<words::Refused, words::Kicked, words::ClaimRefused, words::Waiting,
                                       words::WorldProgress, words::You, words::View, words::Clock, words::Ready>;

bool is_talk(const Fact& fact) { return as<words::Said>(fact) != nullptr || as<words::Notice>(fact) != nullptr; }

bool is_aside(const Fact& fact) {
  const auto* said = as<words::Said>(fact);
  return fact.audience != words::ALL || (said != nullptr && said->scope() != words::Say::EVERYBODY);
}

void scale(words::Pose& pose, double by) {
  pose.set_vx(pose.vx() * by);
  pose.set_vy(pose.vy() * by);
  pose.set_vz(pose.vz() * by);
  pose.set_yaw_rate(pose.yaw_rate() * by);
}

/// A ray's velocity is only its direction.
bool flies(const words::Shot& shot) { return shot.kind() != words::RAY && shot.kind() != words::MELEE; }

}  // namespace

bool is_for_recorded_player(const Fact& fact) {
  return std::visit([]<class T>(const T&) { return KindOf<T, ForRecordedPlayer>; }, fact.content);
}

const MappingLine* kept_back(const Fact& fact) {
  if (fact.audience == words::ADMINS || fact.audience == words::TEAM) return &drops::kForTeam;
  return is_talk(fact) && is_aside(fact) ? &drops::kPrivateChat : nullptr;
}

void make_public(Fact& fact) {
  if (const auto* corrected = as<words::Corrected>(fact)) fact.content = words::Pose(corrected->pose());
  if (auto* player = std::get_if<words::Player>(&fact.content)) player->clear_address();
  if (auto* board = std::get_if<words::Board>(&fact.content))
    for (auto& row : *board->mutable_rows()) row.clear_me();
  fact.audience = words::ALL;
  fact.to = fact.cause = 0;
}

bool show(Fact& fact, See see) {
  if (fact.scene != 0 || is_for_recorded_player(fact)) return false;
  auto* said = std::get_if<words::Said>(&fact.content);
  if (see == See::kTeams && said != nullptr && said->scope() == words::Say::MY_TEAM && fact.audience != words::ADMINS) {
    const auto team = static_cast<words::Team>(said->to());
    said->set_text("[" + lower_case(words::Team_IsValid(team) ? words::Team_Name(team) : "team") + "] " + said->text());
    said->set_scope(words::Say::EVERYBODY);
    said->set_to(0);
  } else if (kept_back(fact) != nullptr) {
    return false;
  }
  make_public(fact);
  return true;
}

Micros true_since(const Fact& fact, const WorldState& world, Micros now) {
  if (const auto* unit = as<words::Unit>(fact)) return world.unit(unit->id())->posed_at;
  if (const auto* shot = as<words::Shot>(fact)) return world.shot(shot->shooter(), shot->shot())->fired_at;
  if (as<words::Round>(fact) != nullptr) return world.round_told_at();
  return now;
}

void scale_motion(Fact& fact, double by) {
  std::visit(Overloaded{[&](words::Pose& pose) { scale(pose, by); },
                        [&](words::Unit& unit) { scale(*unit.mutable_pose(), by); },
                        [&](words::Spawned& spawned) { scale(*spawned.mutable_pose(), by); },
                        [&](words::Shot& shot) {
                          if (!flies(shot)) return;
                          shot.set_vx(shot.vx() * by);
                          shot.set_vy(shot.vy() * by);
                          shot.set_vz(shot.vz() * by);
                          shot.set_life(shot.life() / by);
                        },
                        [&](words::ShotMoved& moved) {
                          moved.set_vx(moved.vx() * by);
                          moved.set_vy(moved.vy() * by);
                          moved.set_vz(moved.vz() * by);
                        },
                        [](auto&) {}},
             fact.content);
}

words::Pose moved_pose(const words::Pose& pose, Micros posed_at, Micros now) {
  words::Pose there = place_at(pose, posed_at, now);
  if (now >= posed_at + kSecond) scale(there, 0);
  return there;
}

void advance_shot(words::Shot& shot, Micros fired_at, Micros now) {
  const double flown = seconds(now > fired_at ? now - fired_at : 0);
  shot.set_x(shot.x() + shot.vx() * flown);
  shot.set_y(shot.y() + shot.vy() * flown);
  shot.set_z(shot.z() + shot.vz() * flown);
  shot.set_life(std::max(0.0, shot.life() - flown));
}

}  // namespace entente::core
