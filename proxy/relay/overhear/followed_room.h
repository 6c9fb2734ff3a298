// A room beside a session that others carry, or that was recorded: a front and a back of its game, each fed with the
// frames of its side. What the two would send is dropped; the words between them come out.
// Invariant: what the room cannot understand ends the words, not the session.
#pragma once

#include <memory>
#include <string>

#include "adapters/wire/game.h"
#include "proxy/core/room/room.h"

namespace entente::relay {

class FollowedRoom : protected core::Room::Host {
 public:
  /// `at`: time since the session began; a decreasing time counts as now.
  void received(const wire::Frame& frame, core::Micros at);
  /// The side that sends in this direction has gone.
  void left(wire::Way way, core::Micros at);
  /// Ticks what is due until then.
  void pass_time(core::Micros until);

  const core::WorldState& world() const { return room_.world(); }
  core::Micros now() const { return now_; }
  /// When pass_time() is needed next; the far future if not at all.
  core::Micros wakes_at() const { return over_.empty() ? room_.next_wake() : UINT64_MAX; }
  /// Why no more words will come; empty while they do.
  const std::string& over() const { return over_; }
  /// Whether the words ended because a peer broke its game's rules, not because it left.
  bool broken() const { return broken_; }
  /// Whether the server's side ended them.
  bool over_by_server() const { return over_by_server_; }

 protected:
  /// REQUIRES: both exist in this dialect. begin() follows.
  FollowedRoom(std::unique_ptr<core::Front> front, std::unique_ptr<core::Back> back, std::uint32_t seed);
  /// Both sides are connected.
  void begin(const wire::Game& game, std::size_t dialect);
  /// Nothing more can be understood.
  void give_up(std::string why);

  /// Of its player.
  core::Id seat() const { return seat_; }
  const core::Room& room() const { return room_; }

 private:
  /// The room is called now.
  virtual void before_call(core::Micros) {}
  core::Id end_of(wire::Way way) const { return way == wire::Way::kToServer ? seat_ : core::kBackId; }

  void send(core::Id, Lane, Bytes) override {}
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id end, std::string_view why, std::uint32_t) override;
  void failed(core::Id end, const Fault& fault) override;
  void dial() override {}

  std::string over_;
  bool broken_ = false, over_by_server_ = false;
  std::unique_ptr<core::Front> front_;  // until begin()
  core::Room room_;
  core::Id seat_ = 0;
  core::Micros now_ = 0;
};

}  // namespace entente::relay
