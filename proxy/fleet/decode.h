// Messages of schema/fleet.proto from bytes.
#pragma once

#include "proxy/base/bytes.h"

namespace entente::fleet {

/// False: the bytes are no such message.
template <class Message>
bool decode(Bytes bytes, Message& into) {
  return into.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace entente::fleet
