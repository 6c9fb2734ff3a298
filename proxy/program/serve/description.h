// The description of what the listeners of a configuration do: checked, with names resolved, defaults applied and
// certificates read.
// Invariant: a description does not change once it is served. A reload makes new ones, and compares them with those
// that are served.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "proxy/core/room_member.h"
#include "proxy/program/config/config_places.h"
#include "proxy/program/settings/route.h"
#include "proxy/relay/route/route_options.h"
#include "proxy/rules/room_rules.h"
#include "schema/config.pb.h"

namespace entente {

struct RouteDescription {
  std::string url = {};                    ///< that it listens on; empty: it does not, because its clients are bots
  std::optional<ListenEnd> listen = {};    ///< the same
  std::optional<config::Route> keys = {};  ///< of a route of the file, or that an observer watches; none: of others
  std::size_t position = 1;                ///< in the configuration, from 1
  std::string subject = {};                ///< "bzflag 2.4 or 1.10": what its name is made of if it has none
  bool watch = false;                      ///< its clients can only watch
  std::uint32_t seats = 0;                 ///< as SharedRoomEntry
  std::shared_ptr<const rules::RuleSet> rules = {};  ///< of a route to servers; null: there are none
  Preparations prepared = {};                        ///< of the faces that `options` can create
  relay::RouteOptions options = {};                  ///< a Service adds what is its own, such as the tap

  /// Where its rules are kept while it serves; null: it has no place for them.
  std::shared_ptr<relay::RuleBook> rule_book() const;
  void keep_rules_in(std::shared_ptr<relay::RuleBook> book);
  /// Its name for operators. `at`: where it listens. Routes that share a port by path have different names.
  std::string named(const net::Address& at) const;
};

/// A shared room, for its listeners.
struct SharedRoomEntry {
  std::size_t shared_room = 0;  ///< as ProxyServer::add_shared_room numbered it
  std::string name;
  bool arena = false;       ///< players can be moved into it
  std::uint32_t seats = 0;  ///< for players, of an arena of the configuration
};

/// How players of bridges join this arena.
relay::BridgeOptions::ArenaPlace place_in(const std::string& arena);

class Describer {
 public:
  /// `config` is checked. All of them outlive it; `listed` also outlives the descriptions.
  Describer(const config::Config& config, const ConfigPlaces& places, const relay::ListedNetworks& listed);

  /// A route to servers.
  Outcome<RouteDescription> route(const config::Route& keys, std::size_t position) const;
  /// A listener of a shared room. `keys`: of the route, if it is a route into an arena of a fleet.
  Outcome<RouteDescription> into(const SharedRoomEntry& room, const std::string& url, std::size_t position,
                                 const std::optional<config::Route>& keys = {}) const;
  /// Bots that play on servers. `front` makes one of them. They have the options of the first.
  Outcome<RouteDescription> bots(const RouteServers& to, std::function<std::unique_ptr<core::Front>()> front,
                                 std::uint32_t count) const;

 private:
  relay::RouteOptions general() const;
  RouteDescription listener(const std::string& url, const ListenEnd& end, std::size_t position) const;
  bool keeps_secrets() const { return config_.recording().secrets() == config::Recording::keep; }

  const config::Config& config_;
  const ConfigPlaces& places_;
  relay::Access access_;              // of [access]
  std::set<std::uint16_t> v4_ports_;  // of IPv4 listeners
};

/// Logs how the dialects of a route to servers were chosen, and what its operator should know.
void log_remarks(const RouteDescription& route);

}  // namespace entente
