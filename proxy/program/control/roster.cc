#include "proxy/program/control/roster.h"

#include <algorithm>
#include <charconv>

#include "proxy/base/lower_case.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/older_orders.h"

namespace entente {
namespace {

constexpr std::size_t kMostTold = 10;
constexpr std::string_view kName = "name:";

std::optional<relay::LinkId> link_number(std::string_view text) {
  relay::LinkId link = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), link);
  const bool whole = wrong == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(link) : std::nullopt;
}

template <class Value>
std::optional<Value> value_of(const Outcome<Value>& outcome) {
  return outcome ? std::optional(*outcome) : std::nullopt;
}

/// Whether the player has this name, as it is or as `list` shows it.
bool is_called(const Attendee& attendee, std::string_view name) {
  if (attendee.player.empty()) return false;
  return attendee.player == name || control_field(attendee.player) == name;
}

template <class Wanted>
std::vector<Attendee> those(std::vector<Attendee> all, Wanted&& wanted) {
  std::erase_if(all, [&](const Attendee& one) { return !wanted(one); });
  return all;
}

}  // namespace

std::string Attendee::game() const {
  const relay::LinkInfo& info = session.info;
  return std::string(info.game->name()) + " " + std::string(info.game->dialects()[info.dialect].name);
}

std::string Attendee::client() const { return is_bot() ? "" : session.info.client.text(); }

/// The name is always in quotes, because it may contain the separators around it.
std::string Attendee::text() const {
  return "link " + std::to_string(session.info.link) + " (" + control_field(client()) + ", " + game() + ", " +
         (player.empty() ? "-" : in_quotes(control_field(player))) + ")";
}

ReplyRow Attendee::row() const {
  return {number_field("link", session.info.link), text_field("game", game()), text_field("client", client()),
          text_field("player", player)};
}

std::string attendees_text(const std::vector<Attendee>& attendees) {
  std::string text;
  for (std::size_t i = 0; i < attendees.size() && i < kMostTold; ++i)
    text += (i == 0 ? "" : ", ") + attendees[i].text();
  if (attendees.size() > kMostTold) text += " and " + std::to_string(attendees.size() - kMostTold) + " more";
  return text;
}

std::vector<ReplyRow> rows_of(const std::vector<Attendee>& attendees) {
  std::vector<ReplyRow> rows;
  for (const Attendee& one : attendees) rows.push_back(one.row());
  return rows;
}

// -- Who is meant -----------------------------------------------------------------------------------------------------

Target Target::parse(std::string_view text) {
  Target target{std::string(text), {}, {}, {}, ""};
  if (text.starts_with(kName)) {
    target.name = std::string(text.substr(kName.size()));
    return target;
  }
  target.link = link_number(text);
  if (!target.link) target.network = value_of(net::Network::parse(text));
  if (!target.link && !target.network) target.address = value_of(net::Address::parse(text));
  if (!target.link && !target.network && !target.address) target.name = target.text;
  return target;
}

bool Target::is(const Attendee& attendee) const {
  const relay::SessionReport& session = attendee.session;
  if (link) return session.info.link == *link;
  if (address) return !attendee.is_bot() && session.info.client == *address;
  if (!network) return false;
  const bool from_there = !attendee.is_bot() && network->holds(session.info.client);
  return from_there || (!session.source.wildcard() && network->holds(session.source));
}

std::vector<Attendee> Roster::with_players(std::vector<relay::SessionReport> sessions) const {
  std::vector<Attendee> all;
  for (relay::SessionReport& session : sessions) {
    std::string player = session.player.empty() ? player_of_(session.info.link) : session.player;
    all.push_back({std::move(session), std::move(player)});
  }
  return all;
}

std::vector<Attendee> Roster::find(const Target& target) const {
  const auto everybody = all();
  if (target.name.empty()) return those(everybody, [&](const Attendee& one) { return target.is(one); });
  auto exact = those(everybody, [&](const Attendee& one) { return is_called(one, target.name); });
  if (!exact.empty()) return exact;
  const std::string name = lower_case(target.name);
  return those(everybody, [&](const Attendee& one) { return !one.player.empty() && lower_case(one.player) == name; });
}

std::vector<Attendee> Roster::search(const Target& target) const {
  if (target.name.empty()) return find(target);
  const std::string part = lower_case(target.name);
  return those(all(), [&](const Attendee& one) {
    return lower_case(one.player).find(part) != std::string::npos || is_called(one, target.name);
  });
}

Error nobody_is(const Target& target) {
  if (target.link) return {"no session has the link " + std::to_string(*target.link)};
  if (target.network || target.address) return {"no session comes from " + target.text};
  return {"'" + target.text + "' matches no player, link or address; `list` shows the players"};
}

Reply ambiguous(const Target& target, const std::vector<Attendee>& candidates) {
  Reply reply(Error{"'" + target.text + "'" + std::string(kAmbiguous) + attendees_text(candidates)});
  return reply.with("candidates", rows_of(candidates));
}

}  // namespace entente
