// Faces an Ogar client as its server, in every dialect: it says modern3, and its idiom turns that for the others.
// Law: nothing before the hello; then what the client sees is what is true, 25 times a second, and a client that is
// slow sees fewer paintings, never older ones.
#pragma once

#include <memory>

#include "proxy/core/faces.h"

namespace entente::ogar {

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options);

}  // namespace entente::ogar
