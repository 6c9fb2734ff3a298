#include "proxy/rules/rule.h"

#include <algorithm>
#include <optional>

#include "proxy/base/text.h"
#include "proxy/rules/functions.h"
#include "proxy/rules/saved_state.h"
#include "proxy/rules/words.h"

namespace entente::rules {
namespace {

constexpr const char* kEventNames[Rule::kEvents] = {"on_join", "on_leave",     "on_chat",
                                                    "on_tick", "on_server_up", "on_server_down"};

/// A room without players, in which files are checked.
class EmptyRoom final : public RoomView {
 public:
  const core::WorldState& world() const override { return world_; }
  bool is_here(core::Id) const override { return false; }
  bool is_arena() const override { return true; }

 private:
  core::WorldState world_;
};

void push_handler(lua_State* lua, int handler) { lua_rawgeti(lua, LUA_REGISTRYINDEX, handler); }

}  // namespace

Outcome<RuleFile> check_rule(std::string name, std::string source, const Limits& limits) {
  if (source.size() > limits.source)
    return Error{name + ": the file has more than " + std::to_string(limits.source / 1024) + " KiB"};
  RuleFile file{std::move(name), std::move(source), {}};
  const EmptyRoom room;
  std::vector<Action> actions;
  const Rule rule(file, room, 1, 0, {}, actions, limits);
  if (rule.is_off()) return Error{actions.back().text};
  file.compiled = Sandbox(1, limits).compile(file.source, file.name);
  return file;
}

// -- Loading ----------------------------------------------------------------------------------------------------------

Rule::Rule(const RuleFile& file, const RoomView& view, std::uint32_t seed, core::Micros now, std::string_view state,
           std::vector<Action>& actions, const Limits& limits)
    : name_(file.name),
      source_(file.source),
      view_(view),
      actions_(actions),
      limits_(limits),
      now_(now),
      actions_left_(limits.most_actions),
      acted_at_(now),
      intent_handlers_(intent_kinds().size(), LUA_NOREF),
      fact_handlers_(fact_kinds().size(), LUA_NOREF),
      sandbox_(seed, limits) {
  handlers_.fill(LUA_NOREF);
  sandbox_.rule = this;
  if (const auto started = start(file, state); !started) switch_off(started.error().text);
}

Outcome<Done> Rule::start(const RuleFile& file, std::string_view state) {
  if (const auto opened = sandbox_.call([](lua_State* lua) { open_functions(lua); }); !opened) return opened;
  if (!state.empty())
    if (const auto restored = sandbox_.load(state, "state"); !restored)
      actions_.push_back({.kind = Action::Kind::kLog,
                          .text = "its table state is lost: " + restored.error().text,
                          .rule = name_,
                          .at = now_});
  const auto loaded = sandbox_.load(file.compiled.empty() ? file.source : file.compiled, file.name);
  if (!loaded) return loaded;
  return sandbox_.call([this](lua_State* lua) { read_handlers(lua); });
}

void Rule::read_handlers(lua_State* lua) {
  for (std::size_t i = 0; i < kEvents; ++i) {
    if (lua_getglobal(lua, kEventNames[i]) == LUA_TNIL) continue;
    if (!lua_isfunction(lua, -1)) luaL_error(lua, "%s: %s is not a function", name_.c_str(), kEventNames[i]);
    handlers_[i] = luaL_ref(lua, LUA_REGISTRYINDEX);
  }
  read_word_handlers(lua, "on_intent", intent_kinds(), intent_handlers_);
  read_word_handlers(lua, "on_fact", fact_kinds(), fact_handlers_);
}

/// A function for all kinds, or a table with functions for some.
void Rule::read_word_handlers(lua_State* lua, const char* name, const std::vector<std::string>& kinds,
                              std::vector<int>& handlers) {
  if (lua_getglobal(lua, name) == LUA_TFUNCTION) {
    const int handler = luaL_ref(lua, LUA_REGISTRYINDEX);
    std::fill(handlers.begin(), handlers.end(), handler);
    return;
  }
  if (!lua_istable(lua, -1)) luaL_error(lua, "%s: %s is not a function or a table", name_.c_str(), name);
  for (lua_pushnil(lua); lua_next(lua, -2) != 0;) {
    const std::string kind = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : "?";
    const auto at = std::find(kinds.begin(), kinds.end(), kind);
    if (at == kinds.end()) luaL_error(lua, "%s: %s.%s: there is no such word", name_.c_str(), name, kind.c_str());
    if (!lua_isfunction(lua, -1)) luaL_error(lua, "%s: %s.%s is not a function", name_.c_str(), name, kind.c_str());
    handlers[static_cast<std::size_t>(at - kinds.begin())] = luaL_ref(lua, LUA_REGISTRYINDEX);
  }
}

void Rule::switch_off(std::string why) {
  if (std::exchange(off_, true)) return;
  commands_.clear();
  Action action{Action::Kind::kSwitchedOff};
  action.text = why.starts_with(name_) ? std::move(why) : name_ + ": " + why;
  action.rule = name_;
  action.at = now_;
  actions_.push_back(std::move(action));
}

// -- Calls ------------------------------------------------------------------------------------------------------------

/// False: the rule has failed.
template <class F>
bool Rule::call(core::Micros now, F&& function) {
  now_ = now;
  sandbox_.begin_call(now);
  const auto done = sandbox_.call(function);
  if (!done) switch_off(done.error().text);
  return done.ok();
}

/// The handler may return false, or a table with changed fields.
Rule::Answer Rule::hear(core::Intent& intent, core::Micros now) {
  const std::size_t kind = intent.content.index();
  if (!hears_intent(kind)) return Answer::kPass;
  Answer answer = Answer::kPass;
  std::optional<core::Intent> changed;
  const bool well = call(now, [&](lua_State* lua) {
    push_handler(lua, intent_handlers_[kind]);
    push_word(lua, intent);
    lua_pushinteger(lua, intent.by);
    push_text(lua, intent_kinds()[kind]);
    lua_call(lua, 3, 1);
    if (lua_isboolean(lua, -1) && lua_toboolean(lua, -1) == 0) answer = Answer::kDrop;
    if (!lua_istable(lua, -1)) return;
    changed = intent;
    read_message(lua, lua_gettop(lua), core::message_in(*changed));
    copy_hidden(intent, *changed);
    answer = Answer::kChanged;
  });
  if (!well) return Answer::kPass;
  if (answer == Answer::kChanged) intent = std::move(*changed);
  return answer;
}

void Rule::hear(const core::Fact& fact, core::Micros now) {
  const std::size_t kind = fact.content.index();
  if (!hears_fact(kind)) return;
  call(now, [&](lua_State* lua) {
    push_handler(lua, fact_handlers_[kind]);
    push_word(lua, fact);
    fact.audience == words::PLAYER ? lua_pushinteger(lua, fact.to) : lua_pushnil(lua);
    push_text(lua, fact_kinds()[kind]);
    lua_call(lua, 3, 0);
  });
}

void Rule::join(core::Id player, core::Micros now) {
  if (!hears(Event::kJoin)) return;
  call(now, [&](lua_State* lua) {
    push_handler(lua, handlers_[static_cast<std::size_t>(Event::kJoin)]);
    push_player(lua, player);
    lua_call(lua, 1, 0);
  });
}

void Rule::leave(core::Id player, const std::string& name, core::Micros now) {
  if (!hears(Event::kLeave)) return;
  call(now, [&](lua_State* lua) {
    push_handler(lua, handlers_[static_cast<std::size_t>(Event::kLeave)]);
    lua_createtable(lua, 0, 2);
    lua_pushinteger(lua, player);
    lua_setfield(lua, -2, "id");
    push_text(lua, name);
    lua_setfield(lua, -2, "name");
    lua_call(lua, 1, 0);
  });
}

Rule::Answer Rule::chat(core::Id player, std::string& text, const char* scope, core::Micros now) {
  if (!hears(Event::kChat)) return Answer::kPass;
  Answer answer = Answer::kPass;
  call(now, [&](lua_State* lua) {
    push_handler(lua, handlers_[static_cast<std::size_t>(Event::kChat)]);
    lua_pushinteger(lua, player);
    push_text(lua, text);
    lua_pushstring(lua, scope);
    lua_call(lua, 3, 1);
    if (lua_isboolean(lua, -1) && lua_toboolean(lua, -1) == 0) answer = Answer::kDrop;
    if (lua_type(lua, -1) != LUA_TSTRING) return;
    std::size_t size = 0;
    const char* const changed = lua_tolstring(lua, -1, &size);
    text = well_formed({changed, size});
    answer = Answer::kChanged;
  });
  return answer;
}

void Rule::happen(Event event, std::string_view why, core::Micros now) {
  if (!hears(event)) return;
  call(now, [&](lua_State* lua) {
    push_handler(lua, handlers_[static_cast<std::size_t>(event)]);
    push_text(lua, why);
    lua_call(lua, event == Event::kServerDown ? 1 : (lua_pop(lua, 1), 0), 0);
  });
}

void Rule::run(const Command& command, core::Id player, std::string_view arguments, core::Micros now) {
  const int handler = command.handler;
  call(now, [&](lua_State* lua) {
    push_handler(lua, handler);
    lua_pushinteger(lua, player);
    push_text(lua, arguments);
    lua_call(lua, 2, 0);
  });
}

Outcome<std::string> Rule::saved_state() {
  std::string saved;
  sandbox_.begin_last_call();
  const auto done = sandbox_.call([&](lua_State* lua) { save_state(lua, limits_.state, saved); });
  if (!done) return done.error();
  return saved;
}

// -- What it does -----------------------------------------------------------------------------------------------------

bool Rule::spend_action() {
  const core::Micros passed = std::min(now_ - std::min(now_, acted_at_), 10 * core::kSecond);
  const auto earned =
      static_cast<std::int64_t>(passed) * limits_.second_actions / static_cast<std::int64_t>(core::kSecond);
  if (earned > 0) {
    actions_left_ = std::min(limits_.most_actions, actions_left_ + earned);
    acted_at_ = now_;
  }
  return --actions_left_ >= 0;
}

/// So that no player can use up what is for others.
bool Rule::spend_action(lua_State* lua, core::Id player, Action::Kind kind) {
  const core::Micros every = core::kSecond / limits_.second_player_actions;
  const std::pair key(player, kind);
  if (paid_until_.size() >= limits_.paced_players && !paid_until_.contains(key)) {
    if (swept_at_ == now_) return false;
    swept_at_ = now_;
    Sandbox::charge(lua, paid_until_.size() / 4);
    std::erase_if(paid_until_, [&](const auto& entry) { return entry.second <= now_; });
    if (paid_until_.size() >= limits_.paced_players) return false;
  }
  core::Micros& paid = paid_until_[key];
  if (paid > now_ + every * (limits_.most_player_actions - 1)) return false;
  paid = std::max(paid, now_) + every;
  return true;
}

bool Rule::act(lua_State* lua, Action action) {
  Sandbox::charge(lua, 10);
  if (action.player != 0 && !spend_action(lua, action.player, action.kind)) {
    ++refused_actions_;
    return false;
  }
  if (action.player == 0 && !spend_action()) {
    actions_left_ = 0;
    luaL_error(lua, "more than %I lines, kicks and other actions at once",
               static_cast<LUAI_UACINT>(limits_.most_actions));
  }
  action.rule = name_;
  action.at = now_;
  if (const core::PlayerState* const player = view_.world().player(action.player)) action.name = player->player.name();
  actions_.push_back(std::move(action));
  return true;
}

const core::Terrain* Rule::terrain(lua_State* lua) {
  const auto& geometry = view_.world().shared_geometry();
  if (geometry == nullptr) return nullptr;
  if (geometry != terrain_of_) {
    constexpr std::uint64_t kPerStep = 8;  // solids or tiles that are read in the time of a step
    Sandbox::charge(lua, (static_cast<std::uint64_t>(geometry->solids_size()) + geometry->tiles().size()) / kPerStep);
    terrain_.emplace(*geometry);
    terrain_of_ = geometry;
    if (terrain_->left_out() != 0 && !std::exchange(told_left_out_, true))
      actions_.push_back({.kind = Action::Kind::kLog,
                          .text = "the world has more than " + std::to_string(core::Terrain::kMostBlocks) +
                                  " obstacles; the last ones do not count for clear_way",
                          .rule = name_,
                          .at = now_});
  }
  return &*terrain_;
}

void Rule::add_command(lua_State* lua, Command command) {
  const auto same = [&](const Command& one) { return one.name == command.name; };
  if (commands_.size() >= limits_.commands || std::any_of(commands_.begin(), commands_.end(), same))
    luaL_error(lua, "the command /%s is there already, or there are too many", command.name.c_str());
  commands_.push_back(std::move(command));
}

}  // namespace entente::rules
