// The open sessions with their players' names, and which of them an operator means: by link, address or name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/network.h"
#include "proxy/program/control/reply.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

/// An open session and its player.
struct Attendee {
  relay::SessionReport session;
  std::string player;  // "" if it is not known

  bool is_bot() const { return session.info.client.port() == 0; }
  /// "bzflag 2.4"
  std::string game() const;
  /// "127.0.0.1:40000"; "" of a bot
  std::string client() const;
  /// "link 3 (127.0.0.1:40000, bzflag 2.4, anna)"
  std::string text() const;
  ReplyRow row() const;  // link, game, client, player
};

/// Attendee::text() of each, with commas between them; of many only the first.
std::string attendees_text(const std::vector<Attendee>& attendees);
std::vector<ReplyRow> rows_of(const std::vector<Attendee>& attendees);

/// The target of a command: "7" is a link; "192.0.2.7", "192.0.2.7:4000" and "192.0.2.0/24" are addresses; anything
/// else is a name. "name:7" is the name 7.
struct Target {
  std::string text;  // as given
  std::optional<relay::LinkId> link;
  std::optional<net::Network> network;
  std::optional<net::Address> address;  // with its port
  std::string name;                     // if the text is neither a link nor an address

  static Target parse(std::string_view text);
  /// Whether this matches the session by its link, its client's address, or the address that the server sees.
  bool is(const Attendee& attendee) const;
};

class Roster {
 public:
  /// The name of a link's player, if only a tap knows it (in a relay); "" if unknown.
  using PlayerOf = std::function<std::string(relay::LinkId)>;

  /// `server` outlives it.
  Roster(relay::ProxyServer& server, PlayerOf player_of) : server_(server), player_of_(std::move(player_of)) {}

  /// All open sessions, by link.
  std::vector<Attendee> all() const { return with_players(server_.sessions()); }
  /// These sessions, with their players.
  std::vector<Attendee> with_players(std::vector<relay::SessionReport> sessions) const;
  /// The sessions that match. If no player has exactly this name: those whose names differ only in upper and lower
  /// case.
  std::vector<Attendee> find(const Target& target) const;
  /// As find(), but a part of a name is enough.
  std::vector<Attendee> search(const Target& target) const;

 private:
  relay::ProxyServer& server_;
  PlayerOf player_of_;
};

/// The error that no session matches.
Error nobody_is(const Target& target);
/// The error that several sessions match, with the list of them.
Reply ambiguous(const Target& target, const std::vector<Attendee>& candidates);

}  // namespace entente
