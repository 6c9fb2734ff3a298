// Collects what the links of a loop send during a turn. At its end each link writes once, however often it sent,
// because a system call costs far more than the bytes of a message. Invariant: nothing stays longer than the turn, and
// a link's bytes go out in the order sent. Allocates nothing in steady state.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "proxy/base/shared_bytes.h"

namespace entente::net {

class Outbox {
 public:
  /// Bytes to write. `owner`: what keeps them, if somebody does. Never null.
  struct Part {
    Bytes bytes;
    const BytesOwner* owner;
  };
  class Sender {
   public:
    virtual ~Sender() = default;
    /// Everything that it sent since the last flush, in order. Must not call take() or lend().
    virtual void write_out(std::span<const Part> parts) = 0;

   private:
    friend class Outbox;
    std::uint32_t first_ = kNone, last_ = kNone;  // its parcels
  };

  Outbox();

  /// Copies `bytes` and writes them before the turn ends. False: there are too many to be worth copying. What waited
  /// here was written, and the caller writes `bytes` itself.
  bool take(Sender& sender, Bytes bytes);
  /// As take(), without a copy: the bytes must stay valid until the next flush(). With an owner, they may be kept.
  void lend(Sender& sender, const SharedBytes& shared);
  /// Whether something of this sender waits here.
  static bool holds(const Sender& sender) { return sender.first_ != kNone; }
  void flush();

 private:
  static constexpr std::size_t kCapacity = 256 * 1024;
  static constexpr std::size_t kMostAtOnce = 4 * 1024;
  static constexpr std::size_t kMostParcels = 4 * 1024;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Parcel {
    SharedBytes shared;
    std::uint32_t next;  // of the same sender
  };
  void add(Sender& sender, const SharedBytes& shared);

  Buffer space_;
  std::size_t used_ = 0;
  std::vector<Parcel> parcels_;
  std::vector<Sender*> senders_;  // in the order in which they began to send
  std::vector<Part> parts_;       // of the one that is being written out
};

}  // namespace entente::net
