#include "proxy/relay/sessions/session.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/base/text.h"

namespace entente::relay {

Session::Session(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer)
    : accept_route_(accept_route),
      worker_route_(&accept_route),
      chosen_(newcomer.server),
      owner_(owner),
      limits_(newcomer.limits),
      info_{newcomer.link,
            &accept_route.route.game,
            accept_route.route.dialect,
            newcomer.client,
            accept_route.route.upstreams.any_address(),
            accept_route.route.listen_address},
      rates_(limits_, accept_route.loop.now()),
      address_rates_(newcomer.client.port() != 0
                         ? accept_route.route.listener->admission.rates(
                               newcomer.client, limits_, accept_route.loop.now(), accept_route.route.part)
                         : nullptr),
      began_(accept_route.loop.now()),
      last_passed_(began_),
      only_resumes_(newcomer.only_resumes),
      share_(accept_route.route.address_bytes, newcomer.client),
      calls_(newcomer.health_check) {
  info_.health_check = newcomer.health_check;
}

Session::Session(const Session& other, Successor)
    : accept_route_(other.accept_route_),
      worker_route_(other.worker_route_),
      route_ref_(worker_route_->route),
      chosen_(nullptr),
      owner_(other.owner_),
      limits_(other.limits_),
      info_(other.info_),
      rates_(other.rates_),
      address_rates_(other.address_rates_),
      began_(other.began_),
      last_passed_(other.last_passed_),
      only_resumes_(other.only_resumes_),
      share_(accept_route_.route.address_bytes, other.info_.client),
      calls_(other.calls_),
      counted_(other.counted_),
      opened_(other.opened_),
      joined_(other.joined_),
      tapped_(other.tapped_) {}

void Session::adopt_client(Session& other) {
  rates_ = other.rates_;
  over_rates_ = other.over_rates_;
  bytes_from_client_ = other.bytes_from_client_;
  bytes_from_server_ = other.bytes_from_server_;
  last_passed_ = other.last_passed_;
  other.ending_ = other.done_ = true;
}

void Session::receive_datagram(const net::Address& from, Bytes datagram) {
  if (!inbox_.put(from, datagram)) worker_route_->dropped(Drop::kQueueFull);
}

void Session::go_by(WorkerRoute& route) {
  worker_route_ = &route;
  route_ref_ = Route::Ref(route.route);
  chosen_ = route.route.upstreams.choose(info_.client, now());
}

std::optional<Reason> Session::objection_to_new_player() const {
  const bool drains = only_resumes_ && accept_route_.route.listener->draining;
  return drains ? std::optional(Reason::kDraining) : std::nullopt;
}

void Session::count_begun() {
  if (!info_.health_check && !std::exchange(counted_, true)) worker_route_->counters.begun.add();
}

std::optional<Reason> Session::count_as_client() {
  const bool counts = info_.health_check;
  if (const auto why = admit_as_client()) return why;
  if (counts) tell_opened();
  return std::nullopt;
}

std::optional<Reason> Session::admit_as_client() {
  if (!std::exchange(info_.health_check, false)) return std::nullopt;
  const Route& its = accept_route_.route;
  if (its.draining || its.retired) return Reason::kDraining;
  if (const auto why = its.listener->admission.begin_session(info_.client, limits_, its.part)) return why;
  calls_ = false;
  if (Dial* const dial = server_dial()) dial->set_checks(false);
  if (worker_route_->tap && tapped_) worker_route_->tap->plays(info_.link, steady_wall_now());
  count_begun();
  return std::nullopt;
}

void Session::tell_opened(const LinkInfo& shown) {
  if (info_.health_check || std::exchange(opened_, true)) return;
  count(worker_route_->counters.opening, now() - began_);
  worker_route_->opened(shown);
}

/// A bot of ours, a viewer of a broadcast and a viewer of a replay do not count.
void Session::tell_joined(const std::string& player) {
  const Route& route = worker_route_->route;
  if (info_.client.port() == 0 || (route.shared_room() && !route.options->arena_faces)) return;
  if (!std::exchange(joined_, true)) worker_route_->joined(info_, player);
}

void Session::open_tap(WallTime at) {
  if (std::exchange(tapped_, true)) return;
  worker_route_->tap_opened(info_, at);
}

void Session::note(const std::string& text) {
  if (worker_route_->tap && tapped_) worker_route_->tap->note(info_.link, text, steady_wall_now());
}

void Session::charge(std::size_t bytes, std::size_t messages) {
  const bool own = rates_.charge(bytes, messages, now());
  const bool all = !address_rates_ || address_rates_->charge(bytes, messages, now());
  if (own && all) return;
  worker_route_->counters.throttled.add();
  over_rates_ = true;
  pause_client(kRate);
  if (std::exchange(told_too_fast_, true)) return;
  own ? tell_too_fast("clients of " + info_.client.ip_text() + " exceed", "address_", "are")
      : tell_too_fast("client " + info_.client.text() + " exceeds", "", "is");
}

/// A server may be above its rates because of others: who gets little of it is read on.
void Session::charge_server(std::size_t bytes, std::size_t messages) {
  SharedRates* const rates = server_dial()->server_rates();
  if (ending_ || rates == nullptr || rates->charge(bytes, messages, now())) return;
  if (address_rates_ && address_rates_->charge_part(bytes, messages, now())) return;
  worker_route_->counters.throttled.add();
  server_over_rates_ = true;
  pause_server(kRate);
  if (!std::exchange(told_server_too_fast_, true))
    tell_too_fast("server " + server_dial()->server_name() + " exceeds", "server_", "is");
}

/// `whose`: the beginning of the limits' names.
void Session::tell_too_fast(const std::string& who_exceeds, const char* whose, const char* is) {
  const std::string limit = std::string(" limits.") + whose;
  worker_route_->log_info(
      LogKind::kTooFast,
      who_exceeds + limit + "messages_per_second or" + limit + "bytes_per_second, and " + is + " read more slowly",
      about());
}

std::string Session::who() const {
  const std::string name = clean(player_name());
  return "session " + std::to_string(info_.link) + (name.empty() ? "" : " (\"" + name + "\")");
}

SessionReport Session::report() {
  return {worker_route_->route.index,
          info_,
          now() - began_,
          bytes_from_client_ + bytes_from_server_,
          server_dial() != nullptr ? server_dial()->source() : net::Address(),
          player_name(),
          arena_name(),
          moved_to(),
          AnnounceResult::kNotAsked,
          lab_report() != nullptr ? std::optional(*lab_report()) : std::nullopt};
}

// -- Going down -------------------------------------------------------------------------------------------------------

void Session::stop() {
  end(Reason::kStopped);
  close_deadline_ = std::min(close_deadline_, now() + limits_.linger_ms);  // it may have ended for another reason
}

void Session::send_away(Reason reason, std::string_view why) {
  end(reason, Fault{""}, words_for_sent_away(reason, why));
}

// -- To another route -------------------------------------------------------------------------------------------------

namespace {

/// "the arena 'lobby'", or "another server", because players do not know the names of servers.
std::string place_for_players(const Route& route) {
  return route.shared_room() ? "the arena '" + route.server_name + "'" : "another server";
}

/// Where a client that has connected to `here` connects to the route. "": it has no listener.
std::string address_for_players(const Route& route, const net::Address& here) {
  const std::uint16_t port = route.port_for_players();
  if (!route.options->public_host.empty()) return net::host_and_port(route.options->public_host, port);
  if (!route.listen_address.wildcard()) return route.listen_address.with_port(port).text();
  if (!here.wildcard()) return here.with_port(port).text();
  return "port " + std::to_string(port);
}

}  // namespace

void Session::move(const std::shared_ptr<MoveOrder>& order) {
  const WorkerRoute& to = owner_.route(order->route);
  if (const auto why = objection_to_move(to)) return order->answer_stays(*why);
  refer_to(*order, to);
}

std::optional<std::string> Session::objection_to_move(const WorkerRoute& to) const {
  const Route& route = to.route;
  const net::Address& client = info_.client;
  const bool same_room = route.shared_room() && route.shared_room() == at().shared_room();
  if (&route == &at() || same_room) return "the player is there already";
  if (client.port() == 0) return "a bot stays on its route";
  if (route.bots()) return "that route is for bots";
  if (route.draining || route.retired) return "that route takes no newcomers (draining)";
  if (!std::all_of(to.rules->access.begin(), to.rules->access.end(),
                   [&](const Access& one) { return one.lets(client); }))
    return client.ip_text() + " is not allowed on that route";
  if (route.options->bans != nullptr && route.options->bans->find(client, steady_seconds(), to.ban_scope()))
    return client.ip_text() + " is banned there";
  return std::nullopt;
}

Outcome<MovedPlace> Session::place_at(const WorkerRoute& to, const MovedPlace& now_in) const {
  const Route &its = accept_route_.route, &there = to.route;
  Admission& admission = there.listener->admission;
  const bool counts_there = there.listener == its.listener && there.part == its.part;
  if (counts_there || now_in.is_in(admission, there.part)) return MovedPlace();
  const auto why = admission.enter_moved(info_.client, to.rules->limits, now(), there.part);
  if (!why) return MovedPlace(admission, info_.client, there.part);
  if (*why == Reason::kTooMany)
    return Error{"that route has reached its limit of sessions: " + std::to_string(to.rules->limits.sessions)};
  if (*why == Reason::kTooManyFromAddress)
    return Error{"that route has reached its limit of sessions from " + info_.client.ip_text() + ": " +
                 std::to_string(to.rules->limits.sessions_per_address)};
  return Error{text(*why)};
}

void Session::refer_to(MoveOrder& order, const WorkerRoute& to) {
  const Route& route = to.route;
  if (route.game.name() != info_.game->name())
    return order.answer_stays("the client would have to connect there, but that listener is for " +
                              std::string(route.game.name()) + ", not for " + std::string(info_.game->name()));
  const std::string text =
      "moved to " + place_for_players(route) + ": connect to " + address_for_players(route, info_.listener);
  order.answer({MoveOrder::How::kReferred, text});
  worker_route_->log_info(
      LogKind::kMoved,
      "session " + std::to_string(info_.link) + ": is told to connect to " + route.named() + ", and disconnected",
      about());
  send_away(Reason::kReferred, text);
}

// -- Going down, by the operator --------------------------------------------------------------------------------------

void Session::end_drained(std::string_view why) { end(Reason::kDrained, Fault{""}, why); }

bool Session::leave_server(std::string_view server, std::string_view why) {
  if (server_dial() == nullptr || server_dial()->server_name() != server) return false;
  end_drained(why);
  return true;
}

/// For relays: inserts the text as a message of the game.
AnnounceResult Session::say(std::string_view text) {
  const Route& route = worker_route_->route;
  if (!info_.game->has_chat()) return AnnounceResult::kNoChat;
  if (!route.options->announce) return AnnounceResult::kOff;
  const auto frames = info_.game->announcement(info_.dialect, text);
  if (frames.empty()) return AnnounceResult::kCannot;
  if (ending_ || !takes_insert()) return AnnounceResult::kNotIn;
  // An announcement must not be what ends the session of a slow client.
  const std::size_t bytes = std::accumulate(frames.begin(), frames.end(), waiting_for_client(),
                                            [](std::size_t sum, const Buffer& frame) { return sum + frame.size(); });
  if (waiting_for_client() != 0 && bytes > limits_.high_water) return AnnounceResult::kSlow;
  note("announced by the operator: " + std::string(text));
  AnnounceResult result = AnnounceResult::kYes;
  inserting(true);
  for (const Buffer& frame : frames) {
    if (ending_ || !takes_insert()) result = AnnounceResult::kSlow;  // the frame before was too much
    if (result == AnnounceResult::kYes) insert(frame);
  }
  inserting(false);
  return result;
}

void Session::set_reason(Reason reason, std::string_view why, const Fault& fault) {
  if (reason_) return;
  reason_ = reason;
  if (is_away()) owner_.stays_away(*this);
  leave_queue();
  close_deadline_ = now() + goodbye() + limits_.linger_ms;
  why_ = why;
  fault_ = fault;
}

void Session::leave_queue() {
  if (Dial* const dial = server_dial()) dial->leave_queue();
}

void Session::end(Reason reason, const Fault& fault, std::string_view why) {
  if (ending_) return;
  set_reason(reason, {}, fault);
  if (words_.empty()) words_ = why;
  pass_what_waits();
  dismiss(reason, words(reason));
}

std::vector<Buffer> Session::last_words(wire::ClientStage stage, Reason why) const {
  return info_.game->last_words(info_.dialect, stage, telling(why).parting, words(why));
}

void Session::finish() {
  if (!ending_) pass_what_waits();
  if (std::exchange(ending_, true)) return;
  set_reason(reason());  // if there is none yet
  tell_end();
  shut_down();
  settle();
}

void Session::tell_end() {
  count_begun();
  if (opened_) count(worker_route_->counters.length, now() - began_);
  const SessionOutcome end{reason(), now() - began_, player_name()};
  if (!info_.health_check) worker_route_->ended(info_, end, fault_, bytes_from_client_);
  if (joined_) worker_route_->left(info_, end);
  if (!worker_route_->tap || !tapped_) return;
  std::string why = text(reason());
  if (*fault_.what) why += std::string(": ") + fault_.what;
  if (*fault_.what && *fault_.field) why += std::string(" in ") + fault_.field;
  close_tap(why);
}

void Session::close_tap(const std::string& why) { worker_route_->tap->closed(info_.link, why, wall()); }

void Session::settle() {
  if (!ending_ || done_ || is_linked()) return;
  done_ = true;
  owner_.done(*this);
}

// -- In time ----------------------------------------------------------------------------------------------------------

/// False: the session must end, because too much waits for the clients of its address.
/// It then counts no longer, or all others of its address would have to end before its link is closed.
bool Session::fits_address() {
  if (gives_way_) return false;
  if (share_.set(weight(), limits_.address_waiting_bytes)) return true;
  gives_way_ = true;
  (void)share_.set(0, 0);
  return false;
}

void Session::tick(Millis now) {
  const bool fits = fits_address();
  if (close_deadline_ != 0 && (now >= close_deadline_ || !fits)) {
    hang_up();
    finish();
    return settle();
  }
  if (!fits && !ending_) return end(Reason::kAddressStalled);
  if (ending_ || !on_tick(now)) return;
  if (over_rates_ && rates_.ready(now) && (!address_rates_ || address_rates_->ready(now))) {
    over_rates_ = false;
    resume_client(kRate);
  }
  SharedRates* const server_rates = server_dial() != nullptr ? server_dial()->server_rates() : nullptr;
  if (server_over_rates_ &&
      (server_rates == nullptr || server_rates->ready(now) || (address_rates_ && address_rates_->part_ready(now)))) {
    server_over_rates_ = false;
    resume_server(kRate);
  }
  if (server_dial() != nullptr && server_dial()->holding()) {
    if (client_has_gone()) return end(Reason::kClientLeft);
    last_passed_ = now;  // limited by the hold
  }
  if (server_dial() != nullptr && close_deadline_ == 0) server_dial()->tick(now);
  if (ending_) return;
  if (const auto reason = overdue(now)) end(*reason);
}

}  // namespace entente::relay
