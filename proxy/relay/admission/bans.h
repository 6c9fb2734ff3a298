// Bans of addresses and networks, temporary or permanent. A ban comes from the operator, from a server that banned a
// player, or from a rule of a game. A server sees all players at our address, so its next ban could hit everybody. A
// server's ban therefore applies to that server, on all routes to it. A rule's ban applies to one listener.
// Invariant: thread-safe. Checked for each new client, never for a packet. Expired bans are forgotten. A ban lasts as
// long as it was given, also if the wall clock is set meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/base/steady_wall.h"
#include "proxy/net/network.h"

namespace entente::relay {

struct Ban {
  static constexpr std::time_t kForGood = 0;

  bool over(std::time_t now) const { return until != kForGood && now >= until; }

  net::Network who;
  std::time_t until = kForGood;  ///< wall-clock time, as the wall clock is now, because bans outlast a process
  std::string why;
  bool by_server = false;
  std::string where{};   ///< the server or the listener that it applies to; empty: all
  bool by_rule = false;  ///< one of the operator's, for whoever is told of it; a file does not keep this
};

/// The servers and the listener that a client connects to. As in Ban::where.
struct BanScope {
  std::vector<std::string> servers;
  std::string listener;
};

/// Times `now` are those of steady_seconds().
class Bans {
 public:
  /// By how many seconds the wall clock is ahead of steady_seconds().
  using Ahead = std::function<std::time_t()>;

  /// `remember`: for how many seconds a server's ban of unknown length counts here; 0: no server's ban counts.
  explicit Bans(std::uint32_t remember = 0, Ahead ahead = wall_seconds_ahead)
      : remember_(remember), ahead_(std::move(ahead)) {}

  /// By how many seconds the wall clock is ahead now. The ends that all() returns have moved by this since the program
  /// began.
  std::time_t wall_is_ahead() const { return ahead_(); }
  /// Returns the ban of the same net and scope that it replaces, if there was one.
  std::optional<Ban> add(Ban ban);
  /// As add(), but tells nobody: another process has told of this ban.
  std::optional<Ban> restore(Ban ban);
  /// Removes all bans of exactly this network. False: there was none.
  bool remove(const net::Network& who);
  /// The ban that keeps this address out of the scope: of all, of the listener, or of the last server if each of them
  /// has one. If there are several, the one of the smallest network.
  std::optional<Ban> find(const net::Address& from, std::time_t now = steady_seconds(), const BanScope& scope = {});
  /// Whether there is a ban of this address that applies to this server alone.
  bool bans_from(const std::string& server, const net::Address& from, std::time_t now = steady_seconds());
  /// Adds a ban because a server, or a rule of a game, banned a player at this address. Returns it. Nothing if servers'
  /// bans do not count here, the address is banned there already, or too many bans are known. `where`: as in Ban.
  /// `lasts`: its time in seconds, if it is known; otherwise that of the constructor.
  std::optional<Ban> learn(const net::Address& from, std::string_view why, std::time_t now = steady_seconds(),
                           std::string_view where = {}, std::optional<std::uint32_t> lasts = {});
  /// Called with each ban that is added or learnt from now on, on that thread, unless the same ban was there. REQUIRES:
  /// set before other threads add any.
  void tell_added(std::function<void(const Ban&)> added) { added_ = std::move(added); }
  /// In no order.
  std::vector<Ban> all(std::time_t now = steady_seconds());

  static constexpr std::size_t kMostLearnt = 100'000;

 private:
  using OfNet = std::vector<Ban>;  // at most one for each scope

  template <class Wanted>
  std::optional<Ban> look_up(const net::Address& from, std::time_t now, Wanted&& wanted);
  std::optional<Ban> learn_quietly(const net::Address& from, std::string_view why, std::time_t now,
                                   std::string_view where, std::optional<std::uint32_t> lasts);
  void put(Ban ban);
  Ban steady(Ban ban) const;
  Ban shown(Ban ban) const;
  template <class Condition>
  std::size_t erase(OfNet& bans, Condition&& condition);
  void forget_old(std::time_t now);

  const std::uint32_t remember_;
  const Ahead ahead_;
  std::function<void(const Ban&)> added_;  // may be empty
  std::mutex mutex_;
  std::unordered_map<net::Network, OfNet, net::NetworkHash> bans_;  // with their ends in steady_seconds()
  std::size_t count_ = 0;
  std::array<std::size_t, 129> by_bits_{};  // the number of bans for each prefix length
};

}  // namespace entente::relay
