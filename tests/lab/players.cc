#include "tests/lab/players.h"

#include <algorithm>

#include "proxy/core/chat.h"
#include "proxy/core/world.h"
#include "tests/lab/kernel/memory.h"

namespace entente::lab {
namespace {

// What players say. Viewers' commands are for the clock of the broadcast; what others say with them, all hear.
constexpr const char* kSays[] = {
    "hello",
    "grüße, schöner Schuß",
    "\u043f\u0440\u0438\u0432\u0435\u0442",
    "/help",
    "/me waves",
    "/nobody-knows-this",
    "%s%n \\ \" <b>",
    "a text longer than the chat of some games allows, so that it is cut or split, and nobody is sent away for it"};
constexpr const char* kViewersSay[] = {"/pause", "/seek -10", "/seek 1", "/speed 4", "/next", "/previous", "/live"};
constexpr core::Micros kTalksEvery = 4 * core::kSecond;

}  // namespace

/// A bot that stops when the crowd rests.
class Crowd::Player final : public core::Front {
 public:
  Player(Crowd& crowd, Person& person, const core::BotOptions& options, const Role& role)
      : crowd_(crowd), person_(person), bot_(options), role_(role), draw_(crowd.plan_.draw("talk of " + person.name)) {}
  ~Player() override { person_.gone_at = kernel().now(); }

  void opened(const core::Peer& peer, core::FrontOut& out) override { bot_.opened(peer, out); }
  void receive(const Frames&, core::FrontOut&) override {}
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    bot_.hear(fact, out);
    if (const auto* seen = core::as<words::Player>(fact); seen != nullptr && seen->name() != person_.name &&
                                                          person_.saw_early.empty() &&
                                                          crowd_.is_early(seen->name(), person_.behind))
      person_.saw_early = seen->name();
    if (person_.in_at == 0 && bot_.tally().in) person_.in_at = kernel().now();
    person_.refused = bot_.tally().refused;
  }
  void tick(core::FrontOut& out) override {
    if (crowd_.rests_) {
      if (!std::exchange(rests_, true)) come_to_rest(out);
      out.wake(out.now() + 100 * core::kMillisecond);
    } else {
      bot_.tick(out);
      if (role_.talks && bot_.tally().in) talk(out);
    }
    if (looked_ != crowd_.looks_) look(out.world());
  }

 private:
  /// A goal behind a wall would lead its man around for minutes.
  void come_to_rest(core::FrontOut& out) {
    if (role_.views) out.say(core::say_of("/live"));
    const auto* unit = out.world().active_unit(out.me());
    if (role_.views || unit == nullptr || !unit->unit.alive()) return;
    words::Toward here;
    here.set_x(unit->unit.pose().x());
    here.set_y(unit->unit.pose().y());
    out.say(here);
  }

  void talk(core::FrontOut& out) {
    if (talks_at_ == 0 || out.now() >= talks_at_) {
      if (talks_at_ != 0) out.say(core::say_of(role_.views ? draw_.one_of(kViewersSay) : draw_.one_of(kSays)));
      talks_at_ = out.now() + kTalksEvery + static_cast<core::Micros>(draw_.number(0, kTalksEvery));
    }
  }

  void look(const core::WorldState& world) {
    const Aside aside;
    looked_ = crowd_.looks_;
    person_.sees.clear();
    for (const auto& [id, player] : world.players()) {
      Sight& its = person_.sees[player.player.name()];
      its.wins = player.score.wins();
      its.losses = player.score.losses();
      if (const auto* unit = world.active_unit(id)) {
        its.alive = unit->unit.alive();
        its.x = unit->unit.pose().x();
        its.y = unit->unit.pose().y();
      }
    }
    person_.teams.clear();
    for (const auto& [team, score] : world.team_scores()) {
      TeamSight& its = person_.teams[team];
      its.has_score = true;
      its.wins = score.wins();
      its.losses = score.losses();
    }
    for (const auto& [id, token] : world.tokens()) {
      if (token.kind() != words::Token::TEAM_FLAG) continue;
      TeamSight& its = person_.teams[token.team()];
      its.has_flag = true;
      its.flag = token.state();
      its.x = token.x();
      its.y = token.y();
    }
  }

  Crowd& crowd_;
  Person& person_;
  core::Bot bot_;
  const Role role_;
  Draw draw_;
  core::Micros talks_at_ = 0;  // 0: not known yet
  bool rests_ = false;
  std::uint32_t looked_ = 0;
};

std::unique_ptr<core::Front> Crowd::next(std::size_t group, const Role& role) {
  const auto add = [this]() -> Person& {
    const Aside aside;
    return *people_.emplace_back(std::make_unique<Person>());
  };
  Person& person = add();
  person.group = group;
  person.name = "p" + std::to_string(people_.size());
  person.began = kernel().now();
  core::BotOptions options;
  options.name = person.name;
  options.behaviour = role.behaviour;
  person.behind = role.behind;
  return std::make_unique<Player>(*this, person, options, role);
}

namespace {

template <class Fits>
std::size_t count(const std::vector<std::unique_ptr<Person>>& people, std::size_t group, Fits&& fits) {
  return static_cast<std::size_t>(
      std::count_if(people.begin(), people.end(), [&](const auto& one) { return one->group == group && fits(*one); }));
}

}  // namespace

std::size_t Crowd::begun(std::size_t group) const {
  return count(people_, group, [](const Person&) { return true; });
}

std::size_t Crowd::here(std::size_t group) const {
  return count(people_, group, [](const Person& one) { return one.gone_at == 0; });
}

std::size_t Crowd::in(std::size_t group) const {
  return count(people_, group, [](const Person& one) { return one.in(); });
}

bool Crowd::is_in(const std::string& name) const {
  return std::any_of(people_.begin(), people_.end(), [&](const auto& one) { return one->name == name && one->in(); });
}

bool Crowd::is_early(std::string_view name, Nanos behind) const {
  if (behind == 0) return false;
  const std::string_view own = name.substr(0, name.find(' '));  // "p6 2": another one had the name
  return std::any_of(people_.begin(), people_.end(),
                     [&](const auto& one) { return one->name == own && kernel().now() < one->began + behind; });
}

}  // namespace entente::lab
