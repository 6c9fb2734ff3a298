// Converts what a player wants into input that every dialect of Ogar takes once a tick: the place of the mouse, and
// actions (splits, ejects, keys).
// Invariant: each action is given once. Q is held long enough for a server that looks once a tick.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "adapters/ogar/back/cell_tracker.h"
#include "proxy/core/gameplay/pending_claims.h"
#include "proxy/core/gameplay/steering.h"

namespace entente::ogar {

/// One tick's input.
struct Input {
  std::int32_t x = 0, y = 0;  ///< the mouse, in the server's units
  std::uint8_t splits = 0, minion_splits = 0;
  bool eject = false, minion_eject = false, minion_freeze = false;
  bool spectate = false, q_press = false, q_release = false;
  bool must_throw = false;           ///< by the rules of OgarII, a cell of the player splits or ejects mass
  std::optional<std::string> spawn;  ///< the name to play by
  std::optional<std::string> say;

  bool has_action() const {
    return splits != 0 || minion_splits != 0 || eject || minion_eject || minion_freeze || spectate || q_press ||
           q_release || spawn || say;
  }
};

class InputPlanner {
 public:
  /// Takes the word. `shown_world`: as in next(). False: no dialect of Ogar has a message for it.
  bool hear(const core::Intent& intent, bool shown_world, CellTracker& tracker, core::BackOut& out);

  /// What a message to the server holds: the mouse, actions (everything else), or both.
  struct Turn {
    bool mouse = true, actions = true;
  };
  /// The input for this message. `shown_world`: the server has shown us its world. Actions wait until they have a turn.
  Input next(const CellTracker& tracker, bool shown_world, Turn turn, core::Micros now);

  /// Whether an action waits that must be sent soon.
  bool urgent(bool shown_world) const;
  /// Whether the player wants to come into play.
  bool wants_spawn() const { return wants_spawn_; }
  /// The server shows no world. Drops chat that has waited for long, because servers take none then.
  void drop_old_lines(core::BackOut& out);
  /// Whether the mouse is held in the direction of a shot for a moment.
  bool aims() const { return aimed_ > 0; }
  /// Whether the place of the mouse matters even if there is no action.
  bool steers(const CellTracker::Self& self) const { return self.cells > 0 || watching_ == Watching::kRoam; }
  /// There is no player: watches the leader.
  void watch_leader() { watching_ = Watching::kLeader; }
  void left_world() { is_watching_ = Watching::kNot; }
  /// Sets the place from which the server lets us look while we have no cell. Metres.
  void set_camera(double x, double y) {
    camera_x_ = x;
    camera_y_ = y;
  }
  /// The link is up. Chat waits for a second, because the server drops it before.
  void connected(core::Micros now) { chat_at_ = now + 1100 * core::kMillisecond; }
  /// Sets the shortest time between two lines of chat that the server accepts.
  void set_chat_pause(core::Micros pause) { chat_pause_ = pause; }

  core::PendingClaims& claims() { return claims_; }

  const words::Enter* entered() const { return entered_ ? &enter_ : nullptr; }

 private:
  enum class Watching : std::uint8_t { kNot, kLeader, kRoam };

  void enter(const words::Enter& word, const CellTracker& tracker, core::BackOut& out);
  void change(const words::Change& word, core::BackOut& out);
  void watch(const words::Watch& word, const CellTracker& tracker, core::BackOut& out);
  static void refuse_to_watch(core::BackOut& out);
  void say(const words::Say& word, bool shown_world, core::BackOut& out);
  void shoot(const core::Shooting& shot, CellTracker& tracker, core::BackOut& out);
  /// `known`: the smallest size from which the server was seen to let a cell eject mass.
  void try_to_eject(double size, double known);
  void press(bool down);
  void point(const CellTracker& tracker, const CellTracker::Self& self, core::Micros now, Input& input);
  void act(const CellTracker& tracker, const CellTracker::Self& self, Input& input);
  void button(bool paced, Input& input);
  void go_watching(Input& input);

  core::Steering steering_;
  core::Micros steered_at_ = 0;  // when the last intent to steer came
  words::Enter enter_;
  bool entered_ = false, wants_spawn_ = false, had_cells_ = false;
  core::Micros spawn_at_ = 0;  // when to ask (again)
  core::PendingClaims claims_;
  double tried_size_ = 0;  // the size with which try_to_eject() has last asked
  struct Line {
    std::string text;
    core::Micros said_at;
  };
  std::deque<Line> lines_;
  core::Micros chat_at_ = 0, chat_pause_ = 1050 * core::kMillisecond;

  std::uint32_t splits_ = 0, minion_splits_ = 0, ejects_ = 0, minion_ejects_ = 0;
  bool freeze_ = false;
  double aim_ = 0;
  int aimed_ = 0;  // updates for which the mouse still points along aim_

  bool q_down_ = false, q_wish_ = false;
  int q_held_ = 0, q_again_ = 0;  // updates of the mouse since Q was pressed or released; pending presses

  Watching watching_ = Watching::kNot, is_watching_ = Watching::kNot;  // requested; as sent to the server
  double place_x_ = 0, place_y_ = 0, camera_x_ = 0, camera_y_ = 0;
  bool has_place_ = false;
};

}  // namespace entente::ogar
