// What one session of a recording saw, while another session is played: its world at a time, and the ids that its units
// have in the played session.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "proxy/base/keyed_hash.h"
#include "proxy/program/conversion/recorded_session.h"

namespace entente {

class SessionView {
 public:
  /// `begins`: the wall-clock time at time 0 of the played session.
  SessionView(const RecordedSessions& found, const RecordedSessionInfo& about, WallTime begins);

  std::uint32_t link() const { return about_.link; }
  /// Whether its player knows the world at that time.
  bool covers(core::Micros at) const { return at >= from_ && at < to_; }
  /// Whether it has gone to some time, from where next() goes on.
  bool is_placed() const { return placed_; }
  /// Whether its player knows the world there.
  bool is_at_world() const { return placed_ && world_.ready(); }
  const core::WorldState& world() const { return world_; }

  /// Goes to the time `at`. False: it cannot be read.
  bool seek(core::Micros at);
  void leave() { placed_ = false; }
  /// Takes its next fact until `now`; nullopt: there is none. The caller applies it with fold().
  std::optional<core::Fact> next(core::Micros now);
  void fold(const core::Fact& fact) { world_.fold(fact); }

  /// Whether it saw the same world as `told`. Compares once for each pair. REQUIRES: both have their geometry.
  bool is_of_same_land(const core::WorldState& told);

  // The ids of its units in the played session.
  struct Known {
    core::Id id = 0;    ///< 0: not shown yet
    bool over = false;  ///< the played session reported that it is gone: it is not shown again
  };
  /// Null: not known yet.
  Known* known(core::Id own);
  void set_known(core::Id own, core::Id id);
  /// Its own unit that has this id in the played session; 0: none.
  core::Id own(core::Id id) const;
  void forget(core::Id own);

  bool told_other_land = false;  ///< said to the operator

 private:
  RecordedSessionInfo about_;
  std::unique_ptr<RecordedSession> session_;
  core::WorldState world_;
  core::Micros from_ = 0, to_ = 0;
  bool placed_ = false;
  std::unordered_map<core::Id, Known, KeyedHash<core::Id>> known_;
  std::unordered_map<core::Id, core::Id, KeyedHash<core::Id>> own_;
  std::shared_ptr<const words::World> compared_, compared_own_;
  bool same_land_ = false;
};

}  // namespace entente
