// What a client may request before it enters: the settings and the world. queries.h has the rest.
// Invariant: a request is answered once the world is known (world_wait.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/bzflag/front/client.h"
#include "adapters/bzflag/world/made_world.h"
#include "proxy/core/gameplay/world_wait.h"
#include "proxy/core/tank/flag_numbers.h"

namespace entente::bzflag {

/// The options of the game (kJumping and so on) in this world.
std::uint16_t options_of(const core::WorldState& world);

class Lobby {
 public:
  Lobby(Client& client, core::FlagNumbers& flags) : client_(client), flags_(flags) {}

  void hear(const WantSettings&, FrontOut& out);
  void hear(const WantWorldHash&, FrontOut& out);
  void hear(const GetWorld& wanted, FrontOut& out);

  /// Answers pending requests, if they can be answered.
  void answer(FrontOut& out);
  core::WorldWait& wait() { return wait_; }
  /// Whether the client waits for an answer.
  bool waits() const { return wants_settings_ || wants_hash_ || wants_world_; }
  /// Whether the world did not come in time, so the client must be refused.
  bool gave_up() const { return gave_up_; }
  /// Whether the client was shown an open field because the world is not known.
  bool guessed() const { return guessed_; }
  /// Whether the client has been given a world, and the room now has another one.
  bool differs(const core::WorldState& world) const {
    return made_ != nullptr && world.geometry() != nullptr && (!room_hash_ || world.geometry()->hash() != *room_hash_);
  }
  /// How many shots each player may have in the air.
  std::uint16_t most_shots() const { return most_shots_; }

 private:
  void build_world(FrontOut& out);
  GameSettings settings(const FrontOut& out) const;
  void send_chunk(std::size_t offset, FrontOut& out);
  bool known(FrontOut& out);
  void stall(FrontOut& out);
  void send_hash(FrontOut& out);

  Client& client_;
  core::FlagNumbers& flags_;
  bool wants_settings_ = false, wants_hash_ = false;
  std::optional<std::uint32_t> wants_world_;  // from this offset on
  core::WorldWait wait_;
  core::Micros asked_ = 0;  // when a strict client last asked for the hash or the world; 0: it has its answer
  bool gave_up_ = false, guessed_ = false;
  std::shared_ptr<const MadeWorld> made_;  // null until it is known
  std::optional<std::string> room_hash_;   // of the world of which it was made, in the room; none: it was a guess
  std::uint32_t promised_ = 0;             // bytes: the size of the database as told before it was known; 0: not told
  std::string hash_;                       // as told, or to be told
  std::uint16_t most_shots_ = 20;
};

}  // namespace entente::bzflag
