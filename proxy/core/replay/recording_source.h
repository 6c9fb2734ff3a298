// The source of a replay, which many readers read at different places.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "proxy/core/replay/fact_reader.h"

namespace entente::core {

class RecordingSource {
 public:
  virtual ~RecordingSource() = default;

  /// A new reader, which stands at the beginning. This object outlives it.
  virtual std::unique_ptr<FactReader> reader() = 0;
  /// The time of the last fact that may be read.
  virtual Micros end_time() const = 0;
  /// Of a live source that cannot be read yet: how long until it can. Nothing: this is not known.
  virtual std::optional<Micros> begins_in() const { return std::nullopt; }
  /// Of a live source: more happens than can be kept until it may be read, so there is nothing to read now.
  virtual bool overflows() const { return false; }
  virtual std::vector<Moment> moments() const { return {}; }
  /// The kills of a live source that may be seen by now, in the order of time. Ends when `visit` returns false.
  virtual void visit_kills(const std::function<bool(const Moment&)>& /*visit*/) const {}
};

}  // namespace entente::core
