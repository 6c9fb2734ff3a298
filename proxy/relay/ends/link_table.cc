#include "proxy/relay/ends/link_table.h"

namespace entente::relay {
namespace {

/// Erases `key` if it still means `link` (a successor may have the same address by now).
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
  Entry& entry = found->second;
  stop_awaiting(entry);
  entry.player = player;
  if (!entry.datagrams && !entry.own_port) unlinked_[{entry.client.with_port(0), player}].insert(link);
}

void LinkTable::leave(LinkId link) {
  const auto found = sessions_.find(link);
  if (found == sessions_.end()) return;
  const Entry& entry = found->second;
  erase_if_mine(by_client_, entry.client, link);
  if (entry.datagrams) erase_if_mine(by_datagrams_, *entry.datagrams, link);
  stop_awaiting(entry);
  sessions_.erase(found);
}

/// No link request is for this session any more.
void LinkTable::stop_awaiting(const Entry& entry) {
  if (!entry.player) return;
  const auto found = unlinked_.find({entry.client.with_port(0), *entry.player});
  if (found == unlinked_.end()) return;
  found->second.erase(entry.session.link);
  if (found->second.empty()) unlinked_.erase(found);
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
  if (!entry.own_port) stop_awaiting(entry);
  entry.own_port = true;
  return entry.session;
}

std::optional<SessionRef> LinkTable::link(const net::Address& from, Bytes datagram) {
  const auto request = game_.link_request(datagram);
  if (!request) return std::nullopt;
  const auto named = unlinked_.find({from.with_port(0), request->player});
  if (named == unlinked_.end() || named->second.size() > 1) return std::nullopt;
  Entry& entry = sessions_.at(*named->second.begin());
  stop_awaiting(entry);
  entry.datagrams = from;
  by_datagrams_[from] = entry.session.link;
  return entry.session;
}

}  // namespace entente::relay
