#include "proxy/relay/datagrams.h"

namespace entente::relay {

using wire::Lane;
using wire::Way;

Datagrams::Datagrams(Branch& branch, const SessionInfo& session, const Limits& limits)
    : branch_(branch),
      session_(session),
      largest_(limits.datagram_bytes),
      guard_(branch.route.game.datagram_cutter(Way::kToServer, branch.route.dialect), limits.datagram_bytes,
             limits.datagrams_per_second, branch.loop.now()),
      moved_(branch.loop.now()),
      reader_(branch.loop, *this) {
  if (branch.guard) guard_.watch(*branch.guard, session.dialect);
}

bool Datagrams::open(net::Fd connected) {
  close();
  server_ = std::move(connected);
  return reader_.open_connected(server_.get());
}

void Datagrams::close() {
  reader_.close();
  server_.reset();
}

void Datagrams::from_client(const net::Address& from, Bytes datagram) {
  const Millis now = branch_.loop.now();
  if (const auto drop = guard_.objection(datagram, now)) return branch_.dropped(*drop);
  if (!server_) return branch_.dropped(Drop::kNotLinked);
  client_ = from;
  moved_ = now;
  if (branch_.tap) branch_.tap->bytes(session_.link, Way::kToServer, Lane::kDatagram, datagram, wall_now());
  if (!net::udp_send(server_.get(), datagram)) return branch_.dropped(Drop::kQueueFull);
  branch_.counters.to_server.datagrams.add();
  branch_.counters.to_server.datagram_bytes.add(datagram.size());
}

void Datagrams::datagram(const net::Address&, Bytes bytes) {
  if (bytes.size() > largest_) return branch_.dropped(Drop::kTooLarge);
  if (!client_) return branch_.dropped(Drop::kNotLinked);
  moved_ = branch_.loop.now();
  if (branch_.tap) branch_.tap->bytes(session_.link, Way::kToClient, Lane::kDatagram, bytes, wall_now());
  branch_.to_clients->push(session_.listener, *client_, bytes);
  branch_.counters.to_client.datagrams.add();
  branch_.counters.to_client.datagram_bytes.add(bytes.size());
}

}  // namespace entente::relay
