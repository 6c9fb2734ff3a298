#include "proxy/relay/acceptors/dialect_probe.h"

#include <limits>

#include "proxy/net/socket.h"

namespace entente::relay {
namespace {

constexpr Millis kBelieveBadNews = 1'000;  // then the next player's arrival has the server probed again

}  // namespace

std::string cannot_tell_dialect(const wire::Game& game, const std::string& server) {
  return "cannot tell which dialect of " + std::string(game.name()) + " the server " + server +
         " speaks: nobody is let in; add ?dialect= to its URL";
}

DialectProbe::DialectProbe(WorkerRoute& worker_route, User& user)
    : worker_route_(worker_route),
      user_(user),
      link_(worker_route.loop, *this),
      state_(worker_route.route.detects_before_sessions() ? State::kUnknown : State::kKnown),
      dialect_(worker_route.route.server_dialect.value_or(0)) {}

void DialectProbe::want(const Limits& limits) {
  const Millis now = worker_route_.loop.now();
  if (failed() && now > good_until_) state_ = State::kUnknown;
  if (state_ != State::kUnknown) return;
  tried_ = true;
  state_ = State::kProbing;
  said_.clear();
  next_server_ = 0;
  reached_ = false;
  most_said_ = limits.held_bytes;
  until_ = limits.detect_ms ? now + limits.detect_ms : std::numeric_limits<Millis>::max();
  try_next();
}

void DialectProbe::try_next() {
  const auto& servers = worker_route_.route.servers;
  while (next_server_ < servers.size()) {
    const net::Address& server = servers[next_server_++];
    auto made = net::stream_towards(server);
    if (made && link_.connect(std::move(made->tcp), server) == 0) return;
  }
  fail(Reason::kServerUnreachable);
}

void DialectProbe::lost() {
  if (known() && worker_route_.route.detects_before_sessions()) state_ = State::kUnknown;
}

void DialectProbe::tick(Millis now, const Limits& limits) {
  if (link_.is_open() && !link_.is_held_up() && now > until_ + link_.held_up())
    fail(reached_ ? Reason::kDialectUnknown : Reason::kServerUnreachable);
  if (state_ == State::kUnknown && !tried_) want(limits);  // so that the first player need not wait
}

void DialectProbe::connected(net::Link& link) {
  reached_ = true;
  link.read(true);
}

void DialectProbe::received(net::Link&, wire::Lane, Bytes bytes) {
  append(said_, bytes);
  const wire::Detected detected = worker_route_.route.server_game().detect(said_);
  if (detected.state == wire::Detected::State::kFound) return found(detected.dialect);
  if (detected.state == wire::Detected::State::kUnknown || said_.size() > most_said_) fail(Reason::kDialectUnknown);
}

void DialectProbe::broken(net::Link&, int) { said_.empty() ? try_next() : fail(Reason::kDialectUnknown); }

void DialectProbe::found(std::size_t dialect) {
  if (!worker_route_.route.bridge && dialect != worker_route_.route.dialect) {
    worker_route_.say_wrong_dialect(dialect);
    return fail(Reason::kDialectMismatch);
  }
  link_.close();
  state_ = State::kKnown;
  dialect_ = dialect;
  user_.probe_done();
}

void DialectProbe::fail(Reason why) {
  link_.close();
  const Route& route = worker_route_.route;
  if (why == Reason::kDialectUnknown)
    worker_route_.say(LogKind::kDialect, cannot_tell_dialect(route.server_game(), route.server_name));
  if (why == Reason::kServerUnreachable)
    worker_route_.say(LogKind::kUnreached, "cannot reach server " + route.server_name + "; is it running?");
  state_ = State::kFailed;
  why_ = why;
  good_until_ = worker_route_.loop.now() + kBelieveBadNews;
  user_.probe_done();
}

}  // namespace entente::relay
