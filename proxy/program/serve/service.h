// Shared by all commands that serve: a relay server with its workers, taps, signals, and the acceptors for control
// and metrics.
// Invariant: everything that can fail has failed before run(), and leaves nothing behind.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/local_acceptor.h"
#include "proxy/net/web/http_acceptor.h"
#include "proxy/program/base/housekeeping.h"
#include "proxy/program/config/config_places.h"
#include "proxy/program/control/control.h"
#include "proxy/program/control/control_record.h"
#include "proxy/program/control/drainer.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/control/route_names.h"
#include "proxy/program/fleet/fleet.h"
#include "proxy/program/fleet/fleet_control.h"
#include "proxy/program/fleet/recording_uploads.h"
#include "proxy/program/hooks/hooks.h"
#include "proxy/program/lists/public_lists.h"
#include "proxy/program/monitor/metrics.h"
#include "proxy/program/monitor/notifier.h"
#include "proxy/program/operator/operator_page.h"
#include "proxy/program/operator/traffic_history.h"
#include "proxy/program/rules/rule_orders.h"
#include "proxy/program/serve/description.h"
#include "proxy/program/serve/log_events.h"
#include "proxy/program/serve/served_routes.h"
#include "proxy/program/serve/taps.h"
#include "proxy/program/settings/ban_file.h"
#include "proxy/program/take_over/hand_over.h"
#include "proxy/relay/proxy_server.h"
#include "schema/config.pb.h"

namespace entente {

struct Restrictions;
class TakeOver;

class Service final : private HandOver::User, private FleetBans::User {
 public:
  /// `config` outlives it.
  explicit Service(const config::Config& config);
  ~Service() override = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// A tap for the route at this position of the configuration, from 1. It records if `pattern` (as in recording_path)
  /// is not empty. Otherwise it only counts; if there is a control socket, an operator can start a recording.
  /// `name`: of the route, if it has one.
  Outcome<relay::TapThread*> tap(const std::string& pattern, std::string_view game, std::size_t position = 1,
                                 const std::string& name = {});
  /// Ends a tap that no route uses, and removes its recording. From any thread but the workers'.
  void discard(relay::TapThread& tap);
  /// The tap that only counts.
  Outcome<relay::TapThread*> counting_tap() { return taps_.counting(); }
  /// Describes what this service can serve. Both outlive the result.
  Describer describer(const config::Config& config, const ConfigPlaces& places = ConfigPlaces::none()) const {
    return {config, places, listed_};
  }
  /// A route that is to be served. Bans apply.
  struct Added {
    std::shared_ptr<const RouteDescription> description;
    relay::Tap* tap = nullptr;
    std::optional<std::size_t> instead_of = {};  ///< as RouteChanges::Added
  };
  Outcome<relay::Listening> add(RouteDescription description, relay::Tap* tap);
  /// Makes all of these changes, or none if one fails. Routes that are retired or replaced get no newcomers; their
  /// sessions go on, on retired routes for drain_s if that is set. From any thread but the workers'.
  Outcome<std::vector<relay::Listening>> change(const std::vector<Added>& added,
                                                const std::vector<std::size_t>& retired);
  /// A shared room; statistics sum up its players by game. `beside`: as ProxyServer::add_shared_room.
  std::size_t add_arena(const relay::SharedRoomOptions& options, std::optional<std::size_t> beside = {});
  /// Sets where players play while no server is up, on each route with `while_down`, also on those that were replaced
  /// or removed. `room_of`: the shared room of the arena of this name; nullopt: there is none.
  void lead_to_arenas(const std::function<std::optional<std::size_t>(const std::string& arena)>& room_of);
  /// Removes a room that nobody has entered.
  void abandon_arena(std::size_t shared_room);
  /// The shared room ends once no route leads into it and its last player has left.
  void retire_arena(std::size_t shared_room);
  /// Changes the lab of a route and of those that it has replaced, also for open sessions; null: none. `route`: the
  /// number of any of them.
  void set_lab(std::size_t route, const std::shared_ptr<const relay::LabPlan>& lab);
  /// Changes a route's position in the configuration.
  void move(std::size_t route, std::size_t position) { routes_.move(route, position); }
  /// The sessions that a route has now.
  std::uint64_t sessions(std::size_t route) const { return server_.totals(route).current_sessions(); }
  /// The sessions of all routes that had its place before, too.
  std::uint64_t all_sessions(std::size_t route) const { return server_.totals(numbers_of(route)).current_sessions(); }
  /// Reads the stored bans, and opens the control socket and the acceptor for metrics, if configured. REQUIRES:
  /// called after the last add(); a caller's own commands are added to control() before. Both answer only after run()
  /// has begun. `places`: for errors.
  Outcome<Done> open_acceptors(const ConfigPlaces& places = {});
  Control& control() { return control_; }
  /// Begins to connect to NATS, if the configuration has [fleet]. REQUIRES: before the first add().
  Outcome<Done> join_fleet();
  /// Null: this process is in no fleet.
  Fleet* fleet() { return fleet_.get(); }
  /// metrics() also calls `measure`. REQUIRES: before run().
  void measure_also(std::function<void(Metrics&)> measure) { measure_also_ = std::move(measure); }
  /// `drains`: called when an operator drains all routes (true), or undoes that (false). REQUIRES: before run().
  void when_all_drain(std::function<void(bool)> drains) { drains_all_ = std::move(drains); }
  /// What is called at a take-over by another process, on the hand-over's thread. Each may be empty.
  struct AtTakeOver {
    std::function<void()> begins = {};  ///< newcomers are about to go to the other process
    std::function<void()> failed = {};  ///< it does not take over; also called if it failed before `begins`
    std::function<void()> done = {};    ///< it has taken over
  };
  /// REQUIRES: before run().
  void when_taken_over(AtTakeOver calls) { at_take_over_ = std::move(calls); }
  /// Allows the command `upgrade`: another process with the same arguments takes over. REQUIRES: before
  /// open_acceptors().
  void allow_upgrades() {
    can_upgrade_ = true;
    hand_over_.allow_upgrades();
  }
  /// The hand-over to a process that takes over.
  const HandOver& hand_over() const { return hand_over_; }
  /// Call it if something failed before run(): removes recordings, and logs which sockets of the service manager were
  /// not used.
  void abandon();

  /// Runs until a signal, stop(), or a recording that cannot continue. `announce` is called when signals are
  /// handled.
  /// `take_over`: takes over from another process, and this may fail. Null: there is no other process, and run() cannot
  /// fail.
  Outcome<Done> run(
      const std::function<void()>& announce = [] {}, TakeOver* take_over = nullptr);
  /// From any thread, even before run().
  void stop() { server_.stop(); }
  /// Closes the control socket and metrics, and completes the recordings.
  Outcome<Done> close();
  void end_requests();

  /// What a reload changes of the service itself: the operator's texts, and the lists of [access] that
  /// `entente ctl` shows. From any thread.
  void set_general(const config::Config& config);
  /// Reads the token of the operator page from its file; nullopt if there is no page now, or none in `fresh`. From any
  /// thread.
  Outcome<std::optional<std::string>> read_operator_token(const config::Config& fresh) const;
  /// The page asks for this token from now on. Returns whether it differs from the one before. REQUIRES:
  /// read_operator_token() returned it.
  bool renew_operator_token(std::string token) { return operator_guard_->renew(std::move(token)); }

  /// Sends what happens to the hooks of the configuration.
  Hooks& hooks() { return hooks_; }
  /// Announces what the configuration says.
  PublicLists& public_lists() { return public_lists_; }

  /// Why the last reload failed, for the service manager; "": it did not.
  void set_reload_failure(const std::string& why);
  /// Whether a recording of this process began with this file. From any thread.
  bool records(const std::string& file) const { return taps_.records(file); }

  relay::ProxyServer& server() { return server_; }
  RuleOrders& rule_orders() { return rule_orders_; }
  /// A thread for what is done now and then, and waits for no disk.
  Housekeeping& housekeeping() { return housekeeping_; }
  /// What was served so far, one line per route.
  std::string summary() const;
  /// All metrics in Prometheus's format.
  std::string metrics() const;

 private:
  /// The shared room of an arena.
  struct ArenaRoom {
    std::size_t number;
    bool retired = false;
  };
  relay::RouteOptions connected(const Added& route);
  void serve(const Added& route, const relay::Listening& at);
  /// How long the sessions of a removed route may go on; nullopt: until they end.
  Drainer::Time drain_time() const;
  bool is_drained(const ServedRoute& added, bool watch) const;
  void retire(std::size_t number, const std::string& name, Drainer::Time time);
  void over(std::size_t number);
  void end_retired_taps();
  void settle();
  /// The numbers of a served route and of those that it has replaced.
  std::vector<std::size_t> numbers_of(std::size_t number) const;
  /// A reload has put back a removed route: its older sessions lose their time limit.
  void keep_older(const NamedRoute& route);
  void measure_routes(Metrics& all) const;
  /// Open sessions, also of routes that a reload has removed. `of_players`: only those, not observers and audiences.
  std::uint64_t open_sessions(bool of_players = false) const;
  /// The sessions that the processes from before an upgrade had a moment ago. Waits for nobody.
  std::size_t older_players() const { return hand_over_.given() ? 0 : older_players_.load(); }
  Millis count_older_players();
  std::string failures() const;
  std::string status() const;
  relay::TapTotals recorded(const ServedRoute& route) const;
  ReplyRow statistics(const ServedRoute& route) const;
  std::vector<ReplyRow> statistics() const;
  std::uint64_t undecoded(const ServedRoute& route) const;
  void give_up();
  net::HttpAnswer answer(std::string_view path) const;
  std::string answer_page(std::string_view line, const std::string& by) const;
  net::HttpAnswer ready(std::string_view route) const;
  Outcome<Done> load_bans();
  Outcome<Done> open_control();
  std::string answer_control(std::string_view line, const net::LocalPeer& by, Control::Orders orders);
  std::string restrictions_answer();
  bool forget_lifted(const Restrictions& known);
  bool restore(const Restrictions& known);
  Outcome<std::unique_ptr<net::LocalAcceptor>> open_control_at(const std::string& path, Control::Orders orders);
  Outcome<Done> open_own_control();
  Outcome<Done> tell_successor(const relay::Ban& ban) const;
  Millis tell_bans();
  void tell_last_bans();
  Outcome<Done> open_metrics();
  Outcome<Done> open_operator_page();
  void start_acceptors();
  void learn(const std::vector<relay::Ban>& bans, const std::vector<net::Network>& lifted, bool old) override;
  void learn_listed(const std::vector<relay::ListedNetwork>& listed,
                    const std::vector<net::Network>& unlisted) override;
  ReplyRow node_row() const;
  Outcome<std::vector<net::NamedFd>> offer() override;
  Outcome<relay::LinkId> release_newcomers() override;
  void take_back() override;
  void give(std::int32_t pid, bool own) override;
  bool can_be_asked() const override;
  bool is_stopping() const override;
  void take_over_failed(const std::string& why) override;
  Taps::Told told_by_taps();
  void tell_ban(const relay::Ban& ban);
  void post_ban(const relay::Ban& ban);
  void keep_untold(const relay::Ban& ban, const std::string& why);
  std::vector<PublicServer> public_servers(const std::string& of) const;
  std::vector<Recordable> recordables() const;
  std::vector<ArenaRoom> arenas() const;

  const config::Config& config_;
  const Millis began_ = steady_now();
  mutable std::mutex mutex_;  // guards the next four, and telling_bans_
  std::string reload_failure_;
  relay::Access access_;                 // of [access]
  std::vector<relay::Ban> untold_bans_;  // the process that has taken over has yet to be told of them
  std::vector<ArenaRoom> arenas_;        // also those that have ended
  std::atomic<bool> gave_up_{false}, serving_{false},
      all_drained_{false};  // all_drained_: the last drain or undrain of all routes was a drain
  // Threads for what is done now and then. A disk may make `files_` wait, and that of a recording `tap_ends_`.
  Housekeeping housekeeping_{"housekeeping"}, files_{"files"}, tap_ends_{"tap ends"};
  Hooks hooks_;
  Taps taps_;
  LogEvents events_{[this](relay::LinkId link) { return taps_.player(link); }, hooks_};
  relay::Bans bans_;
  relay::ListedNetworks listed_;
  KeptBans kept_bans_;
  std::unique_ptr<Fleet> fleet_;
  fleet::SlotQueues slot_queues_{this_machine()};
  std::unique_ptr<RecordingUploads> uploads_;   // null: recordings do not go to a fleet
  std::function<void(Metrics&)> measure_also_;  // may be empty
  std::function<void(bool)> drains_all_;        // may be empty
  AtTakeOver at_take_over_;
  relay::ProxyServer server_;
  ServedRoutes routes_;
  Housekeeping::Work ending_taps_{tap_ends_, [this] {
                                    end_retired_taps();
                                    return Housekeeping::kIdle;
                                  }};
  Drainer drainer_;
  RuleOrders rule_orders_{server_, bans_, kept_bans_, [this] { return served_only(routes_.listed()); }, files_};
  const Roster roster_{server_, [this](relay::LinkId link) { return taps_.player(link); }};
  Control control_;
  // The control socket, metrics and the operator page are on one thread, which waits for nobody; commands have another.
  net::RequestLoop requests_{"control", "commands"};
  // Last, so that they are destroyed before what they use.
  std::unique_ptr<TrafficHistory> traffic_history_;               // for the operator page; null if there is none
  std::unique_ptr<net::LocalAcceptor> acceptor_, left_acceptor_;  // left_: to the process that has taken over
  std::unique_ptr<net::LocalAcceptor> own_acceptor_;  // from the release of newcomers to the hand-over's end
  mutable ThreadTimes thread_times_;                  // for metrics
  std::unique_ptr<net::HttpAcceptor> metrics_acceptor_;
  std::shared_ptr<TokenGuard> operator_guard_;  // of the page; for reloads, which may come while it closes
  std::unique_ptr<OperatorPage> operator_page_;
  PublicLists public_lists_{[this](const std::string& of) { return public_servers(of); }};
  std::unique_ptr<Notifier> notifier_;
  std::unique_ptr<FleetControl> fleet_control_;
  std::vector<bus::SharedBan> handed_over_;  // by the process that this one has taken over from, for fleet_control_
  bool can_upgrade_ = false;                 // by the command `upgrade`
  std::atomic<std::size_t> older_players_{0};
  std::atomic<bool> older_may_be_there_{true};  // processes from before; until they were asked, it is not known
  const TakeOver* taken_ = nullptr;             // from the process before this one; null: there was none
  std::string older_beside_ = config_.control().socket();  // older processes have their sockets there; empty: none
  HandOver hand_over_{static_cast<HandOver::User&>(*this), config_.control().socket()};
  std::optional<Housekeeping::Work> counting_older_;
  std::unique_ptr<Housekeeping::Work> telling_bans_;  // null: no process has taken over, or this one ends
};

}  // namespace entente
