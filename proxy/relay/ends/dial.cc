#include "proxy/relay/ends/dial.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace entente::relay {
namespace {

constexpr Millis kRetry = 250;  // while no server can be reached
constexpr int kPortTries = 8;   // for a local port that has no old connection to this server

}  // namespace

void Dial::begin(WorkerRoute& worker_route, const LinkInfo& session, Upstream* first,
                 std::optional<std::size_t> dialect) {
  begin(worker_route, session, first, dialect, worker_route.loop.now() + worker_route.route.upstreams.rules().hold_ms);
  connect();
}

void Dial::count_at(Upstream& server) {
  session_count_ = Upstreams::SessionCount(server);
  session_count_.set_asks(asks_ || checks_);
}

void Dial::set_asks(bool asks) {
  if (asks_ && !asks && reached_ != nullptr) reached_->count_session();
  asks_ = asks;
  session_count_.set_asks(asks_ || checks_);
}

void Dial::set_checks(bool checks) {
  checks_ = checks;
  session_count_.set_asks(asks_ || checks_);
}

void Dial::again(WorkerRoute& worker_route, const LinkInfo& session, std::optional<std::size_t> dialect, Millis from,
                 Millis until) {
  session_count_ = {};
  begin(worker_route, session, nullptr, dialect, until);
  if (from <= worker_route.loop.now()) return connect();
  rest_until_ = from;
}

void Dial::begin(WorkerRoute& worker_route, const LinkInfo& session, Upstream* first,
                 std::optional<std::size_t> dialect, Millis until) {
  worker_route_ = &worker_route;
  trying_ = false;
  reached_ = nullptr;
  client_ = session.client;
  link_ = session.link;
  source_ = SessionSource(worker_route.route, client_);
  walk_ = UpstreamWalk(worker_route.route.upstreams, client_, first, dialect);
  hold_until_ = until;
  wastes_turn_ = false;
}

/// Tries to connect, unless others wait, no server is up or all are full. Sessions that wait go first.
void Dial::connect() {
  rest_until_ = 0;
  const Upstreams& upstreams = worker_route_->route.upstreams;
  const Millis now = worker_route_->loop.now();
  const UpstreamSet wanted = upstreams.holds() ? upstreams.wanted_by_others(now) : 0;
  const bool full = upstreams.all_full(now, wanted);
  if ((upstreams.waiting() != 0 || full || behind_ || !upstreams.any_up(now)) &&
      hold(full ? Reason::kServerDeclined : Reason::kServerUnreachable))
    return;
  walk_.leave_out(wanted);
  next(Reason::kServerUnreachable, "");
}

void Dial::succeeded(bool has_slot) {
  if (!worker_route_) return;
  Upstream& server = walk_.server();
  walk_.reached();
  tried_.clear();
  const Millis now = worker_route_->loop.now();
  if (server.succeeded(now)) worker_route_->log_up(server);
  reached_ = &server;
  session_count_.note_reached();
  const Limits& limits = worker_route_->rules->limits;
  server.rates().adapt(limits.server_bytes_per_second, limits.server_messages_per_second, now);
  if (!asks_) server.count_session();
  const bool scarce = server.is_scarce(now) || worker_route_->route.upstreams.others_want(server, now);
  Upstreams::QueueTicket kept = !has_slot && scarce ? std::move(ticket_) : Upstreams::QueueTicket();
  end();
  ticket_ = std::move(kept);
}

void Dial::declined() {
  if (trying_) reached_ = &walk_.server();
  end();
}

void Dial::end() {
  leave_queue();
  rest_until_ = 0;
  trying_ = false;
  worker_route_ = nullptr;
}

void Dial::failed(int error) {
  say(server_, error);
  next(Reason::kServerUnreachable, net::is_exhaustion(error) ? "" : std::strerror(error));
}

void Dial::server_is_full(Millis now) {
  session_count_.refused();
  if (reached_ != nullptr) reached_->mark_full(now);
}

/// Tries the next address. `last`: how the previous attempt ended, the reason if there is no other address; `why`: the
/// same for the operator, empty if the server is not to blame.
void Dial::next(Reason last, const std::string& why) {
  trying_ = false;
  std::string blame = why;
  const Millis now = worker_route_->loop.now();
  while (const net::Address* server = walk_.next(now, blame)) {
    began_ = now;
    server_ = *server;
    blame.clear();
    if (try_one(*server, blame)) return;
  }
  if (walk_.looks_up()) {
    held_for_ = last;
    return wait_for_lookup();
  }
  if (!hold(last)) give_up(last);
}

void Dial::wait_for_lookup() {
  wait_by_ticks();
  waits_in_ = worker_route_->lookup_waits;
  if (waits_in_ != nullptr) waits_in_->add(link_, *this);
}

void Dial::wait_by_ticks() {
  if (waits_in_ != nullptr) std::exchange(waits_in_, nullptr)->remove(link_, *this);
}

void Dial::looked_up() {
  waits_in_ = nullptr;
  if (looks_up() && rest_until_ == 0) next(held_for_, "");
}

/// Waits for a server to come up, or for a slot. False: the route does not hold sessions, or the time is over.
bool Dial::hold(Reason last) {
  Upstreams& upstreams = worker_route_->route.upstreams;
  const Millis now = worker_route_->loop.now();
  if (!upstreams.holds() || now >= hold_until_) return false;
  if ((asks_ || checks_) && !upstreams.rules().launch.start.empty()) return false;
  session_count_ = {};
  if (!ticket_.taken()) ticket_ = upstreams.wait(link_, std::min(now, hold_until_ - upstreams.rules().hold_ms));
  ticket_.set_passes(behind_ || wastes_turn_);
  held_for_ = last;
  try_at_ = now + kRetry;
  return true;
}

void Dial::rest(Millis from) {
  ticket_.leave();
  rest_until_ = from;
}

void Dial::tick(Millis now) {
  if (!worker_route_) return;
  if (trying_ && user_.drop_late(*this, now)) return next(Reason::kServerTimeout, "timed out");
  if (!holding()) return;
  if (looks_up() && rest_until_ == 0) return next(held_for_, "");
  if (now >= hold_until_) return give_up(held_for_);
  if (now < rest_until_ || behind_) return ticket_.set_passes(true);
  if (rest_until_ != 0) return connect();
  const Upstreams& upstreams = worker_route_->route.upstreams;
  const bool up = upstreams.any_up(now);
  if (!up && now < try_at_) return;
  ticket_.set_passes(false);
  if (upstreams.all_full(now)) return;
  const UpstreamSet turn = ticket_.turn(now);
  if (turn == 0) return;
  wastes_turn_ = upstreams.any_takes(now, turn, up);
  walk_.again(up, turn);
  next(held_for_, "");
}

net::NewSockets Dial::sockets_towards(const net::Address& server) const {
  switch (transport_) {
    case wire::Transport::kTcpAndUdp:
      return net::pair_towards(server, source_.get());
    case wire::Transport::kEnet:
      return net::Sockets();
    default:
      return net::stream_towards(server, source_.get());
  }
}

/// Returns whether it was not tried yet. A route has few addresses; those of a name may change for ever.
bool Dial::remember_try(const net::Address& server) {
  if (std::find(tried_.begin(), tried_.end(), server) != tried_.end()) return false;
  if (tried_.size() >= kMostTried) tried_.erase(tried_.begin());
  tried_.push_back(server);
  return true;
}

/// False when this address cannot be reached and the next one may be tried. `blame`: why, if it is the server's fault.
bool Dial::try_one(const net::Address& server, std::string& blame) {
  int error = EAFNOSUPPORT;
  const net::Source& source = source_.get();
  const bool bot = client_.port() == 0;
  const Route& route = worker_route_->route;
  if (source.foreign && source.address.family() != server.family()) return say(server, error), false;
  tries_first_ = remember_try(server);
  for (int i = 0; i < kPortTries; ++i) {
    auto made = sockets_towards(server);
    if (!made) return gives_up_without_socket(server, made.error(), blame);
    count_at(walk_.server());
    trying_ = true;
    error = user_.dial(*this, server,
                       {walk_.server(), std::move(*made), source,
                        first_bytes(route, bot ? std::nullopt : std::optional(client_), server)});
    tries_first_ = false;
    if (error == 0) {
      wastes_turn_ = false;
      return true;
    }
    trying_ = false;
    if (error != EADDRINUSE) break;
  }
  const bool by_enet = transport_ == wire::Transport::kEnet;  // it opens a socket of its own
  if (by_enet ? error != EAFNOSUPPORT : net::is_shortage(error))
    return gives_up_without_socket(
        server,
        net::towards_error(
            (by_enet ? "cannot open a UDP socket towards " : "cannot open a socket towards ") + server.text(), error,
            source),
        blame);
  note_failure(server, error, blame);
  return false;
}

void Dial::note_failure(const net::Address& server, int error, std::string& blame) {
  if (!net::is_exhaustion(error)) {
    blame = std::strerror(error);
    wastes_turn_ = false;
  }
  say(server, error);
}

/// True: the session ends, because this machine has no socket or port left for any server.
bool Dial::gives_up_without_socket(const net::Address& server, const net::SocketError& why, std::string& blame) {
  const bool exhausted = why.is_exhaustion();
  if (exhausted || !source_.get().address.wildcard()) {  // our source may be to blame
    worker_route_->log_warning(LogKind::kMachine, why.text,
                               {.server = server.text(), .address = client_.port() == 0 ? "" : client_.text()});
    if (exhausted) give_up(Reason::kOutOfDescriptors);
    return exhausted;
  }
  note_failure(server, why.code, blame);
  return false;
}

void Dial::say(const net::Address& server, int error) {
  const Upstreams& upstreams = worker_route_->route.upstreams;
  const bool known = walk_.server().state() == Upstream::State::kDown && upstreams.rules().check_ms != 0;
  if (known && !net::is_exhaustion(error)) return;
  worker_route_->log_warning(
      LogKind::kUnreached,
      net::machine_error("cannot reach server " + server.text(), error,
                         net::is_exhaustion(error) ? net::hint_for_exhaustion(error) : "is it running?")
          .text,
      {.server = server.text()});
}

void Dial::give_up(Reason why) {
  leave_server();
  user_.dial_failed(*this, why);
}

}  // namespace entente::relay
