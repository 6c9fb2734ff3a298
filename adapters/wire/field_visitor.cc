#include "adapters/wire/field_visitor.h"

namespace entente::wire {

std::size_t width(Kind kind) {
  static constexpr std::size_t kWidths[] = {1, 2, 3, 4, 8, 1, 2, 4, 8, 4, 8, 1};
  return kWidths[static_cast<std::size_t>(kind)];
}

const char* text(Kind kind) {
  static constexpr const char* kNames[] = {"u8",  "u16", "u24", "u32", "u64", "i8",
                                           "i16", "i32", "i64", "f32", "f64", "bool"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace entente::wire
