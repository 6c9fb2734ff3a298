#include "proxy/core/grid.h"

namespace entente::core {

void Grid::place(Id id, double x, double y) {
  const std::uint64_t cell = key(line(x), line(y));
  const auto [at, is_new] = where_.try_emplace(id, Where{cell, 0});
  Where& where = at->second;
  if (!is_new && where.cell == cell) {
    cells_[cell][where.index] = {id, x, y};
    return;
  }
  if (!is_new) take_out(where);
  Cell& into = cells_[cell];
  where = {cell, into.size()};
  into.push_back({id, x, y});
}

void Grid::remove(Id id) {
  const auto at = where_.find(id);
  if (at == where_.end()) return;
  take_out(at->second);
  where_.erase(at);
}

/// The last of its cell takes its place.
void Grid::take_out(const Where& where) {
  Cell& cell = cells_[where.cell];
  cell[where.index] = cell.back();
  where_.at(cell[where.index].id).index = where.index;
  cell.pop_back();
}

}  // namespace entente::core
