// Where a bridge's player is, and on the way to what: the place where it is, at most one that is next, and the state.
// Each way to another place is a policy in a file of its own: hold.h, meanwhile.h, mover.h.
// Invariant: the state changes only as kSteps says. Only the place where the player is, and the one to which it moves,
// have a back in the room. A place is not destroyed while it may be calling (keep_past()).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "proxy/relay/sessions/hold.h"
#include "proxy/relay/sessions/meanwhile.h"
#include "proxy/relay/sessions/mover.h"
#include "proxy/relay/sessions/place.h"

namespace entente::relay {

class BridgeSession;

enum class Standing : std::uint8_t {
  kGreets,       ///< has not shown yet that it wants to play: no server is connected
  kJoins,        ///< on the way to its first server
  kPlays,        ///< on a server, or in an arena to which it was moved
  kWaits,        ///< its server is lost or full: `here` is the next one, which is being connected
  kEntersArena,  ///< no server is up: on the way into the arena, which is `here`; `next` is a server
  kVisits,       ///< plays in that arena meanwhile
  kMoves,        ///< plays at `here`, and the operator moves it to `next`
  kLeaves,       ///< has been let in at `next`, and says goodbye to `here`
};

/// A part of BridgeSession, whose calls it shares.
class Whereabouts final : private End::User, private Dial::User {
 public:
  /// A change of the state. README.md draws them.
  struct Step {
    Standing from, to;
    const char* when;
  };
  /// All that there are.
  static constexpr Step kSteps[] = {
      {Standing::kGreets, Standing::kJoins, "it wants to play"},
      {Standing::kJoins, Standing::kPlays, "it has entered, and has the world"},
      {Standing::kJoins, Standing::kWaits, "the server is lost or full"},
      {Standing::kJoins, Standing::kEntersArena, "no server is up"},
      {Standing::kPlays, Standing::kWaits, "the server is lost or full, or the arena is closed"},
      {Standing::kPlays, Standing::kMoves, "the operator moves it"},
      {Standing::kWaits, Standing::kPlays, "it has the next server's world"},
      {Standing::kWaits, Standing::kJoins, "the same, but it has not entered"},
      {Standing::kWaits, Standing::kEntersArena, "no server is up"},
      {Standing::kEntersArena, Standing::kVisits, "it is in the arena"},
      {Standing::kEntersArena, Standing::kWaits, "a server is up, or the arena does not take it"},
      {Standing::kVisits, Standing::kWaits, "a server is up, or the arena is closed"},
      {Standing::kMoves, Standing::kPlays, "the move fails"},
      {Standing::kMoves, Standing::kLeaves, "the next place has let it in"},
      {Standing::kLeaves, Standing::kPlays, "it is there"},
  };

  /// `guesses_dialect`: the server's is not known before a server is dialled.
  Whereabouts(BridgeSession& session, Standing standing, bool guesses_dialect)
      : hold(session),
        meanwhile(session),
        mover(session),
        session_(session),
        standing_(standing),
        guesses_dialect_(guesses_dialect) {}

  // -- State ----------------------------------------------------------------------------------------------------------

  Standing standing() const { return standing_; }
  void go(Standing to);
  bool is_in_arena_meanwhile() const { return standing_ == Standing::kEntersArena || standing_ == Standing::kVisits; }
  /// Its server is lost, or is not up: it waits, or plays in the arena meanwhile.
  bool is_held() const { return standing_ == Standing::kWaits || is_in_arena_meanwhile(); }
  /// The same, while there is no world in which it could play.
  bool is_out() const { return standing_ == Standing::kWaits || standing_ == Standing::kEntersArena; }
  bool is_moving() const { return standing_ == Standing::kMoves || standing_ == Standing::kLeaves; }
  /// REQUIRES: called after each call of the room.
  void settle();
  /// REQUIRES: called regularly.
  void tick(Millis now);
  bool has_past() const { return !past_.empty(); }
  /// The session ends.
  void end(Reason reason);

  // -- Places ---------------------------------------------------------------------------------------------------------

  Place& here() const { return *here_; }
  /// Null: none.
  Place* next() const { return next_.get(); }
  /// The place whose back has this id in the room; null: none.
  Place* with(core::Id back) const;
  /// The server that is, or will be, connected: not the arena where the player is meanwhile.
  Place& server() const { return is_in_arena_meanwhile() ? *next_ : *here_; }
  /// The route on whose servers the player is, or in whose arena.
  WorkerRoute& route() const;

  /// A server of this route, which its dial will connect. `link` describes it.
  std::unique_ptr<Place> make_server(WorkerRoute& to, const LinkInfo& link, core::Id back, bool finds_dialect);
  /// An arena of this process. Null: it takes nobody.
  std::unique_ptr<Place> make_arena(const LinkInfo& link, core::Id back, std::size_t arena,
                                    const BridgeOptions::ArenaPlace& faces);
  /// A server of the route that takes the place of server(), whichever it will be.
  std::unique_ptr<Place> make_next_server();
  /// Null: its game or dialect cannot be bridged.
  std::unique_ptr<core::Back> back_for(const Place& server) const;

  /// The first place is a server of the route. `dialect`: the one that is assumed.
  void begin_at(std::size_t dialect);
  void replace_here(std::unique_ptr<Place> place, std::string_view why);
  void replace_next();
  void enter_arena(std::unique_ptr<Place> arena);
  void leave_arena();
  void begin_move(std::unique_ptr<Place> next);
  /// The player is at the next place from now on.
  void arrive();
  /// The player does not go to the next place.
  std::unique_ptr<Place> take_next() { return std::move(next_); }
  /// The place still sends what waits.
  void keep_past(std::unique_ptr<Place> place);

  // -- Connecting, and losing -----------------------------------------------------------------------------------------

  /// The player wants to play: connects to a server.
  void begin_dial();
  /// The dialect that the server to be connected must speak; nothing: any.
  std::optional<std::size_t> wanted_dialect() const {
    return guesses_dialect_ ? std::nullopt : server().wanted_dialect();
  }
  /// A server has accepted the connection: tells the room.
  void open(Place& place, const core::Peer& peer);
  /// Gives up on a place that does not let the player in. Returns whether it did.
  bool give_up_late(Millis now);

  // The ways to another place.
  Hold hold;
  Meanwhile meanwhile;
  Mover mover;

 private:
  // End::User. Places that were left are not heard.
  void opened(End& end, const core::Peer& peer) override;
  void found(End& end, std::optional<std::size_t> dialect) override;
  void on_frames(End& end, const Frames& frames) override;
  void received_besides(End& end, std::size_t bytes, std::size_t messages) override;
  void wrote(End& end) override;
  void departed(End& end, const End::Departure& departure) override;
  void over(End& end) override;
  WorkerRoute* route_for(std::string_view) override { return nullptr; }
  // Dial::User
  int dial(Dial& dial, const net::Address& server, Outgoing outgoing) override;
  bool drop_late(Dial& dial, Millis now) override;
  void dial_failed(Dial& dial, Reason why) override;

  Place* place_of(const End& end) const;
  Place& place_of(const Dial& dial) const { return next_ != nullptr && next_->dial.get() == &dial ? *next_ : *here_; }
  bool moves_to(const Place& place) const { return is_moving() && &place == next_.get(); }
  bool adapt(Place& place, const Upstream& upstream);
  void tell_opened(const Place& place);
  void lose(const End::Departure& departure);
  bool owes() const;
  void yield_turn(Millis now);
  void tell_server_wrong();
  void warn(const std::string& what);

  BridgeSession& session_;
  Standing standing_;
  std::unique_ptr<Place> here_, next_;
  PastPlaces past_;
  bool guesses_dialect_;
  Millis could_enter_since_ = 0;  // 0: the player has entered, or waits for the place
};

}  // namespace entente::relay
