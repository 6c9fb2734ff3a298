// A simulation of real games: players of all of them go through the proxy, by bridges and relays, to a server or into
// an arena, while servers die, stall and lie, hosts are cut off, operators act, and strangers send garbage.
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/lab/players.h"
#include "tests/lab/programs.h"
#include "tests/lab/recorded.h"
#include "tests/lab/watch.h"

namespace entente::lab {

inline constexpr Nanos kSecond = 1000 * kMilli;
inline constexpr std::uint32_t kProxyHost = 0x0a000101, kServerHost = 0x0a000201, kPlayerHost = 0x0a000301;

/// A way through the proxy, and its players.
struct Way {
  std::string name;
  Speech clients, server;
  bool into_arena = false;  // of the proxy itself
  std::size_t wanted = 0;   // players
  Nanos hold = 0;
  bool plays_meanwhile = false;
  Place listen{};
  std::size_t asked = 0;  // players, since the beginning
  bool moved = false;     // a player of it was moved, and may be elsewhere
  /// Its routes in the proxy, by number: the last one takes newcomers.
  std::vector<std::size_t> routes{};
};

class Town {
 public:
  Town(Plan& plan, Verdict& verdict);
  void live();
  /// Afterwards: how many sessions the proxy had.
  std::size_t sessions() const { return followed_.sessions().size(); }

 private:
  // -- Its programs: town.cc
  bool open_server(relay::ProxyServer& server);
  bool open_proxy(relay::ProxyServer& server);
  bool open_players(relay::ProxyServer& server);
  relay::RouteOptions through(const Way& way);
  Way& way_of(std::size_t route);
  void keep_players();
  void keep(std::size_t group, std::size_t wanted, std::size_t& asked);
  void rest();
  bool close();

  // -- What must hold: town.cc
  void check_all_in();
  void check_sights();
  void check_reasons();
  void sum_up(const relay::ProxyServer& proxy);

  // -- What happens: town_acts.cc
  struct Act {
    std::string name, kind;
    Nanos at = 0, lasts = 0;
  };
  std::vector<Act> acts();
  void carry_out(const Act& act);
  void restart(const Act& act);
  void hamper(const Act& act);
  void order(const Act& act);
  void drain(const Act& act, Way& way);
  void replace(relay::ProxyServer& proxy, Way& way);
  void lie(const Act& act);
  void intrude(const Act& act);

  void wrong(const std::string& what) { verdict_.wrong.push_back(what); }
  static void sleep(Nanos time) { std::this_thread::sleep_for(std::chrono::nanoseconds(time)); }

  Plan& plan_;
  Verdict& verdict_;
  std::vector<Way> ways_;
  std::size_t watchers_asked_ = 0;
  std::size_t lobby_ = 0;  // the arena of the proxy
  Crowd crowd_;
  Told told_{plan_, "proxy"}, told_by_server_{plan_, "server"}, told_by_players_{plan_, "players"};
  Followed followed_{verdict_};
  Recorded recorded_{plan_, verdict_, followed_};
  const bool records_, few_places_;
  Program server_, proxy_, players_;
  bool over_ = false, lied_ = false;
};

}  // namespace entente::lab
