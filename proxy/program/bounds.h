// What a part may keep and compute for one peer. proxy/manual/bounds.md shows the table to people.
// Invariant: whatever reads what others wrote has a row. Its fuzz target stops at an input that exceeds the row, and
// each front and back is fed until it keeps no more (tests/games/bounds_test.cc). Without a row, these tests fail.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace entente {

/// The most for one input: a session, a file, or a message; or, of a front or back, for one peer.
struct Bound {
  std::string_view part;             ///< of a fuzz target: its name; of a face: "bzflag front"
  std::string_view reads;            ///< what it reads, in words
  std::uint64_t bytes = 0;           ///< memory at once
  std::uint64_t bytes_per_byte = 0;  ///< memory, for each byte that it reads
  std::uint64_t steps = 0;           ///< work at once; a step is a basic block of the debug build
  std::uint64_t steps_per_byte = 0;

  std::uint64_t most_bytes(std::uint64_t read) const { return bytes + bytes_per_byte * read; }
  std::uint64_t most_steps(std::uint64_t read) const { return steps + steps_per_byte * read; }
};

std::span<const Bound> bounds();
/// Null: it has no row.
const Bound* find_bound(std::string_view part);

/// The table of proxy/manual/bounds.md.
std::string bounds_table();

}  // namespace entente
