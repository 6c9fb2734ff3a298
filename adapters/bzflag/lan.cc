#include "adapters/bzflag/lan.h"

#include <algorithm>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/wire.h"

namespace entente::bzflag {
namespace {

constexpr std::size_t kVersionAt = 4;

std::uint8_t small(std::uint32_t count) { return static_cast<std::uint8_t>(std::min(count, 255U)); }

/// The dialect of a reply, by its version.
std::optional<std::size_t> dialect_of(Bytes reply) {
  if (reply.size() < kVersionAt) return std::nullopt;
  const auto rest = as_text(reply).substr(kVersionAt);
  for (std::size_t i = 0; i < kDialects.size(); ++i)
    if (rest.starts_with(kDialects[i].version)) return i;
  return std::nullopt;
}

std::optional<PingReply> read(Bytes reply, std::size_t dialect) {
  const auto codec = make_message_codec(dialect);
  const auto heard = codec->read({wire::Way::kToClient, Lane::kDatagram, wire::Stage::kPlay, reply});
  if (!heard) return std::nullopt;
  const auto* ping = std::get_if<PingReply>(heard->message);
  return ping != nullptr ? std::optional(*ping) : std::nullopt;
}

/// A reply for a bridge, of which only the number of players is known.
PingReply made_of(const wire::Status& status, std::size_t dialect) {
  PingReply ping;
  ping.version.set(kDialects[dialect].version);
  ping.max_shots = 1;
  ping.max_players = status.most_players == 0 ? kMostPlayers : small(status.most_players);
  ping.teams[0] = {small(status.players), static_cast<std::uint8_t>(ping.max_players)};
  return ping;
}

}  // namespace

std::string lan_answer(const wire::Status& status) {
  const bool relayed = !status.server.empty();
  const auto dialect = relayed ? dialect_of(status.server) : wire::find_dialect(game(), status.dialect);
  if (!dialect || !kDialects[*dialect].queries) return {};  // older programs do not ask
  auto ping = relayed ? read(status.server, *dialect) : std::optional(made_of(status, *dialect));
  if (!ping) return {};
  for (unsigned i = 0; i < 4; ++i)
    ping->server.ip[i] = ping->address[i] = static_cast<std::uint8_t>(status.ip4 >> (24 - 8 * i));
  ping->server.port = status.port;
  Buffer said;
  make_message_codec(*dialect)->write(*ping, wire::Way::kToClient, said);
  return std::string(as_text(said));
}

}  // namespace entente::bzflag
