// Routes that replace one another: what they have counted belongs together.
#include "proxy/program/serve/served_routes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace entente::served_routes_test {
namespace {

ServedRoute route(std::size_t number, const std::string& name) { return {{number, name, "native", "", {}}}; }

using Numbers = std::vector<std::size_t>;

TEST_CASE("a route keeps the counters of the one that it replaces, also if both are served for a moment") {
  ServedRoutes routes;
  routes.add(route(1, "a"));
  routes.add(route(2, "a"), 1);  // instead of it
  routes.add(route(3, "a"));     // beside it
  routes.add(route(4, "b"));
  routes.retire(2);
  CHECK(routes.retired().empty());
  REQUIRE(routes.forget(1));
  REQUIRE(routes.forget(2));
  REQUIRE(routes.served().size() == 2);
  Numbers all = routes.served()[0].numbers();
  std::sort(all.begin(), all.end());
  CHECK(all == Numbers{1, 2, 3});
  CHECK(routes.served()[1].numbers() == Numbers{4});
}

std::string names(const std::vector<ServedRoute>& routes) {
  std::string all;
  for (const ServedRoute& one : routes) all += one.named.name + std::to_string(one.named.number) + " ";
  return all;
}

/// Only compared.
relay::TapThread* tap(std::uintptr_t number) { return reinterpret_cast<relay::TapThread*>(number * 64); }

ServedRoute at(ServedRoute route, std::size_t position, relay::TapThread* its_tap = nullptr) {
  route.position = position;
  route.tap = its_tap;
  return route;
}

TEST_CASE("routes are served in the order of the configuration, also after a reload has moved one") {
  ServedRoutes routes;
  routes.add(at(route(1, "a"), 2));
  routes.add(at(route(2, "b"), 1));
  routes.add(at(route(3, "c"), 2));  // a second listener of the same arena
  CHECK(names(routes.served()) == "b2 a1 c3 ");
  routes.move(1, 3);
  CHECK(names(routes.served()) == "b2 c3 a1 ");
  routes.move(9, 1);  // not known
  CHECK(names(routes.served()) == "b2 c3 a1 ");
}

TEST_CASE("a route that is replaced or removed is retired until its last session has ended, once") {
  ServedRoutes routes;
  routes.add(route(1, "a"));
  routes.add(route(2, "b"));
  routes.retire(2);
  routes.retire(2);
  CHECK(names(routes.served()) == "a1 ");
  CHECK(names(routes.retired()) == "b2 ");
  CHECK_FALSE(routes.forget(1));  // it is served
  const auto gone = routes.forget(2);
  REQUIRE(gone);
  CHECK(gone->named.name == "b");
  CHECK_FALSE(routes.forget(2));
  CHECK(routes.retired().empty());
  routes.add(route(3, "c"), 1);  // instead of another name's
  CHECK(names(routes.served()) == "c3 ");
  CHECK(names(routes.retired()) == "a1 ");
  CHECK(routes.served()[0].numbers() == Numbers{3});  // another name: other counters
  routes.add(route(4, "d"), 9);                       // of what is not served
  CHECK(names(routes.served()) == "c3 d4 ");
}

TEST_CASE("all routes are listed, those that are retired last, without those that another one counts") {
  ServedRoutes routes;
  routes.add(route(1, "a"));
  routes.add(route(2, "b"));
  routes.add(route(3, "a"), 1);
  routes.retire(2);
  const auto all = routes.listed();
  REQUIRE(all.size() == 2);
  CHECK(all[0].named.name == "a");
  CHECK(all[0].numbers == Numbers{1, 3});
  CHECK_FALSE(all[0].retired);
  CHECK(all[1].named.name == "b");
  CHECK(all[1].numbers == Numbers{2});
  CHECK(all[1].retired);
  CHECK(routes.names().size() == 1);
  routes.retire(3);  // which has the counters of 1, too
  CHECK(names(routes.retired()) == "b2 a3 ");
}

using Taps = std::vector<relay::TapThread*>;

TEST_CASE("a route counts what the taps of those before it have recorded, each tap once") {
  ServedRoutes routes;
  routes.add(at(route(1, "a"), 1, tap(1)));
  routes.add(at(route(2, "b"), 2, tap(1)));     // of the same arena
  routes.add(at(route(3, "a"), 1, tap(2)), 1);  // another arena, instead of it
  routes.add(at(route(4, "b"), 2, tap(2)), 2);
  routes.add(at(route(5, "a"), 1, tap(2)), 3);  // a listener of the same arena
  for (const std::size_t ended : {1U, 2U, 3U}) REQUIRE(routes.forget(ended));
  CHECK(routes.served()[0].counted_taps == Taps{tap(1), tap(2)});
  CHECK(routes.served()[1].counted_taps.empty());
  routes.retire(5);
  CHECK(routes.served()[0].counted_taps == Taps{tap(1), tap(2)});  // "b" is the first listener now
  REQUIRE(routes.retired().size() == 1);
  CHECK(routes.retired()[0].counted_taps.empty());
  routes.retire(4);
  REQUIRE(routes.retired().size() == 2);
  CHECK(routes.retired()[0].counted_taps == Taps{tap(1), tap(2)});
  CHECK(routes.retired()[1].counted_taps.empty());
}

TEST_CASE("an arena is recorded once, by its first listener, and a removed route as long as its sessions go on") {
  ServedRoutes routes;
  routes.add(at(route(1, "a"), 2, tap(1)));
  routes.add(at(route(2, "b"), 1, tap(1)));
  routes.add(at(route(3, "c"), 3, tap(2)));
  routes.add(at(route(4, "d"), 4));
  const auto served = routes.served();
  CHECK(served[0].counted_taps == Taps{tap(1)});
  CHECK(served[1].counted_taps.empty());
  CHECK(served[2].counted_taps == Taps{tap(2)});
  CHECK(served[3].counted_taps.empty());
  const auto recorded = [&] {
    std::string all;
    for (const ListedRecording& one : routes.recordings()) all += one.route.named.name + (one.retired ? "! " : " ");
    return all;
  };
  CHECK(recorded() == "b c ");
  routes.retire(3);
  CHECK(recorded() == "b c! ");
  routes.retire(2);
  CHECK(recorded() == "a c! ");  // the arena goes on with its other listener
  CHECK(routes.uses(tap(1)));
  CHECK(routes.uses(tap(2)));
  CHECK_FALSE(routes.uses(tap(3)));
  REQUIRE(routes.forget(3));
  CHECK(recorded() == "a ");
  CHECK_FALSE(routes.uses(tap(2)));
  REQUIRE(routes.forget(2));
  CHECK(routes.uses(tap(1)));
}

}  // namespace
}  // namespace entente::served_routes_test
