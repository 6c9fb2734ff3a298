// Drains routes: a draining route accepts no newcomers, and its sessions are ended when its time is over.
// Invariant: the Drainer's own thread keeps the times; workers never wait for it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/program/base/housekeeping.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

class Drainer {
 public:
  /// How long sessions may go on; nullopt: until they end by themselves.
  using Time = std::optional<Millis>;

  /// `server` and `thread` outlive it. `before_stop`: how long begin_stop() drains.
  Drainer(relay::ProxyServer& server, Millis before_stop, Housekeeping& thread);
  Drainer(const Drainer&) = delete;
  Drainer& operator=(const Drainer&) = delete;

  /// Adds a route that is served, perhaps instead of the one with number `instead_of`. `name`: for the log. From any
  /// thread.
  void add(std::size_t route, std::string name, std::optional<std::size_t> instead_of = {});
  /// The route was retired: its sessions may go on for `time`, and `over` is called on the Drainer's thread once the
  /// last one has ended. From any thread.
  void retire(std::size_t route, Time time, std::function<void()> over);
  /// The sessions of a retired route may go on for `time` from now. From any thread.
  void limit(std::size_t route, Time time);
  /// The default reason that disconnected players see.
  static constexpr const char* kWhy = "the server is going down";
  /// The route accepts no more newcomers. `time` replaces an earlier one; without it, that of a retired route stays.
  /// `why`: the reason that players see when the time is over; "": kWhy. From any thread but the workers'.
  void drain(std::size_t route, Time time, const std::string& why = "");
  /// The server gets no new sessions. When `time` is over, its players go to other servers, or their sessions end.
  void drain_server(const std::string& server, Time time);
  /// Undoes drain_server(). Returns on how many routes the server is.
  std::size_t undrain_server(const std::string& server);
  /// Removes the time limit of a retired route: its sessions go on until they end. From any thread.
  void keep(std::size_t route);
  /// Undoes drain(), also for the routes that this one has replaced: a retired route keeps only the time that it had
  /// without the drain. Returns false if the route was not drained.
  bool undrain(std::size_t route);
  /// Drains all routes, and stops the server once the last session has ended or the time is over. Safe in a signal
  /// handler.
  void begin_stop();
  /// Newcomers go to another process: stops the server once the last session has ended, or, if begin_stop() has a time,
  /// after that. From any thread.
  void begin_retirement();
  /// Whether begin_stop() was called. From any thread.
  bool is_stopping() const { return stopping_; }
  /// Whether begin_retirement() was called. From any thread.
  bool is_retiring() const { return retiring_; }
  /// Whether begin_stop() drains at all.
  bool drains_before_stop() const { return before_stop_ > 0; }

 private:
  struct Drained {
    void end_drain() { until = ends, why.clear(); }

    std::string name;
    std::optional<Millis> until;               // when its sessions end
    std::optional<Millis> ends = {};           // the same of a retired route that no operator drains
    std::string why = {};                      // "": kWhy
    std::function<void()> over = {};           // not null: the route is retired
    std::optional<std::size_t> replaced = {};  // by this route, which is served
  };
  static std::optional<Millis> until(Time time);
  Millis look();
  void forget_over();
  void end_overdue(Millis now);
  void drain_all(Millis now);
  Millis patience(Millis now);

  relay::ProxyServer& server_;
  const Millis before_stop_;
  mutable std::mutex mutex_;               // guards routes_ and servers_
  std::map<std::size_t, Drained> routes_;  // all, by number
  std::map<std::string, Millis> servers_;  // that are drained: when their players have to leave
  std::atomic<bool> asked_to_stop_{false}, asked_to_retire_{false}, stopping_{false}, retiring_{false};
  // Used only by the thread.
  std::optional<Millis> stop_at_;
  Millis not_before_ = 0;    // until then, clients may still be connecting
  Housekeeping::Work work_;  // last: it uses the others
};

}  // namespace entente
