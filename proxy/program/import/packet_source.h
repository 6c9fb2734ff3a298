// The packets of a capture file, one after another.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/time.h"

namespace entente {

struct CapturedPacket {
  int link = 0;          ///< a DLT_ value of libpcap, or a LINKTYPE_ value; they are the same for types that carry IP
  WallTime time = 0;     ///< 0: the file says none
  Bytes bytes;           ///< as far as captured; valid until the next packet is read
  bool cut = false;      ///< bytes of it were sent but not captured
  std::size_t size = 0;  ///< of its record in the file, headers included
};

class PacketSource {
 public:
  virtual ~PacketSource() = default;
  /// None: the file ends. After an Error, which says where in the file, the source is not used any more.
  virtual Outcome<std::optional<CapturedPacket>> next() = 0;
};

/// Reads pcap (by libpcap) or pcapng. Closes `file`, which is at its beginning.
Outcome<std::unique_ptr<PacketSource>> open_packet_source(std::FILE* file);

}  // namespace entente
