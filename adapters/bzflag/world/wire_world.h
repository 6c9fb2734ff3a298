// What wire_world.cc (layouts) offers to world.cc (containers).
// Invariant: no compression here.
#pragma once

#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/world/world.h"

namespace entente::bzflag {

Result<RecordWorld> read_records(Bytes database, std::size_t dialect);
void write_records(const RecordWorld& world, std::size_t dialect, Buffer& out);
Result<GroupWorld> read_groups(Bytes inflated, std::size_t dialect);
void write_groups(const GroupWorld& world, std::size_t dialect, Buffer& out);

}  // namespace entente::bzflag
