#include "adapters/bzflag/public_list.h"

#include <algorithm>

#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/dialect.h"

namespace entente::bzflag {
namespace {

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~:").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      ((out += '%') += kDigits[byte / 16]) += kDigits[byte % 16];
  }
  return out;
}

/// The end of the answer to a LAN ping, in hexadecimal digits: kind of game, options, shots, shakes (2), score limits
/// (2), time, each of 16 bits; how many may play; then for each team, the last of which are the observers, how many
/// play and may play.
std::string game_info(const PublicServer& server) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr int kTeams = 6;
  const auto small = [](std::uint32_t count) { return static_cast<std::uint8_t>(std::min(count, 255U)); };
  std::string hex = "00000000000100000000000000000000";
  const auto add = [&](std::uint8_t byte) { (hex += kDigits[byte / 16]) += kDigits[byte % 16]; };
  const std::uint8_t most = server.most_players == 0 ? kMostPlayers : small(server.most_players);
  add(most);
  for (int team = 0; team < kTeams; ++team) {
    add(team == 0 ? small(server.players) : std::uint8_t{0});
    add(most);
  }
  return hex;
}

}  // namespace

std::string form_to_add(const PublicServer& server) {
  return "action=ADD&nameport=" + escaped(server.place) + "&version=" + escaped(kDialects[server.dialect].version) +
         "&gameinfo=" + game_info(server) + "&build=Entente&checktokens=&groups=&key=" + escaped(server.key) +
         "&advertgroups=EVERYONE&title=" + escaped(server.title);
}

std::string form_to_remove(const std::string& place) { return "action=REMOVE&nameport=" + escaped(place); }

std::string objection_of_list(std::string_view answer) {
  constexpr std::string_view kError = "ERROR:";
  const std::size_t at = answer.starts_with(kError) ? 0 : answer.find("\nERROR:");
  if (at == std::string_view::npos) return "";
  std::string_view line = answer.substr(answer.find(kError, at) + kError.size());
  line = line.substr(0, line.find_first_of("\r\n"));
  while (line.starts_with(' ')) line.remove_prefix(1);
  return line.empty() ? "it gives no reason" : std::string(line);
}

}  // namespace entente::bzflag
