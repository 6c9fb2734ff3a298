// A simulation of real games: players of all of them go through the proxy, by bridges and relays, to a server or into
// an arena, while servers die, stall and lie, hosts are cut off, operators act, and strangers send garbage.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/lab/games.h"
#include "tests/lab/recorded.h"
#include "tests/lab/watch.h"

namespace entente::lab {

class Town final : private Games {
 public:
  Town(Plan& plan, Verdict& verdict);
  void live();
  /// Afterwards: how many sessions the proxy had.
  std::size_t sessions() const { return followed_.sessions().size(); }

 private:
  // -- Its programs: town.cc
  bool open_proxy(relay::ProxyServer& server);
  relay::RouteOptions through(const Way& way);
  Way& way_of(std::size_t route);
  bool close();

  // -- What must hold: town.cc
  std::size_t kept() const;
  void check_memory_at_rest();
  void check_memory_without_players();
  void check_reasons();
  void check_told(Nanos vanished);
  void sum_up(const relay::ProxyServer& proxy);

  // -- What happens: town_acts.cc
  struct Act {
    std::string name, kind;
    Nanos at = 0, lasts = 0;
  };
  std::vector<Act> acts();
  void carry_out(const Act& act);
  void restart(const Act& act);
  void start_again(Program& its);
  void crashed(Program& its, const Act& act, bool begins);
  void hamper(const Act& act);
  void order(const Act& act);
  void drain(const Act& act, Way& way);
  void replace(relay::ProxyServer& proxy, Way& way);
  void lie(const Act& act);
  void intrude(const Act& act);

  std::size_t lobby_ = 0;  // the arena of the proxy
  Told told_{plan_, "proxy"};
  Followed followed_{verdict_};
  Recorded recorded_{plan_, verdict_, followed_};
  const bool records_, few_places_, slow_disk_;
  Program proxy_;
  std::set<const Program*> restarting_;  // between an act's beginning and its end
  bool lied_ = false;
  Nanos hampered_until_ = 0;  // by acts that freeze, cut off and starve
};

}  // namespace entente::lab
