// The front and back of the vocabulary; there is almost nothing to convert.
// Invariant: a client's claims about its id and its times are ignored. Ids of another room are always translated.
#pragma once

#include "proxy/core/faces.h"

namespace entente::native {

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options);
std::unique_ptr<core::Back> make_back(const core::FaceOptions& options);

}  // namespace entente::native
