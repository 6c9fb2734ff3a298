// The bytes of a link that the kernel has not accepted yet, in order: copies, and bytes that other links send, too.
// Invariant: shared bytes are not copied if they are many, and nothing is kept longer than it waits. Allocates nothing
// while nothing waits.
#pragma once

#include <sys/uio.h>

#include <span>
#include <vector>

#include "proxy/base/shared_bytes.h"

namespace entente::net {

class WaitingBytes {
 public:
  /// Fewer bytes than this are copied, so that no reader keeps a large block because of a few bytes in it.
  static constexpr std::size_t kWorthSharing = 16 * 1024;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Bytes of memory that wait because of this reader. Shared bytes count for all their readers in equal parts.
  std::size_t weight() const;

  void add(Bytes bytes);
  void add(const SharedBytes& bytes);
  /// Fills `places` with what comes first. Returns how many were filled.
  std::size_t fill(std::span<iovec> places) const;
  /// What comes first, in one piece. Empty only if nothing waits.
  Bytes first() const;
  /// The first `count` bytes were written. REQUIRES: at most size().
  void drop(std::size_t count);
  void clear();

 private:
  struct Piece {
    Buffer own;
    SharedBytes shared;  // with an owner: instead of `own`
    Bytes bytes() const { return shared.owner ? shared.bytes : Bytes(own); }
  };
  void forget_sent();

  std::vector<Piece> pieces_;
  std::size_t at_ = 0;    // the first piece that was not written
  std::size_t sent_ = 0;  // bytes of it that were
  std::size_t size_ = 0;
};

}  // namespace entente::net
