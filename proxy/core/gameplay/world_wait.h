// For fronts whose clients load a world when they join: how long a client waits for a world that the room does not know
// yet, because a server must first send it.
// Invariant: a client is not shown another world in its place, with one exception. A server may tell its world only
// when enough players have come (words::Waiting). Then the client gets an open field, which is counted, and it is told
// so. A client that waits for long is sent a sign of life every few seconds: it may be the back of another Entente,
// which gives up a silent server.
#pragma once

#include <algorithm>
#include <string>

#include "proxy/core/drops.h"
#include "proxy/core/replay/beginning.h"
#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::core {

/// For the client that gets an open field.
inline constexpr const char* kOpenFieldText = "The server has not told its map yet: you see an open field.";
/// For a client that loads a world only when it joins.
inline constexpr const char* kOtherWorldText = "The server has another map now. Join again to see it.";
/// For the client that is refused.
inline constexpr const char* kNoWorldText = "the server did not send its map in time";

/// Whether the room knows its world, and what kind of game it is; or will not know more.
inline bool knows_world_and_game(const WorldState& world) {
  return world.ready() || (world.geometry() != nullptr && !world.room().game().empty());
}

class WorldWait {
 public:
  static constexpr Micros kPatience = 60 * kSecond;  // since the last part of the world came
  static constexpr Micros kForPlayers = 10 * kSecond;

  /// What the room says about the world that it does not know yet: that it waits for players, or has got another part.
  void hear(const Fact& fact) {
    for_players_ = for_players_ || as<words::Waiting>(fact) != nullptr;
    if (as<words::WorldProgress>(fact) != nullptr) progress_ = fact.at;
  }

  enum class Answer : std::uint8_t {
    kNotYet,
    kKnown,
    kGuess,  ///< the client gets an open field; this is counted
    kNever,  ///< the client must be refused
  };
  /// Called first when the client asks for the world. `known`: whether the room knows what the client must be told.
  /// Asks for a tick if the answer is kNotYet.
  Answer look(bool known, FrontOut& out) {
    if (known) return Answer::kKnown;
    const Micros begins = begins_at(out.world());
    if (begins != 0) {
      why_ = begins_text(std::max(begins, out.now()) - out.now());
      out.wake(out.now());
      return Answer::kNever;
    }
    if (asked_ == 0) asked_ = std::max<Micros>(out.now(), 1);
    const Micros until = for_players_ ? asked_ + kForPlayers : std::max(asked_, progress_) + kPatience;
    if (out.now() >= until) {
      if (for_players_) out.drop(drops::kWorldLate);
      return for_players_ ? Answer::kGuess : Answer::kNever;
    }
    out.wake(is_long(out.now()) ? until : asked_ + kForPlayers);
    return Answer::kNotYet;
  }
  /// Why the client must be refused.
  const std::string& why() const { return why_; }
  /// Whether it has waited so long that what does not need the world should be answered.
  bool is_long(Micros now) const { return asked_ != 0 && now >= asked_ + kForPlayers; }

 private:
  /// When the broadcast that the room is begins; 0: it is none, or has begun.
  static Micros begins_at(const WorldState& world) {
    const double at = world.geometry() == nullptr ? world.rule(kBeginsRule, 0) : 0;
    return at >= 1 && at < 1e18 ? static_cast<Micros>(at) : 0;
  }

  std::string why_ = kNoWorldText;
  Micros asked_ = 0, progress_ = 0;
  bool for_players_ = false;
};

/// When a client that waits is due a sign that it should wait on.
class WaitSigns {
 public:
  static constexpr Micros kFirst = 12 * kSecond;  // usual joins are shorter
  static constexpr Micros kEvery = 5 * kSecond;   // limits.ready_ms is 20 s by default

  /// `waits`: whether the client waits for the server now. Asks for a tick while it does. REQUIRES: called when it
  /// begins to wait, and in each
  /// tick.
  bool due(bool waits, FrontOut& out) {
    if (!waits) return at_ = 0, false;
    if (at_ == 0) at_ = out.now() + kFirst;
    const bool due = out.now() >= at_;
    if (due) at_ = out.now() + kEvery;
    out.wake(at_);
    return due;
  }

 private:
  Micros at_ = 0;  // 0: it does not wait
};

}  // namespace entente::core
