// BZFlag's world databases, as a server sends them; of the compressed ones also the uncompressed contents.
// Invariant: a world that can be read is written again with the same bytes (uncompressed), or can be read again
// (compressed). It becomes words, and a database of each dialect.
#include <cstdlib>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/world/world.h"
#include "adapters/bzflag/world/world_conversions.h"
#include "tests/fuzz/target.h"

namespace entente::bzflag_world_fuzz {
namespace {

constexpr std::size_t kMost = 1U << 20U;

/// The world as words, and as the database of each dialect.
void check_conversions(const bzflag::World& world, std::size_t bytes) {
  const auto* records = std::get_if<bzflag::RecordWorld>(&world);
  const auto groups = records != nullptr ? bzflag::groups_of(*records) : std::get<bzflag::GroupWorld>(world);
  const auto converted = bzflag::world_from_database(groups, bytes, 800);
  for (std::size_t dialect = 0; dialect < bzflag::game().dialects().size(); ++dialect)
    if (bzflag::database_of(converted.world, dialect).bytes.empty()) std::abort();
}

void check_whole(Bytes database, std::size_t dialect) {
  const auto world = bzflag::read_world(database, dialect, kMost);
  if (!world) return;
  Buffer again;
  write_world(*world, dialect, again);
  if (std::holds_alternative<bzflag::RecordWorld>(*world) && !same(again, database)) std::abort();
  const auto twice = bzflag::read_world(again, dialect, kMost);
  if (!twice) std::abort();
  Buffer third;
  write_world(*twice, dialect, third);
  if (!same(third, again)) std::abort();
  check_conversions(*world, database.size());
}

void check_inside(Bytes bytes, wire::Codec& codec) {
  if (!codec.decode({wire::Way::kToClient, wire::Lane::kStream, wire::Stage::kPlay, bytes})) return;
  Buffer again;
  codec.encode(again);
  if (!same(again, bytes)) std::abort();
}

}  // namespace

ENTENTE_FUZZ_TARGET(bzflag_world) {
  if (size < 1) return 0;
  const std::size_t dialect = data[0] % bzflag::game().dialects().size();
  const Bytes bytes(data + 1, size - 1);
  const bool inside = (data[0] & 0x80U) != 0;
  if (const auto groups = inside ? bzflag::make_groups_codec(dialect) : nullptr)
    check_inside(bytes, *groups);
  else
    check_whole(bytes, dialect);
  return 0;
}

}  // namespace entente::bzflag_world_fuzz
