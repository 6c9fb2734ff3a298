// What rules want that their room cannot do: to kick, ban and move players, and to be heard by the operator.
// Invariant: workers never wait. Orders are carried out on the thread `files`, in order, and none waits for the result
// of a move; when too many wait, more are dropped and counted. Lines to players push out no other orders. A ban holds
// also if its player has left meanwhile.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "proxy/program/base/housekeeping.h"
#include "proxy/program/control/control.h"
#include "proxy/program/control/route_names.h"
#include "proxy/program/monitor/metrics.h"
#include "proxy/program/rules/line_limiter.h"
#include "proxy/program/settings/ban_file.h"
#include "proxy/relay/proxy_server.h"
#include "proxy/relay/route/rule_book.h"

namespace entente {

class RuleOrders {
 public:
  /// All outlive it.
  RuleOrders(relay::ProxyServer& server, relay::Bans& bans, KeptBans& kept, RouteLister routes, Housekeeping& files);
  ~RuleOrders() { work_.reset(); }

  /// For the rules of a route or an arena, which has none yet. `of`: "route public", "arena 'duel'".
  std::shared_ptr<relay::RuleBook> new_book(std::string of);
  /// Orders are carried out from now on. REQUIRES: called once.
  void start();
  /// Adds the command `rules`.
  void add_commands(Control& control);
  void measure(Metrics& metrics) const;
  /// Called when a rule is switched off, on any thread; must not block. `why` begins with the rule's name. REQUIRES:
  /// set before the first player comes.
  using SwitchedOff = std::function<void(const std::string& of, const std::string& rule, const std::string& why)>;
  void when_switched_off(SwitchedOff call) { switched_off_ = std::move(call); }

 private:
  struct Order {
    rules::Action action;
    relay::LinkId link;   // 0: the player has none here
    net::Address client;  // as it was when the rule acted: the session may be over when the order is carried out
    std::string of;
    std::uint64_t number;  // in the order in which rules gave them
  };
  /// A move whose result is not known yet.
  struct Moving {
    Order order;
    std::shared_ptr<relay::MoveOrder> its;
  };
  void act(const relay::RuleBook& book, const rules::Action& action, const relay::LinkInfo* client);
  void log_line(const relay::RuleBook& book, const rules::Action& action, const relay::LinkInfo* client);
  std::optional<Order> take_order();
  Millis carry_out();
  void carry_out(const Order& order);
  void ban(const Order& order);
  void move(const Order& order);
  void look_at_moves();
  std::vector<std::shared_ptr<const relay::RuleBook>> books() const;
  Reply rows() const;

  relay::ProxyServer& server_;
  relay::Bans& bans_;
  KeptBans& kept_;
  const RouteLister routes_;
  Housekeeping& files_;
  SwitchedOff switched_off_;          // may be null
  std::vector<Moving> moving_;        // of the thread `files`
  mutable std::mutex mutex_;          // guards what follows
  std::deque<Order> orders_, lines_;  // lines_: kTell
  std::uint64_t numbered_ = 0;
  std::vector<std::weak_ptr<const relay::RuleBook>> books_;
  std::uint64_t dropped_ = 0, untold_drops_ = 0;
  Millis drops_told_ = 0;
  LineLimiter line_limiter_{steady_now()};
  std::optional<Housekeeping::Work> work_;
};

}  // namespace entente
