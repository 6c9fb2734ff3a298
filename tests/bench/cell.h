// One cell of the table: a number of players through one relay for some time, and the results.
#pragma once

#include <sys/types.h>

#include <vector>

#include "tests/bench/histogram.h"
#include "tests/bench/sockets.h"

namespace entente::bench {

struct Cell {
  Kind kind = Kind::kTcp;
  bool bridged = false;         ///< the server is native, and the messages are MsgPlayerUpdate over TCP
  std::vector<sockaddr_in> to;  ///< one or more relays; the players are shared out among them
  unsigned connections = 1;
  double seconds = 2;  ///< measured, after a warm-up of a fifth of it
  double rate = 0;     ///< messages per second of all players together, at random times; 0 = as fast as answers come
  std::vector<pid_t> relays;  ///< processes whose CPU time counts, with their children; 0 = none
};

struct Report {
  std::uint64_t messages = 0;  ///< round trips finished
  double seconds = 0;
  double cpu_seconds = 0;     ///< of the relay
  std::uint64_t lost = 0;     ///< datagrams that did not come back
  std::uint64_t skipped = 0;  ///< messages not sent because too many were unanswered: the rate is too high
  Histogram latency;          ///< from the intended time of sending a message to its answer
};

/// CPU seconds of a process and all its descendants so far; 0 for pid 0.
double cpu_of(pid_t pid);

}  // namespace entente::bench
