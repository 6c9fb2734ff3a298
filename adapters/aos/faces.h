// Ace of Spades' front and back, for its Game's faces.
#pragma once

#include <memory>

#include "adapters/wire/mapping.h"
#include "proxy/core/faces.h"

namespace entente::aos {

/// Null: that dialect has none.
std::unique_ptr<core::Front> make_front(const core::FaceOptions& options);
std::unique_ptr<core::Back> make_back(const core::FaceOptions& options);

const core::Faces& faces();

/// What becomes of each field and each word.
std::span<const wire::Mapping> mapping();

}  // namespace entente::aos
