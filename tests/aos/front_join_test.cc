// How a client joins: what it is sent, in which order, which players it sees, and what keeps it out.
#include "adapters/aos/world/map_stream.h"
#include "tests/aos/front_stage.h"
#include "tests/support/heap.h"

namespace entente::aos::front_join_test {
namespace {

constexpr std::size_t k076Place = 1, k080Place = 2;

/// The first word of each line and what it is about.
std::string outline(const std::string& said) {
  std::string out;
  for (std::string_view left = said; !left.empty();) {
    const std::size_t end = left.find('\n');
    const std::string_view line = left.substr(0, end);
    out += std::string(line.substr(0, line.find(' ', line.find(' ') + 1))) + '\n';
    left.remove_prefix(end + 1);
  }
  return out;
}

TEST_CASE("a client is sent the map, then the players, and then its own state") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Play play(dialect);
    CHECK(play.opens() == "says WantWorld\n");
    CHECK(play.waits(9 * kSecond) == "");
  }
  for (const std::size_t dialect : {std::size_t{0}, k080Place}) {
    Play play(dialect);
    CHECK(outline(play.greets()) ==
          "says WantWorld\nsends MapStart\nsends VersionGet\nsends ExistingPlayer\nsends StateData\n");
    CHECK(play.chunks >= 1);
    CHECK(play.chunks < 10);
  }
}

TEST_CASE("a client is sent its own number and the players who were there first") {
  Play play;
  const std::string said = play.greets();
  CHECK(said.find("sends ExistingPlayer player=1 team=1 weapon=0 tool=2 kills=0 colour=(111 111 111) name=\"ben\"\n") !=
        std::string::npos);
  CHECK(said.find("sends StateData player=0 fog=(255 232 128) colour1=(196 0 0) colour2=(0 196 0) name1=\"Blue\" "
                  "name2=\"Green\" mode=0 ctf={score1=0 score2=0 limit=10 held=0 ") != std::string::npos);
}

TEST_CASE("the sides of another game's room have its colours and names, whichever side a client chooses") {
  struct Case {
    const char* mode;
    const char* sides;
    const char* wished[2];
  };
  for (const Case& c :
       {Case{"teams: true",
             "colour1=(196 0 0) colour2=(0 0 196) name1=\"Blue\" name2=\"Red\"",
             {"team: BLUE", "team: RED"}},
        Case{
            "", "colour1=(196 0 0) colour2=(0 196 0) name1=\"Blue\" name2=\"Green\"", {"team: BLUE", "team: GREEN"}}}) {
    for (std::uint8_t side = 0; side < 2; ++side) {
      Play play;
      const std::string world = std::string(Play::kFlat) + " bases { team: RED } bases { team: BLUE }";
      CHECK(play.greets(std::string("game: 'arena' ") + c.mode, world).find(c.sides) != std::string::npos);
      CHECK(play.enters(side).find(c.wished[side]) != std::string::npos);
    }
  }
}

TEST_CASE("a client waits for a late map, and is disconnected with the reason if it does not come") {
  Play play;
  play.opens();
  CHECK(play.waits(9 * kSecond) == "");
  CHECK(outline(play.waits(14 * kSecond)) == "sends VersionGet\nsends VersionGet\nsends VersionGet\n");
  play.waits(36 * kSecond);
  CHECK(play.waits(2 * kSecond).find("closes: the server did not send its map in time") != std::string::npos);
}

TEST_CASE("a client that is too early for a broadcast is told when it begins") {
  Play play;
  play.opens();
  const std::string begins = "name: 'begins_us' value: '" + std::to_string(600 * kSecond) + "'";
  CHECK(has(play.hears<words::Rule>(begins), "closes: the broadcast begins in 10:00; try again then"));
}

TEST_CASE("a server that waits for players is shown as an open field until its world is known") {
  Play play;
  play.opens();
  play.hears<words::Waiting>("have: 1 need: 2");
  const std::string field = play.waits(15 * kSecond);
  CHECK(outline(field) == "loses World:\nsends MapStart\nsends VersionGet\nsends StateData\nsends ChatMessage\n");
  CHECK(field.find("you see an open field") != std::string::npos);
  CHECK(play.enters() == "says Enter name: \"anna\" team: BLUE kit: 1 body: MAN\n");
  CHECK(play.hears<words::Waiting>("have: 1 need: 2") ==
        "sends ChatMessage player=35 type=2 text=\"waiting for players: 1 of 2\"\n");
  play.hears<words::World>(Play::kFlat);
  CHECK(outline(play.waits(5 * kSecond)) == "sends MapStart\nsends StateData\n");
  CHECK(play.hears<words::Ready>("") == "");
  CHECK(play.enters() == "says Spawn\n");  // the client returned to its menu, and identifies itself again
}

TEST_CASE("0.76: the map is sent unless the client reports that it has it") {
  Play play(k076Place);
  play.opens();
  play.hears<words::World>(Play::kFlat);
  const std::string start = play.waits(kSecond);
  CHECK(start.find("sends MapStart size=") == 0);
  CHECK(start.find(" name=\"\"") != std::string::npos);
  CHECK(play.chunks == 0);
  CHECK(outline(play.says(MapCached{1})) == "sends VersionGet\nsends StateData\n");
  CHECK(play.chunks == 0);

  Play other(k076Place);
  other.opens();
  other.hears<words::World>(Play::kFlat);
  other.waits(kSecond);
  CHECK(outline(other.says(MapCached{0})) == "sends VersionGet\nsends StateData\n");
  CHECK(other.chunks > 0);

  Play silent(k076Place);
  silent.opens();
  silent.hears<words::World>(Play::kFlat);
  CHECK(outline(silent.waits(5 * kSecond)) == "sends MapStart\nsends VersionGet\nsends StateData\n");
  CHECK(silent.chunks > 0);
}

TEST_CASE("0.76: a late answer about one map does not count for the next map") {
  Play play(k076Place);
  play.opens();
  play.hears<words::World>(Play::kFlat);
  CHECK(has(play.waits(kSecond), "sends MapStart "));
  play.hears<words::World>("hash: 'next' kind: OPEN walled: true");
  CHECK(has(play.waits(kSecond), "sends MapStart "));
  CHECK(play.says(MapCached{1}) == "");
  CHECK(outline(play.says(MapCached{0})) == "sends VersionGet\nsends StateData\n");
  CHECK(play.chunks > 0);
  play.hears<words::World>(Play::kFlat);
  CHECK(has(play.waits(kSecond), "sends MapStart "));
  CHECK(outline(play.says(MapCached{1})) == "sends StateData\n");
}

TEST_CASE("0.76: an answer counts for the next map if the answers to the maps of more than a minute ago never came") {
  Play play(k076Place);
  play.opens();
  play.hears<words::World>(Play::kFlat);
  CHECK(outline(play.waits(65 * kSecond)) == "sends MapStart\nsends VersionGet\nsends StateData\n");
  const std::size_t before = play.chunks;
  play.hears<words::World>("hash: 'next' kind: OPEN walled: true");
  CHECK(has(play.waits(kSecond), "sends MapStart "));
  CHECK(outline(play.says(MapCached{1})) == "sends StateData\n");
  CHECK(play.chunks == before);
}

TEST_CASE("a map goes out no faster than its client takes it") {
  Play play;
  play.opens();
  words::World noise = word<words::World>(Play::kFlat);
  for (int i = 0; i < 3000; ++i) {
    words::Solid& solid = *noise.add_solids();
    solid.set_x((i * 7919) % 800 - 400);
    solid.set_y((i * 104729) % 800 - 400);
    solid.set_half_x(1 + i % 5);
    solid.set_half_y(1 + i % 7);
    solid.set_height(2 + i % 40);
    solid.set_yaw(i);
  }
  play.stage.set_waiting(1'000'000);
  play.stage.hears(noise);
  CHECK(outline(play.waits(5 * kSecond)) == "sends MapStart\n");
  CHECK(play.chunks == 0);
  play.stage.set_waiting(0);
  play.waits(10 * kMillisecond);
  CHECK(play.chunks > 0);
  CHECK(play.chunks <= 12);  // the next chunks follow when these have gone
  CHECK(outline(play.waits(kSecond)) == "sends VersionGet\nsends StateData\n");
}

TEST_CASE("a client that identifies itself enters, and spawns when the room spawns it") {
  Play play;
  play.greets();
  VersionResponse version;
  version.letter = 'B';
  version.version = {0, 1, 5};
  version.system.chars = "Linux";
  CHECK(play.says(version) == "");
  CHECK(play.enters(1, 2) ==
        "says Enter name: \"anna\" team: GREEN kit: 3 version: \"BetterSpades 0.1.5 (Linux)\" body: MAN\nsays Spawn\n");
  CHECK(play.enters() == "loses ExistingPlayer: the player has already entered\n");
  CHECK(play.waits(5100 * kMillisecond) == "says Spawn\n");  // the first wish may have come too soon
  CHECK(
      play.spawns().ends_with("sends CreatePlayer player=0 weapon=2 team=1 position=(256 256 59.75) name=\"anna\"\n"));
  CHECK(play.waits(60 * kSecond) == "");
}

TEST_CASE("a server of the same game is sent everything about a client, and only one wish to spawn") {
  Play play;
  play.greets("game: 'aos'");
  CHECK(play.enters() ==
        "says Enter name: \"anna\" team: BLUE kit: 1 body: MAN\nsays Change colour: 0\nsays Tool number: 2\nsays "
        "Spawn\n");
  CHECK(play.waits(20 * kSecond) == "");
}

TEST_CASE("a client that enters before it has the map spawns after it") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Play play(dialect);
    play.opens();
    CHECK(play.enters() == "says Enter name: \"anna\" team: BLUE kit: 1 body: MAN\n");
    CHECK(play.spawns() == "");
    play.hears<words::Ready>("");
    play.hears<words::World>(Play::kFlat);
    CHECK(outline(play.waits(5 * kSecond)) ==
          "sends MapStart\nsends VersionGet\nsends StateData\nsends CreatePlayer\n");
  }
}

TEST_CASE("a watcher is a spectator") {
  Play play;
  play.greets();
  CHECK(play.enters(255) == "says Enter name: \"anna\" role: WATCH kit: 1 body: MAN\n");
  CHECK(play.hears<words::Player>("id: 1 name: 'anna' role: WATCH") ==
        "sends CreatePlayer player=0 weapon=0 team=255 position=(256 256 19.75) name=\"anna\"\n");
  CHECK(play.waits(30 * kSecond) == "");
  CHECK(play.says(PositionData{{256, 256, 59}}) == "");
  CHECK(play.says(ChangeTeam{0, 255}) == "");
}

TEST_CASE("a spectator asks for a side by the packet by which it entered, as OpenSpades does") {
  const char* watches = "id: 1 name: 'anna' role: WATCH kit: 1";
  Play same;
  same.greets("game: 'aos'");
  same.enters(255);
  same.hears<words::Player>(watches);
  CHECK(same.enters(1) == "says Change team: GREEN\n");
  CHECK(same.enters(0, 2) == "says Change team: BLUE kit: 3\n");
  same.spawns();
  CHECK(same.enters(1) == "loses ExistingPlayer: the player has already entered\n");

  Play other;
  other.greets();
  other.enters(255);
  other.hears<words::Player>(watches);
  CHECK(other.enters(0) == "says Change team: BLUE\n");
  CHECK(has(other.waits(2 * kSecond), "text=\"sides cannot be changed here\"\n"));
}

TEST_CASE("on the next map of another game, a player cannot become a spectator, and a spectator may ask to play") {
  const std::string next = "hash: 'next' kind: OPEN walled: true";
  Play player;
  player.plays();
  player.hears<words::Died>("player: 1 unit: 11");
  player.hears<words::World>(next);
  player.waits(5 * kSecond);
  CHECK(player.enters(255) ==
        "loses ChangeTeam.team: on servers of other games, players cannot become spectators\n"
        "sends ChatMessage player=35 type=2 text=\"players cannot become spectators here\"\nsays Spawn\n");
  CHECK(
      has(player.hears<words::Spawned>("unit: 11 pose { unit: 11 }"), "sends CreatePlayer player=0 weapon=0 team=1 "));

  Play spectator;
  spectator.greets();
  spectator.enters(255);
  spectator.hears<words::Player>("id: 1 name: 'anna' role: WATCH");
  spectator.hears<words::World>(next);
  spectator.waits(5 * kSecond);
  CHECK(outline(spectator.enters(255)) == "sends CreatePlayer\n");
  spectator.hears<words::World>(Play::kFlat);
  spectator.waits(5 * kSecond);
  CHECK(has(spectator.enters(0), "says Enter name: \"anna\" team: BLUE kit: 1 body: MAN\n"));
  spectator.hears<words::Player>("id: 1 name: 'anna' team: BLUE");
  CHECK(has(spectator.waits(kSecond), "says Spawn\n"));
}

TEST_CASE("0.80 closes a client that does not identify itself first; 0.75 does not; a setting changes that") {
  Play play(k080Place);
  play.opens();
  CHECK(play.says(HandshakeReturn{}) == "");
  VersionResponse version;
  version.letter = 'x';
  CHECK(play.says(version) == "");
  CHECK(play.says(ExtensionInfo{}) == "");
  CHECK(play.says(ChatMessage{}) == "closes: the client did not identify itself first 10\n");
  CHECK(play.says(ChatMessage{}) == "");

  Play old;
  old.opens();
  CHECK(old.says(ChatMessage{}) == "loses ChatMessage: the player has not entered\n");
  Play lenient(k080Place, {{"first", "any"}});
  lenient.opens();
  CHECK(lenient.says(ChatMessage{}) == "loses ChatMessage: the player has not entered\n");
  Play strict(0, {{"first", "ban"}});
  strict.opens();
  CHECK(strict.says(ChatMessage{}) == "closes: the client did not identify itself first 10\n");
}

TEST_CASE("0.80: only a server's packet leads to a ban; a datagram may overtake the first packet") {
  for (const std::uint8_t id : std::initializer_list<std::uint8_t>{0, 3, 4, 17}) {
    Play play(k080Place);
    play.opens();
    CHECK(play.receives(Buffer{id, 0, 0}, Lane::kDatagram) ==
          "loses a message: it came before the client identified itself\n");
    CHECK(play.receives(Buffer{id, 0, 0}) == "closes: the client did not identify itself first 10\n");
  }
  for (const std::uint8_t id : std::initializer_list<std::uint8_t>{2, 12, 20}) {
    Play play(k080Place);
    play.opens();
    CHECK(play.receives(Buffer{id, 0, 0}) == "closes: the client sent a packet that only servers send 1\n");
  }
}

TEST_CASE("a client that is refused, kicked or of another version is told the reason") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Play play(dialect);
    CHECK(play.stage.opens({"10.0.0.7:1", 9, ""}) == "closes: the client speaks another version 3\n");
  }
  struct Case {
    const char* refused;
    const char* said;
  };
  for (const Case& c :
       {Case{"code: FULL text: 'no room'", "closes: no room 4\n"}, Case{"code: BANNED", "closes: refused 1\n"},
        Case{"code: SERVER_GONE text: 'gone'", "closes: gone 5\n"}}) {
    Play play;
    play.opens();
    CHECK(play.hears<words::Refused>(c.refused) == c.said);
  }
  Play play;
  play.plays();
  CHECK(play.hears<words::Kicked>("text: 'enough'") ==
        "sends ChatMessage player=35 type=2 text=\"enough\"\n"
        "sends ChatMessage player=255 type=2 text=\"enough\"\ncloses: enough 10\n");
  CHECK(play.hears<words::Pose>("unit: 12") == "");
  Play warned;  // the server has said it itself
  warned.plays();
  warned.hears<words::Said>("text: 'anna was kicked: too noisy'");
  CHECK(warned.hears<words::Kicked>("text: 'too noisy'") ==
        "sends ChatMessage player=255 type=2 text=\"too noisy\"\ncloses: too noisy 10\n");
  Play better;
  better.plays();
  VersionResponse named;
  named.letter = 'B';
  better.says(named);
  CHECK(has(better.hears<words::Kicked>("text: 'enough'"), "sends ChatMessage player=255 type=2 text=\"enough\"\n"));
  Play open;  // this program shows the line of player 255 as one more line of chat
  open.plays();
  VersionResponse version;
  version.letter = 'o';
  open.says(version);
  CHECK(open.hears<words::Kicked>("text: 'enough'") ==
        "sends ChatMessage player=35 type=2 text=\"enough\"\ncloses: enough 10\n");
  Play newer(k080Place);
  newer.plays();
  CHECK(newer.stage.session_ends("the server is gone") ==
        "sends ChatMessage player=35 type=2 text=\"the server is gone\"\n"
        "sends ChatMessage player=255 type=2 text=\"the server is...\"\ncloses: the server is gone 11\n");
}

TEST_CASE("a new world is sent as a new map, and the client joins again") {
  Play play;
  play.plays("game: 'aos'");
  for (const char* world : {"hash: 'next' kind: OPEN walled: true", Play::kFlat, Play::kFlat}) {
    play.hears<words::World>(world);
    CHECK(outline(play.waits(5 * kSecond)) == "sends MapStart\nsends ExistingPlayer\nsends StateData\n");
    CHECK(play.says(PositionData{{256, 256, 59}}) == "");
    const std::string entering = play.enters();
    CHECK(entering.starts_with("says Enter name: \"anna\""));
    CHECK(entering.find("says Spawn\n") != std::string::npos);
    play.spawns();
  }
}

TEST_CASE("messages that arrive during a map transfer are sent after it") {
  Play play;
  play.plays();
  play.hears<words::World>("hash: 'next' kind: OPEN walled: true");
  CHECK(play.hears<words::Said>("text: \"you were moved to the arena 'hall'\"") == "");
  CHECK(play.hears<words::Said>("from: 2 text: 'hello'") == "");
  const std::string line = "sends ChatMessage player=35 type=2 text=\"you were moved to the arena 'hall'\"\n";
  CHECK(play.waits(5 * kSecond).ends_with(line));
  play.hears<words::World>(Play::kFlat);
  for (int i = 1; i <= 9; ++i) play.hears<words::Notice>("text: 'notice " + std::to_string(i) + "'");
  const std::string said = play.waits(5 * kSecond);
  CHECK(said.find("notice 1") == std::string::npos);
  CHECK(said.find("notice 2") < said.find("notice 9"));
  CHECK(said.find("hall") == std::string::npos);
}

TEST_CASE("another game's world is not sent again if it is unchanged and was not edited") {
  Play play;
  play.plays();
  CHECK(play.hears<words::World>(Play::kFlat) == "");
  CHECK(play.waits(5 * kSecond) == "");
  play.hears<words::WorldEdit>("edit { op: DIG x: 0.78125 y: 0.78125 z: -0.78125 }");
  play.hears<words::World>(Play::kFlat);
  CHECK(outline(play.waits(5 * kSecond)) == "sends MapStart\nsends ExistingPlayer\nsends StateData\n");
  CHECK(outline(play.enters()) == "sends CreatePlayer\n");
  CHECK(play.hears<words::World>(Play::kFlat) == "");
  CHECK(play.waits(5 * kSecond) == "");
}

TEST_CASE("edits during a map transfer are sent after it") {
  Play play;
  play.opens();
  play.hears<words::World>(Play::kFlat);
  CHECK(play.hears<words::WorldEdit>("edit { x: 0.78125 y: 0.78125 z: 0.78125 colour: 255 }") == "");
  CHECK(outline(play.waits(5 * kSecond)) ==
        "sends MapStart\nsends VersionGet\nsends StateData\nsends SetColour\nsends BlockAction\n");
}

TEST_CASE("a malformed packet closes the client; an unknown one is counted") {
  Play play;
  play.plays();
  CHECK(play.stage.receives(Buffer{50, 1, 2}) == "loses a message: no known version of Ace of Spades has this id\n");
  CHECK(play.stage.receives(Buffer{13, 1}).starts_with("cannot be cut: message too short"));
  Play newer(k080Place);
  newer.plays();
  CHECK(newer.stage.receives(Buffer(50, 0)) == "loses StateUpdate: its length does not match its content\n");
  Play empty;
  empty.plays();
  CHECK(empty.stage.receives(Bytes()).starts_with("cannot be cut: message too short"));
}

// -- Players ---------------------------------------------------------------------------------------------------------

TEST_CASE("a spawn that comes as a living unit and as Spawned creates the player once") {
  Play play;
  play.greets();
  play.hears<words::Player>("id: 3 name: 'cleo' team: RED");
  std::string said =
      play.hears<words::Unit>("id: 13 owner: 3 kind: CELL radius: 5 alive: true pose { unit: 13 x: 50 }");
  said += play.hears<words::Owns>("player: 3 units: 13 active: 13");
  said += play.hears<words::Spawned>("unit: 13 pose { unit: 13 x: 50 }");
  CHECK(lines(said) == 1);
  CHECK(said.starts_with("sends CreatePlayer player=2 "));
  play.waits(kSecond);  // a later one is another life, or a move
  CHECK(lines(play.hears<words::Spawned>("unit: 13 pose { unit: 13 x: 50 }")) == 1);
}

TEST_CASE("players are created when they spawn and removed when they leave, and a number is not reused at once") {
  Play play;
  play.plays();
  CHECK(play.comes(3, "name: 'zo\xc3\xab#1' team: RED", "pose { x: 100 }") == "");
  CHECK(play.hears<words::Spawned>("unit: 103 pose { unit: 103 x: 15.625 }") ==
        "sends CreatePlayer player=2 weapon=0 team=1 position=(266 256 59.75) name=\"zo\\x891\"\n");
  CHECK(play.hears<words::PlayerGone>("id: 3") == "sends PlayerLeft player=2\n");
  CHECK(play.comes(4, "name: 'max' team: RED", "alive: true pose { }") ==
        "sends CreatePlayer player=3 weapon=0 team=1 position=(256 256 59.75) name=\"max\"\n");
}

TEST_CASE("two players whose long names are cut can be told apart, and keep their names") {
  Play play;
  play.plays();
  const auto name = [&](core::Id id, const std::string& full) {
    const std::string said = play.comes(id, "name: '" + full + "' team: RED", "alive: true pose { }");
    const auto at = said.find("name=\"");
    return at != std::string::npos ? said.substr(at + 6, said.find('"', at + 6) - at - 6) : "";
  };
  CHECK(name(3, "the_evening_player_one") == "the_even..r_one");
  CHECK(name(4, "the_evening_player_two") == "the_even..r_two");
  CHECK(name(5, "the_even and another_r_one") == "the_even a... 2");
  play.hears<words::PlayerGone>("id: 3");
  CHECK(play.hears<words::Player>("id: 5 name: 'the_even and another_r_one' team: RED") == "");
}

TEST_CASE("allies are on the player's own side, everybody else on the other") {
  Play play;
  play.plays();
  const auto side = [&](core::Id id, const std::string& team) {
    const std::string said = play.comes(id, "name: 'x' team: " + team, "alive: true pose { }");
    const auto at = said.find("team=");
    return at != std::string::npos ? said[at + 5] : '?';
  };
  CHECK(side(3, "RED") == '1');  // anna is red: the side that red is nearest to
  CHECK(side(4, "BLUE") == '0');
  CHECK(side(5, "GREEN") == '0');
  CHECK(side(6, "ROGUE") == '0');
  CHECK(play.hears<words::Player>("id: 4 name: 'x' team: RED") ==
        "sends CreatePlayer player=3 weapon=0 team=1 position=(256 256 59.75) name=\"x\"\n");
}

TEST_CASE("a client with too few numbers for all players is shown the nearest") {
  Play play;
  play.plays();
  for (core::Id id = 20; id < 60; ++id)
    play.comes(id, "name: 'p" + std::to_string(id) + "' team: BLUE",
               "alive: true pose { x: " + std::to_string(5 * id) + " }");
  CHECK(play.waits(5 * kSecond) == "");
  const std::string before = play.snapshots(100 * kMillisecond);
  CHECK(before.find("position=(320 256 59.75)") != std::string::npos);    // 20: 100 m off
  CHECK(before.find("position=(444.8 256 59.75)") == std::string::npos);  // 59: 295 m
  std::string said = play.hears<words::Pose>("unit: 159 x: 10");
  said += play.waits(5 * kSecond);
  CHECK(said.find("name=\"p59\"") != std::string::npos);
  CHECK(lines(kept(said, [](std::string_view line) { return line.starts_with("sends PlayerLeft"); })) == 1);

  // A player who is shown respawns at once. One who is not may be shown after the next selection.
  play.hears<words::Died>("player: 20 unit: 120");
  CHECK(has(play.hears<words::Spawned>("unit: 120 pose { unit: 120 x: 100 }"), "name=\"p20\""));
  CHECK(play.hears<words::Spawned>("unit: 158 pose { unit: 158 x: 12 }") == "");
  CHECK(has(play.waits(5 * kSecond), "name=\"p58\""));
}

TEST_CASE(
    "a player beyond the client's fog never takes the number of another there, so nobody joins and leaves unseen") {
  Play play;
  play.plays();
  for (core::Id id = 20; id < 60; ++id)
    play.comes(id, "name: 'p" + std::to_string(id) + "' team: BLUE",
               "alive: true pose { x: " + std::to_string(10 * id) + " }");
  play.waits(5 * kSecond);
  std::string said;
  for (int turn = 0; turn < 20; ++turn) {  // p59 comes as near as 210 m, p25 goes as far as 590 m, and they return
    said += play.hears<words::Pose>(turn % 2 == 0 ? "unit: 159 x: 210" : "unit: 159 x: 590");
    said += play.hears<words::Pose>(turn % 2 == 0 ? "unit: 125 x: 590" : "unit: 125 x: 250");
    said += play.hears<words::Hidden>("unit: 130");
    said += play.waits(kSecond);
  }
  CHECK(count(said, "sends PlayerLeft") == 0);
  CHECK(count(said, "sends CreatePlayer") == 0);
}

TEST_CASE("a player takes the number of a shown one only if it is nearer by a fifth, so that nobody flickers") {
  Play play;
  play.plays();
  for (core::Id id = 20; id < 60; ++id)
    play.comes(id, "name: 'p" + std::to_string(id) + "' team: BLUE",
               "alive: true pose { x: " + std::to_string(id < 50 ? 150 : 190) + " }");
  play.waits(5 * kSecond);
  const auto comes_to = [&](const char* x) {
    std::string said = play.hears<words::Pose>(std::string("unit: 159 x: ") + x);
    said += play.waits(5 * kSecond);
    return has(said, "name=\"p59\"");
  };
  CHECK_FALSE(comes_to("130"));
  CHECK(comes_to("110"));
}

TEST_CASE("in a room with many units, new players appear with the next snapshot, not after a search for each word") {
  Play play;
  play.plays();
  for (core::Id id = 1'000; id < 6'000; ++id)
    play.stage.knows(word<words::Unit>("kind: PELLET id: " + std::to_string(id)));
  std::string said;
  for (core::Id id = 3; id < 23; ++id) said += play.comes(id, "name: 'x' team: BLUE", "alive: true pose { }");
  CHECK(count(said, "sends CreatePlayer") < 5);
  said += play.waits(100 * kMillisecond);
  CHECK(count(said, "sends CreatePlayer") == 20);
}

TEST_CASE("one visible cell of a player is shown, and the player stays when none is visible") {
  Play play;
  play.plays("game: 'ogar'");
  play.hears<words::Player>("id: 3 name: 'x' team: RED");
  play.hears<words::Unit>("id: 13 owner: 3 kind: CELL radius: 10 alive: true pose { x: 100 }");
  play.hears<words::Unit>("id: 14 owner: 3 kind: CELL radius: 5 alive: true pose { x: 50 }");
  CHECK(has(play.hears<words::Owns>("player: 3 units: 13 units: 14 active: 13"), "sends CreatePlayer player=2 "));
  CHECK(play.hears<words::Hidden>("unit: 13") == "");
  CHECK(play.hears<words::Owns>("player: 3 units: 13 units: 14 active: 14") == "");
  CHECK(has(play.snapshots(50 * kMillisecond), "position=(288 256 59.75)"));
  CHECK(play.hears<words::Hidden>("unit: 14") == "");
  CHECK(play.hears<words::Owns>("player: 3") == "");
  const std::string nowhere = play.snapshots(50 * kMillisecond);
  CHECK(has(nowhere, "{position=(0 0 0) orientation=(0 0 0)}]"));  // not at the last cell's position
  CHECK(play.waits(5 * kSecond) == "");
}

TEST_CASE("the largest cell of a player is shown, every tank, and nothing that has no owner") {
  Play play;
  play.plays("game: 'ogar'");
  play.hears<words::Player>("id: 3 name: 'x' team: RED");
  std::string said = play.hears<words::Unit>("id: 13 owner: 3 kind: CELL radius: 10 alive: true pose { x: 100 }");
  said += play.hears<words::Unit>("id: 14 owner: 3 kind: CELL radius: 5 alive: true pose { x: 50 }");
  said += play.hears<words::Owns>("player: 3 units: 13 units: 14 active: 13");
  CHECK(lines(said) == 1);
  CHECK(said.find("position=(320 256 59.75)") != std::string::npos);
  CHECK(play.hears<words::Gone>("unit: 13") == "");  // the next largest cell now stands for the player
  CHECK(play.snapshots(50 * kMillisecond).find("position=(288 256 59.75)") != std::string::npos);
  CHECK(play.hears<words::Gone>("unit: 14") == "");  // the player has not left
  CHECK(play.hears<words::PlayerGone>("id: 3") == "sends PlayerLeft player=2\n");
  CHECK(play.hears<words::Unit>("id: 15 kind: DECOR alive: true") ==
        "loses Unit: a client sees only the men, tanks and cells of players\n");
}

TEST_CASE("a client that enters before the map comes into play, on its side, in a room of this game") {
  for (const std::size_t dialect : {std::size_t{0}, k080Place}) {
    CAPTURE(dialect);
    Play play(dialect);
    play.opens();
    CHECK(count(play.enters(1), "says Enter ") == 1);
    play.hears<words::Room>("game: 'aos'");
    play.hears<words::Rule>("name: 'AOS.colour1' value: 'ff0000'");
    play.hears<words::Rule>("name: 'AOS.colour2' value: '0000ff'");
    play.hears<words::World>(Play::kFlat);
    play.hears<words::Ready>("");
    const std::string said = play.waits(5 * kSecond);
    CAPTURE(said);
    const std::size_t enters = said.find("says Enter name: \"anna\" team: BLUE ");
    REQUIRE(enters != std::string::npos);
    CHECK(said.find("says Tool number: 2\n") > enters);
    CHECK(said.find("says Spawn\n") > enters);
    CHECK(count(said, "says Enter ") == 1);
    CHECK(count(said, "says Spawn") == 1);
  }
}

TEST_CASE("a client that enters during the map, when its side is known already, enters once") {
  Play play;
  play.opens();
  play.hears<words::Room>("game: 'aos'");
  play.hears<words::World>(Play::kFlat);
  CHECK(count(play.enters(), "says Spawn") == 1);
  const std::string said = play.waits(5 * kSecond);
  CHECK(count(said, "says Enter ") == 0);
  CHECK(count(said, "says Spawn") == 0);
}

TEST_CASE("a world without a hash is shown after an open field") {
  Play play;
  play.opens();
  play.hears<words::Waiting>("have: 1 need: 2");
  play.waits(15 * kSecond);
  play.hears<words::World>("kind: OPEN walled: true");
  CHECK(has(play.waits(5 * kSecond), "sends MapStart "));
  play.hears<words::World>("kind: OPEN walled: true");
  CHECK_FALSE(has(play.waits(5 * kSecond), "sends MapStart "));
}

TEST_CASE(
    "a room that sends many worlds has a map made only of the newest, and not more often than every two seconds") {
  const auto world = [](int number) {
    words::World land;
    land.set_hash(std::to_string(number));
    land.set_walled(true);
    land.set_east(number);
    return land;
  };
  Play play;
  play.plays("game: 'aos'");
  testing::most_bytes();
  const std::size_t before = testing::bytes_in_use();
  for (int i = 0; i < 100; ++i) play.stage.hears(world(i));
  CHECK(testing::most_bytes() < before + 1'000'000);
  play.waits(30 * kSecond);
  std::size_t maps = 0;
  for (int i = 100; i < 130; ++i) {
    play.stage.hears(world(i));
    maps += count(play.waits(300 * kMillisecond), "sends MapStart ");
  }
  CHECK(maps >= 8);
  CHECK(maps <= 13);
  CHECK(outline(play.waits(10 * kSecond)).ends_with("sends StateData\n"));
}

TEST_CASE("a client of a much edited world is sent all edits, as fast as it reads") {
  Play play;
  play.opens();
  play.hears<words::World>(Play::kFlat);
  words::WorldEdit word;
  for (int i = 0; i < 25'000; ++i) {
    const Point at = middle_of({i % 500, i / 500, 20});
    word.mutable_edit()->set_x(at.x);
    word.mutable_edit()->set_y(at.y);
    word.mutable_edit()->set_z(at.z);
    play.stage.hears(word);
  }
  std::size_t edits = 0;
  for (int i = 0; i < 200; ++i) {
    const std::size_t some = count(play.waits(10 * kMillisecond), "sends BlockAction ");
    CHECK(some < 7'000);
    edits += some;
  }
  CHECK(edits == 25'000);
}

}  // namespace
}  // namespace entente::aos::front_join_test
