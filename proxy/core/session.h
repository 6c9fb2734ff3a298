// A session is one side of a bridge as a pure machine: a Front faces a player as if we were that player's server, a
// Back faces a server as if we were its client. All that may happen to it comes in by a call, all that it wants goes
// out through Out; it sees no socket, no clock, no log, and no other session. Law: a session is never entered twice,
// and a call on Out calls nobody back before it returns.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/lane.h"
#include "proxy/base/mapping.h"
#include "proxy/core/word.h"

namespace entente::core {

class World;

/// Who is at the other end of a session's link.
struct Peer {
  std::string address;             ///< "ip:port"; empty where there is no network
  std::uint32_t connect_data = 0;  ///< ENet
  std::string path;                ///< WebSocket
};

/// A player whose link broke, and who may come back to his seat.
struct Absence {
  std::uint32_t number = 0;  ///< his own in his game: what words::Resume will name
  Micros within = 0;
};

/// All that a session may want. `Word`: what it says to its room.
template <class Word>
class Out {
 public:
  virtual ~Out() = default;

  // To its peer.
  /// One whole frame. Goes out at the end of the turn, in order with others of the same lane.
  virtual void send(Lane lane, Bytes frame) = 0;
  // A frame that is the same for other fronts of this room, because it tells what all of them hear. `voice`: the
  // address of something that lives as long as the program, the same for all who say the same bytes. Once for each word
  // and voice, and only inside hear().
  /// Sends what another front of this voice has encoded of the word that is heard. False: none has.
  virtual bool send_again(Lane, const void* /*voice*/) { return false; }
  /// Sends `frame`, and keeps it for the others of this voice.
  virtual void send_shared(Lane lane, const void* /*voice*/, Bytes frame) { send(lane, frame); }
  /// Bytes that wait because the peer is slow.
  virtual std::size_t waiting() const = 0;
  /// What was sent still goes out. `why` is for the log: who ended it, and why. `code`: the game's own, where its
  /// transport carries one. The session hears nothing after this.
  virtual void close(std::string_view why, std::uint32_t code = 0) = 0;
  /// The peer broke its protocol: counted by name, said with field and offset, and closed.
  virtual void fail(const Fault& fault) = 0;

  // To its room.
  virtual void say(Word word) = 0;
  /// Calls tick() once, not before `at`; the earliest wish counts.
  virtual void wake(Micros at) = 0;
  /// Something that the other side cannot be told: counted by its line of the game's mapping.
  void lose(const Mapping& line) { drop(line, nullptr); }
  /// `dropped`: which word it was, of a line about any.
  template <class Dropped>
  void lose(const Mapping& line, const Dropped& dropped) {
    drop(line, name_of(dropped));
  }
  // A line lives as long as the program.
  void lose(const Mapping&&) = delete;
  template <class Dropped>
  void lose(const Mapping&&, const Dropped&) = delete;
  virtual void drop(const Mapping& line, const char* word) = 0;  ///< called by lose() alone

  // What it may know.
  virtual Micros now() const = 0;
  virtual std::uint32_t random() = 0;  ///< from the room's seed
  virtual Id new_id() = 0;             ///< of a player or a unit; never given twice in a room
  virtual Id me() const = 0;           ///< the player of this seat; a back: of the seat it plays for, 0 if it is shared
  virtual const World& world() const = 0;
};

/// All that may happen to a session.
template <class Heard, class Said>
class Session {
 public:
  using Outlet = Out<Said>;

  virtual ~Session() = default;

  /// The link is up; a front hears the world next, if there is one already.
  virtual void opened(const Peer&, Outlet&) {}
  /// The peer speaks this dialect, which nobody knew when its link came up. Comes before anything is received, and
  /// nothing goes out to the peer before it.
  virtual void speaks(std::size_t /*dialect*/, Outlet&) {}
  /// Stream: bytes as they came, of any size. Else one whole message.
  virtual void receive(Lane lane, Bytes bytes, Outlet& out) = 0;
  /// All numbers of an intent are finite.
  virtual void hear(const Heard& word, Outlet& out) = 0;
  virtual void tick(Outlet&) {}
  /// The peer is gone, or was never reached (`why` says it to a person); send() does nothing any more, say() still
  /// does.
  virtual void closed(std::string_view /*why*/, Outlet&) {}
  /// The same, of a peer that said why by a number of its game's own: the data of ENet's disconnect, the code of a
  /// WebSocket's close. Never 0.
  virtual void dismissed(std::uint32_t /*code*/, std::string_view why, Outlet& out) { closed(why, out); }
  /// The peer's link broke. By what he would say that he is back, and for how long his seat is kept; nothing: he left.
  /// Then send() does nothing until returned().
  virtual std::optional<Absence> awaits(const Outlet&) { return std::nullopt; }
  /// He is back, on a new link that has heard nothing yet.
  virtual void returned(const Peer&, Outlet&) {}
  /// The room ends, for instance because the other side is gone: say goodbye in the game's own way, then close().
  virtual void part(std::string_view why, Outlet& out) { out.close(why); }
};

using Front = Session<Fact, Intent>;
using Back = Session<Intent, Fact>;
using FrontOut = Out<Intent>;
using BackOut = Out<Fact>;

}  // namespace entente::core
