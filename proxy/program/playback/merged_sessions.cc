#include "proxy/program/playback/merged_sessions.h"

#include <algorithm>
#include <cmath>

#include "proxy/program/base/counted.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

using core::Fact, core::Id, core::Micros, core::UnitState;

constexpr Micros kSameWords = 3 * core::kSecond;  // the same line of a player in two sessions within this time is one
constexpr Micros kSameDeath = 2 * core::kSecond;  // the same for a player's death
constexpr Micros kDisagrees = 5 * core::kSecond;  // a shorter difference of scores is only a delay
constexpr std::size_t kMostDisagreements = 10;
constexpr std::size_t kMostQuiet = 600;  // ticks in which nothing happens; then the told session goes on

/// A player has one at a time; the others are known by their place.
bool is_body(const words::Unit& unit) {
  return unit.owner() != 0 && (unit.kind() == words::Unit::TANK || unit.kind() == words::Unit::MAN);
}

double speed_of(const words::Pose& pose) { return std::hypot(pose.vx(), pose.vy()); }

/// How far two views of one unit may be apart, which were recorded at slightly different times.
double tolerance(const words::Unit& unit) { return 0.3 + 0.25 * unit.radius() + 0.25 * speed_of(unit.pose()); }

bool are_alike(const words::Unit& one, const words::Unit& other) {
  const double larger = std::max(one.radius(), other.radius());
  return one.kind() == other.kind() && std::abs(one.radius() - other.radius()) <= 0.1 + 0.15 * larger;
}

double distance(const words::Pose& one, const words::Pose& other) {
  return std::hypot(one.x() - other.x(), one.y() - other.y());
}

bool same_pose(const words::Pose& one, const words::Pose& other) {
  return one.x() == other.x() && one.y() == other.y() && one.z() == other.z() && one.vx() == other.vx() &&
         one.vy() == other.vy() && one.vz() == other.vz() && one.yaw() == other.yaw() && one.pitch() == other.pitch() &&
         one.radius() == other.radius() && one.state() == other.state();
}

bool same_score(const words::Score& one, const words::Score& other) {
  return one.wins() == other.wins() && one.losses() == other.losses();
}

std::string score_text(const words::Score& score) {
  return std::to_string(score.wins()) + " wins and " + std::to_string(score.losses()) + " losses";
}

}  // namespace

std::unique_ptr<MergedSessions> MergedSessions::open(const RecordedSessions& found) {
  auto told = JoinedSessions::open(found, 1);
  if (told == nullptr) return nullptr;
  const RecordedSessionInfo& about = told->about();
  std::vector<const RecordedSessionInfo*> all;
  for (const RecordedSessionInfo& one : found.sessions)
    if (one.ready && !one.server.empty() && one.server == about.server && one.dialect == about.dialect)
      all.push_back(&one);
  if (all.size() < 2 || std::none_of(all.begin(), all.end(), [](const auto* one) { return one->hides; }))
    return nullptr;
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->length() > b->length(); });
  all.resize(std::min(all.size(), kMostViews));
  auto merged = std::make_unique<MergedSessions>();
  for (const RecordedSessionInfo* one : all) {
    told->learn_names(*one);
    merged->views_.push_back(std::make_unique<SessionView>(found, *one, told->begins()));
  }
  merged->told_ = std::move(told);
  return merged;
}

std::string MergedSessions::text() const {
  return told_->text() + "; what " + counted(views_.size() - 1, "other session") + " saw is added";
}

// -- Telling ----------------------------------------------------------------------------------------------------------

/// A change of the told session is none of ours: seek() follows.
std::optional<Micros> MergedSessions::next_at() {
  for (;;) {
    if (!queue_.empty()) return queue_.front().at;
    const auto told = told_->next_at();
    if (!told || told_->next_is_other_session()) return told;
    if (*told <= tick_) {
      hear(told_->next());
      quiet_ = 0;
      continue;
    }
    look(tick_);
    quiet_ = queue_.empty() ? quiet_ + 1 : 0;
    tick_ = quiet_ < kMostQuiet ? tick_ + kTick : *told / kTick * kTick + kTick;
  }
}

Fact MergedSessions::next() {
  if (queue_.empty()) return told_->next();
  Fact fact = std::move(queue_.front());
  queue_.pop_front();
  return fact;
}

void MergedSessions::say(Fact fact, Micros now) {
  fact.at = now;
  queue_.push_back(std::move(fact));
}

Outcome<Done> MergedSessions::seek(Micros at, core::WorldState& world) {
  queue_.clear();
  added_.clear();
  players_.clear();
  owners_.clear();
  owned_.clear();
  heard_.clear();
  deaths_.clear();
  differ_.clear();
  for (const auto& view : views_) view->leave();
  tick_ = at / kTick * kTick + kTick;
  if (const auto gone = told_->seek(at, world_); !gone) return gone;
  world = core::WorldState();
  world.copy(world_, 0);
  seeks_ = true;
  look(at);
  seeks_ = false;
  for (const Fact& fact : queue_) world.fold(fact);
  queue_.clear();
  return Done{};
}

// -- Facts of the played session --------------------------------------------------------------------------------------

void MergedSessions::hear(Fact fact) {
  const bool passed = is_passed(fact);
  world_.fold(fact);
  if (passed) queue_.push_back(std::move(fact));
}

bool MergedSessions::is_passed(const Fact& fact) {
  const std::uint32_t link = told_->teller();
  if (const auto* hidden = core::as<words::Hidden>(fact)) return !is_seen_by_others(hidden->unit());
  if (const auto* said = core::as<words::Said>(fact))
    return said->from() == 0 || is_news(said->from(), said->text(), link, fact.at);
  if (const auto* died = core::as<words::Died>(fact)) return dies(died->player(), link, fact.at);
  if (const auto* owns = core::as<words::Owns>(fact)) owners_.insert(owns->player());
  if (const auto* player = core::as<words::Player>(fact)) players_.erase(player->id());
  if (const auto* gone = core::as<words::Gone>(fact)) {
    const UnitState* unit = world_.unit(gone->unit());
    const bool in_sight = unit != nullptr && !unit->hidden;
    for (const auto& view : views_) {
      const Id own = view->own(gone->unit());
      if (own == 0) continue;
      in_sight ? void(view->known(own)->over = true) : view->forget(own);
    }
    added_.erase(gone->unit());
  }
  return true;
}

/// Another one may have said it already.
bool MergedSessions::is_news(Id from, const std::string& text, std::uint32_t link, Micros at) {
  while (!heard_.empty() && heard_.front().at + kSameWords < at) heard_.pop_front();
  const bool known = std::any_of(heard_.begin(), heard_.end(), [&](const Heard& one) {
    return one.from == from && one.link != link && one.text == text;
  });
  if (!known) heard_.push_back({from, text, link, at});
  return !known;
}

bool MergedSessions::dies(Id player, std::uint32_t link, Micros at) {
  Death& last = deaths_[player];
  if (last.link != 0 && last.link != link && at < last.at + kSameDeath) return false;
  last = {link, at};
  return true;
}

bool MergedSessions::is_seen_by_others(Id unit) const {
  return std::any_of(views_.begin(), views_.end(), [&](const auto& view) {
    if (!view->is_at_world() || view->link() == told_->teller()) return false;
    const Id own = view->own(unit);
    const UnitState* state = own != 0 ? view->world().unit(own) : nullptr;
    return state != nullptr && !state->hidden;
  });
}

// -- Views of other sessions ------------------------------------------------------------------------------------------

void MergedSessions::look(Micros now) {
  std::set<Id> seen;
  for (const auto& one : views_) {
    SessionView& view = *one;
    if (!catch_up_view(view, now)) continue;
    for (const Id own : view.world().sorted_units([](const UnitState& state) { return !state.hidden; })) {
      const UnitState& state = *view.world().unit(own);
      const Id id = id_of(view, state, now);
      if (id != 0 && seen.insert(id).second) show(id, view, state, now);
    }
    if (now % core::kSecond == 0) compare(view, now);
  }
  std::vector<Id> lost;
  for (const auto& [id, added] : added_)
    if (!seen.contains(id)) lost.push_back(id);
  for (const Id id : lost) hide(id, now);
  if (now % core::kSecond == 0) forget_players(now);
  tell_owners(now);
}

/// Brings the view's world up to `now`. Returns whether it can be shown.
bool MergedSessions::catch_up_view(SessionView& view, Micros now) {
  if (!view.covers(now) || view.link() == told_->teller()) {
    view.leave();
    return false;
  }
  if (!view.is_placed() && !view.seek(now)) return false;
  while (const auto fact = view.next(now)) {
    if (view.is_at_world()) hear(view, *fact, now);
    view.fold(*fact);
  }
  if (!view.is_at_world()) return false;  // not yet, and another seek would find no more
  if (world_.geometry() == nullptr || view.world().geometry() == nullptr) return false;  // not yet
  if (view.is_of_same_land(world_)) return true;
  if (!std::exchange(view.told_other_land, true))
    log_info("link {} saw another world than link {} at {}; what it saw is not added", view.link(), told_->teller(),
             time_text(now));
  return false;
}

/// Events of units that only others see, and chat that only others hear.
void MergedSessions::hear(SessionView& view, const Fact& fact, Micros now) {
  const std::uint32_t link = view.link();
  if (const auto* said = core::as<words::Said>(fact)) {
    if (said->from() == 0 || said->scope() == words::Say::ONE || fact.audience == words::PLAYER) return;
    words::Said here = *said;
    here.set_from(player_of(view, said->from(), now));
    if (here.from() != 0 && is_news(here.from(), here.text(), link, now)) say(std::move(here), now);
  } else if (const auto* died = core::as<words::Died>(fact)) {
    const SessionView::Known* unit = view.known(died->unit());
    if (unit == nullptr || !added_.contains(unit->id)) return;
    words::Died here = *died;
    here.set_player(player_of(view, died->player(), now));
    here.set_killer(player_of(view, died->killer(), now));
    here.set_unit(unit->id);
    if (here.player() != 0 && dies(here.player(), link, now)) say(std::move(here), now);
  } else if (const auto* gone = core::as<words::Gone>(fact)) {
    view.forget(gone->unit());
  }
}

/// What a unit of a view is called; 0: the told session sees it itself, or told that it is gone.
Id MergedSessions::id_of(SessionView& view, const UnitState& state, Micros now) {
  const Id own = state.unit.id();
  SessionView::Known* known = view.known(own);
  if (known != nullptr && known->id != 0) {
    if (known->over) return 0;
    if (const UnitState* told = world_.unit(known->id); told != nullptr && !told->hidden) return 0;
  }
  if (const Id told = told_unit(view, state, now, false)) {
    view.set_known(own, told);
    return 0;
  }
  if (known != nullptr && known->id != 0) return known->id;
  if (known == nullptr && !seeks_) {  // the told session may see it in a moment
    view.set_known(own, 0);
    return 0;
  }
  Id id = told_unit(view, state, now, true);
  if (id == 0) id = added_unit(view, state, now);
  if (id == 0) id = told_->own_id_of(view.link(), own);
  view.set_known(own, id);
  return id;
}

/// The same unit in the told session's world. `hidden`: out of its sight; of units that are known by their place there
/// is none.
Id MergedSessions::told_unit(SessionView& view, const UnitState& state, Micros now, bool hidden) const {
  const words::Unit& unit = state.unit;
  if (is_body(unit)) {
    const core::PlayerState* owner = world_.player(told_->id_of(view.link(), unit.owner()));
    const UnitState* body = owner != nullptr ? world_.unit(owner->active) : nullptr;
    return body != nullptr && body->hidden == hidden && body->unit.kind() == unit.kind() ? body->unit.id() : 0;
  }
  if (hidden) return 0;
  const words::Pose place = core::place_at(unit.pose(), state.posed_at, now);
  double nearest = tolerance(unit);
  const double reach = nearest + speed_of(unit.pose()) * core::kDeadReckoningSeconds;
  Id found = 0;
  world_.in_box(place.x() - reach, place.x() + reach, place.y() - reach, place.y() + reach, [&](const UnitState& one) {
    if (!are_alike(one.unit, unit)) return;
    const double apart = distance(core::place_at(one.unit.pose(), one.posed_at, now), place);
    if (apart < nearest || (apart == nearest && one.unit.id() < found)) nearest = apart, found = one.unit.id();
  });
  return found;
}

/// The id of the same unit if it is shown already because another view sees it; 0: it is not.
Id MergedSessions::added_unit(SessionView& view, const UnitState& state, Micros now) const {
  const words::Unit& unit = state.unit;
  const Id owner = is_body(unit) ? told_->id_of(view.link(), unit.owner()) : 0;
  const words::Pose place = core::place_at(unit.pose(), state.posed_at, now);
  double nearest = tolerance(unit);
  Id found = 0;
  for (const auto& [id, added] : added_) {
    if (added.link == view.link() || !are_alike(added.unit, unit)) continue;
    if (owner != 0) {
      if (added.unit.owner() == owner) return id;
      continue;
    }
    const double apart = distance(added.unit.pose(), place);
    if (apart < nearest) nearest = apart, found = id;
  }
  return found;
}

/// Returns the player's id here, and adds a player whom only other sessions know. 0: the player is unknown.
Id MergedSessions::player_of(SessionView& view, Id own, Micros now) {
  if (own == 0) return 0;
  const Id id = told_->id_of(view.link(), own);
  if (world_.player(id) != nullptr || players_.contains(id)) return id;
  const core::PlayerState* state = view.world().player(own);
  if (state == nullptr) return 0;
  words::Player player = state->player;
  player.set_id(id);
  player.clear_address();
  players_.insert(id);
  say(std::move(player), now);
  return id;
}

void MergedSessions::show(Id id, SessionView& view, const UnitState& state, Micros now) {
  words::Pose pose = core::place_at(state.unit.pose(), state.posed_at, now);
  pose.set_unit(id);
  const auto known = added_.find(id);
  if (known != added_.end() && known->second.link == view.link() && known->second.looks == state.looks_version) {
    words::Unit& last = known->second.unit;
    if (same_pose(last.pose(), pose)) return;
    *last.mutable_pose() = pose;
    return say(std::move(pose), now);
  }
  words::Unit unit = state.unit;
  unit.set_id(id);
  unit.set_owner(player_of(view, unit.owner(), now));
  *unit.mutable_pose() = pose;
  if (unit.owner() != 0) owners_.insert(unit.owner());
  added_[id] = {unit, view.link(), state.looks_version};
  say(std::move(unit), now);
}

/// No other session sees the unit any more.
void MergedSessions::hide(Id id, Micros now) {
  const auto at = added_.find(id);
  if (at->second.unit.owner() != 0) owners_.insert(at->second.unit.owner());
  added_.erase(at);
  const UnitState* told = world_.unit(id);
  if (told == nullptr) {
    words::Gone gone;
    gone.set_unit(id);
    say(std::move(gone), now);
  } else if (told->hidden) {
    words::Hidden hidden;
    hidden.set_unit(id);
    say(std::move(hidden), now);
  }
}

/// Which units a player has, if others see some of them.
void MergedSessions::tell_owners(Micros now) {
  for (const Id owner : std::exchange(owners_, {})) {
    const core::PlayerState* told = world_.player(owner);
    std::vector<Id> units = told != nullptr ? told->units : std::vector<Id>();
    for (const auto& [id, added] : added_)
      if (added.unit.owner() == owner && std::find(units.begin(), units.end(), id) == units.end()) units.push_back(id);
    const auto last = owned_.find(owner);
    const bool as_told = told != nullptr && units == told->units;
    if (as_told && last == owned_.end()) continue;
    if (last != owned_.end() && last->second == units && !as_told) continue;
    words::Owns owns;
    owns.set_player(owner);
    for (const Id unit : units) owns.add_units(unit);
    owns.set_active(told != nullptr && told->active != 0 ? told->active : units.empty() ? 0 : units.front());
    as_told ? void(owned_.erase(owner)) : void(owned_[owner] = units);
    if (told != nullptr || players_.contains(owner)) say(std::move(owns), now);
  }
}

/// Removes players whom no session knows any more.
void MergedSessions::forget_players(Micros now) {
  std::set<Id> known;
  for (const auto& view : views_) {
    if (!view->is_at_world()) continue;
    for (const auto& [own, player] : view->world().players()) known.insert(told_->id_of(view->link(), own));
  }
  std::vector<Id> gone;
  for (const Id player : players_)
    if (!known.contains(player)) gone.push_back(player);
  for (const Id player : gone) {
    players_.erase(player);
    owned_.erase(player);
    words::PlayerGone word;
    word.set_id(player);
    say(std::move(word), now);
  }
}

// -- Disagreements ----------------------------------------------------------------------------------------------------

/// Scores that differ for longer than the way of a message takes are told once.
void MergedSessions::compare(SessionView& view, Micros now) {
  for (const auto& [own, state] : view.world().players()) {
    const Id id = told_->id_of(view.link(), own);
    const core::PlayerState* told = world_.player(id);
    const std::pair who(view.link(), id);
    if (told == nullptr || same_score(told->score, state.score)) {
      differ_.erase(who);
      continue;
    }
    const Micros since = differ_.try_emplace(who, now).first->second;
    if (now < since + kDisagrees || said_to_differ_.size() >= kMostDisagreements) continue;
    if (!said_to_differ_.insert(who).second) continue;
    log_info("links {} and {} disagree at {}: '{}' has {} and {}", told_->teller(), view.link(), time_text(now),
             screen_text(told->player.name()), score_text(told->score), score_text(state.score));
  }
}

}  // namespace entente
