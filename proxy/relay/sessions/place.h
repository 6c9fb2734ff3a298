// A place where a bridge's player can be: a server, or an arena of this process. It is the link or the passage there,
// the dial that connects it, and what is recorded and known of it. A session has one, `here`, and at most one that is
// `next` (whereabouts.h).
// Invariant: it decides nothing, and has no callbacks. A place that was left still sends what waits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/relay/ends/arena_end.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/ends/counted_end.h"

namespace entente::relay {

class Place final : public CountedEnd {
 public:
  /// A server. `link`: describes it. `back`: the id that its back has in the room. `finds_dialect`: which dialect it
  /// speaks will be detected.
  Place(const LinkInfo& link, core::Id back, std::unique_ptr<End> to, std::unique_ptr<Dial> its_dial,
        bool finds_dialect);
  /// An arena.
  Place(const LinkInfo& link, core::Id back, std::unique_ptr<ArenaEnd> to);
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// The server has accepted the connection, or the player is on the way into the arena.
  void come_up(Millis now);
  /// The passage, if it is an arena; else null.
  ArenaEnd* arena() const { return arena_; }
  /// Whether the server's dialect is being detected. Until it is known, nothing may be sent.
  bool finds_dialect() const { return finds_dialect_; }
  /// The dialect that its server must speak; nothing: any.
  std::optional<std::size_t> wanted_dialect() const;
  /// The dialect of its server is known. REQUIRES: nothing was received on its stream yet, or it was detected there.
  void speak(std::size_t dialect);

  /// Tells the recording that the link is open, or is closed. It has the links of servers whose dialect is known.
  void open_tap(WorkerRoute& worker_route) const;
  void close_tap(const WorkerRoute& worker_route, std::string_view why, WallTime at) const;

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

  /// What connects it, or has done so; null: it is an arena, or another place follows.
  std::unique_ptr<Dial> dial;

 private:
  LinkInfo link_;
  bool finds_dialect_;
  ArenaEnd* arena_ = nullptr;
  Millis owes_since_ = 0, said_ = 0;
  Millis waits_since_ = 0;  // 0: it was told that the player waits
  bool in_lobby_ = false;
};

/// Places that the player has left, until it is certain that none of them is calling anybody.
class PastPlaces {
 public:
  void keep(std::unique_ptr<Place> place, Millis now);
  /// REQUIRES: called regularly.
  void tick(Millis now);
  bool empty() const { return places_.empty(); }

 private:
  std::vector<std::unique_ptr<Place>> places_;
  Millis since_ = 0;  // when the last of them was left
};

}  // namespace entente::relay
