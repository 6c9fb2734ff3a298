// One ENet datagram: its header, its commands (with range coder), and the few that a relay writes.
// Invariant: reads only the datagram and trusts no length; keeps no state between datagrams; allocates nothing after
// construction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "adapters/wire/enet.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::net {

/// A cursor over big-endian fields; it stays failed once it runs out of bytes.
class EnetFields {
 public:
  explicit EnetFields(Bytes in) : in_(in) {}
  std::uint32_t take(std::size_t bytes);
  Bytes run(std::size_t bytes);
  bool ran_out() const { return short_; }
  Bytes left() const { return in_; }

 private:
  Bytes in_;
  bool short_ = false;
};

/// The header before the commands.
struct EnetHeader {
  static constexpr std::uint16_t kNobody = 0x0FFF;  ///< the peer of a datagram that asks for a connection

  std::uint16_t to = 0;  ///< the receiver's number for the connection; in bits 12 and 13 its session
  bool compressed = false;
  std::optional<std::uint16_t> sent_time;  ///< milliseconds of its sender's clock, if it wants an acknowledgement

  std::uint16_t peer() const { return to & kNobody; }
  std::uint8_t session() const { return static_cast<std::uint8_t>(to >> 12U); }
};

struct EnetCommand {
  /// Kinds that are used outside this folder.
  static constexpr std::uint8_t kAcknowledge = 1, kConnect = 2, kVerifyConnect = 3, kDisconnect = 4;

  std::uint8_t kind = 0;
  std::uint8_t channel = 0;
  std::uint16_t sequence = 0;
  Bytes payload;
  // Of a connect, its verification or a disconnect:
  std::uint16_t peer = 0;                          ///< the sender's number for this connection
  std::uint8_t incoming_session = 0, session = 0;  ///< session: of datagrams towards the sender, if `peer` is verified
  std::uint32_t mtu = 0, channels = 0, connect_id = 0;
  std::uint32_t data = 0;
  // Of an acknowledgement:
  std::uint16_t acknowledged = 0, acknowledged_time = 0;
  // Of a fragment, and `start` also of an unreliable or unsequenced packet:
  std::uint16_t start = 0;
  std::uint32_t count = 1, number = 0, total = 0, offset = 0;

  /// Reads one command; false if it is incomplete or of an unknown kind.
  bool read(EnetFields& in);
  /// How it delivers `payload`; nothing if that is not a whole packet.
  std::optional<wire::EnetDelivery> delivery() const;

 private:
  void read_connect(EnetFields& in);
  void read_fragment(EnetFields& in);
};

/// Opens datagrams. Holds the range coder's tables (72 KiB), so one serves all conversations of a thread.
class EnetUnpacker {
 public:
  EnetUnpacker();
  ~EnetUnpacker();
  EnetUnpacker(const EnetUnpacker&) = delete;
  EnetUnpacker& operator=(const EnetUnpacker&) = delete;

  struct Opened {
    EnetHeader header;
    Bytes commands;  ///< until the next open()
  };
  Result<Opened> open(Bytes datagram);

 private:
  void* range_coder_;
  Buffer expanded_;
};

/// Only the header; nothing if the datagram is too short.
std::optional<EnetHeader> enet_header(Bytes datagram);

/// The connect in `datagram`; nothing if it is anything else, or not what an ENet client would ask for.
std::optional<EnetCommand> enet_connect(Bytes datagram, EnetUnpacker& unpacker);

/// The first command of this kind in `datagram`.
std::optional<EnetCommand> enet_command(Bytes datagram, std::uint8_t kind, EnetUnpacker& unpacker);

/// A datagram that ends a connection at once; the receiver gets `data`. `to` as in EnetHeader, or the `peer` of a
/// connect that is refused. The datagram is smaller than any connect.
std::array<std::uint8_t, 10> enet_disconnect(std::uint16_t to, std::uint32_t data);

}  // namespace entente::net
