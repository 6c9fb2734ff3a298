// Reads a recording: openings, frames, words, worlds, notes and closings in the order in which they were recorded.
// It starts at the beginning, or at a known world.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "proxy/trace/reader.h"
#include "schema/game.pb.h"
#include "schema/snapshot.pb.h"
#include "schema/trace.pb.h"

namespace entente::trace {

class Recording {
 public:
  /// A word of the bridge of this player's link.
  struct WordEvent {
    std::uint32_t link = 0;
    const words::Intent* intent = nullptr;  ///< one of the two
    const words::Fact* fact = nullptr;
  };

  /// Exactly one is set. Valid until the next call of next().
  struct Event {
    WallTime time = 0;
    const Opened* opened = nullptr;
    const Frame* frame = nullptr;
    const Note* note = nullptr;
    const Closed* closed = nullptr;
    std::optional<WordEvent> word = {};
    const Snapshot* world = nullptr;
    const Geometry* geometry = nullptr;
    const Calls* calls = nullptr;  ///< only after with_calls()
  };

  /// `name`: for messages; "": the path.
  static Outcome<std::unique_ptr<Recording>> open(const std::string& path, mcap::Limits limits = {},
                                                  const std::string& name = {});
  /// `source` outlives the recording.
  explicit Recording(Source& source, mcap::Limits limits = {}) : reader_(source, limits) {}

  /// The next event; null at the end of an undamaged recording. An error names the byte; all events before it are
  /// good. Messages with unknown schemas are skipped; a file that has no others, and that Entente did not write, is an
  /// error at its end.
  Outcome<const Event*> next();

  /// next() also returns the calls to rooms, which it otherwise skips.
  void with_calls() { with_calls_ = true; }

  /// Goes to the last snapshot of this bridge's world (`link`: its player's) not later than `time`. next() returns
  /// it and then what follows it in the file. False: there is none, and next() starts at the beginning. Reads a
  /// chunk or two, or once the whole file if its end is damaged. An error says what cannot be read.
  Outcome<bool> go_to_world(std::uint32_t link, WallTime time);
  /// The geometry with this name in snapshots; null if the file lacks it. Does not move next(). Valid until the next
  /// call.
  Outcome<const Geometry*> find_geometry(const std::string& hash);

  /// After an error: the file may still be growing. read_on() then makes next() try again, if the file has changed.
  bool cut_off() const { return reader_.cut_off(); }
  Outcome<bool> read_on() { return reader_.read_on(); }

  /// After an error: whether recover() would write a message. Nothing can be read after.
  bool recover_helps();

  const mcap::Progress& progress() const { return reader_.progress(); }
  const mcap::Reader& file() const { return reader_; }

 private:
  explicit Recording(std::unique_ptr<FileSource> file, mcap::Limits limits)
      : file_(std::move(file)), reader_(*file_, limits) {}

  bool fill(google::protobuf::Message& message, Bytes data);
  bool parse(const mcap::Message& message, bool& ours);
  bool parse_word(const mcap::Message& message, const mcap::Channel& channel, bool fact);
  std::uint32_t link_by(const mcap::Channel& channel);
  bool is_foreign() const;

  void learn();
  template <class Wanted>
  std::vector<bool> channels(const google::protobuf::Descriptor* type, Wanted&& wanted) const;
  std::optional<mcap::Reader::Position> last_world(const mcap::ChunkIndex& chunk, const std::vector<bool>& channels,
                                                   std::uint32_t link, WallTime time);

  std::unique_ptr<FileSource> file_;
  mcap::Reader reader_;
  Event event_;
  LinkEvent link_;  // reused, for their memory
  Frame frame_;
  Note note_;
  words::Intent intent_;
  words::Fact fact_;
  Snapshot world_;
  Geometry geometry_, found_;
  Calls calls_;
  bool with_calls_ = false;
  std::map<std::uint16_t, std::uint32_t> channel_links_;  // of channels with words that do not have their link
  std::uint64_t parts_ = 0;                               // of the messages that were parsed
  bool has_events_ = false;                               // some event was read
  std::optional<std::vector<mcap::ChunkIndex>> chunks_;   // once they are wanted
};

}  // namespace entente::trace
