// Bytes from hex, for tests that contain frames. Blanks are skipped.
#pragma once

#include <string_view>

#include "proxy/base/bytes.h"

namespace entente {

inline Buffer from_hex(std::string_view hex) {
  Buffer out;
  int high = -1;
  for (const char c : hex) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      out.push_back(static_cast<std::uint8_t>(high * 16 + digit));
      high = -1;
    }
  }
  return out;
}

}  // namespace entente
