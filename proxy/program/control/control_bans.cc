#include "proxy/program/control/control_bans.h"

#include <algorithm>
#include <ctime>

#include "proxy/base/text.h"
#include "proxy/program/config/ban_file.h"
#include "proxy/program/time_text.h"

namespace entente {
namespace {

constexpr std::size_t kLongestWhy = 200;
constexpr core::Micros kLongestBan = core::Micros{3650} * 86'400 * core::kSecond;

/// Takes the first word off.
std::string_view first_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view first = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.find_first_not_of(' ', end), rest.size()));
  return first;
}

Outcome<relay::Ban> asked_ban(std::string_view rest) {
  const auto who = net::Network::parse(first_word(rest));
  if (!who) return who.error();
  relay::Ban ban{*who, relay::Ban::kForGood, "", false};
  while (!rest.empty()) {
    const std::string_view flag = first_word(rest);
    if (flag == "--why") {
      ban.why = std::string(whole_characters(clean(rest), kLongestWhy));
      return ban;
    }
    if (flag != "--for")
      return Error{"only '--for TIME' and '--why TEXT' may follow the address, not '" + std::string(flag) + "'"};
    const auto time = parse_time(first_word(rest), kLongestBan);
    if (!time) return time.error();
    const auto seconds = static_cast<std::time_t>(*time / core::kSecond);
    if (seconds == 0) return Error{"a ban lasts at least one second; without --for it is permanent"};
    ban.until = std::time(nullptr) + seconds;
  }
  return ban;
}

class Keeper {
 public:
  Keeper(relay::Server& server, relay::Bans& bans, KeptBans& kept) : server_(server), bans_(bans), kept_(kept) {}

  Outcome<std::string> ban(std::string_view rest) const {
    const auto made = asked_ban(rest);
    if (!made) return made.error();
    bans_.add(*made);
    const std::size_t gone = end_sessions(*made);
    if (const auto kept = kept_.save(); !kept)
      return Error{kept.error().text + "; the ban applies until this program ends"};
    return "banned " + made->who.text() + " until " + until_text(made->until) + ", " + std::to_string(gone) +
           " sessions ended\n";
  }

  Outcome<std::string> unban(std::string_view rest) const {
    const auto who = net::Network::parse(rest);
    if (!who) return who.error();
    if (!bans_.remove(*who)) return Error{"there is no ban of " + who->text() + "; `bans` lists them"};
    if (const auto kept = kept_.save(); !kept)
      return Error{kept.error().text + "; the ban is lifted until this program restarts"};
    return who->text() + " is no longer banned\n";
  }

  Outcome<std::string> list(std::string_view rest) const {
    if (!rest.empty()) return Error{"bans takes no arguments"};
    std::string out = "address\tuntil\tby\twhy\twhere\n";
    for (const relay::Ban& ban : sorted())
      out += ban.who.text() + "\t" + until_text(ban.until) + "\t" + (ban.by_server ? "server" : "us") + "\t" +
             control_field(ban.why) + "\t" + control_field(ban.where) + "\n";
    return out;
  }

 private:
  std::vector<relay::Ban> sorted() const {
    auto all = bans_.all();
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.who.text() < b.who.text(); });
    return all;
  }

  /// Whoever is there from that net.
  std::size_t end_sessions(const relay::Ban& ban) const {
    std::size_t gone = 0;
    for (const auto& session : server_.sessions())
      if (session.info.client.port() != 0 && ban.who.holds(session.info.client))
        gone += server_.kick(session.info.link, ban.why) ? 1U : 0U;
    return gone;
  }

  relay::Server& server_;
  relay::Bans& bans_;
  KeptBans& kept_;
};

}  // namespace

void add_ban_commands(Control& control, relay::Server& server, relay::Bans& bans, KeptBans& kept) {
  const Keeper keeper(server, bans, kept);
  control.add("ban ADDRESS [--for TIME] [--why TEXT]",
              "Bans an address or a network and ends its sessions. TIME: 90s, 10m, 2h, 7d or 1:30 (default: forever). "
              "TEXT: the reason, shown to the player if the game can do that.",
              [keeper](std::string_view rest) { return keeper.ban(rest); });
  control.add("unban ADDRESS", "Lifts a ban.", [keeper](std::string_view rest) { return keeper.unban(rest); });
  control.add("bans", "Lists the bans: address, end, source, reason and scope, separated by tabs.",
              [keeper](std::string_view rest) { return keeper.list(rest); });
}

}  // namespace entente
