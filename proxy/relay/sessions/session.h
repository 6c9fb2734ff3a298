// A session: one client, from the accepted connection to the last byte. Relays (tcp_session.h, web_session.h,
// enet_session.h) pass its bytes to a server; bridge_session.h and room_guest.h seat its player in a room.
// Invariant: it lives on one worker, and is destroyed at the end of the turn in which it calls done(). Only the first
// reason to end counts; it is counted, logged and told to the tap once. From then on the links have Limits::linger_ms
// to close.
#pragma once

#include <optional>
#include <string>

#include "proxy/base/limits.h"
#include "proxy/base/steady_wall.h"
#include "proxy/core/room_member.h"
#include "proxy/net/fd.h"
#include "proxy/relay/admission/admission.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/base/inquiry.h"
#include "proxy/relay/ends/arena_end.h"
#include "proxy/relay/ends/datagram_inbox.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/ends/link_table.h"
#include "proxy/relay/ends/relay_link.h"
#include "proxy/relay/route/route.h"
#include "proxy/relay/sessions/dispatcher.h"

namespace entente::relay {

class Session : private DatagramInbox::User {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The server's greeting gave this session a player id. Called before the client can know it.
    virtual void player_id_given(Session& session, std::uint32_t player_id) = 0;
    /// The route that serves `path` on the listener of the route `accepting`; null if there is none.
    virtual WorkerRoute* route_at(const Route& accepting, std::string_view path) = 0;
    /// Its client lost its link, and may come back from the same address.
    virtual void away(Session& session, const core::Absence& absence) = 0;
    /// A session that was away ends: nobody can claim it any more.
    virtual void stays_away(Session& session) = 0;
    /// Claims the absent session with this route, address and number, so that nobody else can. Nothing if there is
    /// none.
    virtual std::optional<SessionRef> claim(Session& session, std::uint32_t number) = 0;
    /// The client is a new player, not one who resumes. If there are too many, an absent session gives up its place.
    virtual void new_player(Session& session) = 0;
    /// Hands a client to the session that it belongs to.
    virtual void hand_over(SessionRef to, net::Fd client, const net::Address& from) = 0;
    /// Sends the session's player to this arena of the process. Null if the arena takes nobody.
    virtual std::unique_ptr<ArenaEnd> visit(Session& session, End::User& user, std::size_t arena,
                                            std::function<std::unique_ptr<core::Front>()> front) = 0;
    /// `fresh` goes on with the client of `old`, which is destroyed at the end of the turn.
    virtual void replace(Session& old, std::unique_ptr<Session> fresh) = 0;
    /// A route by its number, for a session that is moved there.
    virtual WorkerRoute& route(std::size_t index) = 0;
    /// A number for a second link of a session.
    virtual LinkId next_link() = 0;
    /// Both links are closed: destroy it at the end of the turn.
    virtual void done(Session& session) = 0;
  };

  ~Session() override = default;

  /// Takes the accepted connection.
  virtual void start(net::Fd client) = 0;
  /// The session's client is back, on this connection. REQUIRES: the game's clients send no greeting, because what was
  /// already read from the connection is not passed on.
  virtual void reattach(net::Fd, const net::Address&) {}
  /// Whether the client has lost its link, and its place is kept.
  virtual bool is_away() const { return false; }
  /// There may be news from the arena that the session's player visits.
  virtual void look_into_arena() {}
  /// Gives up the kept place, because a connected player needs it.
  virtual void give_way() {}
  /// A datagram of the client that the listener received. It is dealt with now, or when it is the turn of the client's
  /// address.
  void receive_datagram(const net::Address& from, Bytes datagram);
  void tick(Millis now);
  void stop();
  /// WorkerRoute::lab has changed.
  virtual void lab_changed() {}
  /// Ends the session for the operator, who kicked or banned the player. `why` is shown to the player if the game can
  /// do so. REQUIRES: is_sent_away(reason).
  virtual void send_away(Reason reason, std::string_view why);
  /// Moves the player to another route, or tells it where to connect. The order is answered now or later.
  virtual void move(const std::shared_ptr<MoveOrder>& order);
  /// Turns the player away, because its address was barred on its way here (Admission::barred).
  void turn_away(Reason why) { end(why, Fault{""}, worker_route_->why_banned(info_.client)); }
  /// As send_away(), because the route was drained.
  void end_drained(std::string_view why);
  /// Its server is drained: the player goes to another one, or the session ends as by end_drained(). False: it has no
  /// session on this server.
  virtual bool leave_server(std::string_view server, std::string_view why);
  /// Sends the player a message in the server's name.
  virtual AnnounceResult say(std::string_view text);
  SessionReport report();
  /// Whether it is a load balancer's health check: neither counted nor logged, listed or recorded.
  bool is_health_check() const { return info_.health_check; }
  /// For Admission, it is a caller.
  bool calls() const { return calls_; }
  /// There is a reason to end: its links only have to close.
  bool has_ended() const { return reason_.has_value(); }
  /// Whether it is listed, and commands are for it.
  bool listed() const { return !has_ended() && !is_health_check(); }

  const LinkInfo& info() const { return info_; }
  const Limits& limits() const { return limits_; }
  WorkerRoute& worker_route() { return *worker_route_; }
  /// Whose turn the session shares (schedule.h): that of its client's address. A bot has none.
  std::shared_ptr<net::Party> party() const {
    return info_.client.port() != 0 ? accept_route_.loop.client_party(info_.client) : nullptr;
  }
  /// The route through whose listener it came.
  const Route& accepting_route() const { return accept_route_.route; }

 protected:
  /// `accept_route` outlives it.
  Session(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer);
  struct Successor {};
  /// For the client of another session, which is to be adopted.
  Session(const Session& other, Successor);
  /// Goes on with the client of `other`, which does nothing more.
  void adopt_client(Session& other);

  /// Ends the session. The player is shown `why`, as far as the game can do so; empty: the words for this reason.
  void end(Reason reason, const Fault& fault = Fault{""}, std::string_view why = {});
  /// Sets the reason to end, if there is none yet. From then on the links have limited time to close.
  void set_reason(Reason reason, std::string_view why = {}, const Fault& fault = Fault{""});
  /// Passes on nothing more: reports the end (counters, log, tap) and closes the links.
  void finish();
  /// Why the player cannot go to this route.
  std::optional<std::string> objection_to_move(const WorkerRoute& to) const;
  /// Takes a place at the listener of that route, for as long as the player is there. An error: why there is none.
  /// `now_in`: the place that it has. No place is taken if that is there already, or if the player came through that
  /// listener, by the same path.
  Outcome<MovedPlace> place_at(const WorkerRoute& to, const MovedPlace& now_in) const;
  /// Tells the client where to connect anew, and ends the session.
  void refer_to(MoveOrder& order, const WorkerRoute& to);
  /// The route where the player is: whose servers or arena it plays on.
  virtual const Route& at() const { return worker_route_->route; }
  /// Calls Owner::done() if the session is ending and its links are closed.
  virtual void settle();

  /// Moves the session to this route, which is another one, because it serves the path that the client asked for.
  void go_by(WorkerRoute& route);
  /// Why the client may not become a new player: it came in during a drain, which goes on, to resume a session.
  std::optional<Reason> objection_to_new_player() const;
  /// Does nothing for a health check.
  void count_begun();
  /// A health check turns out to be a client: it plays. From now on it takes a place, and is counted, logged and
  /// recorded from its beginning. Returns why it must end, if there is no place. It may be called during a call of a
  /// room.
  [[nodiscard]] std::optional<Reason> count_as_client();
  /// The same for a session that is not open yet: tell_opened() follows.
  [[nodiscard]] std::optional<Reason> admit_as_client();
  /// The session is open: its server's side is up. `shown`: as the log names it.
  void tell_opened(const LinkInfo& shown);
  void tell_opened() { tell_opened(info_); }
  void open_tap(WallTime at);
  /// Writes a note for this session into the recording, once the tap is open.
  void note(const std::string& text);
  /// Counts what the client sent against its rate limits. Above them it is not read until it is within them again.
  void charge(std::size_t bytes, std::size_t messages);
  /// The same for what its server sent, which all sessions of the server share.
  void charge_server(std::size_t bytes, std::size_t messages);
  Millis now() const { return accept_route_.loop.now(); }
  // Lines of the log about this session.
  About about() const { return relay::about(info_, player_name()); }
  void log(LogKind kind, std::string sentence) { worker_route_->log_info(kind, std::move(sentence), about()); }
  void warn(LogKind kind, std::string sentence) { worker_route_->log_warning(kind, std::move(sentence), about()); }
  /// "session 3 ("anna")"
  std::string who() const;
  Reason reason() const { return reason_.value_or(Reason::kClientLeft); }

  // Implemented by each kind of session.
  virtual void datagram(const net::Address&, Bytes) {}
  /// Says goodbye, then calls finish(): at once, or when the goodbye has been sent. `why`: for the player.
  virtual void dismiss(Reason, std::string_view /*why*/) { finish(); }
  /// The messages of the game that tell a client at this stage why its session ends.
  std::vector<Buffer> last_words(wire::ClientStage stage, Reason why) const;
  /// Why the session ends, for the player; empty: nobody is left to be told.
  std::string words(Reason why) const { return words_.empty() ? at().words_for(why, fault_) : words_; }
  /// Closes the links once what was sent is out.
  virtual void shut_down() = 0;
  /// Closes the links at once, whatever waits.
  virtual void hang_up() = 0;
  virtual bool is_linked() const = 0;
  /// While the session waits for a server: whether the client has left. Only links that do not report this otherwise
  /// answer true.
  virtual bool client_has_gone() const { return false; }
  /// Stops and resumes reading from the client.
  virtual void pause_client(Pause why) = 0;
  virtual void resume_client(Pause why) = 0;
  /// The same for its server, if it has one.
  virtual void pause_server(Pause) {}
  virtual void resume_server(Pause) {}
  /// Called every tick, before the limits are checked. False: they are not checked.
  virtual bool on_tick(Millis) { return true; }
  /// The reason to end, if a time limit is exceeded.
  virtual std::optional<Reason> overdue(Millis now) const = 0;
  /// How long a client stays connected after the goodbye, so that its player can read it.
  virtual Millis goodbye() const { return 0; }
  virtual void tell_end();
  virtual void close_tap(const std::string& why);
  virtual WallTime wall() const { return steady_wall_now(); }
  /// In a relay: sends the client this frame of its game, which the server did not send.
  virtual void insert(Bytes /*frame*/) {}
  /// What insert() is called with from now on is the operator's text; `on` false: no more of it.
  virtual void inserting(bool on) {
    if (worker_route_->tap != nullptr) worker_route_->tap->inserts(on ? info_.link : 0);
  }
  /// Whether insert() can be called now: the player is in, and what the client was sent ends with a whole frame.
  virtual bool takes_insert() const { return false; }
  /// Bytes that wait for the client because it is slow.
  virtual std::size_t waiting_for_client() const { return 0; }
  /// The memory that waits because of the client. What it shares with others counts in part.
  virtual std::size_t weight() const { return waiting_for_client(); }
  /// The arena that its player visits; empty: none.
  virtual std::string arena_name() const { return {}; }
  /// The route to whose server or arena its player was moved.
  virtual std::optional<std::size_t> moved_to() const { return std::nullopt; }
  /// Its player's name in a room.
  virtual std::string player_name() const { return {}; }
  /// Its player was let into the room. Told once.
  void tell_joined(const std::string& player);
  /// What the lab of its route did to it; null: nothing.
  virtual const LabReport* lab_report() const { return nullptr; }
  /// The session ends: passes on at once what the lab delays.
  virtual void pass_what_waits() {}
  /// What connects to the server that it passes on, or has done so; null: it has no such server.
  virtual Dial* server_dial() { return nullptr; }
  /// Waits for no server any more: those who are behind it in a queue may go on.
  virtual void leave_queue();

  WorkerRoute& accept_route_;  // whose listener accepted the client
  WorkerRoute* worker_route_;  // that serves the path the client asked for
  Route::Ref accept_route_ref_{accept_route_.route}, route_ref_;
  Upstream* chosen_;  // the server to begin with; null: none
  Owner& owner_;
  const Limits limits_;
  LinkInfo info_;  // of the client's link
  Rates rates_;
  const std::shared_ptr<SharedRates> address_rates_;             // of all clients of its address; a bot has none
  std::uint64_t bytes_from_client_ = 0, bytes_from_server_ = 0;  // bytes of messages: the client's, the server's
  const Millis began_;
  Millis last_passed_;            // when something was last passed on
  Millis close_deadline_ = 0;     // when the links are closed at the latest; 0: it is not ending
  std::optional<Reason> reason_;  // of the end
  std::string why_;
  std::string words_;  // for the player, if they are not those of the reason
  Fault fault_{""};
  bool plays_ = false;   // it is served before newcomers
  bool ending_ = false;  // nothing is passed on any more
  bool only_resumes_;    // as in AcceptedClient, until it has resumed

 private:
  void take_datagram(const net::Address& from, Bytes datagram) override { this->datagram(from, datagram); }
  void tell_too_fast(const std::string& who_exceeds, const char* whose, const char* is);
  bool fits_address();

  AddressBytes::Share share_;
  DatagramInbox inbox_{accept_route_.loop, static_cast<DatagramInbox::User&>(*this), party()};
  bool calls_;              // a health check, until it takes a place
  bool gives_way_ = false;  // too much waits for its address
  bool over_rates_ = false, server_over_rates_ = false;
  bool told_too_fast_ = false, told_server_too_fast_ = false;
  bool counted_ = false, opened_ = false, joined_ = false, tapped_ = false, done_ = false;
};

}  // namespace entente::relay
