// A recording that many readers read at different places: its facts in segments of a few seconds, and some worlds to
// start from. Segments and worlds are read on demand, and the most recently used are kept.
// Invariant: a reader gets the facts of the source, and nothing else. Memory is bounded: by kMostKept for all, and by
// one segment for each reader.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <vector>

#include "proxy/core/replay/recording_source.h"

namespace entente::core {

class FactLibrary final : public RecordingSource {
 public:
  static constexpr Micros kSegment = 5 * kSecond;
  /// A segment ends early once it has so many facts; a fact with geometry counts as many.
  static constexpr std::size_t kMostFacts = 4'000;
  /// Facts of one moment are in one segment; further ones are skipped.
  static constexpr std::size_t kMostAtOnce = 200'000;
  /// Facts kept in segments that nobody reads, and worlds kept.
  static constexpr std::size_t kMostKept = 200'000, kMostWorlds = 48;

  explicit FactLibrary(std::unique_ptr<FactReader> source) : source_(std::move(source)) {}

  std::unique_ptr<FactReader> reader() override;

  Micros end_time() const override { return source_->end_time(); }
  std::vector<Moment> moments() const override { return source_->moments(); }
  /// How many segments were read from the source.
  std::uint64_t read() const { return read_; }
  /// Facts that were skipped because of kMostAtOnce.
  std::uint64_t skipped() const { return skipped_; }

 private:
  class Reader;

  /// The facts after `from` up to `to`.
  struct Segment {
    Micros from = 0, to = 0;
    bool last = false;     // nothing follows
    bool changes = false;  // the facts from `to` on come from another session
    std::size_t cost = 0;  // its facts, for limits
    std::vector<Fact> facts;
  };
  using SharedSegment = std::shared_ptr<const Segment>;
  struct Shelf {
    SharedSegment segment;
    std::list<Micros>::iterator used;
  };

  Outcome<SharedSegment> segment(Micros from, bool with_world);
  Outcome<SharedSegment> find(Micros at);
  Outcome<SharedSegment> load(Micros from, bool with_world);
  Outcome<Done> stand_at(Micros from);
  void keep_world(Micros at);
  const WorldState* kept_world(Micros at);
  void forget_some();

  std::unique_ptr<FactReader> source_;
  bool stands_ = false;  // the source is at `stands_at_`, and `world_` is the world there
  Micros stands_at_ = 0;
  WorldState world_;
  std::map<Micros, Shelf> segments_;  // by their beginnings
  std::list<Micros> used_;            // the same, the most recently used last
  std::size_t cost_ = 0;
  std::list<std::pair<Micros, WorldState>> worlds_;  // at beginnings of segments, the latest used last
  std::uint64_t read_ = 0, skipped_ = 0;
};

}  // namespace entente::core
