// The fields of a decoded message as one JSON object, for programs: numbers are numbers, texts are texts, lists and
// groups nest. As in protobuf's JSON mapping, numbers of 64 bits are in quotes, and so are "NaN" and "Infinity".
#pragma once

#include <string>

#include "adapters/wire/codec.h"

namespace entente {

/// Appends {"name":value,…} of the message that `codec` keeps. Bytes are hex; what stands behind a text's NUL is left
/// out, as people do not see it either.
void json_fields(wire::Codec& codec, std::string& out);

}  // namespace entente
