// The files that a tap records into: one for all of its sessions, or one for each session. Begins a file, continues it
// in a new one when it is old or large, and completes it.
// Invariant: a link is in one file at a time, and each of its frames and words is in exactly one. A link with words
// moves to the new file with a snapshot of its world; any other link moves at once. In the new file its opening says
// that it continues. If no new file can be begun, the old one goes on. The times of a recording go on evenly from its
// beginning, through all files of its sessions, also if the wall clock is set meanwhile. A note says how far apart they
// are. A client that does no more than greet gets no file of its own: its events are kept, up to a limit, until its
// session has a second link or a name, or sends more. One address has a limited number of files open at once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/base/steady_wall.h"
#include "proxy/net/address.h"
#include "proxy/relay/tap/recording_closer.h"
#include "proxy/relay/tap/ring_sink.h"
#include "proxy/trace/recorder.h"
#include "proxy/trace/recording_info.h"

namespace entente::relay {

/// The beginning of the note, about all links, after which a link goes on in another file.
inline const std::string kContinuesIn = "this recording continues in ";

/// The status of a recording.
struct RecordingStatus {
  bool on = false;
  std::vector<std::string> paths;  ///< the names that the open files will have
  std::uint64_t bytes = 0;         ///< of the open files
  WallTime began = 0;              ///< the oldest of them, by steady_wall_now(); 0: none is open
  bool failing = false;  ///< a file cannot be written, or the last file of a session could not be begun or completed
};

struct RecordingTotals {
  trace::Amount recorded;              ///< written to a file; never falls
  trace::Amount lost;                  ///< not written, or written to a file that another program spoiled
  std::uint64_t file_bytes = 0;        ///< of the open files
  std::uint64_t files = 0;             ///< begun so far
  std::uint64_t rotations = 0;         ///< files that were continued in a new one
  std::uint64_t greetings = 0;         ///< sessions without a file, because their clients did no more than greet
  std::uint64_t failed_rotations = 0;  ///< new files that could not be begun, or old ones that could not be completed
  bool failing = false;                ///< as in RecordingStatus
};

struct RecordingFilesOptions {
  /// Opens a file. `session`: the link of the session that it is for; 0: for all sessions.
  std::function<Outcome<std::unique_ptr<trace::Recorder>>(LinkId session)> begin = {};
  bool each_session = false;
  WallTime rotate_after = 0;       ///< 0: never
  std::uint64_t rotate_bytes = 0;  ///< 0: never
  /// By how much the wall clock was set since the program began, in ns.
  std::function<std::int64_t()> wall_is_ahead = entente::wall_is_ahead;
  /// A file could not be begun or completed. Called only for the first of several failures in a row. On the tap's
  /// thread, or another.
  std::function<void(const Error&)> failed = {};
  trace::RecordingInfoBuilder::Kills kills = {};
  /// A file has its name. `empty`: it has no message and no word. On the tap's thread, or another.
  std::function<void(const std::string& path, bool empty)> completed = {};
};

/// Times are those of steady_wall_now().
class RecordingFiles {
 public:
  /// Records at once if there is a `first` file, or one for each session without it; otherwise start() begins.
  RecordingFiles(RecordingFilesOptions options, std::unique_ptr<trace::Recorder> first, bool on, WordsWanted& wanted);
  ~RecordingFiles();

  bool on() const { return on_; }

  /// Bytes that are kept of a session until it gets a file of its own.
  static constexpr std::size_t kMostEarly = 16 * 1024;
  /// Files for sessions of one address (IPv6: one /64) that are open at once. Its other sessions are not recorded,
  /// which is reported once.
  static constexpr std::size_t kMostOfAddress = 128;

  /// `session`: the link of its session, which may be another one. `greets`: with a file for each session, it gets one
  /// when it does more than greet.
  void opened(WallTime time, const trace::Opened& opened, LinkId session, bool greets = false);
  void frame(WallTime time, const trace::FrameView& frame);
  void closed(WallTime time, LinkId link, std::string_view reason);
  void word(WallTime time, LinkId link, trace::WordKind kind, Bytes word);
  void calls(WallTime time, LinkId link, Bytes calls);
  void world(WallTime time, const trace::Snapshot& world);
  /// `link`: whose worlds refer to it; 0: those of all links.
  void geometry(LinkId link, const trace::Geometry& geometry);
  /// `link` 0: it is about some of the links, and in the files of all of them.
  void note(WallTime time, LinkId link, std::string_view text, std::uint64_t bytes_lost = 0);
  /// What the player of this link is called, in UTF-8.
  void player(LinkId link, std::string_view name);
  void tick(WallTime now);

  // Orders. Links that are open are recorded from now on, or no longer. `before`: the file that has what came before.
  Outcome<Done> start(WallTime time, const std::string& before = "");
  Outcome<Done> stop(WallTime time);
  Outcome<Done> rotate(WallTime time);

  /// Something waits for tick().
  bool pending() const;
  RecordingStatus status() const;
  RecordingTotals totals() const;

  /// Completes all files. Only totals() may be called after.
  Outcome<Done> close(WallTime now);

 private:
  struct File;
  struct Link {
    trace::Opened opened;
    LinkId session = 0;
    File* file = nullptr;    // null: it is not recorded
    bool has_words = false;  // or worlds
    bool client_sent = false, server_sent = false;
    std::string player;
    bool greets = false;                         // it has no file yet
    std::vector<std::function<void()>> early{};  // what is to be recorded once it has one
    std::size_t early_bytes = 0;
    bool refused = false;  // its session gets no file: its address has too many
  };
  struct Host {
    std::size_t files = 0;  // that are open
    bool told = false;      // that it has too many
  };

  Outcome<File*> begin(LinkId session, WallTime time);
  File* file_for(LinkId session, WallTime time);
  bool has_too_many(const net::Address& host);
  struct Before {  // the file that has what came before; empty and 0: none
    std::string name;
    std::uint64_t id;
  };
  void join(Link& link, File* file, WallTime time, const Before& before);
  void move(Link& link, WallTime time);
  void move_all(const File& from, WallTime time);
  void leave(Link& link);
  bool greets(LinkId id) {
    const Link* const link = find(id);
    return link != nullptr && link->greets;
  }
  void record_opening(Link& link, WallTime time);
  template <class Call>
  bool waits(LinkId id, std::size_t bytes, Call&& call);
  void begin_early(Link& link);
  Outcome<Done> rotate(File& old, WallTime time);
  bool due(const File& file, WallTime now) const;
  void complete(File& file);
  void complete_if_over(File& file);
  void look_at_wall_clock(WallTime now);
  void note_wall_clock(const File& file, WallTime now) const;
  void ask_for_worlds() { wanted_.recording_generation.fetch_add(1, std::memory_order_relaxed); }
  void fail(const Error& error);
  bool failing() const;
  Link* find(LinkId id);

  RecordingFilesOptions options_;
  WordsWanted& wanted_;
  bool on_ = false;
  std::int64_t ahead_ = 0;                    // of the wall clock, when it was last set
  std::vector<std::unique_ptr<File>> files_;  // that are open
  File* current_ = nullptr;                   // of all sessions; null: each has its own, or nothing is recorded
  std::unordered_map<LinkId, File*> of_sessions_;
  std::unordered_map<net::Address, Host, net::AddressHash> hosts_;  // with files of their own
  std::unordered_map<LinkId, Link> links_;
  std::pair<LinkId, Link*> last_{};  // found last

  trace::Amount done_, lost_;  // recorded by files that are no longer open; lost by these, and without a file
  std::uint64_t begun_ = 0, rotations_ = 0, greetings_ = 0;
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<bool> fails_{false};  // the last file could not be begun, or not be completed
  std::optional<WallTime> failed_at_;
  RecordingCloser closer_;  // last: it calls back
};

}  // namespace entente::relay
