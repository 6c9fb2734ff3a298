#include <algorithm>
#include <iterator>

#include "tests/lab/kernel/bus.h"
#include "tests/lab/nodes.h"

namespace entente::lab {
namespace {

constexpr std::size_t kMostActs = 10;
constexpr std::uint64_t kMostStep = 43'200'000;  // ms; bans from more than a day ahead are not believed
constexpr const char* kMild[] = {"upgrade", "reload", "drain", "ban", "command", "upgrade", "drain"};
constexpr const char* kHarsh[] = {"kill a node",       "stop a node",      "freeze a node",       "kill the owner",
                                  "freeze the owner",  "cut a node off",   "cut the players off", "kill NATS",
                                  "NATS forgets",      "JetStream stalls", "consumers are lost",  "step the wall clock",
                                  "cut the owner off", "cut a node off",   "end a NATS server",   "split NATS",
                                  "split NATS",        "crash a node",     "crash the owner"};
constexpr const char* kCommands[] = {
    "--fleet nodes", "--fleet list", "--fleet say hear ye", "--fleet routes", "--fleet stats", "--fleet bans",
    "list",          "routes",       "--fleet find x",      "--fleet access"};

}  // namespace

/// What happens, and when.
std::vector<Nodes::Act> Nodes::acts() {
  std::vector<Act> all;
  for (std::size_t i = 0; i < kMostActs; ++i) {
    Act act{"act " + std::to_string(i), "", 0, 0, 0};
    Draw draw = plan_.draw(act.name);
    act.kind = harsh_ && draw.chance(0.6) ? draw.one_of(kHarsh) : draw.one_of(kMild);
    act.node = draw.number(0, kMostNodes - 1) % nodes_.size();
    act.at = draw.time(500, 60'000);
    act.lasts = draw.time(0, 20'000);
    act.name += ": " + act.kind;
    if (plan_.has(act.name, 0.7)) all.push_back(act);
  }
  return all;
}

void Nodes::carry_out(const Act& act) {
  sleep(act.at);
  if (over_) return;
  plan_.tell(act.name + ", " + nodes_[act.node]->name + ", for " + std::to_string(act.lasts / kMilli) + " ms");
  if (act.kind == "reload") return reload(act);
  if (act.kind == "upgrade") return upgrade(act);
  if (act.kind == "drain") return drain(act);
  if (act.kind == "ban") return order_ban(act);
  if (act.kind == "command") return command(act);
  if (act.kind == "kill a node" || act.kind == "stop a node" || act.kind == "kill the owner") return end(act);
  ++hampered_;
  if (act.kind.starts_with("crash"))
    crash(act);
  else if (act.kind.find("NATS") != std::string::npos || act.kind == "JetStream stalls" ||
           act.kind == "consumers are lost")
    hamper_nats(act);
  else
    hamper(act);
  --hampered_;
  hampered_until_ = kernel().now();
}

void Nodes::end(const Act& act) {
  if (act.kind == "kill the owner") {
    for (const std::size_t process : owners())
      for (const auto& one : nodes_)
        if (one->service.its().host == kernel().host_of(process)) one->service.kill(process);
    return;
  }
  Service& service = nodes_[act.node]->service;
  for (const std::size_t process : service.running())
    act.kind == "stop a node" ? service.stop(process) : service.kill(process);
}

/// A node's machine crashes, and comes up again at once. Peers that say nothing notice it late.
void Nodes::crash(const Act& act) {
  const auto all = owners();
  for (const auto& one : nodes_) {
    const bool owns = std::any_of(all.begin(), all.end(), [&](const std::size_t process) {
      return kernel().host_of(process) == one->service.its().host;
    });
    if (act.kind == "crash a node" ? one == nodes_[act.node] : owns) one->service.crash();
  }
  sleep(kNoticesSilence);
}

void Nodes::hamper(const Act& act) {
  const Nanos until = kernel().now() + act.lasts;
  const bool of_owner = act.kind.find("the owner") != std::string::npos;
  const auto processes = of_owner ? owners() : nodes_[act.node]->service.running();
  if (act.kind.starts_with("freeze"))
    for (const std::size_t process : processes) {
      kernel().freeze(process, until);
      was_frozen_until_[process] = until;
    }
  if (act.kind == "cut a node off" || act.kind == "cut the owner off")
    for (const std::size_t process : processes)
      for (std::size_t server = 0; server < kernel().bus().servers(); ++server)
        kernel().cut(kernel().host_of(process), BusServer::place(server).first, until);
  if (act.kind == "cut the players off") kernel().cut(kPlayerHost, nodes_[act.node]->service.its().host, until);
  if (act.kind == "step the wall clock") {
    Draw draw = plan_.draw("step of " + act.name);
    const auto by = static_cast<std::int64_t>(draw.time(1, kMostStep));
    kernel().step_wall(draw.chance(0.5) ? by : -by);
  }
  sleep(act.lasts);
}

void Nodes::hamper_nats(const Act& act) {
  BusServer& nats = kernel().bus();
  if (act.kind == "JetStream stalls") nats.stall(kernel().now() + act.lasts);
  if (act.kind == "consumers are lost") nats.lose_consumers();
  const std::size_t server = act.node % nats.servers();
  if (act.kind == "split NATS") nats.split(server, kernel().now() + act.lasts);
  if (act.kind.find("NATS") == std::string::npos || act.kind == "split NATS" || !nats.runs()) return sleep(act.lasts);
  if (act.kind == "end a NATS server") {
    nats.end(server);
    sleep(act.lasts);
    return nats.start();
  }
  lost_data_ = lost_data_ || act.kind == "NATS forgets";
  nats.kill(act.kind == "kill NATS");
  sleep(act.lasts);
  nats.start();
}

void Nodes::reload(const Act& act) {
  Node& node = *nodes_[act.node];
  kernel().wait([&] { return !node.changes; });
  node.changes = true;
  node.text = "text " + std::to_string(plan_.draw("reload of " + act.name).number(0, 5));
  node.service.reload(configuration(node), !harsh_);
  node.changes = false;
}

void Nodes::upgrade(const Act& act) {
  const bool waits = !plan_.draw("upgrade of " + act.name).chance(0.5);
  nodes_[act.node]->service.upgrade(waits ? "upgrade --wait" : "upgrade", !harsh_);
}

void Nodes::drain(const Act& act) {
  Node &by = *nodes_[plan_.draw("drain of " + act.name).number(0, kMostNodes - 1) % nodes_.size()],
       &node = *nodes_[act.node];
  (void)ask(by, "--fleet drain " + node.name);
  sleep(act.lasts);
  (void)ask(by, "--fleet undrain " + node.name);
  if (harsh_) (void)ask(node, "undrain");  // perhaps nobody heard
}

void Nodes::order_ban(const Act& act) {
  Draw draw = plan_.draw("ban of " + act.name);
  Node& node = *nodes_[act.node];
  const auto given = bans_.give(draw, [&](const std::string& line) { return ask(node, line); });
  if (!harsh_ && given.bans && !given.done()) wrong(node.name + ": a ban is answered: " + given.answer);
}

void Nodes::command(const Act& act) {
  const std::string line = plan_.draw("command of " + act.name).one_of(kCommands);
  const std::string answer = ask(*nodes_[act.node], line);
  if (!harsh_ && !answer.starts_with("ok")) wrong(nodes_[act.node]->name + ": `" + line + "` is answered: " + answer);
}

}  // namespace entente::lab
