// Whose datagrams are they: finds the session that a client's datagram belongs to.
// Law: the address of a session's own TCP connection always wins; behind a NAT, where the datagrams come from another
// port, the first link request from the same IP that names the player that the server's greeting gave to the session.
// Guessing a neighbour's player id therefore gains nothing once he is linked, nor if his ports are not changed.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "adapters/wire/game.h"
#include "proxy/net/address.h"
#include "proxy/relay/tap/tap_sink.h"

namespace entente::relay {

/// A session and the worker it lives on.
struct SessionRef {
  LinkId link = 0;
  std::size_t worker = 0;
};

class LinkTable {
 public:
  explicit LinkTable(const wire::Game& game) : game_(game) {}

  void enter(const net::Address& client, SessionRef session);
  /// The server's greeting to `link` gave it this player id.
  void greeted(LinkId link, std::uint32_t player);
  void leave(LinkId link);

  std::optional<SessionRef> find(const net::Address& from, Bytes datagram);
  std::size_t size() const { return sessions_.size(); }

 private:
  struct Entry {
    SessionRef session;
    net::Address client;                    // its TCP connection
    std::optional<net::Address> datagrams;  // where its datagrams come from, if not from there
    std::optional<std::uint32_t> player;
    bool own_port = false;  // some of its datagrams came from its TCP connection's
  };
  using Addresses = std::unordered_map<net::Address, LinkId, net::AddressHash>;

  SessionRef its_own(Entry& entry);
  std::optional<SessionRef> link(const net::Address& from, Bytes datagram);

  const wire::Game& game_;
  std::unordered_map<LinkId, Entry> sessions_;
  Addresses by_client_, by_datagrams_;
  std::unordered_map<std::uint32_t, LinkId> by_player_;
};

}  // namespace entente::relay
