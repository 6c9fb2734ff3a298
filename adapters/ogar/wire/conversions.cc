#include "adapters/ogar/wire/conversions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace entente::ogar {
namespace {

using words::Unit;

}  // namespace

bool is_map(const Border& border) {
  const auto lies = [](double low, double high) {
    return std::isfinite(low) && std::isfinite(high) && high - low >= 1 && high - low < 1e7;
  };
  return lies(border.left, border.right) && lies(border.top, border.bottom);
}

Border border_of(const words::World& world) {
  const Plane plane;
  const Border border = {static_cast<float>(plane.x(world.west())), static_cast<float>(plane.x(world.east())),
                         static_cast<float>(plane.y(world.north())), static_cast<float>(plane.y(world.south()))};
  return is_map(border) ? border : default_border();
}

Border default_border() {
  constexpr auto half = static_cast<float>(kMapUnits / 2);
  return {-half, half, -half, half};
}

Unit::Kind kind_of(CellType type) {
  switch (type) {
    case CellType::kPellet:
      return Unit::PELLET;
    case CellType::kVirus:
      return Unit::VIRUS;
    case CellType::kEjected:
      return Unit::EJECTED;
    case CellType::kMother:
      return Unit::MOTHER;
    default:
      return Unit::CELL;
  }
}

CellType type_of(Unit::Kind kind) {
  switch (kind) {
    case Unit::PELLET:
    case Unit::PICKUP:
    case Unit::DECOR:
    case Unit::BRICK:
      return CellType::kPellet;
    case Unit::VIRUS:
      return CellType::kVirus;
    case Unit::EJECTED:
      return CellType::kEjected;
    case Unit::MOTHER:
      return CellType::kMother;
    default:
      return CellType::kPlayer;
  }
}

std::uint32_t rgb_of(Colour colour) {
  const std::uint32_t rgb = static_cast<std::uint32_t>(colour[0]) << 16U | static_cast<std::uint32_t>(colour[1]) << 8U |
                            static_cast<std::uint32_t>(colour[2]);
  return rgb != 0 ? rgb : 1;
}

Colour colour_of(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16U), static_cast<std::uint8_t>(rgb >> 8U), static_cast<std::uint8_t>(rgb)};
}

Colour colour_of(words::Team team) {
  switch (team) {
    case words::RED:
      return {255, 51, 51};
    case words::GREEN:
      return {51, 204, 51};
    case words::BLUE:
      return {51, 102, 255};
    case words::PURPLE:
      return {178, 76, 229};
    case words::YELLOW:
      return {242, 217, 25};
    case words::RABBIT:
      return {230, 230, 230};
    case words::HUNTER:
      return {255, 140, 0};
    default:
      return {140, 140, 140};
  }
}

words::Team team_of(Colour colour) {
  const auto strongest = std::max_element(colour.begin(), colour.end()) - colour.begin();
  return strongest == 0 ? words::RED : strongest == 1 ? words::GREEN : words::BLUE;
}

double speed_of(double size) { return 88 * std::pow(std::max(size, 1.0), -0.4396754); }

double scale_of(double sizes) { return sizes > 64 ? std::pow(64 / sizes, 0.4) : 1; }

std::uint16_t to_u16(double value) {
  constexpr double most = std::numeric_limits<std::uint16_t>::max();
  return value > 0 ? static_cast<std::uint16_t>(std::min(most, std::round(value))) : std::uint16_t{0};
}

std::int32_t to_i32(double value) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  return std::isnan(value) ? 0 : static_cast<std::int32_t>(std::clamp(std::round(value), -most, most));
}

}  // namespace entente::ogar
