// Players that lost their connection: who may resume, until when, and who gives up a place.
#include "proxy/relay/admission/absences.h"

#include <doctest/doctest.h>

#include <string>

namespace entente::relay::absences_test {
namespace {

using Places = Absences<std::string>;
using Who = Places::Who;

net::Address at(const char* ip, std::uint16_t port = 1) { return *net::Address::parse(ip, port); }
bool any(const net::Address&) { return true; }

TEST_CASE("absences: a place is claimed once, from any port, but by no other address, listener or number") {
  Places places;
  places.add({1, at("192.0.2.1", 40'000), 7}, "anna", 0, 100);
  CHECK_FALSE(places.claim({2, at("192.0.2.1"), 7}, 50).has_value());
  CHECK_FALSE(places.claim({1, at("192.0.2.2"), 7}, 50).has_value());
  CHECK_FALSE(places.claim({1, at("192.0.2.1"), 8}, 50).has_value());
  CHECK(places.claim({1, at("192.0.2.1", 50'000), 7}, 50) == "anna");
  CHECK_FALSE(places.claim({1, at("192.0.2.1"), 7}, 50).has_value());
}

TEST_CASE("absences: of several places of one player, the newest is claimed first") {
  Places places;
  const Who who{1, at("192.0.2.1"), 7};
  for (const char* place : {"first", "second"}) places.add(who, place, 0, 100);
  CHECK(places.claim(who, 1) == "second");
  CHECK(places.claim(who, 1) == "first");
}

TEST_CASE("absences: a place is kept until its time, and then neither claimed, counted nor given up") {
  const Who who{1, at("192.0.2.1"), 7};
  for (const Millis now : {100U, 101U}) {
    const bool kept = now == 100;
    Places places;
    places.add(who, "anna", 0, 100);
    CHECK(places.count(1, now, any) == (kept ? 1 : 0));
    CHECK(places.claim(who, now).has_value() == kept);
    places.add(who, "anna", 0, 100);
    CHECK(places.give_up(1, now, any).has_value() == kept);
  }
}

TEST_CASE("absences: the oldest place of a listener is given up, and with a condition, the oldest that fulfils it") {
  Places places;
  places.add({2, at("192.0.2.1"), 1}, "elsewhere", 0, 100);
  places.add({1, at("192.0.2.1"), 2}, "first", 0, 100);
  places.add({1, at("192.0.2.2"), 3}, "second", 0, 100);
  places.add({1, at("192.0.2.2"), 4}, "third", 0, 100);
  const auto from_there = [](const net::Address& from) { return from.same_ip(at("192.0.2.2")); };
  CHECK(places.count(1, 1, any) == 3);
  CHECK(places.count(1, 1, from_there) == 2);
  CHECK(places.give_up(1, 1, from_there) == "second");
  CHECK(places.give_up(1, 1, any) == "first");
  CHECK(places.give_up(1, 1, any) == "third");
  CHECK_FALSE(places.give_up(1, 1, any).has_value());
  CHECK(places.count(2, 1, any) == 1);
}

TEST_CASE("absences: when a place is added, those whose time is over are forgotten, and no others") {
  Places places;
  const Who anna{1, at("192.0.2.1"), 7}, ben{1, at("192.0.2.1"), 8}, carl{1, at("192.0.2.1"), 9};
  places.add(anna, "anna", 0, 99);
  places.add(ben, "ben", 0, 100);
  places.add(carl, "carl", 100, 200);
  CHECK(places.count(1, 50, any) == 2);  // at a time when all of them would count
  CHECK(places.claim(ben, 100) == "ben");
}

TEST_CASE("absences: a place that is forgotten is gone; the others stay") {
  Places places;
  const Who anna{1, at("192.0.2.1"), 7}, ben{1, at("192.0.2.1"), 8};
  places.add(anna, "anna", 0, 100);
  places.add(ben, "ben", 0, 100);
  places.forget([](const std::string& place) { return place == "anna"; });
  CHECK_FALSE(places.claim(anna, 1).has_value());
  CHECK(places.claim(ben, 1) == "ben");
}

}  // namespace
}  // namespace entente::relay::absences_test
