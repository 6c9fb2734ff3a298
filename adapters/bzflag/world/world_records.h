// Worlds of the wiki page and 1.10: records of u16 size, u16 code and body, from a header to an end.
// Invariant: the order of records is kept, because links number teleporters by it.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "adapters/bzflag/wire/messages.h"

namespace entente::bzflag {

/// 'he', the header of 1.10.
struct RecordHeader {
  static constexpr Code kCode = 0x6865;
  std::uint16_t version = 0;
  float world_size = 0;
  std::uint16_t style = 0, max_players = 0, max_shots = 0, max_flags = 0;
  float linear_acceleration = 0, angular_acceleration = 0;
  std::uint16_t shake_timeout = 0, shake_wins = 0;
  std::uint32_t epoch = 0;  // seconds; servers write it after hashing
};
/// 'st', the header of the wiki page, with the same body. Both dialects accept both headers.
struct StyleHeader : RecordHeader {
  static constexpr Code kCode = 0x7374;
};
struct RecordBase {
  static constexpr Code kCode = 0x6261;
  std::uint16_t team = 0;
  Vec3 pos{};
  float angle = 0;
  Vec3 size{}, safety{};
};
struct RecordWall {
  static constexpr Code kCode = 0x776c;
  Vec3 pos{};
  float angle = 0, half_width = 0, height = 0;
};
struct RecordBox {
  static constexpr Code kCode = 0x6278;
  Vec3 pos{};
  float angle = 0;
  Vec3 size{};
  std::uint8_t bits = 0;  // 1 drive through, 2 shoot through
};
struct RecordPyramid : RecordBox {  // bits: 4 upside down
  static constexpr Code kCode = 0x7079;
};
struct RecordTeleporter {
  static constexpr Code kCode = 0x7465;
  Vec3 pos{};
  float angle = 0;
  Vec3 size{};
  float border = 0;
  std::uint8_t bits = 0;
};
struct RecordLink {
  static constexpr Code kCode = 0x6c6e;
  std::uint16_t from = 0, to = 0;  // faces; the Nth teleporter has 2N and 2N+1
};
struct RecordEnd {
  static constexpr Code kCode = 0x6564;
};

using Record = std::variant<RecordHeader, StyleHeader, RecordBase, RecordWall, RecordBox, RecordPyramid,
                            RecordTeleporter, RecordLink, RecordEnd>;

/// Without the end record, which is always written.
struct RecordWorld {
  std::vector<Record> records;
};

}  // namespace entente::bzflag
