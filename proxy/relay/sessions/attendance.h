// Who played in a shared room, and how it went for those of each game: for whoever asks, while it lasts and when it is
// over. Law: told by the shared room's thread, asked by any; a name is kept only for the first so many of a game.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/core/word.h"

namespace entente::relay {

class Attendance {
 public:
  static constexpr std::size_t kMostNames = 32;

  /// Those of one game.
  struct Row {
    std::string speech;              ///< "bzflag 2.4"; "bot": nobody sat at them
    std::uint64_t players = 0;       ///< came so far
    std::uint64_t present = 0;       ///< are there
    std::vector<std::string> names;  ///< of the first kMostNames that came
    std::uint64_t kills = 0, deaths = 0;
  };

  /// What a fact changes. `speech_of` is asked for the player of a Player that is new.
  template <class SpeechOf>
  void told(const core::Fact& fact, SpeechOf&& speech_of) {
    if (const auto* player = core::as<words::Player>(fact)) {
      if (player->role() != words::WATCH && !there_.contains(player->id())) came(*player, speech_of(player->id()));
    } else if (const auto* gone = core::as<words::PlayerGone>(fact)) {
      left(gone->id());
    } else if (const auto* died = core::as<words::Died>(fact)) {
      this->died(*died);
    }
  }

  /// In the order of their names. From any thread.
  std::vector<Row> rows() const;

 private:
  void came(const words::Player& player, const std::string& speech);
  void left(core::Id player);
  void died(const words::Died& died);

  mutable std::mutex mutex_;  // of rows_
  std::map<std::string, Row> rows_;
  std::unordered_map<core::Id, Row*> there_;  // on the shared room's thread only
};

}  // namespace entente::relay
