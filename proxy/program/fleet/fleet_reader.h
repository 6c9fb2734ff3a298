// A command's view of a fleet: its recordings, as the stream FLEET-rec has them, and which nodes are there.
// Invariant: calls wait for NATS, for a few seconds at most. Data that nodes have stored is checked like a peer's
// messages.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/net/loop.h"
#include "proxy/net/mailbox.h"
#include "proxy/program/fleet/fleet.h"
#include "proxy/trace/file.h"

namespace entente {

/// "fleet:NAME" or "fleet:NODE/NAME" in place of a file.
inline constexpr std::string_view kOfFleet = "fleet:";

struct FleetRecording {
  std::string node, name;  ///< as the fleet calls them; no other recording of the node has the name
  std::string file;        ///< as the node calls it
  std::uint64_t run = 0;   ///< of the node
  std::uint64_t bytes = 0;
  std::uint64_t from = 0;  ///< bytes at its beginning that the fleet no longer has; there may be more by now
  WallTime began = 0, changed = 0;
  bool complete = false;  ///< the node has completed it, and nothing is missing
  bool ended = false;     ///< nothing follows
};

/// What was read of a recording.
struct FleetFetched {
  bool whole = false;      ///< all of it, from its beginning to its end
  std::uint64_t from = 0;  ///< bytes at its beginning that were not read, because the fleet no longer has them
};

struct FleetRecordings {
  std::vector<FleetRecording> all;  ///< by age
  std::optional<Error> missing;     ///< set if NATS could not describe some recordings, which are not in `all`
};

class FleetReader {
 public:
  /// Connects as [fleet] of this configuration says.
  static Outcome<std::unique_ptr<FleetReader>> open(const std::string& config);
  ~FleetReader();
  FleetReader(const FleetReader&) = delete;
  FleetReader& operator=(const FleetReader&) = delete;

  /// Recordings with invalid pieces are left out.
  Outcome<FleetRecordings> list();
  /// The recording with this name or this file, or NODE/NAME; an error if there are none or several.
  Outcome<FleetRecording> find(const std::string& name);
  /// Writes it into `to`, as far as the fleet has it, without completing it. Of one that has not ended, it writes
  /// `recording.bytes`: what a node stores meanwhile is for the next time. `goes_on`: asked before each read of pieces;
  /// false ends it with an error. An error if the server that answers is behind: it is to be tried again; or if more
  /// than kMostRepeated pieces in a row add nothing.
  Outcome<FleetFetched> fetch(
      const FleetRecording& recording, trace::Sink& to, const std::function<bool()>& goes_on = [] { return true; });
  static constexpr std::size_t kMostRepeated = 100;

  /// Writes a complete file of it: to `path` as it is, or, if something is missing, repaired to `repaired`. Neither may
  /// exist; they may be the same.
  Outcome<FleetFetched> save(
      const FleetRecording& recording, const std::string& path, const std::string& repaired,
      const std::function<bool()>& goes_on = [] { return true; });

  /// How long this run of a node has been silent while it could be heard. Listening begins with the first call. After a
  /// lost connection, it begins again once kReturn is over.
  Millis silent_for(const std::string& node, std::uint64_t run);
  static constexpr Millis kReturn = 10'000;  ///< by then, nodes have reconnected and announced themselves
  static constexpr const char* kUnfinished = ".archiving";  ///< after the name of a file that is being written

  Fleet& fleet() { return *fleet_; }
  /// Runs `job` on the reader's loop, and waits until it is done.
  void on_loop(const std::function<void(fleet::BusLine&, net::Loop&)>& job);

 private:
  using Job = std::function<void()>;
  friend class net::Mailbox<Job, FleetReader>;
  explicit FleetReader(std::unique_ptr<Fleet> fleet);
  void mail();
  Outcome<bool> save_whole(const FleetRecording& recording, const std::string& path,
                           const std::function<bool()>& goes_on);
  Outcome<FleetFetched> save_repaired(const FleetRecording& recording, const std::string& path,
                                      const std::function<bool()>& goes_on);
  void hear_nodes();
  template <class Value>
  Outcome<Value> wait(const std::function<void(std::function<void(Outcome<Value>)>)>& begin);
  Outcome<std::optional<fleet::BusMessage>> last_of(const std::string& subject);
  Outcome<std::vector<fleet::BusMessage>> read(const std::string& subject, std::uint64_t from, std::size_t most_bytes);
  /// Nullopt: its pieces are invalid.
  Outcome<std::optional<FleetRecording>> about(const std::string& subject);

  std::unique_ptr<Fleet> fleet_;
  std::map<std::string, FleetRecording> ended_;  // by subject; these can only lose pieces
  std::mutex mutex_;
  bool hears_ = false;
  std::uint64_t connects_ = 0;  // of the bus, at the last look
  Millis hears_from_ = 0;
  std::map<std::string, std::pair<std::uint64_t, Millis>> nodes_;  // run, and when it was last heard
  net::Loop loop_;
  net::Mailbox<Job, FleetReader> mailbox_{loop_, *this};
  std::unique_ptr<fleet::BusLine> line_;
  std::thread thread_;
};

}  // namespace entente
