#include "proxy/relay/ends/link_table.h"

namespace entente::relay {
namespace {

/// Erases `key` if it still means `link` (a successor may have the same address or player id by now).
template <class Map, class Key>
void erase_if_mine(Map& map, const Key& key, LinkId link) {
  const auto found = map.find(key);
  if (found != map.end() && found->second == link) map.erase(found);
}

}  // namespace

void LinkTable::enter(const net::Address& client, const net::Address& here, SessionRef session) {
  sessions_[session.link] = Entry{session, client, here, std::nullopt, std::nullopt};
  by_client_[client] = session.link;
}

void LinkTable::greeted(LinkId link, std::uint32_t player) {
  const auto found = sessions_.find(link);
  if (found == sessions_.end()) return;
  found->second.player = player;
  by_player_[player] = link;
}

void LinkTable::leave(LinkId link) {
  const auto found = sessions_.find(link);
  if (found == sessions_.end()) return;
  const Entry& entry = found->second;
  erase_if_mine(by_client_, entry.client, link);
  if (entry.datagrams) erase_if_mine(by_datagrams_, *entry.datagrams, link);
  if (entry.player) erase_if_mine(by_player_, *entry.player, link);
  sessions_.erase(found);
}

std::optional<SessionRef> LinkTable::find(const net::Address& from, Bytes datagram) {
  if (const auto mine = by_client_.find(from); mine != by_client_.end()) return its_own(sessions_.at(mine->second));
  if (const auto known = by_datagrams_.find(from); known != by_datagrams_.end())
    return sessions_.at(known->second).session;
  return link(from, datagram);
}

/// A datagram came from the address of the session's TCP connection: a linked address is dropped.
SessionRef LinkTable::its_own(Entry& entry) {
  if (entry.datagrams) erase_if_mine(by_datagrams_, *entry.datagrams, entry.session.link);
  entry.datagrams.reset();
  entry.own_port = true;
  return entry.session;
}

std::optional<SessionRef> LinkTable::link(const net::Address& from, Bytes datagram) {
  const auto request = game_.link_request(datagram);
  if (!request) return std::nullopt;
  const auto named = by_player_.find(request->player);
  if (named == by_player_.end()) return std::nullopt;
  Entry& entry = sessions_.at(named->second);
  if (entry.datagrams || entry.own_port || !entry.client.same_ip(from)) return std::nullopt;
  entry.datagrams = from;
  by_datagrams_[from] = entry.session.link;
  return entry.session;
}

}  // namespace entente::relay
