#include "proxy/program/route.h"

#include <array>
#include <filesystem>
#include <vector>

#include "proxy/program/suggest.h"
#include "proxy/program/web.h"

namespace entente {
namespace {

// What makes a relay of the two.
std::string fix_for(const ListenEnd& listen, const Endpoint& to) {
  const std::string dialect = to.dialect ? "?dialect=" + std::string(to.game->dialects()[*to.dialect].name) : "";
  if (listen.game == to.game) return "add " + dialect + " to the URL to listen on";
  return "listen on " + std::string(to.game->name()) + "://" + listen.address.text() + dialect;
}

Error at_fault(std::string_view url, const Error& error) { return {"'" + std::string(url) + "': " + error.text}; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::string speech(const wire::Game& game, std::size_t dialect) {
  return std::string(game.name()) + " " + std::string(game.dialects()[dialect].name);
}

std::string ListenEnd::spoken() const {
  return !named && clients_name_dialect(*game) ? std::string(game->name()) + " any" : speech(*game, dialect);
}

bool clients_name_dialect(const wire::Game& game) { return game.probe() == wire::Probe::kNever; }

Outcome<ListenEnd> parse_listen(std::string_view url, std::span<const wire::Game* const> known) {
  const auto end = parse_endpoint(url, known);
  if (!end) return end.error();
  const auto address = net::Address::parse(end->host, end->port);
  if (!address)
    return Error{"'" + std::string(url) + "': '" + end->host +
                 "' is not an address; listen on one of this machine's, " +
                 "such as 127.0.0.1 or [::1], or on all of them with 0.0.0.0 or [::]"};
  if (end->web)
    if (const auto lacks = objection(*end->web, Side::kListen)) return at_fault(url, *lacks);
  return ListenEnd{end->game,
                   end->dialect.value_or(0),
                   end->dialect.has_value(),
                   *address,
                   end->web,
                   end->enet.value_or(relay::EnetMode::kPackets)};
}

Outcome<Endpoint> parse_to(std::string_view url, std::span<const wire::Game* const> known) {
  auto end = parse_endpoint(url, known);
  if (end.ok() && end->port == 0) return at_fault(url, {"no server has port 0"});
  if (end.ok() && end->enet) return at_fault(url, {"'mode' belongs to the URL to listen on"});
  if (end.ok() && end->web)
    if (const auto lacks = objection(*end->web, Side::kTo)) return at_fault(url, *lacks);
  return end;
}

Outcome<Done> can_join(const ListenEnd& listen, const Endpoint& to) {
  const bool any = clients_name_dialect(*listen.game) && (!listen.named || !to.dialect);
  if (listen.game == to.game && (any || to.dialect.value_or(listen.dialect) == listen.dialect)) return Done{};
  const std::string spoken = to.dialect ? speech(*to.game, *to.dialect) : std::string(to.game->name());
  return Error{"the listener speaks " + speech(*listen.game, listen.dialect) +
               (listen.named ? "" : " (the default, as its URL names no dialect)") + " and the server speaks " +
               spoken + "; bridging is not built yet, so both must speak the same: " + fix_for(listen, to)};
}

std::string recording_path(std::string_view pattern, std::string_view directory, const RecordingName& name) {
  std::tm utc{};
  gmtime_r(&name.start, &utc);
  std::array<char, 32> time{};
  std::strftime(time.data(), time.size(), "%Y%m%dT%H%M%SZ", &utc);
  std::string file(pattern);
  replace_all(file, "{time}", time.data());
  replace_all(file, "{route}", std::to_string(name.route));
  replace_all(file, "{game}", name.game);
  return (std::filesystem::path(directory) / file).string();
}

}  // namespace entente
