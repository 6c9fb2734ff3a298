// Finds the session that a client's datagram belongs to.
// Invariant: a datagram from the address of a session's TCP connection belongs to that session. Behind a NAT the port
// may differ: then the first link request from the same IP with the session's player id links its source. Players of
// different servers can have the same id: a request that may be of several sessions links none. A client behind the
// same NAT gains nothing by guessing another's player id once that player is linked, or if the NAT keeps that player's
// port.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>

#include "adapters/wire/game.h"
#include "proxy/base/keyed_hash.h"
#include "proxy/net/address.h"
#include "proxy/relay/base/link_info.h"

namespace entente::relay {

/// A session and the worker it lives on.
struct SessionRef {
  LinkId link = 0;
  std::size_t worker = 0;
};

class LinkTable {
 public:
  explicit LinkTable(const wire::Game& game) : game_(game) {}

  /// `here`: our address that the client is connected to.
  void enter(const net::Address& client, const net::Address& here, SessionRef session);
  /// The server's greeting to `link` gave it this player id.
  void greeted(LinkId link, std::uint32_t player);
  void leave(LinkId link);

  std::optional<SessionRef> find(const net::Address& from, Bytes datagram);
  /// Calls `tell` with each address that datagrams of sessions come from, or may come from, and our own.
  template <class Tell>
  void for_each(Tell tell) const {
    for (const auto& [link, entry] : sessions_) {
      tell(entry.client, entry.here);
      if (entry.datagrams) tell(*entry.datagrams, entry.here);
    }
  }
  /// As for_each(), for the addresses of one session.
  template <class Tell>
  void for_each_of(LinkId link, Tell tell) const {
    const auto found = sessions_.find(link);
    if (found == sessions_.end()) return;
    tell(found->second.client);
    if (found->second.datagrams) tell(*found->second.datagrams);
  }
  std::size_t size() const { return sessions_.size(); }

 private:
  struct Entry {
    SessionRef session;
    net::Address client;                    // its TCP connection
    net::Address here;                      // our end of it
    std::optional<net::Address> datagrams;  // where its datagrams come from, if not from there
    std::optional<std::uint32_t> player;
    bool own_port = false;  // datagrams came from its TCP connection's address
  };
  /// What a link request shows of its sender.
  struct Player {
    net::Address host;  // port 0
    std::uint32_t id = 0;
    bool operator==(const Player& other) const { return id == other.id && host == other.host; }
  };
  struct PlayerKeyedHash {
    std::size_t operator()(const Player& player) const {
      return keyed_hash(std::uint64_t{player.host.hash()} ^ keyed_hash(std::uint64_t{player.id}));
    }
  };
  using Addresses = std::unordered_map<net::Address, LinkId, net::AddressHash>;

  void stop_awaiting(const Entry& entry);
  SessionRef its_own(Entry& entry);
  std::optional<SessionRef> link(const net::Address& from, Bytes datagram);

  const wire::Game& game_;
  std::unordered_map<LinkId, Entry> sessions_;
  Addresses by_client_, by_datagrams_;
  /// The greeted sessions whose datagrams may still come from another port. Each session is here at most once.
  std::unordered_map<Player, std::set<LinkId>, PlayerKeyedHash> unlinked_;
};

}  // namespace entente::relay
