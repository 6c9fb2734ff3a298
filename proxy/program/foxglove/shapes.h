// How worlds, units and shots look in a 3D panel: primitives of schema/foxglove.proto. Metres; x east, y north, z up.
#pragma once

#include "proxy/core/world.h"
#include "schema/foxglove.pb.h"

namespace entente::foxglove_shapes {

void set(foxglove::Vector3& vector, double x, double y, double z);
/// Turned by `yaw` around z, then raised by `pitch`; radians.
void set(foxglove::Quaternion& turn, double yaw, double pitch);
void set(foxglove::Pose& pose, const words::Pose& from);

/// The ground, the bounds, and what stands there, at most 50,000 of it. Blocks that are built or dug later are not
/// shown.
void add_geometry(const words::World& geometry, foxglove::SceneEntity& to);
/// A box for a tank, a man, a brick, something to pick up or a decoration; a sphere for cells and pellets. `name` is
/// written above it; "": none.
void add_unit(const words::Unit& unit, const words::Pose& pose, std::uint32_t colour, const std::string& name,
              foxglove::SceneEntity& to);
/// The shot `flown` seconds after it was fired: a line as long as a ray, a sphere as wide as a wave, or a small one.
void add_shot(const words::Shot& shot, double flown, foxglove::SceneEntity& to);
/// A flag that lies or flies, or a base, with its code.
void add_token(const words::Token& token, foxglove::SceneEntity& to);

/// 0xRRGGBB
std::uint32_t colour_of(words::Team team);

}  // namespace entente::foxglove_shapes
