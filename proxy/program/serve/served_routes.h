// The routes that a Service serves, and those whose sessions go on after a reload has removed them.
// Invariant: thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "proxy/program/control/route_names.h"
#include "proxy/relay/tap/tap.h"

namespace entente {

struct ServedRoute {
  NamedRoute named;
  std::size_t position = 1;          ///< in the configuration, from 1
  relay::TapThread* tap = nullptr;   ///< a tap that can record; null: it only counts
  bool shows_words_dropped = false;  ///< in the summary: a bridge with rooms of its own
  /// Replaced routes of the same name: their counters are added to this one's.
  std::vector<std::size_t> before = {};
  std::uint32_t seats = 0;  ///< of its arena; 0: it leads into none, or into one that other nodes have
  bool for_players = true;  ///< not for an observer or an audience
  /// Their taps that can record, or could.
  std::vector<relay::TapThread*> taps_before = {};
  /// Set by served() and retired(): the taps of this route and of those in `before`. Each tap is counted once: that of
  /// an arena with its first listener.
  std::vector<relay::TapThread*> counted_taps = {};

  bool of_arena() const { return !named.room.empty(); }
  /// The numbers of this route and of those in `before`.
  std::vector<std::size_t> numbers() const;
  /// Its tap and those in `taps_before`.
  std::vector<relay::TapThread*> taps() const;
};

struct ListedRecording {
  ServedRoute route;
  bool retired = false;
};

class ServedRoutes {
 public:
  /// Changes a route's position in the configuration.
  void move(std::size_t number, std::size_t position);
  /// Serves a route, perhaps instead of the one with number `instead_of`.
  void add(ServedRoute route, std::optional<std::size_t> instead_of = {});
  /// Marks a route as retired. Its sessions go on until forget().
  void retire(std::size_t number);
  /// Removes and returns a retired route whose last session has ended; nullopt if it is not known.
  std::optional<ServedRoute> forget(std::size_t number);

  std::vector<ServedRoute> served() const;
  /// The retired routes, without those in `before` of another route.
  std::vector<ServedRoute> retired() const;
  /// The routes with recordings of their own: those that are served, then those whose sessions go on.
  std::vector<ListedRecording> recordings() const;
  std::vector<NamedRoute> names() const;
  /// All routes, including the retired ones.
  std::vector<ListedRoute> listed() const;
  /// Whether a route that is served, or whose sessions go on, has this tap.
  bool uses(const relay::TapThread* tap) const;

 private:
  mutable std::mutex mutex_;
  std::vector<ServedRoute> served_, retired_;
};

}  // namespace entente
