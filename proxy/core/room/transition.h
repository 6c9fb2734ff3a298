// The way of a room's one player to another server, and of a seat out of a shared room. There is at most one at a time.
// It leads away from a server that goes on, where the player stays until the next server has let it in, or from one
// that is lost. In both cases the next server's world is built apart until it is ready, and then the player receives
// the difference (next_world.h).
//
//   transition.replace_back(std::move(fresh), {why, code}, now);   // the server is lost: the host dials for `fresh`
//   transition.begin_move(std::move(next), now);                   // the player is moved: the host dials for `next`
//   // Then back_opened(), received() and gone() as for any back; Host::moved() or move_failed() ends a move.
//
// Invariant: the player is in the world of one server at a time. A way from a server that goes on may fail, and then
// nothing has happened to the player.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/core/ledger.h"
#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::core {

class BackSlot;
class Room;
class Seat;

/// The back's id as an end of its room. The other ends are seats, each with its player's id.
inline constexpr Id kBackId = 0;
/// The id of the next server's back, while a player moves there (Transition::begin_move).
inline constexpr Id kNextBackId = UINT32_MAX;

/// What a player whose server was lost waits for.
enum class Wait : std::uint8_t {
  kNothing,  ///< the player was thrown out or refused: the room ends
  kServer,
  kPlayerSlot,  ///< on a server that is full
};

/// How a server was lost.
struct ServerLoss {
  std::string_view why = {};
  std::uint32_t code = 0;  ///< the game's own reason; 0: none
  /// The next back leads to a place where the player plays until a server is back. The team that the player has there
  /// is not requested at the next server.
  bool meanwhile = false;
};

/// A player who is on the way from one room to another, with the front of its client.
struct DetachedPlayer {
  std::unique_ptr<Front> front;
  WorldState world;               ///< as the client knows it
  Intent wish;                    ///< its Enter, with what it changed since
  bool wants_spawn = false;       ///< has asked to spawn, and is not in play yet
  bool wants_to_watch = false;    ///< has asked to watch since it was in play
  std::uint32_t last_number = 0;  ///< of its intents
  Micros wakes_at = 0;            ///< when its tick() is due; the far future: not at all
};

/// A part of Room, whose calls it shares. Times never decrease, as in Room.
class Transition {
 public:
  enum class State : std::uint8_t {
    kHere,   ///< the player is on the server of the room's back, or on the way to its first one
    kAnew,   ///< its server was lost before it had a world: it receives what the next one says
    kLost,   ///< its server was lost: the next one's world is built apart
    kMoves,  ///< the same, while the player goes on at its own server
  };
  /// A change of the state. README.md draws them.
  struct Step {
    State from, to;
    const char* when;
  };
  /// All that there are.
  static constexpr Step kSteps[] = {
      {State::kHere, State::kAnew, "its server is lost before the player has a world"},
      {State::kHere, State::kLost, "its server is lost"},
      {State::kHere, State::kMoves, "the player is moved"},
      {State::kAnew, State::kAnew, "the next server is lost, too"},
      {State::kAnew, State::kLost, "the next server is lost, and the player has its world"},
      {State::kAnew, State::kHere, "the world is ready"},
      {State::kLost, State::kLost, "the next server is lost, too"},
      {State::kLost, State::kHere, "the next world is ready"},
      {State::kMoves, State::kHere, "the player is in the next world, or the move fails"},
  };

  explicit Transition(Room& room);
  ~Transition();
  Transition(const Transition&) = delete;
  Transition& operator=(const Transition&) = delete;

  // -- For the room's owner -------------------------------------------------------------------------------------------

  /// Whether the player can go on if its server is lost.
  bool outlives_server() const;
  /// Replaces the back, whose peer was lost or does not admit the player now, by `fresh`. The host dials for it, and it
  /// receives the intents of the player. Returns what the player waits for. REQUIRES: outlives_server().
  Wait replace_back(std::unique_ptr<Back> fresh, const ServerLoss& loss, Micros now);
  /// Whether the player's client can load another world while it plays. REQUIRES: the room is not shared.
  bool takes_another_world() const;
  /// The server was lost, and the player is not in the next one's world yet.
  bool awaits_server() const { return state_ == State::kAnew || state_ == State::kLost; }
  /// Whether the player is in, so that it can be moved.
  bool can_move() const;
  /// Moves the player to another server, whose back `next` has the id kNextBackId meanwhile. The player stays on its
  /// own server until the other one has admitted it: Host::moved(). If that fails: Host::move_failed(). The host
  /// connects. REQUIRES: can_move().
  void begin_move(std::unique_ptr<Back> next, Micros now);
  /// Cancels the move. Host::move_failed() is called if it was under way.
  void cancel_move(std::string_view why, Micros now);
  /// Whether the player of a seat is in, so that it can be taken out.
  bool can_take_out(Id seat) const;
  /// Takes a seat out of the room: its player leaves, and its front goes on in another room, which expects it.
  /// REQUIRES: can_take_out().
  DetachedPlayer take_out(Id seat, Micros now);
  /// Prepares this room to take over the player of `seat` in `from`. Both rooms have the same clock. This room can then
  /// be given begin_move(). The player stays in `from` until the next server has admitted it: Host::detach_player().
  /// REQUIRES: `from` can take it out; called first; this room's back has no link.
  void expect(const Room& from, Id seat, Micros now);

  // -- For the room ---------------------------------------------------------------------------------------------------

  /// The next server's back; null: the player does not move, or its server was lost.
  BackSlot* next() const { return next_.get(); }
  /// Whether the next server's world has this id.
  bool knows(Id id) const;
  /// Remembers what the next server must receive if this one is lost.
  void remember(const Intent& intent, Seat& seat);
  /// Whether the back does not hear this intent now, because the player's server is away.
  bool withholds_from_back(const Intent& intent);
  /// An intent of the player during a move, after the back has heard it.
  void hear(const Intent& intent);
  /// What a back says. True: it goes no further now.
  bool takes(Id back, Fact& fact);
  /// A fact of the room's back is to be delivered. True: the player does not receive it now.
  bool withholds_from_player(const Fact& fact);
  /// What the next server said, while the player moves, is to be handled.
  bool has_news() const;
  void handle_news();
  /// The back reports that its server stops, or is full. True: the player waits for the next one.
  bool server_stops(Id back, std::string_view why);
  bool server_is_full(Id back, std::string_view why);
  /// Whether the back has left, and replace_back() follows.
  bool is_put_off() const { return put_off_ != Wait::kNothing; }
  /// What the player is told if no server comes any more: that the last one was full. Nothing: it is not to be told.
  std::optional<Fact> take_refusal();
  /// A world has this fact now. A player whom it puts into play does not wait to spawn any more, nor watch.
  void note_spawn(const Fact& fact, const WorldState& world);
  /// The player is in a world: it does not wait any more.
  void arrived();
  /// Makes a move fail once the next server's facts are handled. True: its back receives nothing more.
  bool fail_later(std::string_view why);
  /// The room is over.
  void stop(std::string_view why);

 private:
  void remember_watch(const Intent& intent);
  void go(State to);
  void hear_early();
  void prepare_world();
  void lose_world();
  void set_team_and_role(Intent& wish) const;
  Intent wish_to_move() const;
  bool is_withheld(const Fact& fact);
  bool put_off(Wait wait, std::string_view why);
  bool handle(Fact& fact);
  void drop_news(const Fact& fact);
  std::unique_ptr<BackSlot> end();
  bool arrive();
  void leave_for(std::unique_ptr<BackSlot> next);
  bool take_over();
  void fail(std::string_view why, bool other_world = false);
  void fail_by(const Fact& verdict);
  Id player() const;
  Seat& seat() const;

  Room& room_;
  State state_ = State::kHere;
  Wait put_off_ = Wait::kNothing;  // replace_back() comes, and the player will wait for this
  bool expects_ = false;           // the player is still in another room
  bool meanwhile_ = false;         // the back leads to a place to play in until a server is back
  std::vector<Intent> early_;      // intents from before the player entered, or before the back said anything
  Ledger early_lost_;              // further ones, which the next back will not hear
  std::optional<Intent> wish_;     // of a room that is not shared: as Seat::wish
  std::optional<Fact> refusal_;    // the last one that was kept from the player, who waits
  // In kLost and kMoves.
  std::optional<WorldState> world_;    // the next server's
  bool was_alive_ = false;             // or its client counts on a next life: the player is to spawn there
  std::optional<words::Watch> watch_;  // what the player has asked to watch since it began

  // In kMoves.
  std::unique_ptr<BackSlot> next_;
  std::vector<Fact> facts_;    // of the next server that are not handled yet
  std::vector<Fact> notices_;  // for the player, once it is there
  std::string why_;            // why the move fails
};

}  // namespace entente::core
