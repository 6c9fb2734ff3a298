// The world database of every dialect: read from, and written to, the bytes that MsgGetWorld delivers.
// Law: records (wiki, 1.10) are written to the byte; groups (from 2.0 on), which travel compressed, to the same
// inflated bytes. Every obstacle is kept, whether or not anything of ours understands it.
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

/// How large an inflated world may be, in bytes; the largest known maps are a tenth of it.
inline constexpr std::size_t kLargestWorld = std::size_t{16} << 20U;

/// Reads the whole database. A compressed one is refused, by what it announces and again by what comes out, before more
/// than `most` bytes are taken.
Result<World> read_world(Bytes database, std::size_t dialect, std::size_t most = kLargestWorld);

/// Appends the whole database. REQUIRES: the world is of the form that `dialect` has.
void write_world(const World& world, std::size_t dialect, Buffer& out);

enum class WorldSource : char { kRandom = 't', kFile = 'p' };

/// What MsgWantWHash answers: 't' or 'p', and the MD5 of the database in hex.
std::string world_hash(Bytes database, WorldSource source);

/// The inflated bytes of a compressed database.
Result<Buffer> inflate_world(Bytes database, std::size_t most = kLargestWorld);

/// For the tools (print, invent, diff): one record with its envelope, or one inflated world. Null if the dialect's
/// worlds are of the other form.
std::unique_ptr<wire::Codec> make_record_codec(std::size_t dialect);
std::unique_ptr<wire::Codec> make_groups_codec(std::size_t dialect);

}  // namespace entente::bzflag
