#include "proxy/program/rules/judging.h"

#include <map>
#include <utility>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/settings/rule_files.h"
#include "proxy/rules/judgement.h"

namespace entente {
namespace {

constexpr std::size_t kMostReports = 100'000, kMostPlayers = 10'000;

/// How long each player is in the game.
class Presence {
 public:
  void hear(const core::Fact& fact) {
    if (const auto* player = core::as<words::Player>(fact))
      player->role() == words::WATCH ? stop(player->id(), fact.at) : start(player->id(), player->name(), fact.at);
    if (const auto* gone = core::as<words::PlayerGone>(fact)) stop(gone->id(), fact.at);
  }
  /// `until`: nobody is in the game between that time and `at`.
  void become(const core::WorldState& world, core::Micros at, core::Micros until) {
    end(until);
    for (const auto& [id, state] : world.players())
      if (state.player.role() != words::WATCH) start(id, state.player.name(), at);
  }
  void end(core::Micros at) {
    while (!here_.empty()) stop(here_.begin()->first, at);
  }
  std::vector<JudgedPlayer> all() const {
    std::vector<JudgedPlayer> players;
    for (const auto& [name, played] : played_) players.push_back({name, played});
    return players;
  }

 private:
  struct Here {
    std::string name;
    core::Micros since;
  };
  void start(core::Id id, const std::string& name, core::Micros at) {
    if (const auto known = here_.find(id); known != here_.end() && known->second.name == name) return;
    stop(id, at);
    if (here_.size() >= kMostPlayers || (played_.size() >= kMostPlayers && !played_.contains(name))) return;
    here_[id] = {name, at};
    played_[name];
  }
  void stop(core::Id id, core::Micros at) {
    const auto one = here_.extract(id);
    if (!one.empty()) played_[one.mapped().name] += at - std::min(at, one.mapped().since);
  }

  std::map<core::Id, Here> here_;
  std::map<std::string, core::Micros> played_;
};

/// The recording's time at a whole second of its room, in which rules are called.
core::Micros phase_of(const PlayedWords& words) {
  return (words.about().first % core::kSecond + core::kSecond - words.first() % core::kSecond) % core::kSecond;
}

}  // namespace

Outcome<std::shared_ptr<const rules::RuleSet>> rules_at(const std::string& path) {
  const auto files = rule_files_at(path);
  if (!files) return files.error();
  return read_rules({files->begin(), files->end()});
}

Outcome<JudgedRecording> judge_words(PlayedWords& words, std::shared_ptr<const rules::RuleSet> set, const char* command,
                                     std::ostream& err) {
  rules::Judgement judgement(std::move(set), phase_of(words));
  Presence presence;
  JudgedRecording judged;
  const auto take = [&] {
    for (rules::Action& one : judgement.take()) {
      if (one.kind == rules::Action::Kind::kSwitchedOff)
        err << command << ": a rule is switched off: " << screen_text(one.text) << '\n';
      else if (judged.reports.size() < kMostReports)
        judged.reports.push_back(std::move(one));
    }
  };
  words.hear_intents([&](const core::Intent& intent) {
    judgement.hear(intent);
    take();
  });
  const auto become = [&](core::Micros at, core::Micros until) -> Outcome<Done> {
    core::WorldState world;
    if (const auto changed = words.seek(at, world); !changed) return changed;
    judgement.become(std::move(world), at, until);
    presence.become(judgement.world(), at, until);
    return Done{};
  };
  if (words.begins_with_world())
    if (const auto begun = become(words.first(), words.first()); !begun) return begun.error();
  while (const auto at = words.next_at()) {
    if (Interruption::came()) return Error{"interrupted"};
    if (words.next_is_other_session()) {
      if (const auto changed = become(*at, words.gap_from().value_or(*at)); !changed) return changed.error();
      continue;
    }
    const core::Fact fact = words.next();
    judgement.hear(fact);
    presence.hear(fact);
    take();
  }
  judgement.end(words.end_time());
  presence.end(words.end_time());
  take();
  judged.players = presence.all();
  if (!words.damage().empty()) err << command << ": " << screen_text(words.damage()) << '\n';
  return judged;
}

}  // namespace entente
