// Reads the packets of a pcapng file (draft-ietf-opsawg-pcapng): each with the link type, clock and byte order of its
// own interface and section. (libpcap 1.10 refuses a file whose interfaces have different link types.)
// Invariant: it uses memory for one block and for the interfaces of one section, and trusts no length of the file.
#pragma once

#include <vector>

#include "proxy/program/import/packet_source.h"

namespace entente {

class PcapngReader final : public PacketSource {
 public:
  /// Closes `file`, which is at its beginning.
  explicit PcapngReader(std::FILE* file) : file_(file) {}

  /// The next packet of any interface. An Error names the block, counted from 1, and the byte of the file at which it
  /// begins. A packet without a time has that of the packet before it.
  Outcome<std::optional<CapturedPacket>> next() override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Interface {
    int link = 0;
    std::uint32_t snap_length = 0;  // 0: no limit
    std::uint8_t resolution = 6;    // if_tsresol: 10^-n, or 2^-(n - 128) from 128 on; of a second
    std::int64_t offset_s = 0;      // if_tsoffset
  };

  /// Why a block is not read. nullptr: nothing is wrong.
  using Why = const char*;

  Why read_block();
  Why fill(std::size_t size);
  Why section();
  Why interface_block();
  Why enhanced(bool obsolete);
  Why simple();
  Why set_time(const Interface& of, std::uint64_t ticks);
  Why set_bytes(Bytes data, std::size_t captured, std::size_t sent);
  std::uint16_t u16(std::size_t at) const;
  std::uint32_t u32(std::size_t at) const;

  std::unique_ptr<std::FILE, Close> file_;
  bool big_endian_ = false;
  std::vector<Interface> interfaces_;  // of this section
  Buffer block_;                       // all of it
  std::uint64_t number_ = 0, at_ = 0;  // of the block
  std::optional<CapturedPacket> packet_;
  WallTime time_ = 0;  // of the last packet that had one
};

}  // namespace entente
