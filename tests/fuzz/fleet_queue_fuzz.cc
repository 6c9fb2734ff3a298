// Arbitrary messages of other nodes about players who wait for seats on servers. Invariant: no player is reported to
// wait since a time in the future.
#include <cstdlib>
#include <string>

#include "proxy/fleet/server_queues.h"
#include "schema/fleet.pb.h"
#include "tests/fuzz/filled.h"
#include "tests/fuzz/target.h"

namespace entente::fleet_queue_fuzz {

ENTENTE_FUZZ_TARGET(fleet_queue) {
  fuzz::Source input(Bytes(data, size));
  fleet::ForeignClaims foreign(1'000);
  Millis now = 1'000;
  for (int i = 0; i < 100 && !input.empty(); ++i) {
    now += input.byte() * 20U;
    bus::SeatClaims said;
    fuzz::fill(said, input);
    for (int claims = input.byte() % 8; claims > 0; --claims) fuzz::fill(*said.add_claims(), input);
    const std::uint8_t what = input.byte();
    said.set_run(what % 8U);
    const std::string bytes =
        what % 16 == 0 ? std::string(as_text(input.some(input.byte()))) : said.SerializeAsString();
    foreign.hear(std::string(1, static_cast<char>('a' + what % 3)), as_bytes(bytes), now);
    if (const auto oldest = foreign.oldest(now); oldest && *oldest > now) std::abort();
  }
  return 0;
}

}  // namespace entente::fleet_queue_fuzz
