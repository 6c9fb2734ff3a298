#include "proxy/program/bounds.h"

#include <algorithm>

namespace entente {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kMillion = 1'000'000;

// Where the numbers come from: `fuzz_corpus TARGET` prints the worst input that it saw, and tests/games/bounds_test.cc
// with ENTENTE_THOROUGH the worst message of a face. A row allows two to four times that.
constexpr Bound kBounds[] = {
    // Messages: each is cut, decoded, printed and encoded.
    {"frames_aos", "messages of Ace of Spades", 256 * kKiB, 200, 200'000, 400},
    {"frames_bzdraft", "messages of BZFlag's draft", 256 * kKiB, 200, 200'000, 400},
    {"frames_bzflag", "messages of BZFlag", 256 * kKiB, 200, 200'000, 400},
    {"frames_native", "messages of native, in JSON too", 2 * kMiB, 400, 400'000, 2'000},
    {"native_json", "messages of native in JSON", 2 * kMiB, 400, 400'000, 2'000},
    {"frames_ogar", "messages of Ogar", 256 * kKiB, 200, 200'000, 400},
    {"frames_panic", "messages of Panic", 256 * kKiB, 200, 200'000, 400},

    // Sessions of a client and a server that say anything, at any time.
    {"aos_back", "a server of Ace of Spades", 64 * kMiB, 2'000, 20 * kMillion, 20'000},
    {"aos_front", "a client of Ace of Spades", 64 * kMiB, 2'000, 120 * kMillion, 40'000},
    {"bzdraft_faces", "a client and a server of BZFlag's draft", 4 * kMiB, 1'000, 4 * kMillion, 4'000},
    {"bzflag_faces", "a client and a server of BZFlag", 4 * kMiB, 1'000, 4 * kMillion, 4'000},
    {"bzflag", "translation between dialects of BZFlag", kMiB, 500, kMillion, 1'000},
    {"ogar_faces", "a client and a server of Ogar", 4 * kMiB, 1'000, 4 * kMillion, 4'000},
    {"ogar", "translation between dialects of Ogar", kMiB, 500, kMillion, 1'000},
    {"panic_faces", "a client and a server of Panic", 4 * kMiB, 1'000, 4 * kMillion, 2'000},

    // Worlds and what computes with them.
    {"aos_map", "maps of Ace of Spades", 32 * kMiB, 1'000, 8 * kMillion, 20'000},
    {"bzflag_world", "worlds of BZFlag", 16 * kMiB, 40'000, 10 * kMillion, 40'000},
    {"bzflag_variables", "the variables of a BZFlag server, which are formulas", 4 * kMiB, 200, 2 * kMillion, 1'000},
    {"bzdraft_resources", "the resources of a server of BZFlag's draft", kMiB, 1'000, kMillion, 2'000},
    {"incoming shots", "the shots of a server, which may hit a player's tank", 2 * kMiB, 0, 8 * kMillion, 0},
    {"panic walls", "a world of another game, as walls for a client of Panic", 64 * kMiB, 0, 500 * kMillion, 4'000},
    {"panic_map", "maps of Panic", 256 * kKiB, 100, 100'000, 200},

    {"rules", "the operator's rules, and the words that they hear", 8 * kMiB, 4'000, 16 * kMillion, 20'000},
    {"rule_lines", "whom the operator's rules report, for the log", 512 * kKiB, 0, 200'000, 0},

    // Files.
    {"bzflag_rec", "recordings of bzfs (.rec)", kMiB, 500, kMillion, 1'000},
    {"import", "captures (pcap, pcapng), .demo files and JSON lines", 4 * kMiB, 1'000, 2 * kMillion, 2'000},
    {"mcap", "recordings (MCAP)", 16 * kMiB, 2'000, 2 * kMillion, 2'000},
    {"replay", "recordings that are replayed", 32 * kMiB, 4'000, 100 * kMillion, 20'000},

    {"positions", "facts from which `export` and `stats --html` make positions", kMiB, 0, 40 * kMillion, 4'000},

    // Connections.
    {"control", "commands on the control socket", kMiB, 1'000, kMillion, 2'000},
    {"enet", "datagrams of ENet in captures", 8 * kMiB, 2'000, 4 * kMillion, 4'000},
    {"enet_acceptor", "datagrams of ENet clients", 16 * kMiB, 2'000, kMillion, 4'000},
    {"forwarded", "X-Forwarded-For and the like", kMiB, 1'000, 100'000, 1'000},
    {"proxy_header", "PROXY headers", kMiB, 1'000, 100'000, 1'000},
    {"websocket", "requests and frames of WebSockets", 4 * kMiB, 1'000, kMillion, 2'000},

    // Viewers of a broadcast by HTTP. Here, memory is for all of them.
    {"documents", "requests for the documents of a broadcast", 64 * kMiB, 0, 100 * kMillion, 0},

    // Receivers of hooks. Of an answer, nothing is kept; of events, those that wait.
    {"hook", "what the receiver of a hook answers, and what waits for it", 4 * kMiB, 1, kMillion, 1'000},

    // Servers to which a recording is played.
    {"answers", "what a server answers to a player of `replay --to`", 64 * kMiB, 0, kMillion, 8'000},

    // Other nodes of a fleet.
    {"fleet_mirror", "what an arena's owner says", 4 * kMiB, 2'000, kMillion, 10'000},
    {"fleet_owner", "what the node of a player says", 4 * kMiB, 2'000, kMillion, 10'000},
    {"fleet_queue", "what other nodes say about queues", kMiB, 1'000, kMillion, 2'000},

    // Faces, for as long as their peer likes. Here, steps are for each byte of one kind of message.
    {"aos front", "a client of Ace of Spades", 48 * kMiB, 0, kMillion, 4'000},
    {"aos back", "a server of Ace of Spades", 48 * kMiB, 0, 40 * kMillion, 40'000},
    {"bzdraft front", "a client of BZFlag's draft", 16 * kMiB, 0, kMillion, 4'000},
    {"bzdraft back", "a server of BZFlag's draft", 32 * kMiB, 0, kMillion, 4'000},
    {"bzflag front", "a client of BZFlag", 16 * kMiB, 0, kMillion, 4'000},
    {"bzflag back", "a server of BZFlag", 32 * kMiB, 0, kMillion, 4'000},
    {"native front", "a client of native", 16 * kMiB, 0, kMillion, 8'000},
    {"native back", "a server of native", 64 * kMiB, 0, 10 * kMillion, 8'000},
    {"ogar front", "a client of Ogar", 16 * kMiB, 0, 4 * kMillion, 8'000},
    {"ogar back", "a server of Ogar", 64 * kMiB, 0, 20 * kMillion, 20'000},
    {"panic front", "a client of Panic", 16 * kMiB, 0, kMillion, 8'000},
    {"panic back", "a server of Panic", 16 * kMiB, 0, kMillion, 8'000},
};

/// "16 MiB", "2 KiB", "200"
std::string bytes_text(std::uint64_t bytes) {
  if (bytes >= kMiB && bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " MiB";
  if (bytes >= kKiB && bytes % kKiB == 0) return std::to_string(bytes / kKiB) + " KiB";
  return std::to_string(bytes);
}

std::string steps_text(std::uint64_t steps) {
  if (steps >= kMillion && steps % kMillion == 0) return std::to_string(steps / kMillion) + " million";
  std::string digits = std::to_string(steps);
  if (digits.size() > 3) digits.insert(digits.size() - 3, ",");
  return digits;
}

}  // namespace

std::span<const Bound> bounds() { return kBounds; }

const Bound* find_bound(std::string_view part) {
  const auto at =
      std::find_if(std::begin(kBounds), std::end(kBounds), [&](const Bound& one) { return one.part == part; });
  return at != std::end(kBounds) ? at : nullptr;
}

std::string bounds_table() {
  std::string table =
      "| part | what it reads | bytes at most | and for each byte | steps at most | and for each byte |\n"
      "|---|---|---|---|---|---|\n";
  for (const Bound& one : kBounds)
    table += "| " + std::string(one.part) + " | " + std::string(one.reads) + " | " + bytes_text(one.bytes) + " | " +
             (one.bytes_per_byte == 0 ? "" : bytes_text(one.bytes_per_byte)) + " | " + steps_text(one.steps) + " | " +
             steps_text(one.steps_per_byte) + " |\n";
  return table;
}

}  // namespace entente
