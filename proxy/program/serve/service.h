// Shared by all commands that serve: a relay server with its workers, taps, signals, and the acceptors for control
// and metrics.
// Law: everything that can fail has failed before run(), and leaves nothing behind.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/local_acceptor.h"
#include "proxy/net/web/http_acceptor.h"
#include "proxy/program/config/ban_file.h"
#include "proxy/program/control/control.h"
#include "proxy/program/control/control_record.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/control/route_names.h"
#include "proxy/program/log/log_events.h"
#include "proxy/program/monitor/notifier.h"
#include "proxy/program/operator/operator_page.h"
#include "proxy/program/serve/drainer.h"
#include "proxy/program/serve/taps.h"
#include "proxy/relay/server.h"
#include "schema/config.pb.h"

namespace entente {

class Service {
 public:
  /// `config` outlives it.
  explicit Service(const config::Config& config);

  /// The tap of the next route. It records if `pattern` (as in recording_path) is not empty. Otherwise it only counts;
  /// if there is a control socket, it can be told to record.
  Outcome<relay::TapThread*> tap(const std::string& pattern, std::string_view game);
  /// The tap that only counts.
  relay::TapThread* counting_tap() { return taps_.counting(); }
  /// Limits and the general access lists are those of the configuration; bans apply. `name`: the route's name in
  /// statistics, to which its address is added.
  Outcome<relay::Listening> add(relay::RouteOptions options, const std::string& name);
  /// A shared room; statistics sum up its players by game.
  std::size_t add_arena(const relay::SharedRoomOptions& options);
  /// Reads the stored bans, and opens the control socket and the acceptor for metrics, if configured. REQUIRES:
  /// called after the last add(); own commands are added to control() before.
  Outcome<Done> open_acceptors();
  Control& control() { return control_; }
  /// Something failed before run(): removes recordings, and logs which sockets of the service manager were not used.
  void abandon();

  /// Runs until a signal, stop(), or a recording that cannot continue. `announce` is called when signals are
  /// handled.
  void run(const std::function<void()>& announce = [] {});
  /// From any thread, even before run().
  void stop() { server_.stop(); }
  /// Closes the control socket and metrics, and completes the recordings.
  Outcome<Done> close();

  /// Applies the limits and general access lists of `config`; `own`: a route's access list, by the route's number.
  /// From any thread.
  void set_rules(const config::Config& config, const std::map<std::size_t, relay::Access>& own);

  /// Whether the last reload failed; the service manager shows it.
  void set_reload_failed(bool failed) { reload_failed_ = failed; }

  relay::Server& server() { return server_; }
  /// What was served so far, one line per route.
  std::string summary() const;
  /// All metrics in Prometheus's format.
  std::string metrics() const;

 private:
  struct Route {
    std::size_t number;
    std::string name;             // as NamedRoute::name
    relay::TapThread* recording;  // null if it cannot be recorded; of an arena's listeners, only the first has one
    bool tells;                   // whether the summary shows words_dropped: a bridge with one room for each player
    bool of_arena;
  };
  std::string status() const;
  ReplyRow statistics(const Route& route) const;
  std::vector<ReplyRow> statistics() const;
  std::uint64_t undecoded(const Route& route) const;
  void give_up();
  net::HttpAnswer answer(std::string_view path) const;
  net::HttpAnswer ready(std::string_view route) const;
  Outcome<Done> open_control();
  Outcome<Done> open_metrics();
  Outcome<Done> open_operator_page();
  std::vector<Recordable> recordables() const;

  const config::Config& config_;
  std::atomic<bool> gave_up_{false}, reload_failed_{false}, serving_{false};
  LogEvents events_;
  Taps taps_;
  relay::Bans bans_;
  KeptBans kept_bans_;
  relay::Server server_;
  std::vector<Route> routes_;
  std::vector<NamedRoute> names_;  // of the same routes
  Drainer drainer_;
  std::vector<std::size_t> arenas_;  // their shared rooms
  const Roster roster_{server_, [this](relay::LinkId link) { return taps_.player(link); }};
  Control control_;
  // Last, so that they are destroyed before what they use.
  std::unique_ptr<net::LocalAcceptor> acceptor_;
  std::unique_ptr<net::HttpAcceptor> metrics_acceptor_;
  std::unique_ptr<OperatorPage> operator_page_;
  std::unique_ptr<Notifier> notifier_;
};

}  // namespace entente
