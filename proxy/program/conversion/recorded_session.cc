#include "proxy/program/conversion/recorded_session.h"

#include <algorithm>

#include <functional>
#include <map>
#include <set>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/import/recorded_world.h"

namespace entente {
namespace {

using core::Fact, core::Micros;

constexpr std::size_t kMostRemembered = 10'000;  // players and units of a session
constexpr std::size_t kMostMoments = 50'000;     // of a session
constexpr std::size_t kMostListed = 100;         // sessions, in an error

/// Calls `take` for each event. Returns the error that ends the readable part, or an Interruption; empty: none.
std::string each_event(trace::Recording& recording, const std::function<void(const trace::Recording::Event&)>& take) {
  for (;;) {
    if (Interruption::came()) return "interrupted";
    const auto event = recording.next();
    if (!event) return event.error().text;
    if (*event == nullptr) return {};
    take(**event);
  }
}

class Listing {
 public:
  void take(const trace::Recording::Event& event) {
    if (event.opened != nullptr) {
      dialects_[event.opened->link()] = event.opened->game() + " " + event.opened->dialect();
      servers_[event.opened->link()] = event.opened->server();
      if (event.opened->continues()) continues_.insert(event.opened->link());
    }
    if (event.closed != nullptr) closed_[event.closed->link()] = event.time;
    if (event.world != nullptr) take(*event.world, event.time);
    if (!event.word) return;
    Link& link = links_[event.word->link];
    if (event.word->intent != nullptr && event.word->intent->has_enter() && link.player.empty())
      link.player = event.word->intent->enter().name();
    if (event.word->fact != nullptr) take(*event.word->fact, event.time, link);
  }

  /// Those with facts, or with a world to begin with.
  std::vector<RecordedSessionInfo> links() const {
    std::vector<RecordedSessionInfo> all;
    for (const auto& [number, link] : links_) {
      if (link.facts == 0 && !link.world) continue;
      all.push_back(link);
      all.back().link = number;
      if (const auto at = dialects_.find(number); at != dialects_.end()) all.back().dialect = at->second;
      if (const auto at = servers_.find(number); at != servers_.end()) all.back().server = at->second;
      if (link.world) begin(all.back(), *link.world);
      if (const auto at = closed_.find(number); at != closed_.end()) last_until(all.back(), at->second);
    }
    return all;
  }

 private:
  struct FirstWorld {
    Micros at;
    WallTime time;
    bool known;  // by the player
  };
  struct Link : RecordedSessionInfo {
    std::optional<FirstWorld> world;
  };

  /// Its own clock tells when a world was, so that a seek to its beginning finds the first.
  static void begin(RecordedSessionInfo& link, const FirstWorld& world) {
    if (link.facts == 0) link.last = world.at;
    if (world.at > link.last) return;
    link.first = world.at;
    if (world.known) link.ready = world.at;
    link.began = world.time - std::min(world.time, world.at * 1000);
    link.begins_with_world = true;
  }
  /// A session lasts until it is closed, though nothing more is told.
  static void last_until(RecordedSessionInfo& link, WallTime end) {
    const Micros at = (end - std::min(end, link.began)) / 1000;
    if (is_of_session(at, link.first, link.last)) link.last = std::max(link.last, at);
  }
  /// The first world of a link that began before the file, or before it was recorded. Before this world, nothing can be
  /// shown. The room of a new session has a world, too, which the player does not know yet.
  void take(const trace::Snapshot& world, WallTime time) {
    Link& link = links_[world.link()];
    const auto& facts = world.facts();
    const bool known =
        std::any_of(facts.begin(), facts.end(), [](const words::Fact& fact) { return fact.has_ready(); });
    const bool begins = link.facts == 0 && known;
    if ((!begins && !continues_.contains(world.link())) || world.at_us() > kMostRoomAge) return;
    if (link.world) return;
    link.world = FirstWorld{world.at_us(), time, known};
    for (const words::Fact& fact : world.facts()) name(fact, link);
  }
  static void take(const words::Fact& fact, WallTime time, Link& link) {
    const bool begins = link.facts == 0;
    const Micros at = fact.at_us();
    if (!is_of_session(at, begins ? at : link.first, begins ? at : link.last) || !core::from_message(fact).ok())
      return void(++link.unread);
    ++link.facts;
    if (begins) {
      link.first = at;
      link.began = time - std::min(time, fact.at_us() * 1000);
    }
    link.first = std::min(link.first, fact.at_us());
    link.last = std::max(link.last, fact.at_us());
    if (fact.has_ready() && !link.ready) link.ready = fact.at_us();
    link.hides = link.hides || fact.has_hidden();
    if (fact.has_player_gone()) leave(fact.player_gone().id(), link);
    if (fact.has_gone()) leave(fact.gone().unit(), link);
    if (name(fact, link) && (link.ready || link.world))
      keep(link, fact.at_us(), words::Timeline::JOIN, fact.player().id());
    if (fact.has_died()) keep(link, fact.at_us(), words::Timeline::KILL, fact.died().player(), fact.died().killer());
    if (fact.has_token_captured()) keep(link, fact.at_us(), words::Timeline::CAPTURE, fact.token_captured().by());
    if (fact.has_said() && fact.said().from() != 0 && fact.audience() == words::ALL &&
        fact.said().scope() == words::Say::EVERYBODY)
      keep(link, fact.at_us(), words::Timeline::CHAT, fact.said().from());
  }
  /// Remembers the names of players, whose the units are, and when they came. True: the player is new.
  static bool name(const words::Fact& fact, Link& link) {
    if (fact.has_unit() && fact.unit().owner() != 0 && link.units.size() < kMostRemembered)
      link.units.try_emplace(fact.unit().id(), fact.unit().owner());
    if (fact.has_unit() && link.units.contains(fact.unit().id())) come(fact.unit().id(), link);
    const bool is_new = fact.has_player() && link.players.size() < kMostRemembered &&
                        link.players.try_emplace(fact.player().id(), fact.player().name()).second;
    if (fact.has_player() && link.players.contains(fact.player().id())) come(fact.player().id(), link);
    return is_new;
  }
  static void come(core::Id id, Link& link) {
    const std::uint64_t now = link.ready || link.world ? link.facts : 0;
    link.stays.try_emplace(id, RecordedStay{now, RecordedStay::kEnd}).first->second.gone = RecordedStay::kEnd;
  }
  static void leave(core::Id id, Link& link) {
    if (const auto stay = link.stays.find(id); stay != link.stays.end()) stay->second.gone = link.facts;
  }

  static void keep(RecordedSessionInfo& link, Micros at, words::Timeline::What what, core::Id player, core::Id by = 0) {
    if (link.moments.size() < kMostMoments) link.moments.push_back({at, what, player, by});
  }

  std::map<std::uint32_t, std::string> dialects_, servers_;
  std::set<std::uint32_t> continues_;  // links that began before the file
  std::map<std::uint32_t, WallTime> closed_;
  std::map<std::uint32_t, Link> links_;
};

std::string session_text(const RecordedSessionInfo& link) {
  return "  link " + std::to_string(link.link) + "  " + screen_text(link.dialect) +
         (link.player.empty() ? "" : ", player '" + screen_text(link.player) + "'") + ", " +
         std::to_string(link.facts) + " facts, " + time_text(link.length()) + "\n";
}

Error none_of(const RecordedSessions& found, std::optional<std::uint32_t> wanted) {
  const std::string& name = found.file->name();
  if (!wanted || found.sessions.empty()) return {name + " has no words"};
  std::string error = name + ": link " + std::to_string(*wanted) + " has no words; these links have words:\n";
  std::size_t left = kMostListed;
  for (const RecordedSessionInfo& link : found.sessions)
    if (left != 0) --left, error += session_text(link);
  if (found.sessions.size() > kMostListed)
    error += "  and " + std::to_string(found.sessions.size() - kMostListed) + " more\n";
  error.pop_back();
  return {error};
}

}  // namespace

RecordedSessions RecordedSessions::find(std::shared_ptr<trace::Source> file, Progress& progress) {
  trace::Recording recording(*file);
  Listing listing;
  WallTime start = 0;
  std::string damage = each_event(recording, [&](const auto& event) {
    if (start == 0) start = event.time;
    listing.take(event);
    progress.reached(recording.progress().whole);
  });
  return {std::move(file), listing.links(), start, std::move(damage)};
}

Outcome<std::unique_ptr<RecordedSession>> RecordedSession::open(const RecordedSessions& found,
                                                                std::optional<std::uint32_t> link) {
  const RecordedSessionInfo* chosen = nullptr;
  for (const RecordedSessionInfo& one : found.sessions) {
    const bool fits = link ? one.link == *link : chosen == nullptr || one.tells_more_than(*chosen);
    if (fits) chosen = &one;
  }
  if (chosen == nullptr) return none_of(found, link);
  auto session = std::make_unique<RecordedSession>();
  session->file_ = found.file;
  session->about_ = *chosen;
  session->damage_ = found.damage;
  const Micros start = found.start / 1000, began = chosen->wall_us(chosen->first);
  if (start != 0) session->begins_ = std::max(began, start) - start;
  session->rewind();
  return session;
}

void RecordedSession::become_part(Micros begins, std::function<core::Id(core::Id)> translate, Micros skip) {
  begins_ = begins;
  skip_ = skip;
  translate_ = std::move(translate);
  rewind();
}

void RecordedSession::rewind() {
  recording_ = std::make_unique<trace::Recording>(*file_);
  ahead_.reset();
  at_ = 0;
}

/// If the recorded clock went back, the fact gets the time of the fact before it.
std::optional<Micros> RecordedSession::next_at() {
  while (!ahead_) {
    const auto event = recording_->next();
    if (!event || *event == nullptr) return std::nullopt;
    const auto& word = (*event)->word;
    if (!word || word->link != about_.link) continue;
    if (word->intent != nullptr && hear_) hear(*word->intent);
    if (word->fact == nullptr) continue;
    if (!is_of_session(word->fact->at_us(), about_.first, about_.last)) continue;
    auto fact = core::from_message(*word->fact);
    if (!fact) continue;
    ahead_ = std::move(*fact);
    ahead_->at = at_ = std::max(time_of(ahead_->at), at_);
    translate(*ahead_);
  }
  return ahead_->at;
}

void RecordedSession::hear(const words::Intent& message) {
  auto intent = core::from_message(message);
  if (!intent || !is_of_session(intent->at, about_.first, about_.last)) return;
  intent->at = std::max(time_of(intent->at), at_);
  if (translate_ && intent->by != 0) intent->by = translate_(intent->by);
  translate(*intent);
  hear_(*intent);
}

Fact RecordedSession::next() {
  Fact fact = std::move(*ahead_);
  ahead_.reset();
  return fact;
}

/// Loads the last recorded world that is not later than `at`. False: there is none, and the caller must fold all facts
/// from the start.
bool RecordedSession::recall(Micros at, core::WorldState& world) {
  const Micros own = about_.first + skip_ + (at > begins_ ? at - begins_ : 0);  // in the room's time
  const auto found = recording_->go_to_world(about_.link, about_.began + own * 1000);
  if (!found || !*found) return false;
  const auto event = recording_->next();
  if (!event || *event == nullptr || (*event)->world == nullptr) return false;
  const trace::Snapshot snapshot = *(*event)->world;
  if (snapshot.at_us() > own) return false;
  const auto geometry = recording_->find_geometry(snapshot.geometry());
  if (!geometry || (*geometry == nullptr && !snapshot.geometry().empty())) return false;
  const auto change = [this](Fact& fact) {
    fact.at = time_of(fact.at);
    translate(fact);
  };
  fold_snapshot(snapshot, *geometry, change, world);
  ahead_.reset();
  at_ = time_of(snapshot.at_us());
  return true;
}

std::vector<core::Moment> RecordedSession::moments() const {
  std::vector<core::Moment> all = about_.moments;
  for (core::Moment& one : all) {
    const auto id = [this](core::Id own) { return translate_ && own != 0 ? translate_(own) : own; };
    one = {time_of(one.at), one.what, id(one.player), id(one.by)};
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return all;
}

Outcome<Done> RecordedSession::seek(Micros at, core::WorldState& world) {
  const auto hear = std::exchange(hear_, {});
  world = core::WorldState();
  if (!recall(at, world)) {
    world = core::WorldState();
    rewind();
  }
  while (const auto next = next_at()) {
    if (*next > at) break;
    world.fold(this->next());
  }
  hear_ = hear;
  return Done{};
}

}  // namespace entente
