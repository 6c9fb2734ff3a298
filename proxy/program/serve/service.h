// What every command that serves has in common: a relay server on its workers, the taps beside it, the signals that end
// it, and the acceptors by which it is asked. Law: what can fail has failed before run(), and then nothing is left
// behind.
#pragma once

#include <atomic>
#include <ctime>
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
#include "proxy/program/log/log_events.h"
#include "proxy/program/serve/taps.h"
#include "proxy/relay/server.h"
#include "schema/config.pb.h"

namespace entente {

class Service {
 public:
  /// `config` outlives it.
  explicit Service(const config::Config& config);

  /// The tap of the next route: one that records, if `pattern` (as in recording_path) is not empty, else the one that
  /// counts.
  Outcome<relay::TapThread*> tap(const std::string& pattern, std::string_view game);
  /// Its limits are those of the configuration, and who may come to all routes may come; who is banned may not. `name`:
  /// of the route, in statistics; where it listens comes behind it.
  Outcome<relay::Listening> add(relay::RelayOptions options, const std::string& name);
  /// A shared room whose players are summed up, by game, in statistics.
  std::size_t add_arena(const relay::SharedRoomOptions& options);
  /// Reads the bans that are kept, and opens the control socket and the acceptor for metrics, if the configuration
  /// names them. REQUIRES: after the last add(); commands of one's own are added to control() before.
  Outcome<Done> open_acceptors();
  Control& control() { return control_; }
  /// Something failed before run(), or nothing came of it: removes recordings.
  void abandon();

  /// Until a signal, stop(), or a recording that cannot go on. `announce` is called when a signal may come.
  void run(const std::function<void()>& announce = [] {});
  /// From any thread, also before run().
  void stop() { server_.stop(); }
  /// Answers nobody any more, and makes the recordings whole.
  Outcome<Done> close();

  /// From now on the limits of `config` hold, and who may come to all routes is who it says; `own`: who may come to a
  /// route, by the relay's number. From any thread.
  void set_rules(const config::Config& config, const std::map<std::size_t, relay::Access>& own);

  relay::Server& server() { return server_; }
  /// What was served so far, a line a route.
  std::string summary() const;
  /// All that is counted, as Prometheus reads it.
  std::string metrics() const;

 private:
  struct Route {
    std::size_t relay;
    std::string name;                   // "bzflag 2.4 127.0.0.1:40123"
    const relay::TapThread* recording;  // null if it is not recorded; of an arena's listeners the first has it
    bool tells;  // a bridge's, by sessions of its own; what a shared room could not tell, its log says
  };
  std::string summary(const Route& route) const;
  std::uint64_t undecoded(const Route& route) const;
  std::string attendance() const;
  void give_up();
  Outcome<Done> open_control();
  Outcome<Done> open_metrics();

  const config::Config& config_;
  const std::time_t started_ = std::time(nullptr);
  std::atomic<bool> gave_up_{false};
  LogEvents events_;
  Taps taps_;
  relay::Bans bans_;
  KeptBans kept_bans_;
  relay::Server server_;
  std::vector<Route> routes_;
  std::vector<std::size_t> arenas_;  // their shared rooms
  Control control_;
  // Last: nobody asks what is gone.
  std::unique_ptr<net::LocalAcceptor> acceptor_;
  std::unique_ptr<net::HttpAcceptor> metrics_acceptor_;
};

}  // namespace entente
