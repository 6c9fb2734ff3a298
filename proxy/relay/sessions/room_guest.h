// One client of a shared room: its link, and its seat in the room that it shares with others.
// Law: what it does wrong or does not take ends its own seat, told in its game's own way; the room goes on without it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proxy/base/limits.h"
#include "proxy/relay/sessions/party.h"
#include "proxy/relay/sessions/seated.h"
#include "proxy/relay/sessions/shared_room.h"

namespace entente::relay {

class RoomGuest final : public Seated, private BridgeEnd::User, private net::Alarm::User {
 public:
  /// `shared room` outlives it.
  RoomGuest(WorkerRoute& listener, Owner& owner, SharedRoom& shared_room, LinkId link, const Limits& limits,
            const net::Address& client, const EnetCaller& enet = {});
  ~RoomGuest() override;

  void start(net::Fd client) override;
  void datagram(const net::Address& from, Bytes datagram) override;
  void tick(Millis now) override;
  void stop() override;
  void kick(std::string_view why) override;
  SessionReport report() const override;

  const SessionInfo& info() const override { return party_.info; }
  WorkerRoute& worker_route() override { return *worker_route_; }
  const Route& listener() override { return listener_.route; }
  bool server_unreached() const override { return false; }

  // By the shared room, on the room's behalf; none of them calls the shared room.
  /// It has that seat, unless it has lost it already.
  bool sits(core::Id seat);
  /// True if it wants to be flushed, and has not said so since it was.
  bool send(Lane lane, Bytes bytes, bool lent);
  void flush();
  std::size_t waiting() const { return party_.end->waiting(); }
  void close(std::string_view why, std::uint32_t code);
  void failed(const Fault& fault) { because(Reason::kProtocolFault, fault.what, fault); }
  void spoke() { ++heard_words_, spoke_ = true; }
  void turned_away() { turned_away_ = true; }
  /// It is to enter, and is not read until take_turn().
  void waits_to_enter();
  /// Its player is in: from now on it is served before newcomers.
  void play() { party_.end->set_rank(net::Rank::kPlayer); }
  const core::Peer& peer() const { return peer_; }
  core::Id seat_id() const { return party_.id; }
  const Limits& limits() const { return limits_; }

  // By the shared room, outside the room.
  void overflow() { end(Reason::kClientStalled); }
  /// What it waited for is now: it takes its seat, or has entered.
  void take_turn();

 private:
  // BridgeEnd::User
  void opened(BridgeEnd& end, const core::Peer& peer) override;
  void received(BridgeEnd& end, Lane lane, Bytes bytes, std::size_t frames) override;
  void received_control(BridgeEnd&, std::size_t bytes) override;
  void wrote(BridgeEnd& end) override;
  void departed(BridgeEnd& end, const BridgeEnd::Departure& departure) override;
  void over(BridgeEnd&) override { settle(); }
  WorkerRoute* route_for(std::string_view path) override;

  void rang() override;

  struct Kept {
    Lane lane;
    Buffer bytes;
    std::size_t frames;
  };

  void seat(std::size_t dialect);
  void take_seat();
  void hear(Lane lane, Bytes bytes, std::size_t frames);
  void name(Bytes greeting);
  void charge(std::size_t bytes, std::size_t messages);

  void because(Reason reason, std::string_view why = {}, const Fault& fault = Fault{""});
  void end(Reason reason, std::string_view why = {});
  void leave(const char* why, std::uint32_t code = 0);
  std::uint32_t code_for(std::uint32_t said) const;
  Millis goodbye() const;
  void finish();
  void tell_end();
  void settle();
  std::optional<Reason> overdue(Millis now) const;

  WorkerRoute& listener_;      // that the client came through
  WorkerRoute* worker_route_;  // of the route that its path chose
  Owner& owner_;
  SharedRoom& shared_room_;
  const Limits limits_;
  Party party_;
  core::Peer peer_;
  Rates rates_;
  net::Alarm alarm_;
  std::vector<Kept> kept_;       // of one read: what came before it had its seat
  std::size_t heard_words_ = 0;  // intents of the call that the room is in
  Millis began_, moved_, greets_since_, gone_by_ = 0;
  std::optional<Reason> reason_;  // of the end
  std::string why_;
  Fault fault_{""};
  bool seated_ = false, spoke_ = false, named_ = false, turned_away_ = false, touched_ = false, overflowed_ = false;
  bool queued_ = false;  // for its seat, or to enter
  bool ending_ = false, done_ = false;
};

}  // namespace entente::relay
