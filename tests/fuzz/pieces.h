// Reads a fuzzer's input to a room in pieces: a byte for the sender, a byte for the size, and the bytes.
#pragma once

#include <algorithm>

#include "proxy/core/room/room.h"

namespace entente::fuzz {

class Pieces {
 public:
  explicit Pieces(Bytes input) : left_(input) {}

  std::uint8_t who = 0, much = 0;  ///< of the piece that next() found

  /// Reads the next `who` and `much`; false at the end of the input.
  bool next() {
    if (left_.size() < 2) return false;
    who = left_[0];
    much = left_[1];
    left_ = left_.subspan(2);
    return true;
  }
  /// The bytes of the piece: `much` units of so many bytes.
  Bytes take(std::size_t unit = 1) {
    const Bytes said = left_.first(std::min(left_.size(), unit * much));
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
};

}  // namespace entente::fuzz
