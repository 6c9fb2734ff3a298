// The front and back of Panic, for panic.h's faces().
#pragma once

#include "adapters/wire/mapping.h"
#include "proxy/core/faces.h"

namespace entente::panic {

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options);
std::unique_ptr<core::Back> make_back(const core::FaceOptions& options);

}  // namespace entente::panic
