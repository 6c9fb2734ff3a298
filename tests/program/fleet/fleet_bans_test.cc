// What a node knows of the fleet's bans, and what it has not sent yet.
#include "proxy/program/fleet/fleet_bans.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/steady_wall.h"
#include "proxy/program/control/arguments.h"
#include "tests/fleet/station.h"
#include "tests/program/fleet/logged.h"
#include "tests/program/folder.h"
#include "tests/support/nats_server.h"

namespace entente::fleet_bans_test {
namespace {

struct Learner final : FleetBans::User {
  void learn(const std::vector<relay::Ban>& bans, const std::vector<net::Network>& no_more, bool are_old) override {
    ++calls;
    learned += bans.size();
    last = bans.empty() ? last : bans.back();
    for (const relay::Ban& ban : bans) {
      whys.push_back(ban.why);
      ends.push_back(ban.until);
    }
    old += are_old ? bans.size() : 0;
    lifted += no_more.size();
  }
  void learn_listed(const std::vector<relay::ListedNetwork>& networks, const std::vector<net::Network>&) override {
    listed += networks.size();
  }
  std::size_t calls = 0, learned = 0, lifted = 0, old = 0, listed = 0;
  relay::Ban last{};
  std::vector<std::string> whys;
  std::vector<std::time_t> ends;
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

TEST_CASE("a ban or a network of a file with any reason is shared with one that others accept") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user, other;
  const fleet::Subjects names("entente");
  const auto at = [](int last) { return *net::Network::parse("192.0.2." + std::to_string(last)); };
  constexpr std::time_t kForGood = relay::Ban::kForGood;
  const BanFile file = {{{at(1), kForGood, std::string(399, 'x') + "\xc3\xa9", false},
                         {at(2), kForGood, "a\tb\r", false},
                         {at(3), kForGood, "caf\xe9", false}},
                        {{at(4), relay::ListedNetwork::List::kDeny, "a\tb\xe9" + std::string(500, 'x')}}};
  FleetBans others(*station.line, station.loop, other, names, "b", 1, {});
  FleetBans bans(*station.line, station.loop, user, names, "a", 1, {file, {}});
  REQUIRE(station.until([&] { return bans.waiting() == 0 && other.learned == 3 && other.listed == 1; }));
  CHECK(other.whys == std::vector<std::string>{std::string(399, 'x'), "ab", "caf\xef\xbf\xbd"});
  CHECK(others.refused() == 0);
}

TEST_CASE(
    "if the files of nodes differ about a network, the longer ban or the denial counts on all, whoever was first") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner mild, strict;
  const fleet::Subjects names("entente");
  using enum relay::ListedNetwork::List;
  const auto at = [](int last) { return *net::Network::parse("192.0.2." + std::to_string(last)); };
  const std::time_t soon = std::time(nullptr) + 86'400;
  const relay::Ban same{at(3), soon, "same", false}, ages{at(5), std::time_t{1} << 40, "", false};
  const BanFile weak = {{{at(1), soon, "", false}, same, {at(4), soon, "a", false}, ages}, {{at(2), kAllow, ""}}};
  const BanFile strong = {{{at(1), relay::Ban::kForGood, "", false}, same, {at(4), soon, "b", false}, ages},
                          {{at(2), kDeny, ""}}};
  std::optional<FleetBans> a, b;
  const auto begin_weak = [&] {
    a.emplace(*station.line, station.loop, mild, names, "a", 1, FleetBans::Before{weak, {}});
  };
  const auto begin_strong = [&] {
    b.emplace(*station.line, station.loop, strict, names, "b", 1, FleetBans::Before{strong, {}});
  };
  SUBCASE("the stronger one") {
    begin_strong();
    REQUIRE(station.until([&] { return b->waiting() == 0; }));
    begin_weak();
  }
  SUBCASE("the weaker one") {
    begin_weak();
    REQUIRE(station.until([&] { return a->waiting() == 0; }));
    begin_strong();
  }
  REQUIRE(station.until([&] { return mild.learned == 2 && mild.listed == 1; }));
  REQUIRE(station.until([&] { return a->waiting() == 0 && b->waiting() == 0; }));
  CHECK(strict.learned + strict.listed == 0);
  CHECK(mild.whys == std::vector<std::string>{"", "b"});
  Learner later;
  const FleetBans begins(*station.line, station.loop, later, names, "c", 1, {});
  CHECK(station.until([&] { return later.learned == 4 && later.listed == 1; }));
  CHECK(std::count(later.ends.begin(), later.ends.end(), relay::Ban::kForGood) == 2);
}

TEST_CASE("a ban that has ended is removed from the bucket while the connection holds") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user, later;
  const fleet::Subjects names("entente");
  FleetBans bans(*station.line, station.loop, user, names, "a", 1, {}, 100);
  const net::Network who = *net::Network::parse("192.0.2.1");
  const relay::Ban ban{who, std::time(nullptr) + 5, "", false}, stays{*net::Network::parse("192.0.2.2"), 0, "", false};
  bans.changed(who, &ban);
  bans.changed(stays.who, &stays);
  REQUIRE(station.until([&] { return bans.waiting() == 0; }));
  REQUIRE(bans.all().size() == 2);
  REQUIRE(station.until([&] { return bans.all().size() == 1; }));
  const auto in_bucket = [&](const char* key) {
    return station.order([&](auto done) { station.line->get(names.bans(), key, done); }).how;
  };
  CHECK(in_bucket("net.192.0.2.1") == fleet::BucketResult::How::kMissing);
  CHECK(in_bucket("net.192.0.2.2") == fleet::BucketResult::How::kDone);
}

TEST_CASE("a ban that is left out because there are too many is counted, and taken once another has gone") {
  if (NatsServer::is_missing()) return;
  Logged log;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user, full;
  const fleet::Subjects names("entente");
  FleetBans bans(*station.line, station.loop, user, names, "a", 1, {});
  const net::Network who = *net::Network::parse("192.0.2.1");
  const relay::Ban ban{who, relay::Ban::kForGood, "", false};
  bans.changed(who, &ban);
  REQUIRE(station.until([&] { return bans.waiting() == 0; }));
  FleetBans::Before before;
  bus::SharedBan one;
  one.set_lifted(true);
  for (std::size_t i = 0; i < FleetBans::kMost; ++i) {
    one.set_network("10." + std::to_string(i / 65'536) + "." + std::to_string(i / 256 % 256) + "." +
                    std::to_string(i % 256));
    one.set_changed(i == 0 ? 2 : wall_now());  // the first one is forgotten soon
    before.known.push_back(one);
  }
  const FleetBans others(*station.line, station.loop, full, names, "b", 1, before, 100);
  REQUIRE(station.until([&] { return full.learned == 1; }));
  CHECK(others.left_out() == 1);
  CHECK(others.refused() == 0);
  log.end();
  CHECK(log.times("bans and networks; 192.0.2.1 is left out, and others are only counted") == 1);
}

TEST_CASE(
    "the log says that the bucket of bans cannot be opened, not that bans cannot be sent, and when it works again") {
  if (NatsServer::is_missing()) return;
  Logged log;
  const auto lines = [&] { return log.lines(); };
  {
    NatsServer nats;
    fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
    fleet::testing::Station station(bus);
    Learner user;
    const fleet::Subjects names("entente");
    constexpr std::uint32_t kTooMany = 3;  // for one server
    const FleetBans bans(*station.line, station.loop, user, names, "a", kTooMany, {});
    CHECK(station.until([&] { return has(lines(), "fleet: cannot open the bucket of bans: "); }));
    fleet::BucketOptions options;
    options.name = names.bans();
    REQUIRE(station.order([&](auto done) { station.line->open_bucket(options, done); }).done());
    nats.kill();
    nats.start();
    CHECK(station.until([&] { return has(lines(), "fleet: bans are shared again"); }));
  }
  log.end();
  CHECK_FALSE(has(lines(), "check that its account"));
}

TEST_CASE("many bans of another node are applied a few times a second, not each alone") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  fleet::Bus bus({.servers = {nats.url()}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user, other;
  const fleet::Subjects names("entente");
  FleetBans others(*station.line, station.loop, other, names, "b", 1, {});
  REQUIRE(station.order([&](auto done) { station.line->get(names.bans(), "none", done); }).how !=
          fleet::BucketResult::How::kDone);
  constexpr std::size_t kMany = 300;
  BanFile file;
  for (std::size_t i = 0; i < kMany; ++i)
    file.bans.push_back({*net::Network::parse("10.0." + std::to_string(i / 100) + "." + std::to_string(i % 100)),
                         relay::Ban::kForGood, "", false});
  const Millis began = steady_now();
  FleetBans bans(*station.line, station.loop, user, names, "a", 1, {file, {}});
  REQUIRE(station.until([&] { return other.learned == kMany && bans.waiting() == 0; }));
  CHECK(other.calls <= (steady_now() - began) / 100 + 2);
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

constexpr std::int64_t kDay = 86'400;
constexpr WallTime kSecond = 1'000'000'000;

/// A connection to NATS, and the entries of the fleet's bucket.
struct Bucket {
  explicit Bucket(const NatsServer& nats) : bus({.servers = {nats.url()}, .client = "a"}), its(bus) {
    REQUIRE(its.connects());
    fleet::BucketOptions options;
    options.name = names.bans();
    REQUIRE(its.order([&](auto done) { its.line->open_bucket(options, done); }).done());
  }
  void put(const std::string& key, const std::string& bytes) {
    REQUIRE(its.order([&](auto done) { its.line->put(names.bans(), key, as_bytes(bytes), done); }).done());
  }
  void put(const bus::SharedBan& ban) { put("net." + ban.network(), ban.SerializeAsString()); }
  /// What is there; nothing: there is no such entry.
  std::optional<bus::SharedBan> entry(const std::string& key) {
    const auto kept = its.order([&](auto done) { its.line->get(names.bans(), key, done); });
    bus::SharedBan ban;
    if (!kept.done()) return std::nullopt;
    REQUIRE(ban.ParseFromString(std::string(as_text(kept.entry.value))));
    return ban;
  }

  const fleet::Subjects names{"entente"};
  fleet::Bus bus;
  fleet::testing::Station its;
};

/// A node that shares its bans there.
struct Sharer {
  Sharer(Bucket& there, const std::string& name, const FleetBans::Before& before = {})
      : line(there.bus, there.its.loop), bans(line, there.its.loop, user, there.names, name, 1, before) {}
  fleet::BusLine line;
  Learner user;
  FleetBans bans;
};

/// A ban by another node.
bus::SharedBan other_ban(const std::string& network, WallTime changed = wall_now()) {
  bus::SharedBan ban;
  ban.set_network(network);
  ban.set_changed(changed);
  return ban;
}

relay::Ban ban_of(const std::string& network, std::time_t until = relay::Ban::kForGood) {
  return {*net::Network::parse(network), until, "", false};
}

TEST_CASE("bans that a server has made, and those of one place, are not shared") {
  fleet::Bus bus({.servers = {"nats://127.0.0.1:9"}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user;
  FleetBans::Before before;
  before.file.bans = {ban_of("192.0.2.1"), ban_of("192.0.2.2"), ban_of("192.0.2.3")};
  before.file.bans[0].by_server = true;
  before.file.bans[1].where = "the arena";
  const FleetBans bans(*station.line, station.loop, user, fleet::Subjects("entente"), "a", 1, before);
  REQUIRE(bans.all().size() == 1);
  CHECK(bans.all().front().network() == "192.0.2.3");
  CHECK(bans.all().front().node() == "a");
}

TEST_CASE("each invalid entry of the bucket is counted, and what is just valid counts") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  Sharer node(bucket, "a");
  constexpr WallTime kAhead = 86'400 * kSecond;
  const std::function<void(bus::SharedBan&)> bad[] = {
      [](bus::SharedBan& ban) { ban.set_why(std::string(kLongestSayable + 1, 'x')); },
      [](bus::SharedBan& ban) { ban.set_why("\x1b[2J"); },
      [](bus::SharedBan& ban) { ban.set_changed(0); },
      [](bus::SharedBan& ban) { ban.set_changed(wall_now() + kAhead + 600 * kSecond); },
      [](bus::SharedBan& ban) { ban.set_until(-1); },
  };
  std::uint64_t refused = 0;
  for (const auto& change : bad) {
    bus::SharedBan ban = other_ban("192.0.2.1");
    change(ban);
    bucket.put(ban);
    CHECK(bucket.its.until([&] { return node.bans.refused() == refused + 1; }));
    ++refused;
  }
  for (const char* network : {"192.0.2.1/32", "192.0.2.1/24", "example.org"}) {
    bucket.put(other_ban(network));
    CHECK(bucket.its.until([&] { return node.bans.refused() == refused + 1; }));
    ++refused;
  }
  bucket.put("net.192.0.2.1", "?");
  CHECK(bucket.its.until([&] { return node.bans.refused() == refused + 1; }));
  CHECK(node.user.learned == 0);

  bus::SharedBan good = other_ban("192.0.2.1", wall_now() + kAhead - 600 * kSecond);
  good.set_why(std::string(kLongestSayable, 'x'));
  bucket.put(good);
  CHECK(bucket.its.until([&] { return node.user.learned == 1; }));
  CHECK(node.user.last.why.size() == kLongestSayable);
  CHECK(node.bans.refused() == refused + 1);
}

TEST_CASE("the log names the first invalid entry of the bucket, and is silent about later ones") {
  if (NatsServer::is_missing()) return;
  Logged log;
  {
    const NatsServer nats;
    Bucket bucket(nats);
    const Sharer node(bucket, "a");
    bucket.put("net.192.0.2.1", "?");
    bucket.put("net.192.0.2.2", "?");
    CHECK(bucket.its.until([&] { return node.bans.refused() == 2; }));
  }
  log.end();
  CHECK(log.times("fleet: the entry net.192.0.2.1 of the bucket entente-bans is invalid and is ignored") == 1);
  CHECK(log.times("is invalid and is ignored") == 1);
}

TEST_CASE("the log says about which networks another node's file counts, and not where a later change does") {
  if (NatsServer::is_missing()) return;
  Logged log;
  {
    const NatsServer nats;
    Bucket bucket(nats);
    BanFile file;
    for (const char* network : {"192.0.2.1", "192.0.2.2", "192.0.2.3"})
      file.bans.push_back(ban_of(network, std::time(nullptr) + kDay));
    bucket.put(other_ban("192.0.2.1", 1));  // as from a file
    bucket.put(other_ban("192.0.2.2", 1));
    bucket.put(other_ban("192.0.2.3"));
    const Sharer node(bucket, "a", {file, {}});
    CHECK(bucket.its.until([&] { return node.user.learned == 3; }));
  }
  log.end();
  CHECK(log.times("fleet: access.ban_file differs from another node's about 192.0.2.1 and 1 other network; "
                  "what bans for longer, or denies, counts") == 1);
}

TEST_CASE("a change that NATS takes at the second attempt is no news for the log") {
  if (NatsServer::is_missing()) return;
  Logged log;
  {
    const NatsServer nats;
    Bucket bucket(nats);
    Sharer node(bucket, "a");
    const relay::Ban first = ban_of("192.0.2.1"), second = ban_of("192.0.2.2");
    node.bans.changed(first.who, &first);
    REQUIRE(bucket.its.until([&] { return node.bans.waiting() == 0; }));
    lose_bucket(bucket.its);
    node.bans.changed(second.who, &second);
    CHECK(bucket.its.until([&] { return node.bans.waiting() == 0; }));
    CHECK(bucket.bus.counts().failures != 0);
  }
  log.end();
  // Both are there if a busy NATS fails twice.
  CHECK(log.times("fleet: bans are shared again") == log.times("fleet: cannot "));
}

TEST_CASE("a ban of another node ends when it says, if that is not later than an operator's longest ban") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  Sharer node(bucket, "a");
  const std::int64_t now = std::time(nullptr);
  for (const std::int64_t days : {1, 3'650, 3'652}) {
    bus::SharedBan ban = other_ban("192.0.2." + std::to_string(days % 256));
    ban.set_until(now + days * kDay);
    const std::size_t before = node.user.learned;
    bucket.put(ban);
    REQUIRE(bucket.its.until([&] { return node.user.learned == before + 1; }));
    CHECK(node.user.last.until == (days > 3'650 ? relay::Ban::kForGood : ban.until()));
  }
}

TEST_CASE("a ban can be lifted though the node that made it has a clock that is ahead") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  Sharer one(bucket, "a"), other(bucket, "b");
  const bus::SharedBan ban = other_ban("192.0.2.1", wall_now() + 3'600 * kSecond);
  bucket.put(ban);
  REQUIRE(bucket.its.until([&] { return one.user.learned == 1 && other.user.learned == 1; }));
  CHECK(one.user.last.until == relay::Ban::kForGood);
  one.bans.changed(*net::Network::parse("192.0.2.1"), static_cast<const relay::Ban*>(nullptr));
  CHECK(bucket.its.until([&] { return other.user.lifted == 1; }));
  CHECK(one.user.lifted == 0);
  REQUIRE(one.bans.all().size() == 1);
  CHECK(one.bans.all().front().changed() == ban.changed() + 1);
}

TEST_CASE("a node that finds an older change in the bucket than its own does not apply it, and sends its own again") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  Sharer node(bucket, "a");
  const relay::Ban ban = ban_of("192.0.2.1");
  node.bans.changed(ban.who, &ban);
  REQUIRE(bucket.its.until([&] { return node.bans.waiting() == 0; }));
  const std::uint64_t changed = node.bans.all().front().changed();
  bus::SharedBan older = other_ban("192.0.2.1", changed - 1);
  older.set_lifted(true);
  bucket.put(older);
  CHECK(bucket.its.until([&] {
    const auto there = bucket.entry("net.192.0.2.1");
    return there && there->changed() == changed && there->node() == "a";
  }));
  CHECK(node.user.lifted == 0);
  REQUIRE(node.bans.all().size() == 1);
  CHECK_FALSE(node.bans.all().front().lifted());
}

TEST_CASE("an entry that another node has removed is forgotten, and its ban stays in force") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  Sharer node(bucket, "a");
  bucket.put(other_ban("192.0.2.1"));
  REQUIRE(bucket.its.until([&] { return node.user.learned == 1; }));
  bucket.its.line->remove(bucket.names.bans(), "net.192.0.2.1", [](const fleet::BucketResult&) {});
  CHECK(bucket.its.until([&] { return node.bans.all().empty(); }));
  CHECK(node.user.lifted == 0);
}

TEST_CASE("bans that are over, and those that were lifted more than 30 days ago, are removed from the bucket") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  const WallTime now = wall_now();
  constexpr WallTime kDayNanos = 86'400 * kSecond;
  bus::SharedBan over = other_ban("192.0.2.1", now - kDayNanos), forgotten = other_ban("192.0.2.2"), lifted = forgotten,
                 lasts = other_ban("192.0.2.4", now - 40 * kDayNanos);
  over.set_until(std::time(nullptr) - 1);
  forgotten.set_changed(now - 30 * kDayNanos - 60 * kSecond);
  forgotten.set_lifted(true);
  lifted.set_network("192.0.2.3");
  lifted.set_changed(now - 30 * kDayNanos + 3'600 * kSecond);
  lifted.set_lifted(true);
  for (const auto* one : {&over, &forgotten, &lifted, &lasts}) bucket.put(*one);
  Sharer node(bucket, "a");
  const auto has = [&](int last) { return bucket.entry("net.192.0.2." + std::to_string(last)).has_value(); };
  CHECK(bucket.its.until([&] { return !has(1) && !has(2); }));
  CHECK(has(3));
  CHECK(has(4));
  CHECK(node.user.learned == 1);
  CHECK(node.bans.all().size() == 2);
  CHECK(node.bans.refused() == 0);
}

TEST_CASE("a node removes at most a hundred entries at once, and the next one the rest") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  constexpr int kEntries = 103;
  for (int i = 0; i < kEntries; ++i) {
    bus::SharedBan over = other_ban("192.0.2." + std::to_string(i), wall_now() - 60 * kSecond);
    over.set_until(std::time(nullptr) - 1);
    bucket.put(over);
  }
  bucket.put(other_ban("192.0.2.200"));
  for (const std::size_t rest : {std::size_t{3}, std::size_t{0}}) {
    const Sharer node(bucket, "a");
    CHECK(bucket.its.until([&] { return node.user.learned == 1; }));
    CHECK(node.bans.all().size() == 1 + rest);
    CHECK(bucket.entry("net.192.0.2.200").has_value());  // they are gone now: orders are carried out in their order
  }
}

TEST_CASE("without a connection, changes wait, but not a ban that is over by now") {
  fleet::Bus bus({.servers = {"nats://127.0.0.1:9"}, .client = "a"});
  fleet::testing::Station station(bus);
  Learner user;
  FleetBans bans(*station.line, station.loop, user, fleet::Subjects("entente"), "a", 1, {});
  const relay::Ban over = ban_of("192.0.2.1", 1), lasts = ban_of("192.0.2.2");
  bans.changed(over.who, &over);
  CHECK(bans.waiting() == 0);
  bans.changed(lasts.who, &lasts);
  CHECK(bans.waiting() == 1);
}

TEST_CASE("a ban that ends before it was sent is not sent, and does not wait") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  const Sharer node(bucket, "a", {{{ban_of("192.0.2.1", 1), ban_of("192.0.2.2")}, {}}, {}});
  CHECK(bucket.its.until([&] { return bucket.entry("net.192.0.2.2").has_value(); }));
  CHECK(bucket.its.until([&] { return node.bans.waiting() == 0; }));
  CHECK_FALSE(bucket.entry("net.192.0.2.1").has_value());
  CHECK(node.bans.all().size() == 1);
}

TEST_CASE("bans of IPv6 networks are shared, too") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Bucket bucket(nats);
  Sharer one(bucket, "a"), other(bucket, "b");
  const relay::Ban ban = ban_of("2001:db8:7::/48");
  one.bans.changed(ban.who, &ban);
  REQUIRE(bucket.its.until([&] { return other.user.learned == 1; }));
  CHECK(other.user.last.who == ban.who);
  CHECK(other.bans.refused() == 0);
}

TEST_CASE("a node whose account may not write bans pauses, but tries again at once when it has connected again") {
  if (NatsServer::is_missing()) return;
  const Folder folder;
  const std::string denied = folder.write("nats.conf",
                                          "authorization { users = [ { user: a, password: a, "
                                          "permissions: { publish: { deny: [\"$KV.>\"] } } } ] }");
  NatsServer nats({"-c", denied});
  fleet::BusOptions options{.servers = {nats.url()}, .client = "a"};
  options.user = options.password = "a";
  fleet::Bus bus(options);
  fleet::testing::Station station(bus);
  Learner user;
  FleetBans bans(*station.line, station.loop, user, fleet::Subjects("entente"), "a", 1,
                 {{{ban_of("192.0.2.1")}, {}}, {}});
  REQUIRE(station.until([&] { return bus.counts().failures == 2; }));  // the second one at once
  // The answer to this comes after that to the second one.
  (void)station.order([&](auto done) { station.line->get("entente-bans", "net.192.0.2.1", done); });
  CHECK(bans.waiting() == 1);
  const std::uint64_t refused = bus.counts().refused;
  const Millis paused = steady_now();
  const auto pauses = [&] {
    return bus.counts().refused == refused || steady_now() > paused + FleetBans::kRetry / 2;  // on a busy machine
  };
  REQUIRE(station.until([&] { return steady_now() > paused + 2'500; }));  // longer than two of its steps
  CHECK(pauses());
  const relay::Ban more = ban_of("192.0.2.2");
  bans.changed(more.who, &more);
  (void)station.order([&](auto done) { station.line->get("entente-bans", "net.192.0.2.2", done); });
  CHECK(pauses());
  CHECK(bans.waiting() == 2);
  nats.kill();
  nats.start_with({"--user", "a", "--pass", "a"});
  const Millis began = steady_now();
  CHECK(station.until([&] { return bans.waiting() == 0; }));
  CHECK(steady_now() - began < FleetBans::kRetry - 5'000);
}

}  // namespace
}  // namespace entente::fleet_bans_test
