// World databases of real servers, and zip bombs.
#include "adapters/bzflag/world/world.h"

#include <zlib.h>

#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/world/made_world.h"
#include "adapters/bzflag/world/wire_world.h"
#include "adapters/bzflag/world/world_conversions.h"
#include "adapters/wire/invent.h"
#include "adapters/wire/print.h"
#include "tests/bzflag/tape.h"
#include "tests/support/heap.h"
#include "tests/support/paths.h"
#include "tests/support/steps.h"

namespace entente::bzflag::world_test {
namespace {

using wire::Frame, wire::Lane, wire::Stage, wire::Way;

constexpr std::uint32_t kGetWorld = 0x6777, kWorldHash = 0x7768;

/// The world and the hash that a session's server sent.
class Download final : public wire::DissectorSink {
 public:
  Buffer database;
  std::string hash;

  void frame(const Frame& frame) override {
    if (frame.way != Way::kToClient || frame.stage != Stage::kPlay) return;
    const std::uint32_t code = static_cast<std::uint32_t>(frame.bytes[2] << 8U | frame.bytes[3]);
    if (code == kWorldHash && hash.empty()) hash = as_text(frame.bytes.subspan(4, 33));
    if (code != kGetWorld || whole_) return;
    append(database, frame.bytes.subspan(8));
    whole_ = (frame.bytes[4] | frame.bytes[5] | frame.bytes[6] | frame.bytes[7]) == 0;
  }
  void raw(Way, Lane, Bytes, const Fault*) override {}

 private:
  bool whole_ = false;
};

Download download(const char* tape, const char* dialect) {
  Download all;
  play_tape(tape, dialect, 0, all);
  REQUIRE(all.database.size() > 100);
  return all;
}

std::string fault_of(Bytes database, std::size_t dialect, std::size_t most = kLargestWorld) {
  const auto world = read_world(database, dialect, most);
  if (world) return "";
  return world.error().what + std::string(" ") + world.error().field;
}

Buffer written(const World& world, std::size_t dialect) {
  Buffer out;
  write_world(world, dialect, out);
  return out;
}

TEST_CASE("worlds of real sessions match their hash, and survive") {
  for (const auto& [tape, name] : {std::pair{"bzfs2426-gui-two-tanks", "2.4"},
                                   {"bzfs2426-gui-flags-teleport", "2.4"},
                                   {"bzfs2016-hand-session", "2.0"}}) {
    const std::string session = tape;  // clang 14 cannot capture a binding
    INFO(session);
    const std::size_t dialect = dialect_of(name);
    const Download real = download(tape, name);
    CHECK(world_hash(real.database, WorldSource::kRandom) == real.hash);
    const auto world = read_world(real.database, dialect);
    REQUIRE(world.ok());
    const auto& groups = std::get<GroupWorld>(*world);
    CHECK(groups.version == 1);
    CHECK(groups.world.walls.size() == 4);
    CHECK(to_hex(*inflate_world(written(*world, dialect))) == to_hex(*inflate_world(real.database)));
  }
}

TEST_CASE("a world of records survives byte for byte, and its hash is made with epoch 0") {
  const std::size_t dialect = dialect_of("1.10");
  Download real = download("bzfs1108-hand-session", "1.10");
  auto world = read_world(real.database, dialect);
  REQUIRE(world.ok());
  CHECK(to_hex(written(*world, dialect)) == to_hex(real.database));
  CHECK(world_hash(real.database, WorldSource::kRandom) != real.hash);

  auto& records = std::get<RecordWorld>(*world).records;
  auto& header = std::get<RecordHeader>(records.front());
  CHECK(header.world_size == 400);
  CHECK(header.epoch != 0);
  header.epoch = 0;  // as it was when the server hashed it
  CHECK(world_hash(written(*world, dialect), WorldSource::kRandom) == real.hash);
}

/// tests/traces/bzflag/worlds.txt: "name dialect hash hex", downloaded from bzfs 2.4.26.
template <class F>
void for_each_world(F&& with) {
  std::ifstream file(testing::source_dir() + "/tests/traces/bzflag/worlds.txt");
  REQUIRE(file.is_open());
  std::string name, dialect, hash, hex;
  while (file >> name >> dialect >> hash >> hex) {
    INFO(name);
    with(name, dialect_of(dialect), hash, from_hex(hex));
  }
}

TEST_CASE("worlds of a real server match their hashes, and survive") {
  std::size_t count = 0;
  for_each_world([&](const std::string&, std::size_t dialect, const std::string& hash, const Buffer& database) {
    ++count;
    CHECK(world_hash(database, static_cast<WorldSource>(hash[0])) == hash);
    const auto world = read_world(database, dialect);
    REQUIRE(world.ok());
    const Buffer again = written(*world, dialect);
    CHECK(to_hex(*inflate_world(again)) == to_hex(*inflate_world(database)));
    const auto twice = read_world(again, dialect);
    REQUIRE(twice.ok());
    CHECK(to_hex(written(*twice, dialect)) == to_hex(again));
    WARN(again == database);  // the same zlib, as here in Debian, makes the same bytes
  });
  CHECK(count == 6);
}

TEST_CASE("a map with an object of every kind is read") {
  for_each_world([&](const std::string& name, std::size_t dialect, const std::string&, const Buffer& database) {
    if (name != "all-kinds") return;
    const auto read = read_world(database, dialect);
    REQUIRE(read.ok());
    const auto& all = std::get<GroupWorld>(*read);
    const Group& world = all.world;
    CHECK(all.dynamic_colors.size() == 1);
    CHECK(all.texture_matrices.size() == 2);  // one is the water's
    CHECK(all.drivers.at(0).death == "you died");
    CHECK(all.transforms.size() == 1);
    CHECK(world.walls.size() == 4);
    CHECK(world.boxes.size() == 2);
    CHECK(world.boxes.at(1).bits == (2 | 8));
    CHECK(world.pyramids.size() == 1);
    CHECK(world.bases.size() == 2);
    CHECK(world.teleporters.at(1).name == "tele2");
    CHECK(world.meshes.size() == 2);
    CHECK(world.arcs.at(0).texture_size == std::array<float, 4>{1, 2, 3, 4});
    CHECK(world.cones.size() == 1);
    CHECK(world.spheres.size() == 1);
    CHECK(world.tetras.size() == 1);
    CHECK(world.instances.size() == 2);
    CHECK(world.instances.at(0).team == 1);
    CHECK(all.groups.at(0).boxes.size() == 1);
    CHECK(all.groups.at(0).pyramids.at(0).bits == 4);
    CHECK(all.links.size() == 2);
    CHECK(all.water_level == 0.5F);
    CHECK(all.weapons.at(0).flag.view() == "SW");
    CHECK(all.weapons.at(0).delays == std::vector<float>{10, 5, 3});
    CHECK(all.zones.at(0).safeties == std::vector<std::uint16_t>{1, 2});
  });
}

TEST_CASE("invented worlds survive, in every dialect") {
  wire::Random random(7);
  for (std::size_t dialect = 0; dialect < kDialects.size(); ++dialect) {
    const auto codec = kDialects[dialect].grouped_world ? make_groups_codec(dialect) : make_record_codec(dialect);
    for (const wire::Row& row : codec->rows()) {
      for (int i = 0; i < 100; ++i) {
        invent(row, Way::kToClient, *codec, random, 20000);
        Buffer bytes, again;
        codec->encode(bytes);
        INFO(std::string(row.name), " ", to_hex(bytes));
        const auto back = codec->decode({Way::kToClient, Lane::kStream, Stage::kPlay, bytes});
        REQUIRE(back.ok());
        codec->encode(again);
        CHECK(to_hex(again) == to_hex(bytes));
      }
    }
  }
}

TEST_CASE("the records of the page are read, with either code of the world header") {
  const std::size_t wiki = dialect_of("wiki");
  const std::string style =
      "001e7374 0001 43c80000 0010 00c8 0004 0000 00000000 00000000 0000 0000 00000000 "
      "0018776c 00000000 43480000 00000000 00000000 43480000 40c00000 ";
  const Buffer page = from_hex(style + "00006564");
  const auto world = read_world(page, wiki);
  REQUIRE(world.ok());
  CHECK(std::get<RecordWall>(std::get<RecordWorld>(*world).records.at(1)).height == 6);
  CHECK(to_hex(written(*world, wiki)) == to_hex(page));
  CHECK(fault_of(page, dialect_of("1.10")).empty());

  CHECK(fault_of(from_hex(style), wiki) == "world without an end record");
  CHECK(fault_of(from_hex(style + "00006564 00"), wiki) == "bytes left over ");
  CHECK(fault_of(from_hex(style + "00017a7a 00 00006564"), wiki) == "unknown message code");
  CHECK(fault_of(from_hex(style + "0005 6c6e 0001000200 00006564"), wiki) == "bytes left over ");
  CHECK(fault_of(from_hex(style + "0003 6c6e 000100 00006564"), wiki) == "message too short to");
  CHECK(fault_of(from_hex(style + "ffff 6c6e 000100 00006564"), wiki) == "message too short record");
}

/// A database around `stream` that announces `inflated`.
Buffer wrapped(Bytes stream, std::uint32_t inflated) {
  char head[32];
  std::snprintf(head, sizeof head, "000a68650001%08x%08zx", inflated, stream.size());
  Buffer all = from_hex(head);
  append(all, stream);
  append(all, from_hex("00006564"));
  return all;
}

TEST_CASE("an invalid world is refused") {
  const Buffer real = download("bzfs2426-gui-two-tanks", "2.4").database;
  const Bytes stream = Bytes(real).subspan(14, real.size() - 18);
  const auto size = static_cast<std::uint32_t>(inflate_world(real)->size());

  CHECK(fault_of(wrapped(stream, size), 0).empty());
  CHECK(fault_of(wrapped(stream, size - 1), 0) == "not of the size it announced world");
  CHECK(fault_of(wrapped(stream, size + 1), 0) == "not of the size it announced world");
  CHECK(fault_of(wrapped(stream.first(stream.size() - 9), size), 0) == "not a zlib stream world");
  CHECK(fault_of(wrapped(as_bytes("no stream"), size), 0) == "not a zlib stream world");
  CHECK(fault_of(wrapped(stream, 0xFFFFFFFF), 0) == "world too large inflated");
  CHECK(fault_of(real, 0, size - 1) == "world too large inflated");
  CHECK(fault_of(Bytes(real).first(real.size() - 1), 0) == "world without an end end");
  CHECK(fault_of(Bytes(real).first(17), 0) == "message too short world");
  CHECK(fault_of(Bytes(real).subspan(1), 0) == "not a world header");
}

TEST_CASE("a zip bomb is refused because of its announced or its inflated size") {
  const Buffer zeros(10'000'000, 0);
  uLongf size = compressBound(zeros.size());
  Buffer bomb(size);
  REQUIRE(compress2(bomb.data(), &size, zeros.data(), zeros.size(), 9) == Z_OK);
  bomb.resize(size);
  CHECK(bomb.size() < 20'000);
  CHECK(fault_of(wrapped(bomb, 4'000'000'000), 0) == "world too large inflated");
  CHECK(fault_of(wrapped(bomb, 1'000), 0) == "not of the size it announced world");
  CHECK(fault_of(wrapped(bomb, 10'000'000), 0, 9'999'999) == "world too large inflated");
  CHECK(fault_of(wrapped(bomb, 10'000'000), 0) == "world too large inflated");  // more than 64 times its size and 1 MiB
}

TEST_CASE("the largest world takes little memory, even if it is made of empty groups or copies") {
  for (const bool copies : {false, true}) {
    CAPTURE(copies);
    GroupWorld many;
    copies ? many.world.instances.resize(kLargestWorld / 17 - 20) : many.groups.resize(kLargestWorld / 48 - 20);
    Buffer inflated;
    write_groups(many, 0, inflated);
    CHECK(inflated.size() > kLargestWorld - 2'000);
    REQUIRE(inflated.size() <= kLargestWorld);
    many = {};
    uLongf size = compressBound(inflated.size());
    Buffer stream(size);
    REQUIRE(compress2(stream.data(), &size, inflated.data(), inflated.size(), 0) == Z_OK);  // as it is
    stream.resize(size);
    const std::size_t before = testing::bytes_in_use();
    const auto world = read_world(wrapped(stream, static_cast<std::uint32_t>(inflated.size())), 0);
    CHECK(world.ok());
    CHECK(testing::bytes_in_use() - before < 128U << 20U);
  }
  CHECK(fault_of(wrapped(as_bytes("too large"), kLargestWorld + 1), 0) == "world too large inflated");
}

TEST_CASE("a database of a few kB makes little work: names of faces and groups, copies in copies") {
  std::size_t work = 1'000'000;
  CHECK(matches("/t?:*", "/t5:f", work));
  CHECK(!matches("*a*b", "aaaa", work));
  CHECK(work > 999'900);
  const std::string many(100'000, 'a');
  CHECK(!matches("*" + many + "b", many + many, work));
  CHECK(work == 0);
  CHECK(!matches("a", "a", work = 0));

  GroupWorld hostile;
  for (int i = 0; i < 16; ++i) {
    Group& group = hostile.groups.emplace_back();
    group.name = many + std::to_string(i);
    for (int k = 0; k < 16; ++k) group.instances.emplace_back().group = many + std::to_string(k);
    group.boxes.resize(16);
    hostile.world.instances.emplace_back().group = group.name;
    hostile.world.teleporters.emplace_back().name = many;
    hostile.links.push_back({"*" + many + "b", "*"});
    for (TransformStep& step : hostile.transforms.emplace_back().steps = std::vector<TransformStep>(16))
      step = {4, i + 1, {}, 0};
    Transform& last = hostile.world.instances.back().transform;
    last.steps = hostile.transforms.front().steps;
  }
  const ConvertedWorld converted = world_from_database(hostile, 1'000, 800);
  CHECK(converted.world.solids_size() < 20'000);
  CHECK(converted.world.links_size() == 0);

  // Each of these cost hours: copies of tetras, which are points; long names of copies; links whose pattern has a long
  // end, or that match every face. What is left out is told.
  GroupWorld tetras, named, stars, all;
  tetras.groups.resize(2);
  for (std::size_t i = 0; i < 2; ++i) tetras.groups[i].name = std::to_string(i);
  tetras.groups[1].tetras.resize(1'000);
  tetras.groups[0].instances.resize(100);
  for (Instance& copy : tetras.groups[0].instances) copy.group = "1";
  tetras.world.instances.resize(100);
  for (Instance& copy : tetras.world.instances) copy.group = "0";
  named.groups = tetras.groups;
  named.groups[1] = {};
  named.groups[1].name = named.groups[0].name = std::string(100'000, 'n');
  for (Instance& copy : named.groups[0].instances) copy.group = named.groups[0].name;
  named.world.instances = named.groups[0].instances;
  stars.world.teleporters.resize(1'000);
  all.world.teleporters.resize(1'000);
  stars.links.resize(100, {"?????" + std::string(100'000, '*'), "*"});
  all.links.resize(100'000, {"*", "*"});
  for (const GroupWorld* world : {&tetras, &named, &stars, &all}) {
    const std::uint64_t before = testing::steps();
    CHECK(world_from_database(*world, 1'000, 800).cut);
    CHECK(testing::steps() - before < 10'000'000);
  }

  GroupWorld linked;
  for (int i = 0; i < 32'768; ++i) linked.world.teleporters.emplace_back();
  for (std::uint32_t i = 0; i < 50'000; ++i) linked.links.push_back({face_name(65'535 - i), face_name(i)});
  linked.links.push_back({face_name(65'536), "/t0:x"});
  std::size_t left_out = 0;
  const RecordWorld records = records_of(linked, {}, 2, kLargestWorld, left_out);
  CHECK(records.records.size() + left_out == 1 + 32'768 + 50'000);
}

TEST_CASE("the database of a hostile world has at most so many obstacles, and counts the others") {
  words::World world;
  world.set_kind(words::World::TILES);
  world.set_columns(400);
  world.set_rows(400);
  for (int i = 0; i < 400 * 400; ++i) world.mutable_tiles()->push_back(i % 2 == i / 400 % 2 ? '\0' : '\3');
  for (int i = 0; i < 5'000; ++i) world.add_links()->set_to(1), world.add_teleporters(), world.add_bases();
  for (const std::size_t dialect : {0U, 2U}) {
    const Database database = database_of(world, dialect);
    const auto again = read_world(database.bytes, dialect);
    REQUIRE(again.ok());
    const auto* records = std::get_if<RecordWorld>(&*again);
    const GroupWorld groups = records != nullptr ? groups_of(*records) : std::get<GroupWorld>(*again);
    CHECK(groups.world.boxes.size() == 20'000);
    CHECK(groups.world.teleporters.size() < 2'000);
    CHECK(database.left_out > 60'000);
  }
}

TEST_CASE("the world of a geometry is made once for all clients of a dialect, and again for other settings or sizes") {
  const auto geometry = [](std::uint32_t columns) {
    auto world = std::make_shared<words::World>();
    world->set_kind(words::World::TILES);
    world->set_columns(columns);
    world->set_rows(5'000);
    world->mutable_tiles()->resize(5'000 * static_cast<std::size_t>(columns), '\0');
    return std::shared_ptr<const words::World>(std::move(world));
  };
  const std::size_t newest = dialect_of("2.4"), old = dialect_of("1.10");
  GameSettings other;
  other.max_shots = 7;
  const auto one = geometry(3);
  const auto made = made_world(one, newest, {});
  CHECK(made_world(one, newest, {}) == made);
  CHECK(made_world(one, newest, other) == made);  // settings are not in the worlds of 2.4
  CHECK(made_world(one, dialect_of("2.0"), {}) != made);
  CHECK(made_world(one, newest, {}, 1'000) != made);
  const auto for_old = made_world(one, old, {});
  CHECK(made_world(one, old, {}) == for_old);
  CHECK(made_world(one, old, other) != for_old);
  CHECK(made->database.bytes == database_of(core::flattened(*one), newest).bytes);
  CHECK(made->hash == world_hash(made->database.bytes, WorldSource::kRandom));

  // Small worlds are made each time, and push no large one out.
  std::vector<std::shared_ptr<const words::World>> many;
  for (std::size_t i = 0; i < 2 * kMadeWorlds; ++i) {
    auto small = std::make_shared<words::World>(core::flattened(words::World()));
    many.push_back(small);
    CHECK(made_world(small, newest, {}) != made_world(small, newest, {}));
  }
  CHECK(made_world(one, newest, {}) == made);

  // Of many large ones, those that were asked for last are kept, and none without its geometry.
  std::vector<std::weak_ptr<const MadeWorld>> worlds;
  for (std::size_t i = 0; i < kMadeWorlds + 3; ++i) {
    many.push_back(geometry(1));
    worlds.push_back(made_world(many.back(), newest, {}));
    CHECK(made_world(one, newest, {}) == made);
  }
  for (std::size_t i = 0; i < worlds.size(); ++i) CHECK(worlds[i].expired() == (i < 4));
  many.clear();
  made_world(geometry(2), newest, {});
  for (const auto& world : worlds) CHECK(world.expired());
}

}  // namespace
}  // namespace entente::bzflag::world_test
