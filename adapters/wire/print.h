// Prints one message as one line of text: ShotBegin player=3 shot=512 pos=(1 2 0.5).
// Invariant: control characters and non-ASCII bytes are escaped, so a hostile peer cannot control a terminal or break a
// line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/codec.h"

namespace entente::wire {

/// Appends name and fields of the message that `codec` decoded by `row`.
void print(const Row& row, Codec& codec, std::string& out);

/// A field as it is printed: its path ("flags[2].owner") and value.
struct Shown {
  std::string path;
  std::string value;
};

/// A text field in UTF-8, up to its first NUL. Invalid bytes stay as they are.
std::string readable(std::string_view chars, TextEnd end);

/// The first text field with this name in the kept message, as readable() returns it; "" if there is none.
std::string text_of(Codec& codec, std::string_view name);

/// Every field of the kept message, in wire order.
std::vector<Shown> show(Codec& codec);

/// The fields in which two messages differ, one line each: "pos[1]: 2 -> 2.5". Empty if there are none.
std::string diff(const std::vector<Shown>& before, const std::vector<Shown>& after);

/// Appends `text` with quotes, backslashes and non-printable bytes escaped.
void escape(std::string_view text, std::string& out);

/// How many bytes of the message that the codec holds were left undecoded, although they should be decoded
/// (Kept::kOpaque). Bytes that are left raw on purpose do not count.
std::size_t opaque_bytes(Codec& codec);

}  // namespace entente::wire
