// Admission counts sessions and the rate of each address, and forgets addresses that are gone.
#include "proxy/relay/admission/admission.h"

#include <doctest/doctest.h>
#include <netinet/in.h>

namespace entente::relay::admission_test {
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

TEST_CASE("limits hold in total, for one address, and for one IPv6 /64") {
  Admission admission;
  const Limits limits = limits_of(4, 2, 0, 0);
  CHECK(!admission.enter(address("10.0.0.1:1"), limits, 0));
  CHECK(!admission.enter(address("10.0.0.1:2"), limits, 0));
  CHECK(admission.enter(address("10.0.0.1:3"), limits, 0) == Reason::kTooManyFromAddress);
  CHECK(!admission.enter(address("[2001:db8::1]:1"), limits, 0));
  CHECK(!admission.enter(address("[2001:db8::2]:1"), limits, 0));
  CHECK(admission.enter(address("[2001:db8::3]:1"), limits, 0) == Reason::kTooMany);
  admission.leave(address("10.0.0.1:1"));
  CHECK(admission.enter(address("[2001:db8::3]:1"), limits, 0) == Reason::kTooManyFromAddress);
  CHECK(!admission.enter(address("10.0.0.2:9"), limits, 0));
  CHECK(admission.inside() == 4);
}

TEST_CASE("while it drains, newcomers are refused and sessions stay") {
  std::atomic<bool> draining = false;
  Admission admission({}, nullptr, &draining);
  const Limits limits = limits_of(0, 0, 0, 0);
  CHECK(!admission.enter(address("10.0.0.1:1"), limits, 0));
  draining = true;
  CHECK(admission.enter(address("10.0.0.1:2"), limits, 0) == Reason::kDraining);
  CHECK(admission.objection(address("10.0.0.2:1"), limits) == Reason::kDraining);
  CHECK(admission.inside() == 1);
  CHECK(admission.known() == 1);
  draining = false;
  CHECK(!admission.enter(address("10.0.0.1:2"), limits, 0));
}

TEST_CASE("while it drains, a player whose link broke may come back, as long as its place is kept") {
  std::atomic<bool> draining = false;
  Admission admission({}, nullptr, &draining);
  const Limits limits = limits_of(0, 0, 0, 0);
  const auto a = address("10.0.0.1:1");
  CHECK(!admission.enter(a, limits, 0));
  draining = true;
  CHECK(admission.enter(a, limits, 0) == Reason::kDraining);
  admission.keep(a);
  CHECK(admission.enter(address("10.0.0.2:1"), limits, 0) == Reason::kDraining);
  CHECK(!admission.enter(address("10.0.0.1:2"), limits, 0));
  admission.unkeep(a);
  CHECK(admission.enter(address("10.0.0.1:3"), limits, 0) == Reason::kDraining);
}

TEST_CASE("while it drains, a player whose seat is kept may come back in time, and its address is not forgotten") {
  std::atomic<bool> draining = false;
  Admission admission({}, nullptr, &draining);
  const Limits limits = limits_of(0, 0, 0, 0);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (const auto& one : {a, b}) CHECK(!admission.enter(one, limits, 0));
  admission.may_return(a, steady_seconds() + 3'600);
  admission.may_return(b, steady_seconds() - 1);
  for (const auto& one : {a, b}) admission.leave(one);
  CHECK(admission.empty());
  draining = true;
  admission.tidy(1'000'000);
  CHECK(admission.known() == 1);
  CHECK(!admission.enter(a, limits, 0));
  CHECK(admission.enter(b, limits, 0) == Reason::kDraining);
}

TEST_CASE("a seat is kept until the latest of its times, whichever player leaves last") {
  std::atomic<bool> draining{false};
  Admission admission({}, nullptr, &draining);
  const Limits limits = limits_of(0, 0, 0, 0);
  const auto a = address("10.0.0.1:1");
  for (int i = 0; i < 2; ++i) CHECK(!admission.enter(a, limits, 0));
  admission.may_return(a, steady_seconds() + 3'600);
  admission.may_return(a, steady_seconds() - 1);
  draining = true;
  CHECK(!admission.enter(a, limits, 0));
}

TEST_CASE("a changed rate of a part holds for its next session") {
  Admission admission;
  const Limits any = limits_of(0, 0, 0, 0), slow = limits_of(0, 0, 1, 1);
  const auto a = address("10.0.0.1:1");
  for (int i = 0; i < 4; ++i) REQUIRE(!admission.call(a, any, 0));
  CHECK(!admission.begin_session_at(a, slow, 1, {}, 0));
  CHECK(admission.begin_session_at(a, slow, 1, {}, 0) == Reason::kTooFast);
  CHECK(!admission.begin_session_at(a, any, 1, {}, 0));
}

TEST_CASE("a session that is moved here takes a place as a client does, but whatever the rate, and releases it") {
  Admission admission;
  const Limits limits = limits_of(2, 1, 1, 1);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  CHECK(!admission.enter(b, limits, 0));
  admission.leave(b);
  {
    CHECK(!admission.enter_moved(b, limits, 0));  // too fast for a client
    relay::MovedPlace place(admission, b);
    CHECK(admission.enter_moved(b, limits, 0) == Reason::kTooManyFromAddress);
    CHECK(!admission.enter(a, limits, 0));
    CHECK(admission.enter_moved(address("10.0.0.3:1"), limits, 0) == Reason::kTooMany);
    const relay::MovedPlace taken = std::move(place);
    CHECK(taken.is_in(admission));
    CHECK(admission.inside() == 2);
  }
  CHECK(admission.inside() == 1);
}

TEST_CASE("a player who is moved here takes nothing of the rate of its address") {
  Admission admission;
  const Limits limits = limits_of(0, 0, 1, 2);
  const auto a = address("10.0.0.1:1");
  for (int i = 0; i < 3; ++i) CHECK(!admission.enter_moved(a, limits, 0));
  for (int i = 0; i < 2; ++i) CHECK(!admission.enter(a, limits, 0));
  CHECK(admission.enter(a, limits, 0) == Reason::kTooFast);
  CHECK(admission.inside() == 5);
}

TEST_CASE("a newcomer who is refused because the route is full or banned takes no place") {
  Bans bans;
  Admission admission({}, &bans);
  const Limits limits = limits_of(1, 1, 0, 0);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  CHECK(!admission.enter(a, limits, 0));
  for (int i = 0; i < 3; ++i) CHECK(admission.enter(a, limits, 0) == Reason::kTooMany);
  bans.add({*net::Network::parse("10.0.0.2"), Ban::kForGood, "", false});
  CHECK(admission.enter(b, limits, 0) == Reason::kBanned);
  CHECK(admission.inside() == 1);
  CHECK(admission.known() == 1);  // nothing is kept about a banned address
  admission.leave(a);
  CHECK(admission.empty());
  CHECK(!admission.enter(a, limits, 0));
}

TEST_CASE("a load balancer's check needs neither a rate nor a free place of a session, and is no session") {
  std::atomic<bool> draining = false;
  Bans bans;
  Admission admission({}, &bans, &draining);
  const Limits limits = limits_of(1, 1, 1, 1);
  const auto a = address("10.0.0.1:1");
  CHECK(!admission.enter(a, limits, 0));
  bans.add({*net::Network::parse("10.0.0.1"), Ban::kForGood, "", false});
  for (int i = 0; i < 3; ++i) CHECK(!admission.call_for_check(a, limits, 0));
  CHECK(admission.inside() == 1);
  for (int i = 0; i < 3; ++i) admission.stop_calling(a);
  bans.remove(*net::Network::parse("10.0.0.1"));
  admission.leave(a);
  CHECK(!admission.enter(a, limits, 1'000));  // the checks took nothing of the rate
  draining = true;
  CHECK(admission.call_for_check(a, limits, 0) == Reason::kDraining);
}

TEST_CASE("a caller who may not begin a session is still a caller, and may begin one when there is a place") {
  Bans bans;
  Admission admission({}, &bans);
  const Limits limits = limits_of(1, 0, 0, 0);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  CHECK(!admission.enter(a, limits, 0));
  CHECK(!admission.call(b, limits, 0));
  CHECK(admission.begin_session(b, limits) == Reason::kTooMany);
  CHECK(admission.inside() == 1);
  admission.leave(a);
  CHECK_FALSE(admission.empty());  // b still calls
  bans.add({*net::Network::parse("10.0.0.2"), Ban::kForGood, "", false});
  CHECK(admission.begin_session(b, limits) == Reason::kBanned);
  CHECK(admission.request(b, limits, 0) == Reason::kBanned);
  bans.remove(*net::Network::parse("10.0.0.2"));
  CHECK(!admission.begin_session(b, limits));
  CHECK(admission.inside() == 1);
  admission.leave(b);
  CHECK(admission.empty());
}

TEST_CASE("the clients of an address share their rates, which are kept until they have recovered") {
  Admission admission;
  Limits limits = limits_of(0, 0, 0, 0);
  limits.address_messages_per_second = 10;
  limits.server_messages_per_second = 640;
  const auto a = address("10.0.0.1:1");
  CHECK(admission.rates(a, limits, 0) != admission.rates(a, limits, 0));  // nobody is inside
  CHECK(!admission.enter(a, limits, 0));
  const auto rates = admission.rates(a, limits, 0);
  CHECK(admission.rates(address("10.0.0.1:2"), limits, 0) == rates);
  CHECK(admission.rates(address("10.0.0.2:1"), limits, 0) != rates);
  CHECK(rates->charge(0, 20, 0));
  CHECK_FALSE(rates->charge(0, 1, 0));
  CHECK(rates->charge_part(0, 20, 0));
  CHECK_FALSE(rates->charge_part(0, 1, 0));
  admission.leave(a);
  admission.tidy(2'000);
  CHECK(admission.known() == 1);
  CHECK(admission.rates(a, limits, 2'000) == rates);
  admission.tidy(3'000);
  CHECK(admission.known() == 0);
}

TEST_CASE("rates of an address follow changed limits") {
  Admission admission;
  Limits limits = limits_of(0, 0, 0, 0);
  limits.address_messages_per_second = 10;
  const auto a = address("10.0.0.1:1");
  CHECK(!admission.enter(a, limits, 0));
  const auto rates = admission.rates(a, limits, 0);
  limits.address_messages_per_second = 1;
  CHECK(admission.rates(a, limits, 0) == rates);
  CHECK(rates->charge(0, 2, 0));
  CHECK_FALSE(rates->charge(0, 1, 0));
}

TEST_CASE(
    "who has waited since it was let in may stay while the route drains, but not if it is banned or not allowed") {
  std::atomic<bool> draining = true;
  Bans bans;
  Admission admission({}, &bans, &draining);
  const auto a = address("10.0.0.1:1");
  CHECK(!admission.barred(a));
  bans.add({*net::Network::parse("10.0.0.1"), Ban::kForGood, "", false});
  CHECK(admission.barred(a) == Reason::kBanned);
  Access access;
  access.deny.push_back(*net::Network::parse("10.0.0.0/8"));
  admission.set_access({access});
  CHECK(admission.barred(a) == Reason::kNotAllowed);
  CHECK(!admission.barred(address("192.0.2.1:1")));
}

TEST_CASE("a burst passes at once, then the rate, for each address by itself") {
  Admission admission;
  const Limits limits = limits_of(0, 0, 2, 3);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (int i = 0; i < 3; ++i) CHECK(!admission.enter(a, limits, 1000));
  CHECK(admission.enter(a, limits, 1000) == Reason::kTooFast);
  CHECK(!admission.enter(b, limits, 1000));
  CHECK(admission.enter(a, limits, 1499) == Reason::kTooFast);
  CHECK(!admission.enter(a, limits, 1500));
  CHECK(admission.enter(a, limits, 1500) == Reason::kTooFast);
}

TEST_CASE("an address that is gone and has not come lately is forgotten") {
  Admission admission;
  const Limits limits = limits_of(0, 0, 1, 2);
  CHECK(!admission.enter(address("10.0.0.1:1"), limits, 0));
  CHECK(!admission.enter(address("10.0.0.2:1"), limits, 0));
  admission.leave(address("10.0.0.1:1"));
  admission.tidy(500);
  CHECK(admission.known() == 2);
  admission.tidy(1000);
  CHECK(admission.known() == 1);
  CHECK(admission.inside() == 1);
}

TEST_CASE("an address that is gone is forgotten also if there is no limit") {
  Admission admission;
  const Limits limits = limits_of(0, 0, 0, 1024);
  CHECK(!admission.enter(address("10.0.0.1:1"), limits, 0));
  admission.leave(address("10.0.0.1:1"));
  admission.tidy(1000);
  CHECK(admission.known() == 0);
}

TEST_CASE("a check alone is neither counted nor kept") {
  Admission admission;
  const Limits limits = limits_of(2, 1, 1, 1);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (int i = 0; i < 3; ++i) CHECK(!admission.objection(a, limits));
  CHECK(admission.known() == 0);
  CHECK(!admission.enter(a, limits, 0));
  CHECK(admission.objection(a, limits) == Reason::kTooManyFromAddress);
  CHECK(!admission.enter(b, limits, 0));
  CHECK(admission.objection(address("10.0.0.3:1"), limits) == Reason::kTooMany);
}

TEST_CASE("a kept place does not refuse a newcomer, and is given up if the limit is exceeded with it") {
  Admission admission;
  const Limits limits = limits_of(3, 2, 0, 0);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (int i = 0; i < 2; ++i) CHECK(!admission.enter(a, limits, 0));
  admission.keep(a);
  CHECK(admission.inside() == 1);
  CHECK_FALSE(admission.crowded_from(a, limits));
  CHECK(!admission.enter(a, limits, 0));  // it may be the absent one that comes back
  CHECK(admission.crowded_from(a, limits));
  CHECK(admission.enter(a, limits, 0) == Reason::kTooManyFromAddress);
  CHECK_FALSE(admission.crowded(limits));
  CHECK(!admission.enter(b, limits, 0));
  CHECK(admission.crowded(limits));
  CHECK_FALSE(admission.crowded_from(b, limits));
  CHECK(admission.enter(b, limits, 0) == Reason::kTooMany);
  admission.unkeep(a);
  admission.leave(a);
  CHECK_FALSE(admission.crowded(limits));
  CHECK_FALSE(admission.crowded_from(a, limits));
  admission.keep(b);
  admission.leave(a);
  admission.leave(a);
  admission.tidy(1000);
  CHECK(admission.known() == 1);  // a kept place is not forgotten
  admission.unkeep(b);
  admission.leave(b);
  admission.tidy(1000);
  CHECK(admission.known() == 0);
}

TEST_CASE("callers have places of their own, at least some, and become sessions within the limits of sessions") {
  Admission admission;
  const Limits limits = limits_of(2, 1, 0, 0);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (std::uint32_t i = 0; i < Admission::kCallersOfAddress; ++i) REQUIRE(!admission.call(a, limits, 0));
  CHECK(admission.call(a, limits, 0) == Reason::kTooManyFromAddress);
  CHECK(!admission.call(b, limits, 0));
  CHECK(admission.inside() == 0);
  CHECK(!admission.begin_session(a, limits));
  CHECK(admission.begin_session(a, limits) == Reason::kTooManyFromAddress);
  CHECK(!admission.begin_session(b, limits));
  CHECK(admission.inside() == 2);
  CHECK(!admission.call(a, limits, 0));
  for (std::uint32_t i = 0; i < Admission::kCallersOfAddress; ++i) admission.stop_calling(a);
  CHECK_FALSE(admission.empty());
  admission.leave(a);
  admission.leave(b);
  CHECK(admission.empty());
  for (std::uint32_t i = 0; i < Admission::kCallers; ++i)
    REQUIRE(!admission.call(*net::Address::parse("10.1." + std::to_string(i / 200) + "." + std::to_string(i % 200), 1),
                            limits, 0));
  CHECK(admission.call(b, limits, 0) == Reason::kTooMany);
}

TEST_CASE("further requests of a caller have a rate for each address, which tight limits of sessions do not narrow") {
  Admission admission;
  const Limits limits = limits_of(0, 0, 1, 2);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  CHECK(!admission.call(a, limits, 0));
  CHECK(!admission.call(b, limits, 0));
  for (std::uint32_t i = 0; i < Admission::kRequestsAtOnce; ++i) REQUIRE(!admission.request(a, limits, 0));
  CHECK(admission.request(a, limits, 0) == Reason::kTooFast);
  CHECK(!admission.request(b, limits, 0));
  std::uint32_t more = 0;
  while (!admission.request(a, limits, 1'000)) ++more;
  CHECK(more == Admission::kRequestsPerSecond);
  admission.stop_calling(a);
  admission.stop_calling(b);
  admission.tidy(1'000);
  CHECK(admission.known() == 1);  // a has asked for much lately
  admission.tidy(60'000);
  CHECK(admission.known() == 0);
}

TEST_CASE("changed limits hold for known addresses, too") {
  Admission admission;
  const auto a = address("10.0.0.1:1");
  for (int i = 0; i < 3; ++i) CHECK(!admission.enter(a, limits_of(0, 0, 0, 1024), 0));
  const Limits tight = limits_of(0, 0, 1, 2);
  for (int i = 0; i < 2; ++i) CHECK(!admission.enter(a, tight, 0));
  CHECK(admission.enter(a, tight, 0) == Reason::kTooFast);
  CHECK(admission.enter(a, limits_of(0, 0, 1000, 2), 0) == Reason::kTooFast);
  CHECK(!admission.enter(a, limits_of(0, 0, 1000, 2), 1));
}

TEST_CASE("a limit of 0 is none, for kept places as well") {
  Admission admission;
  const Limits none = limits_of(0, 0, 0, 0);
  const auto a = address("10.0.0.1:1");
  for (int i = 0; i < 3; ++i) CHECK(!admission.enter(a, none, 0));
  admission.keep(a);
  CHECK_FALSE(admission.crowded(none));
  CHECK_FALSE(admission.crowded_from(a, none));
  const Limits tight = limits_of(2, 2, 0, 0);
  CHECK(admission.crowded(tight));
  CHECK(admission.crowded_from(a, tight));
  const Limits exact = limits_of(3, 3, 0, 0);
  CHECK_FALSE(admission.crowded(exact));
  CHECK_FALSE(admission.crowded_from(a, exact));
}

TEST_CASE("who is inside is never asked to give up a place, even if a reload has lowered the limit") {
  Admission admission;
  const auto a = address("10.0.0.1:1");
  for (int i = 0; i < 3; ++i) CHECK(!admission.enter(a, limits_of(0, 0, 0, 0), 0));
  const Limits lower = limits_of(1, 1, 0, 0);
  CHECK_FALSE(admission.crowded(lower));
  CHECK_FALSE(admission.crowded_from(a, lower));
}

TEST_CASE("a listener with a kept place, a caller or a client is not empty") {
  Admission admission;
  const Limits limits = limits_of(0, 0, 0, 0);
  const auto a = address("10.0.0.1:1");
  CHECK(admission.empty());
  CHECK(!admission.enter(a, limits, 0));
  CHECK_FALSE(admission.empty());
  admission.keep(a);
  CHECK(admission.inside() == 0);
  CHECK_FALSE(admission.empty());
  admission.unkeep(a);
  admission.leave(a);
  CHECK(admission.empty());
  CHECK(!admission.call(a, limits, 0));
  CHECK_FALSE(admission.empty());
  admission.stop_calling(a);
  CHECK(admission.empty());
}

TEST_CASE("who comes from a new address is too fast once too many addresses are known; those of a known one come in") {
  constexpr std::uint32_t kMostKnown = 100'000;
  Admission admission;
  const Limits limits = limits_of(0, 0, 0, 0);
  const auto at = [](std::uint32_t i) {
    const sockaddr_in one{AF_INET, htons(1), {htonl(0x0A000000U + i)}, {}};
    return net::Address::from(reinterpret_cast<const sockaddr*>(&one));
  };
  for (std::uint32_t i = 0; i < kMostKnown; ++i) REQUIRE(!admission.enter(at(i), limits, 0));
  CHECK(admission.enter(at(kMostKnown), limits, 0) == Reason::kTooFast);
  CHECK(admission.call_for_check(at(kMostKnown), limits, 0) == Reason::kTooFast);
  CHECK(admission.known() == kMostKnown);
  CHECK(!admission.enter(at(7), limits, 0));
  admission.leave(at(9));
  admission.tidy(1'000);
  CHECK(!admission.enter(at(kMostKnown), limits, 1'000));
}

TEST_CASE("a high rate of connections holds for further requests of callers, too, and without a limit there is none") {
  constexpr std::uint32_t kMany = 5'000;
  const auto a = address("10.0.0.1:1");
  const auto passes = [&a](Admission& admission, const Limits& limits, Millis now) {
    std::uint32_t passed = 0;
    while (passed < 4 * kMany && !admission.request(a, limits, now)) ++passed;
    return passed;
  };
  Admission admission;
  CHECK(!admission.call(a, limits_of(0, 0, kMany, kMany), 0));
  CHECK(passes(admission, limits_of(0, 0, kMany, kMany), 0) == kMany);
  CHECK(passes(admission, limits_of(0, 0, kMany, kMany), 500) == kMany / 2);
  CHECK(passes(admission, limits_of(0, 0, 1, 1), 60'000) == Admission::kRequestsAtOnce);  // a reload
  CHECK(passes(admission, limits_of(0, 0, kMany, kMany), 60'500) == kMany / 100);  // what came back at the lower rate
  CHECK(passes(admission, limits_of(0, 0, kMany, kMany), 61'000) == kMany / 2);
  CHECK(passes(admission, limits_of(0, 0, 0, 0), 61'000) == 4 * kMany);
  Admission unlimited;
  CHECK(!unlimited.call(a, limits_of(0, 0, 0, 0), 0));
  CHECK(passes(unlimited, limits_of(0, 0, 0, 0), 0) == 4 * kMany);
}

TEST_CASE("callers count for the limits of callers, and sessions for those of sessions") {
  Admission admission;
  const auto a = address("10.0.0.1:1");
  for (std::uint32_t i = 0; i < Admission::kCallers; ++i) REQUIRE(!admission.enter(a, limits_of(0, 0, 0, 0), 0));
  const Limits limits = limits_of(1, 1, 0, 0);
  CHECK(!admission.call(a, limits, 0));
  admission.stop_calling(a);
  const Limits unlimited = limits_of(0, 0, 0, 0);
  for (std::uint32_t i = 0; i <= Admission::kCallers; ++i) REQUIRE(!admission.call(a, unlimited, 0));
}

TEST_CASE("the bytes of an address and its part of a server's bytes have limits, too") {
  Admission admission;
  Limits limits = limits_of(0, 0, 0, 0);
  limits.address_bytes_per_second = 10;
  limits.server_bytes_per_second = 640;
  const auto a = address("10.0.0.1:1");
  CHECK(!admission.enter(a, limits, 0));
  const auto rates = admission.rates(a, limits, 0);
  CHECK(rates->charge(20, 1'000, 0));
  CHECK_FALSE(rates->charge(1, 0, 0));
  CHECK(rates->charge_part(20, 1'000, 0));
  CHECK_FALSE(rates->charge_part(1, 0, 0));
}

TEST_CASE("a ban of a server or a listener keeps out those who would come there, and no others") {
  Bans bans;
  bans.add({*net::Network::parse("10.0.0.1"), Ban::kForGood, "", false, "192.0.2.1:1"});
  bans.add({*net::Network::parse("10.0.0.2"), Ban::kForGood, "", false, "192.0.2.9:9"});
  Admission admission({}, &bans);
  const Limits limits = limits_of(0, 0, 0, 0);
  for (const char* who : {"10.0.0.1:1", "10.0.0.2:1"}) CHECK(!admission.enter(address(who), limits, 0));
  admission.set_ban_scope({{"192.0.2.1:1"}, "192.0.2.9:9"});
  for (const char* who : {"10.0.0.1:1", "10.0.0.2:1"})
    CHECK(admission.enter(address(who), limits, 0) == Reason::kBanned);
  CHECK(!admission.enter(address("10.0.0.3:1"), limits, 0));
}

TEST_CASE("each part of a listener counts its own sessions and kept places, and has its own rates") {
  Bans bans;
  Admission admission({}, &bans);
  const Limits limits = limits_of(2, 1, 1, 2), any = limits_of(0, 0, 0, 0);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  for (int i = 0; i < 6; ++i) REQUIRE(!admission.call(a, any, 0));
  REQUIRE(!admission.call(b, any, 0));
  CHECK(!admission.begin_session_at(a, any, 1, {}, 0));
  CHECK(!admission.begin_session_at(a, limits, 2, {}, 0));
  CHECK(admission.begin_session_at(a, limits, 2, {}, 0) == Reason::kTooManyFromAddress);
  CHECK(admission.begin_session_at(a, limits, 2, {}, 0) == Reason::kTooFast);
  CHECK(!admission.begin_session_at(a, any, 1, {}, 0));
  CHECK(!admission.begin_session_at(b, limits, 2, {}, 0));
  CHECK(admission.enter_moved(address("10.0.0.3:1"), limits, 0, 2) == Reason::kTooMany);
  CHECK(!admission.enter_moved(address("10.0.0.3:1"), any, 0, 1));
  CHECK(admission.inside() == 5);
  const auto rates = admission.rates(a, any, 0, 1);
  CHECK(admission.rates(a, any, 0, 1) == rates);
  CHECK(admission.rates(a, any, 0, 2) != rates);
  admission.keep(a, 2);
  CHECK_FALSE(admission.crowded(limits, 1));
  CHECK_FALSE(admission.crowded_from(a, limits, 1));
  CHECK_FALSE(admission.crowded_from(a, limits, 2));
  CHECK(!admission.begin_session_at(a, limits, 2, {}, 1'000));
  CHECK(admission.crowded_from(a, limits, 2));
  CHECK(admission.crowded(limits, 2));
  bans.add({*net::Network::parse("10.0.0.1"), Ban::kForGood, "", false, "192.0.2.1:1"});
  const BanScope scope{{"192.0.2.1:1"}, ""};
  CHECK(admission.begin_session_at(a, any, 1, scope, 1'000) == Reason::kBanned);
  CHECK(admission.barred(a, scope) == Reason::kBanned);
  CHECK(!admission.barred(a));
  admission.unkeep(a, 2);
  for (int i = 0; i < 2; ++i) admission.leave(a, 1);
  for (int i = 0; i < 2; ++i) admission.leave(a, 2);
  admission.leave(b, 2);
  admission.leave(address("10.0.0.3:1"), 1);
  for (int i = 0; i < 2; ++i) admission.stop_calling(a);
  CHECK(admission.empty());
  admission.tidy(1'000);
  CHECK(admission.known() == 1);  // that of part 2 is above its rate
  admission.tidy(9'000);
  CHECK(admission.known() == 0);
}

TEST_CASE("a player who is moved to another part of a listener has its place there") {
  Admission admission;
  const auto a = address("10.0.0.1:1");
  REQUIRE(!admission.enter_moved(a, limits_of(0, 0, 0, 0), 0, 3));
  const MovedPlace place(admission, a, 3);
  CHECK(place.is_in(admission, 3));
  CHECK_FALSE(place.is_in(admission));
}

TEST_CASE("a player who is moved from one listener to another gives back the place at the first, in its own name") {
  Admission first, second;
  const Limits limits = limits_of(0, 0, 0, 0);
  const auto a = address("10.0.0.1:1"), b = address("10.0.0.2:1");
  CHECK(!first.enter_moved(a, limits, 0));
  CHECK(!second.enter_moved(b, limits, 0));
  MovedPlace place(first, a);
  place = MovedPlace(second, b);
  CHECK(first.empty());
  CHECK(second.inside() == 1);
  CHECK(place.is_in(second));
  CHECK_FALSE(place.is_in(first));
  place = {};
  CHECK(second.empty());
}

}  // namespace
}  // namespace entente::relay::admission_test
