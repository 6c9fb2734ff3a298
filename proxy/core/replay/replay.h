// A back that plays a recording: it sends the recorded facts to all viewers at the right time, at any speed. Each
// viewer has its own clock, and viewers with equal clocks share one. Or there is one clock for all
// (Options::one_clock).
// Invariant: viewers see an ordinary world. Ids are the room's; velocities match the playback speed; after a pause or a
// seek, a viewer knows what a viewer from the beginning would know, and has received no event that did not happen.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/names/names.h"
#include "proxy/core/pace.h"
#include "proxy/core/replay/fact_library.h"
#include "proxy/core/replay/network_turns.h"
#include "proxy/core/replay/playhead.h"
#include "proxy/core/replay/viewer_orders.h"
#include "proxy/core/room_member.h"
#include "proxy/core/watcher_places.h"

namespace entente::core {

class Replay final : public Back {
 public:
  static constexpr double kSlowest = 0.1, kFastest = 20;
  /// How often a viewer's clock is moved. Requests in between are added up.
  static constexpr Micros kWishEvery = 200 * kMillisecond;
  static constexpr unsigned kWishesAtOnce = 5;

  struct Options {
    Micros at = 0;     ///< start, in the recording's time; not before the recorded player knew the world
    double speed = 1;  ///< kSlowest to kFastest
    bool paused = false;
    bool loop = false;  ///< start again at the end; otherwise the end of the recording ends the room, or stops a clock
    bool one_clock = true;  ///< one clock for all viewers, which they cannot move
    /// The name of the file that is played, without its folder. Viewers learn it as the rule "recording.file". "":
    /// none.
    std::string file = {};
  };

  /// The state of playback. With one_clock: the shared clock. Otherwise, the viewers' clock if there is exactly one;
  /// else the state in which a new viewer's clock starts.
  struct Status {
    Micros at = 0, length = 0;  ///< in the recording's time
    double speed = 1;
    bool paused = false;
    bool over = false;
    std::size_t watchers = 0;
    std::string error = {};  ///< what could not be read of the recording
    std::size_t clocks = 1;  ///< number of clocks of viewers
  };

  /// Notified of every change, during the room's calls.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void status_changed(const Status& status) = 0;
  };

  /// `observer` may be null; otherwise it outlives the replay.
  Replay(std::unique_ptr<FactReader> source, const Options& options, Observer* observer = nullptr);
  /// Plays a live broadcast. Each viewer has its own clock, and starts at the end, which moves on.
  explicit Replay(std::shared_ptr<RecordingSource> live);

  // Orders for all clocks, carried out by the next tick() (Room::order).
  void pause(bool on) { wish_.paused = on; }
  void seek(Micros at) { wish_.at = at; }
  /// REQUIRES: kSlowest to kFastest.
  void set_speed(double speed) { wish_.speed = speed; }
  /// Ends the room.
  void stop(std::string why) { stop_why_ = std::move(why); }

  void opened(const Peer&, Outlet& out) override;
  void receive(const Frames&, Outlet&) override {}
  void hear(const Intent& intent, Outlet& out) override;
  void tick(Outlet& out) override;

 private:
  /// A playhead, and who sees what it plays: the viewers of one scene of the room, who share a clock.
  struct PlaybackGroup {
    Id scene;
    Playhead head;
    std::set<Id> viewers = {};
    bool stale = false;   // the scene must be sent the world at the head
    bool ended = false;   // it stopped at the end of the recording
    bool stands = false;  // its viewers were told that the broadcast stands still
    bool waits = false;   // it is in jumping_
    Micros loops_at = 0;  // when it may next start again, in the room's time
    Micros due = ~Micros{0};
  };
  struct Viewer {
    PlaybackGroup* group = nullptr;
    std::string name = {};
    Id follows = 0;
    std::optional<Micros> at_kill = {};  // the kill that it was taken to, unless it has gone elsewhere since
    ViewerWish wish = {};
    bool wishes = false;
    Pace pace{kWishEvery, kWishesAtOnce};
  };

  // The recording.
  bool find_beginning(Outlet& out);
  void open_group(Micros at, Outlet& out);
  void begin_live(Outlet& out);
  void tell_beginning(Outlet& out);
  std::string why_not_begun() const;
  void learn_moments(Outlet& out);
  void obey(Outlet& out);
  void play_due(Outlet& out);
  bool needs_jump(const PlaybackGroup& group) const;
  void wait_for_jump(PlaybackGroup& group, Outlet& out);
  void serve_jumps(std::vector<PlaybackGroup*>& later, Outlet& out);
  void owe_for(const words::World& land, const Outlet& out);
  bool serve(PlaybackGroup& group, Outlet& out);
  bool play(PlaybackGroup& group, Outlet& out);
  bool reach_end(PlaybackGroup& group, Outlet& out);
  bool reach_now(PlaybackGroup& group, const std::optional<Micros>& next, Outlet& out);
  void tell_if_it_stands(PlaybackGroup& group, Outlet& out);
  bool resync(PlaybackGroup& group, Outlet& out);
  void cannot_read(PlaybackGroup& group, const std::string& error, Outlet& out);
  void schedule(PlaybackGroup& group, Micros at);
  void unschedule(PlaybackGroup& group);
  void end(const char* why, Outlet& out);

  // Clocks.
  PlaybackGroup& new_group(Micros at, double speed, bool paused, Micros now);
  PlaybackGroup* find_alike(Micros at, double speed, bool paused, const PlaybackGroup* than, Micros now);
  PlaybackGroup* alike_of(const PlaybackGroup& group, Micros now);
  void join(PlaybackGroup& group, PlaybackGroup& alike, Outlet& out);
  void move_to(PlaybackGroup& group, Id id, Viewer& viewer, Outlet& out);
  void serve_wishes(Outlet& out);
  void carry_out(Id id, Viewer& viewer, Outlet& out);
  std::optional<Micros> place_of(const ViewerWish& wish, Viewer& viewer, Micros from) const;
  std::optional<Micros> kill_from(bool next, const Viewer& viewer, Micros from) const;
  void wake_next(Outlet& out);

  // Facts for viewers.
  void say(const PlaybackGroup& group, Fact fact, Outlet& out);
  void answer(Id viewer, const std::string& text, Outlet& out);
  void refuse(const Intent& intent, const std::string& why, Outlet& out);
  void tell(const PlaybackGroup& group, Fact fact, Outlet& out);
  void tell_clock(const PlaybackGroup& group, Id to, Outlet& out);
  void tell_player(const PlaybackGroup& group, Id id, const std::string& name, Outlet& out);
  void tell_gone(const PlaybackGroup& group, Id id, const std::string& why, Outlet& out);
  WorldState shown(const WorldState& there, const PlaybackGroup& group, Outlet& out);
  void to_room(Fact& fact, Outlet& out);
  Id room_id(Id recorded, Outlet& out);
  void report(const Outlet& out) const;

  // Viewers.
  void let_in(const Intent& intent, const std::string& name, Outlet& out);
  std::size_t most_watchers(const Outlet& out) const;
  void wish(const Intent& intent, const ViewerWish& wish, Outlet& out);
  void follow(Id viewer, Id player, bool in_chat, Outlet& out);
  void follow_named(Id viewer, const std::string& name, Outlet& out);
  void obey_chat(const Intent& intent, std::string_view line, Outlet& out);
  void on(const words::Enter& enter, const Intent& intent, Outlet& out);
  void on(const words::Change& change, const Intent& intent, Outlet& out);
  void on(const words::Spawn& spawn, const Intent& intent, Outlet& out);
  void on(const words::Leave& leave, const Intent& intent, Outlet& out);
  void on(const words::Say& say, const Intent& intent, Outlet& out);
  void on(const words::Playback& playback, const Intent& intent, Outlet& out);
  void on(const words::Watch& watch, const Intent& intent, Outlet& out);
  void on(const words::WantWorld& want, const Intent& intent, Outlet& out);
  // A front handles these by itself.
  void on(const words::Query&, const Intent&, Outlet&) {}
  void on(const words::Toward&, const Intent&, Outlet&) {}
  void on(const words::Ping&, const Intent&, Outlet&) {}
  template <class T>
  void on(const T&, const Intent& intent, Outlet& out);

  std::unique_ptr<FactReader> source_;  // until the beginning was found
  std::shared_ptr<RecordingSource> library_;
  const bool live_;  // facts are added at its end
  const Options options_;
  Observer* const observer_;
  Micros first_ = 0;  // when the recorded player knew the world
  std::map<Id, std::unique_ptr<PlaybackGroup>>
      groups_;  // by their scenes; the first is the shared clock, or how new ones start
  Id last_scene_ = 0;
  std::set<std::pair<Micros, Id>> due_;  // groups, by the time when their next facts are due
  std::size_t said_ = 0;                 // facts, in this tick
  Pace jumps_;                           // of viewers' own clocks
  NetworkTurns jumping_;                 // the scenes of clocks that wait for a jump
  ViewerWish wish_;                      // an order for all
  std::optional<Micros> begins_;         // of a broadcast that has not begun: when it will, as it was told
  bool failed_to_begin_ = false;         // the last time: the broadcast had a world, which then could not be read
  std::string stop_why_;                 // why to end the room; "": do not
  bool over_ = false;
  std::unordered_map<Id, Id, KeyedHash<Id>> ids_;  // the room's id, by the recording's id
  std::map<Id, Viewer> viewers_;
  WatcherPlaces places_{"viewers"};
  NameBook names_;  // of the viewers
  std::deque<Id> wishing_;
  std::vector<Moment> moments_;  // of a recording, in the room's ids
  words::Timeline timeline_;
  std::string error_;
};

}  // namespace entente::core
