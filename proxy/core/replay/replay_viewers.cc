// The viewers of a replay: their admission, chat and requests, and which clock each sees.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "proxy/base/lower_case.h"
#include "proxy/core/drops.h"
#include "proxy/core/replay/beginning.h"
#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/every_scene.h"
#include "proxy/core/replay/replay.h"
#include "proxy/core/replay/resync_phase.h"
#include "proxy/core/texts.h"

namespace entente::core {
namespace {

constexpr std::size_t kMostWatchers = 800;

/// Viewers who go to a kill begin so long before it.
constexpr Micros kBeforeKill = 2 * kSecond;

constexpr const char* kNobodyPlays = "this is a recording: it can be watched, not played in";
constexpr const char* kNobodyPlaysLive = "this is a broadcast: it can be watched, not played in";

}  // namespace

void Replay::hear(const Intent& intent, Outlet& out) {
  if (over_) return;
  std::visit([&](const auto& word) { on(word, intent, out); }, intent.content);
}

template <class T>
void Replay::on(const T&, const Intent& intent, Outlet& out) {
  out.drop(drops::kOnlyWatched, intent);
}

std::string Replay::why_not_begun() const {
  if (library_->overflows()) return kOverflows;
  const auto left = library_->begins_in();
  if (!left) return "the broadcast has not begun; try again in a while";
  return begins_text(*left);
}

/// A shared clock's world lists its viewers among the players of the recording.
std::size_t Replay::most_watchers(const Outlet& out) const {
  if (!options_.one_clock) return kMostWatchers;
  constexpr std::size_t kMost = WorldLimits{}.players;
  const auto& players = out.world().players();
  const auto recorded = static_cast<std::size_t>(std::count_if(
      players.begin(), players.end(), [this](const auto& entry) { return !viewers_.contains(entry.first); }));
  return std::min(kMostWatchers, kMost - std::min(kMost, recorded));
}

/// Admits a viewer as a spectator, whatever role it asked for.
void Replay::let_in(const Intent& intent, const std::string& name, Outlet& out) {
  if (groups_.empty() || (!viewers_.contains(intent.by) && library_->overflows())) {
    words::Refused early;
    early.set_text(why_not_begun());
    early.set_may_retry(true);
    return out.say(Fact(intent.by, early));
  }
  if (!viewers_.contains(intent.by))
    if (auto full = places_.take(intent.by, out.network_of(intent.by), most_watchers(out)))
      return out.say(Fact(intent.by, std::move(*full)));
  Viewer& viewer = viewers_[intent.by];
  viewer.name = names_.give(intent.by, name, kMostName);
  const bool is_new = viewer.group == nullptr;
  PlaybackGroup& start = *groups_.at(0);
  if (viewer.group != nullptr) {
    tell_player(*viewer.group, intent.by, viewer.name, out);
    tell_clock(*viewer.group, intent.by, out);
  } else if (options_.one_clock) {
    viewer.group = &start;
    start.viewers.insert(intent.by);
    tell_player(start, intent.by, viewer.name, out);
    tell_clock(start, intent.by, out);
  } else {
    const Playhead& from = start.head;
    viewer.group = &start;
    move_to(new_group(from.position(out.now()), from.speed(), from.paused(), out.now()), intent.by, viewer, out);
  }
  out.say(Fact(intent.by, words::Ready()));
  if (is_new && timeline_.moments_size() != 0) out.say(Fact(intent.by, timeline_));
  out.wake(out.now());
  report(out);
}

void Replay::on(const words::Enter& enter, const Intent& intent, Outlet& out) { let_in(intent, enter.name(), out); }

void Replay::on(const words::Change& change, const Intent& intent, Outlet& out) {
  if (!change.has_name() || !viewers_.contains(intent.by)) return out.drop(drops::kChangeOfWatcher);
  let_in(intent, change.name(), out);
}

void Replay::on(const words::Spawn&, const Intent& intent, Outlet& out) {
  refuse(intent, live_ ? kNobodyPlaysLive : kNobodyPlays, out);
}

void Replay::on(const words::Leave& leave, const Intent& intent, Outlet& out) {
  const auto found = viewers_.find(intent.by);
  if (found == viewers_.end()) return;
  PlaybackGroup& group = *found->second.group;
  viewers_.erase(found);
  names_.forget(intent.by);
  places_.give_back(intent.by);
  group.viewers.erase(intent.by);
  tell_gone(group, intent.by, leave.why(), out);
  if (group.viewers.empty() && group.scene != 0) {
    due_.erase({group.due, group.scene});
    groups_.erase(group.scene);
  }
  report(out);
}

/// Viewers may chat, also with viewers who are at another time of the recording.
void Replay::on(const words::Say& say, const Intent& intent, Outlet& out) {
  const auto viewer = viewers_.find(intent.by);
  if (viewer != viewers_.end() && say.text().starts_with('/') && say.kind() != words::Say::ACTION)
    return obey_chat(intent, say.text(), out);
  if (say.scope() != words::Say::EVERYBODY || viewer == viewers_.end()) return out.drop(drops::kSayOfWatcher);
  words::Said said;
  options_.one_clock ? said.set_from(intent.by) : said.set_name(viewer->second.name);
  said.set_kind(say.kind());
  said.set_text(say.text());
  Fact fact(said);
  if (!options_.one_clock) fact.scene = kEveryScene;
  out.say(std::move(fact));
}

// -- What they want ---------------------------------------------------------------------------------------------------

void Replay::on(const words::Playback& playback, const Intent& intent, Outlet& out) {
  if (!viewers_.contains(intent.by)) return out.drop(drops::kOnlyWatched, intent);
  if (playback.has_follow()) follow(intent.by, playback.follow(), false, out);
  wish(intent, wish_of(playback), out);
}

/// A client that only asks for the world learns that this is a recording.
void Replay::on(const words::WantWorld&, const Intent& intent, Outlet& out) {
  if (groups_.empty() || viewers_.contains(intent.by)) return;
  tell_clock(*groups_.begin()->second, intent.by, out);
}

void Replay::on(const words::Watch& watch, const Intent& intent, Outlet& out) {
  if (watch.mode() == words::Watch::PLAYER && viewers_.contains(intent.by))
    follow(intent.by, watch.target(), false, out);
}

/// Keeps the wish until it is the viewer's turn.
void Replay::wish(const Intent& intent, const ViewerWish& wish, Outlet& out) {
  if (!wish.any()) return;
  if (options_.one_clock) return refuse(intent, "all viewers of this replay share one clock", out);
  Viewer& viewer = viewers_.at(intent.by);
  if (viewer.wishes) out.drop(drops::kWishReplaced);
  viewer.wish.add(wish);
  if (!std::exchange(viewer.wishes, true)) wishing_.push_back(intent.by);
  out.wake(std::max(out.now(), viewer.pace.next()));
}

void Replay::follow(Id id, Id player, bool in_chat, Outlet& out) {
  Viewer& viewer = viewers_.at(id);
  const WorldState* const world = out.world_of(viewer.group->scene);
  const PlayerState* const known = world != nullptr ? world->player(player) : nullptr;
  if (player != 0 && (known == nullptr || viewers_.contains(player))) return;
  viewer.follows = player;
  tell_clock(*viewer.group, id, out);
  if (!in_chat) return;
  answer(
      id,
      player == 0 ? "following nobody" : "following " + known->player.name() + ": /next goes to kills of this player",
      out);
}

/// By the name, or by its beginning if only one name begins so. Case does not matter.
void Replay::follow_named(Id id, const std::string& name, Outlet& out) {
  const WorldState* const world = out.world_of(viewers_.at(id).group->scene);
  if (name.empty() || world == nullptr) return follow(id, 0, true, out);
  const std::string wanted = lower_case(name);
  Id found = 0;
  std::size_t beginnings = 0;
  for (const auto& [player, state] : world->players()) {
    if (viewers_.contains(player)) continue;
    const std::string known = lower_case(state.player.name());
    if (known == wanted) return follow(id, player, true, out);
    if (!known.starts_with(wanted)) continue;
    found = player;
    ++beginnings;
  }
  if (beginnings == 1) return follow(id, found, true, out);
  answer(id, beginnings == 0 ? "nobody here has that name" : "several players have names like that", out);
}

void Replay::obey_chat(const Intent& intent, std::string_view line, Outlet& out) {
  const auto order = parse_chat_order(line);
  if (!order) return answer(intent.by, order.error().text, out);
  const PlaybackGroup& group = *viewers_.at(intent.by).group;
  switch (order->kind) {
    case ChatOrder::Kind::kHelp:
      if (!options_.one_clock) answer(intent.by, chat_help_of_time(), out);
      if (live_) return answer(intent.by, chat_help() + ". /live: back to the present", out);
      return answer(intent.by,
                    options_.one_clock ? "all viewers of this replay share one clock; /time: where it is, /follow NAME"
                                       : chat_help(),
                    out);
    case ChatOrder::Kind::kWhere:
      return answer(intent.by, clock_text(group.head.position(out.now())) + " of " + clock_text(group.head.end_time()),
                    out);
    case ChatOrder::Kind::kFollow:
      return follow_named(intent.by, order->name, out);
    case ChatOrder::Kind::kWish:
      break;
  }
  if (options_.one_clock) return answer(intent.by, "all viewers of this replay share one clock", out);
  if (order->live && !live_) return answer(intent.by, "this is a recording: nothing is live", out);
  ViewerWish wanted = order->wish;
  wanted.from_chat = true;
  wish(intent, wanted, out);
}

// -- Clocks -----------------------------------------------------------------------------------------------------------

Replay::PlaybackGroup& Replay::new_group(Micros at, double speed, bool paused, Micros now) {
  const Id scene = ++last_scene_;
  auto made =
      std::make_unique<PlaybackGroup>(PlaybackGroup{scene, Playhead(library_->reader(), first_, speed, paused)});
  made->head.put(at, now);
  made->head.begin(now);
  made->stale = true;
  PlaybackGroup& group = *(groups_[scene] = std::move(made));
  schedule(group, now);
  return group;
}

/// A clock that shows about the same.
Replay::PlaybackGroup* Replay::find_alike(Micros at, double speed, bool paused, const PlaybackGroup* than, Micros now) {
  constexpr Micros kAlike = 100 * kMillisecond;
  for (auto& [scene, group] : groups_) {
    if (scene == 0 || group.get() == than || group->head.speed() != speed || group->head.paused() != paused) continue;
    const Micros there = group->head.position(now);
    const Micros apart = there > at ? there - at : at - there;
    if (apart <= (paused ? 0 : kAlike) && !group->ended) return group.get();
  }
  return nullptr;
}

/// For a clock with one viewer: another clock that shows about the same, which the viewer then joins.
Replay::PlaybackGroup* Replay::alike_of(const PlaybackGroup& group, Micros now) {
  if (options_.one_clock || group.scene == 0 || group.viewers.size() != 1) return nullptr;
  const Playhead& head = group.head;
  return find_alike(head.at(), head.speed(), head.paused(), &group, now);
}

/// For a clock with one viewer: the viewer joins the other clock.
void Replay::join(PlaybackGroup& group, PlaybackGroup& alike, Outlet& out) {
  const WorldState *const here = out.world_of(group.scene), *const there = out.world_of(alike.scene);
  if (here != nullptr && there != nullptr && resends_land(*here, *there)) owe_for(*there->geometry(), out);
  const Id id = *group.viewers.begin();
  move_to(alike, id, viewers_.at(id), out);
}

/// Moves a viewer to that clock. A clock without viewers ends.
void Replay::move_to(PlaybackGroup& group, Id id, Viewer& viewer, Outlet& out) {
  PlaybackGroup& before = *viewer.group;
  out.switch_scene(id, group.scene, resync_clock(group.head.position(out.now())));
  viewer.group = &group;
  group.viewers.insert(id);
  tell_player(group, id, viewer.name, out);
  tell_clock(group, id, out);
  if (before.viewers.erase(id) == 0) return;
  if (!before.viewers.empty()) return tell_gone(before, id, "", out);
  due_.erase({before.due, before.scene});
  groups_.erase(before.scene);
}

/// Carries out the wishes of viewers whose turn has come.
void Replay::serve_wishes(Outlet& out) {
  std::deque<Id> wait;
  for (const Id id : std::exchange(wishing_, {})) {
    const auto found = viewers_.find(id);
    if (found == viewers_.end() || !found->second.wishes) continue;
    if (!found->second.pace.take(out.now()))
      wait.push_back(id);
    else
      carry_out(id, found->second, out);
  }
  wishing_ = std::move(wait);
}

/// The viewer's clock then waits for its turn to jump, also if it will join another clock there.
void Replay::carry_out(Id id, Viewer& viewer, Outlet& out) {
  const ViewerWish wish = std::exchange(viewer.wish, {});
  viewer.wishes = false;
  const Micros now = out.now();
  PlaybackGroup& own = *viewer.group;
  own.head.catch_up(now);
  const double speed = wish.speed.value_or(own.head.speed());
  const auto place = place_of(wish, viewer, own.head.at());
  if (wish.kill != words::Playback::NO_KILL && !place) {
    if (wish.from_chat) answer(id, "no kill there", out);
    return tell_clock(own, id, out);
  }
  const bool anew = own.ended && !wish.paused.value_or(false) && wish.any();
  const bool paused = wish.paused.value_or(own.head.paused() && !anew);
  const Micros at = own.head.clamped(place.value_or(anew ? first_ : own.head.at()));
  if (own.viewers.size() > 1) {
    move_to(new_group(at, speed, paused, now), id, viewer, out);
  } else {
    own.head.set_speed(speed, now);
    own.head.pause(paused, now);
    own.head.put(at, now);
    own.ended = false;
    own.stale = true;
    schedule(own, now);
  }
  if (!wish.from_chat) return;
  const std::string where = clock_text(at) + " of " + clock_text(viewer.group->head.end_time());
  char text[32];
  std::snprintf(text, sizeof text, "speed %g", speed);
  answer(id, where + (paused ? ", paused" : std::string(", ") + text), out);
}

/// The place that the wish leads to; nothing: the clock does not move.
std::optional<Micros> Replay::place_of(const ViewerWish& wish, Viewer& viewer, Micros from) const {
  const bool next = wish.kill == words::Playback::NEXT_KILL;
  if (wish.kill != words::Playback::NO_KILL) {
    const auto kill = kill_from(next, viewer, from);
    if (!kill) return std::nullopt;
    viewer.at_kill = kill;
    const Micros shortly_before = *kill - std::min(*kill, kBeforeKill);
    return next ? std::max(shortly_before, from) : shortly_before;
  }
  if (!wish.at && wish.by_s == 0) return std::nullopt;
  viewer.at_kill.reset();
  const Micros base = std::min(wish.at.value_or(from), library_->end_time());
  const double by = wish.by_s * static_cast<double>(kSecond);
  return static_cast<Micros>(std::max(0.0, static_cast<double>(base) + by));
}

/// The next or the previous kill, of this player if the viewer follows one; of a broadcast, only those that may be seen
/// by now. From a kill that the viewer was taken to, or saw at most kBeforeKill ago, the previous one is the one
/// before.
std::optional<Micros> Replay::kill_from(bool next, const Viewer& viewer, Micros from) const {
  const bool taken_there = viewer.at_kill && from <= *viewer.at_kill + kBeforeKill;
  const Micros here = taken_there ? *viewer.at_kill : next ? from + kBeforeKill : from;
  std::optional<Micros> found, before;  // the previous kill, and the one before it
  const auto look = [&](const Moment& one) {
    if (one.what != words::Timeline::KILL) return true;
    if (viewer.follows != 0 && one.player != viewer.follows && one.by != viewer.follows) return true;
    if (next && one.at > here) found = one.at;
    if (next) return one.at <= here;
    if (one.at > here || (taken_there && one.at == here)) return false;
    if (found != one.at) before = std::exchange(found, one.at);
    return true;
  };
  if (live_)
    library_->visit_kills(look);
  else
    (void)std::all_of(moments_.begin(), moments_.end(), look);
  const bool just_seen = !next && !taken_there && found && from <= *found + kBeforeKill;
  return just_seen ? before : found;
}

}  // namespace entente::core
