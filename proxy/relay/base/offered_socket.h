// A listening socket for another process that takes over.
#pragma once

#include "proxy/net/address.h"
#include "proxy/net/fd.h"

namespace entente::relay {

struct OfferedSocket {
  net::Fd fd;
  net::Address bound;  ///< where it is bound, or will be (net/take_over/udp_twin.h)
};

}  // namespace entente::relay
