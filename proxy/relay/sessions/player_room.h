// The room of a bridge's player. What it sends goes to the client, or to the place where the player is or to which it
// moves. What it asks for is noted (Asked), and done after the call.
// Invariant: it is the only caller of its core::Room, and records each call (tap/room_calls.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/relay/sessions/dispatcher.h"
#include "proxy/relay/sessions/place.h"
#include "proxy/relay/sessions/room_host.h"

namespace entente::relay {

class BridgeSession;
class RoomGuest;

/// A back for a server of this route. Null: its game or dialect cannot be bridged.
std::unique_ptr<core::Back> server_back(const Route& route, std::size_t dialect);
/// The operator's rules for players on its servers; null: there are none.
std::shared_ptr<RuleBook> rules_of(const Route& route);
/// "bzflag 2.4"
std::string spoken(const LinkInfo& info);

/// A part of BridgeSession, whose calls it shares.
class PlayerRoom final : public RoomHost {
 public:
  PlayerRoom(net::Loop& loop, BridgeSession& session);

  /// Makes the room for a client, with these two faces.
  void open(std::unique_ptr<core::Front> front, std::unique_ptr<core::Back> back);
  /// Makes the room for the player of `guest`, who is still in its shared room.
  void expect(const RoomGuest& guest);
  bool is_open() const { return room_.has_value(); }
  /// REQUIRES: is_open().
  const core::Room& room() const { return *room_; }
  using RoomHost::owes_world;
  using RoomHost::tell_rest;

  // -- Calls of the room, as core::Room has them. They are recorded. --------------------------------------------------

  void take_from_arena(core::Id back, const Frames& frames);
  void back_opened(const Place& place, const core::Peer& peer);
  void back_speaks(const Place& place);
  void gone(core::Id end, std::string_view why, std::uint32_t code = 0);
  /// Replaces the back by one for the place where the player is. Returns what the player waits for; kNothing: the room
  /// ends.
  core::Wait replace_back(std::unique_ptr<core::Back> back, const core::ServerLoss& loss);
  /// The player moves to this place.
  void begin_move(std::unique_ptr<core::Back> back, const Place& next, const Route& route);
  void cancel_move(std::string_view why);
  /// These rules hold for the player from now on, and begin when it has left its place. Null: there are none.
  void change_rules(std::shared_ptr<RuleBook> book);
  /// Keeps the player's seat, whose client has lost its link.
  std::optional<core::Absence> keep();
  void returned(const core::Peer& peer);
  bool announce(std::string_view text);
  void end(std::string_view why);
  /// For a snapshot of its world.
  void look();

  /// The peer of `side` took bytes.
  void note_progress(CountedEnd& side);
  void set_priority(net::Priority priority) { alarm_.set_priority(priority); }
  void sleep() { alarm_.clear(); }

 private:
  /// What the room asked for in the current call.
  struct Asked {
    bool dial = false;                  // a connection to the server
    std::optional<std::string> stop;    // another server: this one stops, or has no seat. Why
    std::optional<SessionRef> returns;  // the client belongs to this earlier session, which it resumes
    std::optional<Reason> end;          // too much waits for a peer, or there is no place for the player
  };

  // core::Room::Host
  void send(core::Id end, Lane lane, Bytes bytes) override;
  std::size_t waiting_bytes(core::Id end) const override;
  void close(core::Id end, std::string_view why, std::uint32_t code) override;
  void failed(core::Id end, const Fault& fault) override;
  void dial() override { asked_.dial = true; }
  bool try_resume_seat(core::Id seat, std::uint32_t number) override;
  bool await_next_server(std::string_view why, core::Wait for_what) override;
  std::optional<core::DetachedPlayer> detach_player() override;
  void on_leaving_server() override;
  void moved() override;
  void on_arrival(core::Micros now) override;
  void move_failed(std::string_view why, bool other_world) override;
  void next_refuses(const words::Refused& refused) override;
  const core::WorldState* known_world() override;
  void heard(const core::Intent& intent) override;
  void told(const core::Fact& fact) override;

  // RoomHost
  bool is_shut() const override;
  bool is_of_one() const override { return true; }
  const LinkInfo* client_of(core::Id player) const override;
  void settle_call(core::Micros) override;
  void after_call() override;

  template <class Record, class Call>
  void call(Record&& record, Call&& its);
  core::RoomOptions options() const;
  void record_calls(const core::RoomOptions& options);
  void play();
  void turn_away(const std::string& why);
  void note_waiting(CountedEnd& side);
  CountedEnd& other(const CountedEnd& side) const;

  BridgeSession& session_;
  Asked asked_;
  std::uint64_t orphaned_ = 0;                           // WorldState::orphaned(), as counted so far
  std::shared_ptr<const core::WorldState> known_world_;  // while the client has only asked who plays
};

}  // namespace entente::relay
