// Who is kept out, for a while or for good: by whoever runs us, or because a server banned a player from there; all
// players reach a server from our address, so that the next ban could hit everybody.
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
};

class Bans {
 public:
  /// `remember`: for how many seconds a server's ban counts here; 0: not at all.
  explicit Bans(std::uint32_t remember = 0) : remember_(remember) {}

  /// In place of another of the same net.
  void add(Ban ban);
  /// False: there was none of just this net.
  bool remove(const net::Network& who);
  /// The one of the smallest net that holds the address.
  std::optional<Ban> find(const net::Address& from, std::time_t now = std::time(nullptr));
  /// A server banned a player who came from there. The ban that comes of it here, if any: none where servers' bans do
  /// not count, or somebody banned him here already, or too many are known.
  std::optional<Ban> learn(const net::Address& from, std::string_view why, std::time_t now = std::time(nullptr));
  /// In no order.
  std::vector<Ban> all(std::time_t now = std::time(nullptr));

  static constexpr std::size_t kMostLearnt = 100'000;

 private:
  std::optional<Ban> look_up(const net::Address& from, std::time_t now);
  void erase(const net::Network& who);
  void forget_old(std::time_t now);

  const std::uint32_t remember_;
  std::mutex mutex_;
  std::unordered_map<net::Network, Ban, net::NetworkHash> bans_;
  std::array<std::size_t, 129> by_bits_{};  // how many nets have so many bits
};

}  // namespace entente::relay
