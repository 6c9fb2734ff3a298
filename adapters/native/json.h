// Writes words as JSON, with the same bytes as protobuf's own printer (MessageToJsonString with the schema's field
// names). That takes about 20 us a word, because it uses a type resolver and the message's binary form.
#pragma once

#include <google/protobuf/message.h>

#include "proxy/base/bytes.h"

namespace entente::native {

/// Appends `message`: an Intent, a Fact, or a message inside one.
void write_json(const google::protobuf::Message& message, Buffer& out);

/// Appends the same bytes as write_json(), by protobuf's printer. write_json() must give the same bytes, and uses it
/// for rare values (bytes, floats, texts that need escapes, NaN and infinities).
void print_json(const google::protobuf::Message& message, Buffer& out);

}  // namespace entente::native
