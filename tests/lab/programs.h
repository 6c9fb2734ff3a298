// Programs of a simulation: ProxyServers, each with its own host, threads and descriptors.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "proxy/core/room_member.h"
#include "proxy/relay/proxy_server.h"
#include "tests/lab/kernel/memory.h"
#include "tests/lab/kernel/network.h"

namespace entente::lab {

/// A program that serves. It may be stopped or killed, and started again.
class Program {
 public:
  struct Its {
    std::string name;
    std::uint32_t host = 0;
    std::size_t workers = 1;
    relay::Events* events = nullptr;
    /// Adds its routes. False: it cannot serve.
    std::function<bool(relay::ProxyServer&)> prepare;
    /// When it has stopped.
    std::function<void(const relay::ProxyServer&)> ended = nullptr;
  };

  explicit Program(Its its) : its_(std::move(its)) {}

  /// Returns once it serves. False: it cannot.
  bool start();
  /// False: it has not ended after so long.
  bool stop(Nanos patience);
  void kill();
  /// Its machine crashes: its peers are told nothing.
  void vanish();
  bool runs() const { return server_ != nullptr; }
  /// Calls `what` on a thread of its own, as for an operator. Returns when that has returned, or the program is gone.
  void call(const std::function<void(relay::ProxyServer&)>& what);
  /// REQUIRES: it runs.
  relay::ProxyServer& server() { return *server_; }
  std::size_t number() const { return number_; }
  /// Bytes on its heap: now, and when it began to serve.
  std::size_t heap() const { return heap_of(number_); }
  std::size_t heap_at_start() const { return heap_at_start_; }
  /// What was left on its heap when it had ended.
  std::size_t heap_left() const { return heap_left_; }
  const std::string& name() const { return its_.name; }

 private:
  void serve();
  const Its its_;
  std::size_t number_ = 0, heap_at_start_ = 0, heap_left_ = 0;
  relay::ProxyServer* server_ = nullptr;  // on the stack of its first thread
  bool failed_ = false;
  std::size_t calls_ = 0;
};

/// A game, as it is spoken on one link.
struct Speech {
  const wire::Game* game = nullptr;
  std::size_t dialect = 0;
  bool tls = false;
  std::string text() const;
  /// With or without TLS.
  bool operator==(const Speech& other) const { return game == other.game && dialect == other.dialect; }
  bool by_web() const { return game->transport() == wire::Transport::kWebSocket; }
};

/// "bzflag 2.4". REQUIRES: known.
Speech speech(const std::string& game, const std::string& dialect);

/// The certificate of the proxy and the server, its key, and the authority that clients trust (kernel/tls.cc).
inline constexpr const char *kCertificate = "/lab/cert.pem", *kKey = "/lab/key.pem", *kAuthority = "/lab/ca.pem";
/// When a certificate with this number expires, in seconds since 1970.
constexpr std::int64_t expiry(std::uint64_t serial) { return 4'000'000'000 + static_cast<std::int64_t>(serial); }
/// Puts these on the disk. `hosts`: what the certificate is for.
void put_certificate(std::uint64_t serial, std::initializer_list<std::uint32_t> hosts);

/// A listener of an arena, or of a server of that game.
relay::RouteOptions route_into(const Speech& clients, const Place& listen, std::size_t room, const std::string& arena);
/// A relay if both speak the same, else a bridge.
relay::RouteOptions route_to(const Speech& clients, const Place& listen, const Speech& server, const Place& at);
/// Players without clients, who join that server.
relay::RouteOptions route_of_bots(const Speech& server, const Place& at,
                                  std::function<std::unique_ptr<core::Front>()> player);
/// A room for a small arena.
relay::SharedRoomOptions arena(const std::string& name, std::uint32_t seats);
/// How players of bridges go into an arena.
relay::BridgeOptions::ArenaPlace way_into(const std::string& arena);

}  // namespace entente::lab
