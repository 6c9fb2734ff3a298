// Who lost his connection and may take up what he had: by his number in his game, from the address that he had.
// Law: each can be claimed once, and not after its time.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/net/address.h"

namespace entente::relay {

/// `Place`: what he had.
template <class Place>
class Absences {
 public:
  struct Who {
    std::size_t route = 0;
    net::Address from;  ///< its port does not count
    std::uint32_t number = 0;
  };

  void add(const Who& who, Place place, Millis now, Millis until) {
    std::erase_if(all_, [&](const Entry& entry) { return entry.until < now; });
    all_.push_back({who, place, until});
  }

  /// The newest, of several.
  std::optional<Place> claim(const Who& who, Millis now) {
    const auto found = std::find_if(all_.rbegin(), all_.rend(), [&](const Entry& entry) {
      return entry.until >= now && entry.who.route == who.route && entry.who.number == who.number &&
             entry.who.from.same_ip(who.from);
    });
    if (found == all_.rend()) return std::nullopt;
    const Place place = found->place;
    all_.erase(std::next(found).base());
    return place;
  }

  /// Forgets those whose places are gone.
  template <class Gone>
  void forget(Gone&& gone) {
    std::erase_if(all_, [&](const Entry& entry) { return gone(entry.place); });
  }

  /// How many of this route there are that `wanted(address)` says.
  template <class Wanted>
  std::size_t count(std::size_t route, Millis now, Wanted&& wanted) const {
    return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [&](const Entry& entry) {
      return entry.until >= now && entry.who.route == route && wanted(entry.who.from);
    }));
  }

  /// Gives up the oldest of this route that `wanted(address)` says; nothing: there is none.
  template <class Wanted>
  std::optional<Place> give_up(std::size_t route, Millis now, Wanted&& wanted) {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Entry& entry) {
      return entry.until >= now && entry.who.route == route && wanted(entry.who.from);
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
