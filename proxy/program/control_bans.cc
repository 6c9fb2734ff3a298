#include "proxy/program/control_bans.h"

#include <algorithm>
#include <charconv>
#include <ctime>

#include "proxy/base/text.h"
#include "proxy/program/ban_file.h"

namespace entente {
namespace {

constexpr std::size_t kLongestWhy = 200;
constexpr std::time_t kLongest = 10L * 365 * 86'400;

/// "90s", "10m", "2h", "7d".
std::optional<std::time_t> seconds_of(std::string_view text) {
  constexpr std::pair<char, std::time_t> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}};
  std::time_t count = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (wrong != std::errc{} || end + 1 != text.data() + text.size() || count <= 0) return std::nullopt;
  for (const auto& [letter, seconds] : kUnits)
    if (*end == letter && count <= kLongest / seconds) return count * seconds;
  return std::nullopt;
}

/// Takes the first word off.
std::string_view word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view first = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.find_first_not_of(' ', end), rest.size()));
  return first;
}

Outcome<relay::Ban> ban_of(std::string_view rest) {
  const auto who = net::Network::parse(word(rest));
  if (!who) return who.error();
  relay::Ban ban{*who, relay::Ban::kForGood, "", false};
  while (!rest.empty()) {
    const std::string_view flag = word(rest);
    if (flag == "--why") {
      ban.why = std::string(whole_characters(clean(rest), kLongestWhy));
      return ban;
    }
    const auto time = flag == "--for" ? seconds_of(word(rest)) : std::nullopt;
    if (!time)
      return Error{"behind the address may stand '--for TIME' (90s, 10m, 2h, 7d; else for good) and '--why TEXT'"};
    ban.until = std::time(nullptr) + *time;
  }
  return ban;
}

class Keeper {
 public:
  Keeper(relay::Server& server, relay::Bans& bans, std::string file)
      : server_(server), bans_(bans), file_(std::move(file)) {}

  Outcome<std::string> ban(std::string_view rest) const {
    const auto made = ban_of(rest);
    if (!made) return made.error();
    bans_.add(*made);
    const std::size_t gone = end_sessions(*made);
    if (const auto kept = keep(); !kept) return Error{kept.error().text + "; the ban holds until this program ends"};
    return "banned " + made->who.text() + " until " + until_text(made->until) + ", " + std::to_string(gone) +
           " sessions ended\n";
  }

  Outcome<std::string> unban(std::string_view rest) const {
    const auto who = net::Network::parse(rest);
    if (!who) return who.error();
    if (!bans_.remove(*who)) return Error{"there is no ban of " + who->text() + "; `bans` lists them"};
    if (const auto kept = keep(); !kept)
      return Error{kept.error().text + "; it may come again, until this program starts anew"};
    return who->text() + " may come again\n";
  }

  Outcome<std::string> list(std::string_view rest) const {
    if (!rest.empty()) return Error{"bans takes nothing"};
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

  /// What servers banned is forgotten with this process.
  Outcome<Done> keep() const {
    if (file_.empty()) return Done{};
    auto ours = sorted();
    std::erase_if(ours, [](const relay::Ban& ban) { return ban.by_server; });
    return write_bans(file_, ours);
  }

  relay::Server& server_;
  relay::Bans& bans_;
  const std::string file_;
};

}  // namespace

void add_ban_commands(Control& control, relay::Server& server, relay::Bans& bans, std::string file) {
  const Keeper keeper(server, bans, std::move(file));
  control.add(
      "ban ADDRESS [--for TIME] [--why TEXT]",
      "Keeps an address or a net of them out, and ends its sessions; TIME is like 90s, 10m, 2h or 7d, else it is "
      "for good; TEXT is told where the game can.",
      [keeper](std::string_view rest) { return keeper.ban(rest); });
  control.add("unban ADDRESS", "Lets it in again.", [keeper](std::string_view rest) { return keeper.unban(rest); });
  control.add("bans", "Who is banned, until when, by whom and why, a line each, its fields divided by tabs.",
              [keeper](std::string_view rest) { return keeper.list(rest); });
}

}  // namespace entente
