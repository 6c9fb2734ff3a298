// A simulation of a fleet: several nodes, each a service (service.h) on a host of its own, connected by a simulated
// NATS (kernel/bus.h). Players of all games come through any node into one arena, whose owner changes.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/bans.h"
#include "tests/lab/games.h"
#include "tests/lab/service.h"

namespace entente::lab {

class Nodes final : private Visitors {
 public:
  /// `harsh`: faults of all kinds. Else nothing costs any player anything.
  Nodes(Plan& plan, Verdict& verdict, bool harsh);
  void live();
  /// Afterwards: how many sessions the nodes had.
  std::size_t sessions() const;

 private:
  static constexpr std::size_t kMostNodes = 3;
  struct Node {
    Service service;
    std::string name;
    bool stands = false;  // it may own the arena
    std::string text = "the server is down";
    bool changes = false;  // an act changes its configuration
  };

  // -- The nodes: nodes.cc
  void add_node(std::size_t number);
  void add_ways(std::size_t number);
  void add_account(const Node& node) const;
  std::string configuration(const Node& node) const;
  void hear(std::size_t process, std::string_view line);
  bool close();

  // -- What must hold: nodes.cc
  /// Processes that own the arena, as their logs say.
  std::vector<std::size_t> owners() const;
  void watch_owner();
  void check_owner();
  void check_bans();
  void check_recordings();

  // -- What happens: nodes_acts.cc
  struct Act {
    std::string name, kind;
    std::size_t node = 0;
    Nanos at = 0, lasts = 0;
  };
  std::vector<Act> acts();
  void carry_out(const Act& act);
  void end(const Act& act);
  void crash(const Act& act);
  void hamper(const Act& act);
  void hamper_nats(const Act& act);
  void reload(const Act& act);
  void upgrade(const Act& act);
  void drain(const Act& act);
  void order_ban(const Act& act);
  void command(const Act& act);
  std::string ask(Node& node, const std::string& line) { return node.service.ask(line, !harsh_ || over_); }

  const bool harsh_, records_, accounts_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::size_t hampered_ = 0;                       // acts that keep nodes from NATS or freeze them
  Nanos hampered_until_ = 0, owned_at_ = 0;        // when the arena had an owner
  std::set<std::size_t> owns_;                     // processes that said so
  std::map<std::size_t, Nanos> was_frozen_until_;  // processes
  BanOrders bans_;
  bool lacks_ends_ = false;  // NATS, of recordings, as a node said
  bool lost_data_ = false;   // NATS has forgotten what it stored
};

}  // namespace entente::lab
