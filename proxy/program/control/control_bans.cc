#include "proxy/program/control/control_bans.h"

#include <algorithm>
#include <ctime>

#include "proxy/base/text.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/settings/ban_file.h"

namespace entente {
namespace {

/// When a ban of this length ends.
Outcome<std::time_t> end_of(const std::string& length) {
  const auto time = parse_time(length, static_cast<core::Micros>(kLongestBan) * core::kSecond);
  if (!time) return time.error();
  const auto seconds = static_cast<std::time_t>(*time / core::kSecond);
  if (seconds == 0) return Error{"a ban lasts at least one second; without --for it is permanent"};
  return std::time(nullptr) + seconds;
}

/// "; replaces a ban until 2026-11-30 20:00 (teamkill)"
std::string replaced_text(const relay::Ban& ban) {
  return "; replaces a ban " + std::string(ban.until == relay::Ban::kForGood ? "" : "until ") + until_text(ban.until) +
         (ban.why.empty() ? "" : " (" + control_field(ban.why) + ")");
}

/// What may follow the target of a ban.
Outcome<Done> read_options(std::string_view rest, relay::Ban& ban, bool& sure) {
  std::string text;
  while (!rest.empty()) {
    if (take_flag(rest, "--yes")) {
      sure = true;
    } else if (take_flag(rest, "--by-rule")) {  // of a process from before an upgrade
      ban.by_rule = true;
    } else if (take_option(rest, "--for", text)) {
      const auto until = end_of(text);
      if (!until) return until.error();
      ban.until = *until;
    } else if (take_text(rest, "--why", text)) {
      const auto why = sayable_text(text);
      if (!why) return why.error();
      ban.why = *why;
    } else {
      return Error{"only '--for TIME', '--yes' and '--why TEXT' may follow the address or the name, not '" +
                   first_argument(rest) + "'"};
    }
  }
  return Done{};
}

class Keeper {
 public:
  Keeper(relay::ProxyServer& server, const Roster& roster, relay::Bans& bans, KeptBans& kept)
      : server_(server), roster_(roster), bans_(bans), kept_(kept) {}

  Reply ban(std::string_view rest) const {
    const Target target = Target::parse(first_argument(rest));
    if (target.text.empty()) return Error{"usage: ban LINK|NAME|ADDRESS [--for TIME] [--yes] [--why TEXT]"};
    relay::Ban ban{{}, relay::Ban::kForGood, "", false};
    std::size_t meant = 0;  // sessions of the player
    bool sure = false;
    if (const auto read = read_options(rest, ban, sure); !read) return read.error();
    if (target.network) {
      ban.who = *target.network;
    } else if (target.address) {
      ban.who = net::Network::of_host(*target.address);
    } else {
      const auto found = roster_.find(target);
      if (found.empty()) {
        const auto network = net::Network::parse(target.text);
        return target.text.find('/') != std::string::npos && !network ? Reply(network.error()) : nobody_is(target);
      }
      if (found[0].is_bot()) return Error{found[0].text() + " is a bot; it has no address"};
      ban.who = net::Network::of_host(found[0].session.info.client);
      const auto elsewhere = [&](const Attendee& one) {
        return one.is_bot() || net::Network::of_host(one.session.info.client) != ban.who;
      };
      if (std::any_of(found.begin(), found.end(), elsewhere)) return ambiguous(target, found);
      meant = found.size();
    }
    if (is_vast(ban.who) && !sure)
      return Error{ban.who.text() + " holds a large part of all addresses: to ban them all, add --yes"};
    const auto before = bans_.add(ban);
    const auto gone = end_sessions_of(server_, roster_, {ban});
    const std::string note = gone.empty() ? "" : attendees_text(gone);
    if (const auto kept = kept_.save(ban); !kept)
      return Reply(Error{"banned " + ban.who.text() + ", but only until this program ends: " + kept.error().text})
          .note(note)
          .though_done();
    const std::string until = until_text(ban.until);
    std::string others;
    if (meant != 0 && gone.size() > meant)
      others = "; " + counted(gone.size() - meant, "other player") +
               (gone.size() - meant == 1 ? " shares this address" : " share this address");
    return Reply("banned " + ban.who.text() + (ban.until == relay::Ban::kForGood ? " " : " until ") + until + ", " +
                 counted(gone.size(), "session") + " ended" + others + (before ? replaced_text(*before) : "") + "\n")
        .with("sessions", rows_of(gone))
        .note(note);
  }

  Reply unban(std::string_view rest) const {
    const auto who = net::Network::parse(rest);
    if (!who) return who.error();
    const bool removed = bans_.remove(*who);
    const auto wider = larger_in(bans_.all(), *who, [](const relay::Ban& ban) { return ban.who; });
    if (!removed && wider)
      return Error{"there is no ban of " + who->text() + ", but it is in " + wider->text() +
                   ", which is banned: `unban " + wider->text() + "` lifts that"};
    if (!removed) return Error{"there is no ban of " + who->text() + "; `bans` lists them"};
    if (const auto kept = kept_.save_without(*who); !kept)
      return Reply(Error{kept.error().text + "; the ban is lifted until this program restarts"}).though_done();
    if (wider) return "the ban of " + who->text() + " is lifted, but it is in " + wider->text() + ", which is banned\n";
    return who->text() + " is no longer banned\n";
  }

  Reply list(std::string_view rest) const {
    if (!rest.empty()) return Error{"bans takes no arguments"};
    std::vector<ReplyRow> rows;
    for (const relay::Ban& ban : sorted())
      rows.push_back({text_field("address", ban.who.text()), text_field("until", until_text(ban.until)),
                      text_field("by", ban.by_server ? "server" : "us"), text_field("why", ban.why),
                      text_field("where", ban.where)});
    return Reply::table({"address", "until", "by", "why", "where"}, rows);
  }

 private:
  std::vector<relay::Ban> sorted() const {
    auto all = bans_.all();
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.who.text() < b.who.text(); });
    return all;
  }

  relay::ProxyServer& server_;
  const Roster& roster_;
  relay::Bans& bans_;
  KeptBans& kept_;
};

}  // namespace

std::vector<Attendee> end_sessions_of(relay::ProxyServer& server, const Roster& roster,
                                      const std::vector<relay::Ban>& bans) {
  auto gone = roster.all();
  std::erase_if(gone, [&](const Attendee& one) {
    if (one.is_bot()) return true;
    const relay::LinkInfo& info = one.session.info;
    return std::none_of(bans.begin(), bans.end(), [&](const relay::Ban& ban) {
      return ban.who.holds(info.client) && server.ban(info.link, ban.why);
    });
  });
  return gone;
}

void add_ban_commands(Control& control, relay::ProxyServer& server, const Roster& roster, relay::Bans& bans,
                      KeptBans& kept) {
  const Keeper keeper(server, roster, bans, kept);
  control.add_order("ban LINK|NAME|ADDRESS [--for 2d] [--yes] [--why TEXT]",
                    "Bans an address, a network or the address of a player, and ends its sessions. --for: 90s, 10m, "
                    "2h, 7d or 1:30 (default: forever). --yes: for a network of more than 16 million addresses. "
                    "TEXT: the reason, shown to the player if the game can do that.",
                    [keeper](std::string_view rest) { return keeper.ban(rest); });
  control.add_order("unban ADDRESS", "Lifts a ban.", [keeper](std::string_view rest) { return keeper.unban(rest); });
  control.add("bans", "Lists the bans: address, end, source, reason and scope, separated by tabs.",
              [keeper](std::string_view rest) { return keeper.list(rest); });
}

}  // namespace entente
