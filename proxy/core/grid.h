// Which units are near: an unbounded square grid.
// Invariant: a unit is in the one cell that contains its place; a unit without a place is in none. Moving within a
// cell, and between known cells, allocates nothing. At most twice as many cells are kept as there are units, and
// kMostSpare; a cell has room for at most four times its units, or for kSmall. Units are seen in an order that depends
// only on the calls so far.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "proxy/base/keyed_hash.h"

namespace entente::core {

/// `T` identifies a unit: an id, or a pointer to it.
template <class T>
class Grid {
 public:
  static constexpr std::size_t kMostSpare = 1'024;  ///< cells
  static constexpr std::size_t kSmall = 32;         ///< units

  /// `side`: metres; best about the size of a view.
  explicit Grid(double side) : side_(side) {}

  /// Where the unit is now, in metres. Adds it if it is new.
  void place(T unit, double x, double y) {
    const std::uint64_t key = key_of(line(x), line(y));
    const auto [at, is_new] = where_.try_emplace(unit);
    Where& where = at->second;
    if (!is_new && cells_[where.cell].key == key) {
      cells_[where.cell].entries[where.index] = {unit, x, y};
      return;
    }
    if (!is_new) take_out(where);
    const auto [known, is_new_cell] = numbers_.try_emplace(key, cells_.size());
    if (is_new_cell) cells_.push_back({key, {}});
    std::vector<Entry>& into = cells_[known->second].entries;
    where = {known->second, into.size()};
    into.push_back({unit, x, y});
    limit_cells();
  }

  /// Does nothing if it is not there.
  void remove(T unit) {
    const auto at = where_.find(unit);
    if (at == where_.end()) return;
    take_out(at->second);
    where_.erase(at);
    limit_cells();
  }

  /// Calls `see(T)` for every unit in that box, whose edges, in metres, belong to it. `see` must not change the grid.
  template <class F>
  void in_box(double west, double east, double south, double north, F&& see) const {
    const std::int32_t left = line(west), right = line(east), low = line(south), high = line(north);
    // If the box has more cells than are in use, going through the cells is cheaper.
    if (static_cast<double>(right - left + 1) * (high - low + 1) > static_cast<double>(cells_.size())) {
      for (const Cell& cell : cells_) see_in(cell, west, east, south, north, see);
      return;
    }
    for (std::int32_t row = low; row <= high; ++row)
      for (std::int32_t column = left; column <= right; ++column)
        if (const auto cell = numbers_.find(key_of(column, row)); cell != numbers_.end())
          see_in(cells_[cell->second], west, east, south, north, see);
  }

  std::size_t cells() const { return cells_.size(); }  ///< with those that are empty
  std::size_t bytes() const {                          ///< in use for cells; goes through all of them
    std::size_t all = 0;
    for (const Cell& cell : cells_) all += sizeof(cell) + cell.entries.capacity() * sizeof(Entry);
    return all;
  }

 private:
  struct Entry {
    T unit;
    double x, y;
  };
  struct Cell {
    std::uint64_t key;
    std::vector<Entry> entries;
  };
  struct Where {
    std::size_t cell, index;
  };

  template <class F>
  static void see_in(const Cell& cell, double west, double east, double south, double north, F& see) {
    for (const Entry& entry : cell.entries)
      if (entry.x >= west && entry.x <= east && entry.y >= south && entry.y <= north) see(entry.unit);
  }
  static std::uint64_t key_of(std::int32_t column, std::int32_t row) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(column)) << 32U | static_cast<std::uint32_t>(row);
  }
  /// The column or row of a place. Places beyond 20'000 cells, and NaN, share the outermost cells.
  std::int32_t line(double place) const {
    const double at = std::floor(place / side_);
    return at > -2e4 && at < 2e4 ? static_cast<std::int32_t>(at) : at > 0 ? 20'000 : -20'000;
  }
  /// Removes a unit from its cell; the cell's last unit fills the gap.
  void take_out(const Where& where) {
    std::vector<Entry>& entries = cells_[where.cell].entries;
    entries[where.index] = entries.back();
    where_.at(entries[where.index].unit).index = where.index;
    entries.pop_back();
    if (entries.capacity() > kSmall && entries.capacity() > 4 * entries.size()) entries.shrink_to_fit();
  }
  /// Forgets the empty cells if there are too many.
  void limit_cells() {
    if (cells_.size() <= kMostSpare + 2 * where_.size()) return;
    std::erase_if(cells_, [](const Cell& cell) { return cell.entries.empty(); });
    numbers_.clear();
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      numbers_[cells_[i].key] = i;
      for (const Entry& entry : cells_[i].entries) where_.at(entry.unit).cell = i;
    }
  }

  double side_;
  std::vector<Cell> cells_;  // in the order in which they were made, which reaches what is sent
  std::unordered_map<std::uint64_t, std::size_t, KeyedHash<std::uint64_t>> numbers_;  // of cells_, by their keys
  std::unordered_map<T, Where, KeyedHash<T>> where_;
};

}  // namespace entente::core
