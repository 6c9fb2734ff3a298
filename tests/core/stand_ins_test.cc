// Bots fill in for missing players, by the rules of a real arena.
#include "proxy/core/bot/stand_ins.h"

#include <doctest/doctest.h>

#include <set>

#include "proxy/core/arena/referee.h"
#include "tests/support/deaf_host.h"

namespace entente::core::stand_ins_test {
namespace {

class Nowhere final : public testing::DeafHost {
 public:
  void told(const Fact& fact) override {
    if (stand_ins != nullptr) stand_ins->heard(fact);
    if (const auto* died = as<words::Died>(fact)) deaths.push_back(*died);
  }
  StandIns* stand_ins = nullptr;
  std::vector<words::Died> deaths;
};

/// Only enters.
class Person final : public Front {
 public:
  explicit Person(words::Role role) : role_(role) {}
  void opened(const Peer&, FrontOut& out) override {
    words::Enter enter;
    enter.set_name("anna");
    enter.set_role(role_);
    out.say(enter);
  }
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact&, FrontOut&) override {}

 private:
  words::Role role_;
};

struct Yard {
  explicit Yard(std::size_t least, const ArenaRules& rules = {}, const BotOptions& each = {})
      : stand_ins({least, each}), room(host, std::make_unique<Referee>(Arena{rules, courtyard(60)}), options()) {
    host.stand_ins = &stand_ins;
    room.back_opened({}, now);
    lasts(0.04);
  }
  static RoomOptions options() {
    RoomOptions options;
    options.seed = 11;
    options.shared = true;
    return options;
  }
  void lasts(double seconds) {
    const Micros until = now + static_cast<Micros>(seconds * kSecond);
    stand_ins.look_after(room, now);
    while (room.next_wake() <= until) {
      now = std::max(now, room.next_wake());
      room.tick(now);
      stand_ins.look_after(room, now);
    }
    now = until;
  }
  Id comes(words::Role role = words::PLAY) {
    const Id id = room.seat(std::make_unique<Person>(role), {}, now);
    stand_ins.look_after(room, now);
    return id;
  }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& [id, player] : room.world().players()) all.insert(player.player.name());
    return all;
  }

  Nowhere host;
  Micros now = 0;
  StandIns stand_ins;
  Room room;
};

using Names = std::set<std::string>;

TEST_CASE("bots fill up to the minimum, and a player replaces the last bot") {
  Yard yard(3);
  CHECK(yard.names() == Names{"bot-1", "bot-2", "bot-3"});
  const Id anna = yard.comes();
  CHECK(yard.names() == Names{"anna", "bot-1", "bot-2"});
  const Id watcher = yard.comes(words::WATCH);
  CHECK(yard.stand_ins.count() == 2);
  std::vector<Id> more;
  for (int i = 0; i < 4; ++i) more.push_back(yard.comes());
  CHECK(yard.stand_ins.count() == 0);
  CHECK(yard.names().size() == 6);
  for (const Id id : more) yard.room.gone(id, "left", yard.now);
  yard.room.gone(watcher, "left", yard.now);
  yard.lasts(0.04);
  CHECK(yard.names() == Names{"anna", "bot-1", "bot-2"});
  yard.room.gone(anna, "left", yard.now);
  yard.lasts(0.04);
  CHECK(yard.names() == Names{"bot-1", "bot-2", "bot-3"});
}

TEST_CASE("without a minimum there are no bots") {
  Yard yard(0);
  yard.lasts(1);
  CHECK(yard.names().empty());
}

TEST_CASE("a kicked bot is replaced") {
  Yard yard(2);
  const Id first = yard.room.world().players().begin()->first;
  yard.room.dismiss(first, "kicked", yard.now);
  yard.lasts(0.04);
  CHECK_FALSE(yard.stand_ins.has(first));
  CHECK(yard.names() == Names{"bot-1", "bot-2"});
}

TEST_CASE("bots fight, and do not aim at their own side") {
  BotOptions each;
  each.behaviour = Behaviour::kHunt;
  ArenaRules rules;
  SUBCASE("each for himself") {}
  SUBCASE("two sides") {
    rules.mode = ArenaMode::kTeams;
    rules.friendly_fire = true;
  }
  Yard yard(6, rules, each);
  yard.lasts(120);
  CHECK(yard.host.deaths.size() >= 10);
  std::size_t own = 0;
  for (const words::Died& died : yard.host.deaths) {
    const PlayerState *victim = yard.room.world().player(died.player()),
                      *killer = yard.room.world().player(died.killer());
    REQUIRE(victim != nullptr);
    own += killer != nullptr && killer->player.team() == victim->player.team();
  }
  MESSAGE(yard.host.deaths.size(), " deaths in 120 s, ", own, " by the own side");
  if (rules.mode == ArenaMode::kTeams)
    CHECK(own * 2 < yard.host.deaths.size());  // players of the own side in the line of fire
}

}  // namespace
}  // namespace entente::core::stand_ins_test
