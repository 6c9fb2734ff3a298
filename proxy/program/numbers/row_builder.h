// Turns the facts of a recording into rows (rows.h), for every game alike: it knows words only.
// Invariant: each event gives a row; a description of a moment (a world, or facts that are told again) gives none.
// Memory depends on the number of players and units, not on the length of the recording. The number of positions
// is limited by the number of facts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "proxy/core/replay/resync_phase.h"
#include "proxy/core/world.h"
#include "proxy/program/base/progress.h"
#include "proxy/program/conversion/recorded_session.h"
#include "proxy/program/numbers/rows.h"

namespace entente::numbers {

class RowBuilder {
 public:
  // The limit of positions: kPositionsAtOnce, plus kPositionsPerFact for each fact. The last sample has all units.
  static constexpr std::uint64_t kPositionsAtOnce = 200'000, kPositionsPerFact = 100;

  struct Options {
    core::Micros every = core::kSecond;  ///< between positions; 0: no positions
    WallTime began = 0;                  ///< the wall-clock time at 0; 0: unknown
    core::Micros first = 0;              ///< when the first match begins
  };

  /// `to` outlives it.
  RowBuilder(RowSink& to, const Options& options);

  void take(const core::Fact& fact);
  /// From `at` on, the world is this one: the recording begins with it, or another session is read from there on.
  /// `until`: when the session before it ended. Nobody lives between the two.
  void become(core::WorldState world, core::Micros at, core::Micros until);
  /// The recording ends.
  void end(core::Micros at);

  const core::WorldState& world() const { return world_; }
  /// From when on positions are left out, because there were too many for the facts; nothing: none were left out.
  std::optional<core::Micros> positions_end() const { return positions_end_; }

 private:
  struct Guest {
    std::int64_t number = 0;
    core::Micros joined = 0;
    bool scored = false;  // a score was told
  };
  /// The life of a unit; in games of cells, of a player.
  struct Alive {
    std::int64_t number = 0;
    core::Id player = 0, unit = 0, moves = 0;  // moves: the cell whose way counts
    core::Micros began = 0, seen = 0;
    Place from, last;
    bool broken = false;  // the way to the next place is not driven
    bool hit_told = false;
    double distance = 0;
    std::int64_t kills = 0, shots = 0;
  };
  using LifeKey = std::uint64_t;
  static constexpr LifeKey kOfPlayer = LifeKey{1} << 32U;

  // Before the fact changes the world.
  template <class T>
  void before(const T&, const core::Fact&) {}
  void before(const words::PlayerGone& gone, const core::Fact&);
  void before(const words::Pose& pose, const core::Fact&);
  void before(const words::Corrected& corrected, const core::Fact&);
  void before(const words::Teleported& teleported, const core::Fact&);
  void before(const words::Hidden& hidden, const core::Fact&);
  void before(const words::Gone& gone, const core::Fact&);
  void before(const words::Died& died, const core::Fact&);
  void before(const words::Health& health, const core::Fact&);
  void before(const words::Shot& shot, const core::Fact&);
  void before(const words::Token& token, const core::Fact&);
  void before(const words::TokenTaken& taken, const core::Fact&);
  void before(const words::TokenDropped& dropped, const core::Fact&);
  void before(const words::TokenCaptured& captured, const core::Fact&);
  void before(const words::Score& score, const core::Fact&);
  void before(const words::TeamScore& score, const core::Fact&);
  void before(const words::Said& said, const core::Fact& fact);
  void before(const words::Lag& lag, const core::Fact&);
  void before(const words::Round& round, const core::Fact&);
  void before(const words::World& land, const core::Fact&);
  // Afterwards.
  template <class T>
  void after(const T&) {}
  void after(const words::Player& player) { know(player.id()); }
  void after(const words::Unit& unit) { look_at(unit.id()); }
  void after(const words::Spawned& spawned);

  double now_s() const;
  /// A row of what happens now.
  template <class R>
  R event() const {
    R row;
    row.time_s = now_s();
    row.match = match_.match;
    return row;
  }
  Ref ref(core::Id player) const;
  Place place_of(const core::UnitState& unit) const;
  Place place_of_player(core::Id player) const;
  bool same_team(core::Id a, core::Id b) const;
  std::string weapon_of(core::Id shooter, core::Id shot) const;

  void pass_time(core::Micros until);
  void tell_positions(core::Micros at);
  void know(core::Id player);
  void forget(core::Id player, bool left);
  void compare();

  static LifeKey key_of(const core::UnitState& unit);
  Alive* life_of(core::Id unit);
  Alive* life_of_player(core::Id player);
  void look_at(core::Id unit);
  void begin_life(const core::UnitState& unit);
  void end_life(LifeKey key, const char* why);
  void end_lives_of(core::Id player, const char* why);
  void move(core::Id unit, double x, double y, double z);

  Item item_of(const words::Token& token, const char* what) const;
  void use(const words::World& land);
  void begin_match();
  void end_match();

  RowSink& to_;
  const Options options_;
  core::WorldState world_;
  core::ResyncPhase retelling_;
  bool was_retelling_ = false;
  core::Micros now_, next_positions_;
  std::map<core::Id, Guest> guests_;
  std::map<LifeKey, Alive> lives_;
  std::map<core::Id, std::set<LifeKey>> lives_of_;  // by player; none is empty
  std::uint64_t positions_left_ = kPositionsAtOnce;
  std::optional<core::Micros> positions_end_;
  std::int64_t players_ = 0, lives_begun_ = 0;
  Match match_;
  std::string land_;  // hash of the match's geometry
  bool has_land_ = false;
};

/// Reads all of the recording; then ask the builder where positions end. An error says that it was interrupted
/// (Interruption), or what cannot be read.
Outcome<Done> read_rows(PlayedWords& words, RowBuilder& builder, Progress& progress);

}  // namespace entente::numbers
