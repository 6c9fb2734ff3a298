// Which addresses may connect: nets that are allowed and denied, bans that end, and bans learned from servers.
#include "proxy/relay/admission/bans.h"

#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzflag/bzflag.h"
#include "proxy/relay/admission/access.h"
#include "proxy/relay/admission/admission.h"
#include "tests/relay/enet_yard.h"

namespace entente::testing::bans_test {
namespace {

using relay::Access, relay::Ban, relay::Bans, relay::Reason;

net::Address ip(const char* text) { return *net::Address::parse(text, 0); }
net::Network net_of(const char* text) { return *net::Network::parse(text); }
std::vector<net::Network> nets(std::initializer_list<const char*> texts) {
  std::vector<net::Network> all;
  for (const char* text : texts) all.push_back(net_of(text));
  return all;
}

// -- Rules ------------------------------------------------------------------------------------------------------------

TEST_CASE("bans: when the wall clock is set, a ban ends neither earlier nor later, and the wall clock's time is told") {
  constexpr std::time_t kHour = 3'600, kNow = 1'800'000'000;
  for (const std::time_t set_by : {kHour, -kHour, 50 * 365 * 24 * kHour}) {
    std::time_t ahead = 0;
    Bans bans(60, [&ahead] { return ahead; });
    bans.add({net_of("192.0.2.7"), kNow + 100, "", false});
    REQUIRE(bans.learn(ip("192.0.2.8"), "", kNow)->until == kNow + 60);
    ahead = set_by;
    CHECK(bans.find(ip("192.0.2.7"), kNow + 99)->until == kNow + 100 + set_by);
    CHECK(bans.find(ip("192.0.2.8"), kNow + 59));
    CHECK_FALSE(bans.find(ip("192.0.2.8"), kNow + 60));
    CHECK(bans.all(kNow + 99).size() == 1);
    CHECK_FALSE(bans.find(ip("192.0.2.7"), kNow + 100));
    bans.add({net_of("192.0.2.9"), kNow + 200 + set_by, "", false});  // by the clock as it is now
    CHECK(bans.find(ip("192.0.2.9"), kNow + 199));
    CHECK_FALSE(bans.find(ip("192.0.2.9"), kNow + 200));
  }
}

TEST_CASE("of the nets that contain an address the smallest decides, and of equal ones the one that denies") {
  const Access all, some{nets({"10.0.0.0/8", "2001:db8::/32"}), nets({"10.1.0.0/16"})},
      but{{}, nets({"10.0.0.0/8", "192.0.2.7"})}, hole{nets({"10.1.2.3"}), nets({"10.1.0.0/16"})},
      both{nets({"10.0.0.0/8"}), nets({"10.0.0.0/8"})};
  struct Case {
    const Access& access;
    const char* from;
    bool comes;
  };
  for (const Case& c : {Case{all, "192.0.2.1", true},
                        {some, "10.0.0.1", true},
                        {some, "10.1.0.1", false},
                        {some, "11.0.0.1", false},
                        {some, "2001:db8::5", true},
                        {some, "2001:db9::5", false},
                        {but, "10.2.3.4", false},
                        {but, "192.0.2.7", false},
                        {but, "192.0.2.8", true},
                        {hole, "10.1.2.3", true},
                        {hole, "10.1.2.4", false},
                        {hole, "192.0.2.8", false},
                        {both, "10.1.2.3", false}}) {
    CAPTURE(c.from);
    CHECK(c.access.lets(ip(c.from)) == c.comes);
  }
}

TEST_CASE("networks listed by operators count like those of the configuration, but deny only the listed addresses") {
  using relay::ListedNetwork, relay::ListedNetworks;
  using enum ListedNetwork::List;
  ListedNetworks listed;
  Access open{{}, nets({"10.0.0.0/8"}), &listed}, closed{nets({"10.0.0.0/8"}), {}, &listed};
  REQUIRE(listed.put({net_of("10.1.0.0/16"), kAllow, ""}));
  REQUIRE(listed.put({net_of("192.0.2.0/24"), kAllow, ""}));
  REQUIRE(listed.put({net_of("192.0.2.7"), kDeny, ""}));
  CHECK(open.lets(ip("11.0.0.1")));
  CHECK_FALSE(open.lets(ip("10.2.0.1")));
  CHECK(open.lets(ip("10.1.0.1")));
  CHECK_FALSE(closed.lets(ip("11.0.0.1")));
  CHECK(closed.lets(ip("192.0.2.1")));
  CHECK_FALSE(closed.lets(ip("192.0.2.7")));
  REQUIRE(listed.put({net_of("192.0.2.7"), kAllow, ""}));  // in one list at a time
  CHECK(closed.lets(ip("192.0.2.7")));
  REQUIRE(listed.remove(net_of("192.0.2.0/24")));
  CHECK_FALSE(listed.remove(net_of("192.0.2.0/24")));
  CHECK_FALSE(closed.lets(ip("192.0.2.1")));
  for (std::size_t i = listed.all().size(); i < ListedNetworks::kMost; ++i)
    REQUIRE(listed.put(
        {net::Network::of_host(ip(("10.2." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1)).c_str())),
         kDeny, ""}));
  CHECK_FALSE(listed.put({net_of("192.0.2.8"), kDeny, ""}));
  CHECK(listed.put({net_of("192.0.2.7"), kDeny, ""}));
}

TEST_CASE("of the networks listed by operators, the smallest decides, and not the one that was listed last") {
  using enum relay::ListedNetwork::List;
  relay::ListedNetworks listed;
  const Access access{{}, {}, &listed};
  REQUIRE(listed.put({net_of("192.0.2.0/24"), kAllow, ""}));
  REQUIRE(listed.put({net_of("192.0.0.0/20"), kDeny, ""}));
  REQUIRE(listed.put({net_of("192.0.0.0/16"), kAllow, ""}));
  REQUIRE(listed.put({net_of("192.0.0.0/12"), kDeny, ""}));
  CHECK(access.lets(ip("192.0.2.1")));
  CHECK_FALSE(access.lets(ip("192.0.3.1")));
  CHECK(access.lets(ip("192.0.16.1")));
  CHECK_FALSE(access.lets(ip("192.1.0.1")));
}

TEST_CASE("a ban holds for its net and its time, and the smallest net is the one that is reported") {
  Bans bans;
  bans.add({net_of("10.0.0.0/8"), 100, "all of you", false});
  bans.add({net_of("10.0.0.7"), Ban::kForGood, "you", false});
  REQUIRE(bans.find(ip("10.0.0.7"), 50));
  CHECK(bans.find(ip("10.0.0.7"), 50)->why == "you");
  CHECK(bans.find(ip("10.0.0.8"), 50)->why == "all of you");
  CHECK_FALSE(bans.find(ip("11.0.0.8"), 50));
  CHECK(bans.all(50).size() == 2);
  CHECK_FALSE(bans.find(ip("10.0.0.8"), 100));
  CHECK(bans.find(ip("10.0.0.7"), 1'000'000));
  CHECK(bans.all(100).size() == 1);
  bans.add({net_of("10.0.0.7"), 200, "you, for a while", false});
  CHECK(bans.all(100).size() == 1);
  CHECK_FALSE(bans.remove(net_of("10.0.0.0/24")));
  CHECK(bans.remove(net_of("10.0.0.7")));
  CHECK_FALSE(bans.find(ip("10.0.0.7"), 150));
}

TEST_CASE("a ban by a server is for one host and a limited time, and replaces no other ban") {
  Bans bans(600);
  REQUIRE(bans.learn(ip("2001:db8::7:1"), "bad", 1000));
  CHECK(bans.find(ip("2001:db8::9:9"), 1599)->why == "bad");
  CHECK_FALSE(bans.find(ip("2001:db8::9:9"), 1600));
  bans.add({net_of("10.0.0.0/8"), Ban::kForGood, "ours", false});
  CHECK_FALSE(bans.learn(ip("10.0.0.7"), "bad", 1000));
  CHECK(bans.find(ip("10.0.0.7"), 9'000)->why == "ours");
  CHECK_FALSE(Bans(0).learn(ip("10.0.0.7"), "bad", 1000));
}

TEST_CASE("bans learned from servers are limited, and expired ones make room") {
  Bans bans(10);
  for (std::uint32_t i = 0; i < Bans::kMostLearnt; ++i) {
    const sockaddr_in one{AF_INET, 0, {htonl(0x0A000000U + i)}, {}};
    REQUIRE(bans.learn(net::Address::from(reinterpret_cast<const sockaddr*>(&one)), "", 100));
  }
  CHECK_FALSE(bans.learn(ip("192.0.2.1"), "", 105));
  CHECK(bans.learn(ip("192.0.2.1"), "", 110));
  CHECK(bans.all(110).size() == 1);
}

TEST_CASE("a ban is told of when it is added or learned, and not when it is restored") {
  Bans bans(60);
  std::vector<std::string> told;
  bans.tell_added([&](const Ban& ban) { told.push_back(ban.who.text()); });
  bans.add({net_of("192.0.2.7"), Ban::kForGood, "", false});
  bans.learn(ip("192.0.2.8"), "");
  CHECK_FALSE(bans.restore({net_of("192.0.2.9"), Ban::kForGood, "", false}));
  CHECK(bans.restore({net_of("192.0.2.7"), Ban::kForGood, "again", false}));
  CHECK(told == std::vector<std::string>{"192.0.2.7", "192.0.2.8"});
  CHECK(bans.find(ip("192.0.2.9")));
  CHECK(bans.find(ip("192.0.2.7"))->why == "again");
}

TEST_CASE("a ban that several processes tell each other of is told of once; one that differs is told of again") {
  Bans bans(60, [] { return std::time_t{0}; });
  std::vector<std::string> told;
  bans.tell_added([&](const Ban& ban) { told.push_back(ban.why + " " + std::to_string(ban.until)); });
  for (const char* why : {"a", "a", "b"}) bans.add({net_of("192.0.2.7"), Ban::kForGood, why, false});
  for (const std::time_t until : {5'000, 5'007, 5'000, 5'100}) bans.add({net_of("192.0.2.7"), until, "b", false});
  CHECK(told == std::vector<std::string>{"a 0", "b 0", "b 5000", "b 5100"});
  bans.add({net_of("192.0.2.7"), 5'100, "b", false, "127.0.0.1:1"});
  bans.remove(net_of("192.0.2.7"));
  bans.add({net_of("192.0.2.7"), 5'100, "b", false});
  CHECK(told.size() == 6);
}

TEST_CASE("bans: after the wall clock was set, the same timed ban is told of once, and a replaced ban shows its time") {
  for (const std::time_t ahead : {3'600, -3'600}) {
    Bans bans(60, [ahead] { return ahead; });
    int told = 0;
    bans.tell_added([&told](const Ban&) { ++told; });
    const Ban ban{net_of("192.0.2.7"), 50'000, "", false};
    CHECK_FALSE(bans.add(ban));
    for (int i = 0; i < 2; ++i) {
      const auto before = bans.add(ban);
      REQUIRE(before);
      CHECK(before->until == 50'000);
    }
    CHECK(told == 1);
  }
}

TEST_CASE("a ban for one server or listener, or for all of them, leaves the bans of the same address elsewhere") {
  Bans bans;
  for (const char* where : {"192.0.2.1:1", "192.0.2.1:2", "", "192.0.2.1:1"})
    bans.add({net_of("10.0.0.7"), Ban::kForGood, where, false, where});
  CHECK(bans.all().size() == 3);
  CHECK(bans.find(ip("10.0.0.7"))->why.empty());
  CHECK(bans.bans_from("192.0.2.1:1", ip("10.0.0.7")));
  CHECK(bans.bans_from("192.0.2.1:2", ip("10.0.0.7")));
}

TEST_CASE("bans: of a ban of all and one of each server, the one of the smallest network is told") {
  Bans bans;
  const relay::BanScope scope{{"192.0.2.1:1", "192.0.2.1:2"}, "192.0.2.9:9"};
  bans.add({net_of("10.0.0.0/16"), Ban::kForGood, "all", false});
  bans.add({net_of("10.0.0.0/24"), Ban::kForGood, "one", false, "192.0.2.1:1"});
  CHECK(bans.find(ip("10.0.0.7"), 1, scope)->why == "all");  // the second server has none
  bans.add({net_of("10.0.0.0/8"), Ban::kForGood, "two", false, "192.0.2.1:2"});
  CHECK(bans.find(ip("10.0.0.7"), 1, scope)->why == "one");
  bans.add({net_of("10.0.0.0/12"), Ban::kForGood, "one", false, "192.0.2.1:1"});
  CHECK(bans.find(ip("10.0.1.7"), 1, scope)->why == "all");
  bans.add({net_of("10.0.0.7"), Ban::kForGood, "here", false, "192.0.2.9:9"});
  CHECK(bans.find(ip("10.0.0.7"), 1, scope)->why == "here");
}

TEST_CASE("bans: what a server has banned is marked so, told once, and not banned again there, but elsewhere") {
  Bans bans(60, [] { return std::time_t{0}; });
  int told = 0;
  bans.tell_added([&told](const Ban& ban) { told += ban.by_server ? 1 : 100; });
  const auto learnt = bans.learn(ip("10.0.0.7"), "bad", 1'000, "192.0.2.1:1");
  REQUIRE(learnt);
  CHECK(learnt->by_server);
  CHECK(learnt->where == "192.0.2.1:1");
  CHECK(learnt->until == 1'060);
  CHECK_FALSE(bans.learn(ip("10.0.0.7"), "worse", 1'000, "192.0.2.1:1"));
  CHECK(told == 1);
  CHECK(bans.learn(ip("10.0.0.7"), "bad", 1'000, "192.0.2.1:2"));
  CHECK(told == 2);
  CHECK(bans.learn(ip("10.0.0.7"), "bad again", 1'060, "192.0.2.1:1"));  // the first is over
  bans.restore({net_of("10.0.0.8"), Ban::kForGood, "ours", false});
  CHECK_FALSE(bans.learn(ip("10.0.0.8"), "bad", 1'000, "192.0.2.1:1"));  // it is banned everywhere
  CHECK_FALSE(bans.bans_from("192.0.2.1:1", ip("10.0.0.8"), 1'000));
}

TEST_CASE("bans: a ban of the same network that somebody else gave, or for another reason, is told of again") {
  Bans bans(60, [] { return std::time_t{0}; });
  std::vector<std::string> told;
  bans.tell_added([&](const Ban& ban) { told.push_back(ban.why + (ban.by_server ? " server" : " operator")); });
  for (const bool by_server : {true, true, false, false})
    bans.add({net_of("10.0.0.7"), Ban::kForGood, "a", by_server, "192.0.2.1:1"});
  CHECK(told == std::vector<std::string>{"a server", "a operator"});
}

TEST_CASE("bans: those that were removed or are over do not count against the number that may be learnt") {
  Bans bans(10);
  for (std::uint32_t i = 0; i < Bans::kMostLearnt; ++i) {
    const sockaddr_in one{AF_INET, 0, {htonl(0x0A000000U + i)}, {}};
    REQUIRE(bans.learn(net::Address::from(reinterpret_cast<const sockaddr*>(&one)), "", 100));
  }
  REQUIRE(bans.remove(net_of("10.0.0.1")));
  CHECK(bans.learn(ip("192.0.2.1"), "", 100));
  CHECK_FALSE(bans.learn(ip("192.0.2.2"), "", 100));
  CHECK_FALSE(bans.find(ip("10.0.0.2"), 110));  // over, and forgotten when it is looked up
  CHECK(bans.learn(ip("192.0.2.2"), "", 105));
}

TEST_CASE("bans: the list has the ends by the wall clock, and none that is over") {
  constexpr std::time_t kAhead = 5'000;
  Bans bans(60, [] { return kAhead; });
  bans.add({net_of("10.0.0.7"), kAhead + 100, "", false});
  bans.add({net_of("10.0.0.8"), kAhead + 200, "", false});
  bans.add({net_of("10.0.0.9"), Ban::kForGood, "", false});
  const auto all = bans.all(100);
  REQUIRE(all.size() == 2);
  for (const Ban& one : all) CHECK(one.until == (one.who == net_of("10.0.0.9") ? Ban::kForGood : kAhead + 200));
}

TEST_CASE("networks listed by operators are shown in the order of their texts") {
  using enum relay::ListedNetwork::List;
  relay::ListedNetworks listed;
  for (const char* one : {"192.0.2.0/24", "10.0.0.0/8", "172.16.0.0/12"})
    REQUIRE(listed.put({net_of(one), kDeny, one}));
  REQUIRE(listed.put({net_of("172.16.0.0/12"), kAllow, "changed"}));
  const auto all = listed.all();
  REQUIRE(all.size() == 3);
  CHECK(all[0].why == "10.0.0.0/8");
  CHECK(all[1].why == "changed");
  CHECK(all[2].why == "192.0.2.0/24");
}

TEST_CASE("admission checks both lists before it counts") {
  Bans bans;
  bans.add({net_of("10.0.0.7"), Ban::kForGood, "", false});
  const std::vector<Access> access = {{{}, nets({"192.0.2.0/24"})}, {nets({"10.0.0.0/8"}), {}}};
  relay::Admission admission(access, &bans);
  CHECK(admission.enter(ip("192.0.2.1"), no_limits(), 0) == Reason::kNotAllowed);
  CHECK(admission.enter(ip("11.0.0.1"), no_limits(), 0) == Reason::kNotAllowed);
  CHECK(admission.enter(ip("10.0.0.7"), no_limits(), 0) == Reason::kBanned);
  CHECK(admission.known() == 0);
  CHECK_FALSE(admission.enter(ip("10.0.0.8"), no_limits(), 0));
}

// -- Answers to banned clients ----------------------------------------------------------------------------------------

const net::Address& neighbour() {
  static const net::Address kAddress = ip("127.0.0.2");
  return kAddress;
}

std::string banned_hears(const wire::Game& game, std::size_t dialect, Bans* bans, Access access = {}) {
  FakeServer fake(true);
  Running running(game, fake.address(), no_limits(), 1, dialect, nullptr, {}, EnetMode::kPackets, false, bans,
                  std::move(access));
  const Stream client = Stream::to(running.address);
  client.try_send(as_bytes("BZFLAG\r\n\r\n"));  // like a client that does not wait for the server to speak
  const Buffer said = client.read_all();
  CHECK(running.ended(bans != nullptr ? Reason::kBanned : Reason::kNotAllowed));
  CHECK(running.totals().begun == 0);
  CHECK_FALSE(fake.called(0));
  return std::string(as_text(said));
}

TEST_CASE("a banned client is told so by its game's protocol, and its server does not notice") {
  Bans bans;
  bans.add({net_of("127.0.0.1"), Ban::kForGood, "no cheating", false});
  CHECK(banned_hears(bzflag::game(), 0, &bans) == std::string("REFUSED:no cheating\0", 20));
  CHECK(banned_hears(bzflag::game(), 0, nullptr, {{}, nets({"127.0.0.0/8"})}) ==
        std::string("REFUSED:nobody may come from your address\0", 42));
  CHECK(banned_hears(toy::game(), 0, &bans) == kGoodbye);
  const std::string http = banned_hears(toy::messages(), 0, &bans);
  CHECK(http.starts_with("HTTP/1.1 403 Forbidden\r\n"));
  CHECK_MESSAGE(http.ends_with("\r\nContent-Length: 11\r\nConnection: close\r\n\r\nno cheating"), http);
}

TEST_CASE("others connect while one is banned, and it connects after the ban") {
  Bans bans;
  bans.add({net_of("127.0.0.1"), Ban::kForGood, "", false});
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, false, &bans);
  CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);
  Pair other(running, fake, &neighbour());
  CHECK(bans.remove(net_of("127.0.0.1")));
  Pair again(running, fake);
}

// -- Bans learned from servers ---------------------------------------------------------------------------------------

/// A relay of BZFlag 2.4 with these servers.
struct WithServers final : Serving {
  WithServers(Bans& bans, std::initializer_list<const FakeServer*> servers,
              relay::SourceMode source = relay::SourceMode::kOwn, std::optional<net::ProxyVersion> send_proxy = {})
      : Serving(1) {
    relay::RouteOptions options;
    options.game = &bzflag::game();
    options.listen = loopback();
    options.listen_dialect = 0;
    options.bans = &bans;
    options.source = source;
    options.send_proxy = send_proxy;
    options.servers.clear();
    for (const FakeServer* one : servers)
      options.servers.push_back({one->address().ip_text(), one->address().port(), 0});
    serve_all(std::move(options), no_limits());
  }
};

/// A player of BZFlag 2.4 whose server answers its greeting with this.
void is_answered(const Serving& running, const FakeServer& fake, std::string_view answer) {
  const Stream client = Stream::to(running.address);
  client.send("BZFLAG\r\n\r\n");
  Stream server = fake.accept();
  CHECK(server.read_text(10) == "BZFLAG\r\n\r\n");
  server.send(answer);
  CHECK(client.read_text(answer.size()) == answer);
}

TEST_CASE("a client that a BZFlag server bans is then refused by us; others are not affected") {
  using namespace std::string_view_literals;
  constexpr std::string_view kGreeting = "BZFS0221\x07";
  std::string answer;
  bool bans_him = true;
  SUBCASE("instead of its greeting") { answer = "REFUSED:go away"; }
  SUBCASE("by its reject of an address") { answer = std::string(kGreeting) + std::string("\0\x02rj\0\x09"sv); }
  SUBCASE("by its reject of a host, after the world") {
    answer = std::string(kGreeting) + std::string("\0\x01gw!\0\x02rj\0\x0a"sv);
  }
  SUBCASE("but a reject for a taken name is no ban") {
    answer = std::string(kGreeting) + std::string("\0\x02rj\0\x07"sv);
    bans_him = false;
  }
  SUBCASE("nor is a message to a player that has joined") {
    answer = std::string(kGreeting) + std::string("\0\0ac\0\x02rj\0\x09"sv);
    bans_him = false;
  }
  Bans bans(600);
  FakeServer fake(true);
  Running running(bzflag::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, false, &bans);
  is_answered(running, fake, answer);
  if (!bans_him) {
    is_answered(running, fake, kGreeting);
    CHECK(running.totals().server_bans == 0);
    return;
  }
  CHECK(running.heard.line("banned the player from 127.0.0.1"));
  const bool told = answer.starts_with("REFUSED:");  // why
  CHECK(as_text(Stream::to(running.address).read_all()) ==
        std::string("REFUSED:") + (told ? "go away" : "the server banned you a while ago") + '\0');
  CHECK(running.ended(Reason::kBanned));
  CHECK(running.totals().server_bans == 1);
  const Stream other = Stream::to(running.address, &neighbour());
  other.send("BZFLAG\r\n\r\n");
  CHECK(fake.accept().read_text(10) == "BZFLAG\r\n\r\n");
}

TEST_CASE("a server's ban lasts as long as its words say, and the player is told them without colours") {
  struct Case {
    const char* time;
    std::time_t seconds;
  };
  for (const Case& c : {Case{"(9 mins, 55 secs remaining)", 595},
                        {"(2 days, 1 hour, 1 min, 1 sec remaining)", 176'461},
                        {"(999999999999999999 weeks remaining)", 365 * 24 * 3600},
                        {"(indefinite)", 600},
                        {"(-5 mins remaining)", 600},
                        {"(5 mins", 600},
                        {"(5 apples remaining)", 600}}) {
    CAPTURE(c.time);
    Bans bans(600);
    FakeServer fake(true);
    Running running(bzflag::game(), fake.address(), no_limits(), 1, 0, nullptr, {}, EnetMode::kPackets, false, &bans);
    std::string reason = std::string("REFUSED: cheating\x1b[37m ") + c.time + "\x1b[32m";
    reason.resize(128);
    is_answered(running, fake, std::string("BZFS0221\x07") + std::string("\0\x82rj\0\x09", 6) + reason);
    CHECK(eventually([&] { return bans.all().size() == 1; }));
    const auto ban = bans.all().front();
    const auto left = ban.until - std::time(nullptr);
    CHECK(left <= c.seconds + 1);  // both are rounded
    CHECK(left > c.seconds - 100);
    const Buffer said = Stream::to(running.address).read_all();
    const std::string_view told = as_text(said);
    CHECK(told == std::string("REFUSED:cheating ") + c.time + '\0');
  }
}

TEST_CASE("a ban by one of several servers leaves the others") {
  Bans bans(600);
  FakeServer first(true), second(true);
  WithServers running(bans, {&first, &second});
  is_answered(running, first, "REFUSED:go away");
  CHECK(eventually([&] { return bans.all().size() == 1; }));
  CHECK(bans.all().front().where == first.address().text());
  is_answered(running, second, "BZFS0221\x07");
  is_answered(running, second, "REFUSED:go away");
  CHECK(eventually([&] { return bans.all().size() == 2; }));
  CHECK(as_text(Stream::to(running.address).read_all()).starts_with("REFUSED:go away"));
}

TEST_CASE("a ban by a server that sees the players' addresses is not kept") {
  Bans bans(600);
  FakeServer fake(true);
  WithServers running(bans, {&fake}, relay::SourceMode::kLoopback);
  is_answered(running, fake, "REFUSED:go away");
  is_answered(running, fake, "REFUSED:go away");
  CHECK(bans.all().empty());
}

TEST_CASE("a ban by a server that is told the players' addresses in PROXY headers is not kept") {
  Bans bans(600);
  FakeServer fake(true);
  WithServers running(bans, {&fake}, relay::SourceMode::kOwn, net::ProxyVersion::kV1);
  for (int i = 0; i < 2; ++i) {
    const Stream client = Stream::to(running.address);
    client.send("BZFLAG\r\n\r\n");
    const Stream server = fake.accept();
    std::string head;
    while (!head.ends_with("BZFLAG\r\n\r\n")) head += server.read_text(1);
    CHECK(head.starts_with("PROXY TCP4 127.0.0.1 "));
    server.send("REFUSED:go away");
    CHECK(client.read_text(15) == "REFUSED:go away");
  }
  CHECK(bans.all().empty());
}

TEST_CASE("a client that a server bans over ENet is then refused by us, with the same number") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Bans bans(600);
    Scene scene(aos::game(), no_limits(), mode, nullptr, false, &bans);
    scene.client.peer = scene.knock(3);
    scene.until([&] { return scene.server.peer != nullptr; });
    scene.server.host.disconnect(*scene.server.peer, 1);
    scene.until([&] { return scene.client.heard("down 1"); });
    scene.until([&] { return !bans.all().empty(); });
    scene.reopen_client();
    scene.knock(3);
    scene.until([&] { return scene.client.heard("down 1"); });
    CHECK(scene.server.ups == 1);
    CHECK(scene.running.ended(Reason::kBanned));
  }
}

/// Clients of 0.80 on a server of the toy game.
class Newest : public Serving {
 public:
  Newest(const net::Address& server, Bans& bans) : Serving(1) {
    const wire::Game& game = aos::game();
    relay::RouteOptions options;
    options.game = &game;
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.bans = &bans;
    options.bridge = toy_bridge(game, toy::stream());
    options.bridge->front = [](std::size_t dialect) { return aos::faces().front({dialect, {}}); };
    serve(std::move(options), server, no_limits(), nullptr, *wire::find_dialect(game, "0.80"));
  }
};

TEST_CASE("a client that a front bans by its game's rule is refused for a while") {
  Bans bans(600);
  FakeServer fake;
  Newest running(fake.address(), bans), other(fake.address(), bans);
  Yard yard;
  const auto comes = [&](const Newest& to) {
    reopen(yard.client, {1, 1, true, kMostPackets});  // the packets of this game are compressed
    yard.knock(to.address, 5);
    yard.until([&] { return yard.client.ups > 0; });
  };
  comes(running);
  yard.say(yard.client, {17, 0, 0, 'h', 'i', 0});  // chat before it has identified itself: real clients do that
  yard.until([&] { return yard.client.heard("down 10"); });
  CHECK(bans.all().empty());
  comes(running);
  yard.say(yard.client, {20, 0});  // the packet for a player that left, which no client sends
  yard.until([&] { return yard.client.heard("down 1"); });
  CHECK(running.heard.line("a rule of the game banned the player from 127.0.0.1"));
  REQUIRE(bans.all().size() == 1);
  CHECK(bans.all()[0].until <= std::time(nullptr) + 30);
  comes(running);
  yard.until([&] { return yard.client.heard("down 1"); });
  CHECK(running.ended(Reason::kBanned));
  comes(other);  // another client of the same address is let in on the other route
  yard.say(yard.client, {17, 0, 0, 'h', 'i', 0});
  yard.until([&] { return yard.client.heard("down 10"); });
  CHECK(other.totals().by(Reason::kBanned) == 0);
}

TEST_CASE("a ban of one server or listener holds there alone, beside the ban of all; unban lifts each") {
  Bans bans(600);
  const relay::BanScope one{{"a.example:5154"}, "127.0.0.1:1"}, two{{"b.example:5154"}, "127.0.0.1:2"},
      same{{"a.example:5154"}, "127.0.0.1:3"}, both{{"a.example:5154", "b.example:5154"}, "127.0.0.1:4"};
  REQUIRE(bans.learn(ip("10.0.0.7"), "server", 100, "a.example:5154"));
  REQUIRE(bans.learn(ip("10.0.0.7"), "rule", 100, two.listener, 30));
  CHECK_FALSE(bans.learn(ip("10.0.0.7"), "again", 100, "a.example:5154"));
  CHECK(bans.find(ip("10.0.0.7"), 101, one)->why == "server");
  CHECK(bans.find(ip("10.0.0.7"), 101, same)->why == "server");
  CHECK(bans.find(ip("10.0.0.7"), 129, two)->why == "rule");
  CHECK_FALSE(bans.find(ip("10.0.0.7"), 130, two));
  CHECK_FALSE(bans.find(ip("10.0.0.7"), 101));
  CHECK_FALSE(bans.find(ip("10.0.0.7"), 101, both));  // the other server is left
  CHECK(bans.bans_from("a.example:5154", ip("10.0.0.7"), 101));
  CHECK_FALSE(bans.bans_from("b.example:5154", ip("10.0.0.7"), 101));
  CHECK_FALSE(Bans(0).learn(ip("10.0.0.7"), "rule", 100, two.listener, 30));
  bans.add({net_of("10.0.0.7"), Ban::kForGood, "all", false});
  CHECK(bans.find(ip("10.0.0.7"), 130, two)->why == "all");
  CHECK(bans.all(101).size() == 2);
  CHECK(bans.remove(net_of("10.0.0.7")));
  CHECK(bans.all(101).empty());
  CHECK_FALSE(bans.find(ip("10.0.0.7"), 101, one));
}

TEST_CASE("a kick over ENet is no ban") {
  Bans bans(600);
  Scene scene(aos::game(), no_limits(), EnetMode::kPackets, nullptr, false, &bans);
  scene.join(3);
  scene.server.host.disconnect(*scene.server.peer, 10);
  scene.until([&] { return scene.client.heard("down 10"); });
  CHECK(bans.all().empty());
}

TEST_CASE("a banned client of the draft gets a reject and the end") {
  Bans bans;
  bans.add({net_of("127.0.0.1"), Ban::kForGood, "no", false});
  Scene scene(bzdraft::game(), no_limits(), EnetMode::kPackets, nullptr, false, &bans);
  scene.knock(0);
  scene.until([&] { return scene.client.heard("0/1 0003726a026e6f00"); });  // MsgReject 2 "no", MsgSuperKill
  scene.until([&] { return scene.client.heard("down 0"); });
  CHECK(scene.server.ups == 0);
}

}  // namespace
}  // namespace entente::testing::bans_test
