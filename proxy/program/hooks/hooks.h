// The hooks of a configuration: takes events from any thread, and sends them on a thread of its own.
// Invariant: post() only puts an event into queues; it waits for no receiver. What is kept is bounded (HookLine). The
// thread begins with the first hook.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/net/loop.h"
#include "proxy/net/names/host_names.h"
#include "proxy/program/hooks/hook_line.h"
#include "proxy/program/hooks/hook_runner.h"
#include "proxy/relay/base/news.h"

namespace entente {

class Control;
class Metrics;

class Hooks {
 public:
  static constexpr std::size_t kMostCommands = 4;  ///< that run at once

  struct Options {
    HookPatience patience = {};
    net::LookUp look_up = net::look_up_by_system;
  };
  Hooks() : Hooks(Options{}) {}
  explicit Hooks(Options options);
  ~Hooks();
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;

  /// From now on, these are the hooks. Those that do not differ go on; what waits for one that differs waits for the
  /// new one. Returns a line for each change. From any thread.
  std::string set(std::vector<HookSettings> fresh);
  /// Whether a hook wants news of this kind. From any thread.
  bool wants(relay::NewsKind kind) const;
  /// From any thread.
  void post(relay::News news);
  /// `on`: other processes serve players, too, and no place is said to be empty. Then, those that have become empty
  /// here meanwhile and still are. From any thread.
  void hold_empty(bool on);
  /// From now on, another process says which places are empty. From any thread.
  void stop_telling_empty();
  /// Sends a test event to the hook with this name. `by`: who asks. From any thread.
  Outcome<Done> test(const std::string& name, const std::string& by);
  /// Sends what waits, for a bounded time, and ends the thread. Later events are dropped.
  void stop();

  std::vector<std::shared_ptr<const HookLine>> lines() const;
  void measure(Metrics& metrics) const;

 private:
  class Thread;
  void put(const std::shared_ptr<const HookEvent>& event, const HookLine* only);
  std::shared_ptr<const HookEvent> numbered(relay::News news);
  std::uint64_t count_players(const std::string& place, relay::NewsKind kind);

  const Options options_;
  net::Loop loop_;            // of the thread, which may begin when no descriptors are left
  const std::string prefix_;  // of ids
  std::atomic<std::uint64_t> last_id_{0};
  std::atomic<std::uint32_t> kinds_{0};  // a bit for each that some hook wants
  mutable std::mutex mutex_;             // of what follows
  std::vector<std::shared_ptr<HookLine>> lines_;
  std::map<std::string, std::uint64_t> players_;  // by arena or route
  std::map<std::string, relay::News> held_;       // the news that a place is empty, by the same
  bool holds_empty_ = false, tells_empty_ = true;
  std::unique_ptr<Thread> thread_;  // null: there was no hook yet, or it has stopped
  bool stopped_ = false;
};

/// The command `hooks`. `hooks` outlives the control.
void add_hooks_command(Control& control, Hooks& hooks);

}  // namespace entente
