// Counts rows (rows.h): a score board, who killed whom, and a timeline. For `entente stats`.
// Invariant: what it keeps is bounded, whatever a recording has. What exceeds the bounds is counted, but not told
// apart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proxy/program/numbers/rows.h"

namespace entente::numbers {

/// The counts of a player: of all stays under one name, as if there were no time between them. Stays under one name
/// that overlap are those of different players.
struct PlayerCounts {
  std::string name, team, role;
  std::int64_t stays = 1;
  double joined_s = 0, left_s = 0;  ///< of the first and the last stay
  bool there = false;               ///< at the end of the recording
  std::int64_t kills = 0, deaths = 0, team_kills = 0, own_deaths = 0, captures = 0, streak = 0;
  std::int64_t shots = 0, hits = 0;
  std::int64_t wins = 0, losses = 0;  ///< as the server told them, added for all stays
  bool scored = false;                ///< the server told them
  double distance_m = 0, alive_s = 0, longest_life_s = 0;
  double rtt_ms = kUnknown;  ///< mean
};

/// Something on the timeline.
struct Moment {
  enum class What { kDeath, kCapture, kMatch };
  double time_s = 0;
  What what = What::kDeath;
  std::size_t player = 0, by = 0;  ///< places in players() plus 1; 0: nobody. Of a death: who died, and the killer
  std::string text;                ///< of a death: why; of a capture: the team
  bool team_kill = false;          ///< a death by the own team, which does not count as a kill
};

class Statistics final : public RowSink {
 public:
  static constexpr std::size_t kMostStays = 20'000, kMostPairs = 200'000, kMostMoments = 50'000, kMostMatches = 1'000,
                               kMostCauses = 100, kMostTeams = 100;

  void take(const Row& row) override;
  /// After the last row: the best first. REQUIRES: called once, before the others.
  void finish();

  const std::vector<PlayerCounts>& players() const { return players_; }
  /// The number of kills by killer and victim (places in players()). A player who died without a killer counts as the
  /// killer, too.
  const std::map<std::pair<std::size_t, std::size_t>, std::int64_t>& pairs() const { return paired_; }
  const std::vector<Match>& matches() const { return matches_; }
  const std::vector<Moment>& moments() const { return moments_; }
  const std::map<std::string, std::int64_t>& causes() const { return causes_; }
  const std::map<std::string, TeamScore>& teams() const { return teams_; }  ///< as last told
  /// The place of a row's player in players() plus 1; 0: unknown.
  std::size_t place_of(Ref player) const;

  /// Of the play, which may begin after the file.
  double length_s() const { return matches_.empty() ? ended_ : ended_ - matches_.front().began_s; }
  double ended_s() const { return ended_; }
  std::int64_t deaths() const { return deaths_; }
  std::int64_t kills() const { return kills_; }
  std::int64_t captures() const { return captures_; }
  /// Rows that are not told apart, because there were too many.
  std::int64_t beyond() const { return beyond_; }
  /// Whether the game's server tells every hit, so that hits and shots can be compared.
  bool tells_hits() const;
  /// The game that most matches were of.
  std::string game() const;

 private:
  struct PlayerStay {
    PlayerCounts counts;
    std::int64_t first_run = 0, run = 0;  // kills before the first death and since the last one
    bool died = false;
    double rtt_sum = 0;
    std::int64_t rtt_count = 0;
  };
  template <class T>
  void count(const T&) {}
  void count(const Match& match);
  void count(const Player& player);
  void count(const Life& life);
  void count(const Shot& shot);
  void count(const Hit& hit);
  void count(const Death& death);
  void count_death_by_capture(const Death& death);
  void count(const Capture& capture);
  void count(const Score& score);
  void count(const TeamScore& score);
  void count(const Latency& latency);
  PlayerStay* stay(Ref player);
  static void end_run(PlayerStay& victim);
  static void add_stay(const PlayerStay& later, PlayerStay& all);
  void add(Moment moment);

  std::map<std::int64_t, PlayerStay> stays_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> pairs_;  // of stays
  std::map<std::int64_t, std::size_t> places_;
  std::vector<PlayerCounts> players_;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> paired_;
  std::vector<Match> matches_;
  std::vector<Moment> moments_;
  std::map<std::string, std::int64_t> causes_;
  std::map<std::string, TeamScore> teams_;
  double ended_ = 0;
  std::int64_t deaths_ = 0, kills_ = 0, captures_ = 0, beyond_ = 0;
};

}  // namespace entente::numbers
