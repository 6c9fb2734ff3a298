#include "proxy/relay/ends/counted_end.h"

namespace entente::relay {

using How = End::Departure::How;
using wire::Way;

namespace {

template <class Traffic>
void count_traffic(Traffic& traffic, Lane lane, std::size_t bytes, std::size_t frames) {
  if (lane == Lane::kStream) {
    traffic.bytes.add(bytes);
    traffic.frames.add(frames);
  } else {
    traffic.datagrams.add();
    traffic.datagram_bytes.add(bytes);
  }
}

}  // namespace

void CountedEnd::send(WorkerRoute& worker_route, Lane lane, const SharedBytes& shared, WallTime at) {
  const Bytes bytes = shared.bytes;
  const bool front = facing == Facing::kClient;
  if (counted && worker_route.tap)
    end->tell(*worker_route.tap, info.link, front ? Way::kToClient : Way::kToServer, lane, bytes, at);
  if (counted)
    count_traffic(front ? worker_route.counters.to_client : worker_route.counters.to_server, lane, bytes.size(), 1);
  if (end->waiting() == 0) last_progress = worker_route.loop.now();
  shared.owner ? end->lend(lane, shared) : end->send(lane, bytes);
}

void CountedEnd::hear(WorkerRoute& worker_route, const Frames& frames, WallTime at) const {
  if (!counted) return;
  const bool front = facing == Facing::kClient;
  if (worker_route.tap)
    end->tell(*worker_route.tap, info.link, front ? Way::kToServer : Way::kToClient, frames.lane, frames.bytes, at);
  count_traffic(front ? worker_route.counters.to_server : worker_route.counters.to_client, frames.lane,
                frames.bytes.size(), frames.count());
}

bool CountedEnd::overflows(const Limits& limits) const {
  return end->waiting() > kWaitingFactor * limits.high_water + info.game->largest_burst();
}

Reason CountedEnd::flooded_by() const {
  const bool client = facing == Facing::kClient;
  if (pauses.has(kRate)) return client ? Reason::kBadFrame : Reason::kServerProtocolError;
  return client ? Reason::kServerStalled : Reason::kClientStalled;
}

void CountedEnd::pause(Pause why) {
  if (pauses.add(why) && up) end->set_reading(false);
}

void CountedEnd::resume(Pause why) {
  if (pauses.remove(why) && up) end->set_reading(true);
}

void CountedEnd::come_up() {
  up = true;
  if (pauses.any()) end->set_reading(false);
}

Millis goodbye_ms(const wire::Game& game, Reason reason) {
  switch (reason) {
    case Reason::kStopped:  // players do not keep the process waiting
    case Reason::kBadFrame:
    case Reason::kProtocolFault:
    case Reason::kBadRequest:
    case Reason::kGreetTimeout:
    case Reason::kClientStalled:
      return 0;
    default:
      return *telling(reason).words != 0 ? game.refuse_linger_ms() : 0;
  }
}

Reason reason_of_client(How how) {
  switch (how) {
    case How::kBroke:
      return Reason::kClientReset;
    case How::kWrong:
      return Reason::kBadFrame;
    case How::kUnwanted:
      return Reason::kBadRequest;
    case How::kDraining:
      return Reason::kDraining;
    default:
      return Reason::kClientLeft;
  }
}

Reason reason_of_server(How how) {
  switch (how) {
    case How::kBroke:
      return Reason::kServerReset;
    case How::kWrong:
      return Reason::kServerProtocolError;
    case How::kDeclined:
      return Reason::kServerDeclined;
    default:
      return Reason::kServerLeft;
  }
}

}  // namespace entente::relay
