// Whether what a client says may reach its server, on a route that is strict: only what decodes.
// Law: what the game's real server ignores anyway passes too, for real clients send it. Keeps one message a dialect, so
// that it takes no more memory than decoding does.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "adapters/wire/game.h"

namespace entente::relay {

class Guard {
 public:
  explicit Guard(const wire::Game& game) : game_(game), codecs_(game.dialects().size()) {}

  /// What is wrong with this whole frame of a client; nothing if it may pass.
  std::optional<Fault> objection(const wire::Frame& frame, std::size_t dialect);

 private:
  const wire::Game& game_;
  std::vector<std::unique_ptr<wire::Codec>> codecs_;  // by dialect, made when first needed
};

}  // namespace entente::relay
