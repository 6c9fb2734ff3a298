// The operator moves a player to a server or the arena of another route (base/move_order.h), also out of a shared room.
// When: on an order, if the player is in, and the other route would take it (begin()). Where to: a server of that
// route, or its arena. How long: the player goes on where it is until it has been let in there, or kMoveWithin is over;
// the time for which it waits for a server or a seat of that route does not count. It waits for a seat if the server
// says that it is full, and the route has hold_s. What is told: the operator gets an answer, and the player is told
// where it is now. A client that cannot change its world is told where to connect. So is each one that is moved to a
// lockstep arena: it did not ask for one, and others would wait for its steps.
// Invariant: each order is answered.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/relay/admission/admission.h"
#include "proxy/relay/base/move_order.h"
#include "proxy/relay/sessions/place.h"

namespace entente::relay {

class BridgeSession;

/// A part of BridgeSession, whose calls it shares.
class Mover {
 public:
  explicit Mover(BridgeSession& session) : session_(session) {}

  /// Begins the move, or answers why not.
  void begin(const std::shared_ptr<MoveOrder>& order);
  /// Whether a move is under way, or has just ended: settle() follows.
  bool is_under_way() const { return move_ != nullptr; }
  void tick(Millis now);
  void cancel(const std::string& why);

  // -- The next place -------------------------------------------------------------------------------------------------

  void unreached(Reason why);
  void departed(const End::Departure& departure);
  /// Why the move will fail. Only the first reason counts.
  void blame(std::string_view why);

  // -- What the room says, in a call ----------------------------------------------------------------------------------

  /// It closes the link to the next place.
  void close_next(std::string_view why, std::uint32_t code);
  /// The player is at the next place from now on.
  void arrive();
  /// The next place refuses the player; fail() follows.
  void refused(const words::Refused& refused);
  /// `other_world`: because the client would have to join anew.
  void fail(std::string_view why, bool other_world);
  /// After the call: answers the order if the move is over.
  void settle();

  // -- Where the player is, after a move ------------------------------------------------------------------------------

  /// The route where the player is; null: its own.
  WorkerRoute* route() const { return route_; }
  /// The arena to which it was moved does not keep the player: it belongs to its own route again, and has its rules.
  void go_home();
  /// The dialect of its own route's server.
  std::size_t home_dialect() const { return home_dialect_; }

 private:
  struct Move {
    Move(std::shared_ptr<MoveOrder> its_order, WorkerRoute& its_to, MovedPlace place, Millis now)
        : order(std::move(its_order)),
          to(its_to),
          ref(to.route),
          admission(std::move(place)),
          began(now),
          tries_since(now) {}
    ~Move() { order->answer_stays("the session has ended"); }

    const std::shared_ptr<MoveOrder> order;
    WorkerRoute& to;
    Route::Ref ref;
    MovedPlace admission;  // at the listener of `to`
    const Millis began;
    Millis tries_since;  // since when it has not waited for a server or a seat
    bool waits = false;  // the operator was told that the player waits for a server or a seat
    bool full = false;   // the server was full
    bool other_world = false;
    LinkInfo queued{};  // its place in the queue of the route
    std::string why;    // why it fails
    std::string from;   // the route that the player has left; "": it has not
  };

  std::optional<std::string> objection(const WorkerRoute& to) const;
  void go_to_server(std::unique_ptr<Move> move);
  void go_to_arena(std::unique_ptr<Move> move);
  bool start(std::unique_ptr<Move> move, std::unique_ptr<Place> next, std::unique_ptr<core::Back> back);
  std::unique_ptr<Place> make_next(WorkerRoute& to, std::size_t dialect) const;
  void leave_next(std::string_view why);
  bool wait_for_seat();
  void tell_waits();
  void tell_moved(const Move& move);
  void tell_failed(Move& move);

  BridgeSession& session_;
  std::unique_ptr<Move> move_;
  WorkerRoute* route_ = nullptr;
  Route::Ref ref_;        // of it; empty: an arena's, which may end
  MovedPlace admission_;  // at its listener
  std::size_t home_dialect_ = 0;
};

}  // namespace entente::relay
