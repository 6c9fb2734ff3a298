#include "tests/judge/field.h"

#include <cmath>
#include <numbers>

namespace entente::judged {
namespace {

/// BZFlag's, by its own numbers.
constexpr FlagKind kFlags[] = {{"V", 1.5, 1, false}, {"A", 2.25, 1, false}, {"TH", 1.67, 1, true},
                               {"F", 1, 0.5, true},  {"MG", 1, 0.1, true},  {"G", 1, 1, true}};

void add_solids(Chance& chance, double side, words::World& world) {
  const int count = chance.whole(6, 30);
  for (int i = 0; i < count; ++i) {
    words::Solid& solid = *world.add_solids();
    solid.set_shape(chance.happens(0.15) ? words::Solid::PYRAMID : words::Solid::BOX);
    solid.set_x(chance.between(-0.45, 0.45) * side);
    solid.set_y(chance.between(-0.45, 0.45) * side);
    solid.set_half_x(chance.between(2, 18));
    solid.set_half_y(chance.between(2, 18));
    solid.set_height(chance.happens(0.2) ? 1.2 : chance.between(3, 20));  // shots pass over low ones
    solid.set_yaw(chance.happens(0.5) ? 0 : chance.between(0, std::numbers::pi));
  }
}

void add_teleporters(Chance& chance, Field& field) {
  const int count = chance.happens(0.5) ? 0 : 2 * chance.whole(1, 2);
  for (int i = 0; i < count; ++i) {
    field.teleporters.push_back(field.open_place(chance));
    words::Solid& frame = *field.world.add_teleporters()->mutable_frame();
    frame.set_x(field.teleporters.back()[0]);
    frame.set_y(field.teleporters.back()[1]);
    frame.set_half_x(0.5);
    frame.set_half_y(5);
    frame.set_height(10);
  }
  for (int i = 0; i < count; ++i)
    for (const int side : {0, 1}) {
      words::Link& link = *field.world.add_links();
      link.set_from(static_cast<std::uint32_t>(2 * i + side));
      link.set_to(static_cast<std::uint32_t>(2 * ((i + 1) % count) + side));
    }
}

}  // namespace

std::array<double, 2> Field::open_place(Chance& chance) const {
  constexpr int kTries = 100;
  std::array<double, 2> at{};
  for (int i = 0; i < kTries; ++i) {
    at = {chance.between(world.west() + 8, world.east() - 8), chance.between(world.south() + 8, world.north() - 8)};
    if (terrain.free(model, at[0], at[1], 0, 0) && terrain.free(model, at[0], at[1], 0, 1.6)) break;
  }
  return at;
}

Field make_field(Chance& chance) {
  Field field;
  const double side = chance.between(200, 800);
  core::set_sides(field.world, side, side);
  field.world.set_hash("judged " + std::to_string(chance.next()));
  field.world.set_kind(words::World::SOLIDS);
  field.world.set_walled(true);
  add_solids(chance, side, field.world);
  field.terrain = core::Terrain(field.world);
  add_teleporters(chance, field);
  if (chance.happens(0.25)) field.model.speed = chance.between(15, 40);
  field.reload = chance.happens(0.5) ? 3.5 : chance.between(0.8, 4);
  field.guns = chance.whole(1, 5);
  field.shots_inherit = chance.happens(0.5);
  field.teams = chance.happens(0.5);
  const int flags = chance.happens(0.5) ? 0 : chance.whole(2, 8);
  for (int i = 0; i < flags; ++i)
    field.flags.push_back(kFlags[static_cast<std::size_t>(chance.whole(0, std::size(kFlags) - 1))]);
  return field;
}

}  // namespace entente::judged
