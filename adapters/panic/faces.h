// Panic's front and back, for its Game's faces.
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/faces.h"

namespace entente::panic {

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options);
std::unique_ptr<core::Back> make_back(const core::FaceOptions& options);

/// Why the words of that kind are told to nobody, as the mapping has it.
const char* reason_of(std::string_view word);

}  // namespace entente::panic
