// A worker: one thread, its loop, and the sessions that live on it; for some relays also the acceptor.
// Invariant: a session never moves to another worker. Workers exchange only letters and batches of datagrams. Routes
// and listeners are never forgotten. The sockets of a listener are closed once it has no routes and no sessions. No
// worker ends before all have begun to stop: until then, a client may be on its way to it.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "proxy/net/mailbox.h"
#include "proxy/net/names/host_names.h"
#include "proxy/relay/acceptors/acceptor.h"
#include "proxy/relay/acceptors/http_caller.h"
#include "proxy/relay/acceptors/moved_enet_client.h"
#include "proxy/relay/admission/absences.h"
#include "proxy/relay/ends/datagram_queue.h"
#include "proxy/relay/sessions/session.h"
#include "proxy/relay/sessions/shared_room.h"
#include "proxy/relay/sessions/visitor.h"

namespace entente::relay {

class Worker;

/// What the workers of one ProxyServer share.
struct Pool {
  std::vector<std::unique_ptr<Worker>> workers;
  std::optional<net::HostNames> host_names;  // of the servers; set before any route
  std::atomic<LinkId> last_link{0};
  std::atomic<bool> stopping{false};
  std::atomic<std::size_t> begun_to_stop{0};  // workers
  std::mutex absences_lock;
  Absences<SessionRef> absences;
};

class Worker final : public net::Ticker::User,
                     public Session::Owner,
                     public Visitor::Owner,
                     public HttpCaller::Owner,
                     public Dispatcher,
                     public net::Later {
 public:
  /// `nanos`: as for ProxyServer.
  Worker(std::size_t index, Pool& pool, const net::Schedule::Clock& nanos);
  ~Worker() override;

  // Before run(), or on the worker's thread (call()).
  /// The worker becomes the home of this shared room. REQUIRES: tap as in SharedRoomOptions.
  void add_shared_room(SharedRoomState& state, TapSink* tap, Events& events);
  /// Opens the room. run() opens all rooms that were added before.
  void open_shared_room(std::size_t number);
  /// The room stops once no route leads there and nobody is inside. No effect if it was retired before.
  void retire_shared_room(std::size_t number) {
    if (const auto at = shared_rooms_.find(number); at != shared_rooms_.end()) at->second.retired = true;
  }
  /// For each route, in the order of Route::index.
  const WorkerRoute& add_route(Route& route, TapSink* tap);
  /// Adds bots to a route, one per tick. REQUIRES: the route is a bridge.
  void invite_bots(std::size_t route, std::uint32_t count);
  /// The worker becomes the home of the listener of this route, which listens from now on, or again. Returns its
  /// address.
  Outcome<net::Address> open_acceptor(std::size_t route, net::Fd listening, const net::Address& at);
  /// Sets the routes of a listener: those with a path first. Empty: the listener closes, but its sessions go on.
  void set_routes(std::size_t listener, const std::vector<std::size_t>& routes);
  /// Whether this worker has the listener, open or closed. If so, it stays until set_routes() or unpin_listener().
  bool pin_listener(std::size_t listener);
  /// The acceptor of this listener; null if the listener lives on another worker, or is closed.
  Acceptor* active_acceptor(std::size_t listener) {
    ListenerPart& here = listeners_[listener];
    return here.routes.empty() ? nullptr : here.acceptor.get();
  }
  void unpin_listener(std::size_t listener) { listeners_[listener].pinned = false; }
  /// Closes the sockets of a listener that has no routes and no sessions, or did not open.
  void close_listener_sockets(Listener& listener);

  /// Runs the loop until the pool is stopping and the last session is gone.
  void run();

  // From any thread.
  using TurnTimes = DurationsOf<Count, kTurnBounds>;
  /// How long turns of the loop took. One in Loop::kTimed is measured.
  const TurnTimes& turn_times() const { return turns_.times; }
  /// Whether it has turned its loop since `time`, as steady_now(), or does not run. It ticks ten times a second.
  bool turned_since(Millis time) const { return turned_at_ >= time; }
  /// Sessions and callers that live here, or are on their way here.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }
  /// Calls a function on the worker's thread. It is not called if the worker has ended.
  void call(std::function<void()> function, Inquiry::Part part) { tell(Call{std::move(function), std::move(part)}); }
  Millis time() const { return loop_.nanos() / 1'000'000; }
  void wake() { mailbox_.wake(); }
  void set_rules(std::size_t route, std::shared_ptr<const NewcomerRules> rules) {
    tell(NewRules{route, std::move(rules)});
  }
  void set_lab(std::size_t route, const RunningLab& lab) { tell(NewLab{route, lab}); }
  void more_bots(std::size_t route, std::uint32_t count) { tell(MoreBots{route, count}); }
  void order(std::size_t shared_room, std::function<void(core::Back&)> order) {
    tell(Order{shared_room, std::move(order)});
  }
  void command(const SessionCommand& its, Inquiry::Part part) { tell(CommandSessions{its, std::move(part)}); }

 private:
  /// The server gave the player of a session this id.
  struct PlayerIdGiven {
    std::size_t route;
    LinkId link;
    std::uint32_t player;
  };
  /// A session is gone, or its client was turned away by its worker.
  struct SessionLeft {
    std::size_t route;
    LinkId link;
    net::Address client;
    bool called = false;  ///< for Admission, it was a caller to the end
  };
  /// A session's client lost its link (kAway), is back or given up (kBack), or is a new player (kNewPlayer).
  struct ClientPresence {
    enum class How : std::uint8_t { kAway, kBack, kNewPlayer } how;
    std::size_t route;
    net::Address client;
  };
  /// An absent session is to give up its place.
  struct GiveWay {
    LinkId link;
  };
  /// The client of an absent session is back, on this connection.
  struct ClientReconnected {
    LinkId link;
    net::Fd client;
    net::Address from;
  };
  /// There may be something new in the passage of a player who visits an arena. The visitor looks into it
  /// (VisitorNews), or the session does (ArenaNews).
  struct VisitorNews {
    LinkId visit;
  };
  struct ArenaNews {
    LinkId session;
  };
  /// A caller of this worker asks for a session on this route, which may begin once a server's dialect is known.
  struct SessionWanted {
    std::size_t route;
    std::size_t worker;
    LinkId caller;
  };
  /// The answer.
  struct SessionDecision {
    enum class What : std::uint8_t { kBegins, kRefused, kAsksAgain } what;  ///< kAsksAgain: the route was replaced
    LinkId caller;
    std::optional<Reason> why;  ///< of kRefused
  };
  struct NewRules {
    std::size_t route;
    std::shared_ptr<const NewcomerRules> rules;
  };
  struct NewLab {
    std::size_t route;
    RunningLab lab;
  };
  struct MoreBots {
    std::size_t route;
    std::uint32_t count;
  };
  struct Order {
    std::size_t shared_room;
    std::function<void(core::Back&)> order;
  };
  /// A command to sessions that live here, or a question about them.
  struct CommandSessions {
    SessionCommand command;
    Inquiry::Part part;
  };
  struct Call {
    std::function<void()> function;
    Inquiry::Part part;
  };
  /// A listener has closed, and its last session has ended.
  struct ListenerEmptied {
    std::size_t listener;
  };
  /// Bots that are still to come.
  struct Invitation {
    std::size_t route;
    std::uint32_t count;
  };
  using Letter = std::variant<AcceptedClient, PlayerIdGiven, SessionLeft, ClientPresence, GiveWay, ClientReconnected,
                              SessionWanted, SessionDecision, NewRules, NewLab, MoreBots, Order, CommandSessions, Call,
                              ListenerEmptied, Visit, VisitorNews, ArenaNews>;
  friend class net::Mailbox<Letter, Worker>;

  void mail();
  void read(AcceptedClient& newcomer);
  void seat(AcceptedClient newcomer);
  void hear_caller(AcceptedClient newcomer);
  void begin_session(HttpCaller& caller);
  void make_room_for_ticks();
  void read(const PlayerIdGiven& named);
  void read(const SessionLeft& left);
  void read(const ClientPresence& moved);
  void read(const GiveWay& letter);
  void read(ClientReconnected& back);
  void read(const SessionWanted& wanted);
  void read(const SessionDecision& decision);
  void read(const NewRules& news);
  void read(const NewLab& news);
  void read(const MoreBots& more);
  void read(const Order& order);
  void read(CommandSessions& letter);
  void read(Call& call) { call.function(); }
  void read(const ListenerEmptied& gone);
  void read(Visit& visit);
  void read(const VisitorNews& news);
  void read(const ArenaNews& news);
  /// Posts a letter, from any thread. A worker that has ended has nothing to do with it.
  void tell(Letter letter) { (void)mailbox_.post(std::move(letter)); }
  /// Reads the letter at once if it is for this worker.
  void send(Worker& to, Letter letter);
  void tell_moved(ClientPresence::How how, Session& session);
  Worker& home(std::size_t route);
  /// The acceptor of this route's listener; null if it lives on another worker.
  Acceptor* acceptor_of(std::size_t route) { return listeners_[routes_[route]->route.listener->index].acceptor.get(); }
  void hand_out(LinkId link, const net::Address& from, Bytes datagram);

  // Ticker, Session::Owner, Dispatcher, Later
  void tick(Millis now) override;
  void player_id_given(Session& session, std::uint32_t player_id) override;
  std::unique_ptr<Session> make_session(WorkerRoute& worker_route, const AcceptedClient& newcomer);
  WorkerRoute* route_at(const Route& accepting, std::string_view path) override;
  void replace(Session& old, std::unique_ptr<Session> fresh) override;
  void done(Session& session) override;
  void away(Session& session, const core::Absence& absence) override;
  void stays_away(Session& session) override;
  std::optional<SessionRef> claim(Session& session, std::uint32_t number) override;
  void new_player(Session& session) override;
  void hand_over(SessionRef to, net::Fd client, const net::Address& from) override;
  void wants_session(HttpCaller& caller) override;
  void over(HttpCaller& caller) override;
  std::unique_ptr<ArenaEnd> visit(Session& session, End::User& user, std::size_t arena,
                                  std::function<std::unique_ptr<core::Front>()> front) override;
  WorkerRoute& route(std::size_t index) override { return *routes_.at(index); }
  void tell_session(const Visit& visit) override;
  void gone(Visitor& visitor) override;
  /// After all numbers, it begins again with 1.
  LinkId next_link() override {
    for (;;)
      if (const LinkId link = pool_.last_link.fetch_add(1, std::memory_order_relaxed) + 1; link != 0) return link;
  }
  std::size_t next_worker(const Route& route) override;
  void assign(std::size_t worker, AcceptedClient newcomer) override;
  bool forward_datagram(SessionRef to, const net::Address& from, Bytes datagram) override;
  void flush_datagrams() override;
  void at_turn_end() override;

  /// A job that calls a function of its worker.
  struct WorkerJob final : net::Job {
    WorkerJob(Worker& its, void (Worker::*function)()) : worker(its), call(function) {}
    void run() override { (worker.*call)(); }
    Worker& worker;
    void (Worker::*call)();
  };
  /// A client that waits for its session until it is the turn of its address.
  struct Newcomer final : net::Job {
    Newcomer(Worker& its, AcceptedClient its_client) : worker(its), client(std::move(its_client)) {
      set_priority(net::Priority::kNewcomer);
      set_party(worker.loop_.client_party(client.client));
    }
    void run() override { worker.seat_next(client.link); }
    Worker& worker;
    AcceptedClient client;
  };
  struct Turns final : net::TurnWatch {
    void turn_took(std::uint64_t nanos) override { count(times, nanos / 1'000); }
    TurnTimes times;
  };
  void tidy_later();
  void tick_some();
  void seat_next(LinkId link);
  void hand_out_datagrams();
  void decide_wanted(std::size_t route);
  void seat_bots();
  void seat_bot(const Invitation& invitation);
  bool take_moved(AcceptedClient& newcomer);
  void tidy();
  bool leads_to(std::size_t shared_room) const;
  void begin_stop();
  void finish_if_empty();

  const std::size_t index_;
  Pool& pool_;
  LookupWaits lookup_waits_;
  Turns turns_;
  net::Loop loop_;
  net::Mailbox<Letter, Worker> mailbox_;
  std::optional<net::Ticker> ticker_;
  std::vector<std::unique_ptr<WorkerRoute>> routes_;  // by Route::index
  struct Probed {
    std::unique_ptr<ServerProbes> probes;  // null if another worker is home
    bool over = false;
    std::vector<SessionWanted> wanted = {};  // by callers, which may have left; not decided yet; at most kMostWanted
  };
  std::vector<Probed> probed_;  // by Route::index
  struct ListenerPart {
    std::vector<std::size_t> routes = {};          // those with a path first
    std::unique_ptr<Acceptor> acceptor = nullptr;  // null if another worker is home, or for bots
    bool pinned = false;
  };
  std::vector<ListenerPart> listeners_;  // by Listener::index
  struct Housed {
    std::unique_ptr<SharedRoom> shared_room;
    TapSink* tap;
    bool retired = false;
  };
  std::unordered_map<std::size_t, Housed> shared_rooms_;                        // by their number: those that live here
  std::unordered_map<LinkId, std::unique_ptr<MovedEnetClient>> moved_clients_;  // by their session's link
  std::unordered_map<LinkId, std::unique_ptr<HttpCaller>> callers_;
  std::unordered_map<LinkId, std::unique_ptr<Session>> sessions_;
  std::unordered_map<LinkId, std::unique_ptr<Visitor>> visitors_;  // by Visit::number: in shared rooms that live here
  std::vector<Session*> done_;
  std::vector<LinkId> gone_visits_;
  std::vector<std::unique_ptr<HttpCaller>> gone_callers_;
  std::vector<std::unique_ptr<Session>> replaced_;
  std::vector<LinkId> to_tick_;  // sessions and callers whose tick() is still to be called
  std::unordered_map<LinkId, std::unique_ptr<Newcomer>> newcomers_;
  WorkerJob ticking_{*this, &Worker::tick_some};
  WorkerJob handing_out_{*this, &Worker::hand_out_datagrams};
  std::vector<Invitation> invited_;
  std::vector<Letter> letters_;
  DatagramQueue datagram_queue_;
  std::vector<bool> passed_to_;  // workers that have got datagrams from us in this batch
  std::size_t next_worker_;      // of those with the fewest sessions
  std::atomic<std::size_t> load_{0};
  static constexpr Millis kDoesNotRun = std::numeric_limits<Millis>::max();
  std::atomic<Millis> turned_at_{kDoesNotRun};  // by steady_now()
  bool stopping_ = false, running_ = false;
};

}  // namespace entente::relay
