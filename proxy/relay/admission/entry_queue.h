// A fair queue of clients that wait to enter. Addresses take turns; the clients of one address are served first come,
// first served.
// Invariant: each address has its own rate. An address that has used up its rate does not delay the others. An address
// without waiting clients is forgotten within seconds.
#pragma once

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "proxy/net/address.h"
#include "proxy/relay/admission/bucket.h"

namespace entente::relay {

/// `Who`: a pointer or a number.
template <class Who>
class EntryQueue {
 public:
  /// `per_second` 0: no limit; `burst`: how many of this address may come in at once.
  void add(const net::Address& from, Who who, std::uint32_t per_second, std::uint32_t burst, Millis now) {
    const net::Address address = from.host_key();
    Line& line = lines_.try_emplace(address, Line{{}, Bucket(per_second, burst, now)}).first->second;
    line.pace.adapt(per_second, burst, now);
    if (line.waiting.empty()) turns_.push_back(address);
    line.waiting.push_back(who);
    ++size_;
  }

  void remove(const net::Address& from, Who who) {
    const auto at = lines_.find(from.host_key());
    if (at == lines_.end()) return;
    size_ -= std::erase(at->second.waiting, who);
    if (at->second.waiting.empty()) std::erase(turns_, at->first);
  }

  /// Removes and returns the next client that may enter now; `none` if there is none.
  Who take(Who none, Millis now) {
    for (std::size_t i = turns_.size(); i > 0; --i) {
      const net::Address address = turns_.front();
      turns_.pop_front();
      Line& line = lines_.at(address);
      if (!line.pace.take_one(now)) {
        turns_.push_back(address);
        continue;
      }
      const Who who = line.waiting.front();
      line.waiting.pop_front();
      --size_;
      if (!line.waiting.empty()) turns_.push_back(address);
      return who;
    }
    return none;
  }

  /// Whether a waiting client may enter now.
  bool ready(Millis now) {
    return std::any_of(turns_.begin(), turns_.end(),
                       [&](const net::Address& from) { return lines_.at(from).pace.ready(now); });
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Addresses of which something is kept.
  std::size_t known() const { return lines_.size(); }

  /// REQUIRES: called every now and then.
  void tidy(Millis now) {
    std::erase_if(lines_, [&](const auto& one) { return one.second.waiting.empty() && one.second.pace.full(now); });
  }

 private:
  struct Line {
    std::deque<Who> waiting;
    Bucket pace;
  };

  std::unordered_map<net::Address, Line, net::AddressHash> lines_;
  std::deque<net::Address> turns_;  // those with waiting clients
  std::size_t size_ = 0;
};

}  // namespace entente::relay
