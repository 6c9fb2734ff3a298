// The front of Ogar: acts as a server towards clients of every dialect. It uses modern3, which the translator converts
// for other dialects.
// Invariant: nothing is sent before the hello. Then the client is shown the truth 25 times a second; a slow client gets
// fewer paintings, never older ones.
#pragma once

#include <memory>

#include "proxy/core/faces.h"

namespace entente::ogar {

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options);

}  // namespace entente::ogar
