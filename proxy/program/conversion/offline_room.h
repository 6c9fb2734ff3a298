// The words of one recorded connection: a room with the game's front and back, each fed with its side's frames. What
// the two would send is dropped; the words between them come out, with their times.
// Invariant: what the room cannot understand ends the words, not the recording.
#pragma once

#include <functional>
#include <string>

#include "proxy/core/room/room.h"
#include "proxy/program/import/game_dialect.h"

namespace entente {

class OfflineRoom final : private core::Room::Host {
 public:
  class User {
   public:
    virtual ~User() = default;
    virtual void heard(const core::Intent& intent) = 0;
    virtual void told(const core::Fact& fact) = 0;
  };

  /// REQUIRES: can_translate(game_dialect). `user` outlives it. `settings`: of the game's back.
  OfflineRoom(const GameDialect& game_dialect, User& user,
              const std::map<std::string, std::string, std::less<>>& settings);

  /// `at`: time since the connection began; a decreasing time counts as now.
  void received(const wire::Frame& frame, core::Micros at);
  /// The side that sends in this direction has gone.
  void left(wire::Way way, core::Micros at);

  const core::WorldState& world() const { return room_.world(); }
  core::Micros now() const { return now_; }
  /// Why no more words will come; empty while they do.
  const std::string& over() const { return over_; }
  /// Whether the words ended because a peer broke its game's rules, not because it left.
  bool broken() const { return broken_; }

 private:
  void pass_time(core::Micros until);
  core::Id end_of(wire::Way way) const { return way == wire::Way::kToServer ? seat_ : core::kBackId; }

  void send(core::Id, Lane, Bytes) override {}
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id end, std::string_view why, std::uint32_t) override;
  void failed(core::Id end, const Fault& fault) override;
  void dial() override {}
  void heard(const core::Intent& intent) override { user_.heard(intent); }
  void told(const core::Fact& fact) override { user_.told(fact); }

  User& user_;
  std::string over_;
  bool broken_ = false;
  core::Room room_;
  core::Id seat_ = 0;
  core::Micros now_ = 0;
};

/// Whether the game has a front and a back in this dialect.
bool can_translate(const GameDialect& game_dialect);

}  // namespace entente
