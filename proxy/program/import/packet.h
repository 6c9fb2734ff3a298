// Takes a captured packet apart: link layer, IPv4 or IPv6, TCP or UDP.
// Invariant: it reads nothing past the captured bytes, and does not trust lengths in headers.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "proxy/base/bytes.h"

namespace entente {

/// One end of a connection. IPv4 addresses use the first 4 bytes.
struct PacketEndpoint {
  std::array<std::uint8_t, 16> ip{};
  bool v6 = false;
  std::uint16_t port = 0;

  auto operator<=>(const PacketEndpoint&) const = default;
};

/// "127.0.0.1:5154" or "[::1]:5154".
std::string text(const PacketEndpoint& endpoint);

/// One TCP segment or UDP datagram.
struct Packet {
  PacketEndpoint from, to;
  bool tcp = false;
  bool syn = false, ack = false, fin = false, rst = false;  ///< of TCP
  std::uint32_t sequence = 0;                               ///< of TCP
  Bytes payload;
  std::size_t missing = 0;  ///< bytes of the payload that were sent but not captured
};

/// Whether packets of this link type (a DLT_ value of libpcap) can be taken apart.
bool known_link(int link);

struct ParsedPacket {
  enum class Kind : std::uint8_t { kPacket, kOther, kFragment, kBroken } kind = Kind::kOther;
  Packet packet;  ///< valid if it was one
};

/// REQUIRES: known_link(link).
ParsedPacket parse_packet(int link, Bytes captured);

}  // namespace entente
