// Makes the room of an arena of a checked configuration.
#pragma once

#include "proxy/core/arena/arena.h"
#include "proxy/relay/sessions/shared_room_options.h"
#include "proxy/relay/tap/tap.h"
#include "schema/config.pb.h"

namespace entente {

/// An arena of the configuration, made ready.
struct ConfiguredArena {
  core::Arena place;
  relay::SharedRoomOptions room;  ///< its back is a referee in that place
};

/// Reads the recording that the arena begins with. `record_secrets`: as recording.secrets. `tap` is its tap. REQUIRES:
/// checked.
Outcome<ConfiguredArena> configured(const config::Arena& arena, bool record_secrets, relay::TapThread* tap);

}  // namespace entente
