#include "adapters/aos/wire/client_packet_cutter.h"

#include <array>

namespace entente::aos {
namespace {

constexpr std::uint8_t kExtensions = 60;

/// How many bytes piqueserver reads of a packet, by its id and including the id (contained.pyx). It reads 32 entries of
/// every World Update, and every State Data as capture the flag. Of id 31 it reads nothing more, because 0.76's Map
/// Cached is shorter than 0.75's Handshake Init.
constexpr std::array<std::uint16_t, 35> kRead = {
    13, 13, 769, 3,  3,  3,  30, 3, 5, 12,  // 0: Position Data … Existing Player
    4,  15, 16,  15, 26, 84, 5,  3, 5, 1,   // 10: Short Player Data … Map Chunk
    2,  4,  8,   3,  2,  14, 2,  5, 4, 3,   // 20: Player Left … Change Team
    3,  1,  5,   1,  5,                     // 30: Change Weapon … Version Response
};

std::size_t read_of(Bytes packet) {
  if (packet.empty()) return 1;
  if (packet[0] < kRead.size()) return kRead[packet[0]];
  if (packet[0] != kExtensions) return 1;
  return packet.size() < 2 ? 2 : 2 + 2 * std::size_t{packet[1]};
}

}  // namespace

wire::Cut ClientPacketCutter::next(Bytes packet) {
  if (packet.size() < read_of(packet)) return {0, wire::Stage::kPlay, Fault{"message too short", "", packet.size()}};
  return {packet.size(), wire::Stage::kPlay, {}};
}

}  // namespace entente::aos
