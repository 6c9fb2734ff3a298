#include "proxy/relay/ends/datagrams.h"

#include <utility>

#include "proxy/base/steady_wall.h"

namespace entente::relay {

using wire::Lane;
using wire::Way;

Datagrams::Datagrams(WorkerRoute& worker_route, const LinkInfo& session, const Limits& limits,
                     std::shared_ptr<SharedRates> rates)
    : worker_route_(worker_route),
      session_(session),
      largest_(limits.datagram_bytes),
      high_water_(limits.high_water),
      filter_(worker_route.route.game.datagram_cutter(Way::kToServer, worker_route.route.dialect),
              limits.datagram_bytes, limits.datagrams_per_second, worker_route.loop.now()),
      last_passed_(worker_route.loop.now()),
      reader_(worker_route.loop, *this) {
  filter_.share(std::move(rates));
  if (worker_route.strict_filter) filter_.watch(*worker_route.strict_filter, session.dialect);
}

bool Datagrams::open(net::Fd connected, const net::Address& server) {
  close();
  reader_.set_party(worker_route_.loop.server_party(server, session_.client));
  server_ = std::move(connected);
  return reader_.open_connected(server_.get());
}

void Datagrams::close() {
  reader_.close();
  server_.reset();
}

void Datagrams::from_client(const net::Address& from, Bytes datagram) {
  const Millis now = worker_route_.loop.now();
  if (const auto drop = filter_.objection(datagram, now)) return worker_route_.dropped(*drop);
  if (!server_) return worker_route_.dropped(Drop::kNotLinked);
  client_ = from;
  last_passed_ = now;
  if (lab_) return lab_->at(Way::kToServer).put(datagram, 0);
  pass_to_server(datagram);
}

void Datagrams::pass_to_server(Bytes datagram) {
  if (!server_) return worker_route_.dropped(Drop::kNotLinked);
  if (worker_route_.tap)
    worker_route_.tap->bytes(session_.link, Way::kToServer, Lane::kDatagram, datagram, steady_wall_now());
  if (!net::udp_send(server_.get(), datagram)) return worker_route_.dropped(Drop::kQueueFull);
  worker_route_.counters.to_server.datagrams.add();
  worker_route_.counters.to_server.datagram_bytes.add(datagram.size());
}

void Datagrams::datagram(const net::Address&, Bytes bytes) {
  if (bytes.size() > largest_) return worker_route_.dropped(Drop::kTooLarge);
  if (!client_) return worker_route_.dropped(Drop::kNotLinked);
  last_passed_ = worker_route_.loop.now();
  if (lab_) return lab_->at(Way::kToClient).put(bytes, 0);
  pass_to_client(bytes);
}

void Datagrams::pass_to_client(Bytes bytes) {
  if (worker_route_.tap)
    worker_route_.tap->bytes(session_.link, Way::kToClient, Lane::kDatagram, bytes, steady_wall_now());
  worker_route_.to_clients->push(session_.listener, *client_, bytes);
  worker_route_.counters.to_client.datagrams.add();
  worker_route_.counters.to_client.datagram_bytes.add(bytes.size());
}

// -- The lab ----------------------------------------------------------------------------------------------------------

void Datagrams::follow(const RunningLab& lab, SessionLab& session) {
  if (!lab_)
    lab_ = std::make_unique<LabLines>(worker_route_.loop, static_cast<LabLine::User&>(*this), LabLine::Of::kDatagrams,
                                      session_, session.report().number, session.counted(), high_water_);
  lab_->judge_by(session.judge());
  lab_->follow(lab);
}

void Datagrams::lab_passes(LabLine& line, const LabUnit& unit) {
  if (worker_route_.tap) worker_route_.tap->lab_passes(session_.link, unit.made, unit.held, steady_wall_now());
  line.way() == Way::kToServer ? pass_to_server(unit.bytes) : pass_to_client(unit.bytes);
}

void Datagrams::lab_keeps(LabLine& line, Bytes unit, std::uint32_t, bool altered) {
  if (!worker_route_.tap) return;
  const WallTime at = steady_wall_now();
  worker_route_.tap->lab_keeps(session_.link, altered, at);
  worker_route_.tap->bytes(session_.link, line.way(), Lane::kDatagram, unit, at);
}

}  // namespace entente::relay
