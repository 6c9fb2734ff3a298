// What hooks are told: who came, left and was refused, which server is down, and how a match began and ended.
#include <doctest/doctest.h>

#include "tests/relay/in_shared_room.h"

namespace entente::testing::news_test {
namespace {

using relay::News, relay::NewsField, relay::NewsKind, relay::NewsScore;

/// Lets every player in. What a player says is what happens: "watch", "score 3 1", "over" or "again".
class Umpire final : public core::Back {
 public:
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (core::as<words::Enter>(intent) != nullptr) {
      show(intent.by, words::PLAY, out);
      out.say(words::Ready());
    } else if (const auto* say = core::as<words::Say>(intent)) {
      obey(say->text(), intent.by, out);
    } else if (core::as<words::Leave>(intent) != nullptr) {
      words::PlayerGone gone;
      gone.set_id(intent.by);
      out.say(gone);
    }
  }

 private:
  static void show(core::Id id, words::Role role, core::BackOut& out) {
    words::Player player;
    player.set_id(id);
    player.set_name("player\n" + std::to_string(id));
    player.set_team(words::RED);
    player.set_role(role);
    out.say(player);
  }
  static void obey(const std::string& text, core::Id by, core::BackOut& out) {
    if (text == "watch") show(by, words::WATCH, out);
    if (text.starts_with("score ")) {
      words::Score score;
      score.set_player(by);
      score.set_wins(static_cast<std::uint32_t>(text[6] - '0'));
      score.set_losses(static_cast<std::uint32_t>(text[8] - '0'));
      out.say(score);
    }
    if (text == "over") {
      for (const auto team : {words::RED, words::BLUE}) {
        words::TeamScore score;
        score.set_team(team);
        score.set_wins(team == words::BLUE ? 9 : 4);
        out.say(score);
      }
      words::Round round;
      round.set_state(words::Round::OVER);
      round.set_winner(by);
      round.set_winning_team(words::BLUE);
      out.say(round);
    }
    if (text == "again") out.say(words::Round());
    words::Said done;
    done.set_text("done");
    out.say({by, std::move(done)});
  }
};

std::uint64_t number(const News& news, NewsField field) { return std::get<std::uint64_t>(news[field]); }
const std::vector<NewsScore>& scores(const News& news, NewsField field) {
  return std::get<std::vector<NewsScore>>(news[field]);
}

struct WithServer {
  FakeServer fake;
};

/// A bridge whose server lets every player in.
struct Umpired : WithServer, Serving {
  Umpired() : Serving(1) {
    heard.wants_news = true;
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.name = "a route";
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->back = [](std::size_t) { return std::make_unique<Umpire>(); };
    serve(std::move(options), fake.address(), no_limits(), nullptr);
  }
  Stream come() {
    Stream client = Stream::to(address);
    client.send(kHello);
    CHECK(client.read_text(4) == kWelcome);
    CHECK(heard.first_news(NewsKind::kJoin).kind() == NewsKind::kJoin);
    return client;
  }
};

TEST_CASE("news of a player: it joins and leaves once, with its session, game, name and address") {
  Umpired bridge;
  net::Address from;
  {
    const Stream client = bridge.come();
    from = client.here();
    const News joined = bridge.heard.first_news(NewsKind::kJoin);
    CHECK(joined.text(NewsField::kRoute) == "a route");
    CHECK(joined.text(NewsField::kArena).empty());
    CHECK(joined.text(NewsField::kGame) == "toy big");
    CHECK(joined.text(NewsField::kPlayer).starts_with("player"));
    CHECK(joined.text(NewsField::kPlayer).find('\n') == std::string_view::npos);
    CHECK(joined.text(NewsField::kAddress) == from.text());
    CHECK(number(joined, NewsField::kSession) == 1);
    // What a tap makes of a session's player has the same fields.
    const relay::LinkInfo session = bridge.sessions().front().info;
    CHECK(bridge.server().news_of(NewsKind::kLeave, session, "anna").text(NewsField::kPlayer) == "anna");
  }
  const News left = bridge.heard.first_news(NewsKind::kLeave);
  CHECK(left.text(NewsField::kReason) == relay::text(relay::Reason::kClientLeft));
  CHECK(left.text(NewsField::kPlayer).starts_with("player"));
  CHECK(left.text(NewsField::kAddress) == from.text());
  CHECK(bridge.empty());
  CHECK(bridge.heard.count_news(NewsKind::kJoin) == 1);
  CHECK(bridge.heard.count_news(NewsKind::kLeave) == 1);
  CHECK(bridge.heard.count_news(NewsKind::kRefused) == 0);
}

TEST_CASE("news of a refusal say what was wrong with what the client sent") {
  Umpired bridge;
  const Stream client = bridge.come();
  client.send(frame("", toy::kWrong));
  const News refused = bridge.heard.first_news(NewsKind::kRefused);
  CHECK(refused.text(NewsField::kReason) == relay::text(relay::Reason::kProtocolFault));
  CHECK(refused.text(NewsField::kDetail) == "unknown code in code");
  CHECK(refused.text(NewsField::kAddress) == client.here().text());
  CHECK(number(refused, NewsField::kSession) == 1);
}

TEST_CASE("news of a server: it is down, with the reason, and up again; each is told once") {
  const net::Address at = free_for_both();
  Running relay(toy::game(), at);
  relay.heard.wants_news = true;
  for (int i = 0; i < 2; ++i) {
    const Stream client = Stream::to(relay.address);
    client.send(kHello);
    (void)client.read_all();
  }
  const News down = relay.heard.first_news(NewsKind::kServerDown);
  CHECK(down.text(NewsField::kServer) == at.text());
  CHECK_FALSE(down.text(NewsField::kReason).empty());
  CHECK(relay.ended(relay::Reason::kServerUnreachable, 2));
  CHECK(relay.heard.count_news(NewsKind::kServerDown) == 1);
  const FakeServer fake(at, true);
  const Pair pair(relay, fake);
  CHECK(relay.heard.first_news(NewsKind::kServerUp).text(NewsField::kServer) == at.text());
}

TEST_CASE("news of a rule that was switched off name it, and the reason") {
  const News off = relay::rule_off("a route", "an arena", "filter.lua", "it loops");
  CHECK(off.kind() == NewsKind::kRuleOff);
  CHECK(off.text(NewsField::kRoute) == "a route");
  CHECK(off.text(NewsField::kArena) == "an arena");
  CHECK(off.text(NewsField::kRule) == "filter.lua");
  CHECK(off.text(NewsField::kReason) == "it loops");
}

/// An arena with an umpire.
class Match {
 public:
  Match() {
    heard.wants_news = true;
    relay::SharedRoomOptions room;
    room.name = "a match";
    room.arena = "the arena";
    room.game = &toy::stream();
    room.back = [] { return std::make_unique<Umpire>(); };
    room.chat.every = 0;
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.limits = no_limits();
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->shared_room = server_.add_shared_room(room);
    const auto listening = server_.add(options);
    REQUIRE(listening.ok());
    address_ = listening->address;
    thread_ = std::thread([this] { server_.run(); });
  }
  ~Match() {
    server_.stop();
    thread_.join();
  }
  Stream come() const {
    Stream client = Stream::to(address_);
    client.send(kHello);
    CHECK(client.read_text(4) == kWelcome);
    return client;
  }
  /// Returns once it has happened.
  static void say(const Stream& client, std::string_view text) {
    client.send(said(text));
    CHECK(client.read_text(6) == said("done"));
  }

  Heard heard;

 private:
  relay::ProxyServer server_{1, heard};
  net::Address address_;
  std::thread thread_;
};

TEST_CASE("news of a match: it begins with the first player, and ends with all scores, the best first") {
  Match match;
  CHECK(match.heard.count_news(NewsKind::kMatchBegun) == 0);
  const Stream anna = match.come(), ben = match.come(), carl = match.come(), dora = match.come();
  match.say(anna, "score 3 2");
  match.say(ben, "score 5 9");
  match.say(carl, "score 3 1");
  match.say(dora, "watch");
  CHECK(match.heard.first_news(NewsKind::kMatchBegun).text(NewsField::kArena) == "the arena");
  CHECK(match.heard.count_news(NewsKind::kMatchBegun) == 1);
  match.say(ben, "over");
  const News ended = match.heard.first_news(NewsKind::kMatchEnded);
  CHECK(ended.text(NewsField::kArena) == "the arena");
  CHECK(ended.text(NewsField::kWinningTeam) == "blue");
  const auto& players = scores(ended, NewsField::kScores);
  REQUIRE(players.size() == 3);  // who only watches has none
  CHECK(players[0].player == ended.text(NewsField::kWinner));
  CHECK(players[0].player.find('\n') == std::string::npos);
  CHECK(players[0].team == "red");
  CHECK_FALSE(players[0].bot);
  CHECK(std::pair(players[0].wins, players[0].losses) == std::pair(5U, 9U));
  CHECK(std::pair(players[1].wins, players[1].losses) == std::pair(3U, 1U));
  CHECK(std::pair(players[2].wins, players[2].losses) == std::pair(3U, 2U));
  const auto& teams = scores(ended, NewsField::kTeams);
  REQUIRE(teams.size() == 2);
  CHECK(teams[0].team == "blue");
  CHECK(teams[1].wins == 4);
  CHECK(ended.size() > players.size() * sizeof(NewsScore));
  // A match that is over is no match for newcomers, until the next round begins.
  const Stream late = match.come();
  match.say(late, "over");
  CHECK(match.heard.count_news(NewsKind::kMatchBegun) == 1);
  CHECK(match.heard.count_news(NewsKind::kMatchEnded) == 1);
  match.say(late, "again");
  CHECK(match.heard.count_news(NewsKind::kMatchBegun) == 2);
}

}  // namespace
}  // namespace entente::testing::news_test
