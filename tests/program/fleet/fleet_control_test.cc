// One operation for all nodes: `entente ctl --fleet`, and bans that all nodes share.
#include "proxy/program/fleet/fleet_answers.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "proxy/fleet/decode.h"
#include "proxy/fleet/subjects.h"
#include "proxy/program/fleet/fleet_control.h"
#include "schema/fleet.pb.h"
#include "tests/fleet/station.h"
#include "tests/program/fleet/fleet_process.h"
#include "tests/program/native_client.h"
#include "tests/support/connection.h"
#include "tests/support/pattern.h"
#include "tests/support/receiver.h"

namespace entente::fleet_control_test {
namespace {

/// Waits until a node's ban file has this text or, if not `wanted`, lacks it. The file is written after a ban applies.
bool is_in_file(const NodeProcess& node, const std::string& text, bool wanted = true) {
  return eventually([&] { return has(content_of(node.folder().file("bans")), text) == wanted; });
}

/// Whether a bot that connects now is refused. A bot that hangs (-1) was not refused.
bool is_refused(const NodeProcess& node) {
  return run({testing::entente_binary(), "bot", node.url(), "--name", "x", "--behaviour", "idle"}).code > 0;
}

/// The link of the node's only session.
std::string link_of(const NodeProcess& node) {
  const std::string list = node.ctl({"list"}).out;
  const auto row = list.find('\n') + 1;
  return list.substr(row, list.find('\t', row) - row);
}

TEST_CASE("answers of nodes: merged tables have the columns of all nodes and escaped control characters") {
  const std::vector<NodeAnswer> tables = {
      {"a", "ok\nlink\tplayer\n1\tanna\n"}, {"b", "ok\nlink\tserver\tplayer\n2\ts\tb\x1b[2Jen\n3\tt\tcarl\n"},
      {"c", "ok\nlink\tplayer\n"},          {"d", ""},
      {"e", "error: no\x1b[31m\n"},         {"f", "hello"}};
  CHECK(merged_answers(tables, false) ==
        "ok\nnode\tlink\tplayer\tserver\na\t1\tanna\t-\nb\t2\tb\\x1b[2Jen\ts\nb\t3\tcarl\tt\n# d: does not answer\n"
        "# e: no\\x1b[31m\n# f: sent an invalid answer\n");
  CHECK(merged_answers({{"a", "ok\ntold 1 of 1 players\n"}, {"b", "ok\ntold 0 of 0 players\n"}}, false) ==
        "ok\na: told 1 of 1 players\nb: told 0 of 0 players\n");
  CHECK(merged_answers({{"a", "ok\nlink\tplayer\n1\tanna\tmore than columns\n"}}, false) ==
        "ok\nnode\tlink\tplayer\na\t1\tanna\n");
  const std::vector<NodeAnswer> json = {{"a", R"([{"link":7,"client":"192.0.2.7:1","player":"anna"}])"},
                                        {"b", R"({"error":"no \u001b"})"},
                                        {"c", "[{]"},
                                        {"d", ""},
                                        {"e", "[1]"}};
  CHECK(merged_answers(json, true) ==
        R"([{"node":"a","client":"192.0.2.7:1","link":7,"player":"anna"},{"node":"b","error":"no \u001b"},)"
        R"({"node":"c","error":"sent an invalid answer"},{"node":"d","error":"does not answer"},)"
        R"({"node":"e","error":"sent an invalid answer"}])"
        "\n");
  const auto rows = rows_of_answers(json);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].node == "a");
  CHECK(rows[0].link == "7");
  CHECK(rows[0].client == "192.0.2.7:1");
}

TEST_CASE("answers of nodes: too large ones are invalid, any number is safe, and a node cannot pose as another") {
  const NodeAnswer good = {"a", "ok\nlink\tplayer\n1\tanna\n"};
  std::string columns = "0";
  for (int i = 1; i < 64; ++i) columns += "\t" + std::to_string(i);
  const auto merged = [&](const std::string& text) { return merged_answers({{"b", text}, good}, false); };
  const std::string rows = "ok\nnode\tlink\tplayer\na\t1\tanna\n", nonsense = "# b: sent an invalid answer\n";
  CHECK(has(merged("ok\n" + columns + "\n" + std::string(1'000, '\n')), "\t63\tlink\tplayer\n"));
  CHECK(merged("ok\n" + columns + "\t64\n") == rows + nonsense);
  CHECK(merged("ok\n" + columns + std::string(1'000'000, '\n')) == rows + nonsense);
  CHECK(merged("ok\n" + std::string(1 << 20, 'a')) == rows + nonsense);
  CHECK(merged("ok\nnode\tlink\na\t7\n") == "ok\nnode\tnode\tlink\tplayer\nb\ta\t7\t-\na\t-\t1\tanna\n");

  // Each row of the merged table has each column, so both are limited together, too.
  std::vector<NodeAnswer> crowd = {good};
  for (int node = 0; node < 40; ++node) {
    std::string own = "ok\nc" + std::to_string(node);
    for (int i = 1; i < 64; ++i) own += "\tc" + std::to_string(node) + "." + std::to_string(i);
    crowd.push_back({"n" + std::to_string(node), own + "\n1\n"});
  }
  crowd.push_back(good);
  const std::string all = merged_answers(crowd, false), left_out = ": its answer is left out, because the answers of";
  CHECK(has(all, "\na\t1\tanna\t-"));
  CHECK(has(all, "\nn2\t-\t-\t"));
  CHECK(has(all, "# n39" + left_out));
  CHECK(all.size() < 10'000);
  CHECK(has(all.substr(all.find("\nn2\t")), "\na\t1\tanna\t-"));  // another node after that does not suffer
  crowd.assign(15, {"b", "ok\na\tb\n" + std::string(19'000, '\n')});
  const std::string long_tables = merged_answers(crowd, false);
  CHECK(std::count(long_tables.begin(), long_tables.end(), '\n') < 200'020);
  CHECK(has(long_tables, "# b" + left_out));

  const auto json = [](const std::string& text) { return merged_answers({{"b", text}}, true); };
  const std::string no_json = "[{\"node\":\"b\",\"error\":\"sent an invalid answer\"}]\n";
  std::string objects = "[{}";
  for (int i = 0; i < 20'000; ++i) objects += ",{}";
  CHECK(json(objects + "]") == no_json);
  CHECK(json("[{\"a\":\"" + std::string(1 << 20, 'a') + "\"}]") == no_json);
  CHECK(json(R"([{"node":"a","link":7}])") == "[{\"node\":\"b\",\"link\":7}]\n");
  for (const char* number : {"1e300", "-1", "1e19"}) {
    const auto found = rows_of_answers({{"b", std::string("[{\"link\":") + number + "}]"}});
    REQUIRE(found.size() == 1);
    CHECK(found[0].link.empty());
  }
}

TEST_CASE("ctl --fleet: any node can list, find, kick and message the players of all nodes, and drain nodes") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  NodeProcess a(nats, "a"), b(nats, "b");
  const auto anna = a.bot("anna"), ben = b.bot("ben");
  REQUIRE(a.says({"--fleet", "nodes"}, "\nb\t"));
  CHECK(a.ctl({"--fleet", "nodes"}).out.starts_with("node\tversion\tseconds\tsessions\tdraining\na\t"));
  REQUIRE(b.says({"--fleet", "nodes"}, "\na\t"));
  for (const NodeProcess* node : {&a, &b}) {
    const std::string list = node->ctl({"--fleet", "list"}).out;
    CHECK(has(list, "\na\t" + link_of(a) + "\tnative json"));
    CHECK(has(list, "\nb\t" + link_of(b) + "\tnative json"));
    CHECK(has(list, "\tanna"));
    CHECK(has(list, "\tben"));
  }
  CHECK(has(a.ctl({"--json", "--fleet", "find", "be"}).out, R"("player":"ben")"));
  CHECK(a.ctl({"--fleet", "find", "nobody"}).code == 1);
  const Ended said = a.ctl({"--fleet", "say", "hello", "all"});
  CHECK(said.out == "a: told 1 of 1 players\nb: told 1 of 1 players\n");
  CHECK(a.ctl({"--fleet", "say", "caf\xe9"}).out == said.out);

  CHECK(has(a.ctl({"--fleet", "kick", "nobody"}).err, "'nobody' matches no player"));
  CHECK(has(a.ctl({"--fleet", "kick", "1"}).err, "write NODE/1"));
  CHECK(has(a.ctl({"--fleet", "kick", "127.0.0.1"}).err, "ambiguous, name a link: a/" + link_of(a) + " (127.0.0.1:"));
  CHECK(has(a.ctl({"--fleet", "kick", "c/1"}).err, "no node is called 'c'"));
  CHECK(has(a.ctl({"--fleet", "kick", "ben", "be", "nice"}).out, "b: kicked link "));
  CHECK(ben->wait() != 0);
  CHECK(has(b.process().err_has(" \"be nice\" (by uid ") ? "yes" : b.process().err(), "yes"));
  const std::string anna_link = link_of(a);
  CHECK(has(b.ctl({"--fleet", "kick", "a/" + anna_link}).out, "a: kicked link " + anna_link));
  CHECK(anna->wait() != 0);

  CHECK(has(a.ctl({"--fleet", "drain", "b"}).out, "b: draining native json"));
  CHECK(b.says({"node"}, "\tyes\n"));
  CHECK(!has(a.ctl({"node"}).out, "\tyes\n"));
  CHECK(has(a.ctl({"--fleet", "undrain", "b"}).out, "takes newcomers again"));
  CHECK(has(a.ctl({"--fleet", "drain", "c"}).err, "no node is called 'c'"));
  CHECK(has(a.ctl({"--fleet", "reload"}).err, "'reload' is not a fleet command"));
}

TEST_CASE("ctl --fleet: what is incomplete or ambiguous is not carried out, and the answer says why") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const NodeProcess a(nats, "a");
  const auto anna = a.bot("anna"), ben = a.bot("ben");
  REQUIRE(a.says({"--fleet", "nodes"}, "\na\t"));
  const auto says = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "--fleet");
    const Ended ended = a.ctl(words);
    CHECK(ended.code == 1);
    return ended.err;
  };
  CHECK(has(says({"kick"}), "usage: kick NODE/LINK|NAME|ADDRESS"));
  CHECK(has(says({"ban"}), "usage: ban NODE/LINK|NAME|ADDRESS"));
  CHECK(has(says({"move"}), "usage: move NODE/LINK|NAME|ADDRESS ROUTE|NODE"));
  CHECK(has(says({"move", "anna"}), "usage: move NODE/LINK|NAME|ADDRESS ROUTE|NODE"));
  CHECK(has(says({"drain"}), "usage: drain NODE"));
  CHECK(has(says({"undrain"}), "usage: undrain NODE"));
  CHECK(has(says({"move", "7", "a"}), "a link belongs to one node: write NODE/7"));
  CHECK(has(says({"kick", "a/4000000"}), "matches no player"));
  CHECK(has(says({"move", "127.0.0.1", "field"}), "is ambiguous, name a link: a/"));
  CHECK(has(says({"ban", "nobody"}), "'nobody' matches no player"));
  CHECK(a.ctl({"bans"}).out == "address\tuntil\tby\twhy\twhere\n");
  CHECK(has(a.ctl({"--fleet", "list"}).out, "\tanna"));
  CHECK(has(a.ctl({"--fleet", "list"}).out, "\tben"));
}

TEST_CASE("ctl --fleet: when NATS is back after a while, the first command names a node that is not") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  NodeProcess a(nats, "a"), b(nats, "b");
  REQUIRE(a.says({"--fleet", "nodes"}, "\nb\t"));
  nats.kill();
  b.kill();
  REQUIRE(a.says({"--json", "--fleet", "nodes"}, "not connected to NATS"));
  std::this_thread::sleep_for(std::chrono::milliseconds(FleetControl::kGone + 2 * FleetControl::kState));
  nats.start();
  std::string first;
  REQUIRE(eventually([&] {
    first = answer_of(a.folder().file("c.sock"), "--fleet nodes");
    return !first.empty() && !has(first, "not connected to NATS");
  }));
  CHECK_MESSAGE(has(first, "\na\t"), first);
  CHECK_MESSAGE(has(first, "# b: does not answer"), first);
}

TEST_CASE("ctl --fleet: a player's node moves it or refers it to another node; a draining node hands over its arena") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  NodeProcess a(nats, "a");
  REQUIRE(a.process().err_has("this node owns the arena 'field'"));
  NodeProcess b(nats, "b");
  const auto anna = a.bot("anna"), ben = b.bot("ben");
  REQUIRE(a.says({"--fleet", "nodes"}, "\nb\t"));
  CHECK(has(a.ctl({"--fleet", "move", "nobody", "b"}).err, "'nobody' matches no player"));
  CHECK(has(a.ctl({"--fleet", "move", "anna", "a"}).err, "is on that node already"));
  CHECK(has(b.ctl({"--fleet", "move", "anna", "nowhere"}).err, "a: no route is called 'nowhere'"));
  CHECK(has(b.ctl({"--fleet", "move", "anna", "field"}).err, "stays where it is: the player is there already"));
  const Ended told = b.ctl({"--fleet", "move", "anna", "b"});
  CHECK_MESSAGE(has(told.out, "to connect to 127.0.0.1:" + std::to_string(b.port())), told.err);
  CHECK(anna->wait() != 0);

  CHECK(has(b.ctl({"--fleet", "drain", "a"}).out, "a: draining native json"));
  CHECK(a.process().err_has("this node hands over the arena 'field'"));
  CHECK(b.process().err_has("this node owns the arena 'field'"));
  CHECK(has(a.ctl({"undrain"}).out, "takes newcomers again"));
  const auto carl = a.bot("carl");
  REQUIRE(b.says({"--json", "--fleet", "list"}, "carl"));
  CHECK(b.ctl({"drain"}).code == 0);
  CHECK(b.process().err_has("this node hands over the arena 'field'"));
  CHECK(a.process().err_has("and goes on with 2 players"));  // a owns the arena again
  CHECK(has(b.ctl({"list"}).out, "\tben"));                  // ben plays on, through b
}

TEST_CASE("ctl: a player is moved into an arena of the fleet that another node owns, plays there, and is moved back") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  NodeProcess owner(nats, "owner");
  REQUIRE(owner.process().err_has("this node owns the arena 'field'"));
  NodeProcess edge(nats, "edge", "[[arena]]\nname = 'lobby'\nlisten = ['native://127.0.0.1:0?dialect=json']\n");
  const auto enters = [](NativeClient& client, const std::string& name) {
    client.says("{\"enter\":{\"name\":\"" + name + "\"}}\n");
    REQUIRE(client.hears([](const words::Fact& fact) { return fact.has_owns(); }).has_value());
  };
  const auto says = [](NativeClient& from, NativeClient& to, const std::string& text) {
    from.says("{\"say\":{\"text\":\"" + text + "\"}}\n");
    CHECK(to.hears([&](const words::Fact& fact) { return fact.said().text() == text; }).has_value());
  };
  NativeClient anna(edge.port()), ben(owner.port()), carl(edge.port());
  enters(anna, "anna");
  enters(ben, "ben");
  enters(carl, "carl");
  const Ended there = edge.ctl({"move", "anna", "field"});
  CHECK_MESSAGE(there.code == 0, there.err);
  CHECK(anna.hears([](const words::Fact& fact) { return fact.player().name() == "ben"; }).has_value());
  says(anna, ben, "in the field");
  says(ben, anna, "seen");

  const Ended back = edge.ctl({"move", "anna", "lobby"});
  CHECK_MESSAGE(back.code == 0, back.err);
  CHECK(ben.hears([](const words::Fact& fact) { return fact.has_player_gone(); }).has_value());
  says(anna, carl, "home again");
}

TEST_CASE("two nodes of one name: each logs that the name is taken") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  NodeProcess one(nats, "a"), other(nats, "a"), b(nats, "b");
  for (NodeProcess* node : {&one, &other})
    CHECK(node->process().err_has("another process is also the node 'a'; set another [fleet] node for one of them"));
  b.stop();
  CHECK_FALSE(has(b.process().err(), "is also the node"));
}

TEST_CASE("ctl --fleet drain: players receive the address of their arena on another node, at once and at the end") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  NodeProcess a(nats, "a");
  NodeProcess b(nats, "b", "", "", "public_host = 'b.example.org'\n");
  REQUIRE(a.says({"--fleet", "nodes"}, "\nb\t"));
  CHECK(has(b.ctl({"listeners"}).out, "native\tfield\tb.example.org:" + std::to_string(b.port()) + "\n"));
  NativeClient anna(a.port());
  anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
  REQUIRE(anna.hears([](const words::Fact& fact) { return fact.has_owns(); }).has_value());
  const std::string there = "connect to b.example.org:" + std::to_string(b.port());
  const Ended drained = b.ctl({"--fleet", "drain", "a", "--say", "We stop soon."});
  CHECK_MESSAGE(has(drained.out, "; players are told to " + there), drained.err);
  CHECK(has(drained.out, "a: told 1 of 1 players"));
  CHECK(anna.hears([&](const words::Fact& fact) { return fact.said().text() == "We stop soon. (" + there + ")"; })
            .has_value());
  CHECK(b.ctl({"--fleet", "drain", "a", "--for", "1s"}).code == 0);
  const std::string goodbye = "the server is going down: " + there;
  CHECK(anna.hears([&](const words::Fact& fact) { return fact.said().text() == goodbye; }).has_value());
  CHECK(anna.hears([&](const words::Fact& fact) { return fact.kicked().text() == goodbye; }).has_value());
}

TEST_CASE("with the accounts of deploy/fleet: an operator's node controls the others, and an owner admits players") {
  if (NatsServer::is_missing()) return;
  const Folder accounts;
  const Ended made = run({testing::source_dir() + "/deploy/fleet/accounts", "entente", accounts.path(),
                          "home=owner,recorder", "boss=edge,operator"});
  REQUIRE_MESSAGE(made.code == 0, made.err);
  const NatsServer nats({"-c", accounts.write("nats.conf", "include ./users.conf\n")});
  const auto account = [&](const std::string& name) {
    return "user = '" + name + "'\npassword_file = '" + accounts.file(name + ".password") + "'\n";
  };
  NodeProcess home(nats, "home", account("home")), boss(nats, "boss", account("boss"));
  const auto anna = home.bot("anna"), ben = boss.bot("ben");
  REQUIRE(boss.says({"--fleet", "nodes"}, "\nhome\t"));
  CHECK(has(boss.ctl({"--fleet", "kick", "anna"}).out, "home: kicked link "));
  CHECK(anna->wait() != 0);
  CHECK(has(home.ctl({"--fleet", "nodes"}).err, "check that this node's account may give orders"));
  // This node's account may not own the arena. The log names the missing permission.
  CHECK(boss.process().err_has("NATS does not permit this node's account to do that"));
  CHECK(boss.process().err_has("STREAM.INFO.KV_entente-leases"));
}

TEST_CASE("a player who is banned on one node is disconnected and refused on all nodes, until any node lifts the ban") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  NodeProcess a(nats, "a"), b(nats, "b");
  const auto anna = a.bot("anna"), ben = b.bot("ben");
  REQUIRE(a.says({"--fleet", "nodes"}, "\nb\t"));
  const Ended banned = a.ctl({"--fleet", "ban", "ben", "--for", "1h", "--why", "cheats"});
  CHECK(has(banned.out, "banned 127.0.0.1 until "));
  CHECK(has(banned.out, "in the fleet: 2 sessions, a/"));
  CHECK(anna->wait() != 0);
  CHECK(ben->wait() != 0);
  CHECK(b.says({"bans"}, "127.0.0.1\t"));
  CHECK(has(b.ctl({"bans"}).out, "\tus\tcheats\t-\n"));
  CHECK(is_in_file(b, " cheats\n"));
  CHECK(is_refused(b));
  CHECK(has(b.ctl({"unban", "127.0.0.1"}).out, "no longer banned"));
  CHECK(a.says({"bans"}, "127.0.0.1\t", false));
  CHECK(is_in_file(a, "127.0.0.1", false));
  const auto back = a.bot("back");
}

TEST_CASE(
    "a network that is allowed or denied on one node is so on all nodes, also after a restart without NATS, until it "
    "is unlisted") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  NodeProcess a(nats, "a"), b(nats, "b");
  REQUIRE(a.says({"--fleet", "nodes"}, "\nb\t"));
  CHECK(has(a.ctl({"--fleet", "deny", "127.0.0.0/8", "--why", "a botnet"}).out, "127.0.0.0/8 is denied"));
  REQUIRE(b.says({"access"}, "127.0.0.0/8\tdeny\tus\ta botnet\n"));
  CHECK(is_refused(b));
  CHECK(has(b.ctl({"allow", "127.0.0.1"}).out, "127.0.0.1 is allowed\n"));
  REQUIRE(a.says({"--fleet", "access"}, "\na\t127.0.0.1\tallow\tus\t-\n"));
  CHECK(has(a.ctl({"--fleet", "access"}).out, "\nb\t127.0.0.0/8\tdeny\tus\ta botnet\n"));
  a.bot("anna");
  b.bot("ben");
  nats.kill();
  REQUIRE(b.says({"--json", "--fleet", "nodes"}, "not connected to NATS"));
  b.kill();
  b.start();  // with the ban file only, without NATS
  REQUIRE(b.says({"access"}, "127.0.0.0/8\tdeny"));
  CHECK(has(a.ctl({"unlist", "127.0.0.0/8"}).out, "127.0.0.0/8 is no longer in the list\n"));
  CHECK(has(a.ctl({"deny", "127.0.0.1"}).out, "is denied"));
  nats.start();
  REQUIRE(b.says({"access"}, "127.0.0.0/8\t", false));
  REQUIRE(b.says({"access"}, "127.0.0.1\tdeny"));
  CHECK(is_refused(b));
  CHECK(eventually([&] { return content_of(b.folder().file("bans")) == "127.0.0.1 denied\n"; }));
  CHECK(has(b.ctl({"unlist", "127.0.0.7"}).err, "is in no list that operators keep"));
  CHECK(has(b.ctl({"deny", "everybody"}).err, "'everybody' is not a network"));
  CHECK(has(b.ctl({"deny", "127.0.0.1", "for", "ever"}).err, "only '--yes' and '--why TEXT' may follow the network"));
}

TEST_CASE("a hook is told of the bans that other nodes make while its node runs, and of no older ones") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  testing::Receiver receiver;
  NodeProcess a(nats, "a"), c(nats, "c");
  CHECK(a.ctl({"ban", "192.0.2.1"}).code == 0);
  REQUIRE(c.says({"bans"}, "192.0.2.1\t"));  // NATS has it
  NodeProcess b(nats, "b", "[[hook]]\nname = 'h'\nurl = '" + receiver.url() + "'\nevents = ['ban']\n");
  REQUIRE(b.says({"bans"}, "192.0.2.1\t"));
  CHECK(a.ctl({"ban", "192.0.2.2", "--why", "the first"}).code == 0);
  receiver.await("the first");
  b.stop();
  CHECK(a.ctl({"ban", "192.0.2.3"}).code == 0);
  REQUIRE(c.says({"bans"}, "192.0.2.3\t"));
  b.start();  // with its file
  REQUIRE(b.says({"bans"}, "192.0.2.3\t"));
  CHECK(a.ctl({"ban", "192.0.2.4", "--why", "the second"}).code == 0);
  receiver.await("the second");
  std::string told;
  for (const auto& one : receiver.await(2)) told += one.body + '\n';
  CHECK_MESSAGE(receiver.count() == 2, told);
}

TEST_CASE("invalid entries in the fleet's lists are ignored") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const NodeProcess a(nats, "a");
  fleet::Bus bus({.servers = {nats.url()}, .client = "evil"});
  fleet::testing::Station evil(bus);
  REQUIRE(evil.connects());
  const std::string bucket = fleet::Subjects("entente").bans();
  REQUIRE(evil.open_bucket(bucket).done());
  const auto put = [&](const std::string& key, const std::string& network, bus::SharedBan::Kind kind,
                       std::int64_t until = 0) {
    bus::SharedBan entry;
    entry.set_network(network);
    entry.set_kind(kind);
    entry.set_until(until);
    entry.set_changed(wall_now());
    const std::string text = entry.SerializeAsString();
    const auto send = [&](auto done) { evil.line->put(bucket, key, as_bytes(text), done); };
    REQUIRE(eventually([&] { return evil.order(send).done(); }));  // the node may be creating the bucket, too
  };
  put("net.10.0.0.1", "10.0.0.1", bus::SharedBan::deny);                     // a ban's key for a list entry
  put("access.10.0.0.2", "10.0.0.2", bus::SharedBan::ban);                   // a list entry's key for a ban
  put("access.10.0.0.3", "10.0.0.3", bus::SharedBan::deny, 4'000'000'000);   // a list entry cannot end
  put("access.10.0.0.4", "10.0.0.4", static_cast<bus::SharedBan::Kind>(3));  // an unknown kind
  put("access.10.0.0.5", "10.0.0.5", bus::SharedBan::deny);
  REQUIRE(a.says({"access"}, "10.0.0.5\tdeny"));
  CHECK(a.ctl({"access"}).out == "network\tlist\tby\twhy\n10.0.0.5\tdeny\tus\t-\n");
  CHECK(a.ctl({"bans"}).out == "address\tuntil\tby\twhy\twhere\n");
}

TEST_CASE("invalid orders of another node are counted and not carried out") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  NodeProcess a(nats, "a", "[metrics]\nlisten = '127.0.0.1:0'\n");
  const auto line = a.process().line();
  REQUIRE(line);
  const auto port = testing::matched(*line, R"(metrics http://127\.0\.0\.1:(\d+)/metrics)");
  REQUIRE(port);
  const auto metrics = net::Address::parse("127.0.0.1:" + (*port)[1]);
  fleet::Bus bus({.servers = {nats.url()}, .client = "evil"});
  fleet::testing::Station evil(bus);
  REQUIRE(evil.connects());
  const fleet::Subjects names("entente");
  const std::string answer = names.answer("a") + ".1";
  const auto ban = [](const std::string& network, const std::string& rest) {
    bus::Order order;
    order.set_line("ban " + network + rest);
    return order.SerializeAsString();
  };
  const auto send = [&](const std::string& bytes, const std::string& reply) {
    CHECK(evil.line->publish(names.order("a"), as_bytes(bytes), reply));
  };
  // A valid one. It is sent until the node listens.
  REQUIRE(evil.until([&] {
    send(ban("10.0.0.6", ""), answer);
    return has(a.ctl({"bans"}).out, "10.0.0.6\t");
  }));
  send(ban("10.0.0.1", ""), "");
  send(ban("10.0.0.2", ""), names.answer("b") + ".1");
  send("no order", answer);
  send(ban("10.0.0.3", " --why " + std::string(100'000, 'x')), answer);
  send(ban("10.0.0.4", "\nban 10.0.0.5"), answer);
  CHECK(evil.until([&] {
    return has(testing::asked(*metrics, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
               "entente_fleet_orders_refused_total 5\n");
  }));
  const std::string bans = a.ctl({"bans"}).out;
  for (const char* network : {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"}) CHECK(!has(bans, network));

  const auto answer_to = [&](const std::string& order, Millis until) {
    bus::Order its;
    its.set_line(order);
    its.set_until_ms(until);
    std::optional<bus::Answer> said;
    const auto read = [&](const std::vector<fleet::BusMessage>& answers) {
      REQUIRE(answers.size() == 1);
      REQUIRE(said.emplace().ParseFromString(std::string(as_text(answers[0].bytes))));
    };
    evil.line->ask(names.order("a"), as_bytes(its.SerializeAsString()), 20'000, 1, read, names.answer("a"));
    REQUIRE(evil.until([&] { return said.has_value(); }));
    return said->text();
  };
  CHECK(answer_to("--json ban 10.0.0.7", 0) == "error: a node takes commands, not options\n");
  CHECK(answer_to("ban 10.0.0.8", steady_now() - 1) == "error: the command came too late, try again\n");
  CHECK(has(answer_to("bans", steady_now() + 60'000), "10.0.0.6\t"));
  CHECK(!has(a.ctl({"bans"}).out, "10.0.0.8"));
  CHECK(has(testing::asked(*metrics, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
            "entente_fleet_orders_late_total 1\n"));
}

TEST_CASE("a node whose answer to an order is too long says so") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  NodeProcess a(nats, "a");
  a.stop();
  {
    std::ofstream bans(a.folder().file("bans"));
    for (int i = 0; i <= kMostAnswerLines; ++i) bans << "10.0." << i / 256 << "." << i % 256 << " forever\n";
  }
  a.start();
  fleet::Bus bus({.servers = {nats.url()}, .client = "b"});
  fleet::testing::Station b(bus);
  REQUIRE(b.connects());
  const fleet::Subjects names("entente");
  bool waits = false;
  std::string said;
  REQUIRE(b.until([&] {  // it is asked until the node listens
    if (std::exchange(waits, true)) return !said.empty();
    bus::Order order;
    order.set_line("bans");
    const auto read = [&](const std::vector<fleet::BusMessage>& answers) {
      bus::Answer answer;
      if (!answers.empty() && fleet::decode(answers[0].bytes, answer)) said = answer.text();
      waits = !said.empty();
    };
    b.line->ask(names.order("a"), as_bytes(order.SerializeAsString()), 5'000, 1, read, names.answer("a"));
    return false;
  }));
  CHECK_MESSAGE(said.starts_with("error: the answer is too long to send ("), said.substr(0, 200));
}

TEST_CASE("an order says until when its operator waits, by the clock of the node that it is for") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const NodeProcess a(nats, "a");
  fleet::Bus bus({.servers = {nats.url()}, .client = "b"});
  fleet::testing::Station other(bus);
  REQUIRE(other.connects());
  const fleet::Subjects names("entente");
  constexpr Millis kClock = 1'000'000;
  std::optional<bus::Order> order;
  other.line->subscribe(names.order("b"), [&](const fleet::BusMessage& message) {
    order.emplace().ParseFromString(std::string(as_text(message.bytes)));
  });
  const Millis began = steady_now();
  Millis announced = 0;
  std::thread operating([&] { (void)a.says({"--fleet", "drain", "b"}, "b: does not answer"); });
  const bool asked = other.until([&] {
    if (const Millis now = steady_now(); now >= announced + 100) {  // a node announces itself, whether asked or not
      announced = now;
      bus::NodeState state;
      state.set_run(1);
      state.set_clock_ms(kClock + now - began);
      other.line->publish(names.state("b"), as_bytes(state.SerializeAsString()));
    }
    return order.has_value();
  });
  const Millis clock = kClock + steady_now() - began;
  operating.join();
  REQUIRE(asked);
  CHECK(order->until_ms() > clock);
  CHECK(order->until_ms() < clock + 10'000);
}

/// Two nodes that know a ban, and have lost NATS since.
struct CutOff {
  CutOff() {
    REQUIRE(has(a.ctl({"ban", "10.0.0.1"}).out, "banned"));
    REQUIRE(b.says({"bans"}, "10.0.0.1\t"));
    nats.kill();
    REQUIRE(a.says({"--json", "--fleet", "nodes"}, "not connected to NATS"));
  }
  NatsServer nats;
  NodeProcess a{nats, "a"}, b{nats, "b"};
};

TEST_CASE("a node that was cut off from NATS keeps its new bans and later gets those of the others; so does its file") {
  if (NatsServer::is_missing()) return;
  CutOff its;
  auto& [nats, a, b] = its;
  CHECK(has(a.ctl({"ban", "10.0.0.2"}).out, "banned"));
  CHECK(has(b.ctl({"ban", "10.0.0.3", "--why", "while cut off"}).out, "banned"));
  CHECK(has(b.ctl({"unban", "10.0.0.1"}).out, "no longer"));
  a.kill();
  a.start();  // with the ban file only, without NATS
  REQUIRE(a.says({"bans"}, "10.0.0.2\t"));
  nats.start();
  REQUIRE(a.says({"bans"}, "10.0.0.3\t"));
  REQUIRE(b.says({"bans"}, "10.0.0.2\t"));
  REQUIRE(a.says({"bans"}, "10.0.0.1\t", false));
  REQUIRE(a.says({"bans"}, "while cut off"));
  CHECK(is_in_file(a, "10.0.0.3 forever while cut off\n"));
}

TEST_CASE("NATS loses its data: nodes still have the bans, and a node that comes later gets them") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  NodeProcess a(nats, "a"), b(nats, "b");
  REQUIRE(has(a.ctl({"ban", "10.0.0.1", "--why", "for ever"}).out, "banned"));
  REQUIRE(b.says({"bans"}, "10.0.0.1\t"));
  nats.kill();
  nats.start_empty();
  NodeProcess c(nats, "c");
  CHECK(c.says({"bans"}, "for ever"));
  CHECK(has(a.ctl({"bans"}).out, "10.0.0.1\t"));
}

TEST_CASE("a node that is upgraded while it is cut off from NATS still sends its changes of bans later") {
  if (NatsServer::is_missing()) return;
  CutOff its;
  auto& [nats, a, b] = its;
  CHECK(has(a.ctl({"unban", "10.0.0.1"}).out, "no longer"));
  CHECK(has(a.ctl({"ban", "10.0.0.2"}).out, "banned"));
  const Ended upgraded = a.ctl({"upgrade"});
  REQUIRE_MESSAGE(upgraded.code == 0, upgraded.err);
  const Young young{std::stoi(upgraded.out.substr(std::string("process ").size()))};
  nats.start();
  CHECK(b.says({"bans"}, "10.0.0.2\t"));
  CHECK(b.says({"bans"}, "10.0.0.1\t", false));
  CHECK(a.says({"bans"}, "10.0.0.2\t"));
  CHECK(a.says({"bans"}, "10.0.0.1\t", false));
}

TEST_CASE("a ban of the fleet that is longer than an operator's longest ban is forever") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  const NodeProcess a(nats, "a");
  fleet::Bus bus({.servers = {nats.url()}, .client = "evil"});
  fleet::testing::Station evil(bus);
  REQUIRE(evil.connects());
  const std::string bucket = fleet::Subjects("entente").bans();
  REQUIRE(evil.open_bucket(bucket).done());
  bus::SharedBan ban;
  ban.set_network("10.0.0.9");
  ban.set_until(std::int64_t{1} << 62);
  ban.set_changed(wall_now());
  const std::string text = ban.SerializeAsString();
  const auto put = [&](auto done) { evil.line->put(bucket, "net.10.0.0.9", as_bytes(text), done); };
  REQUIRE(eventually([&] { return evil.order(put).done(); }));  // the node may be creating the bucket, too
  REQUIRE(a.says({"bans"}, "10.0.0.9\tforever"));
  CHECK(eventually([&] { return content_of(a.folder().file("bans")) == "10.0.0.9 forever\n"; }));
}

}  // namespace
}  // namespace entente::fleet_control_test
