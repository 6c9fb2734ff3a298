// The front and the back of native: each kind of word, ids of both rooms, and how sessions end.
#include "adapters/native/faces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "adapters/native/codec.h"
#include "adapters/native/native.h"
#include "proxy/core/texts.h"
#include "tests/games/every_fact.h"
#include "tests/support/stage.h"

namespace entente::native::faces_test {
namespace {

using core::Fact, core::Intent;
using testing::BackStage, testing::FrontStage;
using wire::Way;

constexpr std::size_t kProtobuf = 0, kJson = 1;

template <class Word>
Buffer framed(const Word& word, std::size_t dialect = kProtobuf, bool in_stream = true) {
  typename Word::Schema message;
  to_message(word, message);
  Buffer out;
  Envelope{static_cast<Dialect>(dialect), in_stream}.wrap(
      out, [&](Buffer& to) { spell(static_cast<Dialect>(dialect), message, to); });
  return out;
}

Intent enter(std::uint32_t contract = 0) {
  words::Enter word;
  word.set_name("anna");
  word.set_contract(contract);
  return word;
}
Fact you(core::Id player) {
  words::You word;
  word.set_player(player);
  return word;
}
Fact unit_of(core::Id unit, core::Id owner) {
  words::Unit word;
  word.set_id(unit);
  word.set_owner(owner);
  return word;
}
Fact pose(core::Id unit) {
  words::Pose word;
  word.set_unit(unit);
  return word;
}
Fact kicked(const char* why) {
  words::Kicked word;
  word.set_text(why);
  return word;
}
Fact refused(bool may_retry = false) {
  words::Refused word;
  word.set_may_retry(may_retry);
  return word;
}

/// A client that has asked for the newest version.
struct Client {
  explicit Client(std::size_t its = kProtobuf)
      : dialect(its), stage(make_front({its, {}}), game(), its, Way::kToClient) {
    stage.opens();
    stage.receives(framed(enter(kContract), its));
  }
  std::size_t dialect;
  FrontStage stage;
};

/// A back whose server calls its player 40.
struct Server {
  Server() : stage(make_back({kProtobuf, {}}), game(), kProtobuf, Way::kToServer) {
    stage.opens();
    stage.receives(framed(you(40)));
  }
  std::string says(const Fact& fact) { return stage.receives(framed(fact)); }

  BackStage stage;
};

bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

std::size_t lines(const std::string& all) { return static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n')); }

// -- Each kind of word ------------------------------------------------------------------------------------------------

TEST_CASE("native: each kind of fact reaches the client under its own name, and no fact but a slow reader ends it") {
  for (const std::size_t dialect : {kProtobuf, kJson})
    testing::for_each_fact([&](const Fact& fact) {
      Client fresh(dialect);
      const std::string said = fresh.stage.hears(fact);
      CHECK_MESSAGE(said.starts_with("sends " + std::string(core::name_of(fact)) + " "), said);
      CHECK(lines(said) == 1);
    });
}

TEST_CASE("native: each kind of intent of a client reaches the room under its own name") {
  for (const std::size_t dialect : {kProtobuf, kJson})
    testing::for_each_intent([&](const Intent& intent) {
      Client fresh(dialect);
      CHECK(fresh.stage.receives(framed(intent, dialect)) == std::string("says ") + core::name_of(intent) + "\n");
    });
}

TEST_CASE("native: each kind of fact of a server reaches the room under its own name, and You is the back's own") {
  testing::for_each_fact([](const Fact& fact) {
    Server fresh;
    const std::string name = core::name_of(fact), said = fresh.says(fact);
    CHECK_MESSAGE((name == "You" ? said.empty() : said.starts_with("says " + name)), said);
    CHECK(lines(said) == (name == "You" ? 0 : 1));
  });
}

TEST_CASE("native: each kind of intent reaches the server under its own name, and only a goodbye ends the session") {
  testing::for_each_intent([](const Intent& intent) {
    Server fresh;
    const std::string name = core::name_of(intent), said = fresh.stage.hears(intent);
    CHECK_MESSAGE(said.starts_with("sends " + name + " "), said);
    CHECK(said.ends_with("closes: the player left\n") == (name == "Leave"));
    CHECK(lines(said) == (name == "Leave" ? 2 : 1));
  });
}

// -- The front --------------------------------------------------------------------------------------------------------

TEST_CASE("native front: over WebSocket a message is a message, without a length or a line end") {
  for (const std::size_t dialect : {kProtobuf, kJson}) {
    CAPTURE(dialect);
    FrontStage stage(make_front({dialect, {}}), *game().over_web(), dialect, Way::kToClient);
    stage.opens({"10.0.0.7:4711", 0, "/play"});
    CHECK(stage.receives(framed(enter(), dialect, false)) == "says Enter name: \"anna\"\n");
    CHECK(stage.hears(words::Ready()).starts_with("sends Ready "));
  }
}

TEST_CASE("native front: two lines that arrive byte by byte are two messages, however long the first is") {
  Client client(kJson);
  words::Say say;
  say.set_text(std::string(300, 'x'));
  Buffer both = framed(Intent(say), kJson);
  append(both, framed(Intent(words::Spawn()), kJson));
  const std::string said = client.stage.receives_slowly(both);
  CHECK(said.starts_with("says Say text: \"xxx"));
  CHECK(said.ends_with("\"\nsays Spawn\n"));
}

TEST_CASE("native front: a message of the largest size is read, one byte more is not") {
  for (const std::size_t dialect : {kProtobuf, kJson}) {
    CAPTURE(dialect);
    words::Say say;
    const auto of_size = [&](std::size_t size) {
      say.set_text("");
      for (int i = 0; i < 3; ++i) {  // the lengths inside a message take a varying number of bytes
        const std::size_t now = framed(Intent(say), dialect).size();
        say.set_text(std::string(say.text().size() + size - now, 'x'));
      }
      Buffer frame = framed(Intent(say), dialect);
      REQUIRE(frame.size() == size);
      return frame;
    };
    Client largest(dialect), larger(dialect);
    CHECK(largest.stage.receives(of_size(kLargestIntent)).starts_with("says Say "));
    CHECK(larger.stage.receives(of_size(kLargestIntent + 1)).starts_with("cannot be cut: oversize frame "));
  }
}

TEST_CASE("native front: poses and inputs are dropped above the limit, and nothing else is") {
  Client client;
  client.stage.set_waiting(kSlowReader);
  CHECK(client.stage.hears(pose(7)).starts_with("sends Pose "));
  client.stage.set_waiting(kSlowReader + 1);
  CHECK(client.stage.hears(pose(7)) == "loses Pose: the client reads too slowly\n");
  CHECK(client.stage.hears(words::Input()) == "loses Input: the client reads too slowly\n");
  client.stage.set_waiting(kLargestFact);
  CHECK(client.stage.hears(words::Shot()).starts_with("sends Shot "));
}

TEST_CASE("native front: a client that was told its end is not told another one; any other is told why it ends") {
  const std::string closes = "closes: closing time\n";
  Client playing;
  CHECK(has(playing.stage.session_ends("closing time"), "kicked={text=\"closing time\"}\n" + closes));
  Client told;
  told.stage.hears(kicked("too bold"));
  CHECK(told.stage.session_ends("closing time") == closes);
  Client turned_away;
  turned_away.stage.hears(refused());
  CHECK(turned_away.stage.session_ends("closing time") == closes);
}

TEST_CASE("native front: a client is told to wait only between its Enter and the end of its wait") {
  for (const bool ready_before : {false, true}) {
    FrontStage stage(make_front({kProtobuf, {}}), game(), kProtobuf, Way::kToClient);
    stage.opens();
    if (ready_before) stage.hears(words::Ready());
    stage.receives(framed(enter()));
    CHECK(has(stage.waits(6 * core::kSecond), "sends WorldProgress ") == !ready_before);
    stage.hears(kicked("too bold"));
    CHECK(stage.waits(60 * core::kSecond) == "");
  }
}

TEST_CASE("native front: what it tells a client that waits is for that client alone, and has the time") {
  Client client;
  CHECK(
      client.stage.waits(5 * core::kSecond).starts_with("sends WorldProgress at_us=5000000 cause=0 audience=1 to=1 "));
}

// -- The back ---------------------------------------------------------------------------------------------------------

TEST_CASE("native back: a second You begins anew: the server's ids and its count of intents are others now") {
  Server server;
  CHECK(server.says(unit_of(41, 40)) == "says Unit id: 101 owner: 1\n");
  Intent spawn{words::Spawn()};
  spawn.number = 7;
  server.stage.hears(spawn);
  server.says(you(50));
  CHECK(server.says(unit_of(41, 50)) == "says Unit id: 102 owner: 1\n");
  Fact answer(50, words::ClaimRefused());
  answer.cause = 1;
  CHECK(server.says(answer) == "says ClaimRefused (to 1)\n");
  server.stage.hears(spawn);
  CHECK(server.says(answer) == "says ClaimRefused (to 1) (answers intent 7)\n");
}

TEST_CASE("native back: a player who is gone takes the ids of its units along") {
  Server server;
  words::Player ben;
  ben.set_id(60);
  CHECK(server.says(Fact(ben)) == "says Player id: 101\n");
  CHECK(server.says(unit_of(61, 60)) == "says Unit id: 102 owner: 101\n");
  words::Owns owns;
  owns.set_player(60);
  owns.add_units(61);
  CHECK(server.says(Fact(owns)) == "says Owns player: 101 units: 102\n");
  words::PlayerGone gone;
  gone.set_id(60);
  CHECK(server.says(Fact(gone)) == "says PlayerGone id: 101\n");
  CHECK(server.says(pose(61)) == "says Pose unit: 103\n");
  CHECK(server.says(Fact(ben)) == "says Player id: 104\n");
}

TEST_CASE("native back: a whisper is to our player, and talk to a side names the side") {
  Server server;
  words::Said said;
  said.set_scope(words::Say::ONE);
  said.set_to(40);
  CHECK(has(server.says(Fact(said)), " scope: ONE to: 1\n"));
  said.set_scope(words::Say::MY_TEAM);
  said.set_to(words::GREEN);
  CHECK(has(server.says(Fact(said)), " scope: MY_TEAM to: " + std::to_string(words::GREEN) + "\n"));
}

TEST_CASE("native back: a thousand intents wait for the server's first word, in their order; further ones are lost") {
  BackStage stage(make_back({kProtobuf, {}}), game(), kProtobuf, Way::kToServer);
  stage.hears(enter());
  stage.opens();
  for (int i = 0; i < 999; ++i) CHECK(stage.hears(words::Spawn()) == "");
  CHECK(stage.hears(words::Spawn()) == "loses Spawn: too many intents before the server has sent anything\n");
  const std::string sent = stage.receives(framed(you(40)));
  CHECK(lines(sent) == 1000);
  CHECK(sent.starts_with("sends Enter "));
  CHECK(stage.receives(framed(you(40))) == "");  // each is sent once
}

TEST_CASE("native back: a link that ends is a refusal until the player is in, or was told its end") {
  const auto ends_after = [](const Fact* last) {
    Server server;
    if (last != nullptr) server.says(*last);
    return server.stage.ends("it broke off");
  };
  CHECK(ends_after(nullptr) == "says Refused code: SERVER_GONE text: \"it broke off\"\n");
  const Fact ready{words::Ready()}, bold = kicked("too bold"), never = refused(), later = refused(true);
  CHECK(ends_after(&ready) == "");
  CHECK(ends_after(&bold) == "");
  CHECK(ends_after(&never) == "");
  CHECK(has(ends_after(&later), "says Refused code: SERVER_GONE"));
}

TEST_CASE("native back: a server that goes away for now is waited for, if the room waits") {
  const std::string why = "the server restarts" + std::string(core::kTryAgain);
  Server waits;
  waits.stage.hold();
  CHECK(waits.says(kicked(why.c_str())) == "waits for the server: " + why + "\ncloses: " + why + "\n");
  Server other;
  CHECK(other.says(kicked(why.c_str())) == "says Kicked text: \"" + why + "\"\n");
  Server bold;
  bold.stage.hold();
  CHECK(bold.says(kicked("too bold")) == "says Kicked text: \"too bold\"\n");
}

TEST_CASE("native back: once its server has spoken, it may be silent for as long as it likes") {
  Server server;
  CHECK(server.stage.waits(600 * core::kSecond) == "");
}

// -- The game ---------------------------------------------------------------------------------------------------------

/// The frames as text, in the dialect json.
std::string told(const std::vector<Buffer>& frames) {
  std::string all;
  for (const Buffer& frame : frames) all += std::string(frame.begin(), frame.end());
  return all;
}

TEST_CASE("native: an announcement is a line of the server, with a line end only where the transport has none") {
  CHECK(told(game().announcement(kJson, "hear!")) == "{\"said\":{\"text\":\"hear!\"}}\n");
  CHECK(told(game().over_web()->announcement(kJson, "hear!")) == "{\"said\":{\"text\":\"hear!\"}}");
}

TEST_CASE(
    "native: the last words to a new client are a refusal with its kind, to any other a kick; none without a text") {
  using wire::ClientStage, wire::Parting;
  const auto last = [](ClientStage stage, Parting parting, const char* why) {
    return told(game().last_words(kJson, stage, parting, why));
  };
  struct Case {
    Parting parting;
    const char* code;
  };
  for (const Case& one :
       {Case{Parting::kFull, "\"code\":\"FULL\","}, Case{Parting::kTooManyFromAddress, "\"code\":\"FULL\","},
        Case{Parting::kWrongVersion, "\"code\":\"WRONG_VERSION\","},
        Case{Parting::kServerGone, "\"code\":\"SERVER_GONE\","}, Case{Parting::kBanned, "\"code\":\"BANNED\","},
        Case{Parting::kKicked, ""}, Case{Parting::kLeft, ""}}) {
    CHECK(last(ClientStage::kNew, one.parting, "why") ==
          std::string("{\"refused\":{") + one.code + "\"text\":\"why\"}}\n");
    for (const ClientStage stage : {ClientStage::kJoining, ClientStage::kPlaying})
      CHECK(last(stage, one.parting, "why") == "{\"kicked\":{\"text\":\"why\"}}\n");
    CHECK(last(ClientStage::kNew, one.parting, "") == "");
  }
}

TEST_CASE("native: the two games are each other's over the web and without it, with the limits of each direction") {
  CHECK(game().transport() == wire::Transport::kTcp);
  CHECK(game().over_web()->transport() == wire::Transport::kWebSocket);
  CHECK(game().over_web()->over_web() == game().over_web());
  for (const wire::Game* one : {&game(), game().over_web()}) {
    CHECK(one->largest_from(Way::kToServer) == kLargestIntent);
    CHECK(one->largest_from(Way::kToClient) == kLargestFact);
    CHECK(one->uses_text_messages(kJson));
    CHECK_FALSE(one->uses_text_messages(kProtobuf));
  }
}

}  // namespace
}  // namespace entente::native::faces_test
