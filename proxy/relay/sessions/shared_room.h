// A shared room: one room for the clients of all its routes, whatever their game. Its back has no link: it is a replay
// or the referee of an arena.
// Invariant: it lives on one worker, from open() until it ends. Joins and leaves are handled at the end of each turn of
// the loop, in bounded portions, so that a crowd does not delay the players.
#pragma once

#include <tsl/robin_map.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/arena/lockstep.h"
#include "proxy/core/bot/stand_ins.h"
#include "proxy/core/replay/difference.h"
#include "proxy/relay/admission/absences.h"
#include "proxy/relay/admission/entry_queue.h"
#include "proxy/relay/base/attendance.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/base/events.h"
#include "proxy/relay/base/reason.h"
#include "proxy/relay/sessions/annex.h"
#include "proxy/relay/sessions/room_host.h"
#include "proxy/relay/sessions/shared_room_options.h"

namespace entente::relay {

class Guest;

/// A shared room as all workers see it.
struct SharedRoomState {
  SharedRoomOptions options;
  std::size_t index = 0;
  std::size_t home = 0;  ///< the worker that it lives on
  bool retired = false;  ///< for the ProxyServer's callers only
  Attendance attendance{};
  Count orphaned{};  ///< WorldState::orphaned()
};

class SharedRoom final : public RoomHost, private net::Later {
 public:
  /// How much work (core::Room::work), and how many nanoseconds, joins and leaves may cost in one turn of the loop. At
  /// least one is served in each turn.
  static constexpr std::uint64_t kTurnWork = 5'000, kTurnNanos = 2'000'000;
  /// Words that wait at once: enough to remove and tell anew everything that a world may hold, and for 20,000 others.
  static constexpr std::size_t kMostWords = core::most_facts_of_difference({}) + 20'000;

  /// `link`: under which its words are recorded.
  SharedRoom(net::Loop& loop, SharedRoomState& state, LinkId link, Events& events);
  ~SharedRoom() override;

  /// Makes the back and the room. Called once, on the worker's thread.
  void open(TapSink* tap);
  /// Gives the back an order for which there is no word.
  void order(const std::function<void(core::Back&)>& order);
  void stop() { end(Reason::kStopped); }
  /// As stop(), while this process goes on.
  void retire() { end(Reason::kDrained); }
  /// The world that everybody sees. REQUIRES: open() was called.
  const core::WorldState& world() const { return room_->world(); }
  /// The room's time.
  core::Micros time() const { return micros(); }
  /// Whether its time does not pass by itself: it is a lockstep arena.
  bool has_own_time() const { return own_time_.has_value(); }
  /// Whether somebody has this seat, or it is kept.
  bool is_seated(core::Id seat) const { return room_ && room_->is_seated(seat); }
  /// The client of a guest; null: no guest has this seat, or its client is on another node.
  const LinkInfo* client_of(core::Id seat) const override;
  /// Ends the annex, which may have something open on the loop. REQUIRES: not called by the annex.
  void close_annex() { annex_.reset(); }
  bool over() const { return !room_ || room_->over(); }
  /// The reason why the room ends; nothing while it runs.
  const std::optional<Reason>& end_reason() const { return end_reason_; }

  // For its guests. A guest must be forgotten (gone, lost, take_out or forget) and must have left the queues before it
  // is destroyed.
  /// A newcomer wants its seat: Guest::take_turn() follows. REQUIRES: not over.
  void wait_for_seat(Guest& guest);
  void seat(Guest& guest, std::unique_ptr<core::Front> front, const core::Peer& peer);
  /// Sends a guest a message in the server's name. False: it has not entered.
  bool announce(core::Id guest, std::string_view text);
  void dismiss(core::Id guest, std::string_view why);
  /// The guest's link is closed. `code`: the peer's reason, as a number of its game; 0: none.
  void gone(core::Id guest, std::string_view why, std::uint32_t code);
  /// The guest's link broke. Returns for how long its seat is kept for it, if it is.
  std::optional<core::Absence> lost(Guest& guest, core::Id seat, std::string_view why, std::uint32_t code);
  /// Whether the guest's player is in, so that it can be taken out.
  bool can_take_out(core::Id guest) const { return room_ && room_->transition().can_take_out(guest); }
  /// Takes the guest's front out of the room, takes the guest out of the queues, and forgets it: its player leaves.
  /// Nothing: it is not in.
  /// REQUIRES: not during a call of the room.
  std::optional<core::DetachedPlayer> take_out(core::Id guest);
  /// For the room that expects a guest.
  const core::Room& room() const { return *room_; }
  void forget(core::Id guest);
  /// Removes the guest from the queues for a seat and for entering.
  void leave_queues(Guest& guest);
  /// Too much waits for this guest. It leaves once the current call of the room has returned.
  void overflowed(core::Id guest) { to_end_.emplace_back(guest, Reason::kClientStalled); }
  std::string name_of(core::Id guest) const;

 private:
  // core::Room::Host
  void send(core::Id end, Lane lane, Bytes bytes) override { send_shared(end, lane, {bytes, {}}); }
  void send_shared(core::Id end, Lane lane, const SharedBytes& shared) override;
  std::size_t waiting_bytes(core::Id end) const override;
  void close(core::Id end, std::string_view why, std::uint32_t code) override;
  void failed(core::Id end, const Fault& fault) override;
  void dial() override {}
  bool try_resume_seat(core::Id seat, std::uint32_t number) override;
  bool admits(core::Id seat) override;
  bool collects(core::Intent& intent) override;
  void heard(const core::Intent& intent) override;
  void told(const core::Fact& fact) override;
  // RoomHost, Later
  const LinkInfo* past_client_of(core::Id player) const override;
  void announced(core::Id player, std::string_view text) override;
  void settle_call(core::Micros at) override;
  void after_call() override;
  void at_turn_end() override;

  struct Departed {
    core::Id seat;
    std::string why;
    std::uint32_t code;
  };

  void depart(core::Id seat, std::string_view why, std::uint32_t code);
  void begin_turn();
  bool serve_crowd();
  bool advance();
  bool begin_step();
  void flush(std::uint64_t nanos);
  std::uint64_t next_turn(Millis now);
  Guest* find(core::Id guest) const;
  std::string game_dialect_of(core::Id player) const;
  void move(core::Id from, core::Id to, core::Micros at);
  void make_way(core::Id guest, core::Micros at);
  void forget_past_clients();
  void end(Reason reason);
  void tell_end();
  void begin_match();
  void end_match();

  net::Loop& loop_;
  SharedRoomState& state_;
  Events& events_;
  const LinkInfo info_;
  TapSink* tap_ = nullptr;
  std::unique_ptr<Annex> annex_;  // may be null
  core::StandIns stand_ins_;
  std::optional<core::Lockstep> lockstep_;
  bool in_step_ = false;  // time is on its way to lockstep_->until()
  tsl::robin_map<core::Id, Guest*, KeyedHash<core::Id>> guests_;
  mutable std::pair<core::Id, Guest*> found_{};  // cache of find(): a front asks what waits, then sends
  std::map<core::Id, LinkInfo> past_clients_;    // for rules: of seats whose link is gone, and some that are empty
  std::size_t most_past_ = 0;                    // with more of them, those of empty seats are forgotten
  Guest* seating_ = nullptr;                     // its id is not known yet, but is above newest_
  core::Id newest_ = 0;
  std::vector<core::Id> touched_, flushing_;
  std::vector<std::pair<core::Id, Reason>> to_end_;  // guests that leave after this call
  std::vector<core::Id> hasty_;                      // of whom too much waits for time to advance
  std::vector<core::Id> taking_up_;                  // their clients resume sessions that have left the room

  // Guests that come and go.
  std::deque<Departed> departed_;
  Millis gone_since_ = 0;  // of the first of them
  EntryQueue<Guest*> to_seat_, to_enter_;
  bool in_turn_ = false;
  Millis enter_at_ = 0, tidy_at_ = 0;
  std::uint64_t flushed_at_ = 0;  // by Loop::nanos

  Absences<core::Id> absences_;
  std::vector<std::pair<core::Id, core::Id>> returning_;  // pairs: the new seat, the kept seat
  std::vector<core::Id> entered_;                         // seats that asked to enter during this call

  std::optional<Reason> end_reason_;
  bool told_end_ = false;
  Millis match_began_ = 0;  // 0: hooks were not told of one that goes on
};

}  // namespace entente::relay
