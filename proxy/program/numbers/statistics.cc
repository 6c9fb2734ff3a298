#include "proxy/program/numbers/statistics.h"

#include <algorithm>
#include <cmath>

#include "proxy/program/numbers/word_names.h"

namespace entente::numbers {
namespace {

bool is_better(const PlayerCounts& a, const PlayerCounts& b) {
  const bool fights = a.kills + a.deaths != 0;
  if (fights != (b.kills + b.deaths != 0)) return fights;
  if (a.kills != b.kills) return a.kills > b.kills;
  if (a.deaths != b.deaths) return a.deaths < b.deaths;
  return a.name < b.name;
}

}  // namespace

/// Stays that can be the same player's: one after the other, under one name.
void Statistics::add_stay(const PlayerStay& later, PlayerStay& all) {
  PlayerCounts& line = all.counts;
  line.team = later.counts.team;
  line.role = later.counts.role;
  line.stays += later.counts.stays;
  line.left_s = later.counts.left_s;
  line.there = later.counts.there;
  line.kills += later.counts.kills;
  line.deaths += later.counts.deaths;
  line.team_kills += later.counts.team_kills;
  line.own_deaths += later.counts.own_deaths;
  line.captures += later.counts.captures;
  line.streak = std::max({line.streak, later.counts.streak, all.run + later.first_run});
  line.shots += later.counts.shots;
  line.hits += later.counts.hits;
  line.wins += later.counts.wins;
  line.losses += later.counts.losses;
  line.scored = line.scored || later.counts.scored;
  line.distance_m += later.counts.distance_m;
  line.alive_s += later.counts.alive_s;
  line.longest_life_s = std::max(line.longest_life_s, later.counts.longest_life_s);
  all.run = later.died ? later.run : all.run + later.run;
  all.rtt_sum += later.rtt_sum;
  all.rtt_count += later.rtt_count;
}

void Statistics::end_run(PlayerStay& victim) {
  victim.run = 0;
  victim.died = true;
}

void Statistics::take(const Row& row) {
  std::visit([this](const auto& one) { count(one); }, row);
}

Statistics::PlayerStay* Statistics::stay(Ref player) {
  if (player.number == 0) return nullptr;
  const auto at = stays_.find(player.number);
  if (at != stays_.end()) return &at->second;
  if (stays_.size() >= kMostStays) return ++beyond_, nullptr;
  return &stays_[player.number];
}

void Statistics::add(Moment moment) {
  if (moments_.size() < kMostMoments)
    moments_.push_back(std::move(moment));
  else
    ++beyond_;
}

void Statistics::count(const Match& match) {
  ended_ = std::max(ended_, match.ended_s);
  if (matches_.size() >= kMostMatches) return void(++beyond_);
  matches_.push_back(match);
  if (match.match > 1) add({match.began_s, Moment::What::kMatch, 0, 0, match.map});
}

void Statistics::count(const Player& player) {
  PlayerStay* one = stay({player.player});
  if (one == nullptr) return;
  PlayerCounts& counts = one->counts;
  counts.name = player.name;
  counts.team = player.team;
  counts.role = player.role;
  counts.joined_s = player.joined_s;
  counts.there = std::isnan(player.left_s);
  counts.left_s = counts.there ? std::numeric_limits<double>::infinity() : player.left_s;
  counts.wins = player.wins;
  counts.losses = player.losses;
}

void Statistics::count(const Life& life) {
  PlayerStay* one = stay(life.player);
  if (one == nullptr) return;
  one->counts.alive_s += life.length_s;
  one->counts.longest_life_s = std::max(one->counts.longest_life_s, life.length_s);
  one->counts.distance_m += life.distance_m;
}

void Statistics::count(const Shot& shot) {
  if (PlayerStay* one = stay(shot.player)) ++one->counts.shots;
}

void Statistics::count(const Hit& hit) {
  if (PlayerStay* one = stay(hit.shooter)) ++one->counts.hits;
}

/// A capture kills a team at once. Like bzfs, this counts neither kills nor deaths for it (captureFlag in bzfs.cxx at
/// v2.4.26): the score is the capture.
void Statistics::count_death_by_capture(const Death& death) {
  if (PlayerStay* victim = stay(death.victim)) end_run(*victim);
  add({death.time_s, Moment::What::kDeath, static_cast<std::size_t>(death.victim.number), 0, death.why});
}

void Statistics::count(const Death& death) {
  if (causes_.size() < kMostCauses || causes_.contains(death.why))
    ++causes_[death.why];
  else
    ++beyond_;
  if (death.why == name_of(words::BY_CAPTURE)) return count_death_by_capture(death);
  ++deaths_;
  PlayerStay *victim = stay(death.victim), *killer = stay(death.killer);
  const bool killed = killer != nullptr && killer != victim;
  if (killed && death.team_kill) ++killer->counts.team_kills;
  if (killed && !death.team_kill) {
    ++kills_;
    ++killer->counts.kills;
    killer->counts.streak = std::max(killer->counts.streak, ++killer->run);
    if (!killer->died) ++killer->first_run;
  }
  if (victim != nullptr) {
    ++victim->counts.deaths;
    end_run(*victim);
    if (!killed) ++victim->counts.own_deaths;
  }
  const std::pair pair{killed ? death.killer.number : death.victim.number, death.victim.number};
  if (pairs_.size() < kMostPairs || pairs_.contains(pair))
    ++pairs_[pair];
  else
    ++beyond_;
  add({death.time_s, Moment::What::kDeath, static_cast<std::size_t>(death.victim.number),
       static_cast<std::size_t>(killed ? death.killer.number : 0), death.why, killed && death.team_kill});
}

void Statistics::count(const Capture& capture) {
  ++captures_;
  if (PlayerStay* one = stay(capture.player)) ++one->counts.captures;
  add({capture.time_s, Moment::What::kCapture, static_cast<std::size_t>(capture.player.number), 0, capture.team});
}

void Statistics::count(const Score& score) {
  if (PlayerStay* one = stay(score.player)) one->counts.scored = true;
}

void Statistics::count(const TeamScore& score) {
  if (teams_.size() < kMostTeams || teams_.contains(score.team))
    teams_[score.team] = score;
  else
    ++beyond_;
}

void Statistics::count(const Latency& latency) {
  PlayerStay* one = stay(latency.player);
  if (one == nullptr || !std::isfinite(latency.rtt_ms)) return;
  one->rtt_sum += latency.rtt_ms;
  ++one->rtt_count;
}

void Statistics::finish() {
  struct Group {
    PlayerStay all;
    std::vector<std::int64_t> stays;
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> named;  // the group that has a name, last
  std::vector<std::pair<std::int64_t, const PlayerStay*>> in_order;
  for (const auto& [number, one] : stays_) in_order.emplace_back(number, &one);
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto& a, const auto& b) { return a.second->counts.joined_s < b.second->counts.joined_s; });
  for (const auto& [number, one] : in_order) {
    const auto known = named.find(one->counts.name);
    if (known != named.end() && !one->counts.name.empty() &&
        groups[known->second].all.counts.left_s <= one->counts.joined_s) {
      add_stay(*one, groups[known->second].all);
      groups[known->second].stays.push_back(number);
      continue;
    }
    named[one->counts.name] = groups.size();
    groups.push_back({*one, {number}});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return is_better(a.all.counts, b.all.counts); });
  for (Group& group : groups) {
    for (const std::int64_t number : group.stays) places_[number] = players_.size() + 1;
    PlayerCounts& counts = group.all.counts;
    counts.left_s = std::min(counts.left_s, ended_);
    if (group.all.rtt_count != 0) counts.rtt_ms = group.all.rtt_sum / static_cast<double>(group.all.rtt_count);
    players_.push_back(std::move(counts));
  }
  for (const auto& [pair, times] : pairs_) {
    const std::size_t killer = place_of({pair.first}), victim = place_of({pair.second});
    if (killer != 0 && victim != 0) paired_[{killer - 1, victim - 1}] += times;
  }
  for (Moment& moment : moments_) {
    moment.player = place_of({static_cast<std::int64_t>(moment.player)});
    moment.by = place_of({static_cast<std::int64_t>(moment.by)});
  }
  std::stable_sort(moments_.begin(), moments_.end(),
                   [](const Moment& a, const Moment& b) { return a.time_s < b.time_s; });
  stays_.clear();
  pairs_.clear();
}

std::size_t Statistics::place_of(Ref player) const {
  const auto at = places_.find(player.number);
  return at == places_.end() ? 0 : at->second;
}

/// Servers of Ace of Spades tell only the recorded player's health.
bool Statistics::tells_hits() const { return game() != "aos"; }

std::string Statistics::game() const {
  std::map<std::string, double> lengths;
  std::string longest;
  for (const Match& match : matches_) {
    const double length = lengths[match.game] += match.ended_s - match.began_s;
    if (longest.empty() || length > lengths[longest]) longest = match.game;
  }
  return longest;
}

}  // namespace entente::numbers
