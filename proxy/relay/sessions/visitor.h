// The player of a bridge in an arena of this process, while no server of the route is up, or after the operator moved
// the player there. The session stays where it is; this is its seat in the arena, on the arena's worker. The two speak
// native over a passage (ends/passage.h). Invariant: the player's client never sees a goodbye of the arena. When the
// arena has no place for the player, or ends, the passage is closed, and the session acts on it. What the session sends
// is heard in the turns of its client's address (schedule.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "proxy/relay/ends/passage.h"
#include "proxy/relay/sessions/guest.h"
#include "proxy/relay/sessions/shared_room.h"

namespace entente::relay {

struct Visit {
  LinkId number = 0;       ///< of this visit; never used twice
  std::size_t worker = 0;  ///< of the session
  std::size_t room = 0;    ///< the arena's
  LinkInfo client;         ///< of the session
  Limits limits;
  std::function<std::unique_ptr<core::Front>()> front;  ///< on the arena's worker
  std::shared_ptr<Passage> passage;
};

class Visitor final : public Guest, private net::Job {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The visitor's session is to look into the passage.
    virtual void tell_session(const Visit& visit) = 0;
    /// Destroy it at the end of the turn.
    virtual void gone(Visitor& visitor) = 0;
  };

  /// `loop`, `room` and `owner` outlive it.
  Visitor(net::Loop& loop, SharedRoom& room, Owner& owner, Visit visit);

  /// Waits for a seat. REQUIRES: the room is not over.
  void begin() { room_.wait_for_seat(*this); }
  /// There may be news from the session.
  void look() { loop_.serve(*this); }
  /// Ends the visit. REQUIRES: not during a call of the room.
  void leave(std::string_view why);
  const Visit& visit() const { return visit_; }

  // Guest
  bool give_seat(core::Id seat) override;
  bool send(Lane lane, const SharedBytes& frame) override;
  void flush() override;
  std::size_t waiting() const override { return out_.size() + visit_.passage->to_session.waiting(); }
  void close(std::string_view why, std::uint32_t code) override;
  void failed(const Fault&) override {}
  void spoke(const core::Intent& intent) override;
  void turned_away(std::string_view why) override { part(why); }
  std::optional<Reason> wait_to_enter() override {
    queued_ = true;
    return std::nullopt;
  }
  void player_entered(const words::Player& player) override;
  const core::Peer& peer() const override { return peer_; }
  core::Id seat_id() const override { return seat_; }
  const Limits& limits() const override { return visit_.limits; }
  const LinkInfo& client() const override { return visit_.client; }
  void end_seat(Reason) override { leave("the player's session reads too slowly"); }
  void take_turn() override;

 private:
  void run() override;
  bool take_more();
  void part(std::string_view why);
  void finish();

  net::Loop& loop_;
  SharedRoom& room_;
  Owner& owner_;
  const Visit visit_;
  const core::Peer peer_;
  core::Id seat_ = 0;
  WaitingFrames in_, out_;
  bool ends_ = false;     // the session sends nothing more
  bool queued_ = true;    // for the seat, or to enter
  bool watches_ = false;  // the player wanted to watch only
  bool parted_ = false;   // nothing more reaches the session
  bool touched_ = false, overflowed_ = false, done_ = false;
};

}  // namespace entente::relay
