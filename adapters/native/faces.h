// Both faces of the vocabulary: nearly nothing to translate.
// Law: what a client says about who it is and when it spoke is not believed; ids of another room never get into this
// one.
#pragma once

#include "proxy/core/faces.h"

namespace entente::native {

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options);
std::unique_ptr<core::Back> make_back(const core::FaceOptions& options);

}  // namespace entente::native
