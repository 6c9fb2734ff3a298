// Records traffic into an MCAP file: /link, /wire and /note (schema/trace.proto). For a bridge also /intent and
// /fact (schema/game.proto), /world (schema/snapshot.proto), /calls (schema/trace.proto), and the /geometry that worlds
// refer to. A topic has one channel; its messages have the link.
// Invariant: the recording suffers, never the traffic. What cannot be written is counted and reported, also in the
// recording. If another program removes, replaces or truncates the file, the recording continues in a new one.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/trace/writer.h"
#include "schema/trace.pb.h"

namespace entente::trace {

class Snapshot;  // of schema/snapshot.proto
class Geometry;

/// A number of frames, and their bytes together with those of words and worlds.
struct Amount {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  Amount& operator+=(const Amount& more) {
    frames += more.frames;
    bytes += more.bytes;
    return *this;
  }
};

/// ns. RecorderOptions::chunk_age of a file that can be made again after a crash: its chunks end by their size.
inline constexpr WallTime kAnyAge = 3'600'000'000'000;

struct RecorderOptions {
  enum class OnFull {
    kContinue,  ///< retry each second; continue in the same file when there is room
    kStop,      ///< stop recording; the owner learns it from `failed` and stops the program
  };
  enum class Sync { kEachChunk, kAtClose, kNever };

  OnFull on_full = OnFull::kContinue;
  Sync sync = Sync::kAtClose;  ///< when to wait until the disk has it
  std::size_t chunk_bytes = 1 << 20;
  /// The age at which a chunk is closed, in ns. A little less than the second that a crash may cost, because tick()
  /// may come late.
  WallTime chunk_age = 950'000'000;
  int level = 1;                ///< of zstd
  bool index_messages = false;  ///< as in mcap::WriterOptions
  /// Whether the owner leaves a file that close() could not finish to `entente recover`. Then the error says so.
  bool keeps_part = true;
  std::uint64_t id = 0;                       ///< for the metadata; no other recording has it. 0: none
  std::string version = {};                   ///< of this program, for the metadata
  std::vector<mcap::Metadata> metadata = {};  ///< more of it, at the beginning of each file
  /// Where the file is copied to while it is written, given its path. Null: nowhere.
  std::function<std::unique_ptr<Sink>(const std::string& path)> copy = {};
  /// Called when writing fails; again only after it has succeeded.
  std::function<void(const Error&)> failed = {};
  /// Called when writing succeeds again, with what the recording lacks.
  std::function<void(const Amount&)> resumed = {};
  /// Called when another program spoiled the file (why) and the recording continues in the named file.
  std::function<void(const Error& why, const std::string& path)> moved = {};
};

/// The description of a frame to record. A view: nothing is kept.
struct FrameView {
  std::uint32_t link = 0;
  Way way = WAY_UNSPECIFIED;
  Lane lane = LANE_UNSPECIFIED;
  Bytes bytes = {};
  std::string_view name = {};  ///< empty if it did not decode
  bool raw = false;            ///< not one frame but a piece of stream
  Delivery delivery = NOT_BY_ENET;
  std::uint8_t channel = 0;           ///< of ENet
  Amount missing = {};                ///< frames of this link and way before this one that the caller lost
  std::optional<float> seconds = {};  ///< as Frame.seconds
  bool joined = false;                ///< as Frame.joined
  Lab lab = LAB_PASSED;               ///< as Frame.lab
  std::uint64_t held_us = 0;          ///< as Frame.held_us
};

/// The name of the metadata at the beginning of a file, and its key for the file's id.
inline constexpr const char *kAboutFile = "entente", *kFileId = "id";

/// The name of the metadata at the end of a file that counts missing data which no note mentions.
inline constexpr const char* kNotRecorded = "not recorded";

/// The two kinds of words, as messages Intent and Fact.
enum class WordKind : std::uint8_t { kIntent, kFact };

/// A topic of another program. Entente's readers skip it.
struct OtherTopic {
  std::string name;
  const google::protobuf::Descriptor* type;
  mcap::StringMap metadata = {};  ///< of its channel; that of the first message counts
};

/// For a thread that may wait for the disk; not for a loop's thread.
class Recorder {
 public:
  /// Writes PATH.part, which close() renames to PATH.
  static Outcome<std::unique_ptr<Recorder>> open(const std::string& path, RecorderOptions options = {});
  /// `path`: what path() returns.
  static Outcome<std::unique_ptr<Recorder>> open(std::unique_ptr<Sink> sink, RecorderOptions options = {},
                                                 std::string path = {});
  /// The same with the first free name of "a.mcap", "a-2.mcap", "a-3.mcap" …
  static Outcome<std::unique_ptr<Recorder>> open_beside(const std::string& path, RecorderOptions options = {});

  void opened(WallTime time, const Opened& link);
  /// Allocates nothing in steady state.
  void frame(WallTime time, const FrameView& frame);
  void closed(WallTime time, std::uint32_t link, std::string_view reason);
  /// A word of the bridge of this player's link: a message of schema/game.proto. Its field `link` is set.
  void word(WallTime time, std::uint32_t link, WordKind kind, Bytes word);
  /// The calls to a room: a message Calls, with its link.
  void calls(WallTime time, Bytes calls);
  /// The world of that bridge. Its geometry must have been given before, or the world is not recorded.
  void world(WallTime time, const Snapshot& world);
  /// A geometry. It is kept, and written once before the first world that refers to it.
  void geometry(const Geometry& geometry);
  /// A message of `topic.type`. A name has one type in a file.
  void other(WallTime time, const OtherTopic& topic, const google::protobuf::MessageLite& message);
  void note(WallTime time, std::uint32_t link, std::string_view text, std::uint64_t bytes_lost = 0);
  /// Closes a chunk that is old enough, and checks the file. Must be called at least twice a second.
  void tick(WallTime now);

  /// What close() stores as kRecordingInfo (recording_info.h). Without room for it, the file has none.
  void summarize(mcap::StringMap summary) { summary_ = std::move(summary); }

  /// Completes the file and gives it its name. If that fails, it stays PATH.part and lacks only its end. Nothing may
  /// be called after.
  Outcome<Done> close(WallTime now);

  const Amount& recorded() const { return recorded_; }            ///< written to the file; 0 again with a new file
  const Amount& ever_recorded() const { return ever_recorded_; }  ///< written to any file; never falls
  const Amount& lost() const { return lost_; }       ///< not written, or written to a file that was spoiled
  const std::string& why() const { return why_; }    ///< why data was lost last
  std::uint64_t id() const { return options_.id; }   ///< as RecorderOptions.id
  const std::string& path() const { return path_; }  ///< the name that the file will have; empty: it has none
  std::uint64_t file_bytes() const { return writer_->size(); }
  std::uint32_t files() const { return files_; }  ///< number of files begun; each new file needs the geometries again
  bool failing() const { return failing_; }
  bool pending() const { return writer_->chunk_bytes() > 0; }  ///< something waits for tick()

 private:
  /// The state of one direction of a link.
  struct Direction {
    Amount settled;   ///< in the file, or reported there as missing by a frame
    Amount in_chunk;  ///< the same for the open chunk
    Amount missing;   ///< lost after those, and not yet reported by a frame
  };
  struct Link {
    Direction directions[2];
    bool in_chunk = false;  // some of it is in the open chunk: a frame, or its opening or closing
    WallTime opened_at = 0;
    Opened opened;
    bool opened_written = false;
    WallTime closed_at = 0;
    std::optional<std::string> reason;  // set when it closes; the link stays here until that is written
  };

  struct GeometryEntry {
    enum class State : std::uint8_t { kWaiting, kInChunk, kWritten } state = State::kWaiting;
    Buffer geometry = {};  // as it goes into the file; until it is there
  };
  /// Only in recordings of bridges.
  enum class Topic : std::uint8_t { kIntent, kFact, kWorld, kGeometry, kCalls };
  static constexpr std::size_t kTopics = 5;
  struct TopicAbout;
  static const TopicAbout& about(Topic topic);

  using NextSink = std::function<Outcome<std::unique_ptr<FileSink>>()>;

  Recorder(std::unique_ptr<Sink> sink, RecorderOptions options);
  static Outcome<std::unique_ptr<Recorder>> open_file(Outcome<std::unique_ptr<FileSink>> sink, RecorderOptions options);
  Outcome<Done> begin();
  bool look_after_file(WallTime now);
  void forget_file(const Error& why);
  Outcome<Done> begin_new_file(WallTime now);
  Link* find(std::uint32_t id);
  bool ready(WallTime now);
  void begin_again(WallTime now);
  void put(std::uint16_t channel, WallTime time, const google::protobuf::MessageLite& message);
  void put(std::uint16_t channel, WallTime time, std::initializer_list<Bytes> parts);
  void put_frame(WallTime time, const FrameView& frame, const Amount& missing);
  void put_any(WallTime time, Topic topic, Bytes message, Bytes more = {});
  std::uint16_t channel_of(WallTime time, Topic topic);
  std::uint16_t channel_of(WallTime time, const OtherTopic& topic);
  Outcome<std::uint16_t> define(const OtherTopic& topic);
  Outcome<std::uint16_t> define(Topic topic);
  std::uint16_t cannot_define(WallTime time, const Error& why);
  void lack_channels(WallTime time);
  bool put_geometry(WallTime time, const std::string& hash, GeometryEntry& entry);
  void put_in_chunk(std::uint32_t id, Link& link);
  void put_opened(std::uint32_t id, Link& link);
  void put_closed(std::uint32_t id, Link& link);
  void put_note(WallTime time, std::uint32_t link, std::string_view text, std::uint64_t bytes_lost);
  void end_chunk_if_due(WallTime now);
  void end_chunk(WallTime now);
  void written();
  void lose(const Amount& amount);
  void failed(WallTime now, const Error& error);
  void tell_failed(const Error& error);
  Outcome<Done> say_lost();
  void settle_links(bool were_written);
  void settle_geometries(bool were_written);

  std::unique_ptr<Sink> sink_;
  std::string path_;
  RecorderOptions options_;
  std::optional<mcap::Writer> writer_;
  NextSink next_sink_ = {};    // null: the sink is not a file
  bool file_is_lost_ = false;  // another program spoiled it, and no new file is open yet
  std::uint32_t files_ = 1;
  WallTime looked_at_ = 0;                         // when the file was last checked
  std::vector<std::uint32_t> sequences_;           // by channel id
  std::array<std::uint16_t, kTopics> channels_{};  // by Topic; 0: not in the file yet
  std::uint16_t last_channel_ = 0;
  std::map<std::string, std::uint16_t> others_;                   // channels of other programs' topics
  std::vector<const google::protobuf::Descriptor*> other_types_;  // whose schemas are in the file

  std::map<std::uint32_t, Link> links_;
  std::vector<std::uint32_t> links_in_chunk_;        // see Link::in_chunk
  std::map<std::string, GeometryEntry> geometries_;  // by hash
  std::size_t kept_ = 0;                             // bytes of those that are not written
  std::vector<std::string> geometries_in_chunk_;
  WallTime chunk_began_ = 0;
  Amount in_chunk_, recorded_, ever_recorded_, lost_;
  Amount unsaid_, noted_in_chunk_;  // lost: not yet reported by a note; reported by notes in the open chunk

  mcap::StringMap summary_;
  bool lacks_channels_ = false;  // no channel ids are left for other programs' topics, and a note has said so
  bool failing_ = false;         // the last chunk could not be written, or another program spoiled the file
  bool told_failed_ = false;     // since the last chunk that was written, RecorderOptions.failed was called
  bool sync_fails_ = false;
  bool trying_ = false;  // failing, and the open chunk is the next attempt
  WallTime failed_at_ = 0;
  std::string why_;

  std::pair<std::uint32_t, Link*> found_{};  // the last; null: none
};

}  // namespace entente::trace
