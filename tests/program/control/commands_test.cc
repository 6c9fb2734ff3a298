// The commands of the control socket, by themselves: in front of a relay of the toy game that runs in the test.
#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "proxy/program/control/control.h"
#include "proxy/program/control/control_access.h"
#include "proxy/program/control/control_bans.h"
#include "proxy/program/control/control_drain.h"
#include "proxy/program/control/control_move.h"
#include "proxy/program/control/control_server.h"
#include "proxy/program/control/control_servers.h"
#include "proxy/program/log/log.h"
#include "proxy/program/rules/rule_orders.h"
#include "proxy/program/settings/ban_file.h"
#include "tests/program/folder.h"
#include "tests/relay/toy.h"
#include "tests/support/pattern.h"

namespace entente::commands_test {
namespace {

using testing::FakeServer, testing::Stream;

/// A relay of two servers, of which newcomers get the first, and all commands.
struct Commanded : testing::Serving {
  explicit Commanded(const std::string& public_host = "") : Serving(1) {
    relay::RouteOptions options;
    options.game = &toy::game();
    options.listen = testing::loopback();
    options.bans = &bans;
    options.servers.clear();
    for (const FakeServer* one : {&first, &second})
      options.servers.push_back({one->address().ip_text(), one->address().port(), 0});
    serve_all(std::move(options), testing::no_limits());
    routes = {{{0, "ctf", "toy", "", address}, {0}, false}};
    const RouteLister lister = [this] { return routes; };
    add_server_commands(control, server(), roster, lister, [] {
      return std::vector<ReplyRow>{{text_field("served", "ctf"), number_field("sessions", 7)}};
    });
    add_servers_command(control, server(), lister);
    drainer.add(0, "ctf");
    add_drain_commands(control, server(), roster, lister, drainer, [this](bool on) { drains_all = on; });
    add_ban_commands(control, server(), roster, bans, kept);
    add_access_commands(control, listed, kept, [this] { return configured; });
    add_move_commands(control, server(), roster, lister, public_host);
  }
  ~Commanded() {
    clients.clear();
    links.clear();
    stop();
  }

  /// A player of this name, on the first server. Returns the link.
  relay::LinkId join(const std::string& name) {
    clients.push_back(Stream::to(address));
    clients.back().send(testing::kHello);
    links.push_back(first.accept());
    CHECK(links.back().read_text(4) == testing::kHello);
    relay::LinkId link = 0;
    for (const auto& one : sessions()) link = std::max(link, one.info.link);
    names[link] = name;
    return link;
  }
  std::string ask(const std::string& line) const { return control.answer(line); }

  FakeServer first{true}, second{true};
  std::vector<Stream> clients, links;
  std::map<relay::LinkId, std::string> names;
  ListedRoutes routes;
  relay::Bans bans;
  relay::ListedNetworks listed;
  relay::Access configured;
  std::optional<bool> drains_all;
  Roster roster{server(), [this](relay::LinkId link) { return names[link]; }};
  Housekeeping thread{"housekeeping"};
  Drainer drainer{server(), 0, thread};
  KeptBans kept{bans, listed, "", thread};
  RuleOrders orders{server(), bans, kept, [this] { return routes; }, thread};
  Control control;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("a thousand lines of rules to players push out no ban") {
  Commanded its;
  const auto book = its.orders.new_book("route ctf");
  rules::Action tell{.kind = rules::Action::Kind::kTell, .player = 1, .text = "spam"};
  relay::LinkInfo loud;
  loud.link = 1'000;
  for (int i = 0; i < 2'000; ++i) book->act(tell, &loud);
  rules::Action ban{.kind = rules::Action::Kind::kBan, .player = 2, .text = "cheats"};
  ban.minutes = 5;
  relay::LinkInfo cheat;
  cheat.link = 1'001;
  cheat.client = its.address;
  book->act(ban, &cheat);
  its.orders.start();
  CHECK(testing::eventually([&] { return has(its.ask("bans"), "cheats"); }));
}

TEST_CASE("a player who is reported a thousand times does not hide the one report of another") {
  const Folder folder;
  config::Log settings;
  settings.set_file(folder.file("log"));
  const auto logger = spdlog::default_logger();
  REQUIRE(start_log(settings).ok());
  {
    Commanded its;
    const auto book = its.orders.new_book("route ctf");
    const auto report = [&](const char* name, const char* address) {
      relay::LinkInfo who;
      who.client = *net::Address::parse(address, 4'000);
      const rules::Action action{.kind = rules::Action::Kind::kReport, .player = 1, .text = "fast", .name = name};
      book->act(action, &who);
    };
    for (int i = 0; i < 1'000; ++i) report("loud", "192.0.2.1");
    report("quiet", "192.0.2.2");
  }
  stop_log();
  spdlog::set_default_logger(logger);
  std::ifstream file(settings.file());
  const std::string lines(std::istreambuf_iterator<char>(file), {});
  CHECK(has(lines, "reports player 1 ('quiet'): fast"));
  CHECK(testing::all_matches(lines, "'loud'").size() == LineLimiter::kOfPlayer.at_once);
}

TEST_CASE("a flood of lines from rules does not fill the log") {
  Commanded its;
  const auto book = its.orders.new_book("route ctf");
  std::ostringstream written;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_mt>(written)));
  const rules::Action log{.kind = rules::Action::Kind::kLog, .text = "spam"};
  for (int i = 0; i < 2'000; ++i) book->act(log, nullptr);
  spdlog::set_default_logger(before);
  const std::string text = written.str();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  CHECK(lines >= LineLimiter::kOfRules.at_once);
  CHECK(lines < 1'000);  // more than a hundred only on a slow machine
}

// -- Questions --------------------------------------------------------------------------------------------------------

TEST_CASE("questions without arguments refuse some, and the others say how they are asked") {
  const Commanded its;
  for (const std::string name : {"list", "routes", "stats", "servers", "bans", "access", "listeners"})
    CHECK(its.ask(name + " x") == "error: " + name + " takes no arguments\n");
  CHECK(its.ask("find") == "error: usage: find LINK|NAME|ADDRESS\n");
  CHECK(its.ask("who \"\"") == "error: usage: who LINK|NAME|ADDRESS\n");
  CHECK(its.ask("listener") == "error: usage: listener GAME\n");
  CHECK(its.ask("stats") == "ok\nserved ctf sessions=7\n");
}

TEST_CASE("the list of sessions has a row for each, and in JSON also its route") {
  Commanded its;
  CHECK(its.ask("list") == "ok\nlink\tgame\tclient\tserver\tseconds\tbytes\tplayer\n");
  const std::string link = std::to_string(its.join("anna"));
  const std::string client = its.sessions()[0].info.client.text();
  const std::string row = "\n" + link + "\ttoy big\t" + client + "\t" + its.first.address().text() + "\t";
  CHECK(has(its.ask("list"), row));
  CHECK(testing::eventually([&] { return its.ask("list").ends_with("\t4\tanna\n"); }));  // bytes, player
  CHECK(has(its.ask("--json list"), "\"player\":\"anna\",\"route\":\"ctf\"}"));
  its.routes[0].numbers = {5};
  CHECK(has(its.ask("--json list"), "\"player\":\"anna\",\"route\":null}"));
}

TEST_CASE("find takes a part of a name, who takes the whole name") {
  Commanded its;
  its.join("anna");
  its.join("annabel");
  CHECK(has(its.ask("find NABEL"), "\tannabel\n"));
  CHECK(has(its.ask("find ann"), "\tanna\n"));
  CHECK(has(its.ask("find ann"), "\tannabel\n"));
  CHECK(has(its.ask("who anna"), "\tanna\n"));
  CHECK_FALSE(has(its.ask("who anna"), "annabel"));
  CHECK(its.ask("who ann") == "ok\nlink\tgame\tclient\tserver\tseconds\tbytes\tplayer\n");
  CHECK(has(its.ask("find \"anna\""), "\tannabel\n"));
}

TEST_CASE("the routes are listed with their sessions, and a removed one only while it has some") {
  Commanded its;
  CHECK(has(its.ask("routes"), "\nctf\ttoy\t-\tno\t0\t0\t0\t0\t0\t0\n"));
  its.routes[0].retired = true;
  CHECK(its.ask("routes").ends_with("to_client\n"));
  CHECK(its.ask("servers").ends_with("why\n"));
  its.join("anna");
  CHECK(testing::eventually([&] { return has(its.ask("routes"), "\nctf\ttoy\t-\tyes\t1\t0\t1\t0\t4\t0\n"); }));
  CHECK(has(its.ask("servers"), ", draining\t"));
  its.routes[0].retired = false;
  CHECK(has(its.ask("routes"), "\nctf\ttoy\t-\tno\t1\t"));
  its.set_draining(true);
  CHECK(has(its.ask("routes"), "\nctf\ttoy\t-\tyes\t1\t"));
}

TEST_CASE("the servers are listed with their state, sessions and weight") {
  Commanded its;
  const std::string name = its.server().servers(0)[0].name, other = its.server().servers(0)[1].name;
  CHECK(has(its.ask("servers"), "\nctf\t" + name + "\tnot tried\t-\t0\t0\t1\t"));
  its.join("anna");
  CHECK(testing::eventually([&] { return has(its.ask("servers"), "\nctf\t" + name + "\tup\t"); }));
  CHECK(has(its.ask("--json servers"), "\"server\":\"" + name + "\",\"state\":\"up\","));
  CHECK(has(its.ask("--json servers"), "\"sessions\":1,\"opened\":1,\"weight\":1,"));
  CHECK(its.ask("drain " + other).starts_with("ok\n"));
  CHECK(has(its.ask("servers"), "\nctf\t" + other + "\tnot tried, drained\t"));
}

// -- Kicks ------------------------------------------------------------------------------------------------------------

TEST_CASE("a kick ends the one session that is meant, and no other") {
  Commanded its;
  const std::string anna = std::to_string(its.join("anna")), ben = std::to_string(its.join("ben"));
  const std::string told = its.ask("kick ben too loud");
  CHECK(told.starts_with("ok\nkicked link " + ben + " ("));
  CHECK(its.ended(relay::Reason::kKicked));
  CHECK(testing::eventually([&] { return its.sessions().size() == 1; }));
  CHECK(std::to_string(its.sessions()[0].info.link) == anna);
}

TEST_CASE("nobody is kicked if several players could be meant, or the reason cannot be told") {
  Commanded its;
  its.join("Anna");
  its.join("ANNA");
  CHECK(has(its.ask("kick anna"), " is ambiguous, name a link: link "));
  CHECK(has(its.ask("kick 127.0.0.1"), " is ambiguous, name a link: link "));
  CHECK(its.ask("kick Anna " + std::string(401, 'x')) == "error: the text has 401 bytes; it may have 400\n");
  CHECK(its.ask("kick") == "error: usage: kick LINK|NAME|ADDRESS [why]; `list` shows who plays\n");
  CHECK(its.ask("kick \"\"") == "error: usage: kick LINK|NAME|ADDRESS [why]; `list` shows who plays\n");
  CHECK(its.ask("kick carl").starts_with("error: 'carl' matches no player"));
  CHECK(its.sessions().size() == 2);
  CHECK(its.totals().by(relay::Reason::kKicked) == 0);
}

// -- Drains -----------------------------------------------------------------------------------------------------------

TEST_CASE("a drain turns newcomers away until it is undone, and says how many play on") {
  Commanded its;
  its.join("anna");
  CHECK(its.ask("drain ctf") == "ok\ndraining ctf: 1 session goes on\n");
  CHECK_FALSE(its.drains_all);  // only this one
  CHECK(its.server().is_draining(0));
  CHECK(its.ask("undrain ctf") == "ok\nctf takes newcomers again\n");
  CHECK_FALSE(its.server().is_draining(0));
  CHECK(its.ask("undrain ctf") == "ok\nctf was not draining\n");
  CHECK(its.ask("drain --for 1h") == "ok\ndraining ctf: 1 session goes on for 1h\n");
  CHECK(its.drains_all == true);
  CHECK(its.ask("undrain") == "ok\nctf takes newcomers again\n");
  CHECK(its.drains_all == false);
}

TEST_CASE("a drain that is written wrong drains nothing") {
  const Commanded its;
  const std::string usage =
      "error: usage: drain [ROUTE|SERVER] [--for TIME] [--refer GAME,PLACE,HOST:PORT] [--say TEXT]\n";
  CHECK(its.ask("drain ctf ffa") == usage);
  CHECK(its.ask("drain \"\"") == usage);
  CHECK(its.ask("undrain \"\"") == "error: usage: undrain [ROUTE|SERVER]\n");
  CHECK(its.ask("drain ffa").starts_with("error: no route is called 'ffa'"));
  CHECK(its.ask("drain --for soon").starts_with("error: 'soon' is not a time"));
  CHECK(its.ask("drain --for 8d") == "error: '8d' is too long; the most is 7d\n");
  CHECK(its.ask("drain --say " + std::string(401, 'x')) == "error: the text has 401 bytes; it may have 400\n");
  for (const std::string wrong :
       {"toy", "toy,ctf", "toy,h:1", ",ctf,h:1", "toy,,h:1", "toy,ctf,h", "toy,ctf,h:0", "toy,ctf,"})
    CHECK(its.ask("drain --refer " + wrong) == "error: '" + wrong + "' is not GAME,PLACE,HOST:PORT\n");
  CHECK_FALSE(its.server().is_draining(0));
  CHECK_FALSE(its.drains_all);
}

TEST_CASE("players of a drained route are told where to connect, if the route's game and place are named") {
  Commanded its;
  its.join("anna");
  const std::string servers = its.server().servers(0)[0].name + " " + its.server().servers(0)[1].name;
  CHECK(has(its.ask("drain ctf --refer \"toy," + servers + ",example.org:4000\""),
            "draining ctf: 1 session goes on; players are told to connect to example.org:4000\n"));
  its.ask("undrain");
  for (const std::string& other : {"\"native," + servers, std::string("\"toy,lobby")}) {
    const std::string told = its.ask("drain ctf --refer " + other + ",example.org:4000\"");
    CHECK_MESSAGE(told == "ok\ndraining ctf: 1 session goes on\ntold 0 of 0 players\n", other);
    its.ask("undrain");
  }
  CHECK(has(its.ask("drain ctf --say bye"), "\ntold 0 of 1 players; not told: 1 of toy ("));
}

TEST_CASE("a server is drained by its name, on all routes, and takes no words for players") {
  Commanded its;
  its.join("anna");
  const std::string name = its.server().servers(0)[0].name;
  CHECK(its.ask("drain " + name + " --say bye") ==
        "error: --refer and --say are for routes; " + name + " is a server\n");
  CHECK_FALSE(its.server().servers(0)[0].drained);
  CHECK(its.ask("drain " + name) == "ok\ndraining server " + name + ": 1 session goes on\n");
  CHECK(its.server().servers(0)[0].drained);
  CHECK(its.ask("undrain " + name) == "ok\nserver " + name + " gets new players again\n");
  CHECK_FALSE(its.server().servers(0)[0].drained);
  CHECK(its.ask("drain " + name + " --for 1h") ==
        "ok\ndraining server " + name +
            ": 1 session goes on for 1h, then 1 session ends (relays cannot move players, and these bridges have no "
            "other server and no hold_s)\n");
}

TEST_CASE("what a removed route does after a drain is undone is said, and that it takes no newcomers is not unsaid") {
  Commanded its;
  its.join("anna");
  its.ask("drain");
  its.routes[0].retired = true;
  CHECK(its.ask("undrain ctf") == "ok\nctf, which a reload has removed: 1 session goes on\n");
}

TEST_CASE("while the program drains before its stop, no route takes newcomers again") {
  Commanded its;
  Drainer stops(its.server(), 3'600'000, its.thread);
  Control control;
  its.join("anna");
  add_drain_commands(
      control, its.server(), its.roster, [&its] { return its.routes; }, stops, [](bool) {});
  stops.add(0, "ctf");
  stops.begin_stop();
  CHECK(testing::eventually([&] { return its.server().is_draining(0); }));
  CHECK(control.answer("undrain ctf") ==
        "error: the program stops when its players have left, and accepts no more players\n");
  CHECK(its.server().is_draining(0));
}

TEST_CASE("say needs a text, takes a route, and counts who was told") {
  Commanded its;
  CHECK(its.ask("say") == "error: usage: say [--route ROUTE] TEXT\n");
  CHECK(its.ask("say --route ctf") == "error: usage: say [--route ROUTE] TEXT\n");
  CHECK(its.ask("say --route ffa hello").starts_with("error: no route is called 'ffa'"));
  CHECK(its.ask("say hello") == "ok\ntold 0 of 0 players\n");
  its.join("anna");
  its.join("ben");
  CHECK(its.ask("say --route ctf hello").starts_with("ok\ntold 0 of 2 players; not told: 2 of toy ("));
  const std::string json = its.ask("--json say hello");
  CHECK(has(json, ",\"told\":[],\"not_told\":[{\"link\":"));
  CHECK(has(json, "\"player\":\"ben\",\"why\":\""));
}

// -- Bans and lists ---------------------------------------------------------------------------------------------------

TEST_CASE("a ban of a player ends all sessions of the address, and says how many others that were") {
  Commanded its;
  its.join("anna");
  its.join("ben");
  its.join("carl");
  const std::string told = its.ask("ban ben --why no cheating");
  CHECK(told == "ok\nbanned 127.0.0.1 forever, 3 sessions ended; 2 other players share this address\n");
  CHECK(its.ended(relay::Reason::kBannedNow, 3));
  CHECK(its.ask("bans") == "ok\naddress\tuntil\tby\twhy\twhere\n127.0.0.1\tforever\tus\tno cheating\t-\n");
  CHECK(its.ask("ban 127.0.0.1") ==
        "ok\nbanned 127.0.0.1 forever, 0 sessions ended; replaces a ban forever (no cheating)\n");
  CHECK(its.ask("unban 127.0.0.1") == "ok\n127.0.0.1 is no longer banned\n");
  CHECK(its.ask("bans") == "ok\naddress\tuntil\tby\twhy\twhere\n");
}

TEST_CASE("a ban of an address or of a client bans the host, and others play on") {
  Commanded its;
  its.join("anna");
  CHECK(its.ask("ban 192.0.2.7:4000") == "ok\nbanned 192.0.2.7 forever, 0 sessions ended\n");
  CHECK(its.ask("ban [2001:db8:1:2:3::7]:4000").starts_with("ok\nbanned 2001:db8:1:2::/64 forever, "));
  CHECK(its.sessions().size() == 1);
  CHECK(has(its.ask("bans"), "\n192.0.2.7\tforever\tus\t-\t-\n"));
}

TEST_CASE("the bans are listed by their addresses, and one by a server says so") {
  Commanded its;
  its.ask("ban 198.51.100.7 --why b");
  its.ask("ban 192.0.2.7 --why a");
  relay::Ban theirs{*net::Network::parse("203.0.113.7"), relay::Ban::kForGood, "c", true};
  theirs.where = "ctf";
  its.bans.add(theirs);
  const std::string all = its.ask("bans");
  CHECK(all.find("192.0.2.7\t") < all.find("198.51.100.7\t"));
  CHECK(all.find("198.51.100.7\t") < all.find("203.0.113.7\t"));
  CHECK(has(all, "\tus\ta\t-\n"));
}

TEST_CASE("a ban that is written wrong bans nobody") {
  Commanded its;
  its.join("anna");
  for (const std::string line :
       {"ban", "ban \"\"", "ban anna now", "ban anna --for", "ban anna --for 0.5s", "ban anna --for 3651d", "ban carl",
        "ban 192.0.2.0/33", "ban 99", "ban 0.0.0.0/0", "unban", "unban anna", "unban 192.0.2.7"})
    CHECK_MESSAGE(its.ask(line).starts_with("error: "), line);
  CHECK(its.ask("ban anna now") ==
        "error: only '--for TIME', '--yes' and '--why TEXT' may follow the address or the name, not 'now'\n");
  CHECK(its.ask("ban anna --for 0.5s") == "error: a ban lasts at least one second; without --for it is permanent\n");
  CHECK(its.sessions().size() == 1);
  CHECK(its.ask("bans") == "ok\naddress\tuntil\tby\twhy\twhere\n");
}

TEST_CASE("the options of a ban may come in any order, and a reason without quotes ends the line") {
  Commanded its;
  CHECK(its.ask("ban 192.0.2.0/24 --why \"a b\" --for 1h").starts_with("ok\nbanned 192.0.2.0/24 until 2"));
  CHECK(its.ask("ban 0.0.0.0/1 --why \"all\" --yes").starts_with("ok\nbanned 0.0.0.0/1 forever, "));
  CHECK(its.ask("ban 192.0.2.9 --why all --yes").starts_with("ok\n"));
  CHECK(has(its.ask("bans"), "\tus\ta b\t-\n"));
  CHECK(has(its.ask("bans"), "192.0.2.9\tforever\tus\tall --yes\t-\n"));
}

TEST_CASE("a network is allowed or denied until it is unlisted, and the configuration's are listed beside it") {
  Commanded its;
  CHECK(its.ask("deny 192.0.2.0/24 --why spam") == "ok\n192.0.2.0/24 is denied; its sessions here go on\n");
  CHECK(its.ask("allow 192.0.2.7") == "ok\n192.0.2.7 is allowed\n");
  its.configured.allow = {*net::Network::parse("10.0.0.0/8")};
  its.configured.deny = {*net::Network::parse("10.1.0.0/16")};
  CHECK(its.ask("access") ==
        "ok\nnetwork\tlist\tby\twhy\n192.0.2.0/24\tdeny\tus\tspam\n192.0.2.7\tallow\tus\t-\n"
        "10.0.0.0/8\tallow\tconfiguration\t-\n10.1.0.0/16\tdeny\tconfiguration\t-\n");
  CHECK(its.ask("unlist 192.0.2.7") == "ok\n192.0.2.7 is no longer in the list\n");
  CHECK(its.ask("unlist 192.0.2.7") ==
        "error: 192.0.2.7 is in no list, but it is in 192.0.2.0/24, which is: `unlist 192.0.2.0/24` takes that out\n");
  CHECK(its.ask("unlist 10.0.0.0/8") ==
        "error: 10.0.0.0/8 is in no list that operators keep; `access` shows the lists\n");
  CHECK(its.ask("allow 192.0.2.0/24") == "ok\n192.0.2.0/24 is allowed\n");  // from the other list
  CHECK(has(its.ask("access"), "\n192.0.2.0/24\tallow\tus\t-\n"));
}

TEST_CASE("a network that is written wrong, or a list that is full, changes nothing") {
  Commanded its;
  CHECK(its.ask("allow") == "error: usage: allow NETWORK [--yes] [--why TEXT]\n");
  CHECK(its.ask("deny") == "error: usage: deny NETWORK [--yes] [--why TEXT]\n");
  CHECK(its.ask("deny anna").starts_with("error: "));
  CHECK(its.ask("deny 192.0.2.7 now") == "error: only '--yes' and '--why TEXT' may follow the network, not 'now'\n");
  CHECK(its.ask("deny 192.0.2.7 --why " + std::string(401, 'x')) == "error: the text has 401 bytes; it may have 400\n");
  CHECK(its.ask("allow 0.0.0.0/0").starts_with("ok\n"));  // allowing all is harmless
  CHECK(its.ask("deny 0.0.0.0/0") ==
        "error: 0.0.0.0/0 holds a large part of all addresses: to deny them all, add --yes\n");
  CHECK(has(its.ask("access"), "\n0.0.0.0/0\tallow\t"));
  for (std::size_t i = 1; i < relay::ListedNetworks::kMost; ++i)
    its.listed.put({*net::Network::parse("10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250)),
                    relay::ListedNetwork::List::kDeny, ""});
  CHECK(its.ask("deny 192.0.2.7") ==
        "error: 1000 networks are listed; take some out with `unlist`, or write them into [access]\n");
  CHECK(its.ask("deny 0.0.0.0/0 --yes").starts_with("ok\n"));  // is in already
}

// -- Moves ------------------------------------------------------------------------------------------------------------

TEST_CASE("where players connect is told by game: the first listener that takes newcomers") {
  Commanded its;
  CHECK(its.ask("listener toy") == "ok\n" + its.address.text() + "\n");
  CHECK(its.ask("listener bzflag") == "error: no route here takes clients of bzflag\n");
  const std::string servers = its.server().servers(0)[0].name + " " + its.server().servers(0)[1].name;
  CHECK(its.ask("listeners") == "ok\ngame\tplace\taddress\ntoy\t" + servers + "\t" + its.address.text() + "\n");
  its.set_draining(true);
  CHECK(its.ask("listener toy") == "error: no route here takes clients of toy now: it drains\n");
  CHECK(its.ask("listeners") == "ok\ngame\tplace\taddress\n");
}

TEST_CASE("a public host is told instead of the listener's address; a wildcard is no address for players") {
  Commanded its("play.example.org");
  const std::string port = std::to_string(its.address.port());
  CHECK(its.ask("listener toy") == "ok\nplay.example.org:" + port + "\n");
  its.routes[0].named.listener = *net::Address::parse("0.0.0.0", its.address.port());
  CHECK(its.ask("listener toy") == "ok\nplay.example.org:" + port + "\n");
  Commanded without;
  without.routes[0].named.listener = *net::Address::parse("0.0.0.0", without.address.port());
  CHECK(without.ask("listener toy") == "error: it is not known where players reach ctf; set public_host\n");
  CHECK(without.ask("listeners") == "ok\ngame\tplace\taddress\n");
  without.routes[0].named.listener = {};
  CHECK(without.ask("listener toy") == "error: no route here takes clients of toy\n");
}

TEST_CASE(
    "a player is referred elsewhere and disconnected; a place that is no HOST:PORT, or two players, are an error") {
  Commanded its;
  const std::string anna = std::to_string(its.join("anna"));
  its.join("ben");
  CHECK(its.ask("refer anna") == "error: usage: refer LINK|NAME|ADDRESS HOST:PORT\n");
  CHECK(its.ask("refer anna nowhere") == "error: 'nowhere' is not HOST:PORT\n");
  CHECK(its.ask("refer anna example.org:0") == "error: 'example.org:0' is not HOST:PORT\n");
  CHECK(its.ask("refer anna " + std::string(301, 'h') + ":5") == "error: the text has 303 bytes; it may have 300\n");
  CHECK(has(its.ask("refer 127.0.0.1 example.org:5"), " is ambiguous, name a link: "));
  CHECK(its.ask("refer carl example.org:5").starts_with("error: 'carl' matches no player"));
  CHECK(its.sessions().size() == 2);
  const std::string told = its.ask("refer anna example.org:5");
  CHECK(told.starts_with("ok\ntold link " + anna + " ("));
  CHECK(told.ends_with(" to connect to example.org:5\n"));
  CHECK(testing::eventually([&] { return its.sessions().size() == 1; }));
}

TEST_CASE("a move needs one player and one route that is served") {
  Commanded its;
  its.join("anna");
  its.join("ben");
  const std::string usage =
      "error: usage: move LINK|NAME|ADDRESS ROUTE; `list` shows who plays, `routes` lists the routes\n";
  CHECK(its.ask("move") == usage);
  CHECK(its.ask("move anna") == usage);
  CHECK(has(its.ask("move 127.0.0.1 ctf"), " is ambiguous, name a link: "));
  CHECK(its.ask("move carl ctf").starts_with("error: 'carl' matches no player"));
  CHECK(its.ask("move anna ffa").starts_with("error: no route is called 'ffa'"));
  CHECK(has(its.ask("move anna ctf"), " stays where it is: "));
  its.routes.push_back({{0, "other", "toy", "", its.address}, {0}, false});
  CHECK(its.ask("move anna toy") == "error: 'toy' is more than one route: ctf, other\n");
  its.routes[1].retired = true;
  CHECK(its.ask("move anna other").starts_with("error: no route is called 'other'"));
  CHECK(its.sessions().size() == 2);
}

TEST_CASE("a drain and its end are told with a row for each route, for programs") {
  Commanded its;
  its.join("anna");
  CHECK(has(its.ask("--json drain ctf"), "{\"route\":\"ctf\",\"sessions\":1}"));
  CHECK(has(its.ask("--json undrain ctf"), "{\"route\":\"ctf\"}"));
}

}  // namespace
}  // namespace entente::commands_test
