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

VoxelMap::VoxelMap() : columns_(kMapSize * kMapSize) {
  for (Column& column : columns_) column.solid = 1ULL << (kMapHeight - 1);
}

std::optional<VoxelColour> VoxelMap::colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
  const Column& column = at(x, y);
  if ((column.coloured >> z & 1U) == 0) return std::nullopt;
  return column.colours[rank(column.coloured, z)];
}

void VoxelMap::set(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::optional<VoxelColour> colour) {
  clear(x, y, z);
  Column& column = at(x, y);
  column.solid |= 1ULL << z;
  if (!colour) return;
  const auto place = static_cast<std::ptrdiff_t>(rank(column.coloured, z));
  column.colours.insert(column.colours.begin() + place, *colour);
  column.coloured |= 1ULL << z;
}

void VoxelMap::clear(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  Column& column = at(x, y);
  if ((column.coloured >> z & 1U) != 0)
    column.colours.erase(column.colours.begin() + static_cast<std::ptrdiff_t>(rank(column.coloured, z)));
  column.coloured &= ~(1ULL << z);
  column.solid &= ~(1ULL << z);
}

std::uint32_t VoxelMap::top(std::uint32_t x, std::uint32_t y) const {
  return static_cast<std::uint32_t>(std::countr_zero(at(x, y).solid));
}

std::optional<Fault> VxlReader::feed(Bytes bytes) {
  append(kept_, bytes);
  std::size_t taken = 0;
  Buffer left;
  left.swap(kept_);
  while (left.size() - taken >= 4) {
    if (complete()) return Fault{"bytes after the map", "", offset_};
    const std::uint8_t* header = left.data() + taken;
    const std::size_t coloured = header[2] + 1U >= header[1] ? header[2] + 1U - header[1] : 0;
    const std::size_t size = header[0] == 0 ? 4 * (1 + coloured) : 4U * header[0];
    if (left.size() - taken < size) break;
    kept_.assign(header, header + size);
    if (const auto fault = span()) return fault;
    taken += size;
    offset_ += size;
  }
  if (complete() && taken < left.size()) return Fault{"bytes after the map", "", offset_};
  kept_.assign(left.begin() + static_cast<std::ptrdiff_t>(taken), left.end());
  return std::nullopt;
}

/// Reads the span in kept_: N, S, E, A, then the colours of z = S..E, then those of the run above the next air.
std::optional<Fault> VxlReader::span() {
  const std::uint32_t words = kept_[0], start = kept_[1], last = kept_[2], air = kept_[3];
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
  const std::uint8_t* at = kept_.data() + 4;
  for (std::uint32_t z = start; z < end; ++z, at += 4) colours_.emplace_back(z, colour_at(at));
  for (const std::uint8_t* stop = kept_.data() + kept_.size(); at < stop; at += 4) bottom_.push_back(colour_at(at));
  floor_ = end;
  if (words == 0) finish_column();
  return std::nullopt;
}

void VxlReader::finish_column() {
  VoxelMap::Column& column = map_.columns_[column_];
  column.solid = solid_;
  column.coloured = 0;
  for (const auto& [z, colour] : colours_) {
    column.coloured |= 1ULL << z;
    column.colours.push_back(colour);
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
  for (const auto& column : map.columns_) write_column(column.solid, column.coloured, column.colours, out);
}

}  // namespace entente::aos
