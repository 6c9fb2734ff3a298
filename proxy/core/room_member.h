// A room member is one side of a bridge as a pure state machine. A Front acts as a server towards a player; a Back acts
// as a client towards a server. Events arrive as calls; everything that it wants goes through Out. It uses no
// socket, clock or log, and knows no other member.
// Invariant: a member is never called while it is being called, and a call on Out returns before anybody is called
// back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/frames.h"
#include "proxy/base/mapping.h"
#include "proxy/core/word.h"

namespace entente::core {

class WorldState;

/// The peer at the other end of a member's link.
struct Peer {
  std::string address;             ///< "ip:port"; empty where there is no network
  std::uint32_t connect_data = 0;  ///< ENet
  std::string path;                ///< WebSocket
  /// Its IPv4 address, or its IPv6 /64: peers with the same network share their turns. Empty: unknown.
  std::string network = {};
};

/// A player whose link broke and who may return.
struct Absence {
  std::uint32_t number = 0;  ///< the player's number in its own game, which words::Resume will name
  Micros within = 0;
};

/// Everything that a member can ask for. `Word`: the kind of word that it says to its room.
template <class Word>
class Out {
 public:
  virtual ~Out() = default;

  // For its peer.
  /// Sends one whole frame at the end of the turn, in order with others of the same lane.
  virtual void send(Lane lane, Bytes frame) = 0;
  // A frame that several fronts of this room send is encoded only once. `cache_key` is a static address, the same for
  // all fronts that would encode the same bytes. Call these only inside hear(), at most once for each word and key.
  /// Sends what another front with this key has encoded for the current word. False: none has.
  virtual bool send_cached(Lane, const void* /*cache_key*/) { return false; }
  /// Sends `frame` and keeps it for the other fronts with this key.
  virtual void send_shared(Lane lane, const void* /*cache_key*/, Bytes frame) { send(lane, frame); }
  /// Bytes waiting because the peer is slow.
  virtual std::size_t waiting_bytes() const = 0;
  /// Closes the link after what was sent. `why` is for the log: who ended the session, and why. `code`: the game's
  /// own reason, if its transport has one. The member is not called any more.
  virtual void close(std::string_view why, std::uint32_t code = 0) = 0;
  /// The peer broke its protocol: this is counted by name, logged with field and offset, and ends the session.
  virtual void fail(const Fault& fault) = 0;

  // For its room.
  virtual void say(Word word) = 0;
  /// Asks for one tick(), not before `at`; the earliest request counts.
  virtual void wake(Micros at) = 0;
  /// For a back: its server is stopping. True: the player waits for the next server, and this member is not called any
  /// more. False: the session ends with the server.
  virtual bool report_server_stopping(std::string_view /*why*/) { return false; }
  /// For a back: its server is full, and has admitted the player only to watch. True: the player waits for a seat, and
  /// this member is not called any more. False: the player stays as it is.
  virtual bool report_server_full(std::string_view /*why*/) { return false; }
  /// Counts something that cannot be forwarded, by its line of the mapping.
  void drop(const MappingLine& line) { count_drop(line, nullptr); }
  /// `dropped`: the dropped word, for a line about any word.
  template <class Dropped>
  void drop(const MappingLine& line, const Dropped& dropped) {
    count_drop(line, name_of(dropped));
  }
  // A line lives as long as the program.
  void drop(const MappingLine&&) = delete;
  template <class Dropped>
  void drop(const MappingLine&&, const Dropped&) = delete;
  virtual void count_drop(const MappingLine& line, const char* word) = 0;  ///< called only by drop()

  // Scenes, for the back of a shared room: a room may have several worlds, each seen by some of its seats. Scene 0 is
  // the room's own. A scene begins with the first seat that is moved to it, as a copy of the world that the seat saw,
  // and ends when its last seat has gone.
  /// Before the facts that are said in this call: this seat now sees that scene. Its front receives the difference,
  /// after `begin` (a resync: resync_phase.h); a Clock for the seat must follow.
  virtual void switch_scene(Id /*seat*/, Id /*scene*/, const words::Clock& /*begin*/) {}
  /// The world of a scene; null: nobody sees it.
  virtual const WorldState* world_of(Id /*scene*/) const { return nullptr; }

  /// The network of the peer of this seat (Peer::network).
  virtual std::string_view network_of(Id /*seat*/) const { return {}; }

  // What it can read.
  virtual Micros now() const = 0;
  virtual std::uint32_t random() = 0;  ///< from the room's seed
  virtual Id new_id() = 0;             ///< for a player or a unit; never reused in a room
  virtual Id me() const = 0;  ///< this seat's player; for a back, the player that it plays for, 0 in a shared room
  virtual const WorldState& world() const = 0;
};

/// Everything that can happen to a room member.
template <class Heard, class Said>
class RoomMember {
 public:
  using Outlet = Out<Said>;

  virtual ~RoomMember() = default;

  /// The link is up; a front then receives the world, if there is one already.
  virtual void opened(const Peer&, Outlet&) {}
  /// The peer's dialect, if it was unknown when the link came up. Comes before anything is received; nothing is sent
  /// to the peer before it.
  virtual void speaks(std::size_t /*dialect*/, Outlet&) {}
  /// What the peer sent.
  virtual void receive(const Frames& frames, Outlet& out) = 0;
  /// Delivers a word. All numbers of an intent are finite.
  virtual void hear(const Heard& word, Outlet& out) = 0;
  virtual void tick(Outlet&) {}
  /// The peer is gone, or was never reached (`why` is for people). send() then does nothing; say() still works.
  virtual void closed(std::string_view /*why*/, Outlet&) {}
  /// Called instead of closed() if the peer gave its reason as a number: the data of ENet's disconnect, or the code of
  /// a WebSocket's close. `code` is never 0.
  virtual void closed_with_code(std::uint32_t /*code*/, std::string_view why, Outlet& out) { closed(why, out); }
  /// The peer's link broke. Returns how the player will identify itself on return, and for how long to keep the
  /// seat; nothing: the player left. send() then does nothing until returned().
  virtual std::optional<Absence> try_reserve_seat(const Outlet&) { return std::nullopt; }
  /// The player is back on a new link, on which nothing has been sent yet.
  virtual void returned(const Peer&, Outlet&) {}
  /// For the back of a shared room: whether the player who says this Enter would come into play if one more place were
  /// free. In a full room, the seat of an absent player then ends before the back hears the Enter.
  virtual bool would_play(const Heard& /*enter*/, const Outlet&) const { return false; }
  /// For a front: fronts with the same key send the same frames for a world's geometry and edits, and learn nothing
  /// from hearing them. Null: this one does not.
  virtual const void* map_key() const { return nullptr; }
  /// For a front: whether its client can load another world while it plays. Other clients load a world only when they
  /// join.
  virtual bool takes_another_world() const { return false; }
  /// The session of this member ends, for example because the other side is gone: say goodbye as the game does, then
  /// close().
  virtual void session_ends(std::string_view why, Outlet& out) { out.close(why); }
};

using Front = RoomMember<Fact, Intent>;
using Back = RoomMember<Intent, Fact>;
using FrontOut = Out<Intent>;
using BackOut = Out<Fact>;

}  // namespace entente::core
