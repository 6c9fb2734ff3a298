#include "proxy/core/replay/replay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "proxy/core/drops.h"
#include "proxy/core/ids.h"
#include "proxy/core/replay/beginning.h"
#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/every_scene.h"
#include "proxy/core/replay/replay_facts.h"
#include "proxy/core/replay/resync_phase.h"

namespace entente::core {
namespace {

constexpr std::size_t kAtOnce = 2'000;  // facts in one tick, before others have a turn
constexpr double kShotFades = 1e-3;     // seconds: a shot that ends sooner is not sent

/// Moving a clock to another place (a jump) costs about a millisecond. One jump per this time on average, for all
/// viewers together. If more want to jump, their networks take turns.
constexpr Micros kJumpEvery = 4 * kMillisecond;
constexpr unsigned kJumpsAtOnce = 16;
/// Bytes of land that cost as much as a jump.
constexpr std::size_t kLandAJump = 512 * 1024;
/// With many clocks, facts that are due within this time are sent together.
constexpr std::size_t kManyClocks = 24;
constexpr Micros kGather = 10 * kMillisecond;

/// A shorter recording waits at its end before it starts again.
constexpr Micros kLoopEvery = kSecond;

/// How often to look for new facts, and for a world that may be shown.
constexpr Micros kLiveBeat = 10 * kMillisecond, kLiveWait = 100 * kMillisecond;

}  // namespace

Replay::Replay(std::unique_ptr<FactReader> source, const Options& options, Observer* observer)
    : source_(std::move(source)),
      live_(false),
      options_(options),
      observer_(observer),
      jumps_(kJumpEvery, kJumpsAtOnce) {}

Replay::Replay(std::shared_ptr<RecordingSource> live)
    : library_(std::move(live)),
      live_(true),
      options_({.one_clock = false}),
      observer_(nullptr),
      jumps_(kJumpEvery, kJumpsAtOnce) {}

// -- The recording ----------------------------------------------------------------------------------------------------

void Replay::opened(const Peer&, Outlet& out) {
  if (live_) return begin_live(out);
  if (!find_beginning(out)) return;
  library_ = std::make_shared<FactLibrary>(std::move(source_));
  learn_moments(out);
  open_group(options_.at, out);
}

/// Makes the room's own clock, which all viewers share or start with.
void Replay::open_group(Micros at, Outlet& out) {
  auto first = std::make_unique<PlaybackGroup>(PlaybackGroup{
      0, Playhead(library_->reader(), first_, std::clamp(options_.speed, kSlowest, kFastest), options_.paused)});
  first->head.put(at, out.now());
  PlaybackGroup& group = *(groups_[0] = std::move(first));
  if (live_) group.head.begin(out.now());
  if (!resync(group, out)) {
    if (live_) due_.clear(), groups_.clear();
    return;
  }
  if (live_) schedule(group, out.now());
  out.say(words::Ready());
  report(out);
}

/// Begins as soon as there is a world that may be shown. If that is forgotten meanwhile, it is tried again at once, the
/// first time.
void Replay::begin_live(Outlet& out) {
  WorldState there;
  const bool begins = library_->reader()->seek(library_->end_time(), there).ok();
  begins ? open_group(library_->end_time(), out) : tell_beginning(out);
  const bool failed = begins && groups_.empty();
  const bool waits = !begins || (failed && failed_to_begin_);
  failed_to_begin_ = failed;
  out.wake(out.now() + (waits ? kLiveWait : 0));
}

/// Tells when it begins, once that is known, and again if that changes. Newcomers are told with the world.
void Replay::tell_beginning(Outlet& out) {
  const auto left = library_->begins_in();
  if (!left) return;
  const Micros at = out.now() + *left;
  if (begins_ && std::max(at, *begins_) - std::min(at, *begins_) < kSecond) return;
  begins_ = at;
  words::Rule rule;
  rule.set_name(kBeginsRule);
  rule.set_value(std::to_string(at));
  out.say(rule);
}

/// Finds when the recorded player knew the world. Before that there is nothing to show, and clients load a world only
/// once.
bool Replay::find_beginning(Outlet& out) {
  if (source_->begins_with_world()) return true;
  while (const auto at = source_->next_at()) {
    if (as<words::Ready>(source_->next()) == nullptr) continue;
    first_ = *at;
    return true;
  }
  if (source_->end_time() != 0) return true;  // never: playback starts at the beginning
  error_ = "the recording is empty";
  return end("the rest of the recording cannot be read", out), false;
}

void Replay::tick(Outlet& out) {
  if (over_) return;
  said_ = 0;
  if (!stop_why_.empty()) return end(stop_why_.c_str(), out);
  if (groups_.empty()) return begin_live(out);
  obey(out);
  serve_wishes(out);
  play_due(out);
  if (over_) return;
  wake_next(out);
  report(out);
}

/// Carries out an order for all clocks, and starts the shared clock with the first viewer.
void Replay::obey(Outlet& out) {
  const ViewerWish wish = std::exchange(wish_, {});
  const Micros now = out.now();
  for (auto& [scene, group] : groups_) {
    const bool begins = !group->head.begun() && !group->viewers.empty();
    if (!wish.any() && !begins) continue;
    group->head.catch_up(now);
    if (begins) group->head.begin(now);
    if (wish.speed) group->head.set_speed(std::clamp(*wish.speed, kSlowest, kFastest), now);
    if (wish.paused) group->head.pause(*wish.paused, now);
    if (wish.at) group->head.put(*wish.at, now);
    group->ended = false;
    group->stale = true;
    schedule(*group, now);
  }
}

/// Serves stale clocks first. Their viewers may join another clock, and then receive everything that it sends in this
/// tick.
void Replay::play_due(Outlet& out) {
  std::vector<Id> due;
  for (auto one = due_.begin(); one != due_.end() && one->first <= out.now(); ++one) due.push_back(one->second);
  std::erase_if(due, [&](Id scene) {
    PlaybackGroup& group = *groups_.at(scene);
    return needs_jump(group) && (wait_for_jump(group, out), true);
  });
  std::stable_partition(due.begin(), due.end(), [this](Id scene) { return groups_.at(scene)->stale; });
  std::vector<PlaybackGroup*> later;
  serve_jumps(later, out);
  for (const Id scene : due) {
    if (over_ || said_ >= kAtOnce) break;
    const auto found = groups_.find(scene);
    if (found == groups_.end() || found->second->due > out.now()) continue;
    PlaybackGroup& group = *found->second;
    unschedule(group);
    if (!serve(group, out)) later.push_back(&group);
  }
  for (PlaybackGroup* group : later) schedule(*group, out.now());
}

// -- Jumps of viewers' own clocks -------------------------------------------------------------------------------------

bool Replay::needs_jump(const PlaybackGroup& group) const {
  return group.stale && !options_.one_clock && group.scene != 0;
}

void Replay::wait_for_jump(PlaybackGroup& group, Outlet& out) {
  unschedule(group);
  if (std::exchange(group.waits, true)) return;
  jumping_.add(out.network_of(group.viewers.empty() ? 0 : *group.viewers.begin()), group.scene);
}

/// Networks of viewers take turns: who moves its clocks all the time delays only the viewers of its own network.
void Replay::serve_jumps(std::vector<PlaybackGroup*>& later, Outlet& out) {
  while (!jumping_.empty() && !over_ && said_ < kAtOnce) {
    const auto found = groups_.find(jumping_.first());
    PlaybackGroup* const group = found != groups_.end() ? found->second.get() : nullptr;
    const bool jumps = group != nullptr && needs_jump(*group) && out.world_of(group->scene) != nullptr;
    if (jumps && !jumps_.take(out.now())) return;
    jumping_.pop();
    if (group == nullptr) continue;
    group->waits = false;
    unschedule(*group);
    if (!serve(*group, out)) later.push_back(group);
  }
}

/// This land is sent to a viewer.
void Replay::owe_for(const words::World& land, const Outlet& out) {
  jumps_.owe(out.now(), land.ByteSizeLong() / kLandAJump);
}

/// False: it must be served again in the next tick, after the room has folded the facts of this one.
bool Replay::serve(PlaybackGroup& group, Outlet& out) {
  if (group.stale) {
    if (out.world_of(group.scene) == nullptr) return false;
    if (PlaybackGroup* const alike = alike_of(group, out.now())) {
      join(group, *alike, out);
      return true;
    }
    if (!resync(group, out)) return true;
  }
  return !group.head.runs() || play(group, out);
}

/// Tells viewers the difference between their world and the recording's, with velocities at playback speed.
/// False: it cannot be read.
bool Replay::resync(PlaybackGroup& group, Outlet& out) {
  WorldState there;
  group.stale = false;
  if (live_) group.head.put(group.head.at(), out.now());  // skips what was forgotten meanwhile
  if (const auto read = group.head.read_world(there); !read) return cannot_read(group, read.error().text, out), false;
  group.stands = false;
  say(group, resync_clock(group.head.at()), out);
  tell_difference(
      *out.world_of(group.scene), shown(there, group, out), [&](Id player) { return group.viewers.contains(player); },
      [&](Fact fact) {
        if (const auto* land = as<words::World>(fact); land != nullptr && group.scene != 0) owe_for(*land, out);
        say(group, std::move(fact), out);
      });
  tell_clock(group, 0, out);
  return true;
}

/// Sends the facts that are due. False: there are more.
bool Replay::play(PlaybackGroup& group, Outlet& out) {
  const Micros until = group.head.position(out.now());
  FactReader& facts = group.head.facts();
  std::optional<Micros> next;
  for (next = facts.next_at(); next && *next <= until; next = facts.next_at()) {
    if (said_ >= kAtOnce) return false;
    if (facts.next_is_other_session()) {
      group.head.put(*next, out.now());
      group.stale = true;
      return false;
    }
    tell(group, facts.next(), out);
  }
  if (live_) return reach_now(group, next, out);
  if (!next && until >= group.head.end_time()) return reach_end(group, out);
  schedule(group, std::max(group.head.when(next.value_or(group.head.end_time())), out.now() + 1));
  return true;
}

/// All facts that are due were sent. A fast clock that has caught up with a broadcast continues at normal speed.
bool Replay::reach_now(PlaybackGroup& group, const std::optional<Micros>& next, Outlet& out) {
  const Micros now = out.now();
  if (group.head.speed() > 1 && group.head.position(now) >= group.head.end_time()) {
    group.head.set_speed(1, now);
    group.stale = true;
    return false;
  }
  if (next && group.head.facts().next_is_other_session()) tell_if_it_stands(group, out);
  schedule(group, next ? std::clamp(group.head.when(*next), now + 1, now + kLiveWait) : now + kLiveBeat);
  return true;
}

/// Tells viewers once why they see nothing new.
void Replay::tell_if_it_stands(PlaybackGroup& group, Outlet& out) {
  if (group.stands || !library_->overflows()) return;
  group.stands = true;
  for (const Id viewer : group.viewers) answer(viewer, kOverflows, out);
}

bool Replay::reach_end(PlaybackGroup& group, Outlet& out) {
  const bool loops = options_.loop && group.head.end_time() > first_;
  if (!loops && options_.one_clock) return end("the recording is over", out), true;
  if (out.now() < group.loops_at) return schedule(group, group.loops_at), true;
  group.stale = true;
  if (loops) {
    group.loops_at = out.now() + kLoopEvery;
    group.head.put(first_, out.now());
  } else {
    group.head.pause(true, out.now());
    group.ended = true;
    for (const Id viewer : group.viewers) answer(viewer, "the recording is over; /play plays it again", out);
  }
  return false;
}

void Replay::cannot_read(PlaybackGroup& group, const std::string& error, Outlet& out) {
  error_ = error;
  if (live_) return group.stale = true, tell_if_it_stands(group, out), schedule(group, out.now() + kLiveWait);
  if (group.scene == 0) return end("the rest of the recording cannot be read", out);
  group.head.pause(true, out.now());
  for (const Id viewer : group.viewers) answer(viewer, "the recording cannot be read there; go to another time", out);
}

void Replay::unschedule(PlaybackGroup& group) {
  due_.erase({group.due, group.scene});
  group.due = ~Micros{0};
}

void Replay::schedule(PlaybackGroup& group, Micros at) {
  unschedule(group);
  group.due = at;
  due_.insert({at, group.scene});
}

void Replay::end(const char* why, Outlet& out) {
  for (auto& [scene, group] : groups_) group->head.catch_up(out.now());
  report(out);
  over_ = true;
  words::Kicked kicked;
  kicked.set_text(why);
  Fact last(kicked);
  last.scene = kEveryScene;
  out.say(std::move(last));
  out.close(why);
  report(out);
}

void Replay::wake_next(Outlet& out) {
  const Micros now = out.now();
  Micros at = ~Micros{0};
  if (!due_.empty()) at = due_.begin()->first;
  if (!jumping_.empty()) at = std::min(at, jumps_.next());
  if (groups_.size() > kManyClocks && at > now) at = std::max(at, now + kGather);
  for (const Id id : wishing_)
    if (const auto viewer = viewers_.find(id); viewer != viewers_.end()) at = std::min(at, viewer->second.pace.next());
  if (at != ~Micros{0}) out.wake(std::max(at, now));
}

// -- What is told of it -----------------------------------------------------------------------------------------------

void Replay::say(const PlaybackGroup& group, Fact fact, Outlet& out) {
  ++said_;
  fact.scene = group.scene;
  out.say(std::move(fact));
}

void Replay::answer(Id viewer, const std::string& text, Outlet& out) {
  words::Said said;
  said.set_text(text);
  out.say(Fact(viewer, std::move(said)));
}

void Replay::refuse(const Intent& intent, const std::string& why, Outlet& out) {
  words::ClaimRefused refused;
  refused.set_why(why);
  Fact no(intent.by, refused);
  no.cause = intent.number;
  out.say(std::move(no));
}

void Replay::tell(const PlaybackGroup& group, Fact fact, Outlet& out) {
  if (is_for_recorded_player(fact)) return;
  if (const MappingLine* why = kept_back(fact)) return out.drop(*why, fact);
  make_public(fact);
  scale_motion(fact, group.head.scale());
  to_room(fact, out);
  say(group, std::move(fact), out);
}

/// Sends the clock to one viewer, or (0) to all its viewers. Only the viewer itself is told whom it follows.
void Replay::tell_clock(const PlaybackGroup& group, Id to, Outlet& out) {
  words::Clock told;
  told.set_us(group.head.position(out.now()));
  told.set_speed(group.head.speed());
  told.set_paused(!group.head.runs());
  told.set_length_us(group.head.end_time());
  told.set_own(!options_.one_clock);
  told.set_live(live_);
  const auto tell_one = [&](Id id) {
    const auto viewer = viewers_.find(id);
    told.set_follow(viewer != viewers_.end() ? viewer->second.follows : 0);
    out.say(Fact(id, told));
  };
  if (to != 0) return tell_one(to);
  say(group, told, out);
  for (const Id id : group.viewers)
    if (const auto viewer = viewers_.find(id); viewer != viewers_.end() && viewer->second.follows != 0) tell_one(id);
}

/// Viewers with clocks of their own do not see each other, even while they share one: they would appear and disappear
/// with each pause. So each viewer is sent only its own player, and no other viewer is told that it is gone.
void Replay::tell_player(const PlaybackGroup& group, Id id, const std::string& name, Outlet& out) {
  words::Player player;
  player.set_id(id);
  player.set_name(name);
  player.set_role(words::WATCH);
  player.set_responding(true);
  say(group, options_.one_clock ? Fact(player) : Fact(id, player), out);
}

void Replay::tell_gone(const PlaybackGroup& group, Id id, const std::string& why, Outlet& out) {
  words::PlayerGone gone;
  gone.set_id(id);
  gone.set_why(why);
  say(group, options_.one_clock ? Fact(gone) : Fact(0, gone), out);
}

/// The recording's world as viewers must know it: in the room's ids, with everything moved to where the clock is.
WorldState Replay::shown(const WorldState& there, const PlaybackGroup& group, Outlet& out) {
  const Micros at = group.head.at();
  WorldState shown;
  shown.share_map(there, [&](Id id) { return room_id(id, out); });
  there.tell_without_map([&](Fact& fact) {
    make_public(fact);
    if (auto* unit = std::get_if<words::Unit>(&fact.content))
      *unit->mutable_pose() = moved_pose(unit->pose(), there.unit(unit->id())->posed_at, at);
    if (auto* shot = std::get_if<words::Shot>(&fact.content)) {
      advance_shot(*shot, there.shot(shot->shooter(), shot->shot())->fired_at, at);
      if (!group.head.runs() || shot->life() < kShotFades) return;  // a shot that stands still or has ended
    }
    if (auto* round = std::get_if<words::Round>(&fact.content)) *round = there.round_at(at);
    scale_motion(fact, group.head.scale());
    to_room(fact, out);
    fact.at = out.now();
    shown.fold(fact);
  });
  if (!options_.file.empty()) {
    words::Rule file;
    file.set_name("recording.file");
    file.set_value(options_.file);
    shown.fold(Fact(std::move(file)));
  }
  return shown;
}

void Replay::to_room(Fact& fact, Outlet& out) {
  translate_ids(message_in(fact), [&](Id id) { return room_id(id, out); });
}

/// A tape's ids never collide with those of viewers.
Id Replay::room_id(Id recorded, Outlet& out) {
  if (live_) return recorded;
  Id& known = ids_[recorded];
  if (known == 0) known = out.new_id();
  return known;
}

/// Collects the moments that viewers can go to. If there are more than a time bar shows, kills and captures are
/// preferred.
void Replay::learn_moments(Outlet& out) {
  constexpr std::size_t kMostMoments = 2'000;
  moments_ = library_->moments();
  for (Moment& one : moments_) {
    if (one.player != 0) one.player = room_id(one.player, out);
    if (one.by != 0) one.by = room_id(one.by, out);
  }
  std::vector<Moment> shown = moments_;
  for (const words::Timeline::What least : {words::Timeline::CHAT, words::Timeline::JOIN})
    if (shown.size() > kMostMoments) std::erase_if(shown, [least](const Moment& one) { return one.what == least; });
  const std::size_t step = (shown.size() + kMostMoments - 1) / kMostMoments;
  for (std::size_t i = 0; i < shown.size(); i += step) {
    auto& moment = *timeline_.add_moments();
    moment.set_us(shown[i].at);
    moment.set_what(shown[i].what);
    moment.set_player(shown[i].player);
    moment.set_by(shown[i].by);
  }
}

void Replay::report(const Outlet& out) const {
  if (observer_ == nullptr) return;
  Status status;
  if (!groups_.empty()) {
    const bool only = !options_.one_clock && groups_.size() == 2;
    const Playhead& head = (only ? groups_.rbegin() : std::prev(groups_.rend()))->second->head;
    status.at = head.position(out.now());
    status.length = head.end_time();
    status.speed = head.speed();
    status.paused = head.paused();
    status.clocks = options_.one_clock ? 1 : groups_.size() - 1;
  }
  status.over = over_;
  status.watchers = viewers_.size();
  status.error = error_;
  observer_->status_changed(status);
}

}  // namespace entente::core
