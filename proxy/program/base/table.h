// Rows of text in columns, for a terminal.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace entente {

template <std::size_t Columns>
using Rows = std::vector<std::array<std::string, Columns>>;

/// Each column is as wide as its widest cell; the last one is not padded.
template <std::size_t Columns>
std::string in_columns(const Rows<Columns>& rows) {
  std::array<std::size_t, Columns> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < Columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < Columns; ++i) line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    line += row.back();
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace entente
