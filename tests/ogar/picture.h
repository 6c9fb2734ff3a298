// What a modern3 client has on its screen, from the messages it got and nothing else.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "adapters/ogar/messages.h"

namespace entente::testing {

class Picture {
 public:
  struct Cell {
    ogar::CellType type;
    float x, y;
    unsigned size;
    ogar::Colour colour;
    bool owned;
    std::string name, skin;
    bool operator==(const Cell&) const = default;
  };

  void take(const ogar::Update& update) {
    if ((update.flags & ogar::kClear) != 0) cells.clear();
    if ((update.flags & ogar::kBorder) != 0) border = update.border;
    if ((update.flags & ogar::kCamera) != 0) camera = update.camera;
    if ((update.flags & ogar::kBoard) != 0) board = update.board;
    if ((update.flags & ogar::kChat) != 0)
      for (const auto& line : update.chat)
        chat += std::to_string(line.by_server) + " " + std::to_string(line.colour[0]) + " " + line.name.chars + ": " +
                line.text.chars + "\n";
    if ((update.flags & ogar::kAdded) != 0)
      for (const auto& cell : update.added) add(cell);
    if ((update.flags & ogar::kUpdated) != 0)
      for (const auto& cell : update.updated) change(cell);
    if ((update.flags & ogar::kEaten) != 0)
      for (const auto& eaten : update.eaten) {
        if (!cells.contains(eaten.killer) || !cells.contains(eaten.killed)) ++strangers;
        ++eats;
      }
    if ((update.flags & ogar::kRemoved) != 0)
      for (const auto id : update.removed) removes += cells.erase(id);
  }

  std::map<std::uint32_t, Cell> cells;
  ogar::Border border;
  ogar::Camera camera;
  ogar::Board board;
  std::string chat;
  std::size_t adds = 0, removes = 0, eats = 0, strangers = 0, strays = 0;

 private:
  void add(const ogar::AddedCell& cell) {
    ++adds;
    if (cells.contains(cell.id)) ++strays;
    cells[cell.id] = {cell.type,
                      cell.x,
                      cell.y,
                      cell.size,
                      cell.colour,
                      (cell.flags & 1) != 0,
                      (cell.flags & 2) != 0 ? cell.name.chars : "",
                      (cell.flags & 4) != 0 ? cell.skin.chars : ""};
  }
  void change(const ogar::UpdatedCell& to) {
    const auto at = cells.find(to.id);
    if (at == cells.end()) {
      ++strays;
      return;
    }
    Cell& cell = at->second;
    if ((to.flags & 1) != 0) cell.x = to.x, cell.y = to.y;
    if ((to.flags & 2) != 0) cell.size = to.size;
    if ((to.flags & 4) != 0) cell.colour = to.colour;
    if ((to.flags & 8) != 0) cell.name = to.name.chars;
    if ((to.flags & 16) != 0) cell.skin = to.skin.chars;
  }
};

}  // namespace entente::testing
