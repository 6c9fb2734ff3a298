// The servers of a route: which of them are up, how many sessions each has, and which one the next session goes to.
// Invariant: thread-safe. Choosing makes no system call. A server that is drained gets no new session.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/net/address.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/upstream/server_addresses.h"
#include "proxy/relay/upstream/slot_queue.h"

namespace entente::relay {

/// Which server the next session goes to, among those that are up.
enum class Policy : std::uint8_t {
  kFirst,  ///< the first of the list: the others stand by
  kLeast,  ///< the one with the fewest sessions for its weight
  kHash,   ///< the same one for the same address (IPv6: /64), in proportion to the weights
};

/// A server, as RouteOptions names it.
struct UpstreamOptions {
  std::string host;  ///< a name, which is looked up for each connection, or an address
  std::uint16_t port = 0;
  std::optional<std::size_t> dialect = {};  ///< none: detected, or the game's first
  std::uint32_t weight = 1;                 ///< 1 to 1000
  /// The sessions of all routes and processes that wait for its slots. Null: they are not coordinated.
  std::shared_ptr<SlotQueue> slots = {};
};

/// A set of a route's servers, by index.
using UpstreamSet = std::uint64_t;
inline constexpr std::size_t kMostServers = 64;

/// One server of a route.
class Upstream {
 public:
  enum class State : std::uint8_t { kUnknown, kUp, kDown };

  Upstream(std::size_t its_index, UpstreamOptions its_options, std::string its_name, ServerAddresses its_addresses);

  const std::size_t index;
  const UpstreamOptions options;
  const std::string name;     ///< "example.org:5154"; a shared room's name
  ServerAddresses addresses;  ///< for the connections of sessions and checks

  /// It accepted a connection, or passed a check. Returns whether it was down before.
  bool succeeded(Millis now);
  /// Whether succeeded() was called after this time.
  bool succeeded_since(Millis time) const { return known_->succeeded_at > time; }
  /// It could not be reached, or failed a check. Its dialect must be detected again, because it may come back with
  /// another one. Returns whether it was not down before. `why`: for the operator.
  bool failed(Millis now, const std::string& why);
  /// From now on, checks find out when the server comes up. Without checks, a session tries it again after a while.
  void set_has_checks() { has_checks_ = true; }
  /// Called each time that it goes down (`up` false) or is up again, on the thread that noticed, one after another.
  /// `why`: as in failed(). REQUIRES: it does not ask this server for why().
  using Changed = std::function<void(const std::string& server, bool up, const std::string& why)>;
  /// REQUIRES: before serving.
  void tell_changes(Changed changed) { changed_ = std::move(changed); }
  /// A session has connected to it.
  void count_session() { ++known_->opened; }
  /// The server refused a player because it is full. Other servers are preferred for a while, or until one of its
  /// sessions ends.
  void mark_full(Millis now) {
    ++known_->refusals;
    known_->full_until = now + kFullFor;
    known_->scarce_until = now + kScarceFor;
    if (options.slots != nullptr) options.slots->refused(now);
  }
  void drain(bool on) { known_->drained = on; }
  /// The rates of what it sends to all its sessions.
  SharedRates& rates() { return known_->rates; }
  /// Sets the dialect that the server was found to speak; nothing: it is no longer known.
  void set_dialect(std::optional<std::size_t> dialect);

  /// From now on, both objects share what they know: they are one server, on a route and on the route that replaces it.
  /// REQUIRES: nobody else uses this object yet.
  void share(const Upstream& before) { known_ = before.known_; }

  State state() const { return known_->state; }
  bool drained() const { return known_->drained; }
  bool is_full(Millis now) const {
    return now < known_->full_until &&
           (options.slots == nullptr || options.slots->freed_elsewhere_at() + kFullFor <= known_->full_until);
  }
  /// It was full a short time ago: players who wait for a slot go there one after another.
  bool is_scarce(Millis now) const { return now < known_->scarce_until; }
  bool is_down(Millis now) const {
    return state() == State::kDown && (has_checks_ || now < known_->failed_at + kRetryAfter);
  }
  std::uint32_t sessions() const { return known_->sessions; }
  /// Sessions whose clients have only asked who plays.
  std::uint32_t askers() const { return known_->askers; }
  std::uint64_t sessions_opened() const { return known_->opened; }  ///< sessions that have connected so far
  /// The dialect that was named or found.
  std::optional<std::size_t> dialect() const;
  /// The dialect that was named, or found before the server failed.
  std::optional<std::size_t> last_dialect() const;
  Millis since() const { return known_->since; }  ///< when it came up or went down
  std::string why() const;                        ///< of the last failure; empty: none

 private:
  friend class Upstreams;
  static constexpr Millis kFullFor = 3'000, kScarceFor = 30'000, kRetryAfter = 5'000;

  struct Known {
    std::atomic<State> state{State::kUnknown};
    std::atomic<bool> drained{false};
    std::atomic<Millis> full_until{0}, scarce_until{0}, since{0}, failed_at{0}, succeeded_at{0};
    std::atomic<std::int64_t> dialect{-1}, last_dialect{-1};         // that were found; -1: none
    std::atomic<std::uint32_t> sessions{0}, askers{0}, refusals{0};  // refusals: because it was full
    std::atomic<std::uint64_t> opened{0};
    SharedRates rates;
    std::mutex mutex;  // of why, and for changes of state, which are told in their order
    std::string why;
  };

  std::shared_ptr<Known> known_ = std::make_shared<Known>();
  std::atomic<bool> has_checks_{false};
  Changed changed_;  // may be empty
};

/// Commands for /bin/sh that start and stop the servers of a route; empty: none.
struct LaunchRules {
  std::string start;  ///< run when a player waits and no server is up; needs UpstreamRules::hold_ms
  std::string stop;   ///< run when nobody has played for stop_after_ms
  Millis stop_after_ms = 0;
  std::function<bool()> may_stop = {};  ///< false: not now, players of other processes may be there. Null: always
};

/// The runs of one command of LaunchRules, on all routes that have it for the same servers. Thread-safe.
struct CommandRuns {
  std::atomic<bool> runs{false};
  std::atomic<Millis> ended_at{0};  ///< the last run
  /// Not to be run again before, unless a server has been up since the last run. Of a command that starts servers.
  std::atomic<Millis> again_at{0};

  void end(Millis now, Millis again) {
    ended_at = now;
    again_at = again;
    runs = false;
  }
};

struct UpstreamRules {
  Policy policy = Policy::kFirst;
  /// How long a session waits while no server can be reached. 0: it does not wait.
  Millis hold_ms = 0;
  /// How often each server is checked. 0: servers are not checked.
  Millis check_ms = 0;
  /// How long a server that came up gets fewer sessions than its share.
  Millis slow_start_ms = 0;
  LaunchRules launch = {};
  // Set by ProxyServer, according to the servers' game.
  /// A server gets sessions only once its dialect is known.
  bool needs_dialect = false;
  /// A session detects the dialect of a server that does not name one.
  bool detects_in_session = false;
  /// Whether this server has banned this address: no session from there goes to it. Null: none has.
  std::function<bool(const std::string& server, const net::Address& client)> banned = {};
};

class Upstreams {
 public:
  /// Counts a session for its server. REQUIRES: destroyed before the Upstreams.
  class SessionCount {
   public:
    SessionCount() = default;
    explicit SessionCount(Upstream& server) : server_(&server), refusals_(server.known_->refusals) {
      ++server.known_->sessions;
    }
    SessionCount(SessionCount&& other) noexcept
        : server_(std::exchange(other.server_, nullptr)),
          refusals_(other.refusals_),
          asks_(other.asks_),
          reached_(other.reached_) {}
    SessionCount& operator=(SessionCount&& other) noexcept {
      if (this != &other) release();
      server_ = std::exchange(other.server_, nullptr);
      refusals_ = other.refusals_;
      asks_ = other.asks_;
      reached_ = other.reached_;
      return *this;
    }
    ~SessionCount() { release(); }
    /// Whether its client only asks who plays. Initially false.
    void set_asks(bool asks) {
      if (server_ == nullptr || std::exchange(asks_, asks) == asks) return;
      asks ? ++server_->known_->askers : --server_->known_->askers;
    }
    /// The session has connected to the server: when it ends, a slot of the server is free.
    void note_reached() { reached_ = true; }
    /// The server had no slot for the session.
    void refused() {
      set_asks(false);
      if (server_ != nullptr) --std::exchange(server_, nullptr)->known_->sessions;
    }

   private:
    /// A session that was there when the server was full had a slot, which is free now.
    void release() {
      if (server_ == nullptr) return;
      if (!reached_) return refused();
      set_asks(false);
      --server_->known_->sessions;
      if (refusals_ != server_->known_->refusals) server_->known_->full_until = 0;
      if (const auto& slots = server_->options.slots) slots->freed();
      server_ = nullptr;
    }
    Upstream* server_ = nullptr;
    std::uint32_t refusals_ = 0;
    bool asks_ = false, reached_ = false;
  };

  /// A ticket for the queue of sessions that wait for a server. REQUIRES: destroyed before the Upstreams.
  class QueueTicket {
   public:
    QueueTicket() = default;
    QueueTicket(QueueTicket&& other) noexcept
        : queue_(std::exchange(other.queue_, nullptr)), claim_(other.claim_), passes_(other.passes_) {}
    QueueTicket& operator=(QueueTicket&& other) noexcept {
      if (this != &other) leave();
      queue_ = std::exchange(other.queue_, nullptr);
      claim_ = other.claim_;
      passes_ = other.passes_;
      return *this;
    }
    ~QueueTicket() { leave(); }
    bool taken() const { return queue_ != nullptr; }
    /// The servers to which this session may connect now; none if it is not its turn. Only the first in the queue has
    /// its turn, or the first few if some server is up and not scarce; those that pass do not count. Full servers are
    /// left out, and so are those for which somebody elsewhere has waited longer.
    UpstreamSet turn(Millis now) const;
    /// While this is set, the session cannot use a turn: sessions of this route that are behind it do not wait for it.
    /// It keeps its place, and other routes and nodes still count its claim. Initially false. No effect if it is not
    /// taken.
    void set_passes(bool on);
    void leave();

   private:
    friend class Upstreams;
    Upstreams* queue_ = nullptr;
    SlotQueue::Claim claim_{};
    bool passes_ = false;
  };

  /// REQUIRES: before serving; 1 to kMostServers servers.
  void open(std::vector<std::unique_ptr<Upstream>> servers, const UpstreamRules& rules);

  /// Upstream::share() for the servers that have the same names. REQUIRES: before serving.
  void share(const Upstreams& before);
  /// From now on, both share the runs of the commands that are the same. REQUIRES: before serving.
  void share_runs(const Upstreams& other);

  /// The names of the servers.
  std::vector<std::string> names() const;
  /// The server for a client at this address: one that is up, else one that is full, else (unless `only_up`) one that
  /// is down. Nothing: all were tried, are drained, have banned the address, or their dialect is not known. `dialect`:
  /// only servers that speak it.
  Upstream* choose(const net::Address& client, Millis now, UpstreamSet tried = 0,
                   std::optional<std::size_t> dialect = {}, bool only_up = false) const;
  /// Whether a session that needs this dialect can go to this server.
  bool fits(const Upstream& server, std::optional<std::size_t> dialect) const;
  /// Whether it takes no session of this client: it is drained, or has banned the address.
  bool is_closed_to(const Upstream& server, const net::Address& client) const {
    return server.drained() || (rules_.banned && rules_.banned(server.name, client));
  }
  /// Whether some server may be reached: it is up, or nothing is known about it.
  bool any_up(Millis now) const;
  /// Whether a session could go to one of these servers if no client is banned and any dialect will do.
  /// `only_up`: as in choose().
  bool any_takes(Millis now, UpstreamSet among, bool only_up) const;
  /// Whether every server that may be reached was full a moment ago, or is in `but`. False if none may be reached.
  bool all_full(Millis now, UpstreamSet but = 0) const;
  bool all_drained() const;
  /// Whether a session must detect the dialect of the server that it will get.
  bool detects_any_in_session() const;

  /// Waits in the queue. `number`: smaller ones go first on this route. `since`: when the session began to wait. Who
  /// goes first to a full server that other routes lead to: slot_queue.h.
  QueueTicket wait(std::uint64_t number, Millis since);
  std::size_t waiting() const;
  /// The servers for whose slots sessions of other routes or processes wait.
  UpstreamSet wanted_by_others(Millis now) const;
  /// Whether such sessions wait for a slot on this server.
  bool others_want(const Upstream& server, Millis now) const {
    return server.options.slots != nullptr && server.options.slots->others_wait(this, now);
  }

  /// The runs of LaunchRules::start and LaunchRules::stop.
  CommandRuns& starts() const { return *starts_; }
  CommandRuns& stops() const { return *stops_; }

  Upstream& at(std::size_t index) const { return *servers_[index]; }
  const std::vector<std::unique_ptr<Upstream>>& all() const { return servers_; }
  /// An address to show for sessions that have not connected; with port 0, if the name of the first server has none.
  net::Address any_address() const;
  const UpstreamRules& rules() const { return rules_; }
  bool holds() const { return rules_.hold_ms != 0; }

 private:
  double share_of(const Upstream& server, Millis now) const;
  double rank(const Upstream& server, const net::Address& client, Millis now) const;

  std::vector<std::unique_ptr<Upstream>> servers_;
  UpstreamRules rules_;
  std::shared_ptr<CommandRuns> starts_ = std::make_shared<CommandRuns>(), stops_ = std::make_shared<CommandRuns>();
  mutable std::mutex mutex_;       // of queue_ and passing_
  std::set<std::uint64_t> queue_;  // those that wait and do not pass
  std::size_t passing_ = 0;        // how many more wait, and pass
};

/// The addresses that one session tries, server by server. A server's name is looked up when its turn comes.
class UpstreamWalk {
 public:
  UpstreamWalk() = default;
  /// `first`: the server to begin with, if it was chosen already. `upstreams` outlives it.
  UpstreamWalk(const Upstreams& upstreams, const net::Address& client, Upstream* first,
               std::optional<std::size_t> dialect)
      : upstreams_(&upstreams), client_(client), first_(first), dialect_(dialect) {}

  /// The next address; null: all were tried, or a name is being looked up (looks_up). `why`: why the last one could not
  /// be reached; empty: the server is not to blame.
  const net::Address* next(Millis now, const std::string& why);
  /// The name of the next server is being looked up: call next() again when the lookup has ended, or soon. It takes
  /// HostNames::kPatience at most.
  bool looks_up() const { return looks_up_; }
  /// The server of the last address. REQUIRES: next() returned one.
  Upstream& server() const { return *server_; }
  /// The server was reached at the last address.
  void reached() { server_->addresses.reached(addresses_[next_ - 1]); }
  /// The server did not answer at the last address, which is not to be tried first for a while.
  void not_reached(Millis now) { server_->addresses.not_reached(addresses_[next_ - 1], now); }
  /// These servers are not tried.
  void leave_out(UpstreamSet servers) { tried_ |= servers; }
  /// Begins again, with these servers only. `only_up`: not with those that are down.
  void again(bool only_up, UpstreamSet only) {
    tried_ = ~only;
    first_ = server_ = nullptr;
    looks_up_ = false;
    only_up_ = only_up;
  }

 private:
  bool choose(Millis now);

  const Upstreams* upstreams_ = nullptr;
  net::Address client_;
  Upstream* first_ = nullptr;
  Upstream* server_ = nullptr;
  std::optional<std::size_t> dialect_;
  std::vector<net::Address> addresses_;  // of server_
  std::size_t next_ = 0;
  UpstreamSet tried_ = 0;  // and those that are left out
  bool only_up_ = false, looks_up_ = false;
};

}  // namespace entente::relay
