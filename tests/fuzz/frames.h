// The format of an input of a frames target: dialect, way and lane, then what the peer sends: a stream or, if the
// transport keeps messages apart, messages, each after its size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/wire/frame.h"
#include "adapters/wire/game.h"
#include "tests/fuzz/mutate/mutate.h"

namespace entente::fuzz {

struct Input {
  std::size_t dialect;
  wire::Way way;
  wire::Lane lane;
  std::size_t piece;
  Bytes sent;
};

constexpr std::uint8_t kToClient = 1, kDatagram = 2;  // bits of the second byte

/// REQUIRES: the input outlives what is returned.
inline std::optional<Input> read_input(const wire::Game& game, Bytes input) {
  if (input.size() < 3) return {};
  return Input{input[0] % game.dialects().size(),
               (input[1] & kToClient) != 0 ? wire::Way::kToClient : wire::Way::kToServer,
               (input[1] & kDatagram) != 0 ? wire::Lane::kDatagram : wire::Lane::kStream,
               input[2] == 0 ? input.size() : input[2], input.subspan(3)};
}

/// Whether the input holds messages, each after its size; otherwise it holds a stream.
inline bool in_messages(const wire::Game& game, wire::Lane lane) {
  return lane == wire::Lane::kDatagram || keeps_messages(game.transport());
}

inline void write_head(std::size_t dialect, wire::Way way, wire::Lane lane, Buffer& out) {
  out.push_back(static_cast<std::uint8_t>(dialect));
  out.push_back(static_cast<std::uint8_t>((way == wire::Way::kToClient ? kToClient : 0) |
                                          (lane == wire::Lane::kDatagram ? kDatagram : 0)));
  out.push_back(0);
}

/// Takes the first message and its size (2 bytes, big endian) off `left`; the last may be short.
/// REQUIRES: `left` has 2 bytes.
inline Bytes take_message(Bytes& left) {
  const std::size_t size = static_cast<std::size_t>(left[0]) << 8U | left[1];
  const Bytes message = left.subspan(2, size < left.size() - 2 ? size : left.size() - 2);
  left = left.subspan(2 + message.size());
  return message;
}

inline void put_message(Bytes message, Buffer& out) {
  out.push_back(static_cast<std::uint8_t>(message.size() >> 8U));
  out.push_back(static_cast<std::uint8_t>(message.size()));
  append(out, message);
}

/// The target frames_<game>, of frames_fuzz.cc.
int run_frames(const wire::Game& game, Bytes bytes);
/// The format of this input: it depends on the lane. REQUIRES: the game outlives what is returned.
Format format_of_frames(const wire::Game& game, Bytes bytes);

struct Seed {
  std::string name;  ///< legal as the name of a file
  Buffer bytes;
};
/// Seeds of frames_<game>: an invented message of every row, dialect and way. The same at each call.
std::vector<Seed> frame_seeds(const wire::Game& game);

}  // namespace entente::fuzz
