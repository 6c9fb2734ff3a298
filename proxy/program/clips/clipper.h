// Writes a part of a recording into a new one.
// Invariant: the new one begins with the links that are open, and the world of each that has words. Every frame and
// word of the part is in it, with its bytes and its time.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proxy/core/world.h"
#include "proxy/program/base/progress.h"
#include "proxy/program/clips/new_recording.h"

namespace entente {

/// The part that is wanted, in microseconds from the start of the file.
struct ClipPart {
  core::Micros from = 0;
  std::optional<core::Micros> to = {};  ///< not included; none: the end of the file
};

class Clipper {
 public:
  /// The recording from which a recording with words was made.
  struct Original {
    std::optional<WallTime> start = {};
    std::vector<trace::Opened> openings = {};  ///< in their order
  };

  /// `file`: its name for people. `original`: may be empty; otherwise times are counted from its start, and links have
  /// its openings and numbers.
  Clipper(std::string file, const ClipPart& part, trace::Recording& recording, NewRecording& to, Original original)
      : file_(std::move(file)), part_(part), recording_(recording), to_(to), original_(std::move(original)) {
    for (const trace::Opened& opened : original_.openings) last_number_ = std::max(last_number_, opened.link());
  }

  /// Reads the recording as far as needed. An error if it cannot be read, or ends before the part.
  /// `progress`: how many bytes were read; null: is not told.
  Outcome<Done> run(Progress* progress = nullptr);

  WallTime last_written() const { return last_written_; }
  std::uint64_t words() const { return words_; }
  /// Whether the recording has words, perhaps only before the part.
  bool has_words() const { return has_words_; }
  /// The length of the part, as far as the file has it.
  core::Micros length() const { return ((passed_end_ ? end_ : last_) - std::min(last_, begin_)) / 1000; }
  /// Whether the whole part was read.
  bool is_whole() const { return passed_end_; }
  /// Whether the file ends before the part does.
  bool ends_early() const { return part_.to && last_ < end_ && !passed_end_; }
  /// What was read, for a Clipper of a recording that is made of this one.
  Original original() && { return {start_, std::move(openings_)}; }

 private:
  struct Link {
    core::WorldState world;
    std::size_t cost = 0;
    WallTime began = 0;  // of its room
  };

  bool take(const trace::Recording::Event& event);
  void write(const trace::Recording::Event& event);
  trace::Opened as_in_original(const trace::Opened& opened);
  std::uint32_t number(std::uint32_t link) const;
  void begin_at(WallTime start);
  void learn(const trace::Recording::Event& event);
  Link& link_at(std::uint32_t id, core::Micros at, WallTime time);
  void add_cost(Link& link, std::size_t cost);
  void forget(std::uint32_t id);
  void keep(const trace::Geometry& geometry);
  const trace::Geometry* geometry(const std::string& hash) const;
  void start();

  const std::string file_;
  const ClipPart part_;
  trace::Recording& recording_;
  NewRecording& to_;
  Original original_;                               // without the openings that were found again
  std::map<std::uint32_t, std::uint32_t> numbers_;  // of links, if there is an original
  std::uint32_t last_number_ = 0;

  std::vector<trace::Opened> openings_;
  std::optional<WallTime> start_;  // of the file
  WallTime begin_ = 0, end_ = std::numeric_limits<WallTime>::max();
  WallTime last_ = 0, last_written_ = 0;
  bool passed_end_ = false, has_words_ = false;
  std::uint64_t words_ = 0;
  std::map<std::uint32_t, Link> links_;  // with words, before the part
  std::map<std::string, trace::Geometry> geometries_;
  std::size_t kept_ = 0, cost_ = 0;
};

}  // namespace entente
