// Words made from frames: in real recordings, units move as in the frames, and the new file can be played like a
// bridge's.
#include "proxy/program/conversion/offline_room.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/conversions.h"
#include "adapters/ogar/wire/wire.h"
#include "adapters/registry.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/trace/recording.h"
#include "tests/ogar/picture.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"

namespace entente::offline_room_test {
namespace {

using testing::Picture;

struct Converted {
  int exit;
  std::string file, out, err;
};

Converted with_words(const Folder& folder, const std::string& from) {
  std::ostringstream out, err;
  ConvertOptions options;
  options.input.file = from;
  options.to = folder.file("words.mcap");
  options.words = true;
  const int exit = convert(options, out, err);
  return {exit, options.to, out.str(), err.str()};
}

/// Reads a recording and calls `each(event, world)` for each event. `world` is the result of this link's facts so far.
template <class Each>
void walk(const std::string& path, std::uint32_t link, Each&& each) {
  core::WorldState world;
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE_MESSAGE(event.ok(), (event.ok() ? "" : event.error().text));
    if (*event == nullptr) return;
    const auto& one = **event;
    if (one.word && one.word->link == link && one.word->fact != nullptr) {
      const auto fact = core::from_message(*one.word->fact);
      REQUIRE(fact.ok());
      world.fold(*fact);
    }
    each(one, world);
  }
}

bool is_from_server(const trace::Recording::Event& event, std::uint32_t link) {
  return event.frame != nullptr && event.frame->link() == link && event.frame->way() == trace::TO_CLIENT;
}

/// The last line of `entente verify`.
std::string verdict(const std::string& path) {
  std::ostringstream out, err;
  VerifyOptions options;
  options.input.file = path;
  verify(options, out, err);
  const std::string all = out.str();
  return all.substr(all.rfind('\n', all.size() - 2) + 1);
}

// -- BZFlag -----------------------------------------------------------------------------------------------------------

/// A connection in a text file of tests/traces/bzflag, as a relay records it, with 20 ms per line of the file.
std::string taped(const Folder& folder, const std::string& name, const std::string& which = "1") {
  const auto path = folder.file("tape.mcap");
  const auto to = recorder(path);
  to->opened(0, opening(1, "bzflag", "2.4"));
  std::ifstream file(trace_file("bzflag/" + name));
  REQUIRE(file.good());
  WallTime now = 0;
  for (std::string line; std::getline(file, line); now += 20'000'000) {
    std::istringstream words(line);
    std::string connection, way, lane, hex;
    words >> connection >> way >> lane >> hex;
    if (connection != which || lane == "end") continue;
    const Buffer bytes = from_hex(hex);
    to->frame(now, {1, way == "c2s" ? trace::TO_SERVER : trace::TO_CLIENT,
                    lane == "datagram" ? trace::DATAGRAM : trace::STREAM, bytes, "", false});
  }
  to->closed(now, 1, "client left");
  REQUIRE(to->close(now).ok());
  return path;
}

struct Place {
  double x, y, z;
};

/// The place in a server's MsgPlayerUpdate or its small form.
std::optional<Place> told_place(Bytes frame) {
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8U | frame[at + i];
    return value;
  };
  if (frame.size() < 4 + 27 || frame[2] != 'p') return std::nullopt;
  const auto wide = [&](std::size_t at) { return static_cast<double>(std::bit_cast<float>(number(at, 4))); };
  const auto small = [&](std::size_t at) { return static_cast<std::int16_t>(number(at, 2)) * 0.02; };
  if (frame[3] == 'u') return Place{wide(15), wide(19), wide(23)};
  if (frame[3] == 's') return Place{small(15), small(17), small(19)};
  return std::nullopt;
}

TEST_CASE("bzflag: each player update of a server becomes a pose at its place") {
  const Folder folder;
  const Converted made = with_words(folder, taped(folder, "bzfs2426-gui-two-tanks.txt"));
  CHECK(made.exit == kOk);
  CHECK(made.err == "");
  CHECK(verdict(made.file).find(" undecoded=0 mismatched=0") != std::string::npos);
  std::optional<Place> awaited;
  std::size_t updates = 0, missed = 0, players = 0;
  bool over = false;  // the client has left, and there are no more words
  walk(made.file, 1, [&](const trace::Recording::Event& event, const core::WorldState& world) {
    if (event.note != nullptr) over |= event.note->text().starts_with("the words end here");
    if (over) return;
    players = std::max(players, world.players().size());
    if (event.frame != nullptr) missed += std::exchange(awaited, std::nullopt) ? 1 : 0;
    if (is_from_server(event, 1)) awaited = told_place(as_bytes(event.frame->data()));
    if (awaited && event.frame != nullptr) ++updates;
    if (!awaited || !event.word || event.word->fact == nullptr || !event.word->fact->has_pose()) return;
    const words::Pose& pose = event.word->fact->pose();
    CHECK(pose.x() == doctest::Approx(awaited->x).epsilon(0.001));
    CHECK(pose.y() == doctest::Approx(awaited->y).epsilon(0.001));
    awaited.reset();
  });
  MESSAGE(updates << " updates, " << missed << " without a pose");
  CHECK(updates >= 90);
  CHECK(missed <= 2);  // the last update of each tank, after which the words end
  CHECK(players == 2);
}

TEST_CASE("bzflag: the recorded player drives and shoots, whatever its id on the server") {
  for (const char* connection : {"1", "2"}) {
    CAPTURE(connection);
    const Folder folder;
    const Converted made = with_words(folder, taped(folder, "bzfs2426-gui-two-tanks.txt", connection));
    REQUIRE(made.exit == kOk);
    std::size_t poses = 0, shots = 0;
    core::Id me = 0;
    walk(made.file, 1, [&](const trace::Recording::Event& event, const core::WorldState& world) {
      if (event.word && event.word->intent != nullptr) me = event.word->intent->by();
      if (!event.word || event.word->fact == nullptr) return;
      const words::Fact& fact = *event.word->fact;
      const core::UnitState* own = world.active_unit(me);
      if (fact.has_pose() && own != nullptr && fact.pose().unit() == own->unit.id()) ++poses;
      if (fact.has_shot() && fact.shot().shooter() == me) ++shots;
    });
    CHECK(poses > 50);
    CHECK(shots > 1);
  }
}

TEST_CASE("bzflag: a recorded session can be played from a recorded world on") {
  const Folder folder;
  const Converted made = with_words(folder, taped(folder, "bzfs2426-gui-two-tanks.txt"));
  REQUIRE(made.exit == kOk);
  const auto recording = trace::Recording::open(made.file);
  REQUIRE(recording.ok());
  const auto there = (*recording)->go_to_world(1, 11'000'000'000);
  REQUIRE(there.ok());
  REQUIRE(*there);
  const auto event = (*recording)->next();
  REQUIRE(event.ok());
  const trace::Snapshot world = *(*event)->world;
  CHECK(world.at_us() / 1'000'000 == 10);
  const auto units =
      std::count_if(world.facts().begin(), world.facts().end(), [](const auto& fact) { return fact.has_unit(); });
  CHECK(units == 2);
  const auto geometry = (*recording)->find_geometry(world.geometry());
  REQUIRE(geometry.ok());
  REQUIRE(*geometry != nullptr);
  CHECK((*geometry)->world().solids_size() > 0);
}

TEST_CASE("bzflag: words can be made from a packet capture") {
  const Folder folder;
  const Converted made = with_words(folder, trace_file("bzflag/bzfs2426-bzadmin-chat.pcap"));
  CHECK(made.exit == kOk);
  CHECK(made.out.ends_with(" words\n"));
  CHECK(verdict(made.file) == "frames=85 exact=85 opaque=0 refused=0 undecoded=0 mismatched=0\n");
}

// -- Panic ------------------------------------------------------------------------------------------------------------

TEST_CASE("panic: each Move of a server moves a tank by a tile") {
  const Folder folder;
  const Converted made = with_words(folder, trace_file("panic/patched-be-2p-test-kill-win.jsonl"));
  CHECK(made.exit == kOk);
  CHECK(made.err == "");
  constexpr double kEast[] = {0, 0, 1, 0, -1}, kNorth[] = {0, 1, 0, -1, 0};
  std::map<core::Id, Place> places;
  std::optional<std::uint8_t> awaited;  // a direction
  std::size_t steps = 0, missed = 0;
  walk(made.file, 1, [&](const trace::Recording::Event& event, const core::WorldState& world) {
    if (event.frame != nullptr) missed += std::exchange(awaited, std::nullopt) ? 1 : 0;
    if (is_from_server(event, 1)) {
      const Bytes frame = as_bytes(event.frame->data());  // Move: code, direction, value, piece
      const bool granted = frame.size() == 10 && frame[0] == 0x23 && frame[5] == 1;
      if (granted) awaited = frame[1], ++steps;
    }
    const words::World* map = world.geometry();
    const double tile = map != nullptr ? (map->east() - map->west()) / map->columns() : 0;
    for (const auto& [id, unit] : world.units()) {
      const words::Pose& pose = unit.unit.pose();
      const Place now{pose.x(), pose.y(), 0};
      const auto [before, anew] = places.try_emplace(id, now);
      if (!anew && awaited && before->second.x + tile * kEast[*awaited] == doctest::Approx(now.x) &&
          before->second.y + tile * kNorth[*awaited] == doctest::Approx(now.y))
        awaited.reset();
      before->second = now;
    }
  });
  MESSAGE(steps << " steps, " << missed << " without a move");
  CHECK(steps > 5);
  CHECK(missed == 0);
}

// -- Ogar -------------------------------------------------------------------------------------------------------------

using Cells = std::multiset<std::tuple<long, long, long>>;

long in_cm(double metres) { return std::lround(metres * 100); }

Cells cells_of(const Picture& picture) {
  const ogar::Plane plane((picture.border.left + picture.border.right) / 2,
                          (picture.border.top + picture.border.bottom) / 2);
  Cells all;
  for (const auto& [id, cell] : picture.cells)
    all.insert({in_cm(plane.east(cell.x)), in_cm(plane.north(cell.y)), in_cm(plane.metres(cell.size))});
  return all;
}

Cells cells_of(const core::WorldState& world) {
  Cells all;
  for (const auto& [id, unit] : world.units())
    if (!unit.hidden) all.insert({in_cm(unit.unit.pose().x()), in_cm(unit.unit.pose().y()), in_cm(unit.unit.radius())});
  return all;
}

TEST_CASE("ogar: after each update the world has the cells of the screen with their places and sizes") {
  const Folder folder;
  const Converted made = with_words(folder, trace_file("ogar/m3-03-split-eject-merge.jsonl"));
  CHECK(made.exit == kOk);
  CHECK(made.err == "");
  const auto codec = ogar::make_message_codec(0);
  Picture picture;
  bool shown = false;
  std::size_t compared = 0, different = 0;
  walk(made.file, 1, [&](const trace::Recording::Event& event, const core::WorldState& world) {
    if (event.frame != nullptr && std::exchange(shown, false)) {
      ++compared;
      different += cells_of(picture) == cells_of(world) ? 0 : 1;
    }
    if (!is_from_server(event, 1)) return;
    const auto heard =
        codec->read({wire::Way::kToClient, Lane::kStream, wire::Stage::kPlay, as_bytes(event.frame->data())});
    REQUIRE(heard.ok());
    const auto* update = std::get_if<ogar::Update>(heard->message);
    if (update == nullptr) return;
    picture.take(*update);
    shown = true;
  });
  MESSAGE(compared << " pictures, " << different << " different");
  CHECK(compared > 100);
  CHECK(different == 0);
}

// -- Ace of Spades ----------------------------------------------------------------------------------------------------

/// A session on a 0.75 server as a relay records it: the connect data is known only from the dialect.
std::string relayed(const Folder& folder, const std::string& name) {
  const auto path = folder.file("relayed.mcap");
  const auto to = recorder(path);
  to->opened(0, opening(1, "aos", "0.75"));
  std::ifstream file(trace_file("aos/" + name));
  REQUIRE(file.good());
  WallTime now = 0;
  for (std::string line; std::getline(file, line);) {
    const auto value = [&](const std::string& key) {
      const std::size_t at = line.find("\"" + key + "\": ");
      REQUIRE(at != std::string::npos);
      const std::string rest = line.substr(at + key.size() + 4);
      return rest.substr(0, rest.find_first_of(",}"));
    };
    now = static_cast<WallTime>(std::stod(value("t_ms")) * 1e6);
    std::string hex = value("hex");
    record(*to, 1, value("dir") == "\"c2s\"" ? trace::TO_SERVER : trace::TO_CLIENT, hex.substr(1, hex.size() - 2), now);
  }
  to->closed(now, 1, "client left");
  REQUIRE(to->close(now).ok());
  return path;
}

TEST_CASE("aos: a relay's recording gives words about spawns, movement, deaths and chat") {
  const Folder folder;
  const Converted made = with_words(folder, relayed(folder, "piqueserver-walks.jsonl"));
  CHECK(made.exit == kOk);
  CHECK(made.err == "");
  CHECK(verdict(made.file).find(" undecoded=0 mismatched=0") != std::string::npos);
  constexpr std::uint8_t kCreate = 12, kKill = 16, kPosition = 0;
  std::map<std::string, std::size_t> facts, intents, server, client;
  bool world = false;
  walk(made.file, 1, [&](const trace::Recording::Event& event, const core::WorldState& now) {
    world |= now.geometry() != nullptr && now.geometry()->kind() == words::World::VOXELS;
    if (event.frame != nullptr && !event.frame->data().empty()) {
      auto& from = event.frame->way() == trace::TO_SERVER ? client : server;
      ++from[std::to_string(static_cast<std::uint8_t>(event.frame->data()[0]))];
    }
    if (!event.word) return;
    const auto name = [](const auto& word) {
      const auto* field =
          word.GetReflection()->GetOneofFieldDescriptor(word, word.GetDescriptor()->FindOneofByName("kind"));
      return field->message_type()->name();
    };
    event.word->fact != nullptr ? ++facts[name(*event.word->fact)] : ++intents[name(*event.word->intent)];
  });
  CHECK(world);
  CHECK(facts["Spawned"] == server[std::to_string(kCreate)]);
  CHECK(facts["Died"] == server[std::to_string(kKill)]);
  CHECK(intents["PoseClaim"] > 0);
  CHECK(intents["PoseClaim"] <= client[std::to_string(kPosition)]);
  CHECK(intents["Enter"] == 1);
  CHECK(intents["Keys"] > 0);
  CHECK(facts["Pose"] > 100);
}

TEST_CASE("aos: words can be made from a packet capture of ENet") {
  const Folder folder;
  const Converted made = with_words(folder, trace_file("aos/betterspades-start.pcap"));
  CHECK(made.exit == kOk);
  CHECK(made.out.ends_with(" words\n"));
  CHECK(!made.out.ends_with(", 0 words\n"));
}

TEST_CASE("bzflag: a .rec of bzfs, which has no client frames, gives words about players and world up to its end") {
  const Folder folder;
  const Converted made = with_words(folder, trace_file("bzflag/bzfs2426-ctf.rec"));
  CHECK(made.exit == kOk);
  CHECK(made.err == "");
  std::size_t deaths = 0, kills = 0;
  WallTime begin = 0, last = 0;
  std::set<std::string> players;
  bool has_land = false;
  walk(made.file, 1, [&](const trace::Recording::Event& event, const core::WorldState& world) {
    if (begin == 0) begin = event.time;
    if (!event.word || event.word->fact == nullptr) return;
    last = event.time;
    has_land |= world.geometry() != nullptr && world.ready();
    for (const auto& [id, state] : world.players()) players.insert(state.player.name());
    if (!event.word->fact->has_died()) return;
    ++deaths;
    kills += event.word->fact->died().killer() != 0 ? 1 : 0;
  });
  CHECK(has_land);
  CHECK(players == std::set<std::string>{"op", "recording", "tank1", "tank2"});
  CHECK(deaths == 3);  // two by the end of the game
  CHECK(kills == 1);
  CHECK(last - begin > 29'000'000'000);  // the recording has 30 s
}

// -- No words ---------------------------------------------------------------------------------------------------------

TEST_CASE("words can be made for every dialect of every game") {
  for (const wire::Game* game : games())
    for (std::size_t i = 0; i < game->dialects().size(); ++i) {
      CAPTURE(game->name());
      CHECK(can_translate({game, i}));
    }
}

TEST_CASE("the command fails with a reason if frames give no words, but not if the file has no frames") {
  const auto convert_frames = [](const std::vector<std::pair<const char*, std::string>>& connections) {
    const Folder folder;
    const auto path = folder.file("silent.mcap");
    const auto to = recorder(path);
    std::uint32_t link = 0;
    for (const auto& [dialect, frames] : connections) {
      to->opened(0, opening(++link, "aos", dialect));
      if (!frames.empty()) record(*to, link, trace::TO_SERVER, frames, 1);
    }
    REQUIRE(to->close(2).ok());
    return with_words(folder, path);
  };
  CHECK(convert_frames({{"0.75", ""}, {"0.76", ""}}).exit == kOk);
  const Converted mute = convert_frames({{"0.75", "1f00000000"}});  // an answer without a question
  CHECK(mute.exit == kFailed);
  CHECK_MESSAGE(mute.err.starts_with("127.0.0.1:4001: no words: none of its frames translates to a word\n"), mute.err);
  CHECK(mute.err.find(": 1 of 1 messages do not decode, and were copied as they are") != std::string::npos);
  CHECK(mute.err.ends_with(" could be read; check --game and --dialect\n"));
  // In 0.80 a client that does not identify itself first is disconnected.
  const Converted rude = convert_frames({{"0.80", "050001"}, {"0.80", "050001"}});
  CHECK_MESSAGE(rude.err.starts_with("127.0.0.1:4001 and 1 more: "), rude.err);
  CHECK_MESSAGE(rude.err.find("the client did not identify itself first\n") != std::string::npos, rude.err);
}

TEST_CASE("words in the file are kept, not made again") {
  const Folder folder;
  const Converted first = with_words(folder, trace_file("panic/patched-be-2p-test-kill-win.jsonl"));
  REQUIRE(first.exit == kOk);
  std::filesystem::rename(first.file, folder.file("first.mcap"));
  const Converted again = with_words(folder, folder.file("first.mcap"));
  CHECK(again.exit == kOk);
  CHECK(again.err.find("already has words; keeping them") != std::string::npos);
  const auto words_in = [](const std::string& path) {
    std::size_t count = 0;
    walk(path, 1, [&](const trace::Recording::Event& event, const core::WorldState&) { count += event.word ? 1 : 0; });
    return count;
  };
  CHECK(words_in(again.file) == words_in(folder.file("first.mcap")));
  CHECK(words_in(again.file) > 0);
}

TEST_CASE("--words is refused for a .rec, and --set accepts only a valid setting of a game's back") {
  std::ostringstream out, err;
  ConvertOptions options;
  options.input.file = trace_file("bzflag/bzfs2426-ctf.rec");
  options.to = "never.rec";
  options.words = true;
  CHECK(convert(options, out, err) == kUsage);
  options.to = "never.mcap";
  const std::pair<const char*, const char*> wrong[] = {
      {"maps", ": expected KEY=VALUE"},
      {"map=x", ": no such setting; `entente games` lists them"},
      {"udp=no", ": 'udp': expected on or off, got 'no'"},
  };
  for (const auto& [set, why] : wrong) {
    options.set = {set};
    CHECK(convert(options, out, err) == kFailed);
    CHECK_MESSAGE(err.str().find("--set " + std::string(set) + why) != std::string::npos, err.str());
  }
  options.set = {"udp=off"};
  options.words = false;
  for (const char* const to : {"never.mcap", "never.rec"}) {
    options.to = to;
    CHECK(convert(options, out, err) == kUsage);
    CHECK(err.str().ends_with("--set works only with --words or --foxglove\n"));
  }
}

}  // namespace
}  // namespace entente::offline_room_test
