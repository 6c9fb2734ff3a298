// The scenes of a room: worlds of their own, each for some of the seats.
#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/every_scene.h"
#include "proxy/core/room/room_slots.h"

namespace entente::core {

const WorldState& Room::world_seen_by(Id seat) const {
  const auto at = seats_.find(seat);
  const Scene* const scene = at != seats_.end() ? scene_of(at->second->scene) : nullptr;
  return scene != nullptr ? scene->world : world_;
}

Room::Scene* Room::scene_of(Id scene) const {
  const auto at = scene != 0 ? scenes_.find(scene) : scenes_.end();
  return at != scenes_.end() ? at->second.get() : nullptr;
}

std::vector<Room::FrontSlot*>& Room::hearers_with(const FrontSlot& seat) {
  Scene* const scene = scene_of(seat.scene);
  return scene != nullptr ? scene->hearers : hearers_;
}

/// A seat leaves its scene, which ends if nobody else sees it.
void Room::leave_scene(FrontSlot& seat) {
  Scene* const scene = scene_of(seat.scene);
  if (scene != nullptr && --scene->seats == 0) scenes_.erase(seat.scene);
  seat.scene = 0;
}

/// Moves a seat to a scene. The back must send the seat its own player, because the worlds of scenes do not list seats
/// among their players.
void Room::carry_out(const SceneSwitch& change) {
  constexpr std::uint32_t kVersionsApart = 1'000'003;
  const auto at = seats_.find(change.seat);
  if (at == seats_.end() || at->second->left || at->second->scene == change.scene || change.scene == 0) return;
  FrontSlot& seat = *at->second;
  const WorldState& from = world_seen_by(change.seat);
  auto& scene = scenes_[change.scene];
  const bool is_new = scene == nullptr;
  if (is_new) {
    scene = std::make_unique<Scene>();
    scene->world.copy(from, change.scene * kVersionsApart);
  }
  ++scene->seats;
  if (std::erase(hearers_with(seat), &seat) != 0) scene->hearers.push_back(&seat);
  const Id before = std::exchange(seat.scene, change.scene);
  if (!is_new) {
    const auto say = [&](Fact fact) {
      fact.at = now_;
      fact.audience = words::PLAYER;
      fact.to = change.seat;
      shared_frames_.next_word();
      if (!seat.left) tell(seat, fact);
    };
    say(change.begin);
    tell_difference(
        from, scene->world, [](Id) { return false; }, say);
  }
  if (Scene* const old = scene_of(before); old != nullptr && --old->seats == 0) scenes_.erase(before);
}

/// The host is told only facts about seats: everything else in a scene is not the room's own.
void Room::deliver_in_scene(const Fact& fact) {
  if (fact.scene == kEveryScene) {
    host_.told(fact);
    shared_frames_.next_word();
    const auto each = [&](const std::vector<FrontSlot*>& hearers) {
      for (FrontSlot* seat : hearers)
        if (!seat->left) tell(*seat, fact);
    };
    each(hearers_);
    for (const auto& [id, scene] : scenes_) each(scene->hearers);
    return;
  }
  Scene* const scene = scene_of(fact.scene);
  if (scene == nullptr) return;
  scene->world.fold(fact);
  const auto* player = as<words::Player>(fact);
  const auto* gone = as<words::PlayerGone>(fact);
  if ((player != nullptr && seats_.contains(player->id())) || (gone != nullptr && seats_.contains(gone->id())))
    host_.told(fact);
  if (fact.audience == words::PLAYER) return deliver(fact);
  shared_frames_.next_word();
  for (FrontSlot* seat : scene->hearers)
    if (!seat->left && is_for(fact, scene->world, seat->me())) tell(*seat, fact);
}

}  // namespace entente::core
