// The server of the load: it greets, links UDP, and sends every message back unchanged.
// Invariant: it never waits; the load keeps so few messages in flight that a socket cannot fill up.
#pragma once

#include <list>
#include <memory>

#include "tests/bench/sockets.h"

namespace entente::bench {

class Echo : public Watched {
 public:
  explicit Echo(Poll& poll);
  ~Echo() override;

  void ready(std::uint32_t events) override;  ///< connections to be accepted
  std::uint16_t port() const { return port_.number; }
  std::size_t connections() const { return players_.size(); }
  /// Removes the players who have left. Call it between turns.
  void sweep();

 private:
  struct Player;
  struct Datagrams;

  void link(std::uint8_t id, const sockaddr_in& from);

  Poll& poll_;
  Port port_;
  std::list<Player> players_;
  bool some_left_ = false;
  std::uint8_t next_id_ = 0;
  std::unique_ptr<Datagrams> datagrams_;
};

}  // namespace entente::bench
