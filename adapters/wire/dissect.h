// A dissector takes one connection's bytes, cut anywhere, and gives its frames. Tap, verify and inspect use it.
// Law: every byte comes out once, in order and per direction: as a frame, or as raw bytes once framing is lost.
#pragma once

#include <memory>
#include <optional>

#include "adapters/wire/game.h"

namespace entente::wire {

/// Who is told. All bytes are valid only during the call.
class Dissected {
 public:
  virtual ~Dissected() = default;
  virtual void frame(const Frame& frame) = 0;
  /// Bytes that are no frame: framing was lost (`why` is then the fault, told once), or was lost before; or one refused
  /// datagram or message.
  virtual void raw(Way way, Lane lane, Bytes bytes, const Fault* why) = 0;
};

class Dissector {
 public:
  Dissector(const Game& game, std::size_t dialect);

  /// Stream bytes as they were read; keeps at most one incomplete frame a direction. One whole message, perhaps empty,
  /// where the transport keeps messages apart.
  void stream(Way way, Bytes bytes, Dissected& to);

  /// One whole datagram; it may hold several frames.
  void datagram(Way way, Bytes bytes, Dissected& to);

  /// The connection ended, or bytes were lost before this point: what is incomplete comes out raw, without a fault.
  /// After a loss nothing of that direction can be cut any more.
  void end(Way way, Dissected& to, bool lost);

  /// Whole frames were lost before this point, and what follows begins with one. What is incomplete comes out raw.
  void skip(Way way, Dissected& to);

  /// Bytes of an incomplete frame that are kept for now.
  std::size_t pending(Way way) const { return side(way).kept.size(); }

 private:
  struct Side {
    std::unique_ptr<Cutter> cutter;
    Buffer kept;
    bool lost = false;
  };
  Side& side(Way way) { return way == Way::kToServer ? to_server_ : to_client_; }
  const Side& side(Way way) const { return way == Way::kToServer ? to_server_ : to_client_; }
  /// Cuts whole frames from `bytes`; returns how many bytes were taken.
  std::size_t cut(Side& side, Way way, Bytes bytes, Dissected& to);

  bool messages_;
  Side to_server_, to_client_;
  std::unique_ptr<Cutter> datagrams_[2];
};

}  // namespace entente::wire
