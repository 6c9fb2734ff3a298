// A host of a room that only counts the bytes sent to peers. Tests that need more override it.
#pragma once

#include "proxy/core/room/room.h"

namespace entente::testing {

class DeafHost : public core::Room::Host {
 public:
  void send(core::Id, Lane, Bytes bytes) override { ++sends, last = bytes.size(), sent += last; }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault&) override {}
  void dial() override {}

  std::size_t sends = 0;
  std::size_t sent = 0, last = 0;  ///< bytes: in total, and of the last send
};

}  // namespace entente::testing
