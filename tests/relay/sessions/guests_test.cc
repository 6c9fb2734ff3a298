// What a shared room does for each of its guests: they come, wait, are told what is said, leave, lose their link and
// come back. What the room tells the log, hooks and its annex.
#include <doctest/doctest.h>

#include "tests/relay/rule_orders.h"
#include "tests/relay/sessions/one_shared_room.h"

namespace entente::testing::guests_test {
namespace {

using relay::NewsField, relay::NewsKind, relay::Reason;

const char* const kElsewhere = "198.51.100.9:6";

TEST_CASE("guests: who comes gets a seat of its own at the end of the turn, and what its front sends at once") {
  OneSharedRoom its;
  Actor& anna = its.comes();
  CHECK(anna.seat == 0);
  its.until([&] { return anna.seat != 0; });
  Actor& ben = its.comes();
  its.until([&] { return ben.seat != 0; });
  CHECK(ben.seat != anna.seat);
  CHECK(anna.times_told("turn") == 1);
  for (const Actor* one : {&anna, &ben}) {
    CHECK(one->heard("You"));
    CHECK(one->sent > 0);  // also what was sent before its id was known
    CHECK(its.room->is_seated(one->seat));
    CHECK(its.room->client_of(one->seat) == &one->client());
  }
  its.until([&] { return ben.was_told("flush"); });
}

TEST_CASE("guests: what several are told reaches each of them, and is sent out once a turn") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben", kElsewhere);
  its.settle();
  for (Actor* one : {&anna, &ben}) one->told.clear();
  anna.say({say_this("one"), say_this("two")});
  CHECK(anna.times_told("flush") == 0);
  its.until([&] { return ben.was_told("flush"); });
  for (const Actor* one : {&anna, &ben}) {
    CHECK(one->times_told("flush") == 1);
    CHECK(one->script.said == std::vector<std::string>{"one", "two"});
  }
  CHECK(anna.times_told("spoke Say") == 2);
  CHECK(ben.times_told("spoke Say") == 0);
}

TEST_CASE(
    "guests: with many of them, what they are told is sent within hundredths of a second, also if nothing follows") {
  OneSharedRoom its;
  for (int i = 0; i < 30; ++i) its.seated();
  Actor& anna = its.enters("anna");
  its.until([&] { return anna.was_told("flush"); });
  its.settle();
  anna.told.clear();
  anna.say(say_this("hello"));
  its.until([&] { return anna.was_told("flush"); });
  CHECK(its.actors.front()->script.said == std::vector<std::string>{"hello"});
}

TEST_CASE("guests: one that is gone before it has its seat gets none") {
  OneSharedRoom its;
  Actor& anna = its.comes();
  anna.gone = true;
  its.until([&] { return anna.was_told("turn"); });
  CHECK(its.room->client_of(anna.seat) == nullptr);
  Actor& ben = its.comes();
  its.room->leave_queues(ben);
  its.enters("carl");
  CHECK_FALSE(ben.was_told("turn"));
}

TEST_CASE("guests: who waits to enter is told when it may, once, and not if it left meanwhile") {
  OneSharedRoom its;
  Actor &anna = its.seated(), &ben = its.seated();
  anna.say({enter_as("anna"), say_this("first")});
  ben.say(enter_as("ben"));
  CHECK(anna.was_told("waits"));
  CHECK_FALSE(anna.was_told("entered anna"));
  its.room->leave_queues(ben);
  its.until([&] { return anna.was_told("entered anna"); });
  its.settle();
  CHECK(anna.times_told("turn") == 2);  // for its seat, and to enter
  CHECK(anna.script.said == std::vector<std::string>{"first"});
  CHECK_FALSE(ben.was_told("entered ben"));
  CHECK(its.knows(anna.seat));
  CHECK_FALSE(its.knows(ben.seat));
}

TEST_CASE("guests: one who may not enter leaves for that reason, after the call, and the others stay") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.seated();
  ben.objection = Reason::kDraining;
  ben.say(enter_as("ben"));
  CHECK(ben.times_told(std::string("end ") + relay::text(Reason::kDraining)) == 1);
  its.settle();
  CHECK_FALSE(its.room->is_seated(ben.seat));
  CHECK(its.room->is_seated(anna.seat));
}

TEST_CASE("guests: one for whom too much waits leaves once the call is over, and the others hear of it") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  ben.overflows = true;
  anna.say(say_this("hello"));
  CHECK(ben.times_told(std::string("end ") + relay::text(Reason::kClientStalled)) == 1);
  its.until([&] { return anna.heard("PlayerGone"); });
  CHECK_FALSE(its.room->is_seated(ben.seat));
  CHECK_FALSE(anna.was_told(std::string("end ") + relay::text(Reason::kClientStalled)));
}

TEST_CASE("guests: one whose link is closed is told nothing more, and its front learns why, with the peer's number") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  const std::size_t heard = ben.script.heard.size();
  its.room->gone(ben.seat, "hung up", 42);
  CHECK(its.room->client_of(ben.seat) == nullptr);
  anna.say(say_this("still here"));
  its.until([&] { return anna.heard("PlayerGone"); });
  CHECK(ben.script.heard.size() == heard);
  CHECK(ben.script.closed == "hung up");
  CHECK(ben.script.closed_code == 42);
  CHECK_FALSE(its.room->is_seated(ben.seat));
  CHECK_FALSE(its.knows(ben.seat));
  CHECK(its.knows(anna.seat));
}

TEST_CASE("guests: one that is dismissed gets a goodbye in these words, and the others none") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  its.room->dismiss(ben.seat, "no cheats");
  CHECK(ben.script.goodbye == "no cheats");
  CHECK(ben.times_told("close no cheats 7") == 1);
  CHECK(its.room->client_of(ben.seat) == nullptr);
  its.settle();
  CHECK(anna.script.goodbye.empty());
  CHECK(anna.heard("PlayerGone"));
  CHECK(its.room->client_of(anna.seat) == &anna.client());
}

TEST_CASE("guests: one that breaks a rule is told which, and leaves alone") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  ben.script.fails = Fault{"too long", "name", 2};
  ben.say(std::vector<core::Intent>());
  CHECK(ben.was_told("failed too long"));
  CHECK(ben.was_told("close too long 0"));
  its.settle();
  CHECK_FALSE(anna.was_told("failed too long"));
  CHECK_FALSE(its.room->is_seated(ben.seat));
  CHECK(its.room->is_seated(anna.seat));
}

TEST_CASE("guests: who was refused is told why, and others are not") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.seated();
  ben.say(enter_as("unwanted"));
  its.until([&] { return ben.was_told("turned away nobody wants you"); });
  CHECK_FALSE(anna.was_told("turned away nobody wants you"));
}

TEST_CASE("guests: the operator's message reaches one player, once it has entered") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben"), &carl = its.seated();
  CHECK(its.room->announce(ben.seat, "hello"));
  CHECK(ben.script.said.size() == 1);
  CHECK(anna.script.said.empty());
  CHECK_FALSE(its.room->announce(carl.seat, "hello"));
  CHECK_FALSE(its.room->announce(999, "hello"));
  CHECK(its.room->name_of(ben.seat) == "ben");
  CHECK(its.room->name_of(carl.seat).empty());
}

TEST_CASE("guests: a guest that hears only what is for its player is told nothing else") {
  OneSharedRoom its;
  its.enters("anna");
  Actor& far = its.comes();
  far.all = false;
  its.until([&] { return far.seat != 0; });
  words::Said said;
  said.set_text("to all");
  its.tell(said);
  CHECK(far.script.said.empty());
  its.tell({far.seat, said});
  CHECK(far.script.said.size() == 1);
}

TEST_CASE("guests: who waits for a seat when the room ends gets its turn, in which it learns so, and no seat") {
  OneSharedRoom its;
  its.enters("anna");
  Actor& late = its.comes();
  its.room->stop();
  its.settle();
  CHECK(its.room->over());
  CHECK(late.times_told("turn") == 1);
  CHECK(late.seat == 0);
}

// -- Away and back ----------------------------------------------------------------------------------------------------

words::Resume resume_as(std::uint32_t number) {
  words::Resume resume;
  resume.set_player(number);
  return resume;
}

/// A player whose link has broken, and whose seat is kept under this number.
Actor& away(OneSharedRoom& its, std::uint32_t number, const char* from = "192.0.2.1:5",
            core::Micros within = 60 * core::kSecond) {
  Actor& one = its.enters("away", from);
  one.script.absence = core::Absence{number, within};
  its.room->lost(one, one.seat, "reset", 0);
  its.settle();
  return one;
}

TEST_CASE("guests: a player whose link breaks keeps its seat, and a client from its address takes it again") {
  OneSharedRoom its;
  Actor& anna = its.enters("anna", kElsewhere);
  Actor& lost = away(its, 3);
  CHECK(its.room->is_seated(lost.seat));
  CHECK(its.room->client_of(lost.seat) == nullptr);
  CHECK_FALSE(anna.heard("PlayerGone"));
  Actor& back = its.seated();
  const core::Id first = back.seat;
  back.say(resume_as(3));
  CHECK(back.seat == lost.seat);
  its.settle();
  CHECK_FALSE(its.room->is_seated(first));
  CHECK(its.room->client_of(lost.seat) == &back.client());
  CHECK_FALSE(anna.heard("PlayerGone"));
  anna.say(say_this("welcome back"));
  CHECK(lost.script.said == std::vector<std::string>{"welcome back"});  // by the front that it had
  CHECK(back.sent > 0);
  its.until([&] { return back.was_told("flush"); });
  Actor& again = its.seated();
  again.say(resume_as(3));
  CHECK(again.heard("ClaimRefused"));  // the seat has been taken
}

TEST_CASE("guests: what a client was sent just before it took its kept seat is sent out, although nothing follows") {
  OneSharedRoom its;
  const Actor& lost = away(its, 3);
  Actor& back = its.seated();
  its.settle();
  back.told.clear();
  const std::size_t sent = back.sent;
  back.say({say_this("hello"), resume_as(3)});
  CHECK(back.seat == lost.seat);
  CHECK(back.sent > sent);
  CHECK(its.within(40, [&] { return back.was_told("flush"); }));
}

TEST_CASE("guests: a kept seat is for its number and its address, and for as long as the player said") {
  OneSharedRoom its;
  Actor& lost = away(its, 3);
  Actor &other = its.seated(), &far = its.seated(kElsewhere);
  other.say(resume_as(4));
  far.say(resume_as(3));
  for (Actor* one : {&other, &far}) {
    CHECK(one->heard("ClaimRefused"));
    CHECK(one->seat != lost.seat);
  }
  Actor& late = its.seated();
  its.pretend(its.loop.now() + 61'000);
  late.say(resume_as(3));
  CHECK(late.heard("ClaimRefused"));
}

TEST_CASE("guests: a player whose seat is not kept leaves when its link breaks, and so does one that has not entered") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben"), &carl = its.seated();
  carl.script.absence = core::Absence{3, 60 * core::kSecond};
  its.room->lost(ben, ben.seat, "reset", 5);
  its.room->lost(carl, carl.seat, "reset", 0);
  its.until([&] { return anna.heard("PlayerGone"); });
  CHECK(ben.script.closed == "reset");
  CHECK(ben.script.closed_code == 5);
  its.until([&] { return !its.room->is_seated(carl.seat); });
  CHECK_FALSE(its.room->is_seated(ben.seat));
}

TEST_CASE("guests: who resumes a session that has left the room takes it up after the call, and others are refused") {
  OneSharedRoom its;
  Actor &anna = its.seated(), &ben = its.seated();
  anna.claims = 8;
  ben.say(resume_as(8));
  CHECK(ben.heard("ClaimRefused"));
  CHECK_FALSE(ben.was_told("takes up"));
  anna.say(resume_as(8));
  CHECK_FALSE(anna.heard("ClaimRefused"));
  CHECK(anna.times_told("takes up") == 1);
  anna.say(say_this("x"));
  CHECK(anna.times_told("takes up") == 1);
}

TEST_CASE("guests: one that is taken out is told nothing more, and is no guest any more") {
  OneSharedRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben"), &carl = its.seated();
  CHECK(its.room->can_take_out(ben.seat));
  CHECK_FALSE(its.room->can_take_out(carl.seat));
  CHECK_FALSE(its.room->take_out(carl.seat).has_value());
  const auto taken = its.room->take_out(ben.seat);
  REQUIRE(taken.has_value());
  CHECK(its.room->client_of(ben.seat) == nullptr);
  its.settle();
  CHECK(anna.heard("PlayerGone"));
  const std::size_t sent = ben.sent;
  anna.say(say_this("hello"));
  CHECK(ben.sent == sent);
  CHECK_FALSE(its.room->is_seated(ben.seat));
}

// -- The end, the log and hooks ---------------------------------------------------------------------------------------

TEST_CASE("guests: when the room ends, everybody gets a goodbye, and the first reason counts") {
  struct Row {
    Reason why;
    std::function<void(OneSharedRoom&)> end;
  };
  const Row rows[] = {
      {Reason::kStopped, [](auto& its) { its.room->stop(); }},
      {Reason::kDrained, [](auto& its) { its.room->retire(); }},
      {Reason::kServerLeft,
       [](auto& its) { its.room->order([&](core::Back&) { its.stage->closes = "the show is over"; }); }},
  };
  for (const Row& row : rows) {
    CAPTURE(relay::text(row.why));
    OneSharedRoom its;
    Actor &anna = its.enters("anna"), &ben = its.seated();
    CHECK_FALSE(its.room->end_reason());
    CHECK_FALSE(its.room->over());
    row.end(its);
    its.settle();
    CHECK(its.room->over());
    CHECK(its.room->end_reason() == row.why);
    for (const Actor* one : {&anna, &ben}) CHECK_FALSE(one->script.goodbye.empty());
    CHECK(its.tapped.record(1).closed == relay::text(row.why));
    its.room->stop();
    its.room->retire();
    CHECK(its.room->end_reason() == row.why);
    CHECK_FALSE(its.room->announce(anna.seat, "too late"));
  }
}

TEST_CASE("guests: a room tells the log once what it could not forward, and the tap its name and seed") {
  OneSharedRoom its([](relay::SharedRoomOptions& options) { options.seed = 77; });
  CHECK(its.tapped.noted(1, "a test: a room with seed 77"));
  Actor& anna = its.enters("anna");
  anna.say(words::Fire());
  CHECK(its.heard.told("words_dropped ") == 0);
  its.room->stop();
  its.settle();
  its.room->stop();
  CHECK(its.heard.told("words_dropped ") == 1);
  CHECK(its.tapped.noted(1, "there are no guns"));
}

struct Annexed final : relay::Annex {
  explicit Annexed(std::vector<std::string>& its_told) : told_(its_told) {}
  ~Annexed() override { told_.emplace_back("gone"); }
  void told(const core::Fact& fact) override { told_.push_back(std::string("told ") + core::name_of(fact)); }
  void turn_ends() override { told_.emplace_back("turn"); }
  void announced(core::Id, std::string_view text) override { told_.push_back("announced " + std::string(text)); }
  void room_ends(Reason why) override { told_.push_back(std::string("ends ") + relay::text(why)); }

 private:
  std::vector<std::string>& told_;
};

TEST_CASE("guests: an annex is told facts, messages, the end of each turn, and once that the room is about to end") {
  std::vector<std::string> told;
  const auto times = [&](const std::string& what) { return std::count(told.begin(), told.end(), what); };
  {
    OneSharedRoom its([&](relay::SharedRoomOptions& options) {
      options.annex = [&](relay::SharedRoom&, net::Loop&) { return std::make_unique<Annexed>(told); };
    });
    Actor& anna = its.enters("anna");
    CHECK(times("told Player") == 1);
    CHECK(times("turn") > 0);
    CHECK(its.room->announce(anna.seat, "hello"));
    CHECK_FALSE(its.room->announce(999, "nobody"));
    CHECK(times("announced hello") == 1);
    CHECK(times("announced nobody") == 0);
    const auto turns = times("turn");
    its.settle();
    its.settle();
    CHECK(times("turn") <= turns + 2);  // only of turns in which the room was called
    its.room->retire();
    its.room->stop();
    CHECK(times(std::string("ends ") + relay::text(Reason::kDrained)) == 1);
    CHECK(times(std::string("ends ") + relay::text(Reason::kStopped)) == 0);
    const auto end = std::find(told.begin(), told.end(), std::string("ends ") + relay::text(Reason::kDrained));
    CHECK(std::find(told.begin(), end, "told PlayerGone") == end);  // all players are still in its world
    CHECK(times("gone") == 0);
    its.room->close_annex();
    CHECK(times("gone") == 1);
  }
  CHECK(times("gone") == 1);
}

TEST_CASE("guests: while somebody waits to enter, because its address is too fast, the room looks once in 50 ms") {
  std::vector<std::string> told;
  const auto turns = [&] { return static_cast<std::uint64_t>(std::count(told.begin(), told.end(), "turn")); };
  OneSharedRoom its([&](relay::SharedRoomOptions& options) {
    options.annex = [&](relay::SharedRoom&, net::Loop&) { return std::make_unique<Annexed>(told); };
  });
  its.guest_limits.enters_per_second = its.guest_limits.enters_burst = 1;
  its.enters("anna");
  Actor& ben = its.seated();
  ben.say(enter_as("ben"));
  CHECK(ben.was_told("waits"));
  its.settle();
  const Millis began = its.loop.now();
  const auto before = turns();
  its.until([&] { return its.loop.now() >= began + 200; });
  const Millis took = its.loop.now() - began;
  CHECK(turns() - before <= took / 50 + 10);
  its.until([&] { return ben.was_told("entered ben"); });
}

words::Round round_of(words::Round::State state, core::Id winner = 0, words::Team team = words::TEAM_ANY) {
  words::Round round;
  round.set_state(state);
  round.set_winner(winner);
  round.set_winning_team(team);
  return round;
}

void score(OneSharedRoom& its, core::Id player, std::uint32_t wins, std::uint32_t losses) {
  words::Score score;
  score.set_player(player);
  score.set_wins(wins);
  score.set_losses(losses);
  its.tell(score);
}

OneSharedRoom::Change in_arena(const std::string& name) {
  return [name](relay::SharedRoomOptions& options) { options.arena = name; };
}

TEST_CASE(
    "guests: hooks are told of a match when the first person enters, and of its end with the scores, best first") {
  OneSharedRoom its(in_arena("duel"));
  its.heard.wants_news = true;
  Actor& anna = its.enters("anna");
  CHECK(its.heard.first_news(NewsKind::kMatchBegun).text(NewsField::kArena) == "duel");
  Actor &ben = its.enters("ben"), &carl = its.enters("carl");
  Actor& watcher = its.enters("dora", kElsewhere, words::WATCH);
  CHECK(its.heard.count_news(NewsKind::kMatchBegun) == 1);
  score(its, anna.seat, 2, 5);
  score(its, ben.seat, 7, 1);
  score(its, carl.seat, 2, 3);
  score(its, watcher.seat, 99, 0);
  words::TeamScore team;
  team.set_team(words::RED);
  team.set_wins(1);
  its.tell(team);
  team.set_team(words::BLUE);
  team.set_wins(4);
  its.tell(team);
  CHECK(its.heard.count_news(NewsKind::kMatchEnded) == 0);
  its.tell(round_of(words::Round::OVER, ben.seat, words::BLUE));
  const relay::News ended = its.heard.first_news(NewsKind::kMatchEnded);
  CHECK(ended.text(NewsField::kArena) == "duel");
  CHECK(ended.text(NewsField::kWinner) == "ben");
  CHECK(ended.text(NewsField::kWinningTeam) == "blue");
  std::string players, teams;
  for (const auto& one : std::get<std::vector<relay::NewsScore>>(ended[NewsField::kScores]))
    players += one.player + (one.bot ? " (bot) " : " ");
  for (const auto& one : std::get<std::vector<relay::NewsScore>>(ended[NewsField::kTeams])) teams += one.team + " ";
  CHECK(players == "ben carl anna ");
  CHECK(teams == "blue red ");
  its.tell(round_of(words::Round::OVER));
  CHECK(its.heard.count_news(NewsKind::kMatchEnded) == 1);
  CHECK(its.heard.count_news(NewsKind::kMatchBegun) == 1);
  Actor& late = its.enters("emil");  // between two rounds
  CHECK(its.heard.count_news(NewsKind::kMatchBegun) == 1);
  CHECK(late.seat != 0);
  its.tell(round_of(words::Round::RUNNING));
  CHECK(its.heard.count_news(NewsKind::kMatchBegun) == 2);
}

TEST_CASE("guests: there is no match without a person, nor in a room that is no arena, nor for who wants no news") {
  {
    OneSharedRoom its;
    its.heard.wants_news = true;
    its.enters("anna");
    its.tell(round_of(words::Round::OVER));
    CHECK(its.heard.count_news(NewsKind::kMatchBegun) + its.heard.count_news(NewsKind::kMatchEnded) == 0);
  }
  {
    OneSharedRoom its(in_arena("duel"));
    its.enters("anna");
    its.tell(round_of(words::Round::OVER));
    CHECK(its.heard.count_news(NewsKind::kMatchBegun) + its.heard.count_news(NewsKind::kMatchEnded) == 0);
  }
  OneSharedRoom its([](relay::SharedRoomOptions& options) {
    options.arena = "duel";
    options.stand_ins.least = 2;
  });
  its.heard.wants_news = true;
  its.tell(round_of(words::Round::RUNNING));
  its.until([&] { return its.room->world().players().size() == 2; });
  CHECK(its.heard.count_news(NewsKind::kMatchBegun) == 0);
  Actor& anna = its.enters("anna");
  CHECK(its.heard.count_news(NewsKind::kMatchBegun) == 1);
  its.tell(round_of(words::Round::OVER));
  std::size_t bots = 0, people = 0;
  const relay::News ended = its.heard.first_news(NewsKind::kMatchEnded);
  for (const auto& one : std::get<std::vector<relay::NewsScore>>(ended[NewsField::kScores])) {
    (one.bot ? bots : people) += 1;
    CHECK(one.bot == (one.player != "anna"));
  }
  CHECK(bots == 1);
  CHECK(people == 1);
  its.room->gone(anna.seat, "left", 0);
  its.settle();
  its.tell(round_of(words::Round::RUNNING));
  CHECK(its.heard.count_news(NewsKind::kMatchBegun) == 1);
}

TEST_CASE("guests: players are counted by their game, bots as such, and facts that the world does not keep once each") {
  OneSharedRoom its([](relay::SharedRoomOptions& options) { options.stand_ins.least = 2; });
  its.enters("anna");
  its.until([&] { return its.state.attendance.rows().size() == 2; });
  its.settle();
  CHECK(its.state.attendance.rows()[0].game_dialect == "bot");
  CHECK(its.state.attendance.rows()[1].game_dialect == "toy big");
  CHECK(its.state.attendance.rows()[1].present == 1);
  words::Pose pose;
  pose.set_unit(1'000);  // nobody has it
  const std::uint64_t before = its.state.orphaned.read();
  its.tell(pose);
  CHECK(its.state.orphaned.read() == before + 1);
  its.tell(pose);
  CHECK(its.state.orphaned.read() == before + 2);
}

TEST_CASE(
    "guests: a rule can ban a player whose link is gone, and whose seat is kept: by its last address, and the seat is "
    "given up") {
  using Kind = rules::Action::Kind;
  Orders orders;
  OneSharedRoom its([&](relay::SharedRoomOptions& options) {
    options.rules = orders.book(R"(
function on_chat(player, text)
  if text == "me" then suspect = player end
  if text == "ban" then ban(suspect, 5, "no cheats") end
end)");
  });
  Actor &anna = its.enters("anna", kElsewhere), &ben = its.enters("ben");
  ben.script.absence = core::Absence{3, 60 * core::kSecond};
  ben.say(say_this("me"));
  its.room->lost(ben, ben.seat, "reset", 0);
  its.settle();
  anna.say(say_this("ban"));
  const auto ordered = orders.first(Kind::kBan);
  CHECK(ordered.second.client == ben.client().client);
  CHECK(orders.count(Kind::kBan) == 1);
  its.until([&] { return anna.heard("PlayerGone"); });
  CHECK_FALSE(its.room->is_seated(ben.seat));
}

TEST_CASE(
    "guests: hooks are told neither a winner nor a team where there is none, and of equals first who has lost less") {
  OneSharedRoom its(in_arena("duel"));
  its.heard.wants_news = true;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben"), &carl = its.enters("carl");
  score(its, anna.seat, 1, 3);
  score(its, ben.seat, 1, 2);
  score(its, carl.seat, 1, 2);
  its.tell(round_of(words::Round::OVER));
  const relay::News ended = its.heard.first_news(NewsKind::kMatchEnded);
  CHECK(ended.text(NewsField::kWinner) == "");
  CHECK(ended.text(NewsField::kWinningTeam) == "");
  std::string players;
  for (const auto& one : std::get<std::vector<relay::NewsScore>>(ended[NewsField::kScores])) {
    CHECK(one.team == "");
    players += one.player + " " + std::to_string(one.wins) + " " + std::to_string(one.losses) + ", ";
  }
  CHECK(players == "ben 1 2, carl 1 2, anna 1 3, ");
  CHECK(std::get<std::vector<relay::NewsScore>>(ended[NewsField::kTeams]).empty());
}

}  // namespace
}  // namespace entente::testing::guests_test
