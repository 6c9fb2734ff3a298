// Topics for programs that draw and plot MCAP files, such as Foxglove and Lichtblick: scenes, poses and a log, made of
// a recording's words. Described in proxy/manual/recordings.md, "A recording in a 3D panel".
// Invariant: they are added to the recording, which stays what it was; the same words give the same messages.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "proxy/core/world.h"
#include "proxy/program/foxglove/word_watcher.h"
#include "proxy/trace/recorder.h"
#include "schema/foxglove.pb.h"

namespace entente {

class FoxgloveScenes final : public WordWatcher {
 public:
  /// `recorder` outlives it.
  explicit FoxgloveScenes(trace::Recorder& recorder);
  ~FoxgloveScenes() override;

  void fact(std::uint32_t link, const words::Fact& fact, WallTime time) override;
  void world(std::uint32_t link, const trace::Snapshot& world, WallTime time) override;
  void geometry(const trace::Geometry& geometry) override;

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
