#include "tests/lab/players.h"

#include <algorithm>

#include "proxy/core/world.h"
#include "tests/lab/kernel/memory.h"

namespace entente::lab {

/// A bot that stops when the crowd rests.
class Crowd::Player final : public core::Front {
 public:
  Player(Crowd& crowd, Person& person, const core::BotOptions& options)
      : crowd_(crowd), person_(person), bot_(options) {}
  ~Player() override { person_.gone_at = kernel().now(); }

  void opened(const core::Peer& peer, core::FrontOut& out) override { bot_.opened(peer, out); }
  void receive(const Frames&, core::FrontOut&) override {}
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    bot_.hear(fact, out);
    if (person_.in_at == 0 && bot_.tally().in) person_.in_at = kernel().now();
    person_.refused = bot_.tally().refused;
  }
  void tick(core::FrontOut& out) override {
    if (crowd_.rests_)
      out.wake(out.now() + 100 * core::kMillisecond);
    else
      bot_.tick(out);
    if (looked_ != crowd_.looks_) look(out.world());
  }

 private:
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
  }

  Crowd& crowd_;
  Person& person_;
  core::Bot bot_;
  std::uint32_t looked_ = 0;
};

std::unique_ptr<core::Front> Crowd::next(std::size_t group, core::Behaviour behaviour) {
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
  options.behaviour = behaviour;
  return std::make_unique<Player>(*this, person, options);
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

}  // namespace entente::lab
