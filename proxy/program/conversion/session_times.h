// The sessions of a file and when they were there, found by reading all of it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "proxy/program/import/file.h"

namespace entente {

/// A connection, with the one that carries its datagrams.
struct SessionTime {
  std::string name;  ///< for people
  std::uint32_t link = 0;
  bool continues = false;  ///< it began before the file
  WallTime first = 0, last = 0;
  std::set<ConnectionId> ids = {};

  WallTime length() const { return last - first; }
};

struct SessionTimes {
  std::vector<SessionTime> all;  ///< in the order in which they begin
  bool hides = false;            ///< players of some game see different things
  bool whole = false;            ///< the file could be read to its end
};

SessionTimes session_times(const RecordedFile& file);

}  // namespace entente
