// Announces the routes and arenas of [[list]] in the public lists of their games, on a thread of its own.
// Invariant: nothing is announced unless the configuration says so. A server that takes no players is removed from its
// list, and so is every server when the program stops, for a bounded time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "proxy/net/loop.h"
#include "proxy/net/names/host_names.h"
#include "proxy/program/lists/announcement.h"
#include "proxy/program/settings/public_list.h"

namespace entente {

class Control;
class Metrics;

class PublicLists {
 public:
  /// The listeners of a route or arena, by its name, that take players now. Called on the thread of this; does not
  /// wait.
  using Servers = std::function<std::vector<PublicServer>(const std::string& of)>;
  struct Options {
    ListTimes times = {};
    net::LookUp look_up = net::look_up_by_system;
  };

  explicit PublicLists(Servers servers) : PublicLists(std::move(servers), Options{}) {}
  PublicLists(Servers servers, Options options);
  ~PublicLists();
  PublicLists(const PublicLists&) = delete;
  PublicLists& operator=(const PublicLists&) = delete;

  /// From now on, these are announced. Returns a line for each change. From any thread.
  std::string set(std::vector<PublicListSettings> fresh);
  /// Something may have changed: it is seen soon. From any thread.
  void look_soon();
  /// Another process announces the same servers: its entries stay, and nothing more is told. Does not wait.
  void abandon();
  /// Removes all, unless abandon() was called, and ends the thread. Waits for a bounded time.
  void stop();

  struct Row {
    std::string name, list;
    AnnouncementState::Report report;
  };
  std::vector<Row> rows() const;
  void measure(Metrics& metrics) const;

 private:
  class Thread;
  void begin_end(bool removes);

  const Servers servers_;
  const Options options_;
  net::Loop loop_;            // of the thread, which may begin when no descriptors are left
  mutable std::mutex mutex_;  // of what follows
  std::vector<PublicListSettings> settings_;
  std::vector<Row> rows_;
  std::vector<std::shared_ptr<AnnouncementState>> states_;  // of the rows
  std::unique_ptr<Thread> thread_;                          // null: there is nothing to announce
  bool stopped_ = false;
};

/// The command `lists`. `lists` outlives the control.
void add_lists_command(Control& control, const PublicLists& lists);

}  // namespace entente
