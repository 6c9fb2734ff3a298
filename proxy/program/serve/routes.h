// The routes and arenas of a configuration, as `entente run` serves them. A reload compares the file with what is
// served and changes only what differs. Invariant: a reload applies all of a file or nothing. Sessions go on as they
// began.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/program/serve/configured.h"
#include "proxy/program/serve/fleet_arenas.h"
#include "proxy/program/serve/observers.h"
#include "proxy/program/serve/reload.h"
#include "proxy/program/serve/service.h"
#include "proxy/program/serve/shared_room.h"
#include "proxy/relay/broadcast/broadcast.h"

namespace entente {

class TakeOver;

class Routes {
 public:
  /// `loaded` outlives it. `reread`: null if the configuration cannot be reloaded.
  Routes(const LoadedConfig& loaded, Reread reread);

  /// Opens everything. What can fail does so here, before the first player comes.
  Outcome<Done> open();
  /// Serves until it is stopped. `take_over`: as in Service::run().
  Outcome<Done> run(TakeOver* take_over = nullptr);
  Outcome<Done> close() {
    observers_.stop();
    return service_.close();
  }
  /// Prints one line for each listener, with what it served.
  void sum_up() const;

  /// Reads and applies the configuration again. Returns what changed, for people; on an error nothing changed. From any
  /// thread.
  Outcome<std::string> reload();

 private:
  /// A listener that is served: of a route, or of an arena.
  struct Running {
    std::string url;
    ListenEnd listen;
    std::size_t number = 0;  // as ProxyServer::add numbered it
    std::string name;        // "bzflag 2.4 127.0.0.1:5154"
    relay::TapThread* tap = nullptr;
    relay::WebOptions web{};
    std::optional<config::Route> route = {};           // settings of its route; nullopt: of an arena or an audience
    std::size_t room = 0;                              // the shared room that it leads to, if any
    std::size_t position = 1;                          // in the configuration
    bool watch = false;                                // its clients can only watch
    std::shared_ptr<relay::Broadcast> broadcast = {};  // of a route with [[route.watch]]
    std::shared_ptr<BotCrowd> observer = {};           // not null: an observer uses it to join the servers of `route`
  };
  struct RunningArena {
    config::Arena settings;
    std::size_t room = 0;  // as ProxyServer::add_shared_room numbered it
    relay::TapThread* tap = nullptr;
    std::shared_ptr<relay::Broadcast> broadcast = {};
  };
  /// A room in which an audience watches a broadcast.
  struct RunningWatch {
    config::Watch settings;
    std::shared_ptr<relay::Broadcast> broadcast;
    std::shared_ptr<relay::LiveView> view = {};
    std::size_t room = 0;
    net::HttpDocuments documents = {};
  };
  using Urls = google::protobuf::RepeatedPtrField<std::string>;
  using Watches = google::protobuf::RepeatedPtrField<config::Watch>;
  /// Listeners that lead into one room.
  struct RoomListeners {
    const Urls& urls;
    std::vector<ListenEnd> ends = {};
    std::vector<std::optional<Running>> before = {};  // the listener that each one keeps or replaces, or nullopt

    /// One of the routes in `before`, as `beside` of ProxyServer::add_shared_room.
    std::optional<std::size_t> beside() const;
  };
  /// What a reload is going to do.
  struct Plan {
    const ConfigPlaces& places;
    std::vector<Running> before = {};  // running listeners that no listener of the file has matched yet
    std::vector<RunningArena> arenas_before = {};
    std::vector<RunningWatch> watches_before = {};
    std::vector<Running> after = {};  // those in `added` have no number and no name yet
    std::vector<RunningArena> arenas_after = {};
    std::vector<RunningWatch> watches_after = {};
    std::vector<Service::NewRoute> added = {};
    std::vector<std::size_t> added_at = {};  // their places in `after`
    std::vector<std::size_t> rooms_added = {};
    std::vector<relay::TapThread*> taps_added = {};
    std::vector<std::pair<std::shared_ptr<net::TlsContext>, std::shared_ptr<net::TlsContext>>> certificates = {};
    std::string told = {};                         // what differs, in lines
    std::vector<std::function<void()>> logs = {};  // called after the reload
  };

  Outcome<Running> add(Running running, Service::NewRoute made);
  Outcome<Done> add(const config::Route& route, std::size_t position);
  Outcome<Done> add(const config::Arena& arena, std::size_t position);
  Outcome<Done> add_listeners(const Urls& urls, const std::string& arena, std::size_t position,
                              const std::optional<config::Route>& route);
  Outcome<Done> stand_for(const config::Arena& arena, std::size_t position);
  Outcome<Done> keep_listeners(const Urls& urls, Plan& plan) const;
  Outcome<Done> add(const Watches& watches, const std::string& of, const std::shared_ptr<relay::Broadcast>& broadcast,
                    std::size_t position);
  RunningWatch open_watch(const config::Watch& settings, const std::string& of,
                          const std::shared_ptr<relay::Broadcast>& broadcast, std::optional<std::size_t> beside = {});
  Outcome<Done> open_room(RunningArena& arena, const ConfigPlaces& places, std::size_t position,
                          std::optional<std::size_t> beside = {});

  Machine machine() const;
  Outcome<Done> change(const LoadedConfig& loaded);
  Outcome<Done> plan(const config::Config& fresh, Plan& plan);
  Outcome<Done> plan_route(const config::Route& route, std::size_t position, Plan& plan);
  Outcome<Done> plan_arena(const config::Arena& arena, std::size_t position, Plan& plan);
  Outcome<Done> add_observer(const Running& of);
  Outcome<std::pair<Running, Service::NewRoute>> new_observer(const Running& of);
  Outcome<Done> plan_observer(const Running& of, Plan& plan);
  Outcome<RoomListeners> listeners(const Urls& urls, Plan& plan) const;
  Outcome<Done> plan_listeners(const RoomListeners& listeners, const SharedRoomEntry& entry, bool same,
                               std::size_t position, const RunningWatch* watch, Plan& plan);
  Outcome<Done> plan_watches(const Watches& watches, const std::string& of,
                             const std::shared_ptr<relay::Broadcast>& broadcast, std::size_t position, Plan& plan);
  Outcome<Done> objection_to_moves(const Plan& plan) const;
  void keep(Running running, const relay::WebOptions& fresh, Plan& plan) const;
  void add(Running running, Service::NewRoute made, const std::optional<Running>& instead_of, Plan& plan) const;
  Outcome<Done> carry_out(Plan& plan);
  void end_removed(Plan& plan);
  void abandon(const Plan& plan);
  void lead_to_arenas();
  std::string sessions_go_on(const Running& listener) const;
  std::string tell_rest(const config::Config& fresh) const;
  bool keeps_secrets() const { return config_.recording().secrets() == config::Recording::keep; }

  const config::Config& config_;
  const ConfigPlaces& places_;
  const Reread reread_;
  Service service_;
  std::mutex reloading_;    // guards what follows
  config::Config current_;  // what was last applied
  std::vector<Running> running_;
  std::vector<RunningArena> arenas_;
  std::vector<RunningWatch> watches_;
  Observers observers_{service_, service_.housekeeping()};
  std::unique_ptr<FleetArenas> fleet_arenas_;  // null: this process is in no fleet
  std::string lines_;                          // where it listens
  std::string told_;                           // what the last reload changed
};

}  // namespace entente
