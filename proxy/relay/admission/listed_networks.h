// The networks that operators allow or deny while a program runs, in addition to the lists of its configuration.
// Invariant: thread-safe. A network is in one list at most. Checked for each new client, so their number is limited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/network.h"

namespace entente::relay {

struct ListedNetwork {
  enum class List : std::uint8_t { kAllow, kDeny };

  net::Network who;
  List list = List::kDeny;
  std::string why;
};

class ListedNetworks {
 public:
  static constexpr std::size_t kMost = 1'000;
  static constexpr int kNone = -1;

  /// Also takes the network out of the other list. False: there are kMost already.
  bool put(ListedNetwork network) {
    const std::lock_guard lock(mutex_);
    const auto at = find(network.who);
    if (at != all_.end())
      *at = std::move(network);
    else if (all_.size() < kMost)
      all_.push_back(std::move(network));
    else
      return false;
    return true;
  }
  /// False: it was in no list.
  bool remove(const net::Network& who) {
    const std::lock_guard lock(mutex_);
    const auto at = find(who);
    if (at == all_.end()) return false;
    all_.erase(at);
    return true;
  }
  /// In the order of their texts.
  std::vector<ListedNetwork> all() const {
    std::unique_lock lock(mutex_);
    std::vector<ListedNetwork> all = all_;
    lock.unlock();
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.who.text() < b.who.text(); });
    return all;
  }
  /// The bits of the smallest networks that contain the address, among those allowed and those denied; kNone: none
  /// does.
  struct Bits {
    int allowed = kNone, denied = kNone;
  };
  Bits most_bits(const net::Address& from) const {
    const std::lock_guard lock(mutex_);
    Bits most;
    for (const ListedNetwork& one : all_) {
      if (!one.who.holds(from)) continue;
      int& its = one.list == ListedNetwork::List::kAllow ? most.allowed : most.denied;
      its = std::max(its, static_cast<int>(one.who.bits()));
    }
    return most;
  }

 private:
  std::vector<ListedNetwork>::iterator find(const net::Network& who) {
    return std::find_if(all_.begin(), all_.end(), [&](const ListedNetwork& one) { return one.who == who; });
  }

  mutable std::mutex mutex_;
  std::vector<ListedNetwork> all_;
};

}  // namespace entente::relay
