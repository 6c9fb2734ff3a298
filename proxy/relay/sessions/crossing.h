// A move of a bridge's player to another route: the next place, and the order, while the player goes on where it is.
// Invariant: it answers the order. It is not destroyed in a callback of its place or its dial.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "proxy/relay/admission/admission.h"
#include "proxy/relay/base/move_order.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/sessions/place.h"
#include "proxy/relay/sessions/room_host.h"

namespace entente::relay {

class Crossing final : private Place::User, private Dial::User {
 public:
  /// The session whose player moves.
  class Host {
   public:
    using Call = std::function<void(RecordedRoom&, core::Micros)>;

    virtual ~Host() = default;
    /// Calls the player's room, unless it is over.
    virtual void call_for_move(const Call& call) = 0;
    /// Writes a note into the recording.
    virtual void note_move(const std::string& text) = 0;
    /// The player, for the log.
    virtual std::string who() const = 0;
    /// A number for the link to the next server.
    virtual LinkId next_link() = 0;
  };

  /// What it uses of the session. All of it outlives the move.
  struct Mover {
    Host& host;
    WorkerRoute& worker_route;  ///< of the recording and the log
    const LinkInfo& client;
    const Limits& limits;
    const RoomHost& clock;
  };

  /// `admission_place`: at the listener of `to`. `next`: of the link to the next server.
  Crossing(const Mover& mover, std::shared_ptr<MoveOrder> order, WorkerRoute& to, MovedPlace admission_place,
           const LinkInfo& next);
  ~Crossing() override { order_->answer_stays("the session has ended"); }
  Crossing(const Crossing&) = delete;
  Crossing& operator=(const Crossing&) = delete;

  // How it begins: use_server(), begin() and begin_dial(), or use_arena(), begin() and enter_arena().
  /// `finds_dialect`: the server's dialect is detected when it is connected.
  void use_server(bool finds_dialect);
  void use_arena(std::unique_ptr<ArenaEnd> arena) { next_->lead_to_arena(std::move(arena)); }
  End::User& end_user() { return next_->end_user(); }
  /// `back`: of the next server or the arena. `face`: its description, for the recording.
  void begin(std::unique_ptr<core::Back> back, trace::Face face);
  void begin_dial(Upstream* first);
  void enter_arena();

  // While it is under way.
  void tick(Millis now);
  void cancel(const std::string& why);
  /// The room closes the link to the next server.
  void close(std::string_view why, std::uint32_t code);
  void close_tap(const std::string& why);
  /// Null: the player has moved there, or the move has failed.
  Place* next() const { return next_.get(); }

  // How it ends.
  void succeed() { state_ = State::kMoved; }
  /// `other_world`: because the client would have to join anew. Only the first reason counts.
  void fail(std::string_view why, bool other_world);
  /// Why it will fail.
  void blame(std::string_view why) {
    if (why_.empty()) why_ = why;
  }
  bool is_over() const { return state_ != State::kUnderWay; }
  bool has_moved() const { return state_ == State::kMoved; }
  const std::string& why() const { return why_; }
  bool other_world() const { return other_world_; }
  Millis began() const { return began_; }
  MoveOrder& order() { return *order_; }
  WorkerRoute& to() const { return to_; }
  Dial& server_dial() { return dial_; }
  // What passes to the session.
  std::unique_ptr<Place> take_next() { return std::move(next_); }
  Route::Ref take_ref() { return std::move(ref_); }
  MovedPlace take_admission_place() { return std::move(admission_place_); }
  /// Gives up what was not taken.
  void release() {
    ref_ = {};
    admission_place_ = {};
  }
  /// It failed. Returns the place, which may still send a goodbye.
  std::unique_ptr<Place> part();

 private:
  enum class State : std::uint8_t { kUnderWay, kMoved, kFailed };

  // Place::User
  void place_opened(Place& place, const core::Peer& peer) override;
  void place_found(Place& place, std::optional<std::size_t> dialect) override;
  void place_received(Place& place, const Frames& frames) override;
  void place_wrote(Place& place) override { place.last_progress = mover_.worker_route.loop.now(); }
  void place_departed(Place& place, const End::Departure& departure) override;
  void place_closed(Place&) override {}

  // Dial::User
  int dial(const net::Address& server, Outgoing outgoing) override;
  void dial_failed(Reason why) override;

  void tell_waits();

  const Mover mover_;
  const std::shared_ptr<MoveOrder> order_;
  WorkerRoute& to_;
  Route::Ref ref_;
  MovedPlace admission_place_;
  std::unique_ptr<Place> next_;
  Dial dial_;
  const Millis began_;
  Millis tries_since_;  // since when it has not waited for a server or a seat
  bool waits_ = false;  // the operator was told that the player waits for a server or a seat
  State state_ = State::kUnderWay;
  std::string why_;  // why it failed
  bool other_world_ = false;
};

}  // namespace entente::relay
