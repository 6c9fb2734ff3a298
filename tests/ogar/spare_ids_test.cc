// Ids for cells that are not units.
#include "adapters/ogar/front/spare_ids.h"

#include <doctest/doctest.h>

#include <set>

namespace entente::ogar::spare_ids_test {
namespace {

TEST_CASE("spare ids count down from the highest; after the lowest they continue with the highest that is not shown") {
  const auto none = [](std::uint32_t) { return false; };
  SpareIds fresh;
  CHECK(fresh.next(none) == 0xffffffff);
  CHECK(fresh.next([](std::uint32_t) { return true; }) == 0xfffffffe);  // nothing wrapped around yet

  SpareIds old(0x80000002);
  CHECK(old.next(none) == 0x80000001);
  CHECK(old.next(none) == 0x80000000);
  const std::set<std::uint32_t> shown = {0xffffffff, 0xfffffffe, 0xfffffffc};
  const auto is_shown = [&](std::uint32_t id) { return shown.contains(id); };
  CHECK(old.next(is_shown) == 0xfffffffd);
  CHECK(old.next(is_shown) == 0xfffffffb);
}

}  // namespace
}  // namespace entente::ogar::spare_ids_test
