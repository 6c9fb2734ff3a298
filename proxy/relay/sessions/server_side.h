// The server's side of a bridge. It has one end after another: servers are lost, and players are moved. While the
// player visits an arena because no server is up, the arena's end is the current one, and the end of the next server
// is kept beside it. `info` describes the server of end_to_connect(), or the arena to which the player was moved.
// Law: it decides nothing. An end that was in use is destroyed later, because it may be calling its user.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/relay/ends/arena_end.h"
#include "proxy/relay/sessions/counted_end.h"

namespace entente::relay {

class ServerSide final : public CountedEnd {
 public:
  explicit ServerSide(const LinkInfo& link) : CountedEnd(Facing::kServer, link_), link_(link) {}
  ServerSide(const ServerSide&) = delete;
  ServerSide& operator=(const ServerSide&) = delete;

  // -- Its ends -------------------------------------------------------------------------------------------------------

  /// An end that is going to be connected to a server.
  struct NewEnd {
    std::unique_ptr<End> end;
    bool finds_dialect = false;  ///< which dialect the server speaks will be detected on it
  };

  /// REQUIRES: the present end, if there is one, was never connected.
  void begin(NewEnd first);
  /// The server is lost.
  void replace(NewEnd next, Millis now);
  /// The player moves to another server or arena. `next`: its end, which is up, `next_link`: its description, `arena`:
  /// the same end, if it leads into an arena. The end of the old server still sends what waits.
  void move_to(std::unique_ptr<End> next, const LinkInfo& next_link, ArenaEnd* arena, Millis now);
  /// No server is up, and the player is on the way into an arena. The present end is kept for the next server.
  void enter_arena(std::unique_ptr<ArenaEnd> arena, Millis now);
  /// REQUIRES: enter_arena().
  void leave_arena(Millis now);
  /// The arena to which the player was moved does not keep it. replace() follows, or the session ends.
  void forget_arena();
  /// The next server was not reached. REQUIRES: enter_arena().
  void replace_next(NewEnd next, Millis now);
  /// An end that was shut down, and still sends what waits.
  void keep_parting(std::unique_ptr<End> parting, Millis now);

  /// The current end, if it leads into an arena; else null.
  ArenaEnd* arena() const { return arena_; }
  /// Whether it is the end of the next server, kept beside the arena's.
  bool is_next(const End& one) const { return &one == next_.end.get(); }
  /// Whether it is the current end, or the one of the next server.
  bool has(const End& one) const { return &one == end.get() || is_next(one); }
  /// The end that is, or will be, connected to a server.
  End& end_to_connect() const { return next_.end != nullptr ? *next_.end : *end; }
  /// Whether the dialect of the current end's server is being detected. Until it is known, nothing may be sent.
  bool finds_dialect() const { return finds_dialect_; }
  /// The dialect that the server to be connected must speak; nothing: any.
  std::optional<std::size_t> wanted_dialect() const;
  void found(std::size_t dialect);
  /// The server has accepted the connection.
  void come_up(Millis now);
  /// Tells the recording, if it has the link, that the link is closed. It has the links of servers whose dialect is
  /// known.
  void close_tap(const WorkerRoute& worker_route, std::string_view why, WallTime at) const;

  bool is_open() const { return end->is_open() || (next_.end != nullptr && next_.end->is_open()); }
  void hang_up();
  /// From now on, its current end is served before newcomers.
  void play();
  /// Whether ends that were replaced are still kept. REQUIRES: called regularly.
  bool tick(Millis now);

  // -- How long the player has waited for it --------------------------------------------------------------------------

  /// The player waits from now on: for the world, or to be let in.
  void owes_from(Millis now) { owes_since_ = waits_since_ = now; }
  /// The server has sent another part of its world, or has asked for more time.
  void progressed(Millis now) { owes_since_ = now; }
  /// The server sent something.
  void said_something(Millis now) { said_ = now; }
  /// The server waits for other players.
  void set_in_lobby() { in_lobby_ = true; }
  /// Whether the player has waited too long, and why. REQUIRES: the player waits for the server.
  std::optional<std::string> too_late(Millis now, const Limits& limits);
  /// Whether the player has waited for a while: true once for each wait. REQUIRES: as too_late().
  bool is_newly_slow(Millis now, const Limits& limits);

 private:
  void go_down();
  void hang_up_and_keep(std::unique_ptr<End> lost, Millis now);

  LinkInfo link_;
  bool finds_dialect_ = false;
  ArenaEnd* arena_ = nullptr;
  NewEnd next_;  // while the player visits an arena, because no server is up
  bool plays_ = false;

  std::vector<std::unique_ptr<End>> past_;
  Millis past_since_ = 0;  // when the last of them was replaced

  Millis owes_since_ = 0, said_ = 0;
  Millis waits_since_ = 0;  // 0: it was told that the player waits
  bool in_lobby_ = false;
};

}  // namespace entente::relay
