// What of a client's packets is kept from a server: those that end too soon.
// Law: no packet of a real client is.
#pragma once

#include <cstddef>

#include "adapters/wire/frame.h"

namespace entente::aos {

/// piqueserver bans the address of who sends it a packet that is shorter than it reads, for good and with all who come
/// from there (server.py:793), whichever side such packets ordinarily come from. Behind a relay everybody has one
/// address.
class FromClient final : public wire::Cutter {
 public:
  wire::Cut next(Bytes packet) override;
};

}  // namespace entente::aos
