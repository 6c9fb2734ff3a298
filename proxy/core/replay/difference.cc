#include "proxy/core/replay/difference.h"

#include <vector>

#include "proxy/core/bodies.h"
#include "proxy/core/edits.h"

namespace entente::core {
namespace {

template <class T>
bool same(const T& one, const T& other) {
  return one.SerializeAsString() == other.SerializeAsString();
}

bool same_geometry(const WorldState& one, const WorldState& other) {
  if (one.geometry() == nullptr || other.geometry() == nullptr) return one.geometry() == other.geometry();
  return one.geometry() == other.geometry() || same(*one.geometry(), *other.geometry());
}

/// Compares units without the fields that have their own words.
bool same_looks(words::Unit one, words::Unit other) {
  for (words::Unit* unit : {&one, &other}) {
    unit->clear_pose();
    unit->clear_alive();
    unit->clear_health();
  }
  return same(one, other);
}

/// Calls `see` for the edits that turn the land of the first into that of the second. False: no edits can
/// do that, so the land must be sent again.
template <class F>
bool each_edit_between(const WorldState& one, const WorldState& other, F&& see) {
  if (!same_geometry(one, other)) return false;
  std::vector<BlockEdit> from = one.edits().all(), to = other.edits().all();
  tidy_edits(from);
  tidy_edits(to);
  std::vector<const BlockEdit*> between;
  if (!edits_between(from, to, between)) return false;
  for (const BlockEdit* edit : between) see(*edit);
  return true;
}

class Difference {
 public:
  Difference(const WorldState& from, const WorldState& to, const std::function<void(Fact)>& say)
      : from_(from), to_(to), say_(say) {}

  void tell(const std::function<bool(Id)>& stays) const {
    tell_gone(stays);
    const bool grows = each_edit_between(from_, to_, [this](const BlockEdit& edit) { say_(edit.word()); });
    const auto say = [this](const Fact& fact) { std::visit([this](const auto& word) { on(word); }, fact.content); };
    grows ? to_.tell_without_map(say) : to_.tell(say);
  }

 private:
  /// Removes what only the first world has, and ends all its shots.
  void tell_gone(const std::function<bool(Id)>& stays) const {
    for (const ShotState& state : from_.shots()) {
      words::ShotEnded ended;
      ended.set_shooter(state.shot.shooter());
      ended.set_shot(state.shot.shot());
      say_(ended);
    }
    for (const auto& [id, token] : from_.tokens())
      if (to_.token(id) == nullptr) tell_nowhere(token);
    const auto is_gone = [&](const UnitState& state) { return to_.unit(state.unit.id()) == nullptr; };
    for (const Id id : from_.sorted_units(is_gone)) {
      words::Gone gone;
      gone.set_unit(id);
      say_(gone);
    }
    for (const auto& [id, state] : from_.players()) {
      if (to_.player(id) != nullptr || stays(id)) continue;
      words::PlayerGone gone;
      gone.set_id(id);
      say_(gone);
    }
  }

  void tell_nowhere(words::Token token) const {
    if (token.state() == words::Token::NOWHERE) return;
    token.set_state(words::Token::NOWHERE);
    token.clear_carrier();
    say_(token);
  }

  // The facts of the second, in the order of WorldState::tell().
  template <class T>
  void on(const T&) const {}
  void on(const words::Room& room) const {
    if (!same(room, from_.room())) say_(room);
  }
  void on(const words::Rule& rule) const {
    const auto known = from_.rules().find(rule.name());
    if (known == from_.rules().end() || known->second != rule.value()) say_(rule);
  }
  void on(const words::World& land) const { say_(land); }
  void on(const words::WorldEdit& edit) const { say_(edit); }
  void on(const words::Player& player) const {
    const PlayerState* known = from_.player(player.id());
    if (known == nullptr || !same(known->player, player)) say_(player);
  }
  void on(const words::Unit& unit) const {
    const UnitState* known = from_.unit(unit.id());
    if (known == nullptr) return say_(unit);
    if (known->unit.alive() != unit.alive() || !same_looks(known->unit, unit)) return say_(unit);
    if (known->unit.health() != unit.health()) say_(health_word(unit.id(), unit.health(), unit.max_health()));
    const bool shown = known->hidden && !to_.unit(unit.id())->hidden;
    if (shown || !same(known->unit.pose(), unit.pose())) say_(unit.pose());
  }
  /// Follows the Unit of a hidden unit, because every word about a unit makes it visible.
  void on(const words::Hidden& hidden) const { say_(hidden); }
  void on(const words::Owns& owns) const {
    const PlayerState* known = from_.player(owns.player());
    const PlayerState& wanted = *to_.player(owns.player());
    if (known == nullptr || known->units != wanted.units || known->active != wanted.active) say_(owns);
  }
  void on(const words::Score& score) const {
    const PlayerState* known = from_.player(score.player());
    if (known == nullptr || !same(known->score, score)) say_(score);
  }
  void on(const words::Shot& shot) const { say_(shot); }
  void on(const words::Token& token) const {
    const words::Token* known = from_.token(token.id());
    if (known == nullptr || !same(*known, token)) say_(token);
  }
  void on(const words::TeamScore& score) const {
    const auto known = from_.team_scores().find(score.team());
    if (known == from_.team_scores().end() || !same(known->second, score)) say_(score);
  }
  void on(const words::Board& board) const {
    if (!same(board, from_.board())) say_(board);
  }
  void on(const words::Round& round) const {
    if (!same(round, from_.round())) say_(round);
  }

  const WorldState& from_;
  const WorldState& to_;
  const std::function<void(Fact)>& say_;
};

}  // namespace

void tell_difference(const WorldState& from, const WorldState& to, const std::function<bool(Id player)>& stays,
                     const std::function<void(Fact)>& say) {
  Difference(from, to, say).tell(stays);
}

bool resends_land(const WorldState& from, const WorldState& to) {
  return to.geometry() != nullptr && from.map_version() != to.map_version() &&
         !each_edit_between(from, to, [](const BlockEdit&) {});
}

}  // namespace entente::core
