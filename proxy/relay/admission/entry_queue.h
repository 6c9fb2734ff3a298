// A fair queue of clients that wait to enter. Addresses take turns; the clients of one address are served first come,
// first served.
// Invariant: nobody waits twice. Each address has its own rate. An address that has used up its rate does not delay the
// others, and is not looked at until its rate lets a client in. An address without waiting clients is forgotten within
// seconds.
#pragma once

#include <list>
#include <map>
#include <optional>
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
    Line& line = lines_.try_emplace(address, Line{{}, Bucket(per_second, burst, now), {}, {}}).first->second;
    line.pace.adapt(per_second, burst, now);
    at->second = {address, line.waiting.insert(line.waiting.end(), who)};
    place(address, line, now);
    return true;
  }

  /// Does nothing if `who` does not wait. However many wait, it takes the same time.
  void remove(Who who) {
    const auto at = waits_at_.find(who);
    if (at == waits_at_.end()) return;
    Line& line = lines_.at(at->second.address);
    line.waiting.erase(at->second.place);
    if (line.waiting.empty()) displace(line);
    waits_at_.erase(at);
  }
  bool contains(Who who) const { return waits_at_.contains(who); }

  /// Removes and returns the next client that may enter now; `none` if there is none.
  Who take(Who none, Millis now) {
    while (!pauses_.empty() && pauses_.begin()->first <= now) {
      const net::Address address = pauses_.begin()->second;
      place(address, lines_.at(address), now);
    }
    if (turns_.empty()) return none;
    turns_.splice(turns_.end(), turns_, turns_.begin());
    const net::Address address = turns_.back();
    Line& line = lines_.at(address);
    line.pace.take_one(now);
    const Who who = line.waiting.front();
    remove(who);
    if (!line.waiting.empty()) place(address, line, now);
    return who;
  }

  /// Whether a waiting client may enter now.
  bool ready(Millis now) const { return !turns_.empty() || (!pauses_.empty() && pauses_.begin()->first <= now); }
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
  using Pauses = std::multimap<Millis, net::Address>;
  struct Line {
    std::list<Who> waiting;
    Bucket pace;
    std::optional<Turns::iterator> turn;    // while somebody waits and may enter
    std::optional<Pauses::iterator> pause;  // while somebody waits and may not
  };
  struct Place {
    net::Address address;
    typename std::list<Who>::iterator place;
  };

  /// REQUIRES: somebody of `line` waits. If it may enter, and has its turn already, that turn stays.
  void place(const net::Address& address, Line& line, Millis now) {
    const Millis ready_at = line.pace.ready_at(now);
    if (ready_at <= now && line.turn) return;
    displace(line);
    if (ready_at <= now)
      line.turn = turns_.insert(turns_.end(), address);
    else
      line.pause = pauses_.emplace(ready_at, address);
  }

  void displace(Line& line) {
    if (line.turn) turns_.erase(*line.turn);
    if (line.pause) pauses_.erase(*line.pause);
    line.turn.reset();
    line.pause.reset();
  }

  std::unordered_map<net::Address, Line, net::AddressHash> lines_;
  Turns turns_;                                              // those with clients that may enter
  Pauses pauses_;                                            // the others with waiting clients, by when one may enter
  std::unordered_map<Who, Place, KeyedHash<Who>> waits_at_;  // all that wait
};

}  // namespace entente::relay
