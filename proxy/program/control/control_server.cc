#include "proxy/program/control/control_server.h"

#include <algorithm>
#include <charconv>

namespace entente {
namespace {

using PlayerOf = std::function<std::string(relay::LinkId)>;

bool has_source(const relay::SessionReport& session) { return !session.source.wildcard(); }

std::string line(const relay::SessionReport& session, const PlayerOf& player_of, bool with_source) {
  const relay::SessionInfo& info = session.info;
  const auto dialect = info.game->dialects()[info.dialect].name;
  const std::string client = info.client.port() != 0 ? info.client.text() : "";
  const std::string player = session.player.empty() ? player_of(info.link) : session.player;
  std::string out = std::to_string(info.link);
  for (const std::string& field : {std::string(info.game->name()) + " " + std::string(dialect), control_field(client),
                                   control_field(info.server.text()), std::to_string(session.age / 1000),
                                   std::to_string(session.bytes), control_field(player)})
    (out += '\t') += field;
  if (with_source) (out += '\t') += control_field(has_source(session) ? session.source.ip_text() : "");
  return out + "\n";
}

/// The column `source` is there only where a session has one: scripts know the others.
Outcome<std::string> list(relay::Server& server, const PlayerOf& player_of, std::string_view rest) {
  if (!rest.empty()) return Error{"list takes no arguments"};
  const auto sessions = server.sessions();
  const bool with_source = std::any_of(sessions.begin(), sessions.end(), has_source);
  std::string out = "link\tgame\tclient\tserver\tseconds\tbytes\tplayer";
  out += with_source ? "\tsource\n" : "\n";
  for (const auto& session : sessions) out += line(session, player_of, with_source);
  return out;
}

Outcome<std::string> kick(relay::Server& server, std::string_view rest) {
  relay::LinkId link = 0;
  const auto [end, wrong] = std::from_chars(rest.data(), rest.data() + rest.size(), link);
  const std::string_view why = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (wrong != std::errc{} || (!why.empty() && why[0] != ' '))
    return Error{"usage: kick LINK [why]; `list` shows the links"};
  if (!server.kick(link, why.empty() ? why : why.substr(1)))
    return Error{"no session has the link " + std::to_string(link)};
  return "kicked " + std::to_string(link) + "\n";
}

}  // namespace

void add_server_commands(Control& control, relay::Server& server, PlayerOf player, std::function<std::string()> stats) {
  control.add("list", "Lists the open sessions, with fields separated by tabs.",
              [&server, player = std::move(player)](std::string_view rest) { return list(server, player, rest); });
  control.add("kick LINK [why]", "Ends a session; `list` shows its link. The player sees why if the game can show it.",
              [&server](std::string_view rest) { return kick(server, rest); });
  control.add("stats", "Prints the traffic of each route so far.", [stats = std::move(stats)](std::string_view rest) {
    return rest.empty() ? Outcome<std::string>(stats()) : Error{"stats takes no arguments"};
  });
}

}  // namespace entente
