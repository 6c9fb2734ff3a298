#include "proxy/base/limits.h"

#include <doctest/doctest.h>

namespace entente::limits_test {

TEST_CASE("the default limits are consistent") {
  constexpr Limits kOwn;
  CHECK(kOwn.low_water < kOwn.high_water);
  CHECK(kOwn.sessions_per_address <= kOwn.sessions);
  CHECK(kOwn.connects_burst >= kOwn.sessions_per_address);  // an address may open all its sessions at once
  CHECK(kOwn.datagram_bytes <= 2048);
  CHECK(kOwn.linger_ms < kOwn.stall_ms);
}

}  // namespace entente::limits_test
