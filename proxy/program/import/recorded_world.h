// The world of a snapshot in a recording.
#pragma once

#include "proxy/core/world.h"
#include "schema/snapshot.pb.h"

namespace entente {

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
