// One of the two links of a relay's session, and its state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "adapters/wire/game.h"
#include "proxy/base/time.h"
#include "proxy/net/tcp.h"
#include "proxy/net/web/web_link.h"

namespace entente::relay {

/// Which of a session's two peers a link leads to.
enum class Facing : std::uint8_t { kClient, kServer };

/// The direction of what the peer on this side sends.
constexpr wire::Way way_of(Facing facing) {
  return facing == Facing::kClient ? wire::Way::kToServer : wire::Way::kToClient;
}

/// A link (net::Tcp, net::WebLink) to a peer that speaks this game.
template <class Link, class User>
Link make_link(net::Loop& loop, Facing facing, const wire::Game& game, User& user) {
  using Role = net::WebSocket::Role;
  if constexpr (std::is_same_v<Link, net::WebLink>)
    return Link(loop, facing == Facing::kClient ? Role::kServer : Role::kClient, game.largest_from(way_of(facing)),
                user);
  else
    return Link(loop, user);
}

/// Why a peer is not read at present. The values are bits: there may be several reasons.
enum Pause : std::uint8_t {
  kOtherSlow = 1,   ///< the other peer is slow
  kRate = 2,        ///< it sent faster than its limits
  kEarly = 4,       ///< the other peer may not receive its data yet
  kAwaitsSeat = 8,  ///< it waits for its turn to come into a shared room
  kLab = 16,        ///< much of what it sent waits in the lab
};

/// Whether a peer is read at present.
class Pauses {
 public:
  /// True: the peer was read until now.
  bool add(Pause why) { return std::exchange(bits_, static_cast<std::uint8_t>(bits_ | why)) == 0; }
  /// True: the peer may be read again.
  bool remove(Pause why) {
    const std::uint8_t before = std::exchange(bits_, static_cast<std::uint8_t>(bits_ & ~why));
    return before != 0 && bits_ == 0;
  }
  void clear() { bits_ = 0; }
  bool any() const { return bits_ != 0; }
  bool has(Pause why) const { return (bits_ & why) != 0; }

 private:
  std::uint8_t bits_ = 0;
};

/// Bytes that a peer may go on sending after the end of its session; then its link is closed.
inline constexpr std::size_t kMostUnheard = 64 * 1024;

template <class Link>
struct RelayLink {
  template <class User>
  RelayLink(net::Loop& loop, Facing facing, const wire::Game& game, User& user)
      : link(make_link<Link>(loop, facing, game, user)) {}

  void pause(Pause why) {
    if (pauses.add(why)) link.set_reading(false);
  }
  void resume(Pause why) {
    if (pauses.remove(why)) link.set_reading(true);
  }

  /// Called before something is sent. If nothing waits yet, the time limit for a stalled peer starts now.
  void will_wait(Millis now) {
    if (link.waiting() == 0) last_progress = now;
  }

  /// The peer sent more bytes after the end. Once they exceed `most`, closes the link and returns true.
  bool talks_on(std::size_t bytes, std::size_t most) {
    unheard += bytes;
    if (unheard > most) link.hang_up();
    return unheard > most;
  }

  Link link;
  Pauses pauses;
  bool ended = false;        ///< it sends nothing more
  Millis last_progress = 0;  ///< when it last took bytes, or had none waiting
  std::size_t unheard = 0;   ///< bytes that came after the end
};

/// Whether `limit` milliseconds have passed since then. A limit of 0 is no limit.
constexpr bool late(Millis now, Millis since, std::uint32_t limit) { return limit && now > since + limit; }

/// Whether the peer of `link` (Tcp, WebLink, End) is late. The time for which its data waited to be read by us does not
/// count, and it is not late while data waits.
/// `since`: when the link began. For a wait that began later, use Wait.
template <class Link>
bool late(Millis now, Millis since, std::uint32_t limit, const Link& link) {
  return !link.is_unserved() && late(now, since + link.unserved_millis(), limit);
}

/// A wait for the peer of a link that began later than the link.
struct Wait {
  Millis since = 0;
  Millis unserved = 0;  ///< unserved_millis() of the link at that time
};

template <class Link>
Wait wait_from(Millis now, const Link& link) {
  return {now, link.unserved_millis()};
}

template <class Link>
bool late(Millis now, const Wait& wait, std::uint32_t limit, const Link& link) {
  const Millis unserved = link.unserved_millis();
  return !link.is_unserved() && late(now, wait.since + (unserved - std::min(unserved, wait.unserved)), limit);
}

}  // namespace entente::relay
