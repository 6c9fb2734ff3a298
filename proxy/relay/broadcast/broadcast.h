// What a room tells its viewers, with a delay for each audience. Rooms write it (RoomHost), and watch listeners read it
// (LiveView), on any thread.
// Invariant: what an audience may not see is never kept for it, and a view gives out nothing before its delay has
// passed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "proxy/core/replay/recording_source.h"
#include "proxy/core/replay/tape.h"

namespace entente::relay {

class LiveView;

struct BroadcastOptions {
  /// Serialized bytes that are kept for the audiences that see the same. Above this, viewers can go back less.
  std::size_t rewind_bytes = 128U << 20U;
  /// Bytes that are kept if the longest delay needs them. Above this, what nobody has seen yet is forgotten.
  std::size_t most_bytes = 512U << 20U;
  /// That has happened for the first time. Called while the broadcast is locked.
  std::function<void()> overflowed = {};
};

class Broadcast final : public std::enable_shared_from_this<Broadcast> {
 public:
  /// Monotonic nanoseconds, as Loop::nanos.
  using Clock = std::function<std::uint64_t()>;
  /// A fragment's length.
  static constexpr core::Micros kFragment = 2 * core::kSecond;
  /// How far viewers can go back from the newest moment that they may see.
  static constexpr core::Micros kRewind = 600 * core::kSecond;
  /// How far they can always go back, unless the broadcast overflows.
  static constexpr core::Micros kLeastRewind = 10 * core::kSecond;

  /// Times of the broadcast begin here. `unix_us`: the time of day, from which fragments are numbered, so that no two
  /// have the same number, even after a restart. It never goes back while the program runs.
  Broadcast(Clock clock, std::uint64_t unix_us, BroadcastOptions options = {});

  // For rooms. Nothing is kept while there is no view.
  /// Begins a new room, which is the source from now on, instead of the one before. Returns the id of the source.
  std::uint64_t begin();
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }
  void tell(std::uint64_t source_id, const core::Fact& fact, std::uint64_t nanos);
  bool owes_world(std::uint64_t source_id, std::uint64_t nanos) const;
  /// `now`: in the room's time.
  void tell(std::uint64_t source_id, const core::WorldState& world, core::Micros now, std::uint64_t nanos);

  // For audiences.
  /// As long as the view lives, what rooms tell is kept for it.
  std::shared_ptr<LiveView> view(core::See see, core::Micros delay);
  core::Micros now() const { return time_of(clock_()); }
  /// The number of the fragment with this time.
  std::uint64_t fragment_of(core::Micros at) const { return first_fragment_ + at / kFragment; }
  /// When it begins; nothing: before the broadcast.
  std::optional<core::Micros> begin_of(std::uint64_t fragment) const;

 private:
  friend class LiveView;
  struct Track {
    std::optional<core::Tape> tape;
    std::vector<core::Micros> delays;  // of its views
  };

  core::Micros time_of(std::uint64_t nanos) const { return nanos > born_ ? (nanos - born_) / 1000 : 0; }
  Track& track(core::See see) { return tracks_[static_cast<std::size_t>(see)]; }
  void drop(core::See see, core::Micros delay);
  static void keep_for_all(Track& track);
  void look_for_overflow();

  const Clock clock_;
  const BroadcastOptions options_;
  const std::uint64_t born_, first_fragment_;
  std::atomic<bool> wanted_{false};
  mutable std::mutex mutex_;  // of what follows
  std::uint64_t source_id_ = 0;
  std::array<Track, 2> tracks_;  // by See
  bool overflowed_ = false;      // in any track, ever
};

/// What one audience may see by now. From any thread; each of its readers is used by one thread.
class LiveView final : public core::RecordingSource, public std::enable_shared_from_this<LiveView> {
 public:
  ~LiveView() override;

  std::unique_ptr<core::FactReader> reader() override;
  core::Micros end_time() const override;
  std::optional<core::Micros> begins_in() const override;
  bool overflows() const override;
  void visit_kills(const std::function<bool(const core::Moment&)>& visit) const override;
  core::Micros delay() const { return delay_; }
  const Broadcast& broadcast() const { return *broadcast_; }

  // Fragments: what was told in each kFragment of time.
  /// The numbers of the fragments that are kept and may be seen.
  struct Range {
    std::uint64_t oldest = 0, newest = 0;
  };
  std::optional<Range> fragments() const;
  /// The facts of a fragment; nothing: it is no longer kept. REQUIRES: it was in fragments().
  std::optional<std::vector<core::Fact>> fragment(std::uint64_t number) const;
  /// The world at the beginning of a fragment. An error if it is no longer kept, or not available yet.
  Outcome<Done> world_before(std::uint64_t number, core::WorldState& world) const;

 private:
  friend class Broadcast;
  class Reader;
  LiveView(std::shared_ptr<Broadcast> broadcast, core::See see, core::Micros delay)
      : broadcast_(std::move(broadcast)), see_(see), delay_(delay) {}
  /// Nothing: there is nothing to see yet.
  std::optional<core::Micros> end() const;
  core::Tape& tape() const { return *broadcast_->track(see_).tape; }

  const std::shared_ptr<Broadcast> broadcast_;
  const core::See see_;
  const core::Micros delay_;
};

}  // namespace entente::relay
