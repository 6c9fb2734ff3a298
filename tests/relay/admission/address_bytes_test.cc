// What waits for the clients of an address: who has to go, and what is forgotten.
#include "proxy/relay/admission/address_bytes.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "proxy/base/limits.h"

namespace entente::relay::address_bytes_test {
namespace {

constexpr std::size_t kMega = 1024 * 1024;

net::Address at(const std::string& ip) { return *net::Address::parse(ip, 1); }

TEST_CASE("of an address for which too much waits, those go for whom the most waits") {
  AddressBytes all;
  AddressBytes::Share quick(&all, at("192.0.2.1")), slow(&all, at("192.0.2.1")), slower(&all, at("192.0.2.1"));
  AddressBytes::Share other(&all, at("192.0.2.2"));
  CHECK(quick.set(kMega / 8, 4 * kMega));
  CHECK(slow.set(kMega, 4 * kMega));
  CHECK(other.set(4 * kMega, 4 * kMega));
  CHECK_FALSE(slower.set(3 * kMega, 4 * kMega));
  CHECK(all.of(at("192.0.2.1")) == kMega / 8 + 4 * kMega);
  CHECK(quick.set(kMega / 8, 4 * kMega));
  CHECK(slow.set(kMega, 4 * kMega));
  CHECK(slower.set(0, 4 * kMega));
  CHECK(slow.set(kMega, 4 * kMega));
  CHECK(slow.set(100 * kMega, 0));  // no limit
}

TEST_CASE("an IPv6 /64 is one address, and so are the two forms of an IPv4 address") {
  AddressBytes all;
  AddressBytes::Share a(&all, at("2001:db8::1")), b(&all, at("2001:db8::2")), c(&all, at("2001:db8:0:1::1"));
  CHECK(a.set(kMega, kMega));
  CHECK_FALSE(b.set(kMega, kMega));
  CHECK(c.set(kMega, kMega));
  AddressBytes::Share d(&all, at("192.0.2.1")), e(&all, at("::ffff:192.0.2.1")), f(&all, at("::ffff:192.0.2.2"));
  CHECK(d.set(kMega, kMega));
  CHECK_FALSE(e.set(kMega, kMega));
  CHECK(f.set(kMega, kMega));
}

TEST_CASE("with the default, 64 players or viewers of one address may each have two maps waiting") {
  AddressBytes all;
  std::vector<std::unique_ptr<AddressBytes::Share>> crowd;
  for (int i = 0; i < 64; ++i) {
    crowd.push_back(std::make_unique<AddressBytes::Share>(&all, at("192.0.2.1")));
    CHECK(crowd.back()->set(2 * kMega, Limits{}.address_waiting_bytes));
  }
}

TEST_CASE("an address is kept only while much waits for it") {
  AddressBytes all;
  for (int i = 0; i < 10'000; ++i) {
    AddressBytes::Share one(&all, at("10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250)));
    CHECK(one.set(AddressBytes::kStep - 1, kMega));
    CHECK(all.known() == 0);
    CHECK(one.set(kMega, kMega));
    CHECK(all.known() == 1);
  }
  CHECK(all.known() == 0);
}

TEST_CASE("what waits for an address may be as much as allowed; above that, who has the average or more goes") {
  constexpr std::size_t kStep = AddressBytes::kStep;
  AddressBytes all;
  AddressBytes::Share one(&all, at("192.0.2.1")), other(&all, at("192.0.2.1"));
  CHECK(one.set(2 * kStep, 4 * kStep));
  CHECK(other.set(2 * kStep, 4 * kStep));
  CHECK_FALSE(other.set(3 * kStep, 4 * kStep));
  CHECK_FALSE(one.set(3 * kStep, 4 * kStep));  // both have the average
  CHECK(other.set(kStep, 4 * kStep));
}

TEST_CASE("a client that has read all, or is gone, counts no longer for its address") {
  constexpr std::size_t kStep = AddressBytes::kStep;
  AddressBytes all;
  AddressBytes::Share stays(&all, at("::ffff:192.0.2.1"));
  {
    AddressBytes::Share leaves(&all, at("192.0.2.1")), reads(&all, at("192.0.2.1"));
    CHECK(leaves.set(3 * kStep, 0));
    CHECK(reads.set(5 * kStep, 0));
    CHECK(stays.set(2 * kStep, 0));
    CHECK(all.of(at("192.0.2.1")) == 10 * kStep);
    CHECK(reads.set(kStep - 1, 0));
    CHECK(all.of(at("::ffff:192.0.2.1")) == 5 * kStep);
  }
  CHECK(all.of(at("192.0.2.1")) == 2 * kStep);
  CHECK(stays.set(0, 0));
  CHECK(all.of(at("192.0.2.1")) == 0);
  CHECK(all.known() == 0);
  AddressBytes::Share uncounted(nullptr, at("192.0.2.1"));
  CHECK(uncounted.set(1'000 * kStep, kStep));
}

}  // namespace
}  // namespace entente::relay::address_bytes_test
