// A dissector takes one connection's bytes, in arbitrary pieces, and returns its frames. Used by tap, verify and
// inspect.
//
//   Dissector dissector(game, dialect);
//   dissector.stream(Way::kToServer, bytes, sink);              // sink.frame() for each whole frame
//   dissector.end(Way::kToServer, sink, false);                 // sink.raw() if a frame is incomplete
//
// Invariant: every byte comes out once, in order, per direction: in a frame, or as raw bytes once framing is lost.
#pragma once

#include <memory>
#include <optional>

#include "adapters/wire/game.h"

namespace entente::wire {

/// Receives the results. Bytes are valid only during the call.
class DissectorSink {
 public:
  virtual ~DissectorSink() = default;
  virtual void frame(const Frame& frame) = 0;
  /// Bytes outside a frame: framing is lost (`why` is the fault, given once), or was lost before; or one refused
  /// datagram or message.
  virtual void raw(Way way, Lane lane, Bytes bytes, const Fault* why) = 0;
};

/// Of one connection. Not thread-safe. `game` outlives it.
class Dissector {
 public:
  Dissector(const Game& game, std::size_t dialect);

  /// Takes stream bytes as they were read; keeps at most one incomplete frame per direction. On a transport that
  /// keeps messages apart: takes one whole message, possibly empty.
  void stream(Way way, Bytes bytes, DissectorSink& to);

  /// Takes one whole datagram, which may hold several frames.
  void datagram(Way way, Bytes bytes, DissectorSink& to);

  /// The connection ended, or bytes were lost: an incomplete frame comes out raw, without a fault. After a loss,
  /// nothing of that direction can be cut into frames.
  void end(Way way, DissectorSink& to, bool lost);

  /// Whole frames were lost; what follows begins with a frame. An incomplete frame comes out raw.
  void skip(Way way, DissectorSink& to);

  /// Bytes that are kept of an incomplete frame.
  std::size_t pending(Way way) const { return side(way).kept.size(); }

 private:
  struct Side {
    std::unique_ptr<Cutter> cutter;
    Buffer kept;
    bool lost = false;
  };
  Side& side(Way way) { return way == Way::kToServer ? to_server_ : to_client_; }
  const Side& side(Way way) const { return way == Way::kToServer ? to_server_ : to_client_; }
  /// Cuts whole frames from `bytes`; returns how many bytes they had.
  std::size_t cut(Side& side, Way way, Bytes bytes, DissectorSink& to);

  bool messages_;
  Side to_server_, to_client_;
  std::unique_ptr<Cutter> datagrams_[2];
};

}  // namespace entente::wire
