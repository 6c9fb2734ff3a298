// Datagrams on their way from the worker that receives them to the worker whose session they belong to.
// Law: bounded. Two buffers are swapped, so that nothing is allocated once they have grown.
#pragma once

#include <cstring>
#include <mutex>

#include "proxy/base/bytes.h"
#include "proxy/net/address.h"
#include "proxy/relay/link_info.h"

namespace entente::relay {

class DatagramQueue {
 public:
  static constexpr std::size_t kMost = 1 << 20;  // bytes

  /// From any thread. False when it is full.
  bool put(LinkId link, const net::Address& from, Bytes datagram);

  /// Calls `hand_out(link, from, datagram)` for each, oldest first. On the owner's thread.
  template <class HandOut>
  void take_all(HandOut&& hand_out);

 private:
  struct Label {
    LinkId link;
    std::uint32_t size;
    net::Address from;
  };

  std::mutex mutex_;
  Buffer filling_, emptying_;
};

inline bool DatagramQueue::put(LinkId link, const net::Address& from, Bytes datagram) {
  const Label label{link, static_cast<std::uint32_t>(datagram.size()), from};
  std::lock_guard lock(mutex_);
  if (filling_.size() + sizeof(label) + datagram.size() > kMost) return false;
  append(filling_, {reinterpret_cast<const std::uint8_t*>(&label), sizeof(label)});
  append(filling_, datagram);
  return true;
}

template <class HandOut>
void DatagramQueue::take_all(HandOut&& hand_out) {
  {
    std::lock_guard lock(mutex_);
    filling_.swap(emptying_);
  }
  Bytes rest(emptying_);
  while (!rest.empty()) {
    Label label;
    std::memcpy(static_cast<void*>(&label), rest.data(), sizeof(label));
    hand_out(label.link, label.from, rest.subspan(sizeof(label), label.size));
    rest = rest.subspan(sizeof(label) + label.size);
  }
  emptying_.clear();
}

}  // namespace entente::relay
