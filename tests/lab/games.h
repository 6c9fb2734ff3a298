// What simulations of real games have in common: a server, which has an arena with a listener for each game; the ways
// through the proxy to it; and the players, who come again when they are sent away.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/lab/players.h"
#include "tests/lab/programs.h"
#include "tests/lab/watch.h"

namespace entente::lab {

inline constexpr Nanos kSecond = 1000 * kMilli;
inline constexpr std::uint32_t kProxyHost = 0x0a000101, kServerHost = 0x0a000201, kPlayerHost = 0x0a000301;
inline constexpr Nanos kMostBehind = 20 * kSecond;  // a viewer of a broadcast
inline constexpr Nanos kToldWithin = 2 * kSecond;   // while nothing is lost
/// Keepalives (set_stream_options): after a minute without a word, the peer is asked four times, every 15 s.
inline constexpr Nanos kNoticesSilence = (60 + 4 * 15) * kSecond;
/// The same if something was sent to the peer meanwhile.
inline constexpr Nanos kNoticesLoss = kNoticesSilence + 120 * kSecond;
inline constexpr Nanos kStopsWithin = 30 * kSecond, kInWithin = 30 * kSecond;

/// A way through the proxy, and its players.
struct Way {
  std::string name;
  Speech clients, server;
  bool into_arena = false;  // of the proxy itself
  std::size_t wanted = 0;   // players
  Nanos hold = 0;
  bool plays_meanwhile = false;
  Place listen{};           // where its players come
  bool everywhere = false;  // it listens on [::], also for IPv4
  Place to{};               // the server
  Place bound() const { return everywhere ? Place{kSix, listen.second} : listen; }
  std::size_t asked = 0;  // players, since the beginning
  bool moved = false;     // a player of it was moved, and may be elsewhere
  /// Its players are viewers: the audience of this other way, so much later.
  std::optional<std::size_t> watched{};
  Nanos behind = 0;
  /// Its routes in the proxy, by number: the last one takes newcomers.
  std::vector<std::size_t> routes{};
};

/// The players of a simulation, and one who watches the arena in which what is true can be seen. Another one may watch
/// the proxy's own arena.
class Visitors {
 protected:
  Visitors(Plan& plan, Verdict& verdict, const Place& watched, std::optional<Place> lobby = {});
  ~Visitors() = default;
  /// Whether players of Ace of Spades come, or go to a server of it.
  bool has_maps() const;
  /// Keeps the players where they are wanted, until over_.
  void keep_players();
  /// Waits until everybody is in, who must be in time, and then the viewers. `harsh`: connections were lost, which
  /// takes a while to notice.
  void await_all(bool harsh);
  /// Everybody stops, and sees what has become of it. Nobody leaves meanwhile.
  void rest();
  /// All that look at the watched arena see the same.
  void check_sights() { check_sights(false); }
  /// The same of the proxy's own arena. REQUIRES: one process has all sessions.
  void check_sights_in_lobby() { check_sights(true); }
  /// The proxy has stopped: its players know.
  void await_players_told();
  /// No player was sent away, except by the operator.
  void check_nobody_was_sent_away();
  /// No viewer saw a player before its delay had passed.
  void check_delays();

  void wrong(const std::string& what) { verdict_.wrong.push_back(what); }
  static void sleep(Nanos time) { std::this_thread::sleep_for(std::chrono::nanoseconds(time)); }

  Plan& plan_;
  Verdict& verdict_;
  std::vector<Way> ways_;
  Crowd crowd_{plan_};
  std::set<std::string> sent_away_;              ///< players whom the operator sent away
  std::vector<std::pair<Nanos, Nanos>> closed_;  ///< when the operator let nobody in: from, until
  std::vector<std::pair<Nanos, Nanos>> ending_;  ///< when the operator did what ends audiences: from, until
  Told told_by_players_{plan_, "players"};
  Program players_;
  bool over_ = false;

 private:
  bool open_players(relay::ProxyServer& server);
  bool add_watcher(relay::ProxyServer& server, const Place& at);
  void check_sights(bool in_lobby);
  void check_teams(const std::string& way, const Person& who, const Person& truth);
  void keep(std::size_t group, std::size_t wanted, std::size_t& asked);
  void await_in(bool viewers, Nanos until);
  bool is_man(const std::string& name) const;

  // Their watchers have the groups after the ways.
  std::vector<Place> watched_;
  std::vector<std::size_t> watchers_asked_;
};

class Games : protected Visitors {
 public:
  Games(Plan& plan, Verdict& verdict, std::size_t most_ways, std::optional<Place> lobby = {});

 protected:
  ~Games() = default;
  /// Where the server listens for clients of this game.
  static Place server_for(const Speech& its);
  /// The proxy has stopped: the server knows. `others`: sessions that did not come through the proxy.
  void await_server_told(std::size_t others);

  /// The proxy stops before its players do.
  const bool proxy_first_;
  Told told_by_server_{plan_, "server"};
  Program server_;

 private:
  const bool six_;  // the server listens on [::], also for IPv4
  bool open_server(relay::ProxyServer& server);
};

/// For the proxy and the server.
inline void put_certificate(std::uint64_t serial) { put_certificate(serial, {kProxyHost, kServerHost}); }

/// A game, rarely one that takes much work.
Speech any_game(Draw& draw);
/// Faults of the network. Not `harsh`: only those that cost nobody anything.
Faults network_faults(Plan& plan, bool harsh);
/// Runs `body` in this kernel. What is left afterwards is wrong.
void simulate(Kernel& simulated, Plan& plan, Verdict& verdict, const std::function<void()>& body);
/// The same of a scene with processes (service.h).
template <class Scene>
void simulate_services(Plan& plan, Verdict& verdict) {
  const bool harsh = plan.has("harsh", 0.6);
  Kernel simulated(plan.seed(), network_faults(plan, harsh));
  Scene scene(plan, verdict, harsh);
  simulate(simulated, plan, verdict, [&] { scene.live(); });
  verdict.leaks = true;  // what a process has in its global variables is not found
  verdict.sessions = scene.sessions();
}

}  // namespace entente::lab
