#include "proxy/net/output/waiting_bytes.h"

#include <algorithm>

namespace entente::net {
namespace {

constexpr std::size_t kKeptRoom = 4 * 1024;  // a drained queue larger than this gives its memory back
constexpr std::size_t kManyPieces = 16;      // that were written, and are still in the list

}  // namespace

std::size_t WaitingBytes::weight() const {
  std::size_t all = 0;
  for (std::size_t i = at_; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const auto readers = static_cast<std::size_t>(std::max(piece.shared.owner.use_count(), 1L));
    all += piece.shared.owner ? piece.shared.bytes.size() / readers : piece.own.size();
  }
  return all;
}

/// The buffer grows by an eighth instead of doubling, because many readers may be slow.
void WaitingBytes::add(Bytes bytes) {
  if (bytes.empty()) return;
  if (pieces_.empty() || pieces_.back().shared.owner) pieces_.emplace_back();
  if (Buffer& own = pieces_.back().own; own.size() + bytes.size() > own.capacity()) {
    if (at_ + 1 == pieces_.size()) forget_sent();
    const std::size_t need = own.size() + bytes.size();
    if (need > own.capacity()) own.reserve(need <= kKeptRoom ? kKeptRoom : need + std::max(need / 8, kKeptRoom));
  }
  append(pieces_.back().own, bytes);
  size_ += bytes.size();
}

void WaitingBytes::add(const SharedBytes& bytes) {
  if (bytes.owner == nullptr || bytes.bytes.size() < kWorthSharing) return add(bytes.bytes);
  size_ += bytes.bytes.size();
  if (!pieces_.empty() && pieces_.back().shared.owner && pieces_.back().shared.continues_in(bytes)) {
    Bytes& last = pieces_.back().shared.bytes;
    last = {last.data(), last.size() + bytes.bytes.size()};
    return;
  }
  pieces_.push_back({{}, bytes});
}

std::size_t WaitingBytes::fill(std::span<iovec> places) const {
  std::size_t count = 0;
  for (std::size_t i = at_; i < pieces_.size() && count < places.size(); ++i) {
    const Bytes bytes = pieces_[i].bytes().subspan(i == at_ ? sent_ : 0);
    if (!bytes.empty()) places[count++] = {const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  }
  return count;
}

Bytes WaitingBytes::first() const {
  for (std::size_t i = at_; i < pieces_.size(); ++i)
    if (const Bytes bytes = pieces_[i].bytes().subspan(i == at_ ? sent_ : 0); !bytes.empty()) return bytes;
  return {};
}

/// Frees the beginning of a buffer once that is the larger part.
void WaitingBytes::drop(std::size_t count) {
  size_ -= count;
  if (size_ == 0) return clear();
  while (count >= pieces_[at_].bytes().size() - sent_) {
    count -= pieces_[at_].bytes().size() - sent_;
    pieces_[at_++] = {};
    sent_ = 0;
  }
  sent_ += count;
  if (at_ >= kManyPieces && at_ > pieces_.size() / 2) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
  }
  if (!pieces_[at_].shared.owner && sent_ > pieces_[at_].own.size() / 2) forget_sent();
}

/// REQUIRES: the first piece that was not written is one of our own.
void WaitingBytes::forget_sent() {
  Buffer& own = pieces_[at_].own;
  own.erase(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(sent_));
  sent_ = 0;
}

/// Keeps a small buffer for the next time.
void WaitingBytes::clear() {
  Buffer room;
  if (pieces_.size() == 1) room = std::move(pieces_.front().own);
  clear_keeping(room, kKeptRoom);
  clear_keeping(pieces_, kManyPieces);
  if (room.capacity() != 0) pieces_.push_back({std::move(room), {}});
  at_ = sent_ = size_ = 0;
}

}  // namespace entente::net
