// An observer of the words of a recording while it is written.
#pragma once

#include "proxy/base/time.h"
#include "schema/game.pb.h"
#include "schema/snapshot.pb.h"

namespace entente {

class WordWatcher {
 public:
  virtual ~WordWatcher() = default;

  /// `link`: its number in the recording that is written.
  virtual void fact(std::uint32_t link, const words::Fact& fact, WallTime time) = 0;
  /// A geometry that it refers to was told before.
  virtual void world(std::uint32_t link, const trace::Snapshot& world, WallTime time) = 0;
  virtual void geometry(const trace::Geometry& geometry) = 0;
};

}  // namespace entente
