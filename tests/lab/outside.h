// What stands around the program in a simulation: a receiver of hooks, which is BZFlag's public list and the master of
// Ace of Spades, too; a command that gets events; and a monitor, which reads the metrics and gives commands by the
// operator page, while a stranger guesses its token.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/lab/plan.h"

namespace entente::lab {

/// The events of a hook, as they came.
class Events {
 public:
  Events(Plan& plan, Verdict& verdict, std::string who) : plan_(plan), verdict_(verdict), who_(std::move(who)) {}
  /// `body`: JSON.
  void take(std::string_view body);
  /// When a reload begins, and when it has ended. It can change the hook, which then sends again what was on the way.
  void reload() { ++reloads_; }
  /// When the program has stopped. `whole`: none of its processes was killed, and none has given up an event.
  /// `certain`: none was told a second time because its receiver failed.
  /// `joins`: how many players have joined at least.
  void check(bool whole, bool certain, std::size_t joins);
  /// The same: each process says in turn that a server of a route is down and up again. `routes`: their names.
  /// REQUIRES: none has given up an event.
  void check_servers(const std::set<std::string>& routes);

 private:
  struct Event {
    std::string kind, session, route, server;
    std::size_t taken = 0;    // how often; not again because of a reload
    std::size_t reloads = 0;  // when it was taken first
  };
  Plan& plan_;
  Verdict& verdict_;
  const std::string who_;
  std::uint64_t lost_ = 0;
  std::size_t reloads_ = 0;           // beginnings and ends; odd: one is under way
  std::map<std::string, Event> all_;  // by id
};

/// A program that gets the events of a hook. It may fail, print much, read nothing, or take too long.
class Tool {
 public:
  Tool(Plan& plan, Verdict& verdict)
      : plan_(plan), may_fail_(plan.has("command of a hook fails", 0.5)), events_(plan, verdict, "the command") {}
  void calm() { fails_ = false; }
  /// Its `main`. Returns its exit code.
  int run(const std::array<int, 3>& descriptors);
  void reload() { events_.reload(); }
  void check(bool whole, bool certain, std::size_t joins) { events_.check(whole, certain && !may_fail_, joins); }

 private:
  Plan& plan_;
  const bool may_fail_;
  bool fails_ = may_fail_;
  std::size_t runs_ = 0;
  Events events_;
};

/// Takes HTTP requests. Until calm() it may refuse them, not answer, or break off. The master takes all connections.
class Receiver {
 public:
  Receiver(Plan& plan, Verdict& verdict);
  void start();
  void calm() { fails_ = false; }
  void stop();

  static std::string hook_url() { return "http://10.0.5.1:8000/hook"; }
  static std::string list_url() { return "http://10.0.5.1:8000/list"; }
  static std::string master() { return "10.0.5.1:32886"; }
  /// Whether its game's list has a server at "10.0.1.1:5000".
  bool lists(const std::string& place) const;
  bool has_failed() const { return has_failed_; }
  void reload() { events_.reload(); }

  /// As those of Events.
  void check_servers(const std::set<std::string>& routes) { events_.check_servers(routes); }
  /// When the program has stopped. `whole`: none of its processes was killed, and it has reached us to the end.
  /// `certain`: no answer of ours was lost on the way.
  void check(bool whole, bool certain, std::size_t joins);

 private:
  class Master;
  void serve();
  void answer(int fd, std::uint64_t number);
  void take_form(std::string_view body);

  Plan& plan_;
  Verdict& verdict_;
  const bool may_fail_;
  bool fails_ = may_fail_, has_failed_ = false, stops_ = false;
  std::size_t running_ = 0;  // threads
  std::function<void()> stop_master_;
  std::uint64_t asked_ = 0;
  Events events_;
  std::map<std::string, int> listed_;  // how often
};

class Monitor {
 public:
  static constexpr std::uint16_t kMetricsPort = 5990, kPagePort = 5991;
  static constexpr std::string_view kToken = "a-token-that-only-the-operator-knows-01234567";

  /// `host`: of the program. `alone`: the only process of it that runs; nothing: none runs, or several.
  Monitor(Plan& plan, Verdict& verdict, std::uint32_t host, std::function<std::optional<std::size_t>()> alone)
      : plan_(plan), verdict_(verdict), host_(host), alone_(std::move(alone)) {}
  /// A broadcast has documents at this port. `heard`: called with each name in them. REQUIRES: before start().
  void read(std::uint16_t port, std::function<void(std::string_view name)> heard) {
    broadcasts_.push_back({port, std::move(heard), {}});
  }
  /// `must`: each question is answered from now on, and in time.
  void start(bool must);
  void demand() { must_ = true; }
  void stop();
  /// All values of this metric as it is now, of those whose labels begin so. Nothing: it was not answered.
  std::optional<std::vector<double>> values_of(const std::string& metric, std::string_view labels = "");
  /// Their sum.
  std::optional<double> sum_of(const std::string& metric);

 private:
  struct Reply {
    unsigned status = 0;  // 0: none
    std::string body;
  };
  void watch();
  void guess();
  Reply ask(std::uint16_t port, const std::string& request) const;
  Reply get(std::uint16_t port, const std::string& path) const;
  Reply metrics();
  struct Documents {
    std::uint16_t port = 0;
    std::function<void(std::string_view name)> heard;
    std::map<std::uint64_t, std::string> fragments;  // the newest that were read
  };
  void read(Documents& broadcast);
  void read_fragment(Documents& broadcast, std::uint64_t number);
  void give_command();
  using Values = std::map<std::string, double>;  // by the metric and its labels
  Values check_metrics(const std::string& body);
  void check_counters(const Values& now);
  void wrong(const std::string& what) {
    plan_.tell("monitor: " + what);
    verdict_.wrong.push_back("monitor: " + what);
  }

  Plan& plan_;
  Verdict& verdict_;
  const std::uint32_t host_;
  const std::function<std::optional<std::size_t>()> alone_;
  // Counters as they were when they were read last, of which process, and when they had come.
  Values counters_;
  std::optional<std::size_t> counted_;
  Nanos counted_at_ = 0;
  bool must_ = false, stops_ = false;
  std::size_t running_ = 0;  // threads
  std::vector<Documents> broadcasts_;
};

}  // namespace entente::lab
