// A fair queue of clients that wait to enter. Addresses take turns; the clients of one address are served first come,
// first served.
// Invariant: nobody waits twice. Each address has its own rate. An address that has used up its rate does not delay the
// others. An address without waiting clients is forgotten within seconds.
#pragma once

#include <algorithm>
#include <list>
#include <unordered_map>

#include "proxy/base/keyed_hash.h"
#include "proxy/net/address.h"
#include "proxy/relay/admission/bucket.h"

namespace entente::relay {

/// `Who`: a pointer or a number.
template <class Who>
class EntryQueue {
 public:
  /// `per_second` 0: no limit; `burst`: how many of this address may come in at once. False: `who` waits already, and
  /// keeps its place.
  bool add(const net::Address& from, Who who, std::uint32_t per_second, std::uint32_t burst, Millis now) {
    const auto [at, fresh] = waits_at_.try_emplace(who);
    if (!fresh) return false;
    const net::Address address = from.host_key();
    Line& line = lines_.try_emplace(address, Line{{}, Bucket(per_second, burst, now), {}}).first->second;
    line.pace.adapt(per_second, burst, now);
    if (line.waiting.empty()) line.turn = turns_.insert(turns_.end(), address);
    at->second = {address, line.waiting.insert(line.waiting.end(), who)};
    return true;
  }

  /// Does nothing if `who` does not wait. However many wait, it takes the same time.
  void remove(Who who) {
    const auto at = waits_at_.find(who);
    if (at == waits_at_.end()) return;
    Line& line = lines_.at(at->second.address);
    line.waiting.erase(at->second.place);
    if (line.waiting.empty()) turns_.erase(line.turn);
    waits_at_.erase(at);
  }
  bool contains(Who who) const { return waits_at_.contains(who); }

  /// Removes and returns the next client that may enter now; `none` if there is none.
  Who take(Who none, Millis now) {
    for (std::size_t i = turns_.size(); i > 0; --i) {
      turns_.splice(turns_.end(), turns_, turns_.begin());
      Line& line = lines_.at(turns_.back());
      if (!line.pace.take_one(now)) continue;
      const Who who = line.waiting.front();
      remove(who);
      return who;
    }
    return none;
  }

  /// Whether a waiting client may enter now.
  bool ready(Millis now) {
    return std::any_of(turns_.begin(), turns_.end(),
                       [&](const net::Address& from) { return lines_.at(from).pace.ready(now); });
  }
  bool empty() const { return waits_at_.empty(); }
  std::size_t size() const { return waits_at_.size(); }
  /// Addresses of which something is kept.
  std::size_t known() const { return lines_.size(); }

  /// REQUIRES: called every now and then.
  void tidy(Millis now) {
    std::erase_if(lines_, [&](const auto& one) { return one.second.waiting.empty() && one.second.pace.full(now); });
  }

 private:
  using Turns = std::list<net::Address>;
  struct Line {
    std::list<Who> waiting;
    Bucket pace;
    Turns::iterator turn;  // while somebody waits
  };
  struct Place {
    net::Address address;
    typename std::list<Who>::iterator place;
  };

  std::unordered_map<net::Address, Line, net::AddressHash> lines_;
  Turns turns_;                                              // those with waiting clients
  std::unordered_map<Who, Place, KeyedHash<Who>> waits_at_;  // all that wait
};

}  // namespace entente::relay
