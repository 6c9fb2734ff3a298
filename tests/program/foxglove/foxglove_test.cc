// `entente convert --foxglove`: scenes, poses and a log for other programs, added to an otherwise unchanged recording.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "proxy/program/conversion/convert.h"
#include "proxy/program/foxglove/scenes.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/trace/reader.h"
#include "proxy/trace/recording.h"
#include "schema/foxglove.pb.h"
#include "schema/snapshot.pb.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"

namespace entente::foxglove_test {
namespace {

constexpr WallTime kStart = 1'700'000'000'000'000'000;

struct Said {
  int exit = 0;
  std::string out, err;
};

Said converted(const std::string& from, const std::string& to, bool foxglove, bool words = false) {
  ConvertOptions options;
  options.input.file = from;
  options.to = to;
  options.words = words;
  options.foxglove = foxglove;
  std::ostringstream out, err;
  const int exit = convert(options, out, err);
  return {exit, out.str(), err.str()};
}

/// A topic of a file: its schema, and its messages with their times.
struct Topic {
  std::string schema;
  std::map<std::string, std::string> about;  // the channel's metadata
  std::vector<std::pair<WallTime, Buffer>> messages;
};

std::map<std::string, Topic> topics(const std::string& path) {
  auto source = trace::FileSource::open(path);
  REQUIRE(source.ok());
  trace::mcap::Reader reader(**source);
  std::map<std::string, Topic> all;
  for (;;) {
    const auto message = reader.next();
    if (!message) FAIL(message.error().text);
    if (*message == nullptr) return all;
    const auto* channel = reader.definitions().channel((*message)->channel);
    Topic& topic = all[channel->topic];
    topic.schema = reader.definitions().schema(channel->schema)->name;
    topic.about = {channel->metadata.begin(), channel->metadata.end()};
    topic.messages.emplace_back((*message)->log_time, Buffer((*message)->data.begin(), (*message)->data.end()));
  }
}

template <class Message>
std::vector<Message> all(const Topic& topic) {
  CHECK(topic.schema == Message::descriptor()->full_name());
  std::vector<Message> out(topic.messages.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    REQUIRE(out[i].ParseFromArray(topic.messages[i].second.data(), static_cast<int>(topic.messages[i].second.size())));
  return out;
}

/// A recording of words.
struct Words {
  explicit Words(const std::string& path) : to(recorder(path)) { to->opened(kStart, opening(1, "bzflag", "2.4")); }
  words::Fact& at(double seconds) {
    fact.Clear();
    fact.set_at_us(static_cast<std::uint64_t>(seconds * 1e6));
    return fact;
  }
  void put() {
    Buffer bytes(fact.ByteSizeLong());
    fact.SerializeWithCachedSizesToArray(bytes.data());
    to->word(kStart + fact.at_us() * 1000, 1, trace::WordKind::kFact, bytes);
  }
  std::unique_ptr<trace::Recorder> to;
  words::Fact fact;
};

/// anna has a tank that drives east from 10 s on, shoots, kills and dies.
std::string annas_drive(const Folder& folder) {
  Words words(folder.file("drive.mcap"));
  auto& box = *words.at(0).mutable_world();
  box.set_kind(words::World::SOLIDS);
  box.set_west(-400), box.set_east(400), box.set_south(-400), box.set_north(400);
  auto& solid = *box.add_solids();
  solid.set_x(5), solid.set_y(6), solid.set_half_x(2), solid.set_half_y(3), solid.set_height(10);
  auto& pyramid = *box.add_solids();
  pyramid.set_shape(words::Solid::PYRAMID);
  pyramid.set_half_x(4), pyramid.set_half_y(4), pyramid.set_height(9), pyramid.set_upside_down(true);
  words.put();
  for (const auto& [id, name] : {std::pair{1U, "anna/b c"}, {2U, "anna_b_c"}}) {
    auto& player = *words.at(0).mutable_player();
    player.set_id(id), player.set_name(name), player.set_team(words::RED);
    words.put();
    auto& unit = *words.at(0).mutable_unit();
    unit.set_id(10 + id), unit.set_owner(id), unit.set_kind(words::Unit::TANK), unit.set_alive(true);
    unit.mutable_pose()->set_unit(10 + id);
    words.put();
    auto& owns = *words.at(0).mutable_owns();
    owns.set_player(id), owns.add_units(10 + id), owns.set_active(10 + id);
    words.put();
  }
  auto& pose = *words.at(10).mutable_pose();
  pose.set_unit(11), pose.set_x(1), pose.set_y(2), pose.set_yaw(std::acos(-1) / 2), pose.set_vx(20);
  words.put();
  auto& said = *words.at(10.5).mutable_said();
  said.set_from(1), said.set_text("watch this");
  words.put();
  auto& ray = *words.at(10.5).mutable_shot();
  ray.set_shooter(1), ray.set_unit(11), ray.set_shot(7), ray.set_kind(words::RAY), ray.set_vx(1), ray.set_range(50);
  words.put();
  auto& died = *words.at(10.6).mutable_died();
  died.set_player(2), died.set_unit(12), died.set_killer(1);
  words.put();
  auto& gone = *words.at(10.7).mutable_gone();
  gone.set_unit(12);
  words.put();
  words.at(11).mutable_ready();
  words.put();
  words.to->closed(kStart + 12'000'000'000, 1, "client left");
  REQUIRE(words.to->close(kStart + 12'000'000'000).ok());
  return folder.file("drive.mcap");
}

TEST_CASE("--foxglove: each player's position, twenty times a second, as a pose and as a frame") {
  const Folder folder;
  REQUIRE(converted(annas_drive(folder), folder.file("out.mcap"), true).exit == kOk);
  auto found = topics(folder.file("out.mcap"));
  REQUIRE(found.contains("/1/pose/anna_b_c"));
  REQUIRE(found.contains("/1/pose/anna_b_c_2"));  // another player, whose name is anna_b_c
  CHECK(found["/1/pose/anna_b_c"].about ==
        std::map<std::string, std::string>{{"link", "1"}, {"player", "1"}, {"name", "anna/b c"}});

  const Topic& topic = found["/1/pose/anna_b_c"];
  const auto poses = all<foxglove::PoseInFrame>(topic);
  REQUIRE(poses.size() > 10);
  const double quarter = std::sqrt(0.5);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto& pose = poses[i].pose();
    const double after = (static_cast<double>(topic.messages[i].first - kStart) - 10e9) / 1e9;
    CHECK(poses[i].frame_id() == "world");
    CHECK(static_cast<WallTime>(poses[i].timestamp().seconds()) * 1'000'000'000U +
              static_cast<WallTime>(poses[i].timestamp().nanos()) ==
          topic.messages[i].first);
    if (after <= 0) continue;  // the tank did not move yet
    CHECK(pose.position().x() == doctest::Approx(1 + 20 * after));
    CHECK(pose.position().y() == 2);
    CHECK(pose.orientation().z() == doctest::Approx(quarter));
    CHECK(pose.orientation().w() == doctest::Approx(quarter));
    if (i > 0 && topic.messages[i - 1].first > kStart + 10'000'000'000)
      CHECK(topic.messages[i].first - topic.messages[i - 1].first == 50'000'000);
  }
  const auto moved = all<foxglove::FrameTransform>(found["/1/tf"]);
  CHECK(moved.back().parent_frame_id() == "world");
  CHECK(moved.back().child_frame_id() == "1/anna_b_c");
  CHECK(moved.back().translation().x() == poses.back().pose().position().x());
}

TEST_CASE("--foxglove: the world, tanks, rays and deaths in the scene, and a log") {
  const Folder folder;
  REQUIRE(converted(annas_drive(folder), folder.file("out.mcap"), true).exit == kOk);
  auto found = topics(folder.file("out.mcap"));
  std::map<std::string, foxglove::SceneEntity> first;
  std::map<std::string, WallTime> deleted;
  std::optional<WallTime> emptied;
  const Topic& topic = found["/1/scene"];
  const auto updates = all<foxglove::SceneUpdate>(topic);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    for (const auto& entity : updates[i].entities()) first.emplace(entity.id(), entity);
    for (const auto& deletion : updates[i].deletions())
      if (deletion.type() == foxglove::SceneEntityDeletion::ALL)
        emptied = topic.messages[i].first;
      else
        deleted[deletion.id()] = topic.messages[i].first;
  }
  REQUIRE(first.contains("world"));
  REQUIRE(first["world"].cubes_size() == 1);
  const auto& box = first["world"].cubes(0);
  CHECK(box.pose().position().z() == 5);  // cubes are placed by their centre
  CHECK(box.size().x() == 4);
  CHECK(box.size().z() == 10);
  REQUIRE(first["world"].triangles_size() == 1);
  const auto& pyramid = first["world"].triangles(0);
  REQUIRE(pyramid.points_size() == 5);
  CHECK(pyramid.points(0).z() == 9);  // it stands on its tip
  CHECK(pyramid.points(4).z() == 0);
  CHECK(pyramid.indices_size() == 3 * 6);
  REQUIRE(first["unit 11"].cubes_size() == 1);
  CHECK(first["unit 11"].cubes(0).size().x() == 6);
  CHECK(first["unit 11"].cubes(0).color().r() > first["unit 11"].cubes(0).color().g());  // RED
  CHECK(first["unit 11"].texts(0).text() == "anna/b c");
  CHECK(first["unit 11"].frame_id() == "world");
  REQUIRE(first["shot 1 7"].lines_size() == 1);
  CHECK(first["shot 1 7"].lines(0).points(1).x() == 50);
  CHECK(first["shot 1 7"].lifetime().nanos() > 0);
  CHECK_FALSE(deleted.contains("unit 11"));
  REQUIRE(deleted.contains("unit 12"));
  CHECK(deleted["unit 12"] >= kStart + 10'600'000'000);
  REQUIRE(emptied);  // when the session ends
  CHECK(*emptied == kStart + 12'000'000'000);

  std::string log;
  for (const auto& line : all<foxglove::Log>(found["/1/log"])) log += line.name() + " " + line.message() + "\n";
  CHECK(log == "chat anna/b c: watch this\nkill anna_b_c was killed by anna/b c\n");
}

/// All that Entente's own reader finds, with times.
std::string ours(const std::string& path) {
  auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::ostringstream text;
  for (;;) {
    const auto event = (*recording)->next();
    if (!event) FAIL(event.error().text);
    if (*event == nullptr) return text.str();
    text << (*event)->time << ' ';
    if ((*event)->frame != nullptr) text << (*event)->frame->SerializeAsString();
    if ((*event)->word && (*event)->word->fact != nullptr) text << (*event)->word->fact->SerializeAsString();
    if ((*event)->word && (*event)->word->intent != nullptr) text << (*event)->word->intent->SerializeAsString();
    if ((*event)->world != nullptr) text << (*event)->world->SerializeAsString();
    text << '\n';
  }
}

TEST_CASE("--foxglove: a huge world in a hostile file is drawn in part") {
  const Folder folder;
  Words words(folder.file("many.mcap"));
  auto& many = *words.at(0).mutable_world();
  many.set_kind(words::World::TILES);
  many.set_columns(4'000'000'000), many.set_rows(3), many.set_tiles(std::string(100'000, '\0'));
  for (int i = 0; i < 60'000; ++i) many.add_solids();
  words.put();
  words.to->closed(kStart + 1'000'000'000, 1, "client left");
  REQUIRE(words.to->close(kStart + 1'000'000'000).ok());
  REQUIRE(converted(folder.file("many.mcap"), folder.file("out.mcap"), true).exit == kOk);
  const auto updates = all<foxglove::SceneUpdate>(topics(folder.file("out.mcap"))["/1/scene"]);
  REQUIRE(updates.size() == 2);  // the second one when the session ends
  CHECK(updates[0].entities(0).cubes_size() == 50'000);
}

/// A world of so many solids.
words::Fact world_of(int solids) {
  words::Fact fact;
  fact.mutable_world()->set_kind(words::World::SOLIDS);
  for (int i = 0; i < solids; ++i) fact.mutable_world()->add_solids()->set_half_x(1);
  return fact;
}

struct Notes {
  std::vector<std::string> all;
  explicit Notes(const std::string& path) {
    auto recording = trace::Recording::open(path);
    REQUIRE(recording.ok());
    for (auto event = (*recording)->next(); event.ok() && *event != nullptr; event = (*recording)->next())
      if ((*event)->note != nullptr)
        all.push_back("link " + std::to_string((*event)->note->link()) + ": " + (*event)->note->text());
  }
};

TEST_CASE(
    "--foxglove: sessions that are over need no memory; one that needs too much is shown no longer, with a note") {
  const Folder folder;
  const auto to = recorder(folder.file("x.mcap"));
  FoxgloveScenes scenes(*to, {.kept = 200'000});
  const words::Fact world = world_of(10'000);  // 110 kB
  for (std::uint32_t link = 1; link <= 5; ++link) {
    scenes.fact(link, world, kStart);
    scenes.closed(link, kStart);
  }
  CHECK(scenes.messages() == 10);
  scenes.fact(6, world, kStart);
  scenes.fact(7, world, kStart);  // vanishes
  scenes.fact(7, world, kStart);  // is not shown
  scenes.closed(7, kStart);
  CHECK(scenes.messages() == 13);
  scenes.closed(6, kStart);
  scenes.fact(8, world, kStart);
  CHECK(scenes.messages() == 15);
  REQUIRE(to->close(kStart).ok());
  CHECK(Notes(folder.file("x.mcap")).all ==
        std::vector<std::string>{"link 7: the 3D scene ends here: the scenes of all sessions need too much memory"});
}

TEST_CASE("--foxglove: a file cannot have the same large world drawn again and again for ever") {
  const Folder folder;
  const auto to = recorder(folder.file("x.mcap"));
  FoxgloveScenes scenes(*to, {.drawn = 1'000'000});
  trace::Geometry geometry;
  geometry.set_hash("large");
  *geometry.mutable_world() = world_of(10'000).world();
  scenes.geometry(geometry);
  for (std::uint32_t link = 1; link <= 20; ++link) {
    trace::Snapshot world;
    world.set_link(link);
    world.set_geometry("large");
    scenes.world(link, world, kStart);
    scenes.closed(link, kStart);
  }
  REQUIRE(to->close(kStart).ok());
  const auto notes = Notes(folder.file("x.mcap")).all;
  CHECK(notes.size() >= 10);
  CHECK(notes.back() == "link 20: this world is not drawn: the worlds of the file are too large");
}

TEST_CASE("--foxglove: words and worlds with impossible times are not shown, and need no samples up to them") {
  constexpr auto kLast = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kYear = 365ULL * 24 * 3600 * 1'000'000;
  const Folder folder;
  const auto to = recorder(folder.file("x.mcap"));
  FoxgloveScenes scenes(*to);
  words::Fact fact;
  fact.mutable_said()->set_text("hello");
  const auto tell = [&](std::uint32_t link, std::uint64_t at) {
    fact.set_at_us(at);
    scenes.fact(link, fact, kStart);
  };
  tell(1, kLast - 1'000'000);
  tell(1, kLast);
  trace::Snapshot world;
  world.set_link(2);
  world.set_at_us(kLast - 1'000'000);
  auto& unit = *world.add_facts()->mutable_unit();
  unit.set_id(1), unit.set_kind(words::Unit::TANK), unit.set_alive(true);
  scenes.world(2, world, kStart);
  tell(2, kLast);
  CHECK(scenes.messages() == 0);
  tell(2, 5 * kYear);
  CHECK(scenes.messages() == 1);
  tell(2, 16 * kYear);  // no session is that long
  CHECK(scenes.messages() == 1);
  tell(2, 15 * kYear);
  CHECK(scenes.messages() == 2);
  world.set_link(3);
  world.set_at_us(5 * kYear);
  scenes.world(3, world, kStart);
  CHECK(scenes.messages() == 3);
  REQUIRE(to->close(kStart).ok());
}

TEST_CASE("--foxglove: Entente's commands read the same as without it; words are made if there are none") {
  const Folder folder;
  const std::string trace = trace_file("bzflag/bzfs2426-ctf.rec");
  const Said with = converted(trace, folder.file("with.mcap"), true);
  REQUIRE(with.exit == kOk);
  CHECK(with.out.find(" messages for 3D panels and plots") != std::string::npos);
  REQUIRE(converted(trace, folder.file("without.mcap"), false, true).exit == kOk);
  CHECK(ours(folder.file("with.mcap")) == ours(folder.file("without.mcap")));
  std::ostringstream out, err;
  VerifyOptions options;
  options.input.file = folder.file("with.mcap");
  CHECK(verify(options, out, err) == kOk);
  // A recording that has words already gives the same.
  REQUIRE(converted(folder.file("without.mcap"), folder.file("later.mcap"), true).exit == kOk);
  auto at_once = topics(folder.file("with.mcap")), later = topics(folder.file("later.mcap"));
  CHECK(at_once.size() == later.size());
  for (const auto& [name, topic] : at_once)
    if (name.starts_with("/1/")) CHECK(topic.messages == later[name].messages);
}

TEST_CASE("--foxglove: recordings of every game have their units and world") {
  struct Case {
    const char *trace, *game;
    int cubes, triangles, spheres;  // in all updates together
  };
  const Folder folder;
  int number = 0;
  for (const Case& one :
       {Case{"bzflag/bzfs2426-ctf.rec", "", 814, 20, 78}, Case{"aos/betterspades-start.pcap", "", 107, 1, 0},
        Case{"ogar/m3-03-split-eject-merge.jsonl", "", 0, 0, 1776},
        Case{"panic/master-2p-test-kill-win.jsonl", "panic", 92, 0, 0}}) {
    CAPTURE(std::string(one.trace));
    ConvertOptions options;
    options.input.file = trace_file(one.trace);
    options.input.game = one.game;
    options.to = folder.file(std::to_string(++number) + ".mcap");
    options.foxglove = true;
    std::ostringstream out, err;
    REQUIRE(convert(options, out, err) == kOk);
    int cubes = 0, triangles = 0, spheres = 0;
    for (const auto& [name, topic] : topics(options.to)) {
      if (!name.ends_with("/scene")) continue;
      for (const auto& update : all<foxglove::SceneUpdate>(topic))
        for (const auto& entity : update.entities()) {
          cubes += entity.cubes_size();
          triangles += entity.triangles_size();
          spheres += entity.spheres_size();
        }
    }
    CHECK(cubes == one.cubes);
    CHECK(triangles == one.triangles);
    CHECK(spheres == one.spheres);
  }
  CHECK(converted(trace_file("bzflag/bzfs2426-ctf.rec"), folder.file("x.rec"), true).exit == kUsage);
}

}  // namespace
}  // namespace entente::foxglove_test
