// Ends connections that a library opened and cannot end itself.
// Invariant: a connection is ended only if two looks in a row found it.
#pragma once

#include <sys/types.h>

#include <set>
#include <vector>

#include "proxy/net/address.h"

namespace entente::net {

class StrayConnections {
 public:
  /// Shuts down the connections of this process to one of `peers` that were there at the last look, too; returns how
  /// many. They stay open: the next read of their owner finds the end. Looks at all descriptors of the process.
  int look(const std::vector<Address>& peers);
  /// The next look shuts nothing down.
  void forget() { seen_.clear(); }

 private:
  std::set<ino_t> seen_;  // by the inode, which no other socket has while this one is open
};

}  // namespace entente::net
