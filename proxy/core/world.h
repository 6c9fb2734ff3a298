// What is true in a room, folded from its facts: players, units, geometry, rules. Snapshot protocols draw it; late
// joiners and recordings receive it.
// Invariant: fold() is the only way to change it (and become(), for another server), and the same facts in the same
// order give the same world. A value that no fact has set is the default.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/edits.h"
#include "proxy/core/grid.h"
#include "proxy/core/word.h"

namespace entente::core {

/// A unit as last reported. place_at() computes where it is now.
struct UnitState {
  words::Unit unit;     ///< its pose is the last one reported; its other fields are current
  Micros posed_at = 0;  ///< when that pose was reported
  bool hidden = false;
  std::uint32_t looks_version = 0;  ///< changes whenever a Unit or UnitChanged changes its looks; never 0
};

/// Height of the ground in metres, on which solids and men stand. 0 where it is flat, and outside the bounds.
double ground_at(const words::World& geometry, double x, double y);
/// For games without hills: the same world with its ground, and what stands on it, at z = 0.
words::World flattened(words::World geometry);

/// A geometry is known by its hash: one that has none gets one, made from its other fields.
void ensure_hash(words::World& geometry);

struct PlayerState {
  words::Player player;
  std::vector<Id> units;  ///< each once
  Id active = 0;          ///< the unit it steers
  words::Score score;
  words::Ammo ammo;
  double ping_s = 0;
};

struct ShotState {
  words::Shot shot;
  Micros fired_at = 0;
};

/// What exceeds these limits is not kept, but counted (WorldState::orphaned).
/// `units`: also limits the edited blocks (EditList::add), and what all players together own. `owned`: by one player.
/// `players`: of those whom WorldState::players() lists, and again of those whom it does not. `tokens`: a token that is
/// NOWHERE is forgotten in favour of a new one.
struct WorldLimits {
  std::size_t units = 20'000, players = 1'000, tokens = 2'000, rules = 2'000, shots = 4'000;
  std::size_t owned = 4'096;
  std::size_t geometry_bytes = 64U << 20U;
};

class WorldState {
 public:
  WorldState() : WorldState(WorldLimits{}) {}
  explicit WorldState(const WorldLimits& limits) : limits_(limits) {}
  // grid_ points into units_; moving keeps these pointers valid, copying would not.
  WorldState(const WorldState&) = delete;
  WorldState& operator=(const WorldState&) = delete;
  WorldState(WorldState&&) = default;
  WorldState& operator=(WorldState&&) = default;

  void fold(const Fact& fact);
  /// The room has a new server, whose world is `next`, and every difference was folded: forgets what words cannot
  /// remove. Its counts continue.
  void become(WorldState&& next);

  /// Says the whole world as facts, each referring only to earlier ones: room, rules, geometry, players, units,
  /// tokens, scores, the round, and Ready (if it was told). `say` gets only facts for everybody.
  template <class F>
  void tell(F&& say) const {
    const auto sink = [&](Fact fact) { say(fact); };
    tell_to(Telling{sink}, true);
  }
  /// The same, but calls `tell_map(tell)` instead of saying the geometry and its edits: `tell()` says them.
  template <class F, class M>
  void tell(F&& say, M&& tell_map) const {
    const auto sink = [&](Fact fact) { say(fact); };
    const MapTeller teller = [&](const std::function<void()>& tell) { tell_map(tell); };
    tell_to(Telling{sink}, true, &teller);
  }
  /// The same without the geometry and its edits, which are large.
  template <class F>
  void tell_without_map(F&& say) const {
    const auto sink = [&](Fact fact) { say(fact); };
    tell_to(Telling{sink}, false);
  }
  /// Makes this world a copy of another. `versions_from`: added to what versions (UnitState::looks_version,
  /// players_version) are counted from, so that later changes of the two have different ones.
  void copy(const WorldState& other, std::uint32_t versions_from);

  // -- Looking
  // ---------------------------------------------------------------------------------------------------------

  const words::Room& room() const { return room_; }
  /// Null: unknown.
  const words::World* geometry() const { return geometry_.get(); }
  /// For several worlds with the same geometry, which is then kept once.
  const std::shared_ptr<const words::World>& shared_geometry() const { return geometry_; }
  void share_geometry(std::shared_ptr<const words::World> geometry);
  /// Takes the geometry and the edits of another world.
  void share_map(const WorldState& other) {
    geometry_ = other.geometry_;
    edits_ = other.edits_;
    map_version_ = other.map_version_;
  }
  /// The same. `translate(Id)` returns the id here of a player there.
  template <class F>
  void share_map(const WorldState& other, F&& translate) {
    geometry_ = other.geometry_;
    map_version_ = next_map_version();
    edits_.clear();
    other.edits_.each([&](BlockEdit edit) {
      if (edit.by != 0) edit.by = translate(edit.by);
      edits_.append(edit);
    });
  }
  /// Another one whenever the geometry or its edits have changed, and never the same for two different maps.
  std::uint64_t map_version() const { return map_version_; }
  /// 0: no geometry is known.
  double ground_at(double x, double y) const { return geometry_ ? core::ground_at(*geometry_, x, y) : 0; }
  /// The same pose in flattened() geometry: z is the height above the ground, and 0 for a unit that stands on it.
  words::Pose flattened(words::Pose pose) const;
  bool ready() const { return ready_; }
  const words::Round& round() const { return round_; }
  /// When the round was last reported.
  Micros round_told_at() const { return round_told_at_; }
  /// The round with its clock advanced to now.
  words::Round round_at(Micros now) const;
  const words::Board& board() const { return board_; }

  /// Also one who is not among players().
  const PlayerState* player(Id id) const;
  const UnitState* unit(Id id) const;
  const words::Token* token(Id id) const;
  /// `number`: as in words::Shot.
  const ShotState* shot(Id shooter, std::uint32_t number) const;
  /// The unit that a player steers; null if there is none.
  const UnitState* active_unit(Id player) const;

  // In the order of their ids.
  /// Without players whose `Player` fact went only to themselves, such as viewers of a recording. tell() and copy()
  /// leave them out, too.
  const std::map<Id, PlayerState>& players() const { return players_; }
  const std::map<Id, words::Token>& tokens() const { return tokens_; }
  const std::map<words::Team, words::TeamScore>& team_scores() const { return team_scores_; }
  const std::map<std::string, std::string, std::less<>>& rules() const { return rules_; }
  /// A rule's value as a number; `otherwise` if the rule is unknown or not a number.
  double rule(std::string_view name, double otherwise) const;

  /// In the order in which they were made.
  const EditList& edits() const { return edits_; }

  /// In no order. The ids may be a peer's choice.
  using Units = std::unordered_map<Id, UnitState, KeyedHash<Id>>;
  const Units& units() const { return units_; }
  /// The units for which `fits(const UnitState&)` is true, in the order of their ids, so that the result is
  /// reproducible.
  template <class F>
  std::vector<Id> sorted_units(F&& fits) const {
    std::vector<Id> ids;
    for (const auto& [id, state] : units_)
      if (fits(state)) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }
  std::vector<Id> sorted_units() const {
    return sorted_units([](const UnitState&) { return true; });
  }
  const std::vector<ShotState>& shots() const { return shots_; }

  /// Calls `see(const UnitState&)` for every visible unit whose centre is in this box.
  template <class F>
  void in_box(double west, double east, double south, double north, F&& see) const {
    grid_.in_box(west, east, south, north, [&](const UnitState* state) {
      if (!state->hidden) see(*state);
    });
  }

  /// Incremented with each Player fact, and whenever a player has left.
  std::uint32_t players_version() const { return players_version_; }

  /// Facts that were not kept because they concern a player or unit that no fact introduced, or because they exceed
  /// WorldLimits.
  std::uint64_t orphaned() const { return orphaned_; }

 private:
  // A function reference, so that tell() allocates nothing and the order stays in world.cc.
  class Telling {
   public:
    template <class F>
    explicit Telling(const F& sink)
        : object_(&sink),
          call_([](const void* object, Fact fact) { (*static_cast<const F*>(object))(std::move(fact)); }) {}
    void operator()(Fact fact) const { call_(object_, std::move(fact)); }

   private:
    const void* object_;
    void (*call_)(const void*, Fact);
  };
  using MapTeller = std::function<void(const std::function<void()>& tell)>;
  void tell_to(const Telling& say, bool with_map, const MapTeller* teller = nullptr) const;
  void tell_units(const Telling& say) const;
  static void tell_belongings(const PlayerState& state, const Telling& say);

  // The kinds that change a world; all others are ignored.
  template <class T>
  void on(const T&, const Fact&) {}
  void on(const words::Room& room, const Fact&) { room_ = room; }
  void on(const words::Rule& rule, const Fact&);
  void on(const words::World& world, const Fact&);
  void on(const words::WorldEdit& edit, const Fact&);
  void on(const words::Player& player, const Fact& fact);
  void on(const words::PlayerGone& gone, const Fact&);
  void on(const words::Owns& owns, const Fact&);
  void on(const words::Unit& unit, const Fact& fact);
  void on(const words::UnitChanged& change, const Fact&);
  void on(const words::Pose& pose, const Fact& fact);
  void on(const words::Corrected& corrected, const Fact& fact) { on(corrected.pose(), fact); }
  void on(const words::Hidden& hidden, const Fact&);
  void on(const words::Gone& gone, const Fact&) { forget_unit(gone.unit()); }
  void on(const words::Spawned& spawned, const Fact& fact);
  void on(const words::Died& died, const Fact&);
  void on(const words::Health& health, const Fact&);
  void on(const words::Ammo& ammo, const Fact&);
  void on(const words::Shot& shot, const Fact& fact);
  void on(const words::ShotMoved& moved, const Fact&);
  void on(const words::ShotEnded& ended, const Fact&);
  void on(const words::Token& token, const Fact&);
  void on(const words::TokenTaken& taken, const Fact& fact) { on(taken.token(), fact); }
  void on(const words::TokenDropped& dropped, const Fact& fact) { on(dropped.token(), fact); }
  void on(const words::Zone& zone, const Fact&);
  void on(const words::Score& score, const Fact&);
  void on(const words::TeamScore& score, const Fact&);
  void on(const words::Board& board, const Fact&) { board_ = board; }
  void on(const words::Round& round, const Fact& fact) { round_ = round, round_told_at_ = fact.at; }
  void on(const words::Lag& lag, const Fact&);
  void on(const words::Ready&, const Fact&) { ready_ = true; }

  UnitState* find_unit(Id id);
  PlayerState* find_player(Id id);
  bool set_owner(Id unit, Id player);
  void disown(const PlayerState& state);
  void forget_unit(Id id);
  void forget_spent_shots(Micros now);
  static std::uint64_t next_map_version();

  WorldLimits limits_;
  words::Room room_;
  bool ready_ = false;
  std::shared_ptr<const words::World> geometry_;
  EditList edits_;
  std::uint64_t map_version_ = 0;
  words::Round round_;
  Micros round_told_at_ = 0;
  words::Board board_;
  std::map<Id, PlayerState> players_;
  std::map<Id, PlayerState> unlisted_;  // of whom only they themselves are told
  Units units_;
  std::set<std::pair<Id, Id>> owners_;  // a unit, and a player who owns or steers it
  std::map<Id, words::Token> tokens_;
  std::set<Id> nowhere_;  // tokens; no fact removes one, so these are forgotten when there are too many
  std::map<words::Team, words::TeamScore> team_scores_;
  std::map<std::string, std::string, std::less<>> rules_;
  std::vector<ShotState> shots_;
  Grid<const UnitState*> grid_{100};  // metres: a third of what a client of Ogar sees
  std::uint64_t orphaned_ = 0;
  std::uint32_t looks_version_ = 0, players_version_ = 0;
};

/// The longest extrapolation; after that, the unit is assumed to stand.
inline constexpr double kDeadReckoningSeconds = 1.0;

/// Dead reckoning: where a pose told at `told` is at `now`, extrapolated for at most `most` seconds.
words::Pose place_at(const words::Pose& pose, Micros told, Micros now, double most = kDeadReckoningSeconds);

/// The sides of a geometry centred in the room; width (west to east) and height in metres.
void set_sides(words::World& geometry, double width, double height);

}  // namespace entente::core
