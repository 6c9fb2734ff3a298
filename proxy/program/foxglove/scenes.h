// Topics for programs that draw and plot MCAP files, such as Foxglove and Lichtblick: scenes, poses and a log, made of
// a recording's words. Described in proxy/manual/recordings.md, "A recording in a 3D panel".
// Invariant: they are added to the recording, which stays what it was; the same words give the same messages.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "proxy/base/time.h"
#include "proxy/core/world.h"
#include "proxy/trace/recorder.h"
#include "schema/foxglove.pb.h"

namespace entente {

class FoxgloveScenes {
 public:
  /// `recorder` outlives it.
  explicit FoxgloveScenes(trace::Recorder& recorder);
  ~FoxgloveScenes();

  // Words of the recording while it is written. `link`: its number there.
  void fact(std::uint32_t link, const words::Fact& fact, WallTime time);
  /// A geometry that it refers to was told before.
  void world(std::uint32_t link, const trace::Snapshot& world, WallTime time);
  void geometry(const trace::Geometry& geometry);

  std::uint64_t messages() const { return messages_; }

 private:
  class Scene;

  Scene& scene(std::uint32_t link);

  trace::Recorder& recorder_;
  std::map<std::uint32_t, std::unique_ptr<Scene>> scenes_;  // by link
  std::map<std::string, trace::Geometry> geometries_;       // by hash
  std::size_t kept_ = 0;                                    // bytes of those
  std::uint64_t messages_ = 0;
};

}  // namespace entente
