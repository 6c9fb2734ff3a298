#include "proxy/net/enet/enet_clock.h"

#include <enet/enet.h>

#include "proxy/base/time.h"

/// Milliseconds, modulo 2^32. ENet compares times by their differences.
extern "C" enet_uint32 enet_time_get() {
  return static_cast<enet_uint32>(entente::steady_now()) + entente::net::enet_clock_ahead;
}
