#include "proxy/core/replay/replay.h"

#include <algorithm>
#include <cmath>

#include "proxy/core/ids.h"
#include "proxy/core/losses.h"
#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/replay_facts.h"
#include "proxy/core/replay/resync_phase.h"

namespace entente::core {
namespace {

/// A world holds 1'000 players, including those of the recording.
constexpr std::size_t kMostWatchers = 800;
constexpr std::size_t kAtOnce = 2'000;  // facts, before everybody else has a turn
constexpr double kShotFades = 1e-3;     // seconds: a shot that ends sooner is not told

constexpr const char* kNobodyPlays = "this is a recording: it can be watched, not played in";

}  // namespace

Replay::Replay(std::unique_ptr<FactSource> source, const Options& options, Observer* observer)
    : source_(std::move(source)),
      options_(options),
      observer_(observer),
      speed_(std::clamp(options.speed, kSlowest, kFastest)),
      paused_(options.paused) {}

// -- The recording ----------------------------------------------------------------------------------------------------

void Replay::opened(const Peer&, Outlet& out) {
  if (!find_beginning(out) || !jump(options_.at, out)) return;
  out.say(words::Ready());
  report(out);
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
  if (source_->length() != 0) return true;  // never: playback starts at the beginning
  return fail("the recording is empty", out), false;
}

void Replay::tick(Outlet& out) {
  if (over_) return;
  obey(out);
  if (runs()) play(out);
  if (!over_) report(out);
}

void Replay::obey(Outlet& out) {
  const Wish wish = std::exchange(wish_, {});
  const bool begins = !begun_ && !watchers_.empty();
  if (!wish.at && !wish.speed && !wish.paused && !begins) return;
  hold(out.now());
  begun_ |= begins;
  speed_ = wish.speed ? std::clamp(*wish.speed, kSlowest, kFastest) : speed_;
  paused_ = wish.paused.value_or(paused_);
  wish.at ? void(jump(*wish.at, out)) : resync(out);
}

/// Moves to a time of the recording. False: it cannot be read, and the replay has ended.
bool Replay::jump(Micros at, Outlet& out) {
  World there;
  at_ = std::clamp(at, first_, std::max(first_, source_->length()));
  since_ = out.now();
  if (const auto found = source_->seek(at_, there); !found) return fail(found.error().text, out), false;
  seen_ = std::move(there);
  resync(out);
  return true;
}

void Replay::play(Outlet& out) {
  const Micros until = position(out.now());
  std::size_t told = 0;
  std::optional<Micros> next;
  for (next = source_->next_at(); next && *next <= until; next = source_->next_at()) {
    if (++told > kAtOnce) return out.wake(out.now());
    if (source_->changes()) {  // the next tick jumps there, because the room has not yet folded the facts of this one
      wish_.at = next;
      return out.wake(out.now());
    }
    Fact fact = source_->next();
    seen_.fold(fact);
    tell(std::move(fact), out);
  }
  if (!next && until >= source_->length()) return reach_end(out);
  const Micros wanted = next.value_or(source_->length());
  const double left = static_cast<double>(wanted - std::min(wanted, at_)) / speed_;
  out.wake(std::max(since_ + static_cast<Micros>(std::ceil(left)), out.now() + 1));
}

/// The next tick jumps back, because the room has not yet folded the facts of this one.
void Replay::reach_end(Outlet& out) {
  if (!options_.loop || source_->length() <= first_) return end("the recording is over", out);
  wish_.at = first_;
  out.wake(out.now());
}

void Replay::fail(const std::string& error, Outlet& out) {
  error_ = error;
  end("the recording cannot be read on", out);
}

void Replay::end(const char* why, Outlet& out) {
  hold(out.now());
  over_ = true;
  words::Kicked kicked;
  kicked.set_text(why);
  out.say(kicked);
  out.close(why);
  report(out);
}

Micros Replay::position(Micros now) const {
  if (!runs()) return at_;
  const auto gone = static_cast<Micros>(static_cast<double>(now - since_) * speed_);
  return std::min(at_ + gone, std::max(at_, source_->length()));
}

void Replay::hold(Micros now) {
  at_ = position(now);
  since_ = now;
}

// -- What is told of it -----------------------------------------------------------------------------------------------

void Replay::tell(Fact fact, Outlet& out) {
  if (is_his_own(fact)) return;
  if (const Mapping* why = kept_back(fact)) return out.lose(*why, fact);
  make_public(fact);
  scale_motion(fact, scale());
  to_room(fact, out);
  out.say(std::move(fact));
}

/// Tells viewers the difference between their world and the recording's at at_, with velocities at playback speed.
void Replay::resync(Outlet& out) {
  out.say(resync_clock(at_));
  tell_difference(
      out.world(), shown(out), [this](Id player) { return watchers_.contains(player); },
      [&](Fact fact) { out.say(std::move(fact)); });
  tell_clock(0, out);
  if (runs()) out.wake(out.now());
}

void Replay::tell_clock(Id to, Outlet& out) const {
  words::Clock clock;
  clock.set_us(position(out.now()));
  clock.set_speed(speed_);
  clock.set_paused(!runs());
  to == 0 ? out.say(clock) : out.say(Fact(to, clock));
}

/// seen_ as viewers must know it at at_: in the room's ids, with everything moved to that time.
World Replay::shown(Outlet& out) {
  World shown;
  seen_.tell([&](Fact& fact) {
    make_public(fact);
    if (auto* unit = std::get_if<words::Unit>(&fact.kind))
      *unit->mutable_pose() = moved_pose(unit->pose(), seen_.unit(unit->id())->posed_at, at_);
    if (auto* shot = std::get_if<words::Shot>(&fact.kind)) {
      advance_shot(*shot, seen_.shot(shot->shooter(), shot->shot())->fired_at, at_);
      if (!runs() || shot->life() < kShotFades) return;  // a shot that stands still or has ended is not shown
    }
    if (auto* round = std::get_if<words::Round>(&fact.kind)) *round = seen_.round_at(at_);
    scale_motion(fact, scale());
    to_room(fact, out);
    fact.at = out.now();
    shown.fold(fact);
  });
  return shown;
}

void Replay::to_room(Fact& fact, Outlet& out) {
  std::visit([&](auto& word) { translate_ids(word, [&](Id id) { return room_id(id, out); }); }, fact.kind);
}

Id Replay::room_id(Id recorded, Outlet& out) {
  Id& known = ids_[recorded];
  if (known == 0) known = out.new_id();
  return known;
}

void Replay::report(const Outlet& out) const {
  if (observer_ == nullptr) return;
  observer_->stands({position(out.now()), source_->length(), speed_, paused_, over_, watchers_.size(), error_});
}

// -- Who watches ------------------------------------------------------------------------------------------------------

void Replay::hear(const Intent& intent, Outlet& out) {
  if (over_) return;
  std::visit([&](const auto& word) { on(word, intent, out); }, intent.kind);
}

template <class T>
void Replay::on(const T&, const Intent& intent, Outlet& out) {
  out.lose(loss::kOnlyWatched, intent);
}

/// Admits a viewer as a spectator, whatever role it asked for.
void Replay::let_in(const Intent& intent, const std::string& name, Outlet& out) {
  if (watchers_.size() >= kMostWatchers && !watchers_.contains(intent.by)) {
    words::Refused full;
    full.set_code(words::Refused::FULL);
    full.set_text("all places for viewers are taken");
    return out.say(Fact(intent.by, full));
  }
  watchers_.insert(intent.by);
  words::Player player;
  player.set_id(intent.by);
  player.set_name(name);
  player.set_role(words::WATCH);
  player.set_responding(true);
  out.say(player);
  tell_clock(intent.by, out);
  out.say(Fact(intent.by, words::Ready()));
  if (!begun_) out.wake(out.now());
  report(out);
}

void Replay::on(const words::Enter& enter, const Intent& intent, Outlet& out) { let_in(intent, enter.name(), out); }

void Replay::on(const words::Change& change, const Intent& intent, Outlet& out) {
  if (!change.has_name() || !watchers_.contains(intent.by)) return out.lose(loss::kChangeOfWatcher);
  let_in(intent, change.name(), out);
}

void Replay::on(const words::Spawn&, const Intent& intent, Outlet& out) {
  words::ClaimRefused refused;
  refused.set_why(kNobodyPlays);
  Fact answer(intent.by, refused);
  answer.cause = intent.number;
  out.say(std::move(answer));
}

void Replay::on(const words::Leave& leave, const Intent& intent, Outlet& out) {
  if (watchers_.erase(intent.by) == 0) return;
  words::PlayerGone gone;
  gone.set_id(intent.by);
  gone.set_why(leave.why());
  out.say(gone);
  report(out);
}

/// Who watches together may talk about it.
void Replay::on(const words::Say& say, const Intent& intent, Outlet& out) {
  if (say.scope() != words::Say::EVERYBODY || say.kind() == words::Say::COMMAND) return out.lose(loss::kSayOfWatcher);
  words::Said said;
  said.set_from(intent.by);
  said.set_kind(say.kind());
  said.set_text(say.text());
  out.say(std::move(said));
}

}  // namespace entente::core
