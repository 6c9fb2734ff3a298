// A worker alone, without a ProxyServer. The test gives it its clients.
#include "proxy/relay/worker.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <memory>
#include <utility>

#include "tests/relay/enet_yard.h"
#include "tests/relay/route/one_route.h"

namespace entente::testing::worker_test {
namespace {

using relay::Reason;

TEST_CASE("worker: a client over ENet whose socket cannot be watched is counted as refused, and logged") {
  relay::Pool pool;
  pool.workers.push_back(std::make_unique<relay::Worker>(0, pool, net::Loop::clock()));
  pool.host_names.emplace([] {});
  relay::Worker& worker = *pool.workers.front();
  Yard yard;
  OneRoute its(yard.loop, options_of(toy::packets()), {loopback()});
  const relay::WorkerRoute& there = worker.add_route(its.route, nullptr);

  yard.join(yard.serve());
  yard.until([&] { return yard.server.peer != nullptr; });
  relay::AcceptedClient client;
  client.link = 7;
  client.client = yard.server.peer->address();
  client.limits = no_limits();
  client.moved_enet = yard.server.host.release(*yard.server.peer, net::Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)));
  REQUIRE(client.moved_enet);
  yard.server.peer = nullptr;
  client.go_by(its.route);
  static_cast<relay::Dispatcher&>(worker).assign(0, std::move(client));
  pool.stopping = true;
  worker.wake();
  worker.run();

  CHECK(there.counters.ended[static_cast<std::size_t>(Reason::kOutOfDescriptors)].read() == 1);
  CHECK(worker.load() == 0);
  CHECK(its.heard.line("cannot watch the UDP socket of a client"));
  CHECK(its.heard.line(relay::text(Reason::kOutOfDescriptors)));
  CHECK(its.route.is_empty());
}

}  // namespace
}  // namespace entente::testing::worker_test
