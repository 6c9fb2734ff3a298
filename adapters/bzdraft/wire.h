// What the faces need of wire.cc: typed reading and writing.
#pragma once

#include <memory>

#include "adapters/bzdraft/messages.h"
#include "adapters/wire/speech.h"

namespace entente::bzdraft {

std::unique_ptr<wire::Speech<Message>> make_speech();

/// The code of MsgTeleport that no score has; the page's own is read as one.
inline constexpr std::uint32_t kTeleportCode = 0x7470;

}  // namespace entente::bzdraft
