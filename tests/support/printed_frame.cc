#include "tests/support/printed_frame.h"

#include <doctest/doctest.h>

#include "adapters/wire/print.h"

namespace entente {

std::string printed_frame(wire::Codec& codec, const wire::Frame& frame) {
  const auto row = codec.decode(frame);
  if (!row)
    return std::string("fault: ") + row.error().what + " " + row.error().field + " " +
           std::to_string(row.error().offset);
  std::string line;
  print(**row, codec, line);
  Buffer again;
  codec.encode(again);
  CHECK(to_hex(again) == to_hex(frame.bytes));
  return line;
}

}  // namespace entente
