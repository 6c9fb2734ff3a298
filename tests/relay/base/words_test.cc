// What players and operators are told: why a session ends, whom a line of the log is about, and the operator's own
// texts.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "proxy/relay/base/events.h"
#include "proxy/relay/base/reason.h"
#include "proxy/relay/base/texts.h"

namespace entente::relay::words_test {
namespace {

TEST_CASE("words: a player is told why its session ends, unless it left, came back, or a lab cut it off") {
  const std::set<Reason> silent{Reason::kClientLeft, Reason::kClientReset, Reason::kResumed, Reason::kLabReset};
  std::set<std::string> all;
  for (std::size_t i = 0; i < kReasons; ++i) {
    const auto why = static_cast<Reason>(i);
    CAPTURE(text(why));
    const Telling told = telling(why);
    CHECK((*told.words == 0) == silent.contains(why));
    CHECK(words_for_player(why, Fault{""}) == told.words);
    if (silent.contains(why)) continue;
    CHECK(all.insert(told.words).second);  // each in its own words
    CHECK(told.parting != wire::Parting::kLeft);
    CHECK(told.http >= 400);
    CHECK(told.http < 600);
  }
}

TEST_CASE("words: who is at fault is told what was wrong, and where; nobody else is told so") {
  const Fault fault{"it is too large", "length", 7}, no_field{"it is too large", "", 0};
  const std::string ours = telling(Reason::kBadFrame).words;
  CHECK(words_for_player(Reason::kBadFrame, fault) == ours + ": it is too large in length");
  CHECK(words_for_player(Reason::kBadFrame, no_field) == ours + ": it is too large");
  CHECK(words_for_player(Reason::kServerProtocolError, fault) == telling(Reason::kServerProtocolError).words);
  CHECK(words_for_player(Reason::kTooMany, fault) == telling(Reason::kTooMany).words);
}

TEST_CASE("words: who is kicked or banned is told why, and who is moved is told where to connect") {
  CHECK(words_for_sent_away(Reason::kKicked, "no cheating") == "kicked: no cheating");
  CHECK(words_for_sent_away(Reason::kKicked, "") == "kicked");
  CHECK(words_for_sent_away(Reason::kBannedNow, "no cheating") == "banned: no cheating");
  CHECK(words_for_sent_away(Reason::kBannedNow, "") == "banned");
  CHECK(words_for_sent_away(Reason::kReferred, "connect to 192.0.2.1:5") == "connect to 192.0.2.1:5");
  for (const Reason why : {Reason::kKicked, Reason::kBannedNow, Reason::kReferred}) CHECK(is_sent_away(why));
  for (const Reason why : {Reason::kStopped, Reason::kDrained}) CHECK_FALSE(is_sent_away(why));
}

TEST_CASE("words: a client is told to come back later or not at all by the status of its request") {
  struct Case {
    Reason why;
    unsigned http;
    wire::Parting parting;
  };
  for (const Case& one :
       {Case{Reason::kBanned, 403, wire::Parting::kBanned}, Case{Reason::kNotAllowed, 403, wire::Parting::kBanned},
        Case{Reason::kTooMany, 503, wire::Parting::kFull}, Case{Reason::kTooFast, 429, wire::Parting::kFull},
        Case{Reason::kTooManyFromAddress, 429, wire::Parting::kTooManyFromAddress},
        Case{Reason::kDraining, 503, wire::Parting::kServerGone}, Case{Reason::kKicked, 403, wire::Parting::kKicked},
        Case{Reason::kBadRequest, 400, wire::Parting::kKicked},
        Case{Reason::kGreetTimeout, 408, wire::Parting::kKicked},
        Case{Reason::kClientDialect, 400, wire::Parting::kWrongVersion},
        Case{Reason::kServerUnreachable, 502, wire::Parting::kServerGone},
        Case{Reason::kServerTimeout, 504, wire::Parting::kServerGone}}) {
    CAPTURE(text(one.why));
    CHECK(telling(one.why).http == one.http);
    CHECK(telling(one.why).parting == one.parting);
  }
}

TEST_CASE(
    "words: an operator gets advice for the drops that a setting or a larger machine changes, and for no others") {
  for (std::size_t i = 0; i < kDrops; ++i) {
    const auto drop = static_cast<Drop>(i);
    CAPTURE(text(drop));
    const bool helps = drop == Drop::kTooLarge || drop == Drop::kTooFast || drop == Drop::kQueueFull;
    CHECK((*what_helps(drop) != 0) == helps);
  }
  CHECK(std::string(what_helps(Drop::kTooLarge)).find("datagram_bytes") != std::string::npos);
  CHECK(std::string(what_helps(Drop::kTooFast)).find("datagrams_per_second") != std::string::npos);
}

TEST_CASE("words: a line about a session names its client, its server and its player") {
  LinkInfo session;
  session.link = 5;
  session.client = *net::Address::parse("192.0.2.1:1000");
  session.server = *net::Address::parse("192.0.2.2:2000");
  session.listener = *net::Address::parse("192.0.2.3:3000");
  const About all = about(session, "anna");
  CHECK(all.session == 5);
  CHECK(all.address == "192.0.2.1:1000");
  CHECK(all.server == "192.0.2.2:2000");
  CHECK(all.player == "anna");
  CHECK(all.route.empty());
  session.server = session.listener;  // an arena
  CHECK(about(session).server.empty());
  session.server = {};  // not known yet
  CHECK(about(session).server.empty());
  session.client = {};  // a bot
  CHECK(about(session).address.empty());
}

TEST_CASE("words: the operator's text stands for ours, until it is empty again") {
  SharedTexts texts;
  CHECK(texts.text(&Texts::server_away, "ours") == "ours");
  Texts own;
  own.server_away = "gone fishing";
  own.server_full = "no seat";
  texts.set(own);
  CHECK(texts.text(&Texts::server_away, "ours") == "gone fishing");
  CHECK(texts.text(&Texts::server_full, "ours") == "no seat");
  CHECK(texts.text(&Texts::server_back, "ours") == "ours");
  const auto before = texts.get();
  texts.set({});
  CHECK(texts.text(&Texts::server_away, "ours") == "ours");
  CHECK(before->server_away == "gone fishing");  // who reads it keeps it
}

TEST_CASE("words: news keep as many bytes as their texts and scores have, so that a queue of them can be bounded") {
  const std::string long_text(1'000, 'x');
  const std::size_t empty = News(NewsKind::kMatchEnded).size();
  CHECK(empty >= sizeof(News));
  News ended(NewsKind::kMatchEnded);
  ended.set(NewsField::kWinner, long_text);
  CHECK(ended.size() == empty + 1'000);
  ended.set(NewsField::kScores, {{long_text, long_text, 1, 2, false}, {"", "red", 0, 0, false}});
  CHECK(ended.size() == empty + 3'003 + 2 * sizeof(NewsScore));
  CHECK(ended.text(NewsField::kWinner) == long_text);
  CHECK(ended.text(NewsField::kPlayer).empty());   // this kind has no such field
  CHECK(ended.text(NewsField::kSeconds).empty());  // nor is that a text
}

TEST_CASE("words: news of each kind have the fields of their row, empty at first") {
  for (std::size_t i = 0; i < kNewsKinds; ++i) {
    const auto kind = static_cast<NewsKind>(i);
    const NewsRow& row = row_of(kind);
    CAPTURE(row.name);
    CHECK(row.kind == kind);
    const News news(kind);
    CHECK(news.kind() == kind);
    for (const NewsFieldRow& field : news_fields()) {
      CHECK(&row_of(field.field) == &field);
      const bool has = std::find(row.fields.begin(), row.fields.end(), field.field) != row.fields.end();
      CHECK(news.has(field.field) == has);
      if (!has) continue;
      using Type = NewsFieldRow::Type;
      const bool text = field.type == Type::kText, number = field.type == Type::kNumber;
      CHECK(news[field.field].index() == (text ? 0 : number ? 1 : 2));
    }
  }
}

}  // namespace
}  // namespace entente::relay::words_test
