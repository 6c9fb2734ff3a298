// NativeServer on a port, for the players of bridges. Invariant: like the echo (echo.h), it never waits.
#pragma once

#include <list>

#include "tests/bench/native_server.h"
#include "tests/bench/sockets.h"

namespace entente::bench {

class NativeEcho : public Watched {
 public:
  explicit NativeEcho(Poll& poll);

  void ready(std::uint32_t events) override;  ///< connections to be accepted
  std::uint16_t port() const { return port_.number; }
  std::size_t connections() const { return players_.size(); }
  /// Removes the players who have left. Call it between turns.
  void sweep();

 private:
  struct Player : Watched {
    Player(NativeEcho& e, Fd accepted) : echo(e), fd(std::move(accepted)) {}
    void ready(std::uint32_t) override;
    void answer();

    NativeEcho& echo;
    Fd fd;
    NativeServer server;
    Buffer out;
    bool left = false;
  };

  Poll& poll_;
  Port port_;
  std::list<Player> players_;
  bool some_left_ = false;
};

}  // namespace entente::bench
