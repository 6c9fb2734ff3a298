// Words as protobuf. Invariant: libprotobuf never sees a text that is not UTF-8. It would print a line on standard
// error for each.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "adapters/native/schema_table.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::native {

/// Reads a message that occurs in words: an Intent, a Fact, or a message inside one. It replaces the content of `into`,
/// which is unspecified after a fault. Fields of a later schema are ignored.
///
/// The fault's field is the message and field of the schema, such as "Say.text", or "word". If `why` is not null, it is
/// then told what is wrong, and where, in a sentence for the author of the program that wrote the message.
///
/// `limits`: of a message that is long; null: none.
Result<google::protobuf::Message*> read_protobuf(Bytes bytes, google::protobuf::Message& into, std::string* why,
                                                 const LongMessage* limits = nullptr);

}  // namespace entente::native
