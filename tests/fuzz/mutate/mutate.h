// Mutates the inputs of fuzz targets that are conversations: whole messages are invented, dropped, repeated and moved,
// and fields get other values. What libFuzzer's own mutators do to bytes rarely decodes.
//
// An input is a head, then pieces: a mark of one byte, a size, and the bytes that somebody says. A target says in a
// Format who that is (conversation()); its mutator then knows the game by its codecs. Invariant: the same input and
// seed give the same result, and never more bytes than are allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "adapters/wire/game.h"

namespace entente::fuzz {

/// Who says a piece.
struct Voice {
  const wire::Game* game = nullptr;  ///< null: nobody; time passes, for example, and there are no bytes
  std::size_t dialect = 0;
  wire::Way way = wire::Way::kToServer;
  wire::Lane lane = wire::Lane::kStream;
  bool word = false;  ///< a word as proxy/core writes it: a message of the game `native` without its length
};

struct Format {
  std::size_t head = 1;        ///< bytes before the first piece
  bool marked = true;          ///< whether pieces have marks; otherwise `mark` is 0
  std::size_t size_bytes = 1;  ///< 1 or 2; 0: what remains of the input is one piece
  bool big_endian = false;     ///< the size
  /// `input` is all of it.
  std::function<Voice(Bytes input, std::uint8_t mark)> voice;
};

/// Changes some bytes, in place: LLVMFuzzerMutate. Returns the new size, at most `most`.
using Noise = std::function<std::size_t(std::uint8_t* data, std::size_t size, std::size_t most)>;

/// Changes an input of `size` bytes in place; there is room for `most`. Returns the new size.
std::size_t mutate(const Format& format, const Noise& noise, std::uint8_t* data, std::size_t size, std::size_t most,
                   unsigned seed);

/// Makes an input of pieces of two others. Returns its size, at most `most`.
std::size_t cross(const Format& format, Bytes one, Bytes other, std::uint8_t* out, std::size_t most, unsigned seed);

struct Understood {
  std::size_t frames = 0;  ///< that decode
  std::size_t of = 0;      ///< pieces that somebody says
};
/// How much of an input is messages.
Understood understood(const Format& format, Bytes input);

}  // namespace entente::fuzz
