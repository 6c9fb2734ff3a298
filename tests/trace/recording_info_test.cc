// What a recording says about itself: of the kills that a server reports to each of its clients, each is counted once.
#include "proxy/trace/recording_info.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "schema/game.pb.h"

namespace entente::recording_info_test {

using namespace entente::trace;

namespace {

struct Told {
  void opens(std::uint32_t link, const char* server) {
    Opened opened;
    opened.set_link(link);
    opened.set_server(server);
    builder.opened(opened);
  }
  void hears_kill(std::uint32_t link) {
    words::Fact fact;
    fact.mutable_died()->set_player(1);
    fact.mutable_died()->set_killer(2);
    builder.fact(link, as_bytes(fact.SerializeAsString()));
  }
  void hears_player(std::uint32_t link, std::uint32_t id, words::Team team) {
    words::Fact fact;
    fact.mutable_player()->set_id(id);
    fact.mutable_player()->set_team(team);
    builder.fact(link, as_bytes(fact.SerializeAsString()));
  }
  std::uint64_t kills() const { return builder.info().kills.value_or(0); }

  RecordingInfoBuilder builder;
};

}  // namespace

TEST_CASE("a kill that a server tells several links counts once, also after the first of them has closed") {
  Told told;
  told.opens(1, "192.0.2.1:5154");
  told.opens(2, "192.0.2.1:5154");
  told.opens(3, "192.0.2.9:5154");
  for (const std::uint32_t link : {1U, 2U}) told.hears_kill(link);
  CHECK(told.kills() == 1);
  told.hears_kill(3);  // of another server
  CHECK(told.kills() == 2);
  told.builder.closed(1);
  told.hears_kill(2);
  CHECK(told.kills() == 3);
  told.builder.closed(3);
  told.hears_kill(2);
  CHECK(told.kills() == 4);
}

TEST_CASE("a kill in frames counts once for each server, too, and frames lead no words") {
  Told told;
  told.builder = RecordingInfoBuilder({.message = [](std::string_view) { return "Kill"; },
                                       .counts = [](std::string_view, std::string_view, Bytes) { return true; }});
  told.opens(1, "192.0.2.1:5154");
  told.opens(2, "192.0.2.1:5154");
  told.opens(3, "192.0.2.9:5154");
  const auto passes = [&](std::uint32_t link) { told.builder.frame(link, TO_CLIENT, "Kill", {}); };
  for (const std::uint32_t link : {1U, 2U, 2U}) passes(link);
  CHECK(told.kills() == 1);
  passes(3);  // of another server
  CHECK(told.kills() == 2);
  told.builder.closed(3);
  told.builder.closed(1);
  passes(2);
  CHECK(told.kills() == 3);
  told.opens(4, "192.0.2.1:5154");
  told.hears_kill(4);  // from now on, only words count
  CHECK(told.kills() == 1);
  told.hears_kill(2);
  CHECK(told.kills() == 1);
}

TEST_CASE("the kill of a team mate does not count; rogues, and players of no team, have no mates") {
  for (const auto& [side, kills] : {std::pair{words::RED, 0U}, {words::ROGUE, 1U}, {words::TEAM_ANY, 1U}}) {
    const words::Team team = side;
    CAPTURE(team);
    Told told;
    told.opens(1, "192.0.2.1:5154");
    for (const std::uint32_t id : {1U, 2U}) told.hears_player(1, id, team);
    told.hears_kill(1);
    CHECK(told.kills() == kills);
  }
}

TEST_CASE("a player who changes teams has the mates of the new team") {
  Told told;
  told.opens(1, "192.0.2.1:5154");
  told.hears_player(1, 1, words::RED);
  told.hears_player(1, 2, words::GREEN);
  told.hears_kill(1);
  CHECK(told.kills() == 1);
  told.hears_player(1, 2, words::RED);
  told.hears_kill(1);
  CHECK(told.kills() == 1);
  told.hears_player(1, 1, words::GREEN);
  told.hears_kill(1);
  CHECK(told.kills() == 2);
}

TEST_CASE("a recording with more players than are listed says so, also when one of these comes again") {
  Told told;
  const auto comes = [&](std::size_t number) {
    words::Fact fact;
    fact.mutable_player()->set_name("p" + std::to_string(number));
    told.builder.fact(1, as_bytes(fact.SerializeAsString()));
  };
  for (std::size_t number = 0; number < RecordingInfoBuilder::kMostPlayers; ++number) comes(number);
  comes(0);
  CHECK_FALSE(told.builder.info().more_players);
  comes(RecordingInfoBuilder::kMostPlayers);
  CHECK(told.builder.info().more_players);
  comes(0);
  CHECK(told.builder.info().more_players);
  CHECK(told.builder.info().players.size() == RecordingInfoBuilder::kMostPlayers);
}

TEST_CASE("a link that closes makes room for the teams of other links") {
  Told told;
  told.opens(1, "192.0.2.1:5154");
  told.opens(2, "192.0.2.1:5154");
  const auto hears_mates = [&](std::uint32_t link) {
    for (const std::uint32_t id : {1U, 2U}) told.hears_player(link, id, words::RED);
    told.hears_kill(link);
  };
  for (std::uint32_t id = 1; id <= 100'000; ++id) told.hears_player(1, id, words::GREEN);
  hears_mates(2);  // their teams are not remembered
  CHECK(told.kills() == 1);
  told.builder.closed(1);
  hears_mates(2);
  CHECK(told.kills() == 1);
}

TEST_CASE("a link that closes makes room for the counter of another one") {
  constexpr std::uint32_t kMost = 2'000;
  RecordingInfoBuilder builder({[](std::string_view) { return "Kill"; }, [](auto, auto, Bytes) { return true; },
                                [](auto, auto) { return [](std::string_view, Bytes) { return false; }; }});
  const auto opens = [&](std::uint32_t link) {
    Opened opened;
    opened.set_link(link);
    opened.set_server("192.0.2.1:5154");
    builder.opened(opened);
    builder.frame(link, TO_CLIENT, "Kill", {});
  };
  for (std::uint32_t link = 1; link <= kMost; ++link) opens(link);
  CHECK(builder.info().kills == 0);
  builder.closed(kMost);
  opens(kMost + 1);  // has a counter, which says that it is no kill
  CHECK(builder.info().kills == 0);
  opens(kMost + 2);  // has none
  CHECK(builder.info().kills == 1);
}

}  // namespace entente::recording_info_test
