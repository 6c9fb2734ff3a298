// Converts between worlds of records (1.10, the page) and worlds of groups. See world_conversions.h.
// Invariant: links name the same faces in both. What records cannot express is counted.
#include <algorithm>
#include <charconv>

#include "adapters/bzflag/translate/dialect_translator.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/world/world_conversions.h"

namespace entente::bzflag {
namespace {

constexpr std::size_t kRecordHeader = 4;
/// The version of the map format in 1.10 (WorldCodeHeader at v1.10.8).
constexpr std::uint16_t kFormat = 1;
/// The most that clients with 16-bit offsets can load.
constexpr std::size_t kMostShort = 65'535;
/// Boxes and pyramids in records have no ricochet bit.
constexpr std::uint8_t kBoxBits = 3, kPyramidBits = 7;

Box box_of(const RecordBox& box) { return {box.pos, box.angle, box.size, box.bits}; }

// -- From records -----------------------------------------------------------------------------------------------------

class FromRecords {
 public:
  explicit FromRecords(GroupWorld& out) : out_(out) {}

  void operator()(const RecordHeader&) {}
  void operator()(const RecordEnd&) {}
  void operator()(const RecordWall& wall) {
    out_.world.walls.push_back({wall.pos, wall.angle, wall.half_width, wall.height, 0});
  }
  void operator()(const RecordBox& box) { out_.world.boxes.push_back(box_of(box)); }
  void operator()(const RecordPyramid& pyramid) { out_.world.pyramids.push_back(box_of(pyramid)); }
  void operator()(const RecordBase& base) {
    out_.world.bases.push_back({base.team, {base.pos, base.angle, base.size, 0}});
  }
  void operator()(const RecordTeleporter& teleporter) {
    const std::string name = "/t" + std::to_string(out_.world.teleporters.size());
    out_.world.teleporters.push_back(
        {name, teleporter.pos, teleporter.angle, teleporter.size, teleporter.border, 0, teleporter.bits});
  }
  void operator()(const RecordLink& link) { out_.links.push_back({face_name(link.from), face_name(link.to)}); }

 private:
  GroupWorld& out_;
};

// -- To records -------------------------------------------------------------------------------------------------------

/// Adds records while there is room.
class ToRecords {
 public:
  ToRecords(std::size_t most, RecordWorld& out) : most_(most), out_(out) {}

  /// `size`: bytes of the record's payload.
  void add(const Record& record, std::size_t size) {
    if (used_ + kRecordHeader + size > most_) {
      ++left_out_;
      return;
    }
    used_ += kRecordHeader + size;
    out_.records.push_back(record);
  }
  std::size_t left_out() const { return left_out_; }

 private:
  std::size_t most_, used_ = kRecordHeader;  // the end
  std::size_t left_out_ = 0;
  RecordWorld& out_;
};

template <class T>
T with(const Box& box, std::uint8_t bits) {
  T record;
  record.pos = box.pos;
  record.angle = box.angle;
  record.size = box.size;
  record.bits = box.bits & bits;
  return record;
}

void fill(RecordHeader& header, const GameSettings& settings) {
  header.version = kFormat;
  header.world_size = settings.world_size;
  header.style = style_of(settings.game_type, settings.options);
  header.max_players = settings.max_players;
  header.max_shots = settings.max_shots;
  header.max_flags = settings.max_flags;
  header.linear_acceleration = settings.linear_acceleration;
  header.angular_acceleration = settings.angular_acceleration;
  header.shake_timeout = settings.shake_timeout;
  header.shake_wins = settings.shake_wins;
}

Record header_of(const GameSettings& settings, const Dialect& dialect) {
  if (dialect.style_header) {
    StyleHeader header;
    fill(header, settings);
    return header;
  }
  RecordHeader header;
  fill(header, settings);
  return header;
}

/// The number of a face_name(), if there are so many teleporters.
std::optional<std::uint16_t> face_number(std::string_view name, std::size_t teleporters) {
  std::size_t teleporter = 0;
  if (!name.starts_with("/t")) return std::nullopt;
  name.remove_prefix(2);
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), teleporter);
  if (error != std::errc{} || teleporter >= std::min<std::size_t>(teleporters, 32'768)) return std::nullopt;
  const std::string_view side(end, static_cast<std::size_t>(name.data() + name.size() - end));
  if (side != ":f" && side != ":b") return std::nullopt;
  return static_cast<std::uint16_t>(2 * teleporter + (side == ":b" ? 1U : 0U));
}

}  // namespace

GroupWorld groups_of(const RecordWorld& records) {
  GroupWorld groups;
  for (const Record& record : records.records) std::visit(FromRecords(groups), record);
  return groups;
}

GameSettings settings_of(const RecordWorld& records) {
  GameSettings settings;
  for (const Record& record : records.records) {
    const RecordHeader* header = std::get_if<RecordHeader>(&record);
    if (header == nullptr) header = std::get_if<StyleHeader>(&record);
    if (header == nullptr) continue;
    settings.world_size = header->world_size;
    settings.game_type = game_type_of_style(header->style);
    settings.options = options_of_style(header->style);
    settings.max_players = header->max_players;
    settings.max_shots = header->max_shots;
    settings.max_flags = header->max_flags;
    settings.linear_acceleration = header->linear_acceleration;
    settings.angular_acceleration = header->angular_acceleration;
    settings.shake_timeout = header->shake_timeout;
    settings.shake_wins = header->shake_wins;
    break;
  }
  return settings;
}

RecordWorld records_of(const GroupWorld& groups, const GameSettings& settings, std::size_t dialect, std::size_t most,
                       std::size_t& left_out) {
  const Dialect& there = kDialects[dialect];
  const Group& world = groups.world;
  RecordWorld out;
  ToRecords to(std::min(most, there.short_offsets ? kMostShort : kLargestWorld), out);
  to.add(header_of(settings, there), 30);
  for (const Wall& wall : world.walls) to.add(RecordWall{wall.pos, wall.angle, wall.half_width, wall.height}, 24);
  for (const Base& base : world.bases) {
    const Vec3 safe = {base.box.pos[0], base.box.pos[1], base.box.pos[2] + base.box.size[2]};  // on top of it
    to.add(RecordBase{base.team, base.box.pos, base.box.angle, base.box.size, safe}, 42);
  }
  for (const Teleporter& one : world.teleporters)
    to.add(RecordTeleporter{one.pos, one.angle, one.size, one.border, static_cast<std::uint8_t>(one.bits & kBoxBits)},
           33);
  for (const WorldLink& link : groups.links) {
    const auto from = face_number(link.from, world.teleporters.size());
    const auto dest = face_number(link.to, world.teleporters.size());
    if (from && dest) to.add(RecordLink{*from, *dest}, 4);
  }
  for (const Box& box : world.boxes) to.add(with<RecordBox>(box, kBoxBits), 29);
  for (const Box& box : world.pyramids) to.add(with<RecordPyramid>(box, kPyramidBits), 29);
  left_out = to.left_out();
  return out;
}

}  // namespace entente::bzflag
