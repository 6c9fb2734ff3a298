#include "proxy/relay/acceptors/probe.h"

#include <limits>

#include "proxy/net/socket.h"

namespace entente::relay {

void SilentProbe::start(const Limits& limits) {
  said_.clear();
  next_ = 0;
  reached_ = false;
  most_ = limits.held_bytes;
  until_ = limits.detect_ms ? worker_route_.loop.now() + limits.detect_ms : std::numeric_limits<Millis>::max();
  try_next();
}

void SilentProbe::try_next() {
  while (next_ < worker_route_.route.servers.size()) {
    const net::Address& server = worker_route_.route.servers[next_++];
    auto made = net::stream_towards(server);
    if (made && link_.connect(std::move(made->tcp), server) == 0) return;
  }
  user_.probe_failed(Reason::kServerRefused);
}

void SilentProbe::received(net::Link&, wire::Lane, Bytes bytes) {
  append(said_, bytes);
  const wire::Detected found = worker_route_.route.server_game().detect(said_);
  if (found.state == wire::Detected::State::kFound) {
    link_.close();
    user_.probed(found.dialect);
  } else if (found.state == wire::Detected::State::kUnknown || said_.size() > most_) {
    fail(Reason::kDialectUnknown);
  }
}

void SilentProbe::ended(net::Link&) { fail(Reason::kDialectUnknown); }

void SilentProbe::broken(net::Link&, int) { said_.empty() ? try_next() : fail(Reason::kDialectUnknown); }

void SilentProbe::tick(Millis now) {
  if (link_.is_open() && !link_.is_held_up() && now > until_ + link_.held_up())
    fail(reached_ ? Reason::kDialectUnknown : Reason::kServerRefused);
}

void SilentProbe::fail(Reason why) {
  link_.close();
  user_.probe_failed(why);
}

}  // namespace entente::relay
