// Refuses client packets that end too soon, so that they never reach a server.
// Invariant: no packet of a real client is refused.
#pragma once

#include <cstddef>

#include "adapters/wire/frame.h"

namespace entente::aos {

/// piqueserver permanently bans an address that sends a packet shorter than it reads, even if only servers normally
/// send such packets (server.py:793). Behind a relay all players share one address, so one packet would ban them all.
class ClientPacketCutter final : public wire::Cutter {
 public:
  wire::Cut next(Bytes packet) override;
};

}  // namespace entente::aos
