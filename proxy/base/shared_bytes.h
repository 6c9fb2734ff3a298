// Bytes that several readers are sent: made once, and kept until the last of them has them.
#pragma once

#include <memory>

#include "proxy/base/bytes.h"

namespace entente {

/// What keeps bytes valid and unchanged. Null: nothing does, and whoever needs them for longer copies them.
using BytesOwner = std::shared_ptr<const void>;

struct SharedBytes {
  Bytes bytes;
  BytesOwner owner;

  /// Whether `next` follows directly in memory, so that both can become one.
  bool continues_in(const SharedBytes& next) const {
    return owner == next.owner && bytes.data() + bytes.size() == next.bytes.data();
  }
};

}  // namespace entente
