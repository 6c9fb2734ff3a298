#include "proxy/rules/room_rules.h"

#include <algorithm>
#include <utility>

#include "proxy/base/command.h"
#include "proxy/base/text.h"
#include "proxy/core/texts.h"
#include "proxy/rules/words.h"

namespace entente::rules {
namespace {

/// The index of a kind in its variant.
template <class Word, class Kinds>
struct IndexOf;
template <class Word, class... Kinds>
struct IndexOf<Word, std::variant<Kinds...>> {
  static constexpr std::size_t find() {
    std::size_t at = 0;
    (void)((std::is_same_v<Word, Kinds> || (++at, false)) || ...);
    return at;
  }
};
template <class Word>
constexpr std::size_t kIntent = IndexOf<Word, core::IntentKind>::find();
template <class Word>
constexpr std::size_t kFact = IndexOf<Word, core::FactKind>::find();

/// Every player is to hear these; a rule ends a session by kick().
bool may_be_dropped(const core::Intent& intent) {
  return core::as<words::Enter>(intent) == nullptr && core::as<words::Leave>(intent) == nullptr &&
         core::as<words::Resume>(intent) == nullptr;
}

/// "ready" of "/ready now", and what follows.
std::pair<std::string_view, std::string_view> split_command(std::string_view line) {
  const std::string_view whole = without_indent(line);
  std::string_view arguments = line.substr(arguments_of(line));
  std::string_view name = whole.substr(1, whole.size() - 1 - arguments.size());
  while (!arguments.empty() && arguments.front() == ' ') arguments.remove_prefix(1);
  return {name, arguments};
}

/// Gives a line that a rule has changed this text, as far as a player may say it. False: the line cannot be said, for a
/// player must not be made to give a command.
bool change_text(words::Say& say, std::string text) {
  erase_controls(text);
  if (text.empty() || (is_command(text) && !is_command(say.text()))) return false;
  say.set_text(fitted(text, std::max(say.text().size(), core::kMostText)));
  return true;
}

}  // namespace

RoomRules::RoomRules(std::shared_ptr<const RuleSet> set, const RoomView& view, const Options& options, core::Micros now)
    : view_(view), options_(options), next_tick_(second_after(now)) {
  replace(std::move(set), now);
  if (view.is_up()) told(words::Ready(), now);
  for (const auto& [id, player] : view.world().players())
    for (const auto& rule : rules_) rule->join(id, now);
}

void RoomRules::replace(std::shared_ptr<const RuleSet> set, core::Micros now) {
  Rules before = std::exchange(rules_, {});
  for (const RuleFile& file : *set) {
    const auto known = std::find_if(before.begin(), before.end(),
                                    [&](const auto& one) { return one != nullptr && one->name() == file.name; });
    if (known != before.end() && !(*known)->is_off() && (*known)->source() == file.source) {
      rules_.push_back(std::move(*known));
      continue;
    }
    std::string state;
    if (known != before.end()) {
      auto saved = (*known)->saved_state();
      if (saved) state = std::move(*saved);
      if (!saved)
        actions_.push_back({.kind = Action::Kind::kLog,
                            .text = "its table state is lost: " + saved.error().text,
                            .rule = file.name,
                            .at = now});
    }
    const auto number = static_cast<std::uint32_t>(rules_.size());
    rules_.push_back(std::make_unique<Rule>(file, view_, options_.seed + number, now, state, actions_));
    rules_.back()->remember_by(&past_);
  }
  set_ = std::move(set);
  if (!wants_tick_) next_tick_ = second_after(now);
  const bool wanted_players = wants_players_;
  learn_wants();
  if (wants_players_ && !wanted_players)
    for (const auto& [id, player] : view_.world().players()) joined_.emplace(id, player.player.name());
}

void RoomRules::learn_wants() {
  heard_intents_.reset();
  heard_facts_.reset();
  wants_tick_ = wants_players_ = false;
  off_ = 0;
  bool wants_chat = false;
  for (const auto& rule : rules_) {
    off_ += rule->is_off() ? 1 : 0;
    for (std::size_t i = 0; i < heard_intents_.size(); ++i)
      heard_intents_[i] = heard_intents_[i] || rule->hears_intent(i);
    for (std::size_t i = 0; i < heard_facts_.size(); ++i) heard_facts_[i] = heard_facts_[i] || rule->hears_fact(i);
    wants_tick_ = wants_tick_ || rule->hears(Rule::Event::kTick);
    wants_players_ = wants_players_ || rule->hears(Rule::Event::kJoin) || rule->hears(Rule::Event::kLeave);
    wants_chat = wants_chat || rule->hears(Rule::Event::kChat) || !rule->commands().empty();
  }
  if (wants_chat) heard_intents_[kIntent<words::Say>] = true;
  heard_facts_[kFact<words::Ready>] = !rules_.empty();
  if (wants_players_) heard_facts_[kFact<words::Player>] = heard_facts_[kFact<words::PlayerGone>] = true;
  if (wants_players_) heard_intents_[kIntent<words::Leave>] = true;
  if (!wants_players_) joined_.clear();
}

std::size_t RoomRules::running() const {
  return static_cast<std::size_t>(
      std::count_if(rules_.begin(), rules_.end(), [](const auto& rule) { return !rule->is_off(); }));
}

std::uint64_t RoomRules::take_refused() {
  std::uint64_t refused = 0;
  for (const auto& rule : rules_) refused += rule->take_refused();
  return refused;
}

std::size_t RoomRules::memory() const {
  std::size_t bytes = 0;
  for (const auto& rule : rules_) bytes += rule->sandbox().memory();
  return bytes;
}

// -- Intents ----------------------------------------------------------------------------------------------------------

/// An arena accepts connections that do not enter. Rules would look for a player who is not there.
bool RoomRules::may_be_heard(const core::Intent& intent) const {
  return !view_.is_arena() || !may_be_dropped(intent) || view_.world().player(intent.by) != nullptr;
}

Rule::Answer RoomRules::hear(core::Intent& intent, core::Micros now) {
  using Answer = Rule::Answer;
  if (!heard_intents_[intent.content.index()] || !may_be_heard(intent)) return Answer::kPass;
  const auto* const say = core::as<words::Say>(intent);
  Answer all = Answer::kPass;
  if (say != nullptr && is_command(say->text()))
    all = run_command(intent, *say, now) ? Answer::kDrop : Answer::kPass;
  else if (say != nullptr)
    all = chat(intent, now);
  for (const auto& rule : rules_) {
    if (all == Answer::kDrop) break;
    const std::string before = say != nullptr ? say->text() : std::string();
    Answer answer = rule->hear(intent, now);
    if (auto* const said = answer == Answer::kChanged ? std::get_if<words::Say>(&intent.content) : nullptr) {
      std::string text = std::exchange(*said->mutable_text(), before);
      if (text != before && !change_text(*said, std::move(text))) answer = Answer::kDrop;
    }
    if (answer == Answer::kChanged || (answer == Answer::kDrop && may_be_dropped(intent))) all = answer;
  }
  if (all == Answer::kChanged) core::clean_texts(intent);
  // Outside of an arena, the room ends with its player, and no server tells it that.
  if (core::as<words::Leave>(intent) != nullptr && !view_.is_arena()) note_gone(intent.by, now);
  if (rules_.size() - running() != off_) learn_wants();
  return all;
}

Rule::Answer RoomRules::chat(core::Intent& intent, core::Micros now) {
  using Answer = Rule::Answer;
  Answer all = Answer::kPass;
  auto& say = *std::get_if<words::Say>(&intent.content);
  const char* const scope = words::Say::Scope_Name(say.scope()).c_str();
  for (const auto& rule : rules_) {
    std::string text = say.text();
    const Answer answer = rule->chat(intent.by, text, scope, now);
    if (answer == Answer::kDrop) return answer;
    if (answer != Answer::kChanged || text == say.text()) continue;
    if (!change_text(say, std::move(text))) return Answer::kDrop;
    all = answer;
  }
  return all;
}

/// True: it is not to be passed on.
bool RoomRules::run_command(const core::Intent& intent, const words::Say& say, core::Micros now) {
  const auto [name, arguments] = split_command(say.text());
  if (name == "help") {
    tell_help(intent.by, now);
    return !options_.server_commands;
  }
  for (const auto& rule : rules_)
    for (const Rule::Command& command : rule->commands())
      if (command.name == name) {
        rule->run(command, intent.by, std::string(arguments), now);
        if (rule->is_off()) learn_wants();
        return true;
      }
  return false;
}

void RoomRules::tell_help(core::Id player, core::Micros now) {
  constexpr core::Micros kEvery = core::kSecond;
  constexpr std::size_t kMostLines = 64, kMostPlayers = 1'000;
  std::erase_if(helped_, [&](const auto& entry) { return now >= entry.second + kEvery; });
  if (helped_.size() >= kMostPlayers || !helped_.emplace(player, now).second) return;
  std::size_t lines = 0;
  for (const auto& rule : rules_)
    for (const Rule::Command& command : rule->commands())
      if (++lines <= kMostLines && view_.can_tell() && view_.is_here(player))
        actions_.push_back({.kind = Action::Kind::kTell,
                            .player = player,
                            .text = "/" + command.name + " " + command.help,
                            .rule = rule->name(),
                            .at = now});
}

// -- Facts ------------------------------------------------------------------------------------------------------------

void RoomRules::told(const core::Fact& fact, core::Micros now) {
  if (past_.wanted()) past_.hear(fact);
  if (!heard_facts_[fact.content.index()]) return;
  if (core::as<words::Ready>(fact) != nullptr) server_up(now);
  if (wants_players_) {
    if (const auto* player = core::as<words::Player>(fact)) note_player(*player, now);
    if (const auto* gone = core::as<words::PlayerGone>(fact)) note_gone(gone->id(), now);
  }
  for (const auto& rule : rules_) rule->hear(fact, now);
  if (rules_.size() - running() != off_) learn_wants();
}

/// Only of players that the world lists: their number is bounded.
void RoomRules::note_player(const words::Player& player, core::Micros now) {
  if (!view_.world().players().contains(player.id())) return;
  const auto [at, is_new] = joined_.insert_or_assign(player.id(), player.name());
  if (!is_new) return;
  for (const auto& rule : rules_) rule->join(player.id(), now);
}

void RoomRules::note_gone(core::Id player, core::Micros now) {
  const auto known = joined_.extract(player);
  if (known.empty()) return;
  for (const auto& rule : rules_) rule->leave(player, known.mapped(), now);
}

void RoomRules::server_up(core::Micros now) {
  if (std::exchange(server_is_up_, true)) return;
  for (const auto& rule : rules_) rule->happen(Rule::Event::kServerUp, "", now);
}

void RoomRules::server_down(std::string_view why, core::Micros now) {
  if (!std::exchange(server_is_up_, false)) return;
  for (const auto& rule : rules_) rule->happen(Rule::Event::kServerDown, why, now);
}

void RoomRules::call_ticks(core::Micros now) {
  constexpr core::Micros kMost = 600 * core::kSecond;
  if (now - next_tick_ > kMost) return skip(now);
  for (; wants_tick_ && next_tick_ <= now; next_tick_ += core::kSecond) {
    for (const auto& rule : rules_) rule->happen(Rule::Event::kTick, "", next_tick_);
    if (rules_.size() - running() != off_) learn_wants();
  }
}

}  // namespace entente::rules
