// Writes imported connections into a recording of Entente: their frames, words made from them, and the words that the
// file has already.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "proxy/program/conversion/convert_sink.h"
#include "proxy/program/conversion/convert_words.h"
#include "proxy/program/foxglove/scenes.h"
#include "proxy/program/import/file.h"
#include "proxy/trace/recorder.h"

namespace entente {

class McapExporter : public ConvertSink {
 public:
  struct What {
    bool frames = true;                ///< write the frames
    ConvertWords* words = nullptr;     ///< makes words of the frames; null: none are made
    FoxgloveScenes* scenes = nullptr;  ///< is told the words that the file has already; may be null
  };

  /// `file`, `recorder` and the words outlive it.
  McapExporter(const RecordedFile& file, trace::Recorder& recorder, const What& what)
      : ConvertSink(file), recorder_(recorder), what_(what), of_recording_(file.is_recording()) {}

  /// The time of the last thing that was written.
  WallTime last() const { return last_; }
  /// Links that were opened so far.
  std::uint32_t links() const { return last_link_; }
  /// Messages that did not decode. They are written as they are.
  std::uint64_t undecoded() const { return undecoded_; }

 private:
  std::uint32_t link(ConnectionId id);

  void begins(WallTime time) override { last_ = std::max(last_, time); }
  void begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
             WallTime time) override;
  void frame(ConnectionId id, const wire::Frame& frame, WallTime time) override;
  void raw(ConnectionId id, wire::Way way, wire::Lane lane, Bytes bytes, WallTime time) override;
  void frame_kept(ConnectionId id, const wire::Frame& frame, WallTime time) override;
  void frame_gap(ConnectionId id, wire::Way way, std::uint64_t messages, std::uint64_t bytes, WallTime time) override;
  void side_closed(ConnectionId id, const ImportedClose& end) override;
  void connection_finished(ConnectionId id) override;
  void word(ConnectionId id, const words::Intent* intent, const words::Fact* fact, WallTime time) override;
  void world(ConnectionId id, const trace::Snapshot& world, WallTime time) override;
  void geometry(const trace::Geometry& geometry, WallTime time) override;
  void remark(std::string_view text) override;
  void note(const ImportedNote& note) override;
  void put(ConnectionId id, const wire::Frame& frame, std::string_view name, bool raw, WallTime time);

  trace::Recorder& recorder_;
  const What what_;
  const bool of_recording_;  // its reasons of ends are those of Entente
  WallTime last_ = 0;        // also of what was only read: a note at the beginning of the file
  trace::Amount missing_;    // before the frame that comes next, as the file says
  std::uint32_t last_link_ = 0;
  std::uint64_t undecoded_ = 0;
  Buffer written_;  // reused
  std::map<ConnectionId, std::uint32_t> links_;
  Codecs codecs_;
  std::map<ConnectionId, wire::Codec*> codec_of_;  // one of codecs_, by open connection
  std::map<ConnectionId, std::string> reasons_;
};

}  // namespace entente
