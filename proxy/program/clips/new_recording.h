// A recording that `clip`, `join` or `redact` writes. The recorder's own files are used (relay/tap/recording_files.h),
// so that it has the same form: openings, worlds, summary. Invariant: the file gets its name only when it is complete.
// Otherwise nothing is left of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/program/import/file.h"
#include "proxy/relay/tap/recording_files.h"
#include "proxy/trace/recording.h"

namespace entente {

/// Changes what is written.
class RecordingFilter {
 public:
  virtual ~RecordingFilter() = default;
  /// What is written in place of the event; null: nothing. Valid until the next call.
  virtual const trace::Recording::Event* pass(const trace::Recording::Event& event) = 0;
};

/// The name of the metadata of a clip, and its key for the name of the file that it was cut from.
inline constexpr const char *kAboutClip = "clip", *kClipOf = "of";

class NewRecording {
 public:
  /// Fails if the file exists. `filter` outlives it; null: there is none. `metadata`: at the beginning of the file.
  static Outcome<std::unique_ptr<NewRecording>> create(const std::string& path, RecordingFilter* filter = nullptr,
                                                       std::vector<trace::mcap::Metadata> metadata = {});
  ~NewRecording();
  NewRecording(const NewRecording&) = delete;
  NewRecording& operator=(const NewRecording&) = delete;

  /// Begins the file. Links that are open go on in it; `before` has what came before. With a filter, it is not named.
  Outcome<Done> start(WallTime time, const std::string& before);
  bool started() const { return files_.on(); }

  /// Takes an event of a recording: writes it, or before start() only learns from it. `link`: its number in the new
  /// recording. Notes and geometries have none.
  void take(const trace::Recording::Event& event, std::uint32_t link);
  void world(WallTime time, const trace::Snapshot& world);
  void geometry(const trace::Geometry& geometry);
  void note(WallTime time, std::string_view text);

  /// Why it cannot be written; none while it can.
  const std::optional<Error>& failed() const { return failed_; }
  /// Completes the file.
  Outcome<Done> finish(WallTime time);
  std::uint64_t frames() const { return files_.totals().recorded.frames; }

 private:
  NewRecording(std::string path, std::string part, RecordingFilter* filter);
  void write(const trace::Recording::Event& event, std::uint32_t link);
  void know(const trace::Recording::Event& event, std::uint32_t link);
  void frame(const trace::Frame& frame, std::uint32_t link, WallTime time);
  void name_player(const trace::Frame& frame, std::uint32_t link);

  const std::string path_, part_;
  RecordingFilter* const filter_;
  bool complete_ = false;
  std::optional<Error> failed_;
  std::unique_ptr<trace::Recorder> recorder_;  // until start()
  relay::WordsWanted wanted_;
  Buffer word_;                                               // reused
  std::map<std::uint32_t, std::optional<GameDialect>> open_;  // links
  Codecs codecs_;
  std::unordered_map<const wire::Row*, std::string_view> name_fields_;  // see player_name_field()
  relay::RecordingFiles files_;
};

/// Opens a recording to read. The error says what to do with another kind of file.
Outcome<std::unique_ptr<trace::Recording>> open_recording(const std::string& path);

/// The link of an event; 0: none.
std::uint32_t link_of(const trace::Recording::Event& event);

/// The name without folders.
std::string name_of_file(const std::string& path);

}  // namespace entente
