// A link of a recording whose frames wait for the calls of its room.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "adapters/wire/frame.h"
#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/program/import/game_dialect.h"
#include "schema/trace.pb.h"

namespace entente {

struct RecordedFrame {
  WallTime time = 0;
  Lane lane = Lane::kStream;
  bool joined = false;
  std::string bytes, name;

  Bytes view() const { return as_bytes(bytes); }
};

/// The bytes that a room got in one call.
struct RecordedPiece {
  WallTime time = 0;
  Lane lane = Lane::kStream;
  Buffer bytes;
  std::size_t frames = 0;
  RecordedFrame last;  ///< the last of its frames
};

class RecordedLink {
 public:
  explicit RecordedLink(const trace::Opened& opened);

  std::uint32_t id() const { return opened_.link(); }
  const trace::Opened& opened() const { return opened_; }
  /// None: an unknown game or dialect.
  const std::optional<GameDialect>& game_dialect() const { return game_dialect_; }
  std::string dialect_text() const;

  void add(const trace::Frame& frame, WallTime time);
  /// Its frames are no longer kept.
  void ignore();
  /// The time of its last frame so far; 0: there is none.
  WallTime last_time() const { return last_time_; }
  std::size_t waiting_bytes() const { return waiting_; }
  /// The time of the first frame that waits; nullopt: none waits.
  std::optional<WallTime> waits_since() const;

  /// The next piece in this direction; nullopt: there is no more.
  std::optional<RecordedPiece> next_piece(wire::Way way);
  /// The next frame in this direction; null: there is none.
  const RecordedFrame* next_frame(wire::Way way) const;
  RecordedFrame take(wire::Way way);
  /// How many frames the recording lacks in this direction before the next one.
  std::uint64_t lacks(wire::Way way) const { return lacking_[index(way)]; }

 private:
  static std::size_t index(wire::Way way) { return way == wire::Way::kToServer ? 0 : 1; }

  trace::Opened opened_;
  std::optional<GameDialect> game_dialect_;
  std::deque<RecordedFrame> frames_[2];
  std::uint64_t lacking_[2] = {0, 0};
  std::size_t waiting_ = 0;
  WallTime last_time_ = 0;
  bool ignored_ = false;
};

using RecordedLinks = std::map<std::uint32_t, RecordedLink>;

}  // namespace entente
