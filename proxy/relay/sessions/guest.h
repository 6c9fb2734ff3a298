// The holder of a seat in a shared room: a client of one of its listeners (room_guest.h), or the player of a bridge who
// plays there while the server is away, or after the operator moved the player there (visitor.h).
// Invariant: a call of the room calls only these functions, and none of them calls the room, except end_seat(),
// take_up_session() and take_turn(), which the shared room calls outside the room.
#pragma once

#include <optional>
#include <string_view>

#include "proxy/base/limits.h"
#include "proxy/base/shared_bytes.h"
#include "proxy/core/room_member.h"
#include "proxy/relay/base/link_info.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay {

class Guest {
 public:
  virtual ~Guest() = default;

  /// Gives the guest this seat. False if it is gone already.
  virtual bool give_seat(core::Id seat) = 0;
  /// Returns true at the first send after a flush(): flush() must be called again. With an owner, the bytes stay in
  /// place until then, and as long as the owner is kept.
  virtual bool send(Lane lane, const SharedBytes& bytes) = 0;
  virtual void flush() = 0;
  virtual std::size_t waiting() const = 0;
  virtual void close(std::string_view why, std::uint32_t code) = 0;
  virtual void failed(const Fault& fault) = 0;
  virtual void spoke(const core::Intent& intent) = 0;
  /// The room refused the guest's player, in these words.
  virtual void turned_away(std::string_view why) = 0;
  /// The guest is queued to enter. It is not read until take_turn(). Returns why it may not enter: end_seat() follows.
  virtual std::optional<Reason> wait_to_enter() = 0;
  /// Its client wants to resume as the player of this number, who has no seat in the room. True: that player's session
  /// goes on with the client (take_up_session()).
  virtual bool try_claim_session(std::uint32_t) { return false; }
  /// Its player is in.
  virtual void player_entered(const words::Player& player) = 0;
  virtual const core::Peer& peer() const = 0;
  virtual core::Id seat_id() const = 0;
  virtual const Limits& limits() const = 0;
  /// Its client: the address, the game and the dialect.
  virtual const LinkInfo& client() const = 0;

  /// Whether its front is told what is for everybody (core::Room::seat).
  virtual bool hears() const { return true; }

  // Outside the room.
  /// Too much waits for this guest, or it may not enter: it leaves.
  virtual void end_seat(Reason why) = 0;
  /// Gives its client to the session that it claimed, and ends.
  virtual void take_up_session() {}
  /// The wait is over: the guest takes its seat, or has entered.
  virtual void take_turn() = 0;
};

}  // namespace entente::relay
