// How the bytes of a frames input say what they are: dialect, way and lane, then what the peer sends.
#pragma once

#include <cstdint>
#include <optional>

#include "adapters/wire/frame.h"
#include "adapters/wire/game.h"

namespace entente::fuzz {

struct Input {
  std::size_t dialect;
  wire::Way way;
  wire::Lane lane;
  Bytes sent;
};

constexpr std::uint8_t kToClient = 1, kDatagram = 2;  // bits of the second byte

/// REQUIRES: the input outlives what is returned.
inline std::optional<Input> read_input(const wire::Game& game, Bytes input) {
  if (input.size() < 2) return {};
  return Input{input[0] % game.dialects().size(),
               (input[1] & kToClient) != 0 ? wire::Way::kToClient : wire::Way::kToServer,
               (input[1] & kDatagram) != 0 ? wire::Lane::kDatagram : wire::Lane::kStream, input.subspan(2)};
}

inline void write_head(std::size_t dialect, wire::Way way, wire::Lane lane, Buffer& out) {
  out.push_back(static_cast<std::uint8_t>(dialect));
  out.push_back(static_cast<std::uint8_t>((way == wire::Way::kToClient ? kToClient : 0) |
                                          (lane == wire::Lane::kDatagram ? kDatagram : 0)));
}

}  // namespace entente::fuzz
