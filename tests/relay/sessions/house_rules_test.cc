// The operator's rules in a shared room: what becomes of what they drop, change and order, for whom.
#include <doctest/doctest.h>

#include "tests/relay/rule_orders.h"
#include "tests/relay/sessions/one_shared_room.h"

namespace entente::testing::house_rules_test {
namespace {

using Kind = rules::Action::Kind;

struct Ruled {
  explicit Ruled(const std::string& source) : book(orders.book(source)) {}
  Orders orders;
  const std::shared_ptr<relay::RuleBook> book;
};

struct RuledRoom : Ruled, OneSharedRoom {
  explicit RuledRoom(const std::string& source)
      : Ruled(source), OneSharedRoom([this](relay::SharedRoomOptions& options) { options.rules = book; }) {}
};

TEST_CASE("house rules: what a rule drops nobody hears, and what it changes all hear so") {
  RuledRoom its(R"(
function on_intent.say(word, player)
  if word.text == "bad" then return false end
  if word.text == "loud" then word.text = "quiet" return word end
end)");
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  anna.say({say_this("bad"), say_this("loud"), say_this("plain")});
  for (const Actor* one : {&anna, &ben}) CHECK(one->script.said == std::vector<std::string>{"quiet", "plain"});
}

TEST_CASE("house rules: a rule tells one player, or all who have entered, and nobody who has not") {
  RuledRoom its(R"(
function on_chat(player, text)
  if text == "me" then tell(player, "only you") end
  if text == "all" then tell_all("everybody") end
end)");
  Actor &anna = its.enters("anna"), &ben = its.enters("ben"), &carl = its.seated();
  const auto told = [](const Actor& one, const std::string& text) {
    return std::count(one.script.said.begin(), one.script.said.end(), text);
  };
  anna.say(say_this("me"));
  CHECK(told(anna, "only you") == 1);
  CHECK(told(ben, "only you") == 0);
  ben.say(say_this("all"));
  CHECK(told(anna, "everybody") == 1);
  CHECK(told(ben, "everybody") == 1);
  CHECK(told(carl, "everybody") == 0);
}

TEST_CASE("house rules: a report is noted in the recording, with the rule, the player and its numbers") {
  RuledRoom its("function on_chat(player, text) report(player, 'spins', { turns = 3 }) end");
  Actor& anna = its.enters("anna");
  anna.say(say_this("x"));
  CHECK(its.tapped.record(1).notes.find("reported by the rule rule.lua: player " + std::to_string(anna.seat) +
                                        " ('anna'): spins; turns 3") != std::string::npos);
  CHECK(its.orders.count(Kind::kReport) == 1);
  CHECK(its.orders.first(Kind::kReport).second.link == anna.client().link);
  CHECK(its.book->rows().front().reports == 1);
}

TEST_CASE("house rules: who kicks a player with a client is told of that client, and the player stays until then") {
  RuledRoom its("function on_chat(player, text) if text == 'kick me' then kick(player, 'as you wish') end end");
  Actor& anna = its.enters("anna");
  anna.say(say_this("kick me"));
  const auto ordered = its.orders.first(Kind::kKick);
  CHECK(ordered.first.text == "as you wish");
  CHECK(ordered.second.link == anna.client().link);
  CHECK(its.room->is_seated(anna.seat));  // its session ends it
  CHECK(anna.script.goodbye.empty());
}

TEST_CASE("house rules: after the rules are replaced, the next thing that a player does is judged by the new ones") {
  RuledRoom its("function on_chat(player, text) tell(player, 'old') end");
  Actor& anna = its.enters("anna");
  anna.say(say_this("x"));
  CHECK(anna.script.said == std::vector<std::string>{"x", "old"});
  its.book->set(Orders::set_of("function on_chat(player, text) tell(player, 'new') end"));
  anna.say(say_this("y"));  // the room notices
  anna.script.said.clear();
  anna.say(say_this("z"));
  CHECK(anna.script.said == std::vector<std::string>{"z", "new"});
  its.book->set(nullptr);
  anna.say(say_this("y"));
  anna.script.said.clear();
  anna.say(say_this("z"));
  CHECK(anna.script.said == std::vector<std::string>{"z"});
  its.book->set(Orders::set_of("function on_chat(player, text) tell(player, 'again') end"));
  anna.say(say_this("y"));
  anna.script.said.clear();
  anna.say(say_this("z"));
  CHECK(anna.script.said == std::vector<std::string>{"z", "again"});
}

TEST_CASE("house rules: a room without rules hears nothing of it, and gets rules when some are set") {
  auto empty = std::make_shared<relay::RuleBook>("the arena", nullptr);
  OneSharedRoom its([&](relay::SharedRoomOptions& options) { options.rules = empty; });
  Actor& anna = its.enters("anna");
  anna.say(say_this("x"));
  CHECK(anna.script.said == std::vector<std::string>{"x"});
  empty->set(Orders::set_of("function on_chat(player, text) tell(player, 'hello') end"));
  anna.say(say_this("y"));
  anna.say(say_this("z"));
  CHECK(anna.script.said.back() == "hello");
}

}  // namespace
}  // namespace entente::testing::house_rules_test
