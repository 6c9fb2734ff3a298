// One rule in one room: a file of an operator, with its handlers.
// Invariant: a rule that fails, or uses more than Limits, is switched off: it is not called any more, and an Action
// says so, once.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/core/gameplay/tank.h"
#include "proxy/core/world.h"
#include "proxy/rules/action.h"
#include "proxy/rules/past.h"
#include "proxy/rules/sandbox.h"

namespace entente::rules {

/// A file with a rule, checked (check_rule()).
struct RuleFile {
  std::string name;  ///< "ready_check.lua"
  std::string source;
  std::string compiled;  ///< for Sandbox::load
};

/// Runs the file in a room without players. An error has its name and the line.
Outcome<RuleFile> check_rule(std::string name, std::string source, const Limits& limits = {});

/// The room, as rules see it. It outlives them.
class RoomView {
 public:
  virtual ~RoomView() = default;
  virtual const core::WorldState& world() const = 0;
  /// Whether the player has a seat in this room, so that it can be told something, and be kicked.
  virtual bool is_here(core::Id player) const = 0;
  /// Whether rules may set scores and teams, and open and close rounds.
  virtual bool is_arena() const = 0;
  /// Whether the server is there, and its world is complete.
  virtual bool is_up() const { return world().ready(); }
  /// Whether players can be told something at all.
  virtual bool can_tell() const { return true; }
};

class Rule {
 public:
  /// What a handler answered about an intent.
  enum class Answer : std::uint8_t { kPass, kDrop, kChanged };
  /// The handlers for one kind of event.
  enum class Event : std::uint8_t { kJoin, kLeave, kChat, kTick, kServerUp, kServerDown };
  static constexpr std::size_t kEvents = 6;

  struct Command {
    std::string name, help;
    int handler = LUA_NOREF;
  };

  /// `state`: saved_state() of the rule that this one replaces. Its actions are added to `actions`. All outlive it.
  Rule(const RuleFile& file, const RoomView& view, std::uint32_t seed, core::Micros now, std::string_view state,
       std::vector<Action>& actions, const Limits& limits = {});

  const std::string& name() const { return name_; }
  const std::string& source() const { return source_; }
  bool is_off() const { return off_; }
  bool hears_intent(std::size_t kind) const { return !off_ && intent_handlers_[kind] != LUA_NOREF; }
  bool hears_fact(std::size_t kind) const { return !off_ && fact_handlers_[kind] != LUA_NOREF; }
  bool hears(Event event) const { return !off_ && handlers_[static_cast<std::size_t>(event)] != LUA_NOREF; }
  const std::vector<Command>& commands() const { return commands_; }

  // Calls the handler, if there is one. `now`: the room's time.
  Answer hear(core::Intent& intent, core::Micros now);
  void hear(const core::Fact& fact, core::Micros now);
  /// kJoin.
  void join(core::Id player, core::Micros now);
  /// kLeave. The player is not in the world any more.
  void leave(core::Id player, const std::string& name, core::Micros now);
  /// kChat. A line that the handler changed is in `text`.
  Answer chat(core::Id player, std::string& text, const char* scope, core::Micros now);
  /// kTick, kServerUp, kServerDown. `why`: of kServerDown.
  void happen(Event event, std::string_view why, core::Micros now);
  void run(const Command& command, core::Id player, std::string_view arguments, core::Micros now);

  /// The rule's table `state`, as Lua, also if the rule is off. An error: it has something that cannot be saved, or is
  /// too large. REQUIRES: the rule is not called any more.
  Outcome<std::string> saved_state();
  const Sandbox& sandbox() const { return sandbox_; }

  // For the functions that the rule calls (functions.cc).
  const RoomView& view() const { return view_; }
  core::Micros now() const { return now_; }
  /// What stops shots in the room's world; null: it is not known yet. Made when it is asked for first, and again for
  /// another world, which costs steps.
  const core::Terrain* terrain(lua_State* lua);
  /// False: there are too many of this kind about this player. An error of Lua if there are too many about nobody.
  bool act(lua_State* lua, Action action);
  /// Orders that came too fast for their player, since the last call.
  std::uint64_t take_refused() { return std::exchange(refused_actions_, 0); }
  /// Null: nothing is remembered here.
  Past* past() const { return past_; }
  void remember_by(Past* past) { past_ = past; }
  void add_command(lua_State* lua, Command command);
  void switch_off(std::string why);

 private:
  template <class F>
  bool call(core::Micros now, F&& function);
  Outcome<Done> start(const RuleFile& file, std::string_view state);
  void read_handlers(lua_State* lua);
  void read_word_handlers(lua_State* lua, const char* name, const std::vector<std::string>& kinds,
                          std::vector<int>& handlers);
  bool spend_action();
  bool spend_action(lua_State* lua, core::Id player, Action::Kind kind);

  const std::string name_, source_;
  const RoomView& view_;
  std::vector<Action>& actions_;
  const Limits limits_;
  core::Micros now_ = 0;
  Past* past_ = nullptr;
  bool off_ = false;
  std::optional<core::Terrain> terrain_;
  std::shared_ptr<const words::World> terrain_of_;  // null: there is none
  bool told_left_out_ = false;                      // a terrain of its has left obstacles out, and the log says so
  std::int64_t actions_left_;
  core::Micros acted_at_ = 0;
  std::map<std::pair<core::Id, Action::Kind>, core::Micros> paid_until_;  // for all orders of the kind about the player
  core::Micros swept_at_ = 0;                                             // when those that are paid were removed last
  std::uint64_t refused_actions_ = 0;
  std::vector<int> intent_handlers_, fact_handlers_;
  std::array<int, kEvents> handlers_{};
  std::vector<Command> commands_;
  Sandbox sandbox_;
};

}  // namespace entente::rules
