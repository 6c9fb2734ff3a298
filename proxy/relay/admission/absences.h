// Players that lost their connection and may resume. They are identified by listener, IP address and the player's
// number in its game.
// Invariant: an entry can be claimed once, and not after it expires.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/net/address.h"

namespace entente::relay {

/// `Place`: what is kept for an absent player, such as the session or the seat. Copyable.
template <class Place>
class Absences {
 public:
  struct Who {
    std::size_t listener = 0;
    net::Address from;  ///< its port does not count
    std::uint32_t number = 0;
  };

  void add(const Who& who, Place place, Millis now, Millis until) {
    std::erase_if(all_, [&](const Entry& entry) { return entry.until < now; });
    all_.push_back({who, place, until});
  }

  /// Removes and returns the newest entry for `who`; nothing if there is none.
  std::optional<Place> claim(const Who& who, Millis now) {
    const auto found = std::find_if(all_.rbegin(), all_.rend(), [&](const Entry& entry) {
      return entry.until >= now && entry.who.listener == who.listener && entry.who.number == who.number &&
             entry.who.from.same_ip(who.from);
    });
    if (found == all_.rend()) return std::nullopt;
    const Place place = found->place;
    all_.erase(std::next(found).base());
    return place;
  }

  /// Forgets the entries for which `gone(place)` is true.
  template <class Gone>
  void forget(Gone&& gone) {
    std::erase_if(all_, [&](const Entry& entry) { return gone(entry.place); });
  }

  /// The number of entries of this listener for which `wanted(address)` is true.
  template <class Wanted>
  std::size_t count(std::size_t listener, Millis now, Wanted&& wanted) const {
    return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [&](const Entry& entry) {
      return entry.until >= now && entry.who.listener == listener && wanted(entry.who.from);
    }));
  }

  /// Removes and returns the oldest entry of this listener for which `wanted(address)` is true; nothing if there is
  /// none.
  template <class Wanted>
  std::optional<Place> give_up(std::size_t listener, Millis now, Wanted&& wanted) {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Entry& entry) {
      return entry.until >= now && entry.who.listener == listener && wanted(entry.who.from);
    });
    if (found == all_.end()) return std::nullopt;
    const Place place = found->place;
    all_.erase(found);
    return place;
  }

 private:
  struct Entry {
    Who who;
    Place place;
    Millis until;
  };
  std::vector<Entry> all_;
};

}  // namespace entente::relay
