// Drains of servers: when their players have to leave.
#include "proxy/program/control/drainer.h"

#include <doctest/doctest.h>

#include "tests/relay/toy.h"

namespace entente::drainer_test {
namespace {

using testing::FakeServer, testing::Stream;

/// A relay of the toy game in front of two servers, of which newcomers get the first.
struct Pair : testing::Serving {
  Pair() : Serving(1) {
    relay::RouteOptions options;
    options.game = &toy::game();
    options.listen = testing::loopback();
    options.servers.clear();
    for (const FakeServer* one : {&first, &second})
      options.servers.push_back({one->address().ip_text(), one->address().port(), 0});
    serve_all(std::move(options), testing::no_limits());
  }
  ~Pair() { stop(); }
  Stream join(const FakeServer& at) {
    Stream client = Stream::to(address);
    client.send(testing::kHello);
    links.push_back(at.accept());
    CHECK(links.back().read_text(4) == testing::kHello);
    return client;
  }

  FakeServer first{true}, second{true};
  std::vector<Stream> links;
};

TEST_CASE("players of a server stay if it is no longer drained when its time is over") {
  Pair pair;
  Housekeeping thread("housekeeping");
  Drainer drainer(pair.server(), 0, thread);
  const std::string first = pair.server().servers(0)[0].name, second = pair.server().servers(0)[1].name;
  constexpr Millis kTime = 1'000;
  const Stream anna = pair.join(pair.first);
  drainer.drain_server(first, std::nullopt);
  const Stream ben = pair.join(pair.second);
  drainer.drain_server(first, kTime);
  CHECK(drainer.undrain_server(first) == 1);
  drainer.drain_server(second, kTime + 100);
  CHECK(pair.ended(relay::Reason::kDrained));  // ben: by now, the time of the first server is over, too
  CHECK(pair.sessions().size() == 1);
  anna.send(testing::frame("still here"));
  CHECK(pair.links[0].read(testing::frame("still here").size()) == testing::frame("still here"));
}

}  // namespace
}  // namespace entente::drainer_test
