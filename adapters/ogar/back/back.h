// The back of Ogar: acts as a client of a server, in every dialect. It uses modern3, which the translator converts for
// other dialects.
// Invariant: no spawn name is sent before the server has shown a world, no WebSocket ping is sent, and nothing that
// makes the server disconnect.
#pragma once

#include <memory>

#include "proxy/core/faces.h"

namespace entente::ogar {

std::unique_ptr<core::Back> make_back(const core::FaceOptions& options);

}  // namespace entente::ogar
