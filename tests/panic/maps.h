// Maps for tests, as the text of a .map file.
#pragma once

#include <string>

namespace entente::panic {

/// Land with a wall all round: the edge cannot be shot over.
inline std::string walled_map(int columns, int rows) {
  std::string text = "Yard\n1\n1\n2\n" + std::to_string(columns) + "\n" + std::to_string(rows) +
                     "\n1,4;1,5;1,6\n26,13;26,14;26,15\n\n";
  const auto edge = std::string(static_cast<std::size_t>(columns), '0') + "\n";
  text += edge;
  for (int row = 2; row < rows; ++row) text += "0" + std::string(static_cast<std::size_t>(columns - 2), '3') + "0\n";
  return text + edge;
}

}  // namespace entente::panic
