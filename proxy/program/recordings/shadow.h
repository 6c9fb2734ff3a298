// What one recorded connection meant: a room with the game's front and back, each fed with what its side said. What the
// two would say is dropped, because it was said already; the words between them come out, with their times.
// Law: what a room would not understand ends the words, not the recording.
#pragma once

#include <functional>
#include <string>

#include "proxy/core/room.h"
#include "proxy/program/import/speech.h"

namespace entente {

class ShadowRoom final : private core::Room::Host {
 public:
  class User {
   public:
    virtual ~User() = default;
    virtual void heard(const core::Intent& intent) = 0;
    virtual void told(const core::Fact& fact) = 0;
  };

  /// REQUIRES: can_shadow(speech). `user` outlives it. `settings`: of the game's back.
  ShadowRoom(const Speech& speech, User& user, const std::map<std::string, std::string, std::less<>>& settings);

  /// Whole frames, or one message or datagram. `at`: since the connection began; what goes back is taken for now.
  void received(wire::Way way, Lane lane, Bytes bytes, core::Micros at);
  /// The one who sends this way is gone.
  void left(wire::Way way, core::Micros at);

  const core::World& world() const { return room_.world(); }
  core::Micros now() const { return now_; }
  /// Why no more words will come; empty while they do.
  const std::string& over() const { return over_; }
  /// They end because a peer broke its game's rules, not because it left.
  bool broken() const { return broken_; }

 private:
  void pass_time(core::Micros until);
  core::Id end_of(wire::Way way) const { return way == wire::Way::kToServer ? seat_ : core::kBackEnd; }

  void send(core::Id, Lane, Bytes) override {}
  std::size_t waiting(core::Id) const override { return 0; }
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

/// Whether this program has both faces of the game in that dialect.
bool can_shadow(const Speech& speech);

}  // namespace entente
