// The rules of a route or of an arena, for all of its rooms, and who is told what they do.
// Invariant: thread-safe. Workers call it; a reload replaces the rules at any time, and each room notices at its next
// call.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "proxy/relay/base/link_info.h"
#include "proxy/rules/room_rules.h"

namespace entente::relay {

class RuleBook {
 public:
  /// What a rule wants that a room cannot do: the kinds kKick, kBan, kMove, kLog, kReport, kSwitchedOff, and in a relay
  /// kTell and kLost. `client`: of the player, whose link may be gone already; null: it has none here. Called on
  /// workers; must not block, or call the room.
  using Act = std::function<void(const RuleBook& book, const rules::Action& action, const LinkInfo* client)>;

  /// `of`: for people, "route public" or "arena 'duel'".
  RuleBook(std::string of, Act act) : act_(std::move(act)), of_(std::move(of)) {}

  std::string of() const {
    const std::lock_guard lock(mutex_);
    return of_;
  }
  void rename(std::string of) {
    const std::lock_guard lock(mutex_);
    of_ = std::move(of);
  }

  /// From now on, these are the rules. Null or empty: none.
  void set(std::shared_ptr<const rules::RuleSet> set) {
    const std::lock_guard lock(mutex_);
    set_ = std::move(set);
    rows_.clear();
    if (set_)
      for (const rules::RuleFile& file : *set_) rows_.push_back({file.name});
    ++version_;
    refused_ = false;
  }
  /// Null: there are none.
  std::shared_ptr<const rules::RuleSet> get() const {
    const std::lock_guard lock(mutex_);
    return set_;
  }
  /// Changes with each set(); 0: there were never any.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  /// Counts it, and tells who is to be told.
  void act(const rules::Action& action, const LinkInfo* client) {
    if (!count(action)) return;
    if (act_) act_(*this, action, client);
  }

  /// For a relay that passes everything on: a rule drops something. True: nobody was told so since the last set().
  bool refuse_to_drop() { return !refused_.exchange(true); }
  /// Sessions of a relay that went on without rules.
  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  /// Orders that a room did not take, because there were too many about their player.
  void note_too_fast(std::uint64_t orders) {
    if (orders != 0) too_fast_.fetch_add(orders, std::memory_order_relaxed);
  }
  std::uint64_t too_fast() const { return too_fast_.load(std::memory_order_relaxed); }

  struct Row {
    std::string rule;
    std::uint64_t actions = 0, reports = 0;
    std::uint64_t off = 0;  ///< in so many rooms it was switched off
    std::string why = {};   ///< the first time
  };
  /// Since the last set().
  std::vector<Row> rows() const {
    const std::lock_guard lock(mutex_);
    return rows_;
  }

 private:
  /// False: nobody need be told, because the same was told before.
  bool count(const rules::Action& action) {
    if (action.kind == rules::Action::Kind::kLost) ++lost_;
    const std::lock_guard lock(mutex_);
    for (Row& row : rows_) {
      if (row.rule != action.rule) continue;
      ++row.actions;
      if (action.kind == rules::Action::Kind::kReport) ++row.reports;
      if (action.kind != rules::Action::Kind::kSwitchedOff) return true;
      if (row.off++ != 0) return false;
      row.why = action.text;
      return true;
    }
    return true;
  }

  const Act act_;
  mutable std::mutex mutex_;  // guards the next three
  std::string of_;
  std::shared_ptr<const rules::RuleSet> set_;
  std::vector<Row> rows_;
  std::atomic<std::uint64_t> version_{0}, lost_{0}, too_fast_{0};
  std::atomic<bool> refused_{false};
};

}  // namespace entente::relay
