// Recordings that are rotated as they are written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "proxy/core/world.h"
#include "proxy/relay/tap/recording_files.h"
#include "proxy/relay/tap/room_words.h"
#include "proxy/trace/recording.h"
#include "tests/program/folder.h"

namespace entente {

/// Records a recording again as a tap does, and rotates after each of these frames: a.mcap, a-2.mcap … A link with
/// words moves to the next file a few words later, as in a running program.
inline void rotated(const std::string& from, const Folder& to, const std::vector<std::size_t>& rotations) {
  constexpr int kLater = 5;
  const auto recording = trace::Recording::open(from);
  REQUIRE(recording.ok());
  relay::WordsWanted wanted;
  std::uint64_t id = 0;
  const auto begin = [&](relay::LinkId) { return trace::Recorder::open_beside(to.file("a.mcap"), {.id = ++id}); };
  auto first = begin(0);
  REQUIRE(first.ok());
  relay::RecordingFiles files({.begin = begin}, std::move(*first), true, wanted);
  core::WorldState world;
  std::size_t frames = 0;
  int words_until_world = 0;
  WallTime last = 0;
  for (;;) {
    const auto next = (*recording)->next();
    REQUIRE(next.ok());
    if (*next == nullptr) break;
    const trace::Recording::Event& event = **next;
    last = event.time;
    if (event.opened) files.opened(event.time, *event.opened, event.opened->link());
    if (event.closed) files.closed(event.time, event.closed->link(), event.closed->reason());
    if (event.geometry) files.geometry(0, *event.geometry);
    if (event.world) files.world(event.time, *event.world);
    if (event.word) {
      const auto fact = core::from_message(*event.word->fact);
      REQUIRE(fact.ok());
      world.fold(*fact);
      files.word(event.time, event.word->link, trace::WordKind::kFact, as_bytes(event.word->fact->SerializeAsString()));
      if (words_until_world > 0 && --words_until_world == 0) {
        const trace::Geometry geometry = relay::geometry_of(*world.geometry());
        files.geometry(event.word->link, geometry);
        files.world(event.time, relay::snapshot_of(event.word->link, world, fact->at, geometry.hash()));
      }
    }
    if (!event.frame) continue;
    const trace::Frame& frame = *event.frame;
    files.frame(event.time,
                {frame.link(), frame.way(), frame.lane(), as_bytes(frame.data()), frame.name(), frame.raw()});
    if (std::find(rotations.begin(), rotations.end(), ++frames) == rotations.end()) continue;
    REQUIRE(files.rotate(event.time).ok());
    words_until_world = kLater;
  }
  CHECK(frames > rotations.back());
  REQUIRE(files.close(last).ok());
}

}  // namespace entente
