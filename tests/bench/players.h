// The clients of one cell: they join like BZFlag players, then send and count.
// Invariant: a message's latency begins at its intended time of sending, not at its actual one (no coordinated
// omission).
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "tests/bench/cell.h"
#include "tests/bench/clock.h"

namespace entente::bench {

class Players {
 public:
  Players(Poll& poll, const Cell& cell);
  ~Players();

  Report run();

 private:
  struct Player;

  void join();
  double cpu() const;
  void play(Nanos until);
  void send_due(Nanos now);
  void resend_lost(Nanos now);
  void answered(Player& player, Nanos intended);

  Poll& poll_;
  Cell cell_;
  std::vector<std::unique_ptr<Player>> players_;
  std::size_t joined_ = 0;
  bool playing_ = false;
  std::size_t next_ = 0;           // the next player to send, when paced
  double next_at_ = 0;             // ns
  std::minstd_rand random_{2026};  // the same times for every relay
  Report report_;
};

}  // namespace entente::bench
