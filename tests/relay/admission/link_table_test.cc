// Which session a datagram belongs to: by exact address first, then by the first link request of the same IP that names
// the player.
#include "proxy/relay/ends/link_table.h"

#include <doctest/doctest.h>

#include "tests/support/toy_game.h"

namespace entente::relay::link_table_test {
namespace {

net::Address at(std::uint16_t port, const char* ip = "10.0.0.1") { return *net::Address::parse(ip, port); }
Buffer request(std::uint8_t player) { return {1, 8, player}; }
const Buffer kOther{0, 1};

LinkId found(LinkTable& table, const net::Address& from, const Buffer& datagram) {
  const auto seat = table.find(from, datagram);
  return seat ? seat->link : 0;
}

TEST_CASE("a session's own address needs no request") {
  LinkTable table(toy::game());
  table.enter(at(1), {}, {1, 0});
  table.enter(at(2), {}, {2, 3});
  CHECK(found(table, at(2), kOther) == 2);
  CHECK(table.find(at(2), kOther)->worker == 3);
  CHECK(found(table, at(3), kOther) == 0);
  CHECK(found(table, at(1, "10.0.0.2"), kOther) == 0);
}

TEST_CASE("behind a NAT: only by request, from its IP, once; a datagram from the session's own address ends it") {
  LinkTable table(toy::game());
  table.enter(at(1), {}, {1, 0});
  table.greeted(1, 7);
  CHECK(found(table, at(9), request(8)) == 0);
  CHECK(found(table, at(9, "10.0.0.2"), request(7)) == 0);
  CHECK(found(table, at(9), request(7)) == 1);
  CHECK(found(table, at(9), kOther) == 1);
  CHECK(found(table, at(10), request(7)) == 0);
  CHECK(found(table, at(1), kOther) == 1);
  CHECK(found(table, at(9), kOther) == 0);
  CHECK(found(table, at(9), request(7)) == 0);  // it has shown that its ports are not changed
}

TEST_CASE("sessions with the same player id: the request's address decides, and if it cannot, none is linked") {
  LinkTable table(toy::game());
  table.enter(at(1), {}, {1, 0});
  table.enter(at(1, "10.0.0.2"), {}, {2, 0});
  table.greeted(1, 7);
  table.greeted(2, 7);
  CHECK(found(table, at(9), request(7)) == 1);
  CHECK(found(table, at(9, "10.0.0.2"), request(7)) == 2);
  table.enter(at(3), {}, {3, 0});
  table.enter(at(4), {}, {4, 0});
  table.enter(at(5), {}, {5, 0});
  for (const LinkId link : {3U, 4U, 5U}) table.greeted(link, 7);
  CHECK(found(table, at(10), request(7)) == 0);
  table.greeted(5, 8);
  CHECK(found(table, at(4), kOther) == 4);
  CHECK(found(table, at(10), request(7)) == 3);
  CHECK(found(table, at(11), request(7)) == 0);
  CHECK(found(table, at(11), request(8)) == 5);
}

TEST_CASE(
    "who has sent from its own port before its greeting, or is linked when it is greeted anew, gets no second link") {
  LinkTable table(toy::game());
  table.enter(at(1), {}, {1, 0});
  CHECK(found(table, at(1), kOther) == 1);
  table.greeted(1, 7);
  CHECK(found(table, at(9), request(7)) == 0);
  table.enter(at(2), {}, {2, 0});
  table.greeted(2, 7);
  CHECK(found(table, at(9), request(7)) == 2);
  table.greeted(2, 8);
  CHECK(found(table, at(10), request(8)) == 0);
  CHECK(found(table, at(9), kOther) == 2);
}

TEST_CASE("a request for a session that has ended, and was not linked, is for nobody") {
  LinkTable table(toy::game());
  table.enter(at(1), {}, {1, 0});
  table.greeted(1, 7);
  table.leave(1);
  CHECK(found(table, at(9), request(7)) == 0);
  table.enter(at(2), {}, {2, 0});
  table.greeted(2, 7);
  CHECK(found(table, at(9), request(7)) == 2);
}

TEST_CASE("a session that ends removes only its own entries") {
  LinkTable table(toy::game());
  table.enter(at(1), {}, {1, 0});
  table.greeted(1, 7);
  CHECK(found(table, at(9), request(7)) == 1);
  // The address and the player id are used again before the end of the first session is reported.
  table.enter(at(1), {}, {2, 0});
  table.greeted(2, 7);
  table.leave(1);
  CHECK(found(table, at(9), kOther) == 0);
  CHECK(found(table, at(9), request(7)) == 2);
  CHECK(found(table, at(1), kOther) == 2);
  table.leave(2);
  table.leave(2);
  table.greeted(2, 7);  // late news of a session that has ended
  CHECK(found(table, at(9), request(7)) == 0);
  CHECK(table.size() == 0);
}

}  // namespace
}  // namespace entente::relay::link_table_test
