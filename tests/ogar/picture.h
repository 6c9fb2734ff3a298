// The picture on a client's screen, built only from the messages that the client received, of any version.
// Invariant: it depends only on the wire format, not on how our faces translate one version to another.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "adapters/ogar/wire/messages.h"
#include "adapters/ogar/wire/text.h"

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

  Picture() = default;
  /// For a client of that legacy version.
  explicit Picture(std::uint32_t version) : version_(version) {}

  void take(const ogar::Message& message) {
    std::visit([&](const auto& one) { take(one); }, message);
  }
  template <class T>
  void take(const T&) {}

  // -- modern3
  void take(const ogar::Pong&) { ++pongs; }
  void take(const ogar::Update& update) {
    ++updates;
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
        if (!cells.contains(eaten.killer) || !cells.contains(eaten.killed)) ++unknown_eats;
        ++eats;
      }
    if ((update.flags & ogar::kRemoved) != 0)
      for (const auto id : update.removed) removes += cells.erase(id);
    if ((update.flags & ogar::kWorldInfo) != 0) world = update.world;
  }

  // -- Legacy versions
  void take(const ogar::UpdateNodes& nodes) {
    ++updates;
    for (const auto& one : nodes.eaten) {
      if (!cells.contains(one.killer) || !cells.contains(one.killed)) ++unknown_eats;
      ++eats;
    }
    for (const auto& node : nodes.nodes) cells.contains(node.id) ? change(node) : add(node);
    for (const auto id : nodes.removed) removes += cells.erase(id);
  }
  void take(const ogar::AddNode& own) { own_.insert(own.id); }
  void take(const ogar::ClearAll&) {
    cells.clear();
    own_.clear();
  }
  void take(const ogar::UpdatePosition& at) { camera = {at.x, at.y, at.scale}; }
  void take(const ogar::SetBorder& at) {
    border = {static_cast<float>(at.left), static_cast<float>(at.right), static_cast<float>(at.top),
              static_cast<float>(at.bottom)};
  }
  void take(const ogar::ChatMessage& line) {
    chat += std::to_string(line.flags >> 7U) + " " + std::to_string(line.colour[0]) + " " + chars(line.name) + ": " +
            chars(line.text) + "\n";
  }
  void take(const ogar::Leaderboard& told) {
    board = {};
    for (const auto& row : told.rows) {
      const bool me = row.mark != 0 && (version_ == 6 || own_.contains(row.mark));
      add_row(me, board.rows.size() + 1, chars(row.name));
    }
  }
  void take(const ogar::RankedLeaderboard& told) {
    board = {};
    for (const auto& row : told.rows)
      add_row((row.flags & 8) != 0, (row.flags & 1) != 0 ? row.rank : board.rows.size() + 1,
              (row.flags & 2) != 0 ? row.name.chars : "");
  }
  void take(const ogar::LeaderboardText& told) {
    board = {};
    board.type = 3;
    for (const auto& line : told.lines) board.lines.emplace_back().chars = chars(line.text);
  }
  void take(const ogar::TeamLeaderboard& told) {
    board = {};
    board.type = 2;
    for (const auto& slice : told.slices) board.slices.push_back(slice.weight);
  }
  void take(const ogar::ServerStat& told) { stats = told.json.wide ? ogar::narrow(told.json.chars) : told.json.chars; }

  std::map<std::uint32_t, Cell> cells;
  ogar::Border border;
  ogar::Camera camera;
  ogar::Board board;
  ogar::WorldInfo world;
  std::string chat, stats;
  std::size_t updates = 0, pongs = 0, adds = 0, removes = 0, eats = 0, unknown_eats = 0, mismatched = 0;

 private:
  void add(const ogar::AddedCell& cell) {
    ++adds;
    if (cells.contains(cell.id)) ++mismatched;
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
      ++mismatched;
      return;
    }
    Cell& cell = at->second;
    if ((to.flags & 1) != 0) cell.x = to.x, cell.y = to.y;
    if ((to.flags & 2) != 0) cell.size = to.size;
    if ((to.flags & 4) != 0) cell.colour = to.colour;
    if ((to.flags & 8) != 0) cell.name = to.name.chars;
    if ((to.flags & 16) != 0) cell.skin = to.skin.chars;
  }

  void add(const ogar::Node& node) {
    ++adds;
    const bool pellet = version_ >= 11 && (node.flags & 128) != 0 && node.extra == 1;
    const auto type = (node.flags & 1) != 0    ? ogar::CellType::kVirus
                      : (node.flags & 32) != 0 ? ogar::CellType::kEjected
                      : pellet                 ? ogar::CellType::kPellet
                                               : ogar::CellType::kPlayer;
    cells[node.id] = {type, 0, 0, 0, {}, own_.contains(node.id), "", ""};
    change(node);
  }
  /// In the oldest versions, an empty name means an unchanged name.
  void change(const ogar::Node& node) {
    Cell& cell = cells[node.id];
    cell.x = static_cast<float>(node.x);
    cell.y = static_cast<float>(node.y);
    cell.size = node.size;
    if (version_ < 6 || (node.flags & 2) != 0) cell.colour = node.colour;
    if ((node.flags & 4) != 0) cell.skin = node.skin.chars;
    if (version_ < 6 ? !node.name.chars.empty() : (node.flags & 8) != 0) cell.name = chars(node.name);
  }
  void add_row(bool me, std::size_t position, const std::string& name) {
    ogar::BoardRow& row = board.rows.emplace_back();
    row.position = static_cast<std::uint16_t>(position);
    row.flags = me ? 3 : 0;
    row.name.chars = name;
  }
  std::string chars(const wire::ZText& text) const { return ogar::text_of(text, version_ == 4 || version_ == 5); }

  std::uint32_t version_ = 0;
  std::set<std::uint32_t> own_;
};

}  // namespace entente::testing
