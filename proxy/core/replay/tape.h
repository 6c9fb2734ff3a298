// The latest facts of a room, in chunks that each begin with the world at that time. Readers read it while it is
// written.
// Invariant: it holds only what the audience may see (See). Memory is bounded by TapeLimits: the oldest chunk is
// forgotten first. Facts of one time stay together in their order, and nothing is added before a time that has passed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "proxy/core/replay/fact_reader.h"
#include "proxy/core/replay/replay_facts.h"
#include "proxy/core/world.h"

namespace entente::core {

struct TapeLimits {
  Micros span = 600 * kSecond;          ///< what is older is forgotten
  Micros least = 0;                     ///< what is younger is forgotten only above `most_bytes`
  std::size_t bytes = 64U << 20U;       ///< of all chunks, serialized
  std::size_t most_bytes = bytes;       ///< of all chunks, as long as they are needed for `least`
  std::size_t chunk_bytes = 4U << 20U;  ///< a longer chunk ends
  Micros world_every = 5 * kSecond;     ///< the length of a chunk
};

class Tape {
 public:
  static constexpr std::size_t kMostKills = 10'000;
  /// A place between two facts.
  struct Place {
    std::uint64_t chunk = 0;  ///< by its number
    std::size_t offset = 0;   ///< in its facts
  };

  explicit Tape(See see) : Tape(see, TapeLimits()) {}
  Tape(See see, const TapeLimits& limits) : see_(see), limits_(limits) {}

  // Writing. Times are the tape's own. A time earlier than the last one counts as the last one.
  /// From now on the facts come from another room, with its own ids. They are ignored until append_snapshot().
  void begin(Micros at);
  /// Whether append_snapshot() is to be called.
  bool owes_world(Micros at) const;
  /// The world of the room, with all that was told. `now`: in the room's time.
  void append_snapshot(const WorldState& world, Micros now, Micros at);
  void append(const Fact& fact, Micros at);
  /// Keeps this much instead of TapeLimits::least and span.
  void keep_for(Micros least, Micros span) { limits_.least = least, limits_.span = span; }
  /// This time has passed: nothing will be added before it.
  void pass(Micros at);

  // Reading.
  /// The earliest time that can be read; nothing: there is no world yet.
  std::optional<Micros> first() const;
  /// The last time that has passed.
  Micros last() const { return last_; }
  /// The world at a time, and the place after its facts. An error: that time is not held.
  Outcome<Place> seek(Micros at, WorldState& world) const { return go_to(at, true, world); }
  /// The world before the facts of that time.
  Outcome<Done> world_before(Micros at, WorldState& world) const;
  /// When the next fact was told. Nothing: there is no next fact yet.
  std::optional<Micros> next_at(Place& place) const;
  /// Whether the next fact comes from another room, or facts before it are forgotten. If so, call seek() before next().
  /// REQUIRES: next_at() has a value, and nothing was written since.
  bool changes(const Place& place) const;
  /// REQUIRES: next_at() has a value, and not changes(); nothing was written since.
  Fact next(Place& place) const;
  /// The facts from one time up to, but not including, another. Where the room changes, they include the difference of
  /// the two worlds, between two Clocks (resync_phase.h).
  std::vector<Fact> between(Micros from, Micros to) const;

  /// Visits the deaths that are held, in the order of time, until `visit` returns false. Only the latest kMostKills are
  /// held.
  void visit_kills(const std::function<bool(const Moment&)>& visit) const;

  std::size_t bytes() const { return bytes_; }
  /// TapeLimits::least has no room in most_bytes, and so less is held.
  bool overflows() const { return overflows_; }

 private:
  struct Chunk {
    std::uint64_t number = 0;
    Micros from = 0;
    bool changes = false;  // its room is not that of the chunk before
    Id base = 0;           // is added to ids
    std::shared_ptr<const WorldState> land;
    std::size_t land_bytes = 0;  // without geometry that the chunk before has; 0: its land is the same
    Buffer world, facts;         // records
    std::size_t bytes() const { return land_bytes + world.size() + facts.size(); }
  };

  Outcome<Place> go_to(Micros at, bool with_its_facts, WorldState& world) const;
  void tell_change(const Chunk& to, const std::function<void(Fact)>& say) const;
  const Chunk* chunk(std::uint64_t number) const;
  static void add(Buffer& to, Fact& fact, Micros at);
  static Micros time_at(const Buffer& records, std::size_t offset);
  static void read_world(const Chunk& chunk, WorldState& world);
  static Fact read(const Chunk& chunk, const Buffer& records, std::size_t& offset);
  void note_ids(const Fact& fact);
  void note_kill(const Fact& fact);
  void forget();

  const See see_;
  TapeLimits limits_;
  std::deque<Chunk> chunks_;
  std::deque<Moment> kills_;  // with ids as they are read
  std::uint64_t next_number_ = 1;
  std::size_t bytes_ = 0;
  Micros last_ = 0;
  bool began_ = false;   // a room has begun whose world is not known yet
  bool writes_ = false;  // facts go to the last chunk
  bool land_changed_ = true;
  bool overflows_ = false;
  Id base_ = 0, highest_ = 0;  // of this room's ids
};

}  // namespace entente::core
