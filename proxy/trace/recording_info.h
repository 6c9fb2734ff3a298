// What a recording is about: its games, servers, players and kills. Kept while it is recorded, and stored at the end of
// the file as metadata, so that a list of many files need not read them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/trace/mcap.h"
#include "schema/game.pb.h"
#include "schema/trace.pb.h"

namespace entente::trace {

class Snapshot;  // of schema/snapshot.proto

/// The name of that metadata.
inline constexpr const char* kRecordingInfo = "summary";

struct RecordingInfo {
  std::set<std::string> games;    ///< "bzflag 2.4"
  std::set<std::string> servers;  ///< addresses
  std::set<std::string> players;  ///< names, as far as they are known; at most RecordingInfoBuilder::kMostPlayers
  bool more_players = false;
  std::optional<std::uint64_t> kills;  ///< none: the recording has no such information
};

mcap::StringMap to_map(const RecordingInfo& info);
RecordingInfo info_of(const mcap::StringMap& map);

class RecordingInfoBuilder {
 public:
  static constexpr std::size_t kMostPlayers = 500, kLongestName = 64,
                               kLongestText = 300;  ///< of a game, a dialect and the address of a server

  /// How servers report kills.
  struct Kills {
    /// The name of the message of this game; "": there is none.
    std::function<std::string_view(std::string_view game)> message = {};
    /// Whether that message, a whole frame, tells that a player killed another.
    std::function<bool(std::string_view game, std::string_view dialect, Bytes frame)> counts = {};
    /// The same for all messages to one client, whose names are given, too; kills of team mates do not count. Null: as
    /// `counts` says.
    std::function<std::function<bool(std::string_view name, Bytes frame)>(std::string_view game,
                                                                          std::string_view dialect)>
        counter = {};
  };

  RecordingInfoBuilder() = default;
  /// Both functions are set.
  explicit RecordingInfoBuilder(Kills kills) : kills_(std::move(kills)) {}

  void opened(const Opened& opened);
  void closed(std::uint32_t link);
  /// A player's name, in UTF-8.
  void player(std::string_view name);
  /// `name`: of the message.
  void frame(std::uint32_t link, Way way, std::string_view name, Bytes bytes);
  /// A message Fact or Intent of schema/game.proto.
  void fact(std::uint32_t link, Bytes fact);
  void intent(Bytes intent);
  void world(const Snapshot& world);

  RecordingInfo info() const;

 private:
  struct Link {
    std::string server, game, dialect;
    std::string kill_message;
    std::function<bool(std::string_view name, Bytes frame)> counter = {};
  };
  void forget(std::uint32_t link);
  bool counts(Link& link, std::string_view name, Bytes bytes);
  void side(std::uint32_t link, const words::Player& player);
  void death(std::uint32_t link, const words::Died& died);

  bool leads(std::uint32_t link, const std::string& server);

  Kills kills_;
  RecordingInfo info_;
  std::map<std::uint32_t, Link> links_;                                  // that are open
  std::map<std::uint32_t, std::map<std::uint32_t, words::Team>> sides_;  // of players in words, by link
  std::map<std::string, std::uint32_t> leaders_;  // by server: the link on which its kills are counted
  std::size_t known_sides_ = 0, counters_ = 0;    // in sides_ and in links_
  bool has_words_ = false, tells_kills_ = false;
  std::uint64_t kills_in_words_ = 0, kills_in_frames_ = 0;
};

/// What the end of a complete file says about it.
struct RecordingEnd {
  WallTime start = 0, end = 0;  ///< 0: it has no messages
  std::uint64_t messages = 0;
  std::optional<RecordingInfo> info;
};

/// Reads only the end of the file. Nothing: the file has none, or it is damaged.
Outcome<std::optional<RecordingEnd>> read_end(const std::string& path);

}  // namespace entente::trace
