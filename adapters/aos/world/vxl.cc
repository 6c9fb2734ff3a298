#include "adapters/aos/world/vxl.h"

#include <algorithm>
#include <bit>

namespace entente::aos {
namespace {

/// The bits from `first` up to, but not including, `end`.
std::uint64_t bits(std::uint32_t first, std::uint32_t end) {
  const auto below = [](std::uint32_t n) { return n >= 64 ? ~0ULL : (1ULL << n) - 1; };
  return first >= end ? 0 : below(end) & ~below(first);
}

VoxelColour colour_at(const std::uint8_t* bytes) {
  VoxelColour colour = 0;
  for (unsigned i = 0; i < 4; ++i) colour |= static_cast<VoxelColour>(bytes[i]) << 8U * i;
  return colour;
}

constexpr std::size_t kColumns = std::size_t{kMapSize} * kMapSize;

std::size_t rank(std::uint64_t coloured, std::uint32_t z) {
  return static_cast<std::size_t>(std::popcount(coloured & bits(0, z)));
}

/// Length of the run of set bits that starts at z.
std::uint32_t run_up(std::uint64_t set, std::uint32_t z) {
  return z >= 64 ? 0 : static_cast<std::uint32_t>(std::countr_one(set >> z));
}

/// Length of the run of set bits that ends just before z.
std::uint32_t run_down(std::uint64_t set, std::uint32_t z) {
  return z == 0 ? 0 : static_cast<std::uint32_t>(std::countl_one(set << (64 - z)));
}

}  // namespace

const VoxelMap::Coloured& VoxelMap::coloured(std::size_t column) const {
  static const Coloured kNone;
  return coloured_.empty() ? kNone : coloured_[column];
}

std::uint64_t& VoxelMap::change(std::size_t column) {
  if (solid_.empty()) solid_.assign(kColumns, kWater);
  return solid_[column];
}

VoxelMap::Coloured& VoxelMap::change_colours(std::size_t column) {
  if (coloured_.empty()) coloured_.resize(kColumns);
  return coloured_[column];
}

std::optional<VoxelColour> VoxelMap::colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
  const Coloured& column = coloured(at(x, y));
  if ((column.where >> z & 1U) == 0) return std::nullopt;
  return column.colours[rank(column.where, z)];
}

void VoxelMap::set(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::optional<VoxelColour> colour) {
  clear(x, y, z);
  change(at(x, y)) |= 1ULL << z;
  if (!colour || !keeps_colours_) return;
  Coloured& column = change_colours(at(x, y));
  const auto place = static_cast<std::ptrdiff_t>(rank(column.where, z));
  column.colours.insert(column.colours.begin() + place, *colour);
  column.where |= 1ULL << z;
}

void VoxelMap::clear(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  change(at(x, y)) &= ~(1ULL << z);
  if ((coloured(at(x, y)).where >> z & 1U) == 0) return;
  Coloured& column = change_colours(at(x, y));
  column.colours.erase(column.colours.begin() + static_cast<std::ptrdiff_t>(rank(column.where, z)));
  column.where &= ~(1ULL << z);
}

void VoxelMap::fill(std::uint32_t x, std::uint32_t y, std::uint64_t solid) {
  change(at(x, y)) = solid;
  if (coloured(at(x, y)).where != 0) change_colours(at(x, y)) = {};
}

std::uint32_t VoxelMap::top(std::uint32_t x, std::uint32_t y) const {
  return static_cast<std::uint32_t>(std::countr_zero(column(x, y)));
}

void VoxelMap::forget_colours() {
  std::vector<Coloured>().swap(coloured_);
  keeps_colours_ = false;
}

bool operator==(const VoxelMap& a, const VoxelMap& b) {
  for (std::uint32_t y = 0; y < kMapSize; ++y)
    for (std::uint32_t x = 0; x < kMapSize; ++x) {
      const std::size_t column = VoxelMap::at(x, y);
      if (a.column(x, y) != b.column(x, y) || a.coloured(column) != b.coloured(column)) return false;
    }
  return true;
}

std::optional<Fault> VxlReader::feed(Bytes bytes) {
  Buffer joined;
  if (!kept_.empty()) {
    joined.swap(kept_);
    append(joined, bytes);
    bytes = joined;
  }
  while (bytes.size() >= 4 && !complete()) {
    const std::size_t coloured = bytes[2] + 1U >= bytes[1] ? bytes[2] + 1U - bytes[1] : 0;
    const std::size_t size = bytes[0] == 0 ? 4 * (1 + coloured) : 4U * bytes[0];
    if (bytes.size() < size) break;
    if (const auto fault = span(bytes.first(size))) return fault;
    bytes = bytes.subspan(size);
    offset_ += size;
  }
  if (complete() && !bytes.empty()) return Fault{"bytes after the map", "", offset_};
  kept_.assign(bytes.begin(), bytes.end());
  return std::nullopt;
}

/// Reads one span: N, S, E, A, then the colours of z = S..E, then those of the run above the next air.
std::optional<Fault> VxlReader::span(Bytes span) {
  const std::uint32_t words = span[0], start = span[1], last = span[2], air = span[3];
  const std::uint32_t end = last + 1;  // E may be S - 1: no colour at all
  if (start > kMapHeight || end > kMapHeight || end < start)
    return Fault{"voxel outside the map", "start", offset_ + 1};
  if (air > start || air < floor_) return Fault{"spans out of order", "air", offset_ + 3};
  if (words != 0 && words - 1 < end - start) return Fault{"span too short for its colours", "words", offset_};
  if (air < bottom_.size() || air - bottom_.size() < floor_) return Fault{"colours overlap", "air", offset_ + 3};
  const auto bottom_at = static_cast<std::uint32_t>(air - bottom_.size());
  for (std::uint32_t i = 0; i < bottom_.size(); ++i) colours_.emplace_back(bottom_at + i, bottom_[i]);
  bottom_.clear();
  solid_ &= ~bits(air, start);
  const std::uint8_t* at = span.data() + 4;
  for (std::uint32_t z = start; z < end; ++z, at += 4) colours_.emplace_back(z, colour_at(at));
  for (const std::uint8_t* stop = span.data() + span.size(); at < stop; at += 4) bottom_.push_back(colour_at(at));
  floor_ = end;
  if (words == 0) finish_column();
  return std::nullopt;
}

void VxlReader::finish_column() {
  map_.change(column_) = solid_;
  if (!colours_.empty() && map_.keeps_colours_) {
    VoxelMap::Coloured& column = map_.change_colours(column_);
    column.colours.reserve(colours_.size());
    for (const auto& [z, colour] : colours_) {
      column.where |= 1ULL << z;
      column.colours.push_back(colour);
    }
  }
  ++column_;
  solid_ = ~0ULL;
  colours_.clear();
  floor_ = 0;
}

void write_column(std::uint64_t solid, std::uint64_t coloured, std::span<const VoxelColour> colours, Buffer& out) {
  const auto write = [&](std::uint32_t first, std::uint32_t count) {
    for (std::size_t i = rank(coloured, first), stop = i + count; i < stop; ++i)
      for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(colours[i] >> shift));
  };
  std::uint32_t air = 0;
  for (;;) {
    const std::uint32_t start = air + run_up(~solid, air);
    const std::uint32_t top = run_up(coloured, start);
    const std::uint32_t next_air = start + run_up(solid, start);
    const bool last = next_air >= kMapHeight;
    const std::uint32_t bottom = last ? 0 : std::min(run_down(coloured, next_air), next_air - start - top);
    const std::uint32_t words = last ? 0 : 1 + top + bottom;
    for (const std::uint32_t byte : {words, start, start + top - 1, air})
      out.push_back(static_cast<std::uint8_t>(byte));
    write(start, top);
    if (last) break;
    write(next_air - bottom, bottom);
    air = next_air;
  }
}

void write_vxl(const VoxelMap& map, Buffer& out) {
  for (std::uint32_t y = 0; y < kMapSize; ++y)
    for (std::uint32_t x = 0; x < kMapSize; ++x) {
      const VoxelMap::Coloured& coloured = map.coloured(VoxelMap::at(x, y));
      write_column(map.column(x, y), coloured.where, coloured.colours, out);
    }
}

}  // namespace entente::aos
