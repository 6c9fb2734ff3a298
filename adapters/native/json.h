// Words as JSON, in the bytes of protobuf's own printer (MessageToJsonString with the schema's field names), which
// takes some 20 us a word: it goes through a type resolver and the message's binary form.
#pragma once

#include <google/protobuf/message.h>

#include "proxy/base/bytes.h"

namespace entente::native {

/// Appends `message`, an Intent or a Fact or one of what they hold.
void write_json(const google::protobuf::Message& message, Buffer& out);

/// The same by protobuf's printer: what write_json() is held to, and does for what is rare (bytes, floats, texts that
/// need escapes, numbers that are none).
void print_json(const google::protobuf::Message& message, Buffer& out);

}  // namespace entente::native
