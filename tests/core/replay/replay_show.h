// A replay in a room whose clock is advanced by the test; recordings for it; and a world as text.
// Invariant: nothing here reads a real clock.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "proxy/core/replay/replay.h"
#include "proxy/core/room/room.h"
#include "tests/support/memory_facts.h"

namespace entente::testing::replay_show {

using namespace core;

/// What a viewer received, and its own world: what a client would know.
struct Seen {
  std::vector<Fact> heard;
  WorldState world;
  std::set<std::string> of_others = {};  // facts about players that were not introduced to the viewer
};

/// Enters at once.
class Viewer final : public Front {
 public:
  explicit Viewer(Seen& seen) : seen_(seen) {}
  void opened(const Peer&, FrontOut& out) override {
    words::Enter enter;
    enter.set_name("viewer");
    out.say(enter);
  }
  void receive(const Frames& frames, FrontOut& out) override {
    if (as_text(frames.bytes) == "spawn") return out.say(words::Spawn());
    if (as_text(frames.bytes) == "fire") return out.say(words::Fire());
    if (as_text(frames.bytes) == "flood") {
      for (int i = 0; i < 100; ++i) {
        words::Playback wish;
        wish.set_us(static_cast<std::uint64_t>(i) * kSecond / 2);
        out.say(wish);
      }
      return;
    }
    if (as_text(frames.bytes) == "kill") {
      words::Playback next;
      next.set_kill(words::Playback::NEXT_KILL);
      return out.say(next);
    }
    const std::string line(as_text(frames.bytes));
    if (line.starts_with("rename ")) {
      words::Change change;
      change.set_name(line.substr(7));
      return out.say(change);
    }
    if (line.starts_with("watch ")) {
      words::Watch watch;
      watch.set_mode(words::Watch::PLAYER);
      watch.set_target(static_cast<Id>(std::stoul(line.substr(6))));
      return out.say(watch);
    }
    words::Say say;
    if (line == "psst") say.set_scope(words::Say::ONE);
    say.set_text(line);
    out.say(say);
  }
  void hear(const Fact& fact, FrontOut& out) override {
    for (const auto& [id, state] : out.world().players())
      if (id != out.me() && state.player.role() == words::WATCH) seen_.of_others.insert("in the world");
    const std::uint64_t unknown = seen_.world.orphaned();
    seen_.heard.push_back(fact);
    seen_.world.fold(fact);
    if (seen_.world.orphaned() != unknown) seen_.of_others.insert(name_of(fact));
  }

 private:
  Seen& seen_;
};

/// Sees everything without entering.
class Onlooker final : public Front {
 public:
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut&) override { world.fold(fact); }
  WorldState world;
};

class Nobody final : public Room::Host {
 public:
  void send(Id, Lane, Bytes) override {}
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id end, std::string_view why, std::uint32_t) override {
    closed += std::to_string(end) + " " + std::string(why) + "\n";
  }
  void failed(Id, const Fault&) override {}
  void dial() override {}
  std::string closed;
};

class Standing final : public Replay::Observer {
 public:
  void status_changed(const Replay::Status& status) override { now = status; }
  Replay::Status now;
};

inline RoomOptions shared() {
  RoomOptions options;
  options.shared = true;
  return options;
}

/// A room with a replay, and a clock that only the test advances.
struct Show {
  explicit Show(const std::vector<Fact>& facts, const Replay::Options& options = {}) : Show(facts, options, shared()) {}
  Show(const std::vector<Fact>& facts, const Replay::Options& options, const RoomOptions& rules) {
    auto made = std::make_unique<MemoryFacts>(facts);
    tape = made.get();
    room.emplace(host, std::make_unique<Replay>(std::move(made), options, &standing), rules);
    room->back_opened({}, now);
  }
  /// `network`: as Peer::network.
  Seen& watch(const char* network = "") {
    Seen& seen = all_seen.emplace_back();
    Peer peer;
    peer.network = network;
    last = room->seat(std::make_unique<Viewer>(seen), peer, now);
    pass(0);
    return seen;
  }
  /// Runs each tick at its time.
  void pass(Micros time) {
    const Micros until = now + time;
    while (room->next_wake() <= until) {
      now = std::max(now, room->next_wake());
      room->tick(now);
    }
    now = until;
  }
  void order(const std::function<void(Replay&)>& what) {
    room->order([&](Back& back) { what(static_cast<Replay&>(back)); }, now);
    pass(0);
  }
  void says(const char* line) { says(last, line); }
  void says(Id viewer, std::string_view line) {
    room->received(viewer, {Lane::kStream, as_bytes(line)}, now);
    pass(0);
  }

  std::deque<Seen> all_seen;
  Nobody host;
  Standing standing;
  MemoryFacts* tape = nullptr;
  std::optional<Room> room;
  Micros now = kSecond;  // the room is older than its replay
  Id last = 0;
};

// -- A tape -----------------------------------------------------------------------------------------------------------

inline Fact at(Micros when, Fact fact) {
  fact.at = when;
  return fact;
}

template <class T>
inline Fact at(Micros when, const T& word) {
  return at(when, Fact(word));
}

inline words::Player player(Id id) {
  words::Player player;
  player.set_id(id);
  player.set_name("p" + std::to_string(id));
  player.set_address("192.0.2.1");
  return player;
}

inline words::Unit unit(Id id, Id owner) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_owner(owner);
  unit.set_name("u" + std::to_string(id));
  unit.set_alive(true);
  unit.set_max_health(100);
  unit.set_health(100);
  return unit;
}

inline words::Pose pose(Id unit, double x, double vx = 0) {
  words::Pose pose;
  pose.set_unit(unit);
  pose.set_x(x);
  pose.set_vx(vx);
  return pose;
}

inline words::Said said(const char* text) {
  words::Said said;
  said.set_text(text);
  return said;
}

inline words::Owns owns(Id player, Id unit) {
  words::Owns owns;
  owns.set_player(player);
  owns.add_units(unit);
  owns.set_active(unit);
  return owns;
}

/// Player 1 drives unit 2 east, 1 m each 0.1 s, for 10 s. It knows its world at 0.5 s.
inline std::vector<Fact> drive() {
  std::vector<Fact> facts{at(0, words::Room()), at(0, words::World()), at(0, player(1)),
                          at(0, unit(2, 1)),    at(0, owns(1, 2)),     at(500 * kMillisecond, words::Ready())};
  for (int i = 6; i <= 100; ++i) facts.push_back(at(static_cast<Micros>(i) * 100 * kMillisecond, pose(2, i, 10)));
  return facts;
}

/// The only unit.
inline double x_of(const WorldState& world) {
  REQUIRE(world.units().size() == 1);
  return world.units().begin()->second.unit.pose().x();
}
inline double speed_of(const WorldState& world) { return world.units().begin()->second.unit.pose().vx(); }

// -- A world as text, by names, because ids differ between rooms -----------------------------------------------------

inline std::string number(double value) { return std::to_string(std::lround(value * 1000)); }

inline std::string text(const WorldState& world, Micros now) {
  std::vector<std::string> lines;
  for (const auto& [id, state] : world.players()) {
    if (state.player.role() == words::WATCH) continue;
    std::string line = state.player.name() + " " + std::to_string(state.score.wins()) + " steers ";
    line += world.active_unit(id) != nullptr ? world.active_unit(id)->unit.name() : "nothing";
    lines.push_back(line + state.player.address());
  }
  for (const auto& [id, state] : world.units()) {
    const words::Pose pose = place_at(state.unit.pose(), state.posed_at, now);
    const PlayerState* owner = world.player(state.unit.owner());
    lines.push_back(state.unit.name() + " of " + (owner != nullptr ? owner->player.name() : "nobody") + " at " +
                    number(pose.x()) + " by " + number(now < state.posed_at + kSecond ? pose.vx() : 0) +
                    (state.unit.alive() ? " lives " : " dead ") + number(state.unit.health()) +
                    (state.hidden ? " hidden" : "") + " " + std::to_string(state.unit.colour()));
  }
  for (const auto& [id, token] : world.tokens())
    if (token.state() != words::Token::NOWHERE)
      lines.push_back(token.code() + " " + number(token.x()) + " " + std::to_string(token.state()));
  for (const auto& [name, value] : world.rules()) lines.push_back(name + "=" + value);
  for (const auto& state : world.shots()) {
    const double flown = static_cast<double>(now - state.fired_at) / kSecond;
    if (flown >= state.shot.life() - 0.01) continue;
    lines.push_back("shot " + std::to_string(state.shot.shot()) + " at " +
                    number(state.shot.x() + state.shot.vx() * flown));
  }
  lines.push_back("round " + std::to_string(world.round().state()) + " " + world.room().name());
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

/// Random facts of every kind, for a minute.
inline std::vector<Fact> busy(std::uint32_t seed) {
  std::mt19937 dice(seed);
  const auto roll = [&](std::uint32_t sides) { return static_cast<std::uint32_t>(dice() % sides); };
  std::vector<Fact> facts{at(0, words::World()), at(0, player(1))};
  for (const char* name : {"r0", "r1", "r2"}) {  // a rule cannot be removed, so all exist from the beginning
    words::Rule rule;
    rule.set_name(name);
    facts.push_back(at(0, rule));
  }
  facts.push_back(at(0, words::Ready()));
  Id last = 10;
  std::vector<Id> players{1}, units;
  const auto any = [&](const std::vector<Id>& of) { return of[roll(static_cast<std::uint32_t>(of.size()))]; };
  std::uint32_t shots = 0;
  for (Micros now = kMillisecond; now < 60 * kSecond; now += kMillisecond * (1 + roll(100))) {
    const auto add = [&](Fact fact) { facts.push_back(at(now, std::move(fact))); };
    const std::uint32_t what = roll(20);
    if (what == 0 || units.empty()) {
      units.push_back(++last);
      const Id owner = any(players);
      add(unit(last, owner));
      add(owns(owner, last));
    } else if (what == 1) {
      players.push_back(++last);
      add(player(last));
    } else if (what == 2 && players.size() > 2) {
      words::PlayerGone gone;
      gone.set_id(players.back());
      players.pop_back();
      add(gone);
    } else if (what == 3) {
      words::Gone gone;
      gone.set_unit(units.front());
      units.erase(units.begin());
      add(gone);
    } else if (what == 4) {
      words::Died died;
      died.set_unit(any(units));
      add(died);
    } else if (what == 5) {
      words::Spawned spawned;
      spawned.set_unit(any(units));
      *spawned.mutable_pose() = pose(spawned.unit(), roll(500), roll(20));
      add(spawned);
    } else if (what == 6) {
      words::Hidden hidden;
      hidden.set_unit(any(units));
      add(hidden);
    } else if (what == 7) {
      words::Token token;
      token.set_id(1 + roll(5));
      token.set_code("T" + std::to_string(token.id()));
      token.set_x(roll(100));
      token.set_state(static_cast<words::Token::State>(roll(3)));
      add(token);
    } else if (what == 8) {
      words::Score score;
      score.set_player(any(players));
      score.set_wins(roll(100));
      add(score);
    } else if (what == 9) {
      words::Health health;
      health.set_unit(any(units));
      health.set_now(roll(100));
      add(Fact(1, health));
    } else if (what == 10) {
      words::UnitChanged changed;
      changed.set_unit(any(units));
      changed.set_colour(roll(100));
      add(changed);
    } else if (what == 11) {
      words::Shot shot;
      shot.set_shooter(any(players));
      shot.set_shot(++shots);
      shot.set_vx(100);
      shot.set_life(3);
      add(shot);
    } else if (what == 12) {
      words::Rule rule;
      rule.set_name("r" + std::to_string(roll(3)));
      rule.set_value(std::to_string(roll(10)));
      add(rule);
    } else {
      add(pose(any(units), roll(500), roll(20)));
    }
  }
  return facts;
}

}  // namespace entente::testing::replay_show
