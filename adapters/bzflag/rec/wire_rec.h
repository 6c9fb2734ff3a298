// What wire_rec.cc (layouts) offers to rec.cc (files). Invariant: one header or packet head at a time, never a payload.
#pragma once

#include "adapters/bzflag/rec/rec.h"

namespace entente::bzflag {

/// The features in which .rec files differ.
struct RecForm {
  wire::ByteOrder order = wire::ByteOrder::kBig;
  bool short_application = false;
  bool long_settings = false;
};

inline constexpr std::size_t kRecPacketHead = 32;
std::size_t rec_header_size(const RecForm& form);

/// REQUIRES: all bytes of the header, or of the packet's head, and no more.
Result<RecHeader> read_rec_header(Bytes bytes, const RecForm& form);
RecPacket read_rec_packet(Bytes bytes);
void write_rec_header(const RecHeader& header, const RecForm& form, Buffer& out);
void write_rec_packet(const RecPacket& packet, Buffer& out);

}  // namespace entente::bzflag
