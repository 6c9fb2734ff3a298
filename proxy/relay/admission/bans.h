// Who is kept out, for a while or for good: by whoever runs us, because a server banned a player from there, or because
// a game's own rule bans who broke it. All players reach a server from our address, so that the server's next ban could
// hit everybody; so a server's ban keeps out of the routes that lead to it. A rule's ban keeps out of one listener.
// Law: for all threads at once; asked for each newcomer and never for a packet. A ban that is over is forgotten.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proxy/net/network.h"

namespace entente::relay {

struct Ban {
  static constexpr std::time_t kForGood = 0;

  bool over(std::time_t now) const { return until != kForGood && now >= until; }

  net::Network who;
  std::time_t until = kForGood;  ///< by the wall's clock: bans outlast a process
  std::string why;
  bool by_server = false;
  std::string where{};  ///< the server or the listener that it keeps out of; empty: all
};

/// Where somebody comes to: a server, and the listener that leads there. As in Ban::where.
struct BanPlace {
  std::string server, listener;
};

class Bans {
 public:
  /// `remember`: for how many seconds a server's ban counts here; 0: not at all.
  explicit Bans(std::uint32_t remember = 0) : remember_(remember) {}

  /// In place of another of the same net and place.
  void add(Ban ban);
  /// All bans of just this net. False: there was none.
  bool remove(const net::Network& who);
  /// The one of the smallest net that holds the address, of those that count for this place.
  std::optional<Ban> find(const net::Address& from, std::time_t now = std::time(nullptr), const BanPlace& place = {});
  /// A server banned a player who came from there, or a game's rule does. The ban that comes of it here, if any: none
  /// where servers' bans do not count, or somebody banned him there already, or too many are known. `where` as in Ban;
  /// `most` seconds, if that is less than servers' bans count.
  std::optional<Ban> learn(const net::Address& from, std::string_view why, std::time_t now = std::time(nullptr),
                           std::string_view where = {}, std::uint32_t most = UINT32_MAX);
  /// In no order.
  std::vector<Ban> all(std::time_t now = std::time(nullptr));

  static constexpr std::size_t kMostLearnt = 100'000;

 private:
  using OfNet = std::vector<Ban>;  // each of another place

  template <class Wanted>
  std::optional<Ban> look_up(const net::Address& from, std::time_t now, Wanted&& wanted);
  void put(Ban ban);
  template <class Condition>
  std::size_t erase(OfNet& bans, Condition&& condition);
  void forget_old(std::time_t now);

  const std::uint32_t remember_;
  std::mutex mutex_;
  std::unordered_map<net::Network, OfNet, net::NetworkHash> bans_;
  std::size_t count_ = 0;
  std::array<std::size_t, 129> by_bits_{};  // how many bans are of nets of so many bits
};

}  // namespace entente::relay
