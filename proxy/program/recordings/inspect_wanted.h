// The filter of `inspect`.
// Law: a connection given as digits is a number if the file has that many connections; otherwise it is a part of a
// name.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/program/recordings/inspect.h"

namespace entente {

class Wanted {
 public:
  /// May read the file, to count its connections. `options` must outlive this.
  Wanted(const RecordedFile& file, const InspectOptions& options);

  bool connection(ConnectionId id, const std::string& name) const;
  bool way(wire::Way way) const { return options_.way.empty() || options_.way == wire::text(way); }
  /// Ignores case.
  bool message(std::string_view name) const;
  /// Also for data that is not a message.
  bool anything() const { return options_.messages.empty(); }
  bool time(WallTime since_start) const;
  /// Everything that is wanted has been read.
  bool over(WallTime since_start) const { return static_cast<double>(since_start) / 1e9 > options_.until; }

 private:
  const InspectOptions& options_;
  std::set<ConnectionId> numbers_;  // of connections, from 1
  std::vector<std::string> parts_;  // of names
};

}  // namespace entente
