// The gate counts who is inside and how often one address comes, and forgets who has gone.
#include "proxy/relay/gate.h"

#include <doctest/doctest.h>

namespace entente::relay::gate_test {
namespace {

net::Address address(const char* text) { return *net::Address::parse(text); }

Limits limits_of(std::uint32_t sessions, std::uint32_t each, std::uint32_t per_second, std::uint32_t burst) {
  Limits limits;
  limits.sessions = sessions;
  limits.sessions_per_address = each;
  limits.connects_per_second = per_second;
  limits.connects_burst = burst;
  return limits;
}

TEST_CASE("in all, from one address, and from all of one IPv6 /64") {
  Gate gate;
  const Limits limits = limits_of(4, 2, 0, 0);
  CHECK(!gate.enter(address("10.0.0.1:1"), limits, 0));
  CHECK(!gate.enter(address("10.0.0.1:2"), limits, 0));
  CHECK(gate.enter(address("10.0.0.1:3"), limits, 0) == Reason::kTooManyFromAddress);
  CHECK(!gate.enter(address("[2001:db8::1]:1"), limits, 0));
  CHECK(!gate.enter(address("[2001:db8::2]:1"), limits, 0));
  CHECK(gate.enter(address("[2001:db8::3]:1"), limits, 0) == Reason::kTooMany);
  gate.leave(address("10.0.0.1:1"));
  CHECK(gate.enter(address("[2001:db8::3]:1"), limits, 0) == Reason::kTooManyFromAddress);
  CHECK(!gate.enter(address("10.0.0.2:9"), limits, 0));
  CHECK(gate.inside() == 4);
}

TEST_CASE("the burst at once, then the rate, for each address on its own") {
  Gate gate;
  const Limits limits = limits_of(0, 0, 2, 3);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (int i = 0; i < 3; ++i) CHECK(!gate.enter(a, limits, 1000));
  CHECK(gate.enter(a, limits, 1000) == Reason::kTooFast);
  CHECK(!gate.enter(b, limits, 1000));
  CHECK(gate.enter(a, limits, 1499) == Reason::kTooFast);
  CHECK(!gate.enter(a, limits, 1500));
  CHECK(gate.enter(a, limits, 1500) == Reason::kTooFast);
}

TEST_CASE("who is gone and has not come lately is forgotten") {
  Gate gate;
  const Limits limits = limits_of(0, 0, 1, 2);
  CHECK(!gate.enter(address("10.0.0.1:1"), limits, 0));
  CHECK(!gate.enter(address("10.0.0.2:1"), limits, 0));
  gate.leave(address("10.0.0.1:1"));
  gate.tidy(500);
  CHECK(gate.known() == 2);
  gate.tidy(1000);
  CHECK(gate.known() == 1);
  CHECK(gate.inside() == 1);
}

TEST_CASE("who is gone is forgotten where any number may come, too") {
  Gate gate;
  const Limits limits = limits_of(0, 0, 0, 1024);
  CHECK(!gate.enter(address("10.0.0.1:1"), limits, 0));
  gate.leave(address("10.0.0.1:1"));
  gate.tidy(1000);
  CHECK(gate.known() == 0);
}

TEST_CASE("who is only asked about is neither counted nor kept") {
  Gate gate;
  const Limits limits = limits_of(2, 1, 1, 1);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (int i = 0; i < 3; ++i) CHECK(!gate.objection(a, limits));
  CHECK(gate.known() == 0);
  CHECK(!gate.enter(a, limits, 0));
  CHECK(gate.objection(a, limits) == Reason::kTooManyFromAddress);
  CHECK(!gate.enter(b, limits, 0));
  CHECK(gate.objection(address("10.0.0.3:1"), limits) == Reason::kTooMany);
}

TEST_CASE("a place that is kept keeps nobody out, and has to go when there are too many with those inside") {
  Gate gate;
  const Limits limits = limits_of(3, 2, 0, 0);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (int i = 0; i < 2; ++i) CHECK(!gate.enter(a, limits, 0));
  gate.keep(a);
  CHECK(gate.inside() == 1);
  CHECK_FALSE(gate.crowded_from(a, limits));
  CHECK(!gate.enter(a, limits, 0));  // perhaps it is he who comes back
  CHECK(gate.crowded_from(a, limits));
  CHECK(gate.enter(a, limits, 0) == Reason::kTooManyFromAddress);
  CHECK_FALSE(gate.crowded(limits));
  CHECK(!gate.enter(b, limits, 0));
  CHECK(gate.crowded(limits));
  CHECK_FALSE(gate.crowded_from(b, limits));
  CHECK(gate.enter(b, limits, 0) == Reason::kTooMany);
  gate.take_back(a);
  gate.leave(a);
  CHECK_FALSE(gate.crowded(limits));
  CHECK_FALSE(gate.crowded_from(a, limits));
  gate.keep(b);
  gate.leave(a);
  gate.leave(a);
  gate.tidy(1000);
  CHECK(gate.known() == 1);  // what is kept is not forgotten
  gate.take_back(b);
  gate.leave(b);
  gate.tidy(1000);
  CHECK(gate.known() == 0);
}

TEST_CASE("other limits hold for who is known already") {
  Gate gate;
  const auto a = address("10.0.0.1:1");
  for (int i = 0; i < 3; ++i) CHECK(!gate.enter(a, limits_of(0, 0, 0, 1024), 0));
  const Limits tight = limits_of(0, 0, 1, 2);
  for (int i = 0; i < 2; ++i) CHECK(!gate.enter(a, tight, 0));
  CHECK(gate.enter(a, tight, 0) == Reason::kTooFast);
  CHECK(gate.enter(a, limits_of(0, 0, 1000, 2), 0) == Reason::kTooFast);
  CHECK(!gate.enter(a, limits_of(0, 0, 1000, 2), 1));
}

}  // namespace
}  // namespace entente::relay::gate_test
