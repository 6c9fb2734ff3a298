// What a node knows of the fleet's bans, and what it has not sent yet.
#include "proxy/program/fleet/fleet_bans.h"

#include <doctest/doctest.h>

#include "tests/fleet/station.h"
#include "tests/support/nats_server.h"

namespace entente::fleet_bans_test {
namespace {

struct Learner final : FleetBans::User {
  void learn(const std::vector<relay::Ban>& bans, const std::vector<net::Network>& no_more, bool are_old) override {
    learned += bans.size();
    old += are_old ? bans.size() : 0;
    lifted += no_more.size();
  }
  void learn_listed(const std::vector<relay::ListedNetwork>&, const std::vector<net::Network>&) override {}
  std::size_t learned = 0, lifted = 0, old = 0;
};

TEST_CASE("a ban that is not sent yet stays when another node removes the entry of an older one") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user;
  const fleet::Subjects names("entente");
  FleetBans bans(*station.line, station.loop, user, names, "a", 1, {});
  const net::Network first = *net::Network::parse("192.0.2.1"), second = *net::Network::parse("192.0.2.2");
  const relay::Ban ban{first, relay::Ban::kForGood, "", false};
  bans.changed(first, &ban);
  CHECK(bans.waiting() == 1);
  REQUIRE(station.until([&] { return bans.waiting() == 0; }));

  bool removed = false;
  station.line->remove(names.bans(), "net.192.0.2.1", [&](const fleet::BucketResult& its) { removed = its.done(); });
  bans.changed(second, &ban);  // is being sent
  const relay::Ban again{first, relay::Ban::kForGood, "again", false};
  bans.changed(first, &again);
  REQUIRE(station.until([&] { return removed && bans.waiting() == 0; }));
  const auto known = bans.all();
  CHECK(std::any_of(known.begin(), known.end(), [](const bus::SharedBan& one) { return one.why() == "again"; }));

  Learner other;
  FleetBans others(*station.line, station.loop, other, names, "b", 1, {});
  CHECK(station.until([&] { return other.learned == 2; }));
}

TEST_CASE("bans of the fleet from before a node began are old to it, and later ones are not") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user, other;
  const fleet::Subjects names("entente");
  FleetBans bans(*station.line, station.loop, user, names, "a", 1, {});
  const net::Network first = *net::Network::parse("192.0.2.1"), second = *net::Network::parse("192.0.2.2");
  const relay::Ban ban{first, relay::Ban::kForGood, "", false};
  bans.changed(first, &ban);
  REQUIRE(station.until([&] { return bans.waiting() == 0; }));

  const FleetBans begins(*station.line, station.loop, other, names, "b", 1, {{{ban}, {}}, {}});  // has it in its file
  REQUIRE(station.until([&] { return other.learned == 1; }));
  CHECK(other.old == 1);
  bans.changed(second, &ban);
  REQUIRE(station.until([&] { return other.learned == 2; }));
  CHECK(other.old == 1);
  CHECK(user.learned == 0);
}

TEST_CASE("a ban that was shortened while its node was cut off, and is over, is lifted everywhere") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user, other;
  const fleet::Subjects names("entente");
  FleetBans bans(*station.line, station.loop, user, names, "a", 1, {});
  const net::Network who = *net::Network::parse("192.0.2.1");
  const relay::Ban ban{who, relay::Ban::kForGood, "", false};
  bans.changed(who, &ban);
  REQUIRE(station.until([&] { return bans.waiting() == 0; }));

  bus::SharedBan shorter = bans.all().front();
  shorter.set_changed(shorter.changed() + 1);
  shorter.set_until(1);
  const FleetBans others(*station.line, station.loop, other, names, "b", 1, {{}, {shorter}});
  CHECK(station.until([&] { return user.lifted == 1; }));
}

}  // namespace
}  // namespace entente::fleet_bans_test
