// A place where a bridge's player can be: a server, or an arena of this process. It is the link or the passage there,
// with what is recorded and known of it. A session has one, `here`, and at most one that is next.
// Invariant: it decides nothing. A place that was left still sends what waits, and tells nobody of anything.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/relay/ends/arena_end.h"
#include "proxy/relay/sessions/counted_end.h"

namespace entente::relay {

class Place final : public CountedEnd, private End::User {
 public:
  /// As End::User. A place must not be destroyed in one of these calls.
  class User {
   public:
    virtual ~User() = default;
    virtual void place_opened(Place& place, const core::Peer& peer) = 0;
    virtual void place_found(Place& place, std::optional<std::size_t> dialect) = 0;
    virtual void place_received(Place& place, const Frames& frames) = 0;
    virtual void place_wrote(Place& place) = 0;
    virtual void place_departed(Place& place, const End::Departure& departure) = 0;
    virtual void place_closed(Place& place) = 0;
  };

  /// `link`: describes its server. `back`: the id that its back has in the room.
  Place(User& user, const LinkInfo& link, core::Id back)
      : CountedEnd(Facing::kServer, link_), user_(&user), link_(link) {
    id = back;
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  // -- Getting there --------------------------------------------------------------------------------------------------

  /// It is a server of this route, and is going to be connected. `works_for`: the client. `finds_dialect`: which
  /// dialect the server speaks will be detected.
  void lead_to_server(WorkerRoute& route, const Limits& limits, const net::Address& works_for, bool finds_dialect);
  /// It is an arena.
  void lead_to_arena(std::unique_ptr<ArenaEnd> arena);
  /// The passage of an arena, which calls this user.
  End::User& end_user() { return *this; }
  /// The server has accepted the connection, or the player is on the way into the arena.
  void come_up(Millis now);
  /// From now on, the player is here: its back is the room's.
  void arrive(User& user, Millis now);
  /// The player has left: its user hears nothing more.
  void part() { user_ = nullptr; }

  /// The passage, if it is an arena; else null.
  ArenaEnd* arena() const { return arena_; }
  /// The arena does not keep the player. Another place follows, or the session ends.
  void forget_arena();
  /// Whether the server's dialect is being detected. Until it is known, nothing may be sent.
  bool finds_dialect() const { return finds_dialect_; }
  /// The dialect that its server must speak; nothing: any.
  std::optional<std::size_t> wanted_dialect() const;
  void found(std::size_t dialect);

  /// Sends to it. What an arena is sent is not recorded: it would be the same words again.
  void send(WorkerRoute& worker_route, Lane lane, Bytes bytes, WallTime at);
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

 private:
  // End::User
  void opened(End&, const core::Peer& peer) override;
  void found(End&, std::optional<std::size_t> dialect) override;
  void received(End&, const Frames& frames) override;
  void wrote(End&) override;
  void departed(End&, const End::Departure& departure) override;
  void over(End&) override;
  WorkerRoute* route_for(std::string_view) override { return nullptr; }

  User* user_;  // null: the player has left
  LinkInfo link_;
  bool finds_dialect_ = false;
  ArenaEnd* arena_ = nullptr;
  Millis owes_since_ = 0, said_ = 0;
  Millis waits_since_ = 0;  // 0: it was told that the player waits
  bool in_lobby_ = false;
};

/// Places that the player has left, until it is certain that none of them is calling anybody.
class PastPlaces {
 public:
  void keep(std::unique_ptr<Place> place, Millis now);
  /// Whether there are any. REQUIRES: called regularly.
  bool tick(Millis now);

 private:
  std::vector<std::unique_ptr<Place>> places_;
  Millis since_ = 0;  // when the last of them was left
};

}  // namespace entente::relay
