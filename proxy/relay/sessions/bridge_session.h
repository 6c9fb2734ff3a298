// One player's bridge: a room with a front that faces the client and a back that faces a server of another game, and
// the two links. All that a game knows is in the two; all that a network knows is here.
// Law: the room is called from one place (enter) and calls nobody back; what it wants of the network is done after it
// has returned. A peer that breaks its game's rules or a limit is refused, and told so in its game's own way.
#pragma once

#include <optional>
#include <string>

#include "proxy/base/limits.h"
#include "proxy/core/room.h"
#include "proxy/relay/acceptors/seating.h"
#include "proxy/relay/ends/bridge_end.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/sessions/party.h"
#include "proxy/relay/sessions/seated.h"
#include "proxy/relay/tap/bridge_words.h"

namespace entente::relay {

class BridgeSession final : public Seated,
                            private core::Room::Host,
                            private BridgeEnd::User,
                            private Dial::User,
                            private net::Alarm::User {
 public:
  /// Where Route::detects_in_session holds, the session finds out by itself what the server speaks.
  BridgeSession(WorkerRoute& listener, Owner& owner, const Newcomer& newcomer);

  void start(net::Fd client) override;
  void take_back(net::Fd client, const net::Address& from) override;
  bool is_away() const override { return away_; }
  void give_way() override;
  void datagram(const net::Address& from, Bytes datagram) override;
  void tick(Millis now) override;
  void stop() override;
  void kick(std::string_view why) override;
  SessionReport report() const override;

  const SessionInfo& info() const override { return front_.info; }
  WorkerRoute& worker_route() override { return *worker_route_; }
  const Route& listener() override { return listener_.route; }
  bool server_unreached() const override { return dial_.unreached(); }

 private:
  struct Side {
    core::Id id = core::kBackEnd;  // in the room
    SessionInfo info;
    std::unique_ptr<BridgeEnd> end;
    std::uint8_t paused = 0;
    bool up = false;         // it may be spoken to
    Millis took = 0;         // when it last took bytes, or had none waiting
    std::uint64_t said = 0;  // bytes of its stream
  };

  // core::Room::Host
  void send(core::Id end, Lane lane, Bytes bytes) override;
  std::size_t waiting(core::Id end) const override;
  void close(core::Id end, std::string_view why, std::uint32_t code) override;
  void failed(core::Id end, const Fault& fault) override;
  void dial() override { wants_dial_ = true; }
  bool resumes(core::Id seat, std::uint32_t number) override;
  void heard(const core::Intent& intent) override;
  void told(const core::Fact& fact) override;

  // BridgeEnd::User
  void opened(BridgeEnd& end, const core::Peer& peer) override;
  void found(BridgeEnd& end, std::optional<std::size_t> dialect) override;
  void received(BridgeEnd& end, Lane lane, Bytes bytes, std::size_t frames) override;
  void received_control(BridgeEnd& end, std::size_t bytes) override;
  void wrote(BridgeEnd& end) override;
  void departed(BridgeEnd& end, const BridgeEnd::Departure& departure) override;
  void over(BridgeEnd&) override { settle(); }
  WorkerRoute* route_for(std::string_view path) override;

  // Dial::User, Alarm::User
  int dial(const net::Address& server, net::Sockets sockets) override;
  void undialled(Reason why) override;
  bool server_owes() const;
  bool given_up(Millis now);
  void rang() override;

  Side& side_of(const BridgeEnd& end) { return &end == front_.end.get() ? front_ : back_; }
  Side& side_of(core::Id id) { return id == core::kBackEnd ? back_ : front_; }
  Side& other(const Side& side) { return &side == &front_ ? back_ : front_; }
  bool is_front(const Side& side) const { return &side == &front_; }

  void seat(std::size_t dialect);
  void seat_silent();
  void play_if(bool entered, bool ready);
  void lack_face(const Side& side);
  std::unique_ptr<BridgeEnd> make_back();
  void open_back(const core::Peer& peer);
  void tell_back_opened();
  void hand_back(Seat to);
  bool stays(const BridgeEnd::Departure& departure);
  core::Micros now() const;
  template <class Call>
  void enter(Call&& call);
  void after();
  void hear(Side& side, Lane lane, Bytes bytes, std::size_t frames);
  void tell_world(core::Micros at);
  void note(const Side& side, const std::string& text);
  void tell_tap(const Side& side, wire::Way way, Lane lane, Bytes bytes);
  void charge(std::size_t bytes, std::size_t messages);
  void note_waiting(Side& side);
  std::uint32_t code_for(const Side& side, std::uint32_t said) const;
  void pause(Side& side, Pause why);
  void resume(Side& side, Pause why);

  Millis goodbye() const;
  void because(Reason reason, std::string_view why = {}, const Fault& fault = Fault{""});
  Reason flooded_by(const Side& side) const;
  void depart(Side& side, Reason reason, const BridgeEnd::Departure& departure);
  void end(Reason reason, const Fault& fault = Fault{""}, std::string_view why = {});
  void finish();
  void tell_end();
  void tell_server_wrong();
  void settle();
  void hang_up();
  std::optional<Reason> overdue(Millis now) const;

  WorkerRoute& listener_;      // that the client came through
  WorkerRoute* worker_route_;  // of the route that its path chose
  Owner& owner_;
  const Limits limits_;
  const std::optional<Reason> in_vain_;  // why the server is not called
  Side front_, back_;
  core::Peer player_;
  std::optional<core::Room> room_;  // from when the client's dialect is known
  Dial dial_{*this};
  net::Alarm alarm_;
  Rates rates_;
  std::optional<BridgeWords> words_;

  std::uint64_t epoch_ = 0;      // the room's time 0, by Loop::nanos
  WallTime began_wall_ = 0;      // the same by the wall
  WallTime wall_ = 0;            // of the call that the room is in
  std::size_t heard_words_ = 0;  // intents of the call that the room is in
  std::uint64_t orphaned_ = 0;   // of the room's world, as far as they are counted
  Millis began_, moved_, gone_by_ = 0;
  Millis owes_since_ = 0;         // the server: the world, or to let the player in
  Millis server_said_ = 0;        // when it last said something
  bool entered_ = false;          // the player asked to be let in, and was not refused
  bool in_lobby_ = false;         // the server waits for other players
  std::optional<Reason> reason_;  // of the end
  std::string why_;
  Fault fault_{""};
  std::optional<Reason> overflow_;  // a peer takes nothing and too much waits
  std::optional<Seat> returns_to_;  // the client's own session, which it had lost
  bool finding_ = false;            // the server's dialect
  bool counted_ = false;            // as opened
  bool wants_dial_ = false, dialled_ = false, named_ = false, turned_away_ = false;
  bool away_ = false;  // its client lost its link, and may come back
  bool ready_ = false, plays_ = false;
  bool ending_ = false, done_ = false;
};

}  // namespace entente::relay
