// A bridge for one player: a room whose front talks to the client and whose back talks to the place where the player is
// (place.h). The player may be on the way to one other place.
// The front and the back know the games; the session knows the network.
// Invariant: a peer that breaks a rule of its game or a limit is refused, with the goodbye of its game.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/relay/sessions/crossing.h"
#include "proxy/relay/sessions/hold.h"
#include "proxy/relay/sessions/place.h"
#include "proxy/relay/sessions/room_host.h"
#include "proxy/relay/sessions/room_session.h"

namespace entente::relay {

class RoomGuest;

class BridgeSession final : public RoomSession, private RoomHost, private Crossing::Host, private Place::User {
 public:
  /// If Route::detects_in_session is true, the session detects the server's dialect.
  BridgeSession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer);

  /// For the client of `guest`, whose player is to be moved out of its shared room. The guest makes the session, and
  /// owns it until the player was let in elsewhere. REQUIRES: SharedRoom::can_take_out(). `guest` outlives it, or is
  /// replaced by it.
  explicit BridgeSession(RoomGuest& guest);

  // For that guest.
  bool is_on_the_way() const { return crossing_ != nullptr; }
  /// False: there was a move, and nothing more is to be done for it. REQUIRES: called regularly.
  bool tick_move(Millis now);
  void give_up_move(const std::string& why) {
    if (crossing_ != nullptr) crossing_->cancel(why);
  }
  /// Goes on with the client.
  void adopt_client(RoomGuest& guest);

  void reattach(net::Fd client, const net::Address& from) override;
  bool is_away() const override { return away_; }
  void look_into_arena() override {
    for (const Place* place : {here_.get(), next_place()})
      if (place != nullptr && place->arena() != nullptr) place->arena()->look();
  }
  void give_way() override;
  void move(const std::shared_ptr<MoveOrder>& order) override;

 private:
  /// While the player plays in an arena, because no server is up.
  struct ArenaVisit {
    bool unannounced = false;  // the player is to be told where it is
    std::size_t tried = 0;     // the arena that was tried last
    Millis held_until = 0;     // how long the player would have waited when it went there
    Millis again = 0;          // when to try it again
  };
  /// Where a player is that was moved. Empty: on its own route.
  struct MovedTo {
    WorkerRoute* route = nullptr;
    Route::Ref ref;                                       // of it; empty: an arena's, which may end
    MovedPlace admission_place;                           // at its listener
    std::optional<BridgeOptions::ArenaPlace> arena = {};  // if it was moved to one
  };

  // core::Room::Host
  void send(core::Id end, Lane lane, Bytes bytes) override;
  std::size_t waiting_bytes(core::Id end) const override;
  void close(core::Id end, std::string_view why, std::uint32_t code) override;
  void failed(core::Id end, const Fault& fault) override;
  void dial() override { wants_dial_ = true; }
  bool try_resume_seat(core::Id seat, std::uint32_t number) override;
  bool await_next_server(std::string_view why, core::Wait for_what) override;
  std::optional<core::DetachedPlayer> detach_player() override;
  void on_leaving_server() override;
  void moved() override;
  void move_failed(std::string_view why, bool other_world) override;
  const core::WorldState* known_world() override;
  void heard(const core::Intent& intent) override;
  void told(const core::Fact& fact) override;

  // Crossing::Host
  void call_for_move(const Call& call) override { call_room(call); }
  void note_move(const std::string& text) override { note(text); }
  std::string who() const override;
  LinkId next_link() override { return owner_.next_link(); }

  // End::User, of the client's
  void opened(End& end, const core::Peer& peer) override;
  void received(End& end, const Frames& frames) override;
  void wrote(End& end) override;
  void departed(End& end, const End::Departure& departure) override;
  WorkerRoute* route_for(std::string_view path) override;

  // Place::User, of here_ and beside_
  void place_opened(Place& place, const core::Peer& peer) override;
  void place_found(Place& place, std::optional<std::size_t> dialect) override;
  void place_received(Place& place, const Frames& frames) override;
  void place_wrote(Place& place) override;
  void place_departed(Place& place, const End::Departure& departure) override;
  void place_closed(Place&) override { settle(); }

  // RoomHost
  bool is_shut() const override { return !room_ || ending_; }
  bool is_of_one() const override { return true; }
  void settle_call(core::Micros) override;
  void after_call() override;

  // Session, RoomSession
  int dial(const net::Address& server, Outgoing outgoing) override;
  void dial_failed(Reason why) override;
  void seat(std::size_t dialect) override;
  bool is_unseated() const override { return !room_; }
  void pass_to_room(const Frames& frames) override;
  bool announce_in_room(std::string_view text) override;
  void dismiss(Reason reason, std::string_view why) override;
  void shut_down() override;
  void hang_up() override;
  bool is_linked() const override {
    return client_.end->is_open() || here_->end->is_open() || (beside_ != nullptr && beside_->end->is_open());
  }
  bool on_tick(Millis now) override;
  void pause_server(Pause why) override { here_->pause(why); }
  void resume_server(Pause why) override { here_->resume(why); }
  bool drop_late_server(Millis now) override;
  std::optional<Reason> overdue(Millis now) const override;
  void tell_end() override;
  void close_tap(const std::string& why) override;
  WallTime wall() const override { return wall_by_now(); }
  std::string player_name() const override { return name_; }
  std::string arena_name() const override;
  std::optional<std::size_t> moved_to() const override;
  const Route& at() const override { return player_route().route; }

  bool is_front(const CountedEnd& side) const { return &side == &client_; }
  CountedEnd& other(const CountedEnd& side) { return is_front(side) ? *here_ : client_; }
  /// The place of a move that is under way; null: none.
  Place* next_place() const { return crossing_ != nullptr ? crossing_->next() : nullptr; }
  /// The place whose back has this id in the room; null: none.
  Place* place_with(core::Id back) const {
    return back == core::kBackId ? here_.get() : back == core::kNextBackId ? next_place() : nullptr;
  }
  /// The server that is, or will be, connected.
  Place& server() const { return beside_ != nullptr ? *beside_ : *here_; }

  void play_if(bool entered, bool ready);
  void lack_face(const CountedEnd& side);
  void record_calls(const core::RoomOptions& options);
  /// The description of a back that speaks with a server of this route.
  static trace::Face server_face(const LinkInfo& info, const Route& route);
  /// The route on whose servers the player is.
  WorkerRoute& player_route() const { return moved_to_.route != nullptr ? *moved_to_.route : *worker_route_; }
  static std::unique_ptr<core::Back> server_back(const Route& route, std::size_t dialect) {
    if (route.options->bridge) return route.options->bridge->back ? route.options->bridge->back(dialect) : nullptr;
    return route.options->back ? route.options->back(dialect) : nullptr;
  }
  void cross_to_server(const std::shared_ptr<MoveOrder>& order, WorkerRoute& to, MovedPlace place);
  void cross_to_arena(const std::shared_ptr<MoveOrder>& order, WorkerRoute& to, MovedPlace place);
  Crossing::Mover mover() { return {*this, *worker_route_, info_, limits_, *this}; }
  void end_move();
  void tell_moved(Crossing& crossing);
  void leave_arena_moved_to();
  std::unique_ptr<Place> make_server(const LinkInfo& like, bool finds_dialect);
  /// The next server of the route, whichever it will be.
  std::unique_ptr<Place> make_next_server() {
    return make_server(server().info, player_route().route.upstreams.detects_any_in_session());
  }
  /// The player is at another place from now on. The old one is hung up.
  void go_on_at(std::unique_ptr<Place> place);
  void keep_past(std::unique_ptr<Place> place);
  bool detects_chosen() const;
  void adapt_to(const Upstream& upstream);
  /// The dialect that the server to be connected must speak; nothing: any.
  std::optional<std::size_t> wanted_dialect() const {
    return guesses_dialect_ ? std::nullopt : server().wanted_dialect();
  }
  void open_back(const core::Peer& peer);
  void tell_back_opened();
  bool stays(const End::Departure& departure);
  bool may_go_on() const;
  bool may_outlive_server() const;
  bool outlives_server(const std::string& why, std::uint32_t code);
  bool leave_server(std::string_view server, std::string_view why) override;
  /// The operator's text, or ours.
  std::string its_text(std::string Texts::*which, const char* ours) const {
    const SharedTexts* const texts = at().texts;
    return texts != nullptr ? texts->text(which, ours) : ours;
  }
  core::Wait replace_back(std::unique_ptr<core::Back> back, const core::ServerLoss& loss);
  void tell_wait(core::Wait wait, const std::string& server, const std::string& why);
  void come_back();
  void begin_hold();
  void end_hold();
  Millis hold_ms() const;
  std::unique_ptr<core::Back> fresh_back() const { return server_back(player_route().route, server().info.dialect); }
  const std::optional<BridgeOptions::ArenaPlace>& while_down() const;
  // The arena in which the player plays while no server is up, or to which it was moved.
  bool visits() const { return here_->arena() != nullptr; }
  void enter_arena();
  void tell_arena();
  void leave_arena(Millis hold_until);
  bool lose_arena(const std::string& why);
  void go_to_server(const core::Peer& peer);
  void next_departed(const End::Departure& departure);
  void dial_next_later(Millis from);
  /// The delay until a player who cannot leave the arena yet is tried again.
  static constexpr Millis kNextAgain = 1'000;
  void note_waiting(CountedEnd& side);
  void note_progress(CountedEnd& side);

  bool server_owes() const;
  bool given_up(Millis now);
  std::string why_for_player(Reason reason) const;
  Reason flooded_by(const CountedEnd& side) const;
  void depart(CountedEnd& side, Reason reason, const End::Departure& departure);
  void tell_server_wrong();

  const std::optional<Reason> no_dial_reason_;  // why the server is not dialled; see AcceptedClient
  bool guesses_dialect_ = false;                // the server's is not known before a server is dialled
  std::unique_ptr<Place> here_;                 // where the player is, or is coming: what the room's back speaks with
  std::unique_ptr<Place> beside_;               // the next server, while the player is in the arena meanwhile
  PastPlaces past_;

  std::shared_ptr<const core::WorldState> known_world_;  // while the client has only asked who plays
  std::string name_;                                     // of the player, as the room tells it
  std::uint64_t orphaned_ = 0;                           // WorldState::orphaned(), as counted so far
  bool entered_ = false;                                 // the player asked to be let in, and was not refused
  bool ready_ = false;
  std::optional<Reason> overflow_;               // the reason to end, if too much waits for a peer
  std::optional<SessionRef> returns_to_;         // the client's earlier session, which it resumes
  std::optional<std::string> stop_why_;          // the server says that it stops, or has no seat now
  Hold hold_;                                    // how long the player waits for a server, once one was lost
  bool held_ = false;                            // counted as held
  bool leaves_drained_ = false;                  // its server is drained, and there was another one
  bool was_in_ = false;                          // the player has been on a server, or in the arena
  core::Wait told_wait_ = core::Wait::kNothing;  // what the player was last told that it waits for
  ArenaVisit visit_;
  bool wants_dial_ = false, dialled_ = false;
  bool away_ = false;  // its client lost its link, and may come back

  // A player who was moved, or is on the way.
  RoomGuest* guest_ = nullptr;                          // the guest that still has the client; null: none
  std::unique_ptr<Crossing> crossing_, past_crossing_;  // the one under way; the last one
  MovedTo moved_to_;
  std::string from_;              // the route from which it was moved last
  std::size_t home_dialect_ = 0;  // of its own route's server
  bool leaving_ = false;          // its server is told goodbye
};

}  // namespace entente::relay
