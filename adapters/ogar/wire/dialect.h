// The features in which the dialects of Ogar differ. Only legacy() says which version has which.
// Invariant: code outside this file tests features, never versions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/wire/fields.h"
#include "adapters/wire/game.h"

namespace entente::ogar {

/// The game's name in URLs, recordings and words::Room.
inline constexpr std::string_view kGameName = "ogar";

/// How the board is sent.
enum class Boards : std::uint8_t {
  kPart,    ///< in an update, with places
  kMarked,  ///< rows in order, each with a mark that says whether it is the client's own
  kByCell,  ///< rows in order, each with a cell of its player, or 0
  kRanked,  ///< rows in order; the client's own row has no name, but may have a rank
};

struct Dialect {
  wire::ByteOrder order = wire::ByteOrder::kLittle;
  std::uint8_t hello = 0;            ///< opcode of the client's first message
  std::uint32_t oldest_version = 0;  ///< the oldest version that the hello may name
  std::uint32_t newest_version = 0;
  bool ucs2 = false;            ///< names and chat in 16-bit units (skins never are)
  bool short_cells = false;     ///< cell positions are i16
  bool whole_cells = false;     ///< a cell always carries colour and name; otherwise flags say which
  bool long_removed = false;    ///< the count of removed cells is u32
  bool coloured_pie = false;    ///< a slice of the team board carries its colour
  bool pieces = false;          ///< each part is a message of its own; otherwise one update contains all of a tick
  bool marked_pellets = false;  ///< pellets are marked as such
  bool text_rows = false;       ///< a board of lines is sent as rows with names
  Boards boards = Boards::kPart;
};

/// Sources: OgarII's LegacyProtocol.js at 0ac75d8, and MultiOgarII's packet/ at a8293d2.
constexpr Dialect legacy(std::uint32_t version) {
  Dialect d;
  d.hello = 0xFE;
  d.oldest_version = version == 4 ? 0 : version;  // servers treat older versions as 4
  d.newest_version = version;
  d.ucs2 = d.whole_cells = d.long_removed = version < 6;
  d.short_cells = version < 5;
  d.coloured_pie = version >= 21;
  d.pieces = true;
  d.marked_pellets = version >= 11;
  d.text_rows = version >= 14;
  d.boards = version >= 11 ? Boards::kRanked : version == 6 ? Boards::kMarked : Boards::kByCell;
  return d;
}

constexpr Dialect modern(std::uint32_t revision) {
  Dialect d;
  d.hello = 1;
  d.oldest_version = d.newest_version = revision;
  return d;
}

inline constexpr std::uint32_t kOldestLegacy = 4, kNewestLegacy = 22;
inline constexpr std::size_t kDialectCount = 1 + kNewestLegacy - kOldestLegacy + 1;

inline constexpr std::array<Dialect, kDialectCount> kDialects = [] {
  std::array<Dialect, kDialectCount> all{};
  all[0] = modern(3);
  for (std::uint32_t v = kOldestLegacy; v <= kNewestLegacy; ++v) all[1 + v - kOldestLegacy] = legacy(v);
  return all;
}();

inline constexpr std::array<wire::DialectInfo, kDialectCount> kDialectInfo{{
    {"modern3", "Modern Protocol revision 3, as OgarII 1.3.6 implements it"},
    {"legacy4", "UCS-2 names, 16-bit positions; also for clients that name an older version"},
    {"legacy5", "UCS-2 names, 32-bit positions (agario-client)"},
    {"legacy6", "UTF-8 names, updates of cells have only what changed (Cigar, Cigar2)"},
    {"legacy7", "as legacy6; rows of the score board have cell ids"},
    {"legacy8", "as legacy7"},
    {"legacy9", "as legacy7"},
    {"legacy10", "as legacy7"},
    {"legacy11", "as legacy7; pellets are marked, and the score board is message 0x33"},
    {"legacy12", "as legacy11"},
    {"legacy13", "as legacy11"},
    {"legacy14", "as legacy11; the score board is message 0x35"},
    {"legacy15", "as legacy14"},
    {"legacy16", "as legacy14"},
    {"legacy17", "as legacy14"},
    {"legacy18", "as legacy14; the newest of MultiOgarII"},
    {"legacy19", "as legacy14"},
    {"legacy20", "as legacy14"},
    {"legacy21", "as legacy14; slices of the team board have colours"},
    {"legacy22", "as legacy21; the newest of OgarII"},
}};

/// Indices into kDialects, as bits of Row::dialects.
constexpr std::uint32_t versions(std::uint32_t first, std::uint32_t last) {
  std::uint32_t bits = 0;
  for (std::uint32_t v = first; v <= last; ++v) bits |= 1U << (1 + v - kOldestLegacy);
  return bits;
}
inline constexpr std::uint32_t kModern = 1, kLegacy = versions(kOldestLegacy, kNewestLegacy), kAll = kModern | kLegacy;

}  // namespace entente::ogar
