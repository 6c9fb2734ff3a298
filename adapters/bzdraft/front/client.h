// The client of a front: its link, what it says about itself, and how far it has joined.
#pragma once

#include "adapters/bzdraft/wire/conversions.h"
#include "adapters/bzdraft/wire/peer_link.h"
#include "proxy/core/world.h"

namespace entente::bzdraft {

using core::FrontOut;

inline constexpr std::uint8_t kNumber = kFirstPlayer;  ///< our client's; the others get free numbers above it

class Client final : public PeerLink {
 public:
  enum class Stage : std::uint8_t { kOutside, kEntering, kIn };

  Client() : PeerLink(wire::Way::kToServer) {}

  bool in() const { return stage == Stage::kIn; }
  void say(std::uint8_t from, std::uint8_t to, std::string_view text, FrontOut& out);
  void server_says(std::string_view text, FrontOut& out) { say(kServer, kNumber, text, out); }

  Stage stage = Stage::kOutside;
  words::Enter wish;
};

}  // namespace entente::bzdraft
