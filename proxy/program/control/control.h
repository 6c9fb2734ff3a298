// The commands of a running program's control socket: a table of words and their arguments.
// Invariant: an answer is "ok" and lines, or one line "error: why"; to a line that begins with "--json" it is JSON. It
// is text without control characters, whatever was asked and whatever players call themselves. An order, which changes
// something, is logged with who gave it. It is thread-safe, and carries out one command at a time.
// proxy/manual/control.md documents the commands for users.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/control/reply.h"

namespace entente {

class Control {
 public:
  /// Answers a command, given its arguments: with lines, each with a line end, or with an error.
  using Run = std::function<Reply(std::string_view rest)>;

  /// Adds a question, which changes nothing. `usage`: "find NAME". `about`: a sentence. Handlers are called on the
  /// asking thread, one at a time.
  void add(std::string usage, std::string about, Run run);
  /// Adds an order. Each order is logged. `when_refused` is called instead of `run` while orders are refused.
  void add_order(std::string usage, std::string about, Run run, std::function<void()> when_refused = {});

  /// Lines that begin with "--fleet" are passed on to `fleet`, without that word. `fleet` may block, and may call
  /// answer_as().
  using FleetHandler = std::function<std::string(std::string_view line, bool json, const std::string& by)>;
  void set_fleet(FleetHandler fleet) { fleet_ = std::move(fleet); }

  /// While `why` returns a text, orders are refused with this text, unless they are Orders::kAll.
  void refuse_orders_when(std::function<std::string()> why) { objection_ = std::move(why); }

  enum class Orders : std::uint8_t { kUnlessRefused, kAll };
  /// The whole answer. `by`: who asks.
  std::string answer(std::string_view line, const net::LocalPeer& by = {},
                     Orders orders = Orders::kUnlessRefused) const;
  /// As answer(), in JSON, without the end of its line. `by`: for the log, "by the operator page, from 192.0.2.7:4000".
  std::string answer_json(std::string_view line, const std::string& by) const;
  /// The whole answer to a line without "--json" and "--fleet".
  std::string answer_as(std::string_view line, bool json, const std::string& by) const;
  /// The same, without waiting. nullopt: another command is still running.
  std::optional<std::string> try_answer_as(std::string_view line, bool json, const std::string& by) const;
  /// No command runs while this lock is held.
  std::unique_lock<std::mutex> alone() const { return std::unique_lock(*running_); }
  /// Whether this is the name of an order.
  bool is_order(std::string_view name) const;

 private:
  struct Command {
    std::string name, usage, about;
    Run run;
    bool order;
    std::function<void()> when_refused = {};  // may be empty
  };
  /// REQUIRES: no other command runs.
  std::string answer_alone(std::string_view line, bool json, const std::string& by, Orders orders) const;
  Reply reply(std::string_view line, const std::string& by, Orders orders) const;
  Reply help() const;
  std::string answer_any(std::string_view line, bool json, const std::string& by, Orders orders) const;

  FleetHandler fleet_;  // null: this program is in no fleet
  std::vector<Command> commands_;
  std::function<std::string()> objection_;
  std::unique_ptr<std::mutex> running_ = std::make_unique<std::mutex>();
};

}  // namespace entente
