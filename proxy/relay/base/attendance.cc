#include "proxy/relay/base/attendance.h"

namespace entente::relay {

void Attendance::came(const words::Player& player, const std::string& game_dialect) {
  const std::lock_guard lock(mutex_);
  Row& row = rows_[game_dialect];
  row.game_dialect = game_dialect;
  ++row.players;
  ++row.present;
  ++summary_.players;
  if (row.names.size() < kMostNames) row.names.push_back(player.name());
  there_[player.id()] = &row;
}

void Attendance::left(core::Id player) {
  const auto at = there_.find(player);
  if (at == there_.end()) return;
  const std::lock_guard lock(mutex_);
  --at->second->present;
  --summary_.players;
  there_.erase(at);
}

void Attendance::room_ended() {
  const std::lock_guard lock(mutex_);
  for (auto& [game_dialect, row] : rows_) row.present = 0;
  summary_.players = 0;
  there_.clear();
}

/// Counts a death and a kill. A suicide is a death, but no kill. If the server takes a player out of play, or a capture
/// kills a whole team, that is neither, as in the score of bzfs.
void Attendance::died(const words::Died& died) {
  if (died.why() == words::BY_SERVER || died.why() == words::BY_CAPTURE) return;
  const auto victim = there_.find(died.player()), killer = there_.find(died.killer());
  const std::lock_guard lock(mutex_);
  if (victim != there_.end()) ++victim->second->deaths;
  if (killer != there_.end() && died.killer() != died.player()) ++killer->second->kills;
}

void Attendance::described(const words::Room& room) {
  const std::lock_guard lock(mutex_);
  summary_.mode = room.mode();
  summary_.most_players = room.most_players();
}

void Attendance::named(const std::string& map) {
  const std::lock_guard lock(mutex_);
  summary_.map = map;
}

Attendance::Summary Attendance::summary() const {
  const std::lock_guard lock(mutex_);
  return summary_;
}

std::vector<Attendance::Row> Attendance::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<Row> all;
  for (const auto& [game_dialect, row] : rows_) all.push_back(row);
  return all;
}

}  // namespace entente::relay
