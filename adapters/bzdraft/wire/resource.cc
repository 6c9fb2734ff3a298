#include "adapters/bzdraft/wire/resource.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "adapters/bzdraft/wire/conversions.h"
#include "adapters/wire/md5.h"
#include "proxy/core/gameplay/tank.h"
#include "proxy/core/world.h"

namespace entente::bzdraft {
namespace {

enum Code : std::uint16_t {
  kHeader = 0x6865,
  kStyle = 0x7374,
  kBase = 0x6261,
  kWall = 0x776c,
  kBox = 0x6278,
  kPyramid = 0x7079,
  kTeleporter = 0x7465,
  kLink = 0x6c6e,
  kEnd = 0x6564,
  kRefer = 0x7273,  // our own record
};
constexpr unsigned kDriveThrough = 1, kShootThrough = 2, kUpsideDown = 4;

constexpr int kMostSolids = 20'000, kMostLinks = 4'096;
constexpr double kDefaultSize = 800;

std::uint8_t nibble(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
  return c >= 'A' && c <= 'F' ? static_cast<std::uint8_t>(c - 'A' + 10) : std::uint8_t{255};
}

/// Writes records.
class Records {
 public:
  explicit Records(Buffer& out) : out_(out) {}
  void begin(Code code) {
    start_ = out_.size();
    number16(0);
    number16(code);
  }
  void end() {
    const std::size_t size = out_.size() - start_ - 4;
    out_[start_] = static_cast<std::uint8_t>(size >> 8U);
    out_[start_ + 1] = static_cast<std::uint8_t>(size);
  }
  void number8(unsigned value) { out_.push_back(static_cast<std::uint8_t>(value)); }
  void number16(unsigned value) {
    number8(value >> 8U);
    number8(value);
  }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    number16(bits >> 16U);
    number16(bits);
  }
  void place(const words::Solid& solid) {
    for (const double value : {solid.x(), solid.y(), solid.z(), solid.yaw()}) real(value);
    for (const double value : {solid.half_x(), solid.half_y(), solid.height()}) real(value);
  }
  void bits(const words::Solid& solid) {
    number8((solid.units_pass() ? kDriveThrough : 0U) | (solid.shots_pass() ? kShootThrough : 0U) |
            (solid.upside_down() ? kUpsideDown : 0U));
  }

 private:
  Buffer& out_;
  std::size_t start_ = 0;
};

void write(const words::Solid& solid, Records& to) {
  if (solid.shape() == words::Solid::WALL_FACE) {
    to.begin(kWall);
    for (const double value : {solid.x(), solid.y(), solid.z(), solid.yaw(), solid.half_y(), solid.height()})
      to.real(value);
  } else {
    to.begin(solid.shape() == words::Solid::PYRAMID ? kPyramid : kBox);
    to.place(solid);
    to.bits(solid);
  }
  to.end();
}

/// Writes the tiles that stop anything, as one box for each run of equal tiles in a row.
void write_tiles(const words::World& world, Records& to) {
  constexpr std::uint8_t kOpen = words::SHOTS_PASS | words::UNITS_PASS;
  const std::size_t columns = world.columns(), rows = world.rows();
  if (columns == 0 || rows == 0 || world.tiles().size() < columns * rows) return;
  const double wide = (world.east() - world.west()) / static_cast<double>(columns);
  const double high = (world.north() - world.south()) / static_cast<double>(rows);
  int boxes = 0;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t from = 0, end = 0; from < columns && boxes < kMostSolids; from = end) {
      const char tile = world.tiles()[row * columns + from];
      for (end = from + 1; end < columns && world.tiles()[row * columns + end] == tile;) ++end;
      if ((static_cast<std::uint8_t>(tile) & kOpen) == kOpen) continue;
      words::Solid box;
      const double length = wide * static_cast<double>(end - from);
      box.set_x(world.west() + wide * static_cast<double>(from) + length / 2);
      box.set_y(world.north() - high * (static_cast<double>(row) + 0.5));
      box.set_half_x(length / 2);
      box.set_half_y(high / 2);
      const bool shots = (tile & words::SHOTS_PASS) != 0;
      box.set_height(shots ? core::kWaterHeight : core::kTileHeight);
      box.set_units_pass((tile & words::UNITS_PASS) != 0);
      write(box, to);
      ++boxes;
    }
}

void write_header(const words::World& world, Records& to) {
  to.begin(kHeader);
  to.number16(1);
  const double size = std::max(world.east() - world.west(), world.north() - world.south());
  to.real(size > 0 ? size : kDefaultSize);
  for (int i = 0; i < 4; ++i) to.number16(0);  // style and numbers are in MsgGetWorld
  for (int i = 0; i < 4; ++i) to.number16(0);
  for (int i = 0; i < 2; ++i) to.number16(0);
  to.number16(0);
  to.number16(0);
  to.end();
}

}  // namespace

std::optional<Md5> md5_of_name(std::string_view name) {
  name = name.substr(0, name.find('\0'));
  if (name.size() != 32) return std::nullopt;
  Md5 md5{};
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint8_t high = nibble(name[2 * i]), low = nibble(name[2 * i + 1]);
    if (high > 15 || low > 15) return std::nullopt;
    md5[i] = static_cast<std::uint8_t>(high << 4U | low);
  }
  return md5;
}

Buffer resource_of(const words::World& world) {
  Buffer bytes;
  Records to(bytes);
  write_header(world, to);
  bool walls = false;
  for (int i = 0; i < std::min(world.solids_size(), kMostSolids); ++i) {
    write(world.solids(i), to);
    walls |= world.solids(i).shape() == words::Solid::WALL_FACE;
  }
  if (!walls)
    for (const auto& wall : core::walls_around(world)) write(wall, to);
  write_tiles(world, to);
  for (int n = 0; n < std::min(world.bases_size(), kMostLinks); ++n) {
    const words::Base& base = world.bases(n);
    to.begin(kBase);
    to.number16(wire_team(base.team()));
    to.place(base.solid());
    for (int i = 0; i < 3; ++i) to.real(0);
    to.end();
  }
  for (int i = 0; i < std::min(world.teleporters_size(), kMostLinks); ++i) {
    const words::Teleporter& teleporter = world.teleporters(i);
    to.begin(kTeleporter);
    to.place(teleporter.frame());
    to.real(teleporter.border());
    to.bits(teleporter.frame());
    to.end();
  }
  for (int i = 0; i < std::min(world.links_size(), kMostLinks); ++i) {
    const words::Link& link = world.links(i);
    to.begin(kLink);
    to.number16(link.from());
    to.number16(link.to());
    to.end();
  }
  to.begin(kEnd);
  to.end();
  return bytes;
}

// -- Reading ----------------------------------------------------------------------------------------------------------

namespace {

struct Record {
  std::uint16_t code = 0;
  Bytes body;
};

std::uint16_t u16(Bytes at) { return static_cast<std::uint16_t>(at[0] << 8U | at[1]); }

float f32(Bytes at) {
  const float value = std::bit_cast<float>(static_cast<std::uint32_t>(u16(at)) << 16U | u16(at.subspan(2)));
  return std::isfinite(value) && std::abs(value) < 1e6F ? value : 0;
}

/// Calls `take(record)` for each record up to the end. False: the bytes are not a resource.
template <class Take>
bool each_record(Bytes bytes, Take&& take) {
  while (bytes.size() >= 4) {
    const Record record{u16(bytes.subspan(2)),
                        bytes.subspan(4).first(std::min<std::size_t>(u16(bytes), bytes.size() - 4))};
    if (record.body.size() != u16(bytes)) return false;
    if (record.code == kEnd) return true;
    take(record);
    bytes = bytes.subspan(4 + record.body.size());
  }
  return false;
}

std::optional<Md5> referred(const Record& record) {
  if (record.code != kRefer || record.body.size() != 16) return std::nullopt;
  Md5 md5{};
  std::copy(record.body.begin(), record.body.end(), md5.begin());
  return md5;
}

void place(Bytes at, words::Solid& solid) {
  solid.set_x(f32(at));
  solid.set_y(f32(at.subspan(4)));
  solid.set_z(f32(at.subspan(8)));
  solid.set_yaw(f32(at.subspan(12)));
  solid.set_half_x(f32(at.subspan(16)));
  solid.set_half_y(f32(at.subspan(20)));
  solid.set_height(f32(at.subspan(24)));
}

void bits(std::uint8_t bits, words::Solid& solid) {
  solid.set_units_pass((bits & kDriveThrough) != 0);
  solid.set_shots_pass((bits & kShootThrough) != 0);
  solid.set_upside_down((bits & kUpsideDown) != 0);
}

}  // namespace

/// Reads a tree of resources.
class Resources::Reading {
 public:
  explicit Reading(const Resources& from) : from_(from) {}

  bool read(const Md5& md5, int depth) {
    const auto at = from_.known_.find(md5);
    if (at == from_.known_.end() || depth > kDeepest || ++reads_ > kMost) return false;
    if (at->second.size() > left_) return false;
    left_ -= at->second.size();
    return each_record(at->second, [&](const Record& record) {
      if (const auto other = referred(record))
        unread_ += read(*other, depth + 1) ? 0U : 1U;
      else
        add(record);
    });
  }

  words::World& world() { return world_; }
  double size() const { return size_; }
  std::size_t unread() const { return unread_; }

 private:
  void add(const Record& record) {
    const Bytes body = record.body;
    const std::size_t size = body.size();
    if ((record.code == kHeader || record.code == kStyle) && size >= 6)
      size_ = f32(body.subspan(2)) > 0 ? f32(body.subspan(2)) : size_;
    else if (record.code == kWall && size >= 24)
      add_wall(body);
    else if ((record.code == kBox || record.code == kPyramid) && size >= 29)
      add_block(body, record.code == kPyramid ? words::Solid::PYRAMID : words::Solid::BOX);
    else if (record.code == kBase && size >= 30)
      add_base(body);
    else if (record.code == kTeleporter && size >= 33)
      add_teleporter(body);
    else if (record.code == kLink && size >= 4 && world_.links_size() < kMostLinks)
      add_link(body);
  }
  words::Solid* solid() { return world_.solids_size() < kMostSolids ? world_.add_solids() : nullptr; }
  void add_wall(Bytes body) {
    words::Solid* one = solid();
    if (one == nullptr) return;
    one->set_shape(words::Solid::WALL_FACE);
    one->set_x(f32(body));
    one->set_y(f32(body.subspan(4)));
    one->set_z(f32(body.subspan(8)));
    one->set_yaw(f32(body.subspan(12)));
    one->set_half_y(f32(body.subspan(16)));
    one->set_height(f32(body.subspan(20)));
    world_.set_walled(true);
  }
  void add_block(Bytes body, words::Solid::Shape shape) {
    words::Solid* one = solid();
    if (one == nullptr) return;
    one->set_shape(shape);
    place(body, *one);
    bits(body[28], *one);
  }
  void add_base(Bytes body) {
    if (world_.bases_size() >= kMostLinks) return;
    words::Base& base = *world_.add_bases();
    base.set_team(team_of(body[1]));
    place(body.subspan(2), *base.mutable_solid());
  }
  void add_teleporter(Bytes body) {
    if (world_.teleporters_size() >= kMostLinks) return;
    words::Teleporter& teleporter = *world_.add_teleporters();
    place(body, *teleporter.mutable_frame());
    teleporter.set_border(f32(body.subspan(28)));
    bits(body[32], *teleporter.mutable_frame());
  }
  void add_link(Bytes body) {
    words::Link& link = *world_.add_links();
    link.set_from(u16(body));
    link.set_to(u16(body.subspan(2)));
  }

  const Resources& from_;
  words::World world_;
  double size_ = kDefaultSize;
  std::size_t unread_ = 0, reads_ = 0, left_ = kMostBytes;
};

bool Resources::add(const Md5& md5, Buffer bytes) {
  if (known_.size() >= kMost || bytes_ + bytes.size() > kMostBytes || wire::md5(bytes) != md5) return false;
  bytes_ += bytes.size();
  known_.insert_or_assign(md5, std::move(bytes));
  return true;
}

std::optional<Md5> Resources::missing(const Md5& root) const {
  std::set<Md5> seen{root};
  std::vector<Md5> to_look{root};
  while (!to_look.empty()) {
    const Md5 md5 = to_look.back();
    to_look.pop_back();
    const auto at = known_.find(md5);
    if (at == known_.end()) return md5;
    each_record(at->second, [&](const Record& record) {
      const auto other = referred(record);
      if (other && seen.size() < kMost && seen.insert(*other).second) to_look.push_back(*other);
    });
  }
  return std::nullopt;
}

std::optional<words::World> Resources::world(const Md5& root, std::size_t& unread) const {
  Reading reading(*this);
  if (!reading.read(root, 0)) return std::nullopt;
  unread = reading.unread();
  words::World world = std::move(reading.world());
  world.set_hash(to_hex(root));
  world.set_kind(words::World::SOLIDS);
  core::set_sides(world, reading.size(), reading.size());
  return world;
}

}  // namespace entente::bzdraft
