// Numbers in messages of other nodes.
#include "proxy/fleet/arena/finite.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "schema/game.pb.h"

namespace entente::fleet::finite_test {
namespace {

TEST_CASE("a message with a number that is not finite is refused, wherever the number is") {
  using Limits = std::numeric_limits<double>;
  const std::function<void(words::Fact&, double)> places[] = {
      [](words::Fact& fact, double number) { fact.mutable_pose()->set_x(number); },
      [](words::Fact& fact, double number) {
        fact.mutable_world()->add_solids();
        fact.mutable_world()->add_solids()->set_half_x(number);
      },
      [](words::Fact& fact, double number) {
        fact.mutable_board()->add_slices(1);
        fact.mutable_board()->add_slices(static_cast<float>(number));
      },
  };
  for (const auto& put : places) {
    for (const double number : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
      CAPTURE(number);
      words::Fact fact;
      put(fact, number);
      CHECK_FALSE(has_finite_numbers(fact));
    }
    for (const double number : {0.0, -1.5, 1e30}) {
      words::Fact fact;
      put(fact, number);
      CHECK(has_finite_numbers(fact));
    }
  }
}

}  // namespace
}  // namespace entente::fleet::finite_test
