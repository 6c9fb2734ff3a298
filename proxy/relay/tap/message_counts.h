// Counts, for one dialect of one game, how often each message went each way, and how often each fault was found.
// Invariant: one thread counts; any thread may read the counts, and waits at most while a short list is read.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/base/time.h"
#include "proxy/relay/base/counters.h"

namespace entente::relay {

/// One line of a snapshot. All texts live as long as the program.
struct MessageCount {
  std::string_view game, dialect;
  wire::Way way;
  std::string_view name;
  std::uint64_t frames = 0, bytes = 0;
};

/// One line of a snapshot: what did not decode.
struct FaultCount {
  std::string_view game, dialect;
  wire::Way way;
  std::string_view what, field;
  std::uint64_t count = 0;
};

class MessageCounts {
 public:
  MessageCounts(const wire::Game& game, std::size_t dialect);

  const wire::Game& game() const { return game_; }
  std::size_t dialect() const { return dialect_; }
  std::string_view dialect_name() const { return game_.dialects()[dialect_].name; }

  // -- The counting thread --------------------------------------------------------------------------------------------

  wire::Codec& codec() { return *codec_; }
  /// Decodes with codec(), unless the frame goes to a client and equals the last such frame. (A room sends the same
  /// frame to each of its clients.)
  Result<const wire::Row*> decode(const wire::Frame& frame);
  /// The row of a frame that Entente itself wrote, which need not be decoded; null: it must be.
  const wire::Row* find(const wire::Frame& frame) const { return codec_->find(frame); }
  /// How often codec() decoded.
  std::uint64_t decoded() const { return decoded_; }
  /// `row` is what codec() decoded by.
  void add(wire::Way way, const wire::Row& row, std::size_t bytes);

  /// Counts a fault. Returns whether to report it now (once a second for each what and field), and how many before it
  /// were not reported.
  struct Say {
    bool now = false;
    std::uint64_t suppressed = 0;
  };
  Say add(wire::Way way, const Fault& fault, WallTime at);

  /// Whether some faults were counted, but not reported.
  bool has_suppressed() const;
  /// The unlogged faults that are due, with their number in `count`. From then on they count as logged.
  std::vector<FaultCount> take_suppressed(WallTime now);

  // -- Any thread -----------------------------------------------------------------------------------------------------

  /// Appends what was seen at least once.
  void snapshot(std::vector<MessageCount>& messages, std::vector<FaultCount>& faults) const;

 private:
  struct Each {
    Count frames, bytes;
  };
  struct Seen {
    FaultCount count;
    WallTime said_at = 0;
    std::uint64_t suppressed = 0;
  };

  const wire::Game& game_;
  const std::size_t dialect_;
  const std::unique_ptr<wire::Codec> codec_;
  std::size_t place_of(const wire::Row& row);

  /// The last frame to a client that decoded.
  struct Told {
    wire::Frame frame;  // its bytes: those that follow
    Buffer bytes;
    const wire::Row* row = nullptr;  // none yet
  };
  Told told_;
  std::uint64_t decoded_ = 0;

  std::unique_ptr<Each[]> each_;                              // by way, by place in the codec's table
  std::unordered_map<const wire::Row*, std::size_t> places_;  // of the rows that were decoded so far
  mutable std::mutex faults_mutex_;
  std::vector<Seen> faults_;  // few: names are literals of the program
};

}  // namespace entente::relay
