// The words of one recorded connection: a room with the game's front and back, each fed with its side's frames. What
// the two would send is dropped; the words between them come out, with their times.
// Invariant: what the room cannot understand ends the words, not the recording.
#pragma once

#include <map>
#include <string>

#include "proxy/program/import/game_dialect.h"
#include "proxy/relay/overhear/followed_room.h"

namespace entente {

class OfflineRoom final : public relay::FollowedRoom {
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

 private:
  void heard(const core::Intent& intent) override { user_.heard(intent); }
  void told(const core::Fact& fact) override { user_.told(fact); }

  User& user_;
};

/// Whether the game has a front and a back in this dialect.
bool can_translate(const GameDialect& game_dialect);

}  // namespace entente
