// The fields of a decoded message as a JSON object: numbers are numbers, texts are strings, lists and groups nest.
// As in protobuf's JSON mapping, 64-bit numbers are in quotes, and so are "NaN" and "Infinity".
#pragma once

#include <string>

#include "adapters/wire/codec.h"

namespace entente {

/// Appends {"name":value,…} of the message that `codec` keeps. Bytes are hex; what follows a text's NUL is omitted,
/// as it is for people.
void json_fields(wire::Codec& codec, std::string& out);

}  // namespace entente
