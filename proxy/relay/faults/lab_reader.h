// Tells the messages of one direction apart, for a plan that does something to them by what they say.
// Invariant: what it does not change stays as it came, byte for byte.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "adapters/wire/game.h"
#include "proxy/relay/faults/lab_plan.h"

namespace entente::relay {

class LabReader {
 public:
  /// `cut`: how a unit of several frames is cut; null: a unit is one frame.
  LabReader(const wire::Game& game, std::size_t dialect, std::unique_ptr<wire::Cutter> cut)
      : dialect_(dialect), codec_(game.codec(dialect)), cutter_(std::move(cut)) {}

  std::size_t dialect() const { return dialect_; }

  /// Calls `take(stage, frame)` for each frame of a unit. `stage`: of a unit that is one frame. What cannot be cut is
  /// one frame.
  template <class Take>
  void each_frame(wire::Stage stage, Bytes unit, Take&& take) {
    if (!cutter_ || unit.empty()) return take(stage, unit);
    while (!unit.empty()) {
      const wire::Cut cut = cutter_->next(unit);
      const std::size_t size = cut.fault || cut.size == 0 ? unit.size() : cut.size;
      take(cut.stage, unit.first(size));
      unit = unit.subspan(size);
    }
  }
  /// Whether the rule is about this frame.
  bool means(const LabSaid& rule, const wire::Frame& frame) const;
  /// The frame with another value in one of its fields, by `roll`. Nothing: it does not decode, or has no field.
  std::optional<Buffer> corrupted(const wire::Frame& frame, std::uint64_t roll);

 private:
  const std::size_t dialect_;
  const std::unique_ptr<wire::Codec> codec_;
  const std::unique_ptr<wire::Cutter> cutter_;
};

}  // namespace entente::relay
