// The names of a fleet on the bus: subjects, buckets and streams.
// Invariant: every name is made here, of tokens that were checked, so that NATS can give each role and each node its
// own permissions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace entente::fleet {

/// What is wrong with one part of a subject; nothing: it is 1 to 64 letters, digits, '-' and '_'.
std::optional<std::string> objection_to_token(std::string_view token);

/// The same text as a token: what a token may not have is replaced by '-'. Empty stays empty.
std::string as_token(std::string_view text);

class Subjects {
 public:
  /// REQUIRES: `fleet` is a token, and so are all arguments below.
  explicit Subjects(std::string fleet) : fleet_(std::move(fleet)) {}

  const std::string& fleet() const { return fleet_; }

  // An arena. `NODE`: one node's; "*": any.
  std::string facts(std::string_view arena) const { return of_arena(arena, "facts"); }
  std::string to(std::string_view arena, std::string_view node) const { return of_arena(arena, "to", node); }
  std::string from(std::string_view arena, std::string_view node) const { return of_arena(arena, "from", node); }

  // Nodes and operators.
  /// Orders for one node.
  std::string order(std::string_view node) const { return fleet_ + ".node." + std::string(node) + ".order"; }
  /// Below this, a node answers orders.
  std::string answer(std::string_view node) const { return fleet_ + ".answer." + std::string(node); }
  /// The state that one node reports.
  std::string state(std::string_view node) const { return fleet_ + ".node." + std::string(node) + ".state"; }
  /// The node whose state() it is; nothing: it is not a state().
  std::optional<std::string> node_of_state(std::string_view subject) const;
  /// Requests and reports to all nodes.
  std::string operation(std::string_view what) const { return fleet_ + ".op." + std::string(what); }

  // Servers.
  /// Who waits at a node for a slot on the servers of this key, which is a token.
  std::string queue(std::string_view key, std::string_view node) const {
    return fleet_ + ".server." + std::string(key) + ".queue." + std::string(node);
  }
  /// The node whose queue() it is; nothing: it is not a queue().
  std::optional<std::string> node_of_queue(std::string_view key, std::string_view subject) const;

  // Saved arenas, and recordings.
  std::string saved_arena(std::string_view arena) const { return fleet_ + ".snapshot." + std::string(arena); }
  std::string recording(std::string_view node, std::string_view name) const {
    return fleet_ + ".rec." + std::string(node) + "." + std::string(name);
  }

  // Buckets and streams.
  std::string leases() const { return fleet_ + "-leases"; }
  std::string bans() const { return fleet_ + "-bans"; }
  std::string saved_arena_stream() const { return fleet_ + "-snapshots"; }
  std::string recordings() const { return fleet_ + "-rec"; }

 private:
  std::string of_arena(std::string_view arena, std::string_view what) const {
    return fleet_ + ".arena." + std::string(arena) + "." + std::string(what);
  }
  std::string of_arena(std::string_view arena, std::string_view what, std::string_view node) const {
    return of_arena(arena, what) + "." + std::string(node);
  }

  std::string fleet_;
};

}  // namespace entente::fleet
