// What an operator of a fleet asks of its nodes, and what they answer: this process is one node, and the test plays the
// others.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/fleet/decode.h"
#include "proxy/program/config/config.h"
#include "proxy/program/fleet/fleet_control.h"
#include "schema/fleet.pb.h"
#include "tests/fleet/station.h"
#include "tests/program/fleet/logged.h"
#include "tests/support/nats_server.h"

namespace entente::fleet_operator_test {
namespace {

struct NoBans final : FleetBans::User {
  void learn(const std::vector<relay::Ban>&, const std::vector<net::Network>&, bool) override {}
  void learn_listed(const std::vector<relay::ListedNetwork>&, const std::vector<net::Network>&) override {}
};

/// The node `a`. Its control notes the orders that it carries out.
struct Home {
  explicit Home(const std::string& url) {
    config::Fleet settings = default_config().fleet();
    settings.add_nats(url);
    settings.set_node("a");
    auto joined = Fleet::join(settings, Fleet::Log::kNo);
    REQUIRE(joined);
    fleet = std::move(*joined);
    for (const std::string name : {"ban", "bans", "unban", "allow", "deny", "unlist", "order"})
      control.add(name, "Is noted.", [this, name](std::string_view rest) -> Outcome<std::string> {
        done.push_back(name + (rest.empty() ? "" : " ") + std::string(rest));
        return "carried out " + name + "\n";
      });
    control.add_order("change", "Is logged.", [](std::string_view) { return Reply("changed\n"); });
    for (const std::string name : {"who", "listeners"})
      control.add(name, "Nothing.", [](std::string_view) { return Reply::table({"link"}, {}); });
    node = std::make_unique<FleetControl>(*fleet, control, queues, bans, FleetBans::Before());
  }
  double metric(const std::string& name) const {
    Metrics metrics;
    node->measure(metrics);
    const std::string text = "\n" + metrics.text();
    const auto at = text.find("\nentente_" + name + " ");
    REQUIRE(at != std::string::npos);
    return std::stod(text.substr(text.find(' ', at)));
  }

  std::vector<std::string> done;  // read it while no order is under way
  NoBans bans;
  Control control;
  std::unique_ptr<Fleet> fleet;
  fleet::SlotQueues queues{"here"};
  std::unique_ptr<FleetControl> node;
};

/// Other nodes, which announce themselves while an operator at home waits for an answer.
class Field {
 public:
  /// Answers an order; empty: not at all.
  using Answer = std::function<std::string(const std::string& line, bool json)>;

  Field() : bus_({.servers = {nats.url()}, .client = "others"}), its(bus_), home(nats.url()) {
    REQUIRE(its.connects());
    bool listens = false;  // NATS carries out what comes from a connection in its order
    const auto heard = its.line->subscribe(names.state("a"), [&](const fleet::BusMessage&) { listens = true; });
    Millis next = 0;
    REQUIRE(its.until([&] {
      if (steady_now() >= next) its.line->publish(names.operation("who"), {}), next = steady_now() + 50;
      return listens;
    }));
    its.line->unsubscribe(heard);
  }
  /// `clock`: by which it says how late it is; 0: it does not.
  void add(const std::string& name, Answer answer = {}, Millis clock = 1'000) {
    Played& one = nodes_[name];
    one.answer = std::move(answer);
    one.clock = clock;
    its.line->subscribe(names.order(name), [this, &one](const fleet::BusMessage& message) {
      bus::Order order;
      REQUIRE(fleet::decode(message.bytes, order));
      one.orders.push_back(order);
      bus::Answer said;
      if (order.line() == "node")
        said.set_text("ok\nversion\tseconds\n1\t2\n");
      else if (one.answer)
        said.set_text(one.answer(order.line(), order.json()));
      const std::string bytes = said.SerializeAsString();
      if (!said.text().empty()) its.line->publish(message.reply, as_bytes(bytes));
    });
  }
  /// Waits until home knows the others.
  void meets() {
    REQUIRE(its.until([&] {
      const std::string nodes = ask("nodes");
      const auto is_there = [&](const auto& one) { return has(nodes, "\n" + one.first + "\t"); };
      return std::all_of(nodes_.begin(), nodes_.end(), is_there);
    }));
  }
  /// What the operator at home is answered. Forgets what was done before.
  std::string ask(const std::string& line, bool json = false) {
    home.done.clear();
    for (auto& [name, one] : nodes_) one.orders.clear();
    auto asked = std::async(std::launch::async, [&] { return home.node->answer(line, json, "by me"); });
    Millis next = 0;
    CHECK(its.until([&] {
      if (steady_now() >= next) announce(), next = steady_now() + 200;
      return asked.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }));
    return asked.get();
  }
  /// The same, again if the machine was too busy for the others to answer in time.
  std::string hear(const std::string& line, bool json = false) {
    std::string answer = ask(line, json);
    for (int times = 0; times < 10 && has(answer, "does not answer"); ++times) answer = ask(line, json);
    return answer;
  }
  void falls_silent(const std::string& name) { nodes_[name].speaks = false; }
  /// The orders to a node, in their order.
  const std::vector<bus::Order>& orders(const std::string& name) { return nodes_[name].orders; }
  std::vector<std::string> lines(const std::string& name) {
    std::vector<std::string> lines;
    for (const bus::Order& one : orders(name)) lines.push_back(one.line());
    return lines;
  }

  const NatsServer nats;
  const fleet::Subjects names{"entente"};

 private:
  struct Played {
    Answer answer;
    Millis clock = 0;
    bool speaks = true;
    std::vector<bus::Order> orders;
  };
  void announce() {
    for (const auto& [name, one] : nodes_) {
      if (!one.speaks) continue;
      bus::NodeState state;
      state.set_run(1);
      state.set_clock_ms(one.clock);
      const std::string bytes = state.SerializeAsString();
      its.line->publish(names.state(name), as_bytes(bytes));
    }
  }

  fleet::Bus bus_;
  std::map<std::string, Played> nodes_;

 public:
  fleet::testing::Station its;
  Home home;
};

using Lines = std::vector<std::string>;

/// A row of `who` in JSON.
std::string player(int link, const std::string& client, const std::string& name) {
  return R"({"link":)" + std::to_string(link) + R"(,"game":"native json","client":")" + client + R"(","player":")" +
         name + "\"}";
}

/// Has these rows for each `who`, and says of other orders that they are done.
Field::Answer with_players(const std::string& rows) {
  return [rows](const std::string& line, bool json) -> std::string {
    if (line.starts_with("who ")) return "[" + rows + "]\n";
    return json ? "{\"done\":\"yes\"}\n" : "ok\nyes\n";
  };
}

TEST_CASE("an ambiguous name: ten of the sessions are named, and how many more there are, as harmless text") {
  if (NatsServer::is_missing()) return;
  Field field;
  std::string rows, ten;
  for (int i = 1; i <= 12; ++i) {
    rows += (i == 1 ? "" : ",") + player(i, "192.0.2.1:" + std::to_string(i), i == 1 ? R"(an\u001b[2Jna)" : "");
    if (i == 10) ten = rows;
  }
  std::string of_b = rows;
  field.add("b", [&](const std::string& line, bool json) { return with_players(of_b)(line, json); });
  field.meets();
  const std::string answer = field.hear("kick x");
  CHECK_MESSAGE(
      has(answer, "'x' is ambiguous, name a link: b/1 (192.0.2.1:1, \"an\\\\x1b[2Jna\"), b/2 (192.0.2.1:2, -)"),
      answer);
  CHECK_MESSAGE(answer.ends_with("b/10 (192.0.2.1:10, -) and 2 more\n"), answer);
  of_b = ten;
  CHECK(field.hear("kick x").ends_with("b/10 (192.0.2.1:10, -)\n"));
}

TEST_CASE("a link is looked for on its node alone, and a name, which may have blanks and slashes, on all") {
  if (NatsServer::is_missing()) return;
  Field field;
  field.add("b", with_players(""));
  field.add("c", with_players(""));
  field.meets();
  CHECK(has(field.hear("kick b/7"), "'b/7' matches no player"));
  CHECK(field.lines("b") == Lines{"who 7"});
  CHECK(field.lines("c").empty());
  CHECK(has(field.hear("kick b/seven"), "'b/seven' matches no player"));
  CHECK(field.lines("b") == Lines{"who b/seven"});
  CHECK(has(field.hear("kick b/"), "'b/' matches no player"));
  CHECK(field.lines("c") == Lines{"who b/"});
  CHECK(has(field.hear("kick \"two words\""), "'two words' matches no player"));
  CHECK(field.lines("c") == Lines{"who \"two words\""});
}

TEST_CASE("nobody is kicked while a node does not say who is there, but an address can be banned") {
  if (NatsServer::is_missing()) return;
  Field field;
  std::string said;  // by c
  field.add("b", with_players(player(1, "192.0.2.7:1", "anna")));
  field.add("c", [&](const std::string& line, bool) { return line.starts_with("who ") ? said : ""; });
  field.meets();
  const std::string silent = field.ask("kick anna");
  CHECK_MESSAGE(has(silent, "does not answer, and the player may be there"), silent);
  CHECK(field.lines("b") == Lines{"who anna"});
  said = "{\"error\":\"cannot look\"}\n";
  const std::string failed = field.hear("kick anna");
  CHECK_MESSAGE(has(failed, "node c has failed to look, as `who` shows, and the player may be there"), failed);
  CHECK(field.lines("b") == Lines{"who anna"});
  CHECK(has(field.ask("ban 192.0.2.0/24 --for 1h"), "carried out ban"));
  CHECK(field.home.done == Lines{"ban 192.0.2.0/24 --for 1h"});
}

TEST_CASE("a name that several sessions of one address have is banned by this address, but not a bot") {
  if (NatsServer::is_missing()) return;
  Field field;
  std::string of_c = player(2, "192.0.2.7:2", "anna");
  field.add("b", with_players(player(1, "192.0.2.7:1", "anna")));
  field.add("c", [&](const std::string& line, bool json) { return with_players(of_c)(line, json); });
  field.meets();
  CHECK(field.hear("ban anna --for 1h") ==
        "ok\ncarried out ban\nin the fleet: 2 sessions, b/1 (192.0.2.7:1, \"anna\"), c/2 (192.0.2.7:2, \"anna\")\n");
  CHECK(field.home.done == Lines{"ban 192.0.2.7 --for 1h"});
  const std::string json = field.hear("ban anna", true);
  CHECK_MESSAGE(json.starts_with("{\"done\":\"carried out ban"), json);
  CHECK_MESSAGE(json.ends_with("\"}\n"), json);
  CHECK(field.home.done == Lines{"ban 192.0.2.7"});
  of_c = player(2, "192.0.2.8:2", "anna");
  CHECK(has(field.hear("ban anna"), "'anna' is ambiguous, name a link: b/1"));
  CHECK(field.home.done.empty());
  of_c = player(2, "", "robot");
  CHECK(field.hear("ban c/2") == "error: c/2 (-, \"robot\") is a bot; it has no address\n");
  CHECK(field.home.done.empty());
}

TEST_CASE("who drains is given one other node for each game and place, in an order that is not too long") {
  if (NatsServer::is_missing()) return;
  Field field;
  const auto listener = [](const std::string& game, const std::string& place, const std::string& address) {
    return R"({"game":")" + game + R"(","place":")" + place + R"(","address":")" + address + "\"}";
  };
  std::string of_c = listener("native", "field", "c.example.org:1") + "," + listener("", "field", "x:1") + "," +
                     listener("native", "", "x:1") + "," + listener("native", "hall", "") + "," +
                     listener("native", R"(\u001b[2J)", "x:1");
  field.add("b", with_players(""));
  field.add("c", [&](const std::string& line, bool) { return line == "listeners" ? "[" + of_c + "]\n" : ""; });
  field.add("d", [&](const std::string& line, bool) {
    if (line != "listeners") return std::string();
    return "[" + listener("native", "field", "d.example.org:1") + "," + listener("bzflag", "field", "d.example.org:2") +
           "]\n";
  });
  field.meets();
  CHECK(field.hear("drain b --say \"See you.\"") == "ok\nb: yes\n");
  CHECK(field.lines("b") ==
        Lines{"drain --refer \"native,field,c.example.org:1\" --refer \"bzflag,field,d.example.org:2\" "
              "--say \"See you.\""});
  of_c.clear();
  for (int i = 0; i < 100; ++i)
    of_c += (i == 0 ? "" : ",") + listener("native", "hall-" + std::to_string(i), std::string(100, 'c') + ":1");
  CHECK(field.hear("drain b --say \"See you.\"") == "ok\nb: yes\n");
  REQUIRE(field.lines("b").size() == 1);
  const std::string line = field.lines("b").front();
  CHECK(line.size() <= FleetControl::kLongestOrder);
  CHECK(line.size() > FleetControl::kLongestOrder - 200);
  CHECK(line.ends_with(" --say \"See you.\""));
}

TEST_CASE("a player is referred to the address that another node names, and not at all if it names none") {
  if (NatsServer::is_missing()) return;
  Field field;
  std::string said = "error: there is no listener\n";  // by c
  field.add("b", [](const std::string& line, bool json) -> std::string {
    if (line.starts_with("who ")) return "[" + player(1, "192.0.2.7:1", "anna") + "]\n";
    if (line.starts_with("move ")) return json ? "{\"error\":\"no route\"}\n" : "error: no route\n";
    return "ok\ntold\n";
  });
  field.add("c", [&](const std::string& line, bool) { return line.starts_with("who ") ? "[]\n" : said; });
  field.meets();
  CHECK(field.hear("move anna nowhere") == "error: b: no route\n");
  CHECK(field.hear("move anna nowhere", true) == "[{\"node\":\"b\",\"error\":\"no route\"}]\n");
  CHECK(has(field.hear("move anna c"), "# c: there is no listener\n"));
  CHECK(field.lines("c") == Lines{"who anna", "listener native"});
  CHECK(field.lines("b") == Lines{"who anna"});
  CHECK(field.hear("move anna c", true) == "[{\"node\":\"c\",\"error\":\"there is no listener\"}]\n");
  said = "ok\nc.example.org:7\n";
  CHECK(field.hear("move anna c") == "ok\nb: told\n");
  CHECK(field.lines("b") == Lines{"who anna", "refer 1 c.example.org:7"});
}

TEST_CASE("each command of a fleet is one: all nodes answer it, or this node carries it out for all") {
  if (NatsServer::is_missing()) return;
  Field field;
  field.add("b", [](const std::string& line, bool) { return "ok\nb has " + line + "\n"; });
  field.meets();
  const std::string longest = "say " + std::string(FleetControl::kLongestOrder - 4, 'x');
  for (const std::string& line :
       Lines{"list", "find anna", "who anna", "routes", "access", "servers", "stats", "recordings", longest}) {
    const std::string answer = field.hear(line);
    CHECK_MESSAGE(has(answer, "b: b has " + line + "\n"), answer);
    CHECK(field.lines("b") == Lines{line});
  }
  for (const std::string line : {"bans", "unban 192.0.2.1", "allow 192.0.2.1", "deny 192.0.2.1", "unlist 192.0.2.1"}) {
    const std::string answer = field.ask(line);
    CHECK_MESSAGE(answer.starts_with("ok\ncarried out "), answer);
    CHECK(field.home.done == Lines{line});
    CHECK(field.lines("b").empty());
  }
  CHECK(has(field.ask("nodes b"), "'nodes' is not a fleet command"));
  CHECK(field.ask("say " + std::string(FleetControl::kLongestOrder - 3, 'x')) == "error: the command is too long\n");
  CHECK(field.lines("b").empty());
}

TEST_CASE("an order names who gave it, and says until when only to a node whose clock is known") {
  if (NatsServer::is_missing()) return;
  Field field;
  field.add("b", with_players(""));
  field.add("c", with_players(""), 0);
  field.meets();
  field.hear("list");
  REQUIRE_FALSE(field.orders("b").empty());
  REQUIRE_FALSE(field.orders("c").empty());
  CHECK(field.orders("b").back().by() == "by me, at a");
  CHECK(field.orders("b").back().until_ms() > 1'000);
  CHECK(field.orders("c").back().until_ms() == 0);
}

TEST_CASE("a node that was silent for five seconds is a node no more") {
  if (NatsServer::is_missing()) return;
  Field field;
  field.add("b");
  field.add("c");
  field.meets();
  field.falls_silent("b");
  std::string nodes;
  CHECK(field.its.until([&] {
    nodes = field.ask("nodes");
    return !has(nodes, "\nb\t");
  }));
  CHECK_MESSAGE(has(nodes, "\nc\t"), nodes);
}

/// Gives `a` an order. `answered`: its answer; "" if there is none within this time.
void give(Field& field, const std::string& line, Millis until, Millis within,
          std::function<void(const std::string&)> answered, bool json = false) {
  bus::Order order;
  order.set_line(line);
  order.set_json(json);
  order.set_until_ms(until);
  const std::string bytes = order.SerializeAsString();
  field.its.line->ask(
      field.names.order("a"), as_bytes(bytes), within, 1,
      [answered = std::move(answered)](const std::vector<fleet::BusMessage>& all) {
        bus::Answer said;
        answered(all.size() == 1 && fleet::decode(all[0].bytes, said) ? said.text() : "");
      },
      field.names.answer("a"));
}

constexpr Millis kPatience = 30'000;

TEST_CASE("orders that come while another one is carried out wait, in their order, and only so many") {
  if (NatsServer::is_missing()) return;
  Field field;
  constexpr std::size_t kMost = FleetControl::kMostWaiting;
  std::size_t answers = 0;
  {
    const auto alone = field.home.control.alone();
    for (std::size_t i = 0; i < kMost + 2; ++i)
      give(field, "order " + std::to_string(i), steady_now() + kPatience, kPatience,
           [&](const std::string& text) { answers += text == "ok\ncarried out order\n" ? 1 : 0; });
    CHECK(field.its.until([&] { return field.home.metric("fleet_orders_refused_total") == 2; }));
    CHECK(field.home.done.empty());
  }
  CHECK(field.its.until([&] { return answers == kMost; }));
  const auto alone = field.home.control.alone();
  REQUIRE(field.home.done.size() == kMost);
  for (std::size_t i = 0; i < kMost; ++i) CHECK(field.home.done[i] == "order " + std::to_string(i));
}

TEST_CASE("an order that comes too late is answered as it asks for, and a node announces itself whenever it is asked") {
  if (NatsServer::is_missing()) return;
  Field field;
  std::size_t states = 0;
  field.its.line->subscribe(field.names.state("a"), [&](const fleet::BusMessage&) { ++states; });
  constexpr std::size_t kTimes = 100;  // by itself, it would need minutes for so many
  for (std::size_t i = 0; i < kTimes; ++i) field.its.line->publish(field.names.operation("who"), {});
  CHECK(field.its.until([&] { return states >= kTimes; }));
  std::optional<std::string> answer;
  give(
      field, "order", 1, kPatience, [&](const std::string& text) { answer = text; }, true);
  REQUIRE(field.its.until([&] { return answer.has_value(); }));
  CHECK(*answer == "{\"error\":\"the command came too late, try again\"}\n");
  CHECK(field.home.metric("fleet_orders_late_total") == 1);
}

TEST_CASE("a node announces itself again and again: its process, its version and its clock") {
  if (NatsServer::is_missing()) return;
  Field field;
  std::vector<bus::NodeState> states;
  field.its.line->subscribe(field.names.state("a"), [&](const fleet::BusMessage& message) {
    REQUIRE(fleet::decode(message.bytes, states.emplace_back()));
  });
  CHECK(field.its.until([&] {  // it may still answer what it was asked before
    return !states.empty() && states.back().clock_ms() >= states.front().clock_ms() + FleetControl::kState;
  }));
  for (const bus::NodeState& one : states) {
    CHECK(one.run() == field.home.fleet->run_id());
    CHECK_FALSE(one.version().empty());
  }
}

TEST_CASE("an operator's first command asks which nodes there are, and later ones of the same connection do not") {
  if (NatsServer::is_missing()) return;
  Field field;
  std::size_t asked = 0;
  field.its.line->subscribe(field.names.operation("who"), [&](const fleet::BusMessage&) { ++asked; });
  field.add("b", [](const std::string&, bool) { return "ok\n"; });
  field.meets();
  field.hear("list");  // the nodes are gathered now
  REQUIRE(field.its.until([&] { return asked > 0; }));
  const std::size_t before = asked;
  const auto connects = [&] { return field.home.fleet->bus().counts().connects; };
  const auto connected = connects();
  for (int times = 0; times < 3; ++times) field.hear("list");
  CHECK((asked == before || connects() != connected));
}

TEST_CASE("a node that another process has replaced carries out no order, and does not announce itself") {
  if (NatsServer::is_missing()) return;
  Field field;
  field.home.node->leave();
  REQUIRE(field.home.node->known_bans().ok());  // it has left
  std::optional<std::string> answer, before;
  // An earlier announcement comes before the end of this.
  give(field, "order", steady_now() + kPatience, 500, [&](const std::string& text) { before = text; });
  CHECK(field.its.until([&] { return before.has_value(); }));
  std::size_t states = 0;
  field.its.line->subscribe(field.names.state("a"), [&](const fleet::BusMessage&) { ++states; });
  field.its.line->publish(field.names.operation("who"), {});
  give(field, "order", steady_now() + kPatience, 500, [&](const std::string& text) { answer = text; });
  CHECK(field.its.until([&] { return answer.has_value(); }));
  CHECK(answer == "");
  CHECK(states == 0);
  const auto alone = field.home.control.alone();
  CHECK(field.home.done.empty());
}

TEST_CASE("who gave an order is in the log, with the node, cut if it is long") {
  if (NatsServer::is_missing()) return;
  Logged log;
  {
    Field field;
    bus::Order order;
    order.set_line("change it");
    order.set_by(std::string(150, 'x') + std::string(100, 'y'));
    const std::string bytes = order.SerializeAsString();
    field.its.line->publish(field.names.order("a"), as_bytes(bytes), field.names.answer("a") + ".1");
    CHECK(field.its.until([&] { return has(log.lines(), "change it"); }));
  }
  log.end();
  CHECK_MESSAGE(has(log.lines(), "change it (" + std::string(150, 'x') + std::string(50, 'y') + ", over the fleet): "),
                log.lines());
}

TEST_CASE("invalid announcements are counted, and one of another process of this node's name is no error at once") {
  if (NatsServer::is_missing()) return;
  Logged log;
  {
    Field field;
    field.add("b");
    field.meets();
    bus::NodeState other;
    other.set_run(7);
    const std::string bytes = other.SerializeAsString();
    field.its.line->publish(field.names.state("a"), as_bytes(bytes));  // as during an upgrade
    const auto refused = [&] { return field.home.metric("fleet_orders_refused_total"); };
    const double before = refused();
    field.its.line->publish(field.names.state("c"), as_bytes(std::string_view("?")));
    CHECK(field.its.until([&] { return refused() == before + 1; }));
    // This one comes by two subscriptions.
    field.its.line->publish(field.names.state("a"), as_bytes(std::string_view("?")));
    CHECK(field.its.until([&] { return refused() == before + 3; }));
  }
  log.end();
  CHECK(log.times("another process is also the node") == 0);
}

TEST_CASE("that another process has this node's name is said once, after five seconds") {
  if (NatsServer::is_missing()) return;
  Logged log;
  {
    Field field;
    const std::string error = "fleet: another process is also the node 'a'; set another [fleet] node for one of them";
    bus::NodeState other;
    other.set_run(7);
    const std::string bytes = other.SerializeAsString();
    Millis next = 0;
    const auto announced = [&] {
      if (steady_now() < next) return false;
      next = steady_now() + 100;
      return field.its.line->publish(field.names.state("a"), as_bytes(bytes));
    };
    const Millis began = steady_now();
    CHECK(field.its.until([&] {
      announced();
      return has(log.lines(), error);
    }));
    CHECK(steady_now() - began >= FleetControl::kGone);
    int more = 0;
    CHECK(field.its.until([&] {
      more += announced() ? 1 : 0;
      return more == 5;
    }));
    CHECK(field.home.node->known_bans().ok());
  }
  log.end();
  CHECK(log.times("another process is also the node") == 1);
}

TEST_CASE("what others put into the fleet's bans and queues is counted if it is invalid, and so are bans that wait") {
  if (NatsServer::is_missing()) return;
  Field field;
  const auto queue = field.home.queues.of({"s", 1});
  const std::string there = field.names.queue(fleet::queue_key({"s", 1}, "here"), "b");
  CHECK(field.its.until([&] {
    field.its.line->publish(there, as_bytes(std::string_view("?")));
    return field.home.metric("fleet_queues_refused_total") != 0;
  }));
  const auto put = [&](auto done) {
    field.its.line->put(field.names.bans(), "net.192.0.2.1", as_bytes(std::string_view("?")), done);
  };
  REQUIRE(field.its.until([&] { return field.its.order(put).done(); }));  // once the bucket is there
  CHECK(field.its.until([&] { return field.home.metric("fleet_bans_refused_total") != 0; }));
  Home alone("nats://127.0.0.1:9");
  const relay::Ban ban{*net::Network::parse("192.0.2.1"), relay::Ban::kForGood, "", false};
  alone.node->changed(ban.who, &ban);
  CHECK(field.its.until([&] { return alone.metric("fleet_bans_waiting") == 1; }));
}

TEST_CASE("while NATS has not answered yet, an operator is told to try again") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  nats.freeze();
  std::string answer;
  for (int times = 0; times < 10 && !has(answer, "yet"); ++times)  // a busy machine may be late
    answer = Home(nats.url()).node->answer("nodes", false, "by me");
  CHECK(answer == "error: this node is not connected to NATS yet, try again\n");
  nats.thaw();
}

TEST_CASE("without NATS, an operator is told why") {
  const Home home("nats://127.0.0.1:9");
  std::string answer;
  for (Millis end = steady_now() + 30'000; steady_now() < end && !has(answer, "to NATS: ");)
    answer = home.node->answer("nodes", false, "by me");
  CHECK_MESSAGE(answer.starts_with("error: this node is not connected to NATS: "), answer);
  CHECK(home.node->answer("nodes", true, "by me").starts_with("{\"error\":\"this node is not connected to NATS: "));
}

}  // namespace
}  // namespace entente::fleet_operator_test
