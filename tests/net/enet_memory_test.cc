// What ENet may keep for a peer.
#include "proxy/net/enet/enet_memory.h"

#include <doctest/doctest.h>
#include <enet/enet.h>

namespace entente::net::enet_memory_test {
namespace {

TEST_CASE("enet memory: the reserve is for what others wait for, all of the rest for anything, and no more") {
  constexpr EnetUrgency kWaitedFor = [] { return true; }, kOther = [] { return false; };
  const EnetAllowanceRef its(EnetAllowance::make(100, 20));
  EnetAllowance& allowance = *its.get();
  CHECK_FALSE(allowance.take(81, kOther));
  CHECK(allowance.used() == 0);  // what is refused does not count
  CHECK(allowance.take(80, kOther));
  CHECK_FALSE(allowance.take(1, kOther));
  CHECK_FALSE(allowance.take(21, kWaitedFor));
  CHECK(allowance.take(20, kWaitedFor));
  CHECK_FALSE(allowance.take(1, kWaitedFor));
  CHECK(allowance.used() == 100);
  allowance.give_back(30);
  CHECK(allowance.used() == 70);
  CHECK(allowance.take(10, kOther));
  CHECK_FALSE(allowance.take(1, kOther));
}

TEST_CASE("enet memory: what all of ENet uses is counted until it is free") {
  EnetMemoryUse use;
  watch_enet_memory(&use);
  ENetPacket* const packet = enet_packet_create(nullptr, 10'000, 0);
  CHECK(use.now > 10'000);
  enet_packet_destroy(packet);
  watch_enet_memory(nullptr);
  CHECK(use.now == 0);
  CHECK(use.most > 10'000);
}

}  // namespace
}  // namespace entente::net::enet_memory_test
