#include "proxy/program/import/pcapng.h"

#include <algorithm>
#include <string>

namespace entente {
namespace {

constexpr std::uint32_t kSection = 0x0A0D0D0A, kInterface = 1, kObsolete = 2, kSimple = 3, kEnhanced = 6;
constexpr std::size_t kEdge = 8;                   // type and length before the body
constexpr std::size_t kSmallestBlock = kEdge + 4;  // and the length again
constexpr std::size_t kLargestBlock = 16u << 20;   // as in libpcap
constexpr std::size_t kMostInterfaces = 65'536;    // in one section
constexpr std::uint16_t kEndOfOptions = 0, kTimeResolution = 9, kTimeOffset = 14;
constexpr std::uint64_t kNanoseconds = 1'000'000'000;  // in a second
constexpr const char* kTimeRange = "the packet's time is before 1970 or after 2554";

/// 10^power; REQUIRES: power <= 19.
std::uint64_t ten_to(unsigned power) {
  std::uint64_t out = 1;
  for (; power != 0; --power) out *= 10;
  return out;
}

/// Since the interface's own start of time; nothing: too far away.
std::optional<std::uint64_t> nanoseconds(std::uint64_t ticks, std::uint8_t resolution) {
  std::uint64_t out = 0;
  if (resolution < 128) {
    if (resolution > 9) return resolution - 9U > 19 ? 0 : ticks / ten_to(resolution - 9U);
    if (__builtin_mul_overflow(ticks, ten_to(9U - resolution), &out)) return std::nullopt;
    return out;
  }
  constexpr unsigned kKept = 34;  // bits of the fraction: 2^34 * 10^9 fits, and is finer than a nanosecond
  const unsigned bits = resolution - 128U;
  std::uint64_t fraction = bits < 64 ? ticks & ((std::uint64_t{1} << bits) - 1) : ticks;
  if (bits > kKept) fraction = bits - kKept < 64 ? fraction >> (bits - kKept) : 0;
  const std::uint64_t part = fraction * kNanoseconds >> std::min(bits, kKept);
  if (__builtin_mul_overflow(bits < 64 ? ticks >> bits : 0, kNanoseconds, &out)) return std::nullopt;
  if (__builtin_add_overflow(out, part, &out)) return std::nullopt;
  return out;
}

/// With the start added; nothing: outside of WallTime.
std::optional<WallTime> shifted(std::uint64_t time, std::int64_t seconds) {
  const std::uint64_t distance =
      seconds < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(seconds) : static_cast<std::uint64_t>(seconds);
  std::uint64_t shift = 0, out = 0;
  if (__builtin_mul_overflow(distance, kNanoseconds, &shift)) return std::nullopt;
  const bool outside =
      seconds < 0 ? __builtin_sub_overflow(time, shift, &out) : __builtin_add_overflow(time, shift, &out);
  return outside ? std::nullopt : std::optional(out);
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

}  // namespace

std::uint16_t PcapngReader::u16(std::size_t at) const {
  const unsigned first = block_[at], second = block_[at + 1];
  return static_cast<std::uint16_t>(big_endian_ ? first << 8U | second : second << 8U | first);
}

std::uint32_t PcapngReader::u32(std::size_t at) const {
  const std::uint32_t first = u16(at), second = u16(at + 2);
  return big_endian_ ? first << 16U | second : second << 16U | first;
}

Outcome<std::optional<CapturedPacket>> PcapngReader::next() {
  packet_.reset();
  while (!packet_) {
    at_ += block_.size();
    ++number_;
    block_.clear();
    if (const Why why = read_block())
      return Error{"block " + std::to_string(number_) + " at byte " + std::to_string(at_) + ": " + why};
    if (block_.empty()) return std::optional<CapturedPacket>();
  }
  packet_->size = block_.size();
  return packet_;
}

/// Reads until the block has `size` bytes. A large size is believed piece by piece, as far as the file has it.
PcapngReader::Why PcapngReader::fill(std::size_t size) {
  constexpr std::size_t kPiece = 1u << 16;
  while (block_.size() < size) {
    const std::size_t had = block_.size();
    block_.resize(std::min(size, had + kPiece));
    const std::size_t got = std::fread(block_.data() + had, 1, block_.size() - had, file_.get());
    if (had + got == block_.size()) continue;
    block_.resize(had + got);
    return std::ferror(file_.get()) != 0 ? "the file cannot be read" : "the file ends in it";
  }
  return nullptr;
}

/// Empty: the file ended before it.
PcapngReader::Why PcapngReader::read_block() {
  if (const Why why = fill(kEdge)) return block_.empty() && std::feof(file_.get()) != 0 ? nullptr : why;
  const bool is_section = u32(0) == kSection;  // the same in both byte orders
  if (is_section) {
    if (const Why why = fill(kSmallestBlock)) return why;
    constexpr std::uint8_t kBig[] = {0x1A, 0x2B, 0x3C, 0x4D}, kLittle[] = {0x4D, 0x3C, 0x2B, 0x1A};
    big_endian_ = same(Bytes(block_).subspan(kEdge, 4), kBig);
    if (!big_endian_ && !same(Bytes(block_).subspan(kEdge, 4), kLittle)) return "no byte-order magic";
  } else if (number_ == 1) {
    return "no section header";
  }
  const std::size_t size = u32(4);
  if (size < kSmallestBlock || size % 4 != 0 || size < block_.size()) return "its length is impossible";
  if (size > kLargestBlock) return "it is longer than 16 MiB";
  if (const Why why = fill(size)) return why;
  if (u32(size - 4) != size) return "its two lengths differ";
  switch (u32(0)) {
    case kSection:
      return section();
    case kInterface:
      return interface_block();
    case kObsolete:
      return enhanced(true);
    case kSimple:
      return simple();
    case kEnhanced:
      return enhanced(false);
    default:
      return nullptr;
  }
}

PcapngReader::Why PcapngReader::section() {
  if (block_.size() < 28) return "a section header needs 28 bytes";
  if (u16(12) != 1) return "only version 1 of pcapng can be read";
  interfaces_.clear();
  return nullptr;
}

PcapngReader::Why PcapngReader::interface_block() {
  if (block_.size() < 20) return "an interface needs 20 bytes";
  if (interfaces_.size() == kMostInterfaces) return "more than 65536 interfaces";
  Interface made{u16(8), u32(12), 6, 0};
  for (std::size_t at = 16; at + 4 <= block_.size() - 4;) {
    const std::uint16_t code = u16(at), size = u16(at + 2);
    if (code == kEndOfOptions) break;
    if (block_.size() - 4 - (at + 4) < padded(size)) return "an option is longer than its block";
    if (code == kTimeResolution) {
      if (size != 1) return "if_tsresol needs 1 byte";
      made.resolution = block_[at + 4];
    }
    if (code == kTimeOffset) {
      if (size != 8) return "if_tsoffset needs 8 bytes";
      const std::uint64_t first = u32(at + 4), second = u32(at + 8);
      made.offset_s = static_cast<std::int64_t>(big_endian_ ? first << 32U | second : second << 32U | first);
    }
    at += 4 + padded(size);
  }
  interfaces_.push_back(made);
  return nullptr;
}

/// The obsolete block has a count of drops beside the interface's number, and is the same otherwise.
PcapngReader::Why PcapngReader::enhanced(bool obsolete) {
  constexpr std::size_t kHead = 28;
  if (block_.size() < kHead + 4) return "a packet needs 32 bytes";
  const std::size_t id = obsolete ? u16(8) : u32(8);
  if (id >= interfaces_.size()) return "its interface is unknown";
  const Interface& of = interfaces_[id];
  packet_.emplace().link = of.link;
  if (const Why why = set_time(of, std::uint64_t{u32(12)} << 32U | u32(16))) return why;
  return set_bytes(Bytes(block_).subspan(kHead, block_.size() - kHead - 4), u32(20), u32(24));
}

/// Of the first interface, and without a time.
PcapngReader::Why PcapngReader::simple() {
  constexpr std::size_t kHead = 12;
  if (block_.size() < kHead + 4) return "a packet needs 16 bytes";
  if (interfaces_.empty()) return "its interface is unknown";
  const Interface& of = interfaces_[0];
  packet_.emplace().link = of.link;
  packet_->time = time_;
  const std::size_t sent = u32(8), limit = of.snap_length;
  const Bytes data = Bytes(block_).subspan(kHead, block_.size() - kHead - 4);
  return set_bytes(data, limit != 0 ? std::min(sent, limit) : sent, sent);
}

PcapngReader::Why PcapngReader::set_time(const Interface& of, std::uint64_t ticks) {
  const auto since = nanoseconds(ticks, of.resolution);
  const auto time = since ? shifted(*since, of.offset_s) : std::nullopt;
  if (!time) return kTimeRange;
  packet_->time = time_ = *time;
  return nullptr;
}

PcapngReader::Why PcapngReader::set_bytes(Bytes data, std::size_t captured, std::size_t sent) {
  if (captured > data.size()) return "the packet is longer than its block";
  packet_->bytes = data.first(captured);
  packet_->cut = captured < sent;
  return nullptr;
}

}  // namespace entente
