// Bans that operators of a simulation order, and what must come of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/lab/kernel/kernel.h"
#include "tests/lab/plan.h"

namespace entente::lab {

class BanOrders {
 public:
  struct Given {
    bool bans = false;  ///< else it lifts the ban
    std::string answer;
    bool done() const { return answer.starts_with("ok"); }
  };
  /// Bans one of a few networks, for ever or for some seconds, or lifts its ban. `ask` gives the order, and returns the
  /// answer.
  Given give(Draw& draw, const std::function<std::string(const std::string& line)>& ask);

  /// How many orders each network has got, of those for which none is under way.
  std::map<std::string, std::size_t> settled() const;
  /// `answer`: to `bans`. What is wrong with it, in words. `since`: settled() when it was asked for; networks that got
  /// an order since then are left out, and those of which the last order was not answered, or together with another.
  /// So are bans that end, after a step of the wall clock, because a restarted program has only the wall time of the
  /// end.
  std::vector<std::string> check(const std::string& answer, const std::map<std::string, std::size_t>& since) const;
  std::vector<std::string> check(const std::string& answer) const { return check(answer, settled()); }

 private:
  struct Its {
    std::size_t given = 0, under_way = 0;
    std::optional<bool> banned{};  // as the last order wants it; nothing: unknown
    std::optional<Nanos> ends{};   // when the ban ends, within kMostLate; nothing: never
    Nanos wall_ahead = 0;          // of the time of the simulation, when the order was given
  };
  std::map<std::string, Its> networks_;
};

}  // namespace entente::lab
