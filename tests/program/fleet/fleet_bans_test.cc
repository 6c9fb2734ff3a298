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
  void learn_listed(const std::vector<relay::ListedNetwork>& networks, const std::vector<net::Network>&) override {
    listed += networks.size();
  }
  std::size_t learned = 0, lifted = 0, old = 0, listed = 0;
};

/// Deletes the bucket of bans with its entries, as if NATS had lost it.
void lose_bucket(fleet::testing::Station& station) {
  std::optional<bool> done;
  station.line->ask("$JS.API.STREAM.DELETE.KV_entente-bans", {}, 10'000, 1,
                    [&](const auto& answers) { done = !answers.empty(); });
  REQUIRE(station.until([&] { return done.has_value(); }));
  REQUIRE(*done);
}

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

TEST_CASE("NATS loses the bucket of bans while nodes are connected: old and new bans are shared again") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user, other, later;
  const fleet::Subjects names("entente");
  FleetBans bans(*station.line, station.loop, user, names, "a", 1, {});
  FleetBans others(*station.line, station.loop, other, names, "b", 1, {});
  const net::Network first = *net::Network::parse("192.0.2.1"), second = *net::Network::parse("192.0.2.2"),
                     third = *net::Network::parse("192.0.2.3");
  const relay::Ban ban{first, relay::Ban::kForGood, "", false};
  const relay::ListedNetwork denied{second, relay::ListedNetwork::List::kDeny, ""};
  bans.changed(first, &ban);
  bans.changed(second, &denied);
  REQUIRE(station.until([&] { return bans.waiting() == 0 && other.learned == 1 && other.listed == 1; }));

  lose_bucket(station);
  std::size_t added = 0;
  SUBCASE("a node bans again") {
    bans.changed(third, &ban);
    added = 1;
  }
  SUBCASE("no node sends anything") {}
  // The entries are there once a node has noticed; whoever begins then has them.
  std::optional<bool> there;
  bool asks = false;
  REQUIRE(station.until([&] {
    if (std::exchange(asks, true)) return there.value_or(false);
    station.line->get(names.bans(), "net.192.0.2.1", [&](const fleet::BucketResult& its) {
      there = its.done();
      asks = its.done();
    });
    return false;
  }));
  REQUIRE(station.until([&] { return other.learned == 1 + added && bans.waiting() == 0; }));
  const FleetBans begins(*station.line, station.loop, later, names, "c", 1, {});
  CHECK(station.until([&] { return later.learned == 1 + added && later.listed == 1; }));
  CHECK(other.learned == 1 + added);
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
