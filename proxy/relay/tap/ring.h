// A ring of entries between two threads: one writes, one reads, neither waits for the other.
// Invariant: an entry is contiguous. An entry that does not fit is not written at all. Writing allocates no memory and
// makes no system call.
#pragma once

#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>

#include "proxy/base/bytes.h"
#include "proxy/base/time.h"

namespace entente::relay {

class Ring {
 public:
  /// What stands before an entry's bytes. `size` is the ring's own; the rest is the writer's.
  struct EntryHeader {
    std::uint32_t size = 0;  ///< of the whole entry, a multiple of 8; 0 = nothing more before the ring's end
    std::uint32_t length = 0;
    WallTime at = 0;
    std::uint32_t link = 0;
    std::uint8_t kind = 0, way = 0, lane = 0, channel = 0;
  };
  static_assert(sizeof(EntryHeader) == 24);

  struct Entry {
    EntryHeader header;
    Bytes bytes;
  };

  /// `capacity` is rounded up to a power of two, at least 4 KiB.
  explicit Ring(std::size_t capacity)
      : capacity_(std::bit_ceil(capacity < 4096 ? 4096 : capacity)),
        memory_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity_)) {}

  std::size_t capacity() const { return capacity_; }
  /// Frees its memory. REQUIRES: it is empty, and nobody writes or reads any more.
  void free() { memory_.reset(); }

  // -- The writer's thread --------------------------------------------------------------------------------------------

  /// False if the entry does not fit with `spare` bytes left free.
  bool push(EntryHeader header, Bytes bytes, std::size_t spare) {
    const std::size_t size = (sizeof(EntryHeader) + bytes.size() + 7) & ~std::size_t{7};
    const std::size_t place = written_ & (capacity_ - 1), to_end = capacity_ - place;
    const std::size_t need = size <= to_end ? size : to_end + size;
    if (!has_room(need + spare)) return false;
    if (need > size) std::memset(memory_.get() + place, 0, sizeof(EntryHeader::size));
    auto* to = memory_.get() + (need > size ? 0 : place);
    header.size = static_cast<std::uint32_t>(size);
    header.length = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(to, &header, sizeof(header));
    if (!bytes.empty()) std::memcpy(to + sizeof(header), bytes.data(), bytes.size());
    written_ += need;
    head_.store(written_, std::memory_order_release);
    return true;
  }

  /// More than this part of the ring waits for the reader: capacity() / `part`.
  bool more_than(std::size_t part) {
    if (written_ - seen_tail_ <= capacity_ / part) return false;
    seen_tail_ = tail_.load(std::memory_order_acquire);
    return written_ - seen_tail_ > capacity_ / part;
  }
  std::size_t written() const { return written_; }
  /// As it was when last looked for.
  std::size_t read_before() const { return seen_tail_; }

  // -- The reader's thread --------------------------------------------------------------------------------------------

  bool empty() {
    if (read_ != seen_head_) return false;
    seen_head_ = head_.load(std::memory_order_acquire);
    return read_ == seen_head_;
  }

  /// The oldest entry, valid until pop(). REQUIRES: not empty().
  Entry front() {
    assert(read_ != seen_head_);
    if (header_at(read_).size == 0) read_ += capacity_ - (read_ & (capacity_ - 1));
    const EntryHeader header = header_at(read_);
    return {header, {memory_.get() + (read_ & (capacity_ - 1)) + sizeof(EntryHeader), header.length}};
  }

  void pop(const Entry& front) {
    read_ += front.header.size;
    tail_.store(read_, std::memory_order_release);
  }

 private:
  bool has_room(std::size_t need) {
    if (capacity_ - (written_ - seen_tail_) >= need) return true;
    seen_tail_ = tail_.load(std::memory_order_acquire);
    return capacity_ - (written_ - seen_tail_) >= need;
  }

  EntryHeader header_at(std::size_t position) const {
    EntryHeader header;
    const std::size_t place = position & (capacity_ - 1);
    std::memcpy(&header.size, memory_.get() + place, sizeof(header.size));
    if (header.size) std::memcpy(&header, memory_.get() + place, sizeof(header));
    return header;
  }

  const std::size_t capacity_;
  std::unique_ptr<std::uint8_t[]> memory_;

  // Positions only grow. Each thread keeps, on a cache line of its own, its position and the other's as last seen.
  alignas(64) std::size_t written_ = 0;
  std::size_t seen_tail_ = 0;
  alignas(64) std::size_t read_ = 0;
  std::size_t seen_head_ = 0;
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace entente::relay
