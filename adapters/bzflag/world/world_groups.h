// Worlds from 2.0 on: materials and the like, then a tree of obstacle groups, links, water, weapons and zones.
// Invariant: lists are in wire order, because items refer to each other by index.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/bzflag/wire/messages.h"

namespace entente::bzflag {

using Color = std::array<float, 4>;
using Vec2 = std::array<float, 2>;
using Index = std::int32_t;  // into a list of the same world; -1: none

// -- Appearance and behaviour -----------------------------------------------------------------------------------------

struct Wave {
  float period = 0, offset = 0, weight = 0;  // for a clamp, the third is its width
};
struct Channel {
  float least = 0, most = 0;
  std::vector<Wave> sinusoids, clamp_ups, clamp_downs;
  std::uint32_t steps = 0;  // the number of steps in the sequence
  float period = 0, offset = 0;
  std::vector<std::uint8_t> sequence;
};
struct DynamicColor {
  std::string name;
  std::array<Channel, 4> channels;  // red, green, blue, alpha
};
struct TextureMatrix {
  std::string name;
  std::uint8_t state = 0;         // 1 has a fixed part, 2 a moving one
  std::array<float, 7> fixed{};   // rotation; shift, scale, centre of u and v
  std::array<float, 9> moving{};  // spin, shift, scale frequencies; scale, centre
};
struct Texture {
  std::string name;
  Index matrix = -1;
  std::int32_t combine = 0;
  std::uint8_t state = 0;
};
struct Shader {
  std::string name;
};
struct Material {
  std::string name;
  std::uint8_t mode = 0;
  Index dynamic_color = -1;
  Color ambient{}, diffuse{}, specular{}, emission{};
  float shininess = 0, alpha_threshold = 0;
  std::vector<Texture> textures;
  std::vector<Shader> shaders;
};
struct PhysicsDriver {
  std::string name;
  Vec3 linear{};
  float angular_speed = 0;
  Vec2 angular_centre{};
  float radial_speed = 0;
  Vec2 radial_centre{};
  float slide_time = 0;
  std::string death;
};
struct TransformStep {
  std::uint8_t type = 0;  // 0 shift, 1 scale, 2 shear, 3 spin, 4 one of the world's transforms
  Index index = 0;
  Vec3 data{};
  float angle = 0;
};
struct Transform {
  std::string name;
  std::vector<TransformStep> steps;
};

// -- Obstacles --------------------------------------------------------------------------------------------------------

struct Wall {
  Vec3 pos{};
  float angle = 0, half_width = 0, height = 0;
  std::uint8_t bits = 0;  // 8 ricochet
};
struct Box {
  Vec3 pos{};
  float angle = 0;
  Vec3 size{};
  std::uint8_t bits = 0;  // 1 drive through, 2 shoot through, 4 upside down (pyramid), 8 ricochet
};
struct Base {
  std::uint16_t team = 0;
  Box box;
};
struct Teleporter {
  std::string name;
  Vec3 pos{};
  float angle = 0;
  Vec3 size{};
  float border = 0;
  std::uint8_t horizontal = 0, bits = 0;
};
struct Face {
  std::uint8_t state = 0;  // 1 has normals, 2 has texture coordinates
  std::vector<Index> vertices, normals, texcoords;
  Index material = -1, driver = -1;
};
struct Check {
  std::uint8_t type = 0;
  Vec3 pos{};
};
/// State bit 0x10: the last texture coordinates are drawing data instead, which clients older than 2.0.8 skip.
struct Mesh {
  std::vector<Check> checks;
  std::vector<Vec3> vertices, normals;
  std::vector<Vec2> texcoords;
  std::vector<Face> faces;
  std::uint8_t state = 0;
};
struct Arc {
  Transform transform;
  Vec3 pos{}, size{};
  float angle = 0, sweep = 0, ratio = 0;
  std::int32_t divisions = 0;
  Index driver = -1;
  std::array<float, 4> texture_size{};
  std::array<Index, 6> materials{};  // top, bottom, inside, outside, start, end
  std::uint8_t state = 0;
};
struct Cone {
  Transform transform;
  Vec3 pos{}, size{};
  float angle = 0, sweep = 0;
  std::int32_t divisions = 0;
  Index driver = -1;
  Vec2 texture_size{};
  std::array<Index, 4> materials{};  // edge, bottom, start, end
  std::uint8_t state = 0;
};
struct Sphere {
  Transform transform;
  Vec3 pos{}, size{};
  float angle = 0;
  std::int32_t divisions = 0;
  Index driver = -1;
  Vec2 texture_size{};
  std::array<Index, 2> materials{};  // edge, bottom
  std::uint8_t state = 0;
};
struct Tetra {
  std::uint8_t state = 0;
  Transform transform;
  std::array<Vec3, 4> vertices{};
  std::uint8_t with_normals = 0;  // a bit a face
  std::array<std::array<Vec3, 3>, 4> normals{};
  std::uint8_t with_texcoords = 0;  // a bit a face
  std::array<std::array<Vec2, 3>, 4> texcoords{};
  std::array<Index, 4> materials{};
};
/// A copy of a group at another place. After a NUL, `name` may contain a map of materials (ObstacleMgr.cxx:196).
struct Instance {
  std::string group, name;
  Transform transform;
  std::uint8_t bits = 0;  // 1 team, 2 tint, 4 driver, 8 material follow; 16, 32, 64: drive, shoot through, ricochet
  std::uint16_t team = 0;
  Color tint{};
  Index driver = -1, material = -1;
};
struct Group {
  std::string name;  // empty: the world itself
  std::vector<Wall> walls;
  std::vector<Box> boxes, pyramids;
  std::vector<Base> bases;
  std::vector<Teleporter> teleporters;
  std::vector<Mesh> meshes;
  std::vector<Arc> arcs;
  std::vector<Cone> cones;
  std::vector<Sphere> spheres;
  std::vector<Tetra> tetras;
  std::vector<Instance> instances;
};

// -- The rest ---------------------------------------------------------------------------------------------------------

struct WorldLink {
  std::string from, to;  // "/t0:f", or a pattern
};
struct Weapon {
  Text<2> flag;
  Vec3 pos{};
  float direction = 0, first_delay = 0;
  std::vector<float> delays;
};
struct Zone {
  Vec3 pos{}, size{};
  float rotation = 0;
  std::uint16_t flag_count = 0, team_count = 0, safety_count = 0;
  std::vector<Text<2>> flags;
  std::vector<std::uint16_t> teams, safeties;
};

struct GroupWorld {
  std::uint16_t version = 1;  // of the map format; it is outside the compressed part
  std::vector<DynamicColor> dynamic_colors;
  std::vector<TextureMatrix> texture_matrices;
  std::vector<Material> materials;
  std::vector<PhysicsDriver> drivers;
  std::vector<Transform> transforms;
  Group world;
  std::vector<Group> groups;
  std::vector<WorldLink> links;
  float water_level = -1;  // below 0: no water
  Index water_material = -1;
  std::vector<Weapon> weapons;
  std::vector<Zone> zones;
};

}  // namespace entente::bzflag
