// Those who wait for something that is given to one at a time. Networks take turns; within a network, who came first is
// first.
// Invariant: whoever waits is passed by at most one of each other network, and by those of its own network who came
// before.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "proxy/core/word.h"

namespace entente::core {

class NetworkTurns {
 public:
  bool empty() const { return turns_.empty(); }
  /// `network`: as Peer::network. REQUIRES: `who` does not wait yet.
  void add(std::string_view network, Id who) {
    const auto [line, is_new] = lines_.try_emplace(std::string(network));
    line->second.push_back(who);
    if (is_new) turns_.push_back(line);
  }
  /// Whose turn it is. REQUIRES: not empty().
  Id first() const { return turns_.front()->second.front(); }
  /// Removes the first one. Its network goes to the back. REQUIRES: not empty().
  void pop() {
    const auto line = turns_.front();
    turns_.pop_front();
    line->second.pop_front();
    if (line->second.empty())
      lines_.erase(line);
    else
      turns_.push_back(line);
  }

 private:
  using Lines = std::map<std::string, std::deque<Id>>;
  Lines lines_;                        // of those with somebody who waits, by network
  std::deque<Lines::iterator> turns_;  // the same, in the order of their turns
};

}  // namespace entente::core
