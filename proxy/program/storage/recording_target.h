// The files that a route or an arena is recorded into.
#pragma once

#include <string>

namespace entente {

struct RecordingTarget {
  std::string pattern;  ///< as in recording_path
  std::string game;
  std::size_t route = 1;
  std::string name = {};  ///< of the route
};

}  // namespace entente
