// The filter of `inspect`.
// Invariant: a connection given as digits is a number if the file has that many connections, or is followed; otherwise
// it is a part of a name.
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
  /// A message of a game. Ignores case.
  bool message(std::string_view name) const { return options_.players.empty() && named(name); }
  /// A word, whoever it is about: by its name in the schema ("TokenTaken") or in the contract ("token_taken").
  bool word(const google::protobuf::Message& word) const;
  /// Worlds are listed as "world".
  bool world() const { return message("world"); }
  /// Whether everything is wanted, also data that is not a message.
  bool anything() const { return options_.messages.empty() && options_.players.empty(); }
  bool time(WallTime since_start) const;
  /// Whether everything that is wanted has been read.
  bool over(WallTime since_start) const { return static_cast<double>(since_start) / 1e9 > options_.until; }

 private:
  bool named(std::string_view name) const;

  const InspectOptions& options_;
  std::set<ConnectionId> numbers_;  // of connections, from 1
  std::vector<std::string> parts_;  // of names
};

}  // namespace entente
