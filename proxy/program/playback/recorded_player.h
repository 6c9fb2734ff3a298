// Plays a player of a recording to a server: says what the player wished, when the player wished it, in the words of
// any game; and compares what the server answers with what the recorded one answered. Invariant: only what a server
// answers to this player is compared, and only what it said, not when and where: no places, ids, scores or times.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proxy/core/bot/bot.h"
#include "proxy/core/room_member.h"
#include "proxy/program/conversion/recorded_session.h"

namespace entente {

/// What a server answered to one player, in order: "Spawned", "Shot", "Died", "Said 'hello'".
class Answers {
 public:
  static constexpr std::size_t kMost = 100'000;      // further ones are only counted
  static constexpr std::size_t kMostTexts = 10'000;  // further texts are counted by their word's name: "Said"
  static constexpr std::size_t kMostUnits = 10'000;

  /// Sets the player's id, because a recording has no You. 0: unknown. REQUIRES: no fact was heard.
  void set_me(core::Id player) { me_ = player; }
  /// A fact that the player's room heard. It must hear all of them.
  void hear(const core::Fact& fact);
  /// A fact of a world that is described. It is no answer: it only tells which units are the player's.
  void learn(const core::Fact& fact);

  const std::vector<std::string>& in_order() const { return in_order_; }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  /// Whether the player was refused or kicked.
  bool sent_away() const { return sent_away_; }
  /// The player's number; 0: not told yet.
  core::Id me() const { return me_; }
  /// The player's units, in the order of their ids. At most kMostUnits.
  const std::set<core::Id>& units() const { return units_; }
  /// All that the player ever had, in the order in which they came. At most kMostUnits.
  const std::vector<core::Id>& units_ever() const { return units_ever_; }

 private:
  bool is_own(core::Id id) const { return id != 0 && (id == me_ || units_.contains(id)); }
  void own(core::Id unit);

  core::Id me_ = 0;
  bool sent_away_ = false;
  std::set<core::Id> units_;
  std::vector<core::Id> units_ever_;
  std::vector<std::string> in_order_;
  std::map<std::string, std::uint64_t> counts_;
};

/// The differences, one line each, such as "Shot: 12 before, 9 now"; empty: there are none.
std::vector<std::string> differences(const Answers& before, const Answers& now);

/// What one player of a recording wished, and what it was told.
struct RecordedPlayer {
  static constexpr std::size_t kMostWishes = 1'000'000;

  struct Wish {
    core::Micros at;  ///< in the room's own time
    core::Intent intent;
  };

  /// Reads the session with this link. An error: the file is damaged there, or the player wished nothing.
  static Outcome<RecordedPlayer> read(const RecordedSessions& found, std::uint32_t link);

  std::string name;  ///< "" if the recording lacks it
  std::vector<Wish> wishes;
  core::Micros first = 0, last = 0;       ///< of the session
  std::optional<core::Micros> ready;      ///< when the player knew the world
  std::map<core::Id, std::string> names;  ///< of all players
  bool was_in = false;                    ///< it had entered before the recording began
  words::Enter enter;  ///< what it entered as, by its first Player; for a session that lacks an Enter
  Answers answers;
};

/// What became of those who play the recorded player. From any thread.
class PlayedBack {
 public:
  struct Player {
    std::uint32_t number = 0;  ///< from 0
    Answers answers;
    std::uint64_t said = 0, left_out = 0;  ///< wishes
    bool whole = false;                    ///< it stayed until the recorded player left
  };

  void add(Player player) {
    const std::lock_guard lock(mutex_);
    players_.push_back(std::move(player));
  }
  /// Those that are gone, by number.
  std::vector<Player> players() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Player> players_;
};

/// As above. Also, whether its connection ended too early: that is no answer.
std::vector<std::string> differences(const Answers& before, const PlayedBack::Player& now);

/// A front without a client that plays the recorded player under this name. `recorded` and `results` outlive it.
class PlayingBack final : public core::BotFront {
 public:
  PlayingBack(const RecordedPlayer& recorded, PlayedBack& results, std::uint32_t number, std::string name)
      : recorded_(recorded), results_(results), name_(std::move(name)) {
    player_.number = number;
  }
  ~PlayingBack() override { results_.add(std::move(player_)); }

  void opened(const core::Peer& peer, core::FrontOut& out) override;
  void receive(const Frames&, core::FrontOut&) override {}
  void hear(const core::Fact& fact, core::FrontOut& out) override;
  void tick(core::FrontOut& out) override;
  const core::BotTally& tally() const override { return tally_; }

 private:
  bool enter_next();
  core::Micros due_next() const;
  core::Micros due(core::Micros recorded) const;
  bool say(const core::Intent& recorded, core::FrontOut& out);
  core::Id now_called(core::Id recorded, core::FrontOut& out) const;
  void refuse(const std::string& why, core::FrontOut& out);

  const RecordedPlayer& recorded_;
  PlayedBack& results_;
  const std::string name_;
  PlayedBack::Player player_;
  core::BotTally tally_;
  core::Micros opened_ = 0;
  std::optional<core::Micros> ready_;  // when it knew the world
  std::size_t next_ = 0;               // of the wishes
  std::size_t entering_ = 0;           // those before this one need not wait for the world
};

}  // namespace entente
