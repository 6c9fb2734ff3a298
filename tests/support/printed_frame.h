// A decoded frame as one line of text, for tests.
#pragma once

#include <string>

#include "adapters/wire/codec.h"

namespace entente {

/// "Name field=value …", or "fault: what field offset". Checks that a frame that decodes encodes to the same bytes.
std::string printed_frame(wire::Codec& codec, const wire::Frame& frame);

}  // namespace entente
