// Gives the words of a room to a tap, as messages of schema/game.proto without secrets, and from time to time a
// snapshot of the world (schema/snapshot.proto).
#pragma once

#include <optional>
#include <string>

#include "proxy/core/ledger.h"
#include "proxy/core/world.h"
#include "proxy/relay/tap/tap_sink.h"
#include "schema/snapshot.pb.h"

namespace entente::relay {

class RoomWords {
 public:
  /// `tap` may be null. While it wants no words, nothing is written.
  RoomWords(TapSink* tap, bool with_secrets) : tap_(tap), with_secrets_(with_secrets) {}

  void tell(LinkId link, const core::Intent& word, WallTime at) { tell_any(link, word, false, at); }
  void tell(LinkId link, const core::Fact& word, WallTime at) { tell_any(link, word, true, at); }

  /// Whether a snapshot of the world is due.
  bool owes_world(core::Micros now) const {
    return wanted() && (now >= world_due_ || tap_->recording_generation() != generation_);
  }
  /// Writes a snapshot of the world, with all words told so far. REQUIRES: owes_world().
  void tell(LinkId link, const core::WorldState& world, core::Micros now, WallTime at);

 private:
  template <class Word>
  void tell_any(LinkId link, const Word& word, bool fact, WallTime at);
  bool tell_geometry(LinkId link, const words::World* geometry, WallTime at);
  bool wanted() const { return tap_ != nullptr && tap_->wants_words(); }

  TapSink* tap_;
  bool with_secrets_;
  Buffer written_;              // reused
  core::Micros world_due_ = 0;  // at the beginning, at the first Ready, and every 10 s
  bool ready_ = false;
  std::uint32_t generation_ = 0;         // TapSink::recording_generation() at the last snapshot
  std::optional<std::string> geometry_;  // the hash that worlds name; none: it changed, or was not taken
};

/// The world as a snapshot. Its geometry is `geometry`, a hash; secrets stay in it.
trace::Snapshot snapshot_of(LinkId link, const core::WorldState& world, core::Micros now, std::string geometry);
/// The geometry that snapshots refer to, with its hash.
trace::Geometry geometry_of(const words::World& world);

/// "3 Say (no chat), 1 Fire (…)": what was not forwarded, and why; most frequent first, at most so many kinds.
std::string text(const core::Ledger& ledger, std::size_t most_kinds = 12);

}  // namespace entente::relay
