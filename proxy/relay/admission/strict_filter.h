// The check of strict=yes: only messages that decode may reach the server.
// Invariant: messages that the game's real server ignores pass too, because real clients send them. Keeps one codec for
// each dialect, so its memory is bounded.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "adapters/wire/game.h"

namespace entente::relay {

class StrictFilter {
 public:
  explicit StrictFilter(const wire::Game& game) : game_(game), codecs_(game.dialects().size()) {}

  /// What is wrong with this whole frame of a client; nothing if it may pass.
  std::optional<Fault> objection(const wire::Frame& frame, std::size_t dialect);

 private:
  const wire::Game& game_;
  std::vector<std::unique_ptr<wire::Codec>> codecs_;  // by dialect, made when first needed
};

}  // namespace entente::relay
