// Words as JSON: the JSON mapping of protobuf (proto3), with the names of the schema.
// Invariant: the writer writes the same bytes as protobuf's own printer, and the reader accepts what protobuf's own
// parser accepts, and reads the same from it. (protobuf's take 13 us for a small message, because they go through a
// type resolver and the binary form.) Each byte is looked at a bounded number of times, whatever it is.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "adapters/native/schema_table.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::native {

/// Objects inside each other in a message, the message included; protobuf's own limit.
inline constexpr int kDeepestJson = 100;

/// A string that is no name of a value of its enum, which may be a name of a later schema.
enum class UnknownName : std::uint8_t {
  kLeaveOut,  ///< the field stays as it is
  kRefuse,
};

/// Reads a message that occurs in words: an Intent, a Fact, or a message inside one. It replaces the content of `into`,
/// which is unspecified after a fault. Fields of a later schema are ignored.
///
/// Also accepted, as by protobuf's parser: names and strings in single quotes, names without quotes, a comma after the
/// last value, numbers in strings, and a single value in place of an array of one.
///
/// The fault's field is the message and field of the schema, such as "Enter.role", or "word". If `why` is not null, it
/// is then told what is wrong, and where, in a sentence for the author of the program that wrote the message.
///
/// `limits`: of a message that is long; null: none.
Result<google::protobuf::Message*> read_json(Bytes json, google::protobuf::Message& into, UnknownName unknown,
                                             std::string* why, const LongMessage* limits = nullptr);

/// Appends `message`, which occurs in words. Bytes that are not UTF-8 in its texts become U+FFFD.
void write_json(const google::protobuf::Message& message, Buffer& out);

}  // namespace entente::native
