#include "tests/lab/nodes.h"

#include <lab_accounts.h>

#include <algorithm>

#include "proxy/fleet/decode.h"
#include "proxy/trace/recording.h"
#include "schema/fleet.pb.h"
#include "tests/lab/kernel/bus.h"
#include "tests/lab/kernel/disk.h"

namespace entente::lab {
namespace {

constexpr std::uint16_t kWayPort = 5100;
constexpr Place kWatchedPlace{kProxyHost, 5000};
// That an arena has no owner is said two seconds later. Before, nodes had to reach NATS, and none was frozen.
constexpr Nanos kOwnerless = 8 * kSecond, kCalm = 12 * kSecond;
constexpr Nanos kFrozenFor = 3 * kSecond;  // after it was frozen, a process may not know yet that it owns nothing

constexpr const char* kSecret = "secret";

std::string password_file(const std::string& node) { return std::string(Disk::kRoot) + node + ".password"; }

/// The texts in quotes of the list that follows `name`, from `at` on.
std::vector<std::string> list_after(std::string_view text, std::string_view name, std::size_t at) {
  std::vector<std::string> list;
  at = text.find(name, at);
  for (const std::size_t end = text.find(']', at); (at = text.find('"', at)) < end; ++at) {
    const std::size_t close = text.find('"', ++at);
    list.emplace_back(text.substr(at, close - at));
    at = close;
  }
  return list;
}

}  // namespace

Nodes::Nodes(Plan& plan, Verdict& verdict, bool harsh)
    : Visitors(plan, verdict, kWatchedPlace),
      harsh_(harsh),
      records_(plan.has("recording", 0.5)),
      accounts_(plan.has("accounts", 0.7)) {
  for (std::size_t i = 0, count = plan.draw("nodes").number(2, kMostNodes); i < count; ++i) {
    if (i != 0 && !plan.has("node " + std::to_string(i))) continue;
    add_node(i);
    add_ways(i);
  }
}

// -- The nodes --------------------------------------------------------------------------------------------------------

void Nodes::add_node(std::size_t number) {
  const std::string name = "node-" + std::to_string(number);
  Service::Its its{name + " ", static_cast<std::uint32_t>(kProxyHost + number), Disk::kRoot + name + ".toml",
                   Disk::kRoot + name + ".sock",
                   [this](std::size_t process, std::string_view line) { hear(process, line); }};
  nodes_.push_back(std::make_unique<Node>(Node{Service(plan_, verdict_, std::move(its)), name}));
  nodes_.back()->stands = number == 0 || plan_.draw(name).chance(0.7);
}

void Nodes::add_ways(std::size_t number) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = nodes_.back()->name + ", way " + std::to_string(i);
    if (!plan_.has(name, 0.8)) continue;
    Draw draw = plan_.draw(name);
    Way way{name, any_game(draw), {}};
    way.server = way.clients;
    way.wanted = draw.number(1, 3);
    way.listen = {static_cast<std::uint32_t>(kProxyHost + number), static_cast<std::uint16_t>(kWayPort + i)};
    way.name += ", " + way.clients.text();
    ways_.push_back(std::move(way));
  }
}

/// What deploy/fleet/accounts lets a node do that has the roles of this one.
void Nodes::add_account(const Node& node) const {
  const std::string roles = std::string(node.stands ? "owner" : "edge") + ",operator" + (records_ ? ",recorder" : "");
  const auto found =
      std::find_if(std::begin(kAccounts), std::end(kAccounts), [&](const auto& one) { return one.first == roles; });
  const std::string_view conf = found->second;
  const std::size_t at = conf.find("\"" + node.name + "\"");
  kernel().bus().set_account(node.name,
                             {kSecret, list_after(conf, "publish: [", at), list_after(conf, "subscribe: [", at)});
  kernel().disk().put(password_file(node.name), as_bytes(kSecret));
}

std::string Nodes::configuration(const Node& node) const {
  std::string nats;
  for (std::size_t i = 0; i < kernel().bus().servers(); ++i) nats += (i == 0 ? "" : ", ") + quoted(BusServer::url(i));
  std::string text =
      "workers = " + std::to_string(plan_.draw("workers of " + node.name).number(1, 2)) +
      "\n[log]\nlevel = \"info\"\n[control]\nsocket = " + quoted(node.service.its().socket) + "\n[fleet]\nnats = [" +
      nats + "]\nname = \"lab\"\nnode = " + quoted(node.name) +
      (accounts_ ? "\nuser = " + quoted(node.name) + "\npassword_file = " + quoted(password_file(node.name)) : "") +
      "\n[texts]\nserver_down = " + quoted(node.text) + "\n";
  const std::string record = records_ ? "record = \"{game}-{route}-{time}.mcap\"\n" : "";
  if (records_) text += "[recording]\nto_fleet = \"only\"\nchunk_bytes = 65536\n";
  std::vector<std::string> urls{url(speech("native", "json"), {node.service.its().host, kWatchedPlace.second})};
  for (const Way& way : ways_)
    if (way.listen.first == node.service.its().host) urls.push_back(url(way.clients, way.listen));
  if (!node.stands) {
    for (const std::string& one : urls) text += "[[route]]\nlisten = " + quoted(one) + "\nto = \"fleet:field\"\n";
    return text;
  }
  text += "[[arena]]\nname = \"field\"\nfleet = true\nseats = 32\nside = 80\n" + record + "listen = [";
  for (const std::string& one : urls) text += quoted(one) + ", ";
  return text + "]\n";
}

void Nodes::hear(std::size_t process, std::string_view line) {
  const auto has = [line](std::string_view what) { return line.find(what) != std::string_view::npos; };
  if (has("NATS does not permit")) wrong(std::string(line));
  lacks_ends_ = lacks_ends_ || has("the fleet lacks the end of recordings");
  if (const Nanos now = kernel().now(); has("has no owner") && owned_at_ != 0 && now < owned_at_ + kOwnerless &&
                                        hampered_ == 0 && hampered_until_ + kCalm < now)
    wrong(std::string(line) + ", and it had one " + std::to_string((now - owned_at_) / kMilli) + " ms ago");
  if (has("this node no longer owns the arena") || has("this node hands over the arena")) owns_.erase(process);
  if (!has("this node owns the arena")) return;
  for (const std::size_t other : owners())
    if (other != process && was_frozen_until_[other] + kFrozenFor < kernel().now())
      wrong("processes " + std::to_string(Processes::pid_of(other)) + " and " +
            std::to_string(Processes::pid_of(process)) + " own the arena at once");
  owns_.insert(process);
}

// -- A life -----------------------------------------------------------------------------------------------------------

void Nodes::live() {
  if (plan_.has("cluster of NATS", 0.5)) kernel().bus().set_servers(kMostBusServers);
  std::vector<Service*> services;
  for (const auto& one : nodes_) services.push_back(&one->service);
  Service::prepare(services);
  for (const auto& one : nodes_) {
    if (accounts_) add_account(*one);
    one->service.configure(configuration(*one));
    if (has_maps()) one->service.expect_maps();
    one->service.start();
  }
  const auto all_serve = [this] {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& one) { return one->service.served(); });
  };
  kernel().wait(all_serve, kernel().now() + kInWithin);
  if (!players_.start()) return;
  std::vector<std::thread> serving, acting;
  for (Service* one : services) serving.emplace_back([one] { one->serve(); });
  std::thread keeping([this] { keep_players(); });
  if (!harsh_) sleep(10 * kSecond);  // everybody comes
  for (const Act& act : acts()) acting.emplace_back([this, act] { carry_out(act); });
  std::thread watching([this] { watch_owner(); });
  sleep(plan_.draw("length").time(5'000, 90'000));
  for (std::thread& one : acting) one.join();

  plan_.tell("all is calm");
  kernel().faults = Faults();
  await_all(harsh_);
  if (!harsh_) check_nobody_was_sent_away();
  over_ = true;
  keeping.join();
  watching.join();
  check_owner();
  check_bans();
  rest();
  check_sights();
  const bool closed = close();
  for (Service* one : services) one->end();
  for (std::thread& one : serving) one.join();
  if (!closed) return;
  for (Service* one : services) one->check();
  check_recordings();
  for (const std::string& what : kernel().bus().too_large()) wrong("a message is larger than NATS takes: " + what);
}

bool Nodes::close() {
  plan_.tell("stopping the players");
  if (!players_.stop(kStopsWithin)) return wrong("the players do not stop"), false;
  const Nanos until = kernel().now() + kStopsWithin;
  for (const auto& one : nodes_)
    if (!one->service.await_empty(until)) return false;
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& one) { return one->service.close(); });
}

std::size_t Nodes::sessions() const {
  std::size_t sum = 0;
  for (const auto& one : nodes_) sum += one->service.sessions();
  return sum;
}

// -- What must hold ---------------------------------------------------------------------------------------------------

std::vector<std::size_t> Nodes::owners() const {
  std::vector<std::size_t> all;
  for (const std::size_t process : owns_)
    if (!kernel().processes().ended(process)) all.push_back(process);
  return all;
}

/// Notes when the arena last had an owner that was not frozen.
void Nodes::watch_owner() {
  for (; !over_; sleep(kSecond / 2))
    for (const std::size_t process : owners())
      if (kernel().frozen_until(process) <= kernel().now()) owned_at_ = kernel().now();
}

void Nodes::check_owner() {
  kernel().wait([this] { return owners().size() == 1; }, kernel().now() + kInWithin);
  if (const auto all = owners(); all.size() != 1) wrong("the arena has " + std::to_string(all.size()) + " owners");
}

/// All nodes know the same bans, or soon will: NATS passes them on.
void Nodes::check_bans() {
  const Nanos until = kernel().now() + kInWithin;
  std::map<std::string, std::set<std::string>> known;
  std::string answer;
  const auto differs = [&known](const auto& one) { return one.second != known.begin()->second; };
  for (;; sleep(kSecond / 10)) {
    known.clear();
    for (const auto& one : nodes_) known[one->name] = first_fields(answer = ask(*one, "bans"));
    if (lost_data_) return;
    if (std::none_of(known.begin(), known.end(), differs)) break;
    if (kernel().now() >= until) break;
  }
  for (const auto& [name, bans] : known)
    if (bans != known.begin()->second)
      wrong(name + " knows " + std::to_string(bans.size()) + " bans, and " + known.begin()->first + " " +
            std::to_string(known.begin()->second.size()));
  if (harsh_) return;  // clocks were set
  for (const std::string& what : bans_.check(answer)) wrong(what);
}

/// What the fleet stores of a recording is a recording.
void Nodes::check_recordings() {
  const bool killed =
      std::any_of(nodes_.begin(), nodes_.end(), [](const auto& one) { return one->service.killed_any(); });
  const BusServer::Stream* const stored = kernel().bus().stream("lab-rec");
  if (killed || lost_data_) return;
  if (stored == nullptr || stored->mails.empty()) {
    if (records_ && sessions() != 0 && !harsh_) wrong("no recording is stored");
    return;
  }
  std::map<std::string, Buffer> files;
  std::set<std::string> complete;
  for (const auto& mail : stored->mails) {
    bus::RecordingPiece piece;
    if (!fleet::decode(mail->bytes, piece)) return wrong("a piece of a recording does not decode");
    Buffer& bytes = files[mail->subject];
    if (piece.offset() != bytes.size() || piece.torn()) return wrong(mail->subject + " has a gap");
    bytes.insert(bytes.end(), piece.bytes().begin(), piece.bytes().end());
    if (piece.last()) complete.insert(mail->subject);
  }
  for (const auto& [subject, bytes] : files) {
    const std::string path = std::string(Disk::kRoot) + "stored.mcap";
    kernel().disk().put(path, bytes);
    if (!lacks_ends_ && !complete.contains(subject)) wrong(subject + " is not complete");
    if (const auto opened = trace::Recording::open(path); !opened) wrong(subject + ": " + opened.error().text);
  }
}

void simulate_fleet(Plan& plan, Verdict& verdict) { simulate_services<Nodes>(plan, verdict); }

}  // namespace entente::lab
