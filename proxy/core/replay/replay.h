// A recording as a room's truth: tells a tape in time, as fast as is wished, to whoever comes to watch.
// Law: what is told of it is an ordinary world. Ids are the room's, speeds are those at which things are seen to move,
// and after a pause or a seek everybody knows what somebody who has watched from the beginning would know.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "proxy/core/replay/tape.h"
#include "proxy/core/session.h"

namespace entente::core {

class Replay final : public Back {
 public:
  static constexpr double kSlowest = 0.1, kFastest = 20;

  struct Options {
    Micros at = 0;     ///< of the tape, where it begins; not before its player knew its world
    double speed = 1;  ///< kSlowest to kFastest
    bool paused = false;
    bool loop = false;  ///< from the end on to the beginning; else the end of the tape ends the room
  };

  /// How it stands.
  struct Status {
    Micros at = 0, length = 0;  ///< of the tape
    double speed = 1;
    bool paused = false;
    bool over = false;
    std::size_t watchers = 0;
    std::string error = {};  ///< what of the tape could not be read
  };

  /// Who wants to know that. Called within the room's calls, whenever something has changed.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void stands(const Status& status) = 0;
  };

  /// `observer` may be null; else it outlives the replay.
  Replay(std::unique_ptr<Tape> tape, const Options& options, Observer* observer = nullptr);

  // Orders; the next tick() does them (Room::order).
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

  // The tape.
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

  // What is told of it.
  void tell(Fact fact, Outlet& out);
  void resync(Outlet& out);
  void tell_clock(Id to, Outlet& out) const;
  World shown(Outlet& out);
  void to_room(Fact& fact, Outlet& out);
  Id room_id(Id tapes, Outlet& out);
  void report(const Outlet& out) const;

  // Who watches.
  void let_in(const Intent& intent, const std::string& name, Outlet& out);
  void on(const words::Enter& enter, const Intent& intent, Outlet& out);
  void on(const words::Change& change, const Intent& intent, Outlet& out);
  void on(const words::Spawn& spawn, const Intent& intent, Outlet& out);
  void on(const words::Leave& leave, const Intent& intent, Outlet& out);
  void on(const words::Say& say, const Intent& intent, Outlet& out);
  // A front sees to these by itself.
  void on(const words::WantWorld&, const Intent&, Outlet&) {}
  void on(const words::Query&, const Intent&, Outlet&) {}
  void on(const words::Watch&, const Intent&, Outlet&) {}
  void on(const words::Toward&, const Intent&, Outlet&) {}
  void on(const words::Ping&, const Intent&, Outlet&) {}
  template <class T>
  void on(const T&, const Intent& intent, Outlet& out);

  std::unique_ptr<Tape> tape_;
  const Options options_;
  Observer* const observer_;
  World seen_;                 // in the tape's ids and times, at at_ or where playing has come to since
  Micros first_ = 0;           // where its player knew its world
  Micros at_ = 0, since_ = 0;  // of the tape; of the room when it stood there
  double speed_;
  bool paused_, begun_ = false, over_ = false;
  Wish wish_;
  std::unordered_map<Id, Id> ids_;  // the tape's and the room's
  std::set<Id> watchers_;
  std::string error_;
};

}  // namespace entente::core
