// One direction of a TCP connection, reassembled from captured segments: duplicates are dropped, order is restored.
// Invariant: each byte of the stream is delivered once, in order. A gap that is not filled within a memory limit is
// reported and skipped.
#pragma once

#include <cstdint>
#include <map>

#include "proxy/base/bytes.h"

namespace entente {

class TcpStream {
 public:
  class To {
   public:
    virtual ~To() = default;
    virtual void stream(Bytes bytes) = 0;
    virtual void hole(std::uint64_t bytes) = 0;
    virtual void fin() = 0;
  };

  bool began() const { return began_; }
  /// The stream's first byte has the number after `sequence`.
  void syn(std::uint32_t sequence);
  /// Takes bytes from `sequence` on; the last `missing` of them were not captured.
  void segment(std::uint32_t sequence, Bytes bytes, std::size_t missing, bool fin, To& to);
  /// The capture ended: delivers what waits after a gap.
  void end(To& to);

 private:
  struct Piece {
    Buffer bytes;
    std::size_t missing = 0;
    bool fin = false;
  };

  void take(std::uint64_t at, Bytes bytes, std::size_t missing, bool fin, To& to);
  void drain(To& to);
  void pass_hole(To& to);

  bool began_ = false;
  bool fin_ = false;
  std::uint64_t next_ = 0;                  // offset of the next byte; its low 32 bits are the TCP sequence number
  std::map<std::uint64_t, Piece> waiting_;  // by place, behind a hole
  std::size_t held_ = 0;                    // bytes that wait
};

}  // namespace entente
