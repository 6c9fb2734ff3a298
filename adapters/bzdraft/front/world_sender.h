// The world that a client loads, as a resource, and the settings that are sent with it.
// Invariant: a request is answered once the world is known (world_wait.h).
#pragma once

#include <optional>
#include <string>

#include "adapters/bzdraft/front/client.h"
#include "adapters/bzdraft/wire/resource.h"
#include "proxy/core/gameplay/world_wait.h"
#include "proxy/core/tank/flag_numbers.h"

namespace entente::bzdraft {

class WorldSender {
 public:
  WorldSender(Client& client, const core::FlagNumbers& flags) : client_(client), flags_(flags) {}

  void hear(const GetWorldUp&, FrontOut& out);
  void hear(const GetResourceUp& wanted, FrontOut& out);

  /// Answers a pending request, if it can be answered.
  void answer(FrontOut& out);
  core::WorldWait& wait() { return wait_; }
  /// Whether the client has asked for the world, and has no answer.
  bool waits() const { return wanted_; }
  /// Whether the world did not come in time, so the client must be refused.
  bool gave_up() const { return gave_up_; }
  /// Whether the client was shown an open field because the world is not known.
  bool guessed() const { return guessed_; }
  /// Whether the client has been given a world, and the room now has another one.
  bool differs(const core::WorldState& world) const {
    return !resource_.empty() && world.geometry() != nullptr && (!hash_ || world.geometry()->hash() != *hash_);
  }
  /// How many shots each player may have in the air.
  std::uint16_t most_shots() const { return most_shots_; }

 private:
  bool known(FrontOut& out);
  void build(FrontOut& out);

  Client& client_;
  const core::FlagNumbers& flags_;
  bool wanted_ = false;
  core::WorldWait wait_;
  bool gave_up_ = false, guessed_ = false;
  Buffer resource_;
  std::optional<std::string> hash_;  // of the world of which it was made; none: it was a guess
  Md5 name_{};
  std::uint16_t most_shots_ = 20;
};

}  // namespace entente::bzdraft
