#include "tests/lab/programs.h"

#include <cstdlib>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/core/arena/referee.h"
#include "tests/lab/kernel/disk.h"

namespace entente::lab {

bool Program::start() {
  failed_ = false;
  number_ = kernel().begin_program(its_.host, [this] {
    serve();
    kernel().finish_threads(kernel().program());
    heap_left_ = heap_of(kernel().program());
  });
  kernel().wait([this] { return failed_ || server_ != nullptr; });
  return !failed_;
}

void Program::serve() {
  relay::ProxyServer server(its_.workers, *its_.events);
  failed_ = !its_.prepare(server);
  if (failed_) return;
  heap_at_start_ = heap_of(kernel().program());
  server_ = &server;
  server.run();
  server_ = nullptr;
  kernel().wait([this] { return calls_ == 0; });
  if (its_.ended) its_.ended(server);
}

bool Program::stop(Nanos patience) {
  if (server_ != nullptr) server_->stop();
  return kernel().wait([this] { return kernel().is_over(number_); }, kernel().now() + patience);
}

void Program::kill() {
  kernel().kill(number_);
  server_ = nullptr;
  calls_ = 0;
}

void Program::vanish() {
  kernel().vanish(number_);
  server_ = nullptr;
  calls_ = 0;
}

void Program::call(const std::function<void(relay::ProxyServer&)>& what) {
  if (!runs()) return;
  ++calls_;
  const std::size_t thread = kernel().start_in(number_, [this, &what] {
    if (server_ != nullptr) what(*server_);
    --calls_;
  });
  kernel().wait([thread] { return kernel().has_ended(thread); });
}

std::string Speech::text() const {
  return std::string(game->name()) + " " + std::string(game->dialects()[dialect].name) + (tls ? " with TLS" : "");
}

Speech speech(const std::string& game, const std::string& dialect) {
  const wire::Game* const found = find_game(game);
  for (std::size_t i = 0; found != nullptr && i < found->dialects().size(); ++i)
    if (found->dialects()[i].name == dialect) return {found, i};
  std::abort();
}

void put_certificate(std::uint64_t serial, std::initializer_list<std::uint32_t> hosts) {
  const std::string number = std::to_string(serial);
  std::string certificate = "serial " + number + "\nissuer lab\nfrom 0\nuntil " + std::to_string(expiry(serial)) + "\n";
  for (const std::uint32_t host : hosts)
    for (const Place& at : {Place{host, 0}, in_six({host, 0})}) certificate += "name " + address(at).ip_text() + "\n";
  Disk& disk = kernel().disk();
  disk.put(kCertificate, as_bytes(certificate));
  disk.put(kKey, as_bytes("key " + number + "\n"));
  disk.put(kAuthority, as_bytes(std::string("issuer lab\n")));
}

namespace {

std::function<std::unique_ptr<core::Front>(std::size_t)> fronts_of(const Speech& its) {
  return [make = faces_of(*its.game).front](std::size_t dialect) { return make({dialect, {}}); };
}

std::function<std::unique_ptr<core::Back>(std::size_t)> backs_of(const Speech& its) {
  return [make = faces_of(*its.game).back](std::size_t dialect) { return make({dialect, {}}); };
}

relay::RouteOptions listener(const Speech& clients, const Place& listen) {
  relay::RouteOptions options;
  options.game = clients.game;
  options.listen_dialect = clients.dialect;
  options.listen = address(listen);
  if (clients.tls) options.web.client_tls = *net::TlsContext::server(kCertificate, kKey);
  return options;
}

relay::UpstreamOptions server_at(const Speech& server, const Place& at) {
  return {.host = address(at).ip_text(), .port = at.second, .dialect = server.dialect};
}

void go_to(const Speech& server, const Place& at, relay::RouteOptions& options) {
  options.servers = {server_at(server, at)};
  if (server.tls) options.web.server_tls = *net::TlsContext::client(kAuthority, true);
}

}  // namespace

relay::RouteOptions route_into(const Speech& clients, const Place& listen, std::size_t room, const std::string& arena) {
  relay::RouteOptions options = listener(clients, listen);
  options.servers = {{.host = arena}};
  options.bridge.emplace();
  options.bridge->server_game = clients.game;
  options.bridge->front = fronts_of(clients);
  options.bridge->shared_room = room;
  options.arena_faces = way_into(arena);
  return options;
}

relay::RouteOptions route_to(const Speech& clients, const Place& listen, const Speech& server, const Place& at) {
  relay::RouteOptions options = listener(clients, listen);
  go_to(server, at, options);
  if (clients == server) {
    options.back = backs_of(server);
    return options;
  }
  options.bridge.emplace();
  options.bridge->server_game = server.game;
  options.bridge->front = fronts_of(clients);
  options.bridge->back = backs_of(server);
  options.bridge->chat.commands = clients.game == server.game;
  return options;
}

relay::RouteOptions route_of_bots(const Speech& server, const Place& at,
                                  std::function<std::unique_ptr<core::Front>()> player) {
  relay::RouteOptions options;
  options.game = &native::game();
  go_to(server, at, options);
  options.bridge.emplace();
  options.bridge->server_game = server.game;
  options.bridge->front = [player = std::move(player)](std::size_t) { return player(); };
  options.bridge->back = backs_of(server);
  options.bridge->bots = 1;
  return options;
}

relay::SharedRoomOptions arena(const std::string& name, std::uint32_t seats) {
  core::Arena place;
  place.rules.name = name;
  place.rules.most_players = seats;
  place.geometry = core::courtyard(40);
  relay::SharedRoomOptions room;
  room.name = "the arena '" + name + "'";
  room.game = &native::game();
  room.back = [place] { return std::make_unique<core::Referee>(place); };
  return room;
}

relay::BridgeOptions::ArenaPlace way_into(const std::string& arena) {
  return {arena,
          [] {
            return faces_of(native::game()).front({0, {}});
          },
          [] {
            return faces_of(native::game()).back({0, {}});
          }};
}

}  // namespace entente::lab
