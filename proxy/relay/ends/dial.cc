#include "proxy/relay/ends/dial.h"

#include <cerrno>
#include <cstring>

namespace entente::relay {
namespace {

constexpr int kPortTries = 8;  // for a local port that has no old connection to this server

bool port_is_taken(int error) { return error == EADDRNOTAVAIL || error == EADDRINUSE; }

}  // namespace

void Dial::begin(WorkerRoute& worker_route, std::uint32_t connect_ms, wire::Transport transport,
                 const net::Address& client) {
  worker_route_ = &worker_route;
  client_ = client;
  source_ = SessionSource(worker_route.route, client);
  connect_ms_ = connect_ms;
  transport_ = transport;
  next(Reason::kServerUnreachable);
}

void Dial::failed(int error) {
  say(worker_route_->route.servers[next_ - 1], error);
  next(Reason::kServerUnreachable);
}

/// Tries the next address. `last`: how the previous attempt ended, the reason if there is no other address.
void Dial::next(Reason last) {
  const auto& servers = worker_route_->route.servers;
  began_ = worker_route_->loop.now();
  while (next_ < servers.size())
    if (try_one(servers[next_++])) return;
  unreached_ = true;
  give_up(last);
}

Outcome<net::Sockets> Dial::sockets_towards(const net::Address& server) const {
  switch (transport_) {
    case wire::Transport::kTcpAndUdp:
      return net::pair_towards(server, source_.get());
    case wire::Transport::kEnet:
      return net::Sockets();
    default:
      return net::stream_towards(server, source_.get());
  }
}

Buffer Dial::first_bytes(const net::Address& server) const {
  Buffer first;
  const auto version = worker_route_->route.send_proxy;
  const bool bot = client_.port() == 0;
  if (version) net::append_proxy_header(first, *version, bot ? std::nullopt : std::optional(client_), server);
  return first;
}

/// False when this address cannot be reached and the next one may be tried.
bool Dial::try_one(const net::Address& server) {
  int error = EAFNOSUPPORT;
  const net::Source& source = source_.get();
  if (source.foreign && source.address.family() != server.family()) return say(server, error), false;
  for (int i = 0; i < kPortTries; ++i) {
    auto made = sockets_towards(server);
    if (!made) {
      worker_route_->say(LogKind::kMachine, made.error().text);
      give_up(Reason::kNoFiles);
      return true;
    }
    error = user_.dial(server, {std::move(*made), source_.get(), first_bytes(server)});
    if (error == 0) return true;
    if (!port_is_taken(error)) break;
  }
  say(server, error);
  return false;
}

void Dial::say(const net::Address& server, int error) {
  worker_route_->say(LogKind::kUnreached,
                     "cannot reach server " + server.text() + ": " + std::strerror(error) + "; is it running?");
}

void Dial::give_up(Reason why) {
  worker_route_ = nullptr;
  user_.dial_failed(why);
}

}  // namespace entente::relay
