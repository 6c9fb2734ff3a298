// The world database of every dialect: reads and writes the bytes that MsgGetWorld delivers.
// Invariant: records (wiki, 1.10) are written with the same bytes; groups (from 2.0 on), which are compressed, with the
// same inflated bytes. Every obstacle is kept, even if we do not interpret it.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "adapters/bzflag/world/world_groups.h"
#include "adapters/bzflag/world/world_records.h"
#include "adapters/wire/codec.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::bzflag {

using World = std::variant<RecordWorld, GroupWorld>;

/// The largest inflated world, in bytes. The largest known maps have a quarter of that. What it contains takes up to
/// ten times the bytes in memory (an empty group, 48 bytes, takes 300).
inline constexpr std::size_t kLargestWorld = std::size_t{6} << 20U;

/// Reads the whole database. A compressed one is refused before more than `most` bytes are allocated, by its announced
/// size and again by its real one.
Result<World> read_world(Bytes database, std::size_t dialect, std::size_t most = kLargestWorld);

/// Appends the whole database. REQUIRES: the world has the form that `dialect` uses.
void write_world(const World& world, std::size_t dialect, Buffer& out);

enum class WorldSource : char { kRandom = 't', kFile = 'p' };

/// The answer to MsgWantWHash: 't' or 'p', and the MD5 of the database in hex.
std::string world_hash(Bytes database, WorldSource source);

/// The inflated bytes of a compressed database.
Result<Buffer> inflate_world(Bytes database, std::size_t most = kLargestWorld);

/// For tools (print, invent, diff): codecs for one record with its envelope, or for one inflated world. Null if the
/// dialect's worlds have the other form.
std::unique_ptr<wire::Codec> make_record_codec(std::size_t dialect);
std::unique_ptr<wire::Codec> make_groups_codec(std::size_t dialect);

}  // namespace entente::bzflag
