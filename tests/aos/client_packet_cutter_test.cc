#include "adapters/aos/wire/client_packet_cutter.h"

#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "tests/support/hex.h"

namespace entente::client_packet_cutter_test {
namespace {

using wire::Way;

bool passes(std::string_view hex, Way way = Way::kToServer, std::size_t dialect = 0) {
  const Buffer packet = from_hex(hex);
  const auto cut = aos::game().cutter(way, dialect)->next(packet);
  return !cut.fault && cut.size == packet.size();
}

TEST_CASE("aos: packets for which piqueserver bans an address do not pass") {
  // Observed: piqueserver 1.4.1 bans the sender's address, and then ignores the other players behind it.
  CHECK(!passes("0d"));
  CHECK(!passes(""));
  CHECK(!passes("0d 00 00 01000000 02000000 030000"));
  CHECK(!passes("11 00"));
  CHECK(!passes("3c"));
  CHECK(!passes("3c 02 c101 c2"));
  CHECK(!passes("0f"));  // a server's packet, which piqueserver also reads from clients
}

TEST_CASE("aos: packets of real clients pass") {
  CHECK(passes("09 01 00 00 02 00000000 6f6f6f 6273706164657300"));
  CHECK(passes("09 01 00 00 02 00000000 6f6f6f"));
  CHECK(passes("0d 00 00 01000000 02000000 03000000"));
  CHECK(passes("20 0000002a"));
  CHECK(passes("22 42 00 01 05"));
  CHECK(passes("3c 04 0001 c001 c101 c201"));
  CHECK(passes("1f 01", Way::kToServer, 1));  // 0.76: the client has the map
  CHECK(passes("40 00"));                     // an extension's
  CHECK(passes("fe"));                        // unknown to every program; servers ignore it
}

TEST_CASE("aos: packets of servers and of the draft are not filtered") {
  CHECK(passes("0d", Way::kToClient));
  CHECK(passes("00", Way::kToServer, 2));
}

TEST_CASE("aos: servers ignore ids that no client packet has, except those for which piqueserver bans") {
  const auto ignored = [](Bytes packet, Way way = Way::kToServer, std::size_t dialect = 0) {
    return aos::game().ignores({way, wire::Lane::kStream, wire::Stage::kPlay, packet}, dialect) != nullptr;
  };
  CHECK(ignored(from_hex("28 01")));
  CHECK(!ignored({}));
  CHECK(!ignored(from_hex("03 0001 00")));  // too long, but read
  CHECK(!ignored(from_hex("0f 00")));
  CHECK(!ignored(from_hex("28 01"), Way::kToClient));
  CHECK(!ignored(from_hex("28 01"), Way::kToServer, 2));
  for (std::size_t dialect = 0; dialect < 2; ++dialect)
    for (unsigned id = 0; id < 256; ++id) {
      Buffer packet(800);
      packet[0] = static_cast<std::uint8_t>(id);
      const auto codec = aos::game().codec(dialect);
      const bool unknown = codec->find({Way::kToServer, wire::Lane::kStream, wire::Stage::kPlay, packet}) == nullptr;
      CHECK(ignored(packet, Way::kToServer, dialect) == unknown);
    }
}

}  // namespace
}  // namespace entente::client_packet_cutter_test
