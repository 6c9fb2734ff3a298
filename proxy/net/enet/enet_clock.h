// The clock of ENet. ENet's own reads the wall clock: when that is set by half a minute or more, ENet gives up all of
// its peers. Ours is monotonic. Invariant: enet_time_get() of enet_clock.cc is used in place of ENet's, also by the
// library itself, because the dynamic linker takes the first symbol with a name.
#pragma once

#include <atomic>
#include <cstdint>

namespace entente::net {

/// For tests: milliseconds that ENet's clock is ahead of steady_now(), so that it can overflow.
inline std::atomic<std::uint32_t> enet_clock_ahead{0};

}  // namespace entente::net
