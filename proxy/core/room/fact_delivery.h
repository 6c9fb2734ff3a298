// The facts of a room on their way from its back to its fronts, and the worlds that the fronts see. A part of Room.
// Invariant: facts are delivered in the order in which they were said. A fact is folded into the world of its scene,
// and then heard by the seats that see this scene and that it is for. A scene exists as long as a seat sees it.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "proxy/core/shared_frames.h"
#include "proxy/core/world.h"

namespace entente::core {

class Room;
class Seat;

/// A world, and who sees it.
struct Scene {
  Id id = 0;
  WorldState world = {};
  std::vector<Seat*> hearers = {};  ///< the seats with a link; a vector, because most facts go to all
  std::size_t seats = 0;            ///< also those without a link
};

class FactDelivery {
 public:
  explicit FactDelivery(Room& room) : room_(room) {}

  // -- Facts ----------------------------------------------------------------------------------------------------------

  /// The room's back says the fact now.
  void queue(Fact&& fact);
  /// See BackOut::switch_scene().
  void switch_scene(Id seat, Id scene, const words::Clock& begin) { switches_.push_back({seat, scene, begin}); }
  /// Facts that are not delivered yet, in the order in which they were said.
  std::vector<Fact>& waiting() { return waiting_; }
  bool any() const { return !waiting_.empty() || !switches_.empty(); }
  void clear();
  /// Delivers all that wait, but not what is said meanwhile.
  void deliver();
  /// Delivers facts of the room's own scene before all that wait.
  void deliver_now(std::vector<Fact> facts);

  // -- Seats ----------------------------------------------------------------------------------------------------------

  /// A new seat sees the room's own scene.
  void add(Seat& seat);
  /// Tells a new seat its player's id and, if there is one yet, the world.
  void greet(Seat& seat);
  /// The seat has a link: it hears from now on.
  static void link(Seat& seat);
  /// It has none any more.
  static void unlink(Seat& seat);
  /// It does not exist any more.
  void remove(Seat& seat);

  // -- Worlds ---------------------------------------------------------------------------------------------------------

  /// The room's own world. Only Transition changes it without facts, and IntentDelivery before there are any.
  WorldState& world() { return own_.world; }
  const WorldState& world() const { return own_.world; }
  /// Null: nobody sees that scene.
  const WorldState* world_of(Id scene);
  /// The room goes on with the world of a player who comes from another room.
  void take_over(WorldState world);
  /// Whether a fact was delivered, so that there is a world.
  bool has_world() const { return has_world_; }
  /// Whether a world has this id.
  bool knows(Id id) const;

  /// Delivers to this seat only. The world and recorders do not hear of it.
  void deliver_alone(Seat& seat, Fact fact);

  SharedFrames frames;

 private:
  struct SceneSwitch {
    Id seat, scene;
    words::Clock begin;
  };

  Scene* scene_with(Id id);
  void carry_out(const SceneSwitch& change);
  void leave(Scene& scene);
  void deliver(const Fact& fact);
  bool refuses_own(const Fact& fact, Scene& scene);
  void deliver_everywhere(const Fact& fact);
  void deliver_to_hearers(const Fact& fact, Scene& scene);
  void tell_map(Seat& seat, const std::function<void()>& tell);

  Room& room_;
  Scene own_;  // scene 0
  std::unordered_map<Id, Scene> others_;
  bool has_world_ = false;
  std::vector<SceneSwitch> switches_;
  std::vector<Fact> waiting_, delivering_;
};

}  // namespace entente::core
