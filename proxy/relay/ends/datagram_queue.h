// Datagrams that wait: on their way from the worker that receives them to the worker of their session, or for the turn
// of their sender (datagram_inbox.h).
// Invariant: bounded. Two buffers are swapped, so that nothing is allocated once they have grown to what they keep.
#pragma once

#include <cstring>
#include <mutex>

#include "proxy/base/bytes.h"
#include "proxy/net/address.h"
#include "proxy/relay/base/link_info.h"

namespace entente::relay {

class DatagramQueue {
 public:
  static constexpr std::size_t kMost = 1 << 20;  // bytes

  /// `most`: bytes that may wait. `kept`: bytes of memory that each of the two buffers keeps when it is empty.
  explicit DatagramQueue(std::size_t most = kMost, std::size_t kept = kMost) : most_(most), kept_(kept) {}

  /// From any thread. False when it is full.
  bool put(LinkId link, const net::Address& from, Bytes datagram);

  /// Calls `hand_out(link, from, datagram)` for each, oldest first, for as long as `more()`. True: nothing is left. On
  /// the owner's thread.
  template <class HandOut, class More>
  bool take(HandOut&& hand_out, More&& more);

 private:
  struct Label {
    LinkId link;
    std::uint32_t size;
    net::Address from;
  };

  const std::size_t most_, kept_;
  std::mutex mutex_;
  Buffer filling_, emptying_;
  std::size_t taken_ = 0;  // bytes of emptying_
};

inline bool DatagramQueue::put(LinkId link, const net::Address& from, Bytes datagram) {
  const Label label{link, static_cast<std::uint32_t>(datagram.size()), from};
  std::lock_guard lock(mutex_);
  if (filling_.size() + sizeof(label) + datagram.size() > most_) return false;
  append(filling_, {reinterpret_cast<const std::uint8_t*>(&label), sizeof(label)});
  append(filling_, datagram);
  return true;
}

template <class HandOut, class More>
bool DatagramQueue::take(HandOut&& hand_out, More&& more) {
  for (;;) {
    if (taken_ == emptying_.size()) {
      clear_keeping(emptying_, kept_);
      taken_ = 0;
      std::lock_guard lock(mutex_);
      filling_.swap(emptying_);
    }
    if (emptying_.empty()) return true;
    Label label;
    std::memcpy(static_cast<void*>(&label), emptying_.data() + taken_, sizeof(label));
    const Bytes datagram = Bytes(emptying_).subspan(taken_ + sizeof(label), label.size);
    taken_ += sizeof(label) + label.size;
    hand_out(label.link, label.from, datagram);
    if (!more()) return false;
  }
}

}  // namespace entente::relay
