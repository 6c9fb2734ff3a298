// Routes that replace one another: what they have counted belongs together.
#include "proxy/program/serve/served_routes.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace entente {
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

}  // namespace
}  // namespace entente
