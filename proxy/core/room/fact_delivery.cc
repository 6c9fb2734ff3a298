#include "proxy/core/room/fact_delivery.h"

#include <algorithm>
#include <utility>

#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/every_scene.h"
#include "proxy/core/room/member_slot.h"

namespace entente::core {
namespace {

/// Whether a fact for several players is for this one.
bool is_for(const Fact& fact, const WorldState& world, Id player) {
  if (fact.audience != words::TEAM && fact.audience != words::ADMINS) return true;
  const PlayerState* const known = world.player(player);
  if (known == nullptr) return false;
  if (fact.audience == words::TEAM) return static_cast<std::uint32_t>(known->player.team()) == fact.to;
  return (known->player.badges() & words::ADMIN) != 0;
}

}  // namespace

void FactDelivery::queue(Fact&& fact) {
  fact.at = room_.now_;
  waiting_.push_back(std::move(fact));
}

void FactDelivery::clear() {
  waiting_.clear();
  switches_.clear();
}

void FactDelivery::deliver() {
  for (const SceneSwitch& change : std::exchange(switches_, {})) carry_out(change);
  delivering_.swap(waiting_);
  for (const Fact& fact : delivering_) deliver(fact);
  has_world_ = has_world_ || !delivering_.empty();
  delivering_.clear();
}

/// The host is told what is in the room's own world and, of other scenes, who has a seat.
void FactDelivery::deliver(const Fact& fact) {
  if (fact.scene == kEveryScene) return deliver_everywhere(fact);
  Scene* const scene = scene_with(fact.scene);
  if (scene == nullptr) return;
  const bool own = scene == &own_;
  if (own && room_.transition_.withholds_from_player(fact)) return;
  scene->world.fold(fact);
  if (refuses_own(fact, *scene)) return;
  room_.transition_.note_spawn(fact, scene->world);
  const auto* player = own ? nullptr : as<words::Player>(fact);
  const auto* gone = own ? nullptr : as<words::PlayerGone>(fact);
  if (own || (player != nullptr && room_.seat_with(player->id())) || (gone != nullptr && room_.seat_with(gone->id())))
    room_.host_.told(fact);
  deliver_to_hearers(fact, *scene);
  if (own && as<words::Ready>(fact) != nullptr) room_.transition_.arrived();
}

/// True: the fact introduces the player of a seat, but the world is full. A front would wait for its player forever, so
/// the player is refused, and leaves.
bool FactDelivery::refuses_own(const Fact& fact, Scene& scene) {
  const auto* const player = as<words::Player>(fact);
  if (player == nullptr || scene.world.player(player->id()) != nullptr) return false;
  Seat* const seat = room_.seat_with(player->id());
  if (seat == nullptr || seat->has_left() || !seat->entered) return false;
  words::Refused full;
  full.set_code(words::Refused::FULL);
  full.set_text("there are too many players and spectators here: try again later");
  Fact answer(seat->me(), std::move(full));
  answer.at = room_.now_;
  room_.host_.told(answer);
  deliver_to_hearers(answer, scene);
  seat->say_unasked(words::Leave());
  return true;
}

void FactDelivery::deliver_now(std::vector<Fact> facts) {
  for (Fact& fact : facts) {
    fact.at = room_.now_;
    own_.world.fold(fact);
    room_.transition_.note_spawn(fact, own_.world);
    room_.host_.told(fact);
    deliver_to_hearers(fact, own_);
  }
}

void FactDelivery::deliver_to_hearers(const Fact& fact, Scene& scene) {
  frames.next_word();
  if (fact.audience == words::PLAYER) {
    if (Seat* const seat = room_.seat_with(fact.to)) seat->hear(fact);
    return;
  }
  for (Seat* seat : scene.hearers)
    if (is_for(fact, scene.world, seat->me())) seat->hear(fact);
}

void FactDelivery::deliver_everywhere(const Fact& fact) {
  room_.host_.told(fact);
  frames.next_word();
  for (Seat* seat : own_.hearers) seat->hear(fact);
  for (const auto& [id, scene] : others_)
    for (Seat* seat : scene.hearers) seat->hear(fact);
}

void FactDelivery::deliver_alone(Seat& seat, Fact fact) {
  fact.at = room_.now_;
  frames.next_word();
  seat.hear(fact);
}

void FactDelivery::add(Seat& seat) {
  seat.scene = &own_;
  ++own_.seats;
}

void FactDelivery::greet(Seat& seat) {
  words::You you;
  you.set_player(seat.me());
  deliver_alone(seat, Fact(seat.me(), you));
  if (!has_world_) return;
  const auto say = [&](Fact& fact) {
    if (auto* round = std::get_if<words::Round>(&fact.content)) *round = own_.world.round_at(room_.now_);
    deliver_alone(seat, std::move(fact));
  };
  own_.world.tell(say, [&](const std::function<void()>& tell) { tell_map(seat, tell); });
}

/// The map is the largest part of a world. It is encoded once for all fronts that would send the same bytes, and those
/// who have not read it yet share its memory.
void FactDelivery::tell_map(Seat& seat, const std::function<void()>& tell) {
  const void* const key = room_.options_.shared_frames_stay ? seat.member->map_key() : nullptr;
  if (key == nullptr || seat.has_left()) return tell();
  if (const auto* map = frames.find_map(key, own_.world.map_version(), room_.now_)) {
    room_.work_ += map->size();
    for (const SharedBytes& frame : *map)
      if (seat.is_open()) room_.host_.send_shared(seat.me(), Lane::kStream, frame);
    return;
  }
  frames.begin_map(key, own_.world.map_version());
  tell();
  frames.end_map(!seat.has_left(), room_.now_);
}

void FactDelivery::link(Seat& seat) { seat.scene->hearers.push_back(&seat); }

void FactDelivery::unlink(Seat& seat) { std::erase(seat.scene->hearers, &seat); }

void FactDelivery::remove(Seat& seat) {
  unlink(seat);
  leave(*seat.scene);
}

/// A scene ends when nobody sees it.
void FactDelivery::leave(Scene& scene) {
  if (--scene.seats == 0 && &scene != &own_) others_.erase(scene.id);
}

/// Moves a seat to a scene. The back must send the seat its own player, because the worlds of scenes do not list seats
/// among their players.
void FactDelivery::carry_out(const SceneSwitch& change) {
  constexpr std::uint32_t kVersionsApart = 1'000'003;
  Seat* const seat = room_.seat_with(change.seat);
  if (seat == nullptr || seat->has_left() || change.scene == 0) return;
  Scene &from = *seat->scene, &to = others_[change.scene];
  if (&from == &to) return;
  const bool is_new = to.seats == 0;
  if (is_new) {
    to.id = change.scene;
    to.world.copy(from.world, change.scene * kVersionsApart);
  }
  ++to.seats;
  if (std::erase(from.hearers, seat) != 0) to.hearers.push_back(seat);
  seat->scene = &to;
  if (!is_new) {
    const auto say = [&](Fact fact) {
      fact.audience = words::PLAYER;
      fact.to = change.seat;
      deliver_alone(*seat, std::move(fact));
    };
    say(change.begin);
    tell_difference(
        from.world, to.world, [](Id) { return false; }, say);
  }
  leave(from);
}

Scene* FactDelivery::scene_with(Id id) {
  if (id == 0) return &own_;
  const auto at = others_.find(id);
  return at != others_.end() ? &at->second : nullptr;
}

const WorldState* FactDelivery::world_of(Id id) {
  const Scene* const scene = scene_with(id);
  return scene != nullptr ? &scene->world : nullptr;
}

void FactDelivery::take_over(WorldState world) {
  own_.world = std::move(world);
  has_world_ = true;
}

bool FactDelivery::knows(Id id) const {
  return has_id(own_.world, id) ||
         std::any_of(others_.begin(), others_.end(), [id](const auto& one) { return has_id(one.second.world, id); });
}

}  // namespace entente::core
