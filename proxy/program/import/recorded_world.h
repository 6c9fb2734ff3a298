// The world of a snapshot in a recording, and which times of recorded words can be true.
#pragma once

#include "proxy/core/world.h"
#include "proxy/program/base/time_text.h"
#include "schema/snapshot.pb.h"

namespace entente {

/// The oldest that a recorded room may be. Words and worlds with a later time are skipped.
inline constexpr core::Micros kMostRoomAge = 10 * kMostRecordingTime;

/// Whether a time of a room belongs to a session that lasts from `first` to `last` so far. A session is at most
/// kMostRecordingTime long, and may begin when its room is old.
inline bool is_of_session(core::Micros at, core::Micros first, core::Micros last) {
  return at <= kMostRoomAge && at <= first + kMostRecordingTime && last <= at + kMostRecordingTime;
}

/// Folds the snapshot into `world`. `geometry`: the one that it refers to; may be null. `change` is called for each of
/// its facts before it is folded. A fact that cannot be read is skipped.
template <class Change>
void fold_snapshot(const trace::Snapshot& snapshot, const trace::Geometry* geometry, Change&& change,
                   core::WorldState& world) {
  if (geometry != nullptr) {
    core::Fact ground(geometry->world());
    change(ground);
    world.fold(ground);
  }
  for (const words::Fact& word : snapshot.facts()) {
    auto fact = core::from_message(word);
    if (!fact) continue;
    change(*fact);
    world.fold(*fact);
  }
}

}  // namespace entente
