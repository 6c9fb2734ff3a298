// What a frame decodes to, as one line, for tests that quote the wire.
#pragma once

#include <string>

#include "adapters/wire/codec.h"

namespace entente {

/// "Name field=value …", or "fault: what field offset". Checks that what decodes encodes to the same bytes.
std::string printed_frame(wire::Codec& codec, const wire::Frame& frame);

}  // namespace entente
