// The routes and arenas of a configuration, as `entente run` serves them. A reload describes the new configuration
// (description.h), compares it with what is served, and changes only what differs. A start is the same, with nothing
// served before. Invariant: all of a file is applied, or nothing. Sessions go on as they began.
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
#include "proxy/program/serve/description.h"
#include "proxy/program/serve/fleet_arenas.h"
#include "proxy/program/serve/observers.h"
#include "proxy/program/serve/reload.h"
#include "proxy/program/serve/service.h"
#include "proxy/program/watch/live_documents.h"
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

  /// Reopens the log file, and reads and applies the configuration again. Returns what changed, for people; on an error
  /// nothing else changed. From any thread.
  Outcome<std::string> reload();

 private:
  /// A listener that is served, or an observer.
  struct Running {
    std::shared_ptr<const RouteDescription> is = {};
    std::size_t number = 0;    // as ProxyServer::add numbered it
    std::string name = {};     // "bzflag 2.4 127.0.0.1:5154"
    bool only_v6 = false;      // as its socket was opened: RouteOptions::only_v6, which a reload may change
    std::uint32_t places = 0;  // the limit of sessions as its socket was opened; ENet cannot accept more
    relay::TapThread* tap = nullptr;
    std::shared_ptr<relay::Broadcast> broadcast = {};  // of a route with [[route.watch]]
    std::shared_ptr<BotCrowd> observer = {};           // not null: an observer uses it to join the servers of the route
  };
  struct RunningArena {
    config::Arena settings;
    std::size_t room = 0;  // as ProxyServer::add_shared_room numbered it
    relay::TapThread* tap = nullptr;
    std::shared_ptr<relay::Broadcast> broadcast = {};
    std::shared_ptr<relay::RuleBook> rules = {};
  };
  /// A room in which an audience watches a broadcast.
  struct RunningWatch {
    config::Watch settings;
    std::shared_ptr<relay::Broadcast> broadcast;
    std::shared_ptr<relay::LiveView> view = {};
    std::size_t room = 0;
    std::shared_ptr<LiveDocuments> documents = {};
  };
  using Urls = google::protobuf::RepeatedPtrField<std::string>;
  using Watches = google::protobuf::RepeatedPtrField<config::Watch>;
  /// A listener of a room: its URL, what it is, and the listener that it keeps or replaces.
  struct RoomListener {
    const std::string& url;
    ListenEnd end;
    std::optional<Running> before;
  };
  using RoomListeners = std::vector<RoomListener>;
  /// A tap that carry_out() makes, and the listeners of `after` that use it.
  struct PlannedTap {
    std::string pattern, game;
    std::size_t position;
    std::string name;
    std::string place;  // for errors
    std::vector<std::size_t> used_by;
  };
  /// A room that carry_out() opens, and the listeners of `after` that lead into it.
  struct PlannedRoom {
    relay::SharedRoomOptions options;
    std::optional<std::size_t> beside;
    std::optional<std::size_t> tap;  // of an arena: in `taps`
    std::size_t of;                  // in `arenas_after`; of an audience: in `watches_after`
    std::vector<std::size_t> listeners = {};
  };
  /// The difference between what is served and a configuration.
  struct Plan {
    const ConfigPlaces& places;
    const Describer describer;
    const bool starts;                 // nothing is served yet
    std::vector<Running> before = {};  // running listeners that no listener of the file has matched yet
    std::vector<RunningArena> arenas_before = {};
    std::vector<RunningWatch> watches_before = {};
    std::vector<Running> after = {};  // those in `added` have no number and no name yet
    std::vector<RunningArena> arenas_after = {};
    std::vector<RunningWatch> watches_after = {};
    std::vector<Service::Added> added = {};
    std::vector<std::size_t> added_at = {};  // their places in `after`
    std::vector<PlannedTap> taps = {};
    std::vector<PlannedRoom> rooms = {};
    std::vector<std::size_t> rooms_added = {};
    std::vector<relay::TapThread*> taps_added = {};
    std::vector<std::pair<std::size_t, std::shared_ptr<const relay::LabPlan>>> labs = {};  // of open sessions
    std::vector<std::pair<std::shared_ptr<relay::RuleBook>, std::shared_ptr<const rules::RuleSet>>> rules = {};
    std::vector<std::pair<std::shared_ptr<relay::RuleBook>, std::string>> books_renamed = {};
    std::vector<std::pair<std::shared_ptr<net::TlsContext>, std::shared_ptr<net::TlsContext>>> certificates = {};
    Preparations kept = {};  // of listeners that go on
    std::string told = {};   // what differs, in lines
    std::string lines = {};  // where it listens from now on
  };

  config::Log running_log() const;
  Outcome<Done> reopen_log() const;
  Outcome<std::string> tell_reopened(const Outcome<Done>& reopened) const;
  Machine machine() const;
  Outcome<Done> change(const LoadedConfig& loaded);
  /// Returns what changed, in lines.
  std::string serve_hooks(const config::Config& config, const std::vector<HookSettings>& hooks);
  /// Serves this configuration from now on: all of it, or on an error what was served before.
  Outcome<Done> apply(const config::Config& fresh, Plan& plan);
  Outcome<Done> plan(const config::Config& fresh, Plan& plan);
  Outcome<Done> plan_route(const config::Route& route, std::size_t position, Plan& plan);
  void plan_book(const config::Route& route, const std::optional<Running>& before, RouteDescription& fresh, Plan& plan);
  Outcome<Done> plan_arena(const config::Arena& arena, std::size_t position, Plan& plan);
  Outcome<Done> plan_fleet_arena(const config::Arena& arena, std::size_t position, Plan& plan);
  Outcome<Done> plan_fleet_listeners(const Urls& urls, const std::string& arena, std::uint32_t seats,
                                     std::size_t position, const std::optional<config::Route>& keys, Plan& plan);
  Outcome<Done> plan_observer(const Running& of, Plan& plan);
  Outcome<Done> plan_listeners(const RoomListeners& listeners, const SharedRoomEntry& room, relay::TapThread* tap,
                               bool same, std::size_t position, const RunningWatch* watch, Plan& plan) const;
  Outcome<Done> plan_watches(const Watches& watches, const std::string& of,
                             const std::shared_ptr<relay::Broadcast>& broadcast, std::size_t position, Plan& plan);
  Outcome<RoomListeners> take_listeners(const Urls& urls, Plan& plan) const;
  Outcome<Done> open_taps(Plan& plan);
  void open_rooms(Plan& plan);
  Outcome<Done> objection_to_moves(const Plan& plan) const;
  static void plan_rules(const std::shared_ptr<relay::RuleBook>& book, std::shared_ptr<const rules::RuleSet> fresh,
                         Plan& plan);
  Outcome<Done> plan_rules(const config::Arena& arena, const std::shared_ptr<relay::RuleBook>& book, Plan& plan);
  void keep(Running running, RouteDescription fresh, Plan& plan) const;
  void add(Running running, RouteDescription fresh, const std::optional<Running>& instead_of, Plan& plan) const;
  Outcome<Done> carry_out(Plan& plan);
  void end_removed(Plan& plan);
  void tell_documents(void (LiveDocuments::*what)());
  void end_broadcasts();
  void abandon(const Plan& plan);
  std::string sessions_go_on(const Running& listener) const;
  std::string tell_rest(const config::Config& fresh, const Outcome<Done>& reopened) const;
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
  std::map<std::string, std::shared_ptr<relay::RuleBook>> fleet_rules_;  // by the arena
  std::unique_ptr<FleetArenas> fleet_arenas_;                            // null: this process is in no fleet
  std::string lines_;                                                    // where it listens
  std::string told_;                                                     // what the last reload changed
};

}  // namespace entente
