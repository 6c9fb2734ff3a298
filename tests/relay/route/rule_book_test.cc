// What a route or an arena keeps of its rules: what they did, and what somebody is told of it.
#include "proxy/relay/route/rule_book.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace entente::testing::rule_book_test {
namespace {

using relay::RuleBook;
using Kind = rules::Action::Kind;

rules::Action action(const std::string& rule, Kind kind, const std::string& text = "") {
  rules::Action made;
  made.rule = rule;
  made.kind = kind;
  made.text = text;
  return made;
}

std::shared_ptr<const rules::RuleSet> set_of(const std::vector<std::string>& names) {
  auto set = std::make_shared<rules::RuleSet>();
  for (const std::string& name : names) {
    rules::RuleFile file;
    file.name = name;
    set->push_back(std::move(file));
  }
  return set;
}

struct Book {
  std::vector<std::string> told;
  RuleBook book{"route public", [this](const RuleBook& its, const rules::Action& one, const relay::LinkInfo* client) {
                  told.push_back(its.of() + " " + one.rule + " " + one.text + (client != nullptr ? " client" : ""));
                }};
};

TEST_CASE("rule book: what each rule does is counted, and told with the player's client") {
  Book its;
  its.book.set(set_of({"calm", "votes"}));
  relay::LinkInfo client;
  its.book.act(action("votes", Kind::kKick, "out"), &client);
  its.book.act(action("votes", Kind::kReport, "odd"), nullptr);
  its.book.act(action("calm", Kind::kLog, "quiet"), nullptr);
  CHECK(its.told ==
        std::vector<std::string>{"route public votes out client", "route public votes odd", "route public calm quiet"});
  const auto rows = its.book.rows();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].rule == "calm");
  CHECK(rows[0].actions == 1);
  CHECK(rows[0].reports == 0);
  CHECK(rows[1].actions == 2);
  CHECK(rows[1].reports == 1);
  CHECK(rows[1].off == 0);
}

TEST_CASE("rule book: that a rule was switched off is told once, counted for each room, and the first reason is kept") {
  Book its;
  its.book.set(set_of({"calm", "votes"}));
  its.book.act(action("votes", Kind::kSwitchedOff, "too slow"), nullptr);
  its.book.act(action("votes", Kind::kSwitchedOff, "too large"), nullptr);
  its.book.act(action("calm", Kind::kSwitchedOff, "a fault"), nullptr);
  CHECK(its.told == std::vector<std::string>{"route public votes too slow", "route public calm a fault"});
  CHECK(its.book.rows()[1].off == 2);
  CHECK(its.book.rows()[1].why == "too slow");
  CHECK(its.book.rows()[0].off == 1);
  its.book.set(set_of({"votes"}));
  CHECK(its.book.rows().front().off == 0);
  its.book.act(action("votes", Kind::kSwitchedOff, "again"), nullptr);
  CHECK(its.told.back() == "route public votes again");
}

TEST_CASE("rule book: what a rule does that was replaced meanwhile is told, and counts for no other") {
  Book its;
  its.book.set(set_of({"votes"}));
  its.book.act(action("calm", Kind::kKick, "out"), nullptr);
  CHECK(its.told.size() == 1);
  CHECK(its.book.rows().front().actions == 0);
}

TEST_CASE("rule book: it has a new version with each set, also with none, and begins to count anew") {
  Book its;
  CHECK(its.book.version() == 0);
  CHECK(its.book.get() == nullptr);
  const auto set = set_of({"votes"});
  its.book.set(set);
  CHECK(its.book.version() == 1);
  CHECK(its.book.get() == set);
  its.book.act(action("votes", Kind::kReport), nullptr);
  its.book.set(set);
  CHECK(its.book.version() == 2);
  CHECK(its.book.rows().front().reports == 0);
  its.book.set(nullptr);
  CHECK(its.book.version() == 3);
  CHECK(its.book.get() == nullptr);
  CHECK(its.book.rows().empty());
}

TEST_CASE("rule book: that a relay cannot drop is told once for each set") {
  Book its;
  its.book.set(set_of({"votes"}));
  CHECK(its.book.refuse_to_drop());
  CHECK_FALSE(its.book.refuse_to_drop());
  its.book.set(set_of({"votes"}));
  CHECK(its.book.refuse_to_drop());
}

TEST_CASE("rule book: sessions that lost their rules, and orders that came too fast, are counted over all sets") {
  Book its;
  its.book.act(action("", Kind::kLost), nullptr);
  its.book.set(set_of({"votes"}));
  its.book.act(action("", Kind::kLost), nullptr);
  its.book.act(action("votes", Kind::kKick), nullptr);
  CHECK(its.book.lost() == 2);
  CHECK(its.told.size() == 3);
  its.book.note_too_fast(0);
  its.book.note_too_fast(3);
  its.book.note_too_fast(4);
  CHECK(its.book.too_fast() == 7);
}

TEST_CASE("rule book: it has a new name after a reload, and needs nobody to tell") {
  Book its;
  its.book.rename("arena 'duel'");
  CHECK(its.book.of() == "arena 'duel'");
  RuleBook silent("route public", nullptr);
  silent.set(set_of({"votes"}));
  silent.act(action("votes", Kind::kKick), nullptr);
  CHECK(silent.rows().front().actions == 1);
}

}  // namespace
}  // namespace entente::testing::rule_book_test
