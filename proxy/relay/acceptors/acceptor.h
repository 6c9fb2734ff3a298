// Accepts the clients of a listener. Refuses those that exceed a limit, and gives the others to a worker. There is a
// kind for each transport: TCP (stream_acceptor.h), ENet (enet_acceptor.h), and ENet in mode=datagrams
// (datagram_acceptor.h).
// Invariant: it lives on the listener's home worker. Admission counts an accepted client until its session is gone.
// Newcomers belong to the route that it serves; with WebSockets, their path may lead them to another one.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "proxy/base/limits.h"
#include "proxy/relay/acceptors/queries.h"
#include "proxy/relay/admission/admission.h"
#include "proxy/relay/base/inquiry.h"
#include "proxy/relay/base/offered_socket.h"
#include "proxy/relay/probes/server_probes.h"
#include "proxy/relay/sessions/dispatcher.h"

namespace entente::relay {

class Acceptor : private Queries::User, private ServerProbes::User {
 public:
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;
  ~Acceptor() override { probes_->set_user(nullptr); }

  /// Listens, also again after close(). Returns its address. `listening`: the TCP socket, if clients connect over TCP.
  virtual Outcome<net::Address> open(net::Fd listening, const net::Address& at) = 0;
  /// From now on, newcomers belong to this route. REQUIRES: its clients speak the same game in the same EnetMode.
  void serve(WorkerRoute& worker_route, ServerProbes& probes);
  /// All routes of the listener, with the one that it serves. Until a client has named a path, the loosest of their
  /// limits of connections count, and only what bans it from all of them.
  void set_routes(std::vector<const WorkerRoute*> routes);
  /// The route that it serves.
  const Route& route() const { return worker_route_->route; }
  /// Accepts no more clients. The sessions go on.
  virtual void close() = 0;
  // A take-over: another process is to have the newcomers. The sessions, and clients on their way in, stay here.
  /// Adds the sockets that the other process needs.
  virtual Outcome<Done> offer(std::vector<OfferedSocket>& out) = 0;
  /// From now on, newcomers go to the other process. On an error, call cancel_take_over().
  virtual Outcome<Done> release_newcomers() = 0;
  /// The other process does not take over: newcomers are accepted here again.
  virtual void cancel_take_over() = 0;
  /// The other process has taken over.
  virtual void complete_take_over() = 0;
  /// No client is inside, and no place is kept for one.
  bool unused() const { return admission_.empty() && empty(); }
  /// Accepts no more clients, and ends the sessions that live here. Once they are gone, empty() is true.
  virtual void stop() = 0;
  virtual bool empty() const { return true; }
  /// After stop(): once the sessions that live here are gone, closes what was open only for them. Returns whether
  /// nothing is open.
  virtual bool finish() { return empty(); }
  virtual void tick(Millis now);
  /// Carries out a command to the sessions that live here, and to clients that wait here for theirs, and reports them.
  virtual void command(const SessionCommand&, Inquiry::Part&) {}
  /// The lab of this route has changed, for the sessions that live here.
  virtual void lab_changed(const WorkerRoute&) {}
  /// WorkerRoute::rules has changed.
  void rules_changed() { admission_.set_access(worker_route_->rules->access); }

  // Reports of the workers about the sessions that they were given.
  virtual void player_id_given(LinkId, std::uint32_t /*player_id*/) {}
  /// `called`: it was a health check, and counted as a caller to the end.
  virtual void left(LinkId, const Route& its, const net::Address& client, bool called) {
    called ? admission_.stop_calling(client) : admission_.leave(client, its.part);
  }
  void away(const Route& its, const net::Address& client) { admission_.keep(client, its.part); }
  void came_back(const Route& its, const net::Address& client) { admission_.unkeep(client, its.part); }
  bool crowded_from(const Route& its, const net::Address& client) const {
    return admission_.crowded_from(client, limits(), its.part);
  }
  bool crowded(const Route& its) const { return admission_.crowded(limits(), its.part); }

 protected:
  Acceptor(WorkerRoute& worker_route, ServerProbes& probes, Dispatcher& dispatcher);

  /// Sends the answer to a query.
  void answer(const Queries::Asker& to, Bytes datagram) override;
  wire::Status status() override;
  void probed() override {}

  Millis now() const { return worker_route_->loop.now(); }
  const Limits& limits() const { return worker_route_->rules->limits; }
  /// Sets where it listens, for bans.
  void set_ban_scope(const net::Address& at);
  /// For a client that has not named its path yet.
  Limits limits_of_caller() const;
  Error cannot_watch() const;
  /// The acceptor serves another route now: clients that wait for the server go to that route.
  virtual void route_changed() {}
  /// Why a client with this ENet connect data is refused because of its dialect; nothing if it is not.
  std::optional<Reason> objection_to_dialect(std::uint32_t data);
  /// Why a client is turned away, for its player.
  std::string words_for(const net::Address& from, Reason why, const Fault& fault = Fault{""}) const;
  /// The messages of its game that tell a client why it is turned away. `words`: for its player.
  std::vector<Buffer> refusal(Reason why, const std::string& words) const;
  /// Counts and logs that a client from `from` was turned away at our address `here`.
  void tell_turned_away(const net::Address& from, const net::Address& here, Reason why, const Fault& fault = Fault{""});
  /// Why a client that has waited here since it was let in may not begin a session now.
  std::optional<Reason> barred(const AcceptedClient& waiting) const { return admission_.barred(waiting.client); }
  struct Farewell {
    Reason why;
    std::string words;  ///< for the player
  };
  /// Counts and logs that a client that has waited here since `since` goes, and why.
  void tell_waiting_ended(const AcceptedClient& client, Millis since, Reason why);
  /// Reports a client that has waited here since `since`, if the command means it. If the command ends its wait, counts
  /// and logs that, and returns what the client is to be told.
  std::optional<Farewell> command_waiting(const SessionCommand& command, Inquiry::Part& part,
                                          const AcceptedClient& client, Millis since);
  /// Makes a twin of the listening UDP socket (net/take_over/udp_twin.h), and puts it into `twin_` and `out`.
  Outcome<Done> offer_twin(std::vector<OfferedSocket>& out);
  /// From now on, newcomers' datagrams go to the twin instead of `reader`. On an error, call drop_twin().
  Outcome<Done> release_datagrams(net::UdpReader& reader,
                                  const std::function<std::vector<net::UdpReader::Peer>()>& peers);
  /// Closes the twin, which then receives nothing.
  void drop_twin();
  LinkInfo info_of_waiting(const AcceptedClient& client) const;
  Error cannot_share() const;
  void close_queries() { queries_->close(); }
  /// Until when a newcomer may wait for a server, if none can be reached now.
  Millis holds_until() const { return now() + worker_route_->route.upstreams.rules().hold_ms; }

  WorkerRoute* worker_route_;
  Dispatcher& dispatcher_;
  Admission& admission_;  // of its listener
  ServerProbes* probes_;
  std::optional<Queries> queries_;
  net::Fd twin_;

 private:
  std::vector<const WorkerRoute*> routes_;  // of the listener; empty: only the one that it serves
  Millis tidy_at_ = 0;
};

}  // namespace entente::relay
