// Faces an Ogar server as its client, in every dialect: it says modern3, which the translator converts for the others.
// Law: a good citizen: no spawn name before the server has shown a world, no WebSocket ping ever, and nothing that the
// server hangs up for.
#pragma once

#include <memory>

#include "proxy/core/faces.h"

namespace entente::ogar {

std::unique_ptr<core::Back> make_back(const core::FaceOptions& options);

}  // namespace entente::ogar
