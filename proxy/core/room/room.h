// A room: one source of truth (a back), its listeners (fronts), and the only loop that calls them. A front's intents
// go to the back. The back's facts are folded into the world and delivered to every front that they are for.
//
//   Room room(host, std::move(back), options);
//   const Id seat = room.seat(std::move(front), peer, now);
//   room.received(seat, frames, now);                     // host.send() for what the members send
//   if (now >= room.next_wake()) room.tick(now);
//
// Invariant: no member is called while it is being called; words are delivered in order; time and random numbers come
// from outside. So the same calls give the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/core/chat.h"
#include "proxy/core/ledger.h"
#include "proxy/core/room/fact_delivery.h"
#include "proxy/core/room/intent_delivery.h"
#include "proxy/core/room/numbers.h"
#include "proxy/core/room/transition.h"
#include "proxy/core/room_member.h"
#include "proxy/core/timer_queue.h"
#include "proxy/core/world.h"

namespace entente::core {

/// The members that one Room::tick() ticks, so that many due members do not delay others for long.
inline constexpr std::size_t kMostTicks = 64;

struct RoomOptions {
  std::uint32_t seed = 1;
  bool shared = false;  ///< many fronts, and the room continues without any; otherwise it belongs to one player and
                        ///< ends with that player
  ChatRules chat;
  bool shared_frames_stay = false;  ///< bytes given to Host::send_shared stay in place until forget_shared()
  bool tells_drops = false;         ///< a player is told, once for each line, which of its wishes are dropped
  /// In a room that is not shared: what only a player does (is_of_player) is dropped before its Enter, as in an arena.
  /// False for rooms that follow the frames of others.
  bool drops_before_enter = true;
  std::size_t most_words = 20'000;  ///< waiting at once; more is our bug or a flood, and ends the room
  Id ids_after = 0;                 ///< the first id is the one after this
};

/// Used by one thread at a time. Times are microseconds since the room began, by a monotonic clock. Nothing here waits,
/// fails or throws: what goes wrong with a peer ends its seat or the room (Host::close).
class Room {
 public:
  /// The network, as the room needs it. No call may call the room back.
  class Host {
   public:
    virtual ~Host() = default;
    virtual void send(Id end, Lane lane, Bytes bytes) = 0;
    /// Like send(), for bytes that several seats are sent. With RoomOptions::shared_frames_stay, they stay in place
    /// until forget_shared(), and for as long as somebody keeps their owner.
    virtual void send_shared(Id end, Lane lane, const SharedBytes& shared) { send(end, lane, shared.bytes); }
    virtual std::size_t waiting_bytes(Id end) const = 0;
    /// Closes an end after what was sent. The room does not mention that end again.
    virtual void close(Id end, std::string_view why, std::uint32_t code) = 0;
    /// The peer broke its protocol; close() follows.
    virtual void failed(Id end, const Fault& fault) = 0;
    /// The back asks for its link. At most once.
    virtual void dial() = 0;
    /// A seat claims to be the player with this number, who lost the connection. True if the network knows that seat
    /// and will move the client to it when the call is over; otherwise the client is refused.
    virtual bool try_resume_seat(Id /*seat*/, std::uint32_t /*number*/) { return false; }
    /// The back reports that its server stops, or cannot accept the player now. True: the host calls replace_back()
    /// after this call.
    virtual bool await_next_server(std::string_view /*why*/, Wait /*for_what*/) { return false; }
    // A player goes to another server (Transition).
    /// The next server has admitted the player that the room expects (Transition::expect): takes the player out of its
    /// own room. Nothing: the player is gone, and the move fails.
    virtual std::optional<DetachedPlayer> detach_player() { return std::nullopt; }
    /// The next server has admitted the player: the room now closes kBackId with a goodbye, which does not end the
    /// room.
    virtual void on_leaving_server() {}
    /// From now on, kBackId is what kNextBackId was.
    virtual void moved() {}
    /// The player is in the world of the next server, because it was moved or its server was lost, and was told what is
    /// different there.
    virtual void on_arrival(Micros /*now*/) {}
    /// The player stays where it is; kNextBackId is closed. `other_world`: the next server has admitted the player, but
    /// has another world, and the player's client loads a world only when it joins.
    virtual void move_failed(std::string_view /*why*/, bool /*other_world*/) {}
    /// The next server refuses a player who moves there: move_failed() follows.
    virtual void next_refuses(const words::Refused&) {}
    /// What the host knows of the server's world from elsewhere, for a player who has only asked who plays
    /// (words::Query), which does not dial. Null: nothing. Read before anything else is called.
    virtual const WorldState* known_world() { return nullptr; }
    /// A seat asks to enter. False: not now; this intent and those after it wait for Room::admit().
    virtual bool admits(Id /*seat*/) { return true; }
    /// Whether the host keeps this intent until hear_collected(), as a lockstep arena does. It is then moved from.
    virtual bool collects(Intent& /*intent*/) { return false; }

    // For an operator's rules.
    /// A player says this; the host may change it. False: the back does not hear it. Not called for chat that is
    /// refused, except for commands. REQUIRES: it stays the same kind, with finite numbers and clean texts.
    virtual bool passes(Intent&) { return true; }

    // For recorders.
    virtual void heard(const Intent&) {}
    virtual void told(const Fact&) {}
  };

  /// `host` outlives the room.
  Room(Host& host, std::unique_ptr<Back> back, const RoomOptions& options);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // Events. `now` never decreases.
  /// Returns its player's id. `hears`: false for a front that receives only facts for its player alone, because its
  /// client gets the rest elsewhere. Its intents keep the numbers that it gives them.
  Id seat(std::unique_ptr<Front> front, const Peer& peer, Micros now, bool hears = true);
  /// Whether the seat is taken or kept.
  bool is_seated(Id seat) const;
  /// `back`: kBackId or kNextBackId.
  void back_opened(const Peer& peer, Micros now, Id back = kBackId);
  /// The dialect of the back's peer is now known: see RoomMember::speaks.
  void back_speaks(std::size_t dialect, Micros now, Id back = kBackId);
  void received(Id end, const Frames& frames, Micros now);
  /// Delivers the intents that waited because the host did not admit their player.
  void admit(Id seat, Micros now);
  /// The seat's link is gone: nothing more is delivered or sent. keep() must be called before, gone() after.
  void unlink(Id seat);
  /// The peer is gone, or (the back's) was never reached. `code`: the game's own reason; 0: none.
  void gone(Id end, std::string_view why, Micros now, std::uint32_t code = 0);
  /// The way of the player to another server, because its own is lost or the player is moved, or out of the room.
  Transition& transition() { return transition_; }
  const Transition& transition() const { return transition_; }
  /// A seat's link broke, but its player may return: keeps the seat. Returns for how long, and by which number the
  /// player will ask for it. Nothing: the seat is not kept, and the caller must call gone().
  std::optional<Absence> keep(Id seat, Micros now);
  /// Whether this seat is kept for an absent player.
  bool keeps(Id seat) const;
  /// The player is back on a new link. False if the seat is gone or taken.
  bool returned(Id seat, const Peer& peer, Micros now);
  /// Ticks the members whose time has come, at most kMostTicks of them. If more are due, next_wake() is not later than
  /// `now`.
  void tick(Micros now);
  /// Delivers intents that the host has collected (Host::collects).
  void hear_collected(std::vector<Intent> intents, Micros now);
  /// Counts intents that the host has collected and then dropped.
  void count_drops(const Ledger& drops);
  /// Tells a seat, and nobody else, the room's time. `cause`: the number of its intent that this answers.
  void tell_time(Id seat, std::uint32_t cause, Micros now);
  /// Gives the back an order for which there is no word (pause a recording); its tick() follows.
  void order(const std::function<void(Back&)>& order, Micros now);
  /// Sends a seat's player a line in the server's name. False: the seat is empty, or its player has not entered yet.
  bool announce(Id seat, std::string_view text, Micros now);
  /// Says goodbye to one seat.
  void dismiss(Id seat, std::string_view why, Micros now);
  /// Says goodbye to all seats.
  void end(std::string_view why, Micros now);

  /// When tick() is needed next; the far future if not at all.
  Micros next_wake() const { return timers_.next(); }
  /// No seat is left, and no player will come.
  bool over() const;

  /// Frees bytes that were given to Host::send_shared and are not needed any more.
  /// REQUIRES: RoomOptions::shared_frames_stay; called regularly.
  void forget_shared(Micros now) { facts_.frames.forget(now); }
  /// How many frames were encoded for several fronts at once.
  std::uint64_t encoded_shared() const { return facts_.frames.encoded(); }
  /// The work done so far: facts delivered, per front, and intents; a fact that is encoded for several fronts counts
  /// as ten.
  std::uint64_t work() const { return work_; }

  /// The room's own world, which is scene 0 (BackOut::switch_scene).
  const WorldState& world() const { return facts_.world(); }
  /// The world that a seat sees.
  const WorldState& world_seen_by(Id seat) const;
  const Ledger& ledger() const { return ledger_; }

 private:
  template <class, class>
  friend class MemberSlot;
  friend class Seat;
  friend class BackSlot;
  friend class FactDelivery;
  friend class IntentDelivery;
  friend class Transition;

  Seat& add_seat(Id id, std::unique_ptr<Front> front);
  Seat* seat_with(Id id) const;
  BackSlot* back_with(Id id) const;
  Id next_id();
  void drain();
  void end_with(std::string_view why);
  bool say_goodbyes();
  bool remove_left();

  Host& host_;
  const RoomOptions options_;
  Micros now_ = 0;
  bool draining_ = false;
  bool some_left_ = false;           // some seats have left and must be removed: remove_left()
  std::optional<std::string> over_;  // why it is over
  std::uint64_t work_ = 0;
  Numbers numbers_;
  Ledger ledger_;
  TimerQueue timers_;
  std::map<Id, std::unique_ptr<Seat>> seats_;
  std::unique_ptr<BackSlot> back_;
  FactDelivery facts_;
  IntentDelivery intents_;
  Transition transition_;
};

}  // namespace entente::core
