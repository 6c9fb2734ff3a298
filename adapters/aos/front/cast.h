// Who is there: the room's players and their units as the 32 players that a client has room for.
// Law: no client is told of who it was not told is there; who is seen keeps his number, and a number that was
// somebody's rests before it is another's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "adapters/aos/front/client.h"
#include "adapters/aos/front/ground.h"
#include "adapters/aos/front/newcomer.h"
#include "proxy/core/replay/retelling.h"

namespace entente::aos {

using Slot = std::uint8_t;
inline constexpr Slot kOwn = 0;  ///< our client's number; the others have what is free above

/// A player as our client knows it: itself, or somebody's unit.
struct Actor {
  core::Id player = 0;  ///< 0: nobody has this number
  core::Id unit = 0;    ///< 0: not in play
  bool told = false;    ///< the client was told of it …
  bool alive = false;   ///< … and that it is in play
  bool watches = false;
  bool dead = false;    ///< until it is said to spawn: a death that named no unit, or our own in another game
  bool unseen = false;  ///< it was there first, and nobody has seen where
  std::uint8_t side = kBlue, weapon = 0, tool = kGun, keys = 0, buttons = 0;
  bool has_keys = false;  ///< its room tells them
  std::string name;       ///< as on the wire
  std::optional<std::uint32_t> colour;
  core::Micros keyed = 0, shooting = 0;  ///< when its keys were last guessed; until when it is seen to shoot
  core::Micros freed = 0;                ///< when nobody came to have this number
  Motion motion;                         ///< last told
  core::Micros told_whole = 0;           ///< when all of it was (state_updates)
};

/// Who wants to know that our client was put into play, or put elsewhere by that.
class OwnLife {
 public:
  virtual void begins(const Actor& own, FrontOut& out) = 0;

 protected:
  ~OwnLife() = default;
};

class Cast {
 public:
  Cast(Client& client, const Ground& ground, const Newcomer& newcomer, const core::Retelling& retold, OwnLife& life)
      : client_(client), ground_(ground), newcomer_(newcomer), retold_(retold), life_(life) {}

  void hear(const words::Player& player, FrontOut& out);
  void hear(const words::PlayerGone&, FrontOut& out) { recast(out); }
  void hear(const words::Owns&, FrontOut& out) { recast(out); }
  void hear(const words::Unit& unit, FrontOut& out);
  void hear(const words::UnitChanged& changed, FrontOut& out);
  void hear(const words::Gone&, FrontOut& out) { recast(out); }
  void hear(const words::Score& score, FrontOut& out);
  void hear(const words::Spawned& spawned, FrontOut& out);
  void hear(const words::Input& input, FrontOut& out);

  /// The client has loaded a map: tells it who was there first.
  void greet(FrontOut& out);
  /// The client knows of nobody any more.
  void clear() { actors_ = {}; }
  /// Who is there has changed.
  void recast(FrontOut& out);
  /// Somebody looks otherwise.
  void redress(FrontOut& out);
  /// A painting begins.
  void refresh(FrontOut& out);
  /// Puts our client into play, there, or where it watches; the strongest way to move it.
  void create_own(const words::Pose& pose, FrontOut& out) { create(kOwn, pose, out); }
  void dress_own(FrontOut& out) { dress(own(), out); }

  /// Tells what somebody does with his hands and feet.
  void press_keys(Slot slot, std::uint8_t keys, FrontOut& out);
  void press(Slot slot, std::uint8_t buttons, FrontOut& out);
  void show_colour(Slot slot, std::uint32_t colour, FrontOut& out);

  Actor& operator[](Slot slot) { return actors_[slot]; }
  const Actor& operator[](Slot slot) const { return actors_[slot]; }
  Actor& own() { return actors_[kOwn]; }
  const Actor& own() const { return actors_[kOwn]; }
  bool playing() const { return ground_.loaded() && own().alive; }
  std::optional<Slot> slot_of_unit(core::Id unit) const;
  std::optional<Slot> slot_of_player(core::Id player) const;
  /// The same, of those that the client was told of.
  std::optional<Slot> shown_player(core::Id player) const;

  /// As State Data tells them.
  const Sides& sides() const { return sides_; }
  void set_sides(const Sides& sides) { sides_ = sides; }
  std::uint8_t side_of_player(const words::Player& player, const FrontOut& out) const;

 private:
  struct Part {
    core::Id player = 0, unit = 0;
    double far = 0;  ///< metres from our client's unit
    bool taken = false;
  };
  void cast(FrontOut& out);
  void list_parts(FrontOut& out);
  void leave_out_the_far(FrontOut& out);
  void keep_parts(FrontOut& out);
  void enlist(const Part& part, FrontOut& out);
  void look_after(Slot slot, FrontOut& out);
  void look_after_all(FrontOut& out);
  void dress(Actor& actor, FrontOut& out) const;
  void create(Slot slot, const words::Pose& pose, FrontOut& out);
  void introduce(Slot slot, FrontOut& out);
  void dismiss(Slot slot, FrontOut& out);

  Client& client_;
  const Ground& ground_;
  const Newcomer& newcomer_;
  const core::Retelling& retold_;
  OwnLife& life_;
  std::array<Actor, kMostPlayers> actors_;
  std::vector<Part> parts_;  // who shall be seen: made anew with each recast
  bool crowded_ = false;     // more than there is room for
  core::Micros choose_at_ = 0;
  std::size_t listed_ = 0;  // units that were gone through for it since the last painting
  Sides sides_;
};

}  // namespace entente::aos
