// The operator's rules in one room. A part of RoomHost (sessions/room_host.h).
// Invariant: there are no rules, and nothing is computed, before the first player enters or, in a room that is no
// arena, does anything. When the rules of the route are replaced (RuleBook::set), this room gets the new ones after its
// next call.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/core/room/room.h"
#include "proxy/core/wishes.h"
#include "proxy/relay/route/rule_book.h"

namespace entente::relay {

class HouseRules final : private rules::RoomView {
 public:
  struct Options {
    std::uint32_t seed = 1;
    bool server_commands = false;  ///< as rules::RoomRules::Options
    bool arena = false;            ///< its back is a core::Referee
    bool tells = true;             ///< players can be told something
  };

  /// `room` outlives it.
  HouseRules(const core::Room& room, std::shared_ptr<RuleBook> book, const Options& options)
      : room_(room), book_(std::move(book)), options_(options) {}

  RuleBook& book() { return *book_; }

  /// A player has entered, or does something: the rules begin, if they have not begun.
  void begin(core::Micros at) {
    if (!std::exchange(entered_, true)) renew(at);
  }

  /// Before a call of the room.
  void tick(core::Micros at) {
    if (rules_) rules_->tick(at);
  }

  // During it.
  rules::Rule::Answer hear(core::Intent& intent) {
    if (options_.arena ? core::as<words::Enter>(intent) != nullptr : core::is_of_player(intent)) begin(intent.at);
    return rules_ ? rules_->hear(intent, intent.at) : rules::Rule::Answer::kPass;
  }
  void told(const core::Fact& fact) {
    if (rules_) rules_->told(fact, fact.at);
  }
  void server_down(std::string_view why, core::Micros at) {
    if (rules_) rules_->server_down(why, at);
  }
  void server_up(core::Micros at) {
    if (rules_) rules_->server_up(at);
  }

  // After it.
  void settle(core::Micros at) {
    if (rules_) book_->note_too_fast(rules_->take_refused());
    if (entered_ && book_->version() != version_) renew(at);
  }
  std::vector<rules::Action> take_actions() {
    return rules_ ? std::exchange(rules_->actions(), {}) : std::vector<rules::Action>();
  }
  bool has_actions() const { return rules_ && !rules_->actions().empty(); }
  /// When the room must be called; the far future if it need not be.
  core::Micros wakes_at() const { return rules_ ? rules_->next_tick() : UINT64_MAX; }

 private:
  void renew(core::Micros at) {
    version_ = book_->version();
    const auto set = book_->get();
    if (!rules_ && (set == nullptr || set->empty())) return;
    const auto fresh = set != nullptr ? set : std::make_shared<const rules::RuleSet>();
    if (rules_)
      rules_->replace(fresh, at);
    else
      rules_.emplace(fresh, static_cast<const rules::RoomView&>(*this),
                     rules::RoomRules::Options{options_.seed, options_.server_commands}, at);
  }

  // rules::RoomView
  const core::WorldState& world() const override { return room_.world(); }
  bool is_here(core::Id player) const override { return room_.is_seated(player); }
  bool is_arena() const override { return options_.arena; }
  bool is_up() const override { return room_.world().ready() && !room_.transition().awaits_server(); }
  bool can_tell() const override { return options_.tells; }

  const core::Room& room_;
  const std::shared_ptr<RuleBook> book_;
  const Options options_;
  bool entered_ = false;
  std::uint64_t version_ = 0;
  std::optional<rules::RoomRules> rules_;
};

}  // namespace entente::relay
