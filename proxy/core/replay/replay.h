// A back that plays a recording: it says its facts in time, at any speed, to everybody who watches.
// Law: viewers see an ordinary world. Ids are the room's; velocities match the playback speed; after a pause or a
// seek, everybody knows what a viewer from the beginning would know.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "proxy/core/replay/fact_source.h"
#include "proxy/core/room_member.h"

namespace entente::core {

class Replay final : public Back {
 public:
  static constexpr double kSlowest = 0.1, kFastest = 20;

  struct Options {
    Micros at = 0;     ///< start, in the recording's time; not before its player knew the world
    double speed = 1;  ///< kSlowest to kFastest
    bool paused = false;
    bool loop = false;  ///< start again at the end; otherwise the end of the recording ends the room
  };

  /// The state of playback.
  struct Status {
    Micros at = 0, length = 0;  ///< in the recording's time
    double speed = 1;
    bool paused = false;
    bool over = false;
    std::size_t watchers = 0;
    std::string error = {};  ///< what could not be read of the recording
  };

  /// Is told of every change, within the room's calls.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void stands(const Status& status) = 0;
  };

  /// `observer` may be null; otherwise it outlives the replay.
  Replay(std::unique_ptr<FactSource> source, const Options& options, Observer* observer = nullptr);

  // Orders, carried out by the next tick() (Room::order).
  void pause(bool on) { wish_.paused = on; }
  void seek(Micros at) { wish_.at = at; }
  /// REQUIRES: kSlowest to kFastest.
  void set_speed(double speed) { wish_.speed = speed; }

  void opened(const Peer&, Outlet& out) override;
  void receive(Lane, Bytes, Outlet&) override {}
  void hear(const Intent& intent, Outlet& out) override;
  void tick(Outlet& out) override;

 private:
  struct Wish {
    std::optional<Micros> at;
    std::optional<double> speed;
    std::optional<bool> paused;
  };

  // The recording.
  bool find_beginning(Outlet& out);
  void obey(Outlet& out);
  bool jump(Micros at, Outlet& out);
  void play(Outlet& out);
  void reach_end(Outlet& out);
  Micros position(Micros now) const;
  void hold(Micros now);
  bool runs() const { return begun_ && !paused_ && !over_; }
  double scale() const { return runs() ? speed_ : 0; }
  void fail(const std::string& error, Outlet& out);
  void end(const char* why, Outlet& out);

  // Facts for viewers.
  void tell(Fact fact, Outlet& out);
  void resync(Outlet& out);
  void tell_clock(Id to, Outlet& out) const;
  World shown(Outlet& out);
  void to_room(Fact& fact, Outlet& out);
  Id room_id(Id recorded, Outlet& out);
  void report(const Outlet& out) const;

  // Viewers.
  void let_in(const Intent& intent, const std::string& name, Outlet& out);
  void on(const words::Enter& enter, const Intent& intent, Outlet& out);
  void on(const words::Change& change, const Intent& intent, Outlet& out);
  void on(const words::Spawn& spawn, const Intent& intent, Outlet& out);
  void on(const words::Leave& leave, const Intent& intent, Outlet& out);
  void on(const words::Say& say, const Intent& intent, Outlet& out);
  // A front handles these by itself.
  void on(const words::WantWorld&, const Intent&, Outlet&) {}
  void on(const words::Query&, const Intent&, Outlet&) {}
  void on(const words::Watch&, const Intent&, Outlet&) {}
  void on(const words::Toward&, const Intent&, Outlet&) {}
  void on(const words::Ping&, const Intent&, Outlet&) {}
  template <class T>
  void on(const T&, const Intent& intent, Outlet& out);

  std::unique_ptr<FactSource> source_;
  const Options options_;
  Observer* const observer_;
  World seen_;                 // the recording's world, in its ids and times: at at_, or as far as playback has come
  Micros first_ = 0;           // when the recorded player knew the world
  Micros at_ = 0, since_ = 0;  // a position in the recording; the room's time at that position
  double speed_;
  bool paused_, begun_ = false, over_ = false;
  Wish wish_;
  std::unordered_map<Id, Id> ids_;  // the room's id, by the recording's id
  std::set<Id> watchers_;
  std::string error_;
};

}  // namespace entente::core
