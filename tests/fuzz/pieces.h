// Reads a fuzzer's input to a room in pieces: a byte for the sender, one or two for the size (big endian), and
// the bytes.
#pragma once

#include <algorithm>

#include "proxy/core/room/room.h"

namespace entente::fuzz {

class Pieces {
 public:
  explicit Pieces(Bytes input, std::size_t size_bytes = 1) : left_(input), size_bytes_(size_bytes) {}

  /// Of the piece that next() found.
  std::uint8_t who = 0;
  std::size_t much = 0;

  /// Reads the next `who` and `much`; false at the end of the input.
  bool next() {
    if (left_.size() < 1 + size_bytes_) return false;
    who = left_[0];
    much = left_[1];
    if (size_bytes_ == 2) much = much << 8U | left_[2];
    left_ = left_.subspan(1 + size_bytes_);
    return true;
  }
  /// The bytes of the piece.
  Bytes take() {
    const Bytes said = left_.first(std::min(left_.size(), much));
    left_ = left_.subspan(said.size());
    return said;
  }
  /// For a piece that is time: passes 20 ms in the room for each unit of `much`.
  void pass(core::Room& room, core::Micros& now) const {
    now += much * 20 * core::kMillisecond;
    room.tick(now);
  }

 private:
  Bytes left_;
  std::size_t size_bytes_;
};

}  // namespace entente::fuzz
