#include "adapters/ogar/front/scoreboard.h"

#include <algorithm>

#include "adapters/ogar/wire/text.h"

namespace entente::ogar {
namespace {

constexpr std::size_t kListedRows = 10;
constexpr int kMostCopied = 100;  // rows, slices or lines of a server's board
constexpr core::Micros kRound = 6 * core::kSecond, kPlayersShown = 4'500 * core::kMillisecond;
constexpr words::Team kSides[] = {words::RED, words::GREEN, words::BLUE, words::PURPLE};  // Ogar has the first three
constexpr unsigned kHighlighted = 1, kMe = 2;

bool same(const Board& a, const Board& b) {
  const auto row = [](const BoardRow& x, const BoardRow& y) {
    return x.position == y.position && x.flags == y.flags && x.name.chars == y.name.chars;
  };
  const auto line = [](const ZText& x, const ZText& y) { return x.chars == y.chars; };
  return a.type == b.type && a.slices == b.slices && std::ranges::equal(a.rows, b.rows, row) &&
         std::ranges::equal(a.lines, b.lines, line);
}

}  // namespace

bool Scoreboard::refresh(const core::WorldState& world, core::Id me, core::Micros now) {
  rows_ = 0;
  next_.type = 1;
  next_.slices.clear();
  next_.lines.clear();
  const words::Board& board = world.board();
  if (board.rows_size() > 0 || board.slices_size() > 0 || board.lines_size() > 0)
    copy(board);
  else if (world.room().teams() && !world.team_scores().empty() && now % kRound >= kPlayersShown)
    slice(world);
  else
    rank(world, me);
  next_.rows.resize(rows_);
  if (known_ && same(next_, shown_)) return false;
  std::swap(next_, shown_);
  known_ = true;
  return true;
}

void Scoreboard::copy(const words::Board& board) {
  const auto for_each = [](const auto& all, const auto& take) {
    for (int i = 0; i < std::min(all.size(), kMostCopied); ++i) take(all[i]);
  };
  for_each(board.rows(), [&](const words::Board::Row& row) {
    // As in OgarII, the client's own row is marked differently if it is not among the ten best.
    const bool me = row.me() && rows_ < kListedRows;
    add_row(row.place(), (row.marked() || row.me() ? kHighlighted : 0U) | (me ? kMe : 0U), row.name());
  });
  for_each(board.slices(), [&](float slice) { next_.slices.push_back(slice); });
  for_each(board.lines(), [&](const std::string& line) { set(next_.lines.emplace_back(), line); });
  if (board.slices_size() > 0) next_.type = 2;
  if (board.lines_size() > 0) next_.type = 3;
}

void Scoreboard::rank(const core::WorldState& world, core::Id me) {
  ranked_.clear();
  for (const auto& [id, player] : world.players())
    if (player.player.role() != words::WATCH)
      ranked_.push_back(
          {static_cast<std::int64_t>(player.score.wins()) - player.score.losses(), id, &player.player.name()});
  const auto before = [](const Ranked& a, const Ranked& b) {
    return a.points != b.points ? a.points > b.points : a.player < b.player;
  };
  const auto best = ranked_.begin() + static_cast<std::ptrdiff_t>(std::min(kListedRows, ranked_.size()));
  std::partial_sort(ranked_.begin(), best, ranked_.end(), before);
  for (auto row = ranked_.begin(); row != best; ++row)
    add_row(rows_ + 1, row->player == me ? kHighlighted | kMe : 0, *row->name);
  const auto mine = std::find_if(best, ranked_.end(), [&](const Ranked& row) { return row.player == me; });
  if (mine != ranked_.end()) {
    const auto better = std::count_if(best, ranked_.end(), [&](const Ranked& row) { return before(row, *mine); });
    add_row(kListedRows + static_cast<std::size_t>(better) + 1, kHighlighted, *mine->name);
  }
}

/// The pie of the teams: each team's share of all wins. Before the first win, teams that play have equal shares.
void Scoreboard::slice(const core::WorldState& world) {
  next_.type = 2;
  const auto& scores = world.team_scores();
  const auto plays = [&](words::Team side) { return scores.contains(side) || scores.empty(); };
  float all = 0;
  for (const words::Team side : kSides) {
    const auto at = scores.find(side);
    if (side == words::PURPLE && (at == scores.end() || at->second.size() == 0)) continue;
    next_.slices.push_back(at != scores.end() ? static_cast<float>(at->second.wins()) : 0);
    all += next_.slices.back();
  }
  if (all == 0)
    for (std::size_t i = 0; i < next_.slices.size(); ++i) all += next_.slices[i] = plays(kSides[i]) ? 1 : 0;
  for (float& share : next_.slices) share = all > 0 ? share / all : 1 / static_cast<float>(next_.slices.size());
}

void Scoreboard::add_row(std::size_t place, unsigned flags, std::string_view name) {
  if (rows_ == next_.rows.size()) next_.rows.emplace_back();
  BoardRow& row = next_.rows[rows_++];
  row.position = static_cast<std::uint16_t>(std::clamp<std::size_t>(place, 1, 65'535));
  row.flags = static_cast<std::uint8_t>(flags);
  set(row.name, name);
}

}  // namespace entente::ogar
