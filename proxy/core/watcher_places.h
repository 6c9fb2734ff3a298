// The places of those who only watch in a room.
// Invariant: one network has at most three quarters of them, so that it cannot lock out all others.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/core/word.h"

namespace entente::core {

class WatcherPlaces {
 public:
  /// `whom`: what those who watch are called here, in the plural. It stays in place.
  explicit WatcherPlaces(const char* whom) : whom_(whom) {}

  /// Nothing: `who` has a place now, and keeps it until give_back(). Otherwise why there is none. `network`: as
  /// Peer::network; those whose network is unknown are not limited by it. `most`: how many places there are.
  std::optional<words::Refused> take(Id who, std::string_view network, std::size_t most) {
    if (network_of_.contains(who)) return std::nullopt;
    if (network_of_.size() >= most) return refused(std::string("all places for ") + whom_ + " are taken");
    const auto line = by_network_.try_emplace(std::string(network), 0).first;
    if (!network.empty() && line->second >= most - most / 4)
      return refused(std::string("your address has as many places for ") + whom_ + " as it may have");
    ++line->second;
    network_of_.emplace(who, line);
    return std::nullopt;
  }
  /// If it has one.
  void give_back(Id who) {
    const auto at = network_of_.find(who);
    if (at == network_of_.end()) return;
    if (--at->second->second == 0) by_network_.erase(at->second);
    network_of_.erase(at);
  }

 private:
  static words::Refused refused(std::string text) {
    words::Refused full;
    full.set_code(words::Refused::FULL);
    full.set_text(std::move(text));
    return full;
  }

  using Networks = std::map<std::string, std::size_t>;
  const char* const whom_;
  Networks by_network_;                          // how many places each network has
  std::map<Id, Networks::iterator> network_of_;  // of those who have a place
};

}  // namespace entente::core
