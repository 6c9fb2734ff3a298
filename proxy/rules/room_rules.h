// All rules of a room, in the order of the configuration. Whoever has the room tells them what happens in it, and does
// what they want (actions()).
// Invariant: a rule that is switched off does not hold up the others, nor the traffic. Without a rule that hears a kind
// of word, that kind costs two comparisons. on_tick is called for each whole second, before the world has the words
// that come later, however late tick() is called: so the same words give the same actions.
#pragma once

#include <bitset>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proxy/rules/rule.h"

namespace entente::rules {

using RuleSet = std::vector<RuleFile>;

class RoomRules {
 public:
  struct Options {
    std::uint32_t seed = 1;
    bool server_commands = false;  ///< commands that no rule has go to the server
    core::Micros phase = 0;        ///< on_tick is called when the room's time and this are whole seconds
  };

  /// The rules hear of what is there already: that the server is up, and who is in. `view` outlives it.
  RoomRules(std::shared_ptr<const RuleSet> set, const RoomView& view, const Options& options, core::Micros now);

  /// Goes on with other rules. `state` of a rule with the same name survives. A rule whose file is the same goes on as
  /// it is, unless it was switched off. New rules do not hear of the players who are in already.
  void replace(std::shared_ptr<const RuleSet> set, core::Micros now);

  /// Calls on_tick, once for each second that has passed; not at all for a silence of more than ten minutes.
  /// REQUIRES: called before hear(), server_down(), server_up() and told(), and before the world gets the fact of
  /// told().
  void tick(core::Micros now) {
    if (wants_tick_ && now >= next_tick_) call_ticks(now);
  }
  /// on_tick is not called for the time up to now.
  void skip(core::Micros now) {
    if (now >= next_tick_) next_tick_ = second_after(now);
  }
  /// A player says this. kDrop: also a command of a rule. In an arena, rules hear only Enter, Leave and Resume of who
  /// is not in the world.
  Rule::Answer hear(core::Intent& intent, core::Micros now);
  /// The world already has this fact.
  void told(const core::Fact& fact, core::Micros now);
  void server_down(std::string_view why, core::Micros now);
  /// The next server is there, and the world is its own. No effect if told() has said so.
  void server_up(core::Micros now);
  /// When tick() is needed next; the far future if not at all.
  core::Micros next_tick() const { return wants_tick_ ? next_tick_ : UINT64_MAX; }

  /// What the rules want, in order. The caller takes it away.
  std::vector<Action>& actions() { return actions_; }
  const std::vector<Action>& actions() const { return actions_; }
  /// Orders that came too fast for their player and are not among the actions, since the last call.
  std::uint64_t take_refused();
  /// Those that run.
  std::size_t running() const;
  std::size_t memory() const;

 private:
  using Rules = std::vector<std::unique_ptr<Rule>>;

  void learn_wants();
  void call_ticks(core::Micros now);
  /// The first whole second after `now`.
  core::Micros second_after(core::Micros now) const {
    return now + core::kSecond - (now + options_.phase) % core::kSecond;
  }
  bool may_be_heard(const core::Intent& intent) const;
  bool run_command(const core::Intent& intent, const words::Say& say, core::Micros now);
  void tell_help(core::Id player, core::Micros now);
  Rule::Answer chat(core::Intent& intent, core::Micros now);
  void note_player(const words::Player& player, core::Micros now);
  void note_gone(core::Id player, core::Micros now);

  const RoomView& view_;
  const Options options_;
  std::shared_ptr<const RuleSet> set_;
  std::vector<Action> actions_;
  Past past_;
  Rules rules_;
  std::bitset<std::variant_size_v<core::IntentKind>> heard_intents_;
  std::bitset<std::variant_size_v<core::FactKind>> heard_facts_;
  bool wants_tick_ = false, wants_players_ = false;
  bool server_is_up_ = false;
  core::Micros next_tick_ = 0;
  std::size_t off_ = 0;                      // rules that were switched off when wants were learnt
  std::map<core::Id, core::Micros> helped_;  // when /help was answered last, of those who must wait
  std::map<core::Id, std::string> joined_;   // names of the players who are in, if wants_players_
};

}  // namespace entente::rules
