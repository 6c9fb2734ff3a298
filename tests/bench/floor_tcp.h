// The minimal TCP relay: each turn reads everything that is ready, then writes it all.
// Invariant: no allocation and no epoll_ctl while no socket is full; if a peer does not read, its sender is not read
// either.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "proxy/base/bytes.h"
#include "tests/bench/sockets.h"

namespace entente::bench {

class FloorTcp : public Watched {
 public:
  FloorTcp(Poll& poll, Fd listener, const sockaddr_in& to);
  ~FloorTcp() override;

  void ready(std::uint32_t events) override;  ///< the listener has connections
  /// Writes what this turn read. Call it after each turn of the poll.
  void flush();

 private:
  struct End;
  struct Pair;
  struct Run {  ///< bytes read this turn; no bytes = the sender has ended
    End* to;
    Bytes bytes;
  };

  void read_from(End& end);
  void write_to(End& end, Bytes bytes);
  void drain(End& end);
  void shut_if_done(End& end);
  void interest(End& end);

  Poll& poll_;
  Fd listener_;
  sockaddr_in to_;
  std::list<Pair> pairs_;
  bool some_dead_ = false;
  Buffer scratch_;
  std::size_t used_ = 0;
  std::vector<Run> runs_;
};

}  // namespace entente::bench
