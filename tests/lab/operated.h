// A simulation of the whole program: `entente run CONFIG` as it is installed, with a service manager that starts it
// again, and an operator who reloads, upgrades and gives commands on the control socket, while players play through it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/lab/bans.h"
#include "tests/lab/games.h"
#include "tests/lab/outside.h"
#include "tests/lab/service.h"

namespace entente::lab {

class Operated final : private Games {
 public:
  /// `harsh`: faults of all kinds. Else neither a reload nor an upgrade costs anybody anything.
  Operated(Plan& plan, Verdict& verdict, bool harsh);
  void live();
  /// Afterwards: how many sessions the program had.
  std::size_t sessions() const { return service_.sessions(); }

 private:
  // -- The program and its configuration: operated.cc
  /// What a reload may change.
  struct Edition {
    std::string text = "the server is down";
    std::string level = "info";
    bool has_spare_route = false;
    Nanos check = 2 * kSecond;
    bool holds = true;
    std::string title = "first";  // of what is announced
    bool addresses = false;       // for the receiver of the hook
    bool later = false;           // audiences
    std::string lab;              // of relays
  };
  void add_audience(std::size_t way);
  std::string configuration(const Edition& edition) const;
  std::string audience_of(std::size_t way, const Edition& edition) const;
  std::string servers_of(const Way& way) const;
  void hear(std::string_view line);
  std::string relay_options(const Way& way, const Edition& edition) const;
  void put_rules(const std::string& act) const;
  int run_line(const std::string& line);
  /// Unless it runs already. False: it does not start.
  bool start_server();
  bool close();
  bool await_no_sessions();
  void note_opened();

  // -- What must hold: operated.cc
  void compare();
  void await_listed();
  void check_outside(std::set<std::string> routes);
  void check_certificates();
  void check_counted();
  void check_bans();
  void check_files();

  // -- What happens: operated_acts.cc
  struct Act {
    std::string name, kind;
    Nanos at = 0, lasts = 0;
  };
  std::vector<Act> acts();
  void carry_out(const Act& act);
  void restart_server(const Act& act);
  void end(const Act& act);
  void crash();
  void hamper(const Act& act);
  void command(const Act& act);
  void order_ban(const Act& act);
  void reload(const Act& act);
  void reload_broken(const Act& act);
  void upgrade(const Act& act);
  /// Asks the program. Its answer, or "" if there is none.
  std::string ask(const std::string& line);

  static constexpr Nanos kLater = 5 * kSecond;
  static constexpr const char *kSocket = "/lab/control.sock", *kToken = "/lab/token";

  const bool harsh_, records_;
  Edition edition_;
  std::size_t reloading_ = 0;  // acts that change the configuration, one at a time
  bool upgrades_ = false;      // an upgrade was ordered
  bool lost_events_ = false;   // as the program says
  bool starting_ = false;      // the server
  std::size_t lines_ = 0;      // that the shell ran
  std::uint64_t serial_ = 1;   // of the certificate
  BanOrders bans_;
  // A process without players, and how many sessions it has had, as its metrics say.
  std::optional<std::pair<std::size_t, double>> opened_;
  Service service_;
  Receiver receiver_;
  const bool has_tool_;
  Tool tool_;
  Monitor monitor_;
  const bool has_rules_, compares_ = plan_.has("what players see is compared", 0.5);
};

}  // namespace entente::lab
