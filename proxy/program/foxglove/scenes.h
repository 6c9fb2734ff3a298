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

/// Bytes.
struct FoxgloveLimits {
  std::size_t kept = std::size_t{4} << 30U;   ///< by the scenes of all links, by a high estimate
  std::size_t drawn = std::size_t{4} << 30U;  ///< of all geometries together, as they are written
};

class FoxgloveScenes {
 public:
  /// `recorder` outlives it.
  explicit FoxgloveScenes(trace::Recorder& recorder, const FoxgloveLimits& limits = {});
  ~FoxgloveScenes();

  // Words of the recording while it is written. `link`: its number there.
  void fact(std::uint32_t link, const words::Fact& fact, WallTime time);
  /// A geometry that it refers to was told before.
  void world(std::uint32_t link, const trace::Snapshot& world, WallTime time);
  void geometry(const trace::Geometry& geometry);
  /// The link is closed: what it shows vanishes, and its scene is forgotten.
  void closed(std::uint32_t link, WallTime time);

  std::uint64_t messages() const { return messages_; }

 private:
  class Scene;

  template <class Call>
  void tell(std::uint32_t link, WallTime time, Call&& call);

  trace::Recorder& recorder_;
  const FoxgloveLimits limits_;
  std::map<std::uint32_t, std::unique_ptr<Scene>> scenes_;  // by open link; null: it is not shown, or no longer
  std::size_t cost_ = 0;                                    // of all scenes
  std::size_t drawn_ = 0;                                   // bytes of geometries that were written
  std::map<std::string, trace::Geometry> geometries_;       // by hash
  std::size_t kept_ = 0;                                    // bytes of those
  std::uint64_t messages_ = 0;
};

}  // namespace entente
