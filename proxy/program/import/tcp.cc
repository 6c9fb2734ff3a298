#include "proxy/program/import/tcp.h"

namespace entente {
namespace {

constexpr std::size_t kMostHeld = 1u << 20;    // of one direction, bytes
constexpr std::size_t kMostPieces = 4096;      // likewise
constexpr std::uint64_t kFirst = 1ULL << 33U;  // so that a place before the first byte is a number too

}  // namespace

void TcpStream::syn(std::uint32_t sequence) {
  if (began_) return;
  began_ = true;
  next_ = kFirst + sequence + 1;
}

void TcpStream::segment(std::uint32_t sequence, Bytes bytes, std::size_t missing, bool fin, To& to) {
  if (!began_) syn(sequence - 1);
  const auto ahead = static_cast<std::int32_t>(sequence - static_cast<std::uint32_t>(next_));
  const std::uint64_t at = next_ + static_cast<std::uint64_t>(std::int64_t{ahead});
  if (at <= next_) {
    take(at, bytes, missing, fin, to);
    return drain(to);
  }
  if (bytes.empty() && missing == 0 && !fin) return;
  Piece& piece = waiting_[at];
  if (bytes.size() + missing > piece.bytes.size() + piece.missing || bytes.size() > piece.bytes.size()) {
    held_ += bytes.size();
    held_ -= piece.bytes.size();
    piece.bytes.assign(bytes.begin(), bytes.end());
    piece.missing = missing;
  }
  piece.fin = piece.fin || fin;
  while (held_ > kMostHeld || waiting_.size() > kMostPieces) pass_hole(to);
}

void TcpStream::end(To& to) {
  while (!waiting_.empty()) pass_hole(to);
}

/// REQUIRES: at <= next_.
void TcpStream::take(std::uint64_t at, Bytes bytes, std::size_t missing, bool fin, To& to) {
  const std::uint64_t known = next_ - at;  // bytes of it that were given out before
  if (known < bytes.size()) {
    next_ = at + bytes.size();
    to.stream(bytes.subspan(static_cast<std::size_t>(known)));
  }
  const std::uint64_t end = at + bytes.size() + missing;
  if (end > next_) {
    to.hole(end - next_);
    next_ = end;
  }
  if (fin && !fin_ && end == next_) {
    fin_ = true;
    to.fin();
  }
}

void TcpStream::drain(To& to) {
  while (!waiting_.empty() && waiting_.begin()->first <= next_) {
    const auto piece = waiting_.extract(waiting_.begin());
    held_ -= piece.mapped().bytes.size();
    take(piece.key(), piece.mapped().bytes, piece.mapped().missing, piece.mapped().fin, to);
  }
}

void TcpStream::pass_hole(To& to) {
  const std::uint64_t at = waiting_.begin()->first;
  if (at > next_) {
    to.hole(at - next_);
    next_ = at;
  }
  drain(to);
}

}  // namespace entente
