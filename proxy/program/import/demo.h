// Recordings of aos_replay and ZeroSpades (.demo, .dem): what one client of Ace of Spades was sent, with times. Read as
// one connection, on which only the server speaks. Layout: adapters/aos/README.md.
// Invariant: a file that was read is written again with the same bytes, except for a packet that the file cuts off.
#pragma once

#include <istream>
#include <optional>
#include <string>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/program/import/import.h"

namespace entente {

/// Whether a file may be one, by its first two bytes.
bool is_demo(Bytes first);

/// Reads `file`, called `name`, which has no date: its connection begins at time 0. Everything before a damage is
/// delivered, and then the Error, with the packet and its byte. That the file ends within a packet is only remarked:
/// recorders are stopped at any byte.
Outcome<Done> import_demo(std::istream& file, const std::string& name, ImportSink& sink);

/// The dialects of Ace of Spades that such a file can hold.
bool has_demos(std::size_t dialect);

/// Appends the start of a file. REQUIRES: has_demos(dialect).
void put_demo_header(std::size_t dialect, Buffer& out);

inline constexpr std::size_t kLargestDemoPacket = 65'535;

/// Appends a packet. `since`: since the connection began. `seconds`: the same as the file has it, if it was read from
/// one; not used if it is another moment. REQUIRES: packet.size() <= kLargestDemoPacket.
void put_demo_packet(WallTime since, std::optional<float> seconds, Bytes packet, Buffer& out);

}  // namespace entente
