// Worlds in words as maps of blocks: what stands where, that clients can load the map, and that the work is done in
// small pieces.
#include "adapters/aos/world/map_maker.h"

#include <doctest/doctest.h>
#include <google/protobuf/text_format.h>
#include <zlib.h>

#include "adapters/aos/wire/conversions.h"
#include "tests/aos/ground.h"

namespace entente::aos::map_maker_test {
namespace {

words::World world(const std::string& text) {
  words::World world;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &world));
  return world;
}

void finish(MapMaker& maker) {
  for (int i = 0; i < 100'000 && !maker.work(); ++i) continue;
  REQUIRE(maker.ready());
}

/// The map as a client unpacks it.
VoxelMap loaded(const MapMaker& maker) {
  MapReceiver receiver;
  const Buffer& stream = maker.stream();
  for (std::size_t at = 0; at < stream.size(); at += kMapChunk)
    REQUIRE_FALSE(receiver.feed(Bytes(stream).subspan(at, std::min(kMapChunk, stream.size() - at))));
  REQUIRE(receiver.complete());
  VxlReader reader;
  REQUIRE_FALSE(reader.feed(as_bytes(receiver.take().vxl)));
  return reader.take();
}

bool solid(const VoxelMap& map, double x, double y, double z) {
  const Block at = block_at({x, y, z});
  return in_map(at) && map.solid(static_cast<std::uint32_t>(at[0]), static_cast<std::uint32_t>(at[1]),
                                 static_cast<std::uint32_t>(at[2]));
}

constexpr double kHigh = kMetresPerBlock / 2;  // the middle of the first block above the floor

TEST_CASE("boxes keep their position and rotation; pyramids get narrower; the rest is floor") {
  MapMaker maker(
      world("kind: SOLIDS west: -400 east: 400 south: -400 north: 400 "
            "solids { x: 100 y: 50 half_x: 20 half_y: 10 height: 9.42 } "
            "solids { x: -100 y: -50 half_x: 40 half_y: 5 height: 9.42 yaw: 0.7853982 } "
            "solids { shape: PYRAMID x: 0 y: -200 half_x: 30 half_y: 30 height: 40 } "
            "solids { x: 0 y: 200 z: 20 half_x: 10 half_y: 10 height: 5 } "
            "solids { x: 300 y: 300 half_x: 20 half_y: 20 height: 20 units_pass: true }"));
  finish(maker);
  const VoxelMap map = loaded(maker);
  for (std::uint32_t x = 0; x < kMapSize; x += 37)
    for (std::uint32_t y = 0; y < kMapSize; y += 41) REQUIRE(map.column(x, y) == maker.map().column(x, y));
  CHECK(solid(map, 100, 50, kHigh));
  CHECK(solid(map, 119, 59, 8.6));
  CHECK_FALSE(solid(map, 119, 59, 10.2));  // six blocks high
  CHECK_FALSE(solid(map, 122, 50, kHigh));
  CHECK_FALSE(solid(map, 100, 62, kHigh));
  CHECK(solid(map, -100 + 25, -50 + 25, kHigh));  // along its yaw, north-east
  CHECK_FALSE(solid(map, -100 + 25, -50 - 25, kHigh));
  CHECK(solid(map, 25, -200, kHigh));
  CHECK_FALSE(solid(map, 25, -200, 20));
  CHECK(solid(map, 0, -200, 35));
  CHECK(solid(map, 0, 200, 22));
  CHECK_FALSE(solid(map, 0, 200, 10));  // players walk under it
  CHECK_FALSE(solid(map, 300, 300, kHigh));
  CHECK(maker.left_out() == 1);
  CHECK(solid(map, 399, -399, -kHigh));
  CHECK_FALSE(solid(map, 399, -399, kHigh));
}

TEST_CASE("tiles: walls, low hedges, water; the northernmost row comes first") {
  MapMaker maker(world(R"(kind: TILES west: -50 east: 50 south: -50 north: 50 columns: 2 rows: 2
                          tiles: "\000\001\002\003" walled: true)"));
  finish(maker);
  const VoxelMap map = loaded(maker);
  CHECK(solid(map, -25, 25, 5 * kMetresPerBlock + kHigh));  // a wall, north-west
  CHECK_FALSE(solid(map, -25, 25, 6 * kMetresPerBlock + kHigh));
  CHECK_FALSE(solid(map, 25, 25, -kHigh));  // water, north-east
  CHECK(solid(map, 25, 25, -kMetresPerBlock - kHigh));
  CHECK(solid(map, -25, -25, kHigh));  // a hedge, south-west
  CHECK_FALSE(solid(map, -25, -25, kMetresPerBlock + kHigh));
  CHECK_FALSE(solid(map, 25, -25, kHigh));  // open
  CHECK(solid(map, 51, 0, kHigh));          // the border
  CHECK(solid(map, 0, -51, 5 * kMetresPerBlock + kHigh));
  CHECK_FALSE(solid(map, 56, 0, kHigh));
}

TEST_CASE("every voxel next to air has a colour, so that no client shows a hole") {
  MapMaker maker(
      world("kind: SOLIDS solids { x: 100 y: 50 half_x: 20 half_y: 10 height: 9.42 } "
            "bases { team: RED solid { x: 0 y: 0 half_x: 30 half_y: 30 } }"));
  finish(maker);
  const VoxelMap map = loaded(maker);
  const auto colour = [&](double x, double y, double z) {
    const Block at = block_at({x, y, z});
    return map.colour(static_cast<std::uint32_t>(at[0]), static_cast<std::uint32_t>(at[1]),
                      static_cast<std::uint32_t>(at[2]));
  };
  CHECK(colour(-300, -300, -kHigh).has_value());
  CHECK(colour(119, 50, kHigh).has_value());        // its side
  CHECK(colour(100, 50, 9).has_value());            // its top
  CHECK_FALSE(colour(100, 50, kHigh).has_value());  // its inside
  CHECK(colour(0, 0, -kHigh) != colour(-300, -300, -kHigh));
  CHECK((colour(0, 0, -kHigh).value_or(0) >> 16U & 0xffU) > (colour(0, 0, -kHigh).value_or(0) & 0xffU));  // red
}

TEST_CASE("a valid map is sent byte for byte, and an invalid one becomes an open field") {
  VoxelMap hills;
  hills.set(7, 8, 20, 0xff112233U);
  Buffer raw;
  write_vxl(hills, raw);
  words::World given;
  given.set_kind(words::World::VOXELS);
  given.set_voxels(std::string(raw.begin(), raw.end()));
  MapMaker maker(given);
  finish(maker);
  CHECK(maker.given());
  CHECK(loaded(maker) == hills);
  CHECK(maker.raw_size() == raw.size());
  CHECK(maker.crc32() == crc32_z(0, raw.data(), raw.size()));
  CHECK(maker.stream() == pack_map(hills));

  for (const std::string& bad : {std::string("no map"), given.voxels().substr(1000), given.voxels() + "more"}) {
    given.set_voxels(bad);
    MapMaker broken(given);
    finish(broken);
    CHECK(broken.broken());
    CHECK_FALSE(broken.given());
    CHECK(loaded(broken).solid(0, 0, 62));
  }
}

TEST_CASE("a hostile world costs no more than a large one, whatever its coordinates") {
  words::World hostile = world("kind: SOLIDS");
  for (int i = 0; i < 2000; ++i) {
    words::Solid& solid = *hostile.add_solids();
    solid.set_half_x(1e30);
    solid.set_half_y(i % 3 == 0 ? std::nan("") : 1e5);
    solid.set_height(i % 2 == 0 ? 1e300 : -5);
    solid.set_x(i % 5 == 0 ? std::nan("") : 0);
    solid.set_yaw(i);
  }
  for (int i = 0; i < 2000; ++i) {
    words::Solid& solid = *hostile.add_solids();
    solid.set_half_x(1e5);
    solid.set_half_y(1e5);
  }
  MapMaker maker(hostile);
  finish(maker);
  CHECK(maker.left_out() > 1000);
  CHECK(maker.stream().size() < 100'000);
}

TEST_CASE("a map is made once for all players of a world") {
  const auto shared = [](const std::string& text) { return std::make_shared<const words::World>(world(text)); };
  const auto one = shared("hash: 'one' kind: OPEN"), other = shared("hash: 'other' kind: OPEN walled: true");
  auto first = maker_of(one);
  CHECK(maker_of(one) == first);
  CHECK(maker_of(shared("hash: 'one' kind: OPEN")) == first);
  auto second = maker_of(other);
  CHECK(second != first);
  CHECK(maker_of(one) == first);  // still in use
  std::weak_ptr<MapMaker> gone = second;
  second.reset();
  CHECK(gone.expired());
  gone = first;
  first.reset();
  CHECK_FALSE(gone.expired());  // kept for the next player
}

TEST_CASE("each client waits for the same amount of work, even if another client did part of it") {
  const auto pieces = [](MapMaker& maker) {
    std::size_t piece = 1;
    while (!maker.work(piece)) ++piece;
    return piece;
  };
  MapMaker maker{words::World()}, other{words::World()};
  const std::size_t alone = pieces(maker);
  CHECK(alone > 10);
  CHECK(pieces(maker) == alone);
  for (int i = 0; i < 5; ++i) other.work();
  CHECK(pieces(other) == alone);
}

}  // namespace
}  // namespace entente::aos::map_maker_test
