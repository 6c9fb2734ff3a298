// Reads ENet passively: takes the datagrams of one conversation, and returns its packets. Handles the range coder and
// fragments.
// For captures, and for the tap of a datagram relay; ENet itself has no such reader.
// Invariant: it reads only the datagrams, keeps no more bytes than came and never more than its budget, and reports
// what it gives up. An announced size takes no memory: a packet is put together when its last fragment is there.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/wire/enet.h"
#include "adapters/wire/frame.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/net/enet/enet_wire.h"

namespace entente::net {

using wire::EnetDelivery;

/// Receives the results. Bytes are valid only during the call.
class EnetHeard {
 public:
  virtual ~EnetHeard() = default;
  /// The client asked to connect, with this data (the game's version).
  virtual void connect(std::uint32_t data) = 0;
  /// One side disconnected, with this data (the game's reason).
  virtual void disconnect(wire::Way way, std::uint32_t data) = 0;
  virtual void packet(wire::Way way, std::uint8_t channel, EnetDelivery send, Bytes bytes) = 0;
  /// What is not valid ENet: a datagram; or if the field is EnetDissector::kCommand, one of its unpacked commands. Of a
  /// command that cannot be read, the end is not known: `wrong` is all from there on, and nothing after it is read.
  /// The faults of one datagram have no byte in common, nor any with its packets. `wrong` is empty if the fault is that
  /// packets are missing.
  virtual void fault(wire::Way way, const Fault& fault, Bytes wrong) = 0;
};

class EnetDissector {
 public:
  /// `largest_packet`: bytes; a larger one that comes in fragments is refused. The largest that the game sends.
  explicit EnetDissector(EnetUnpacker& unpacker, std::size_t largest_packet = kLargestPacket)
      : unpacker_(unpacker), largest_packet_(largest_packet) {}

  EnetDissector(const EnetDissector&) = delete;
  EnetDissector& operator=(const EnetDissector&) = delete;

  /// Takes one UDP payload, in the order seen. Packets come out as their receiver gets them: none twice; reliable
  /// ones in order, however they were sent; unreliable ones unless they are late. Those that their receiver discards or
  /// keeps back, because they are too far ahead, are faults. A gap is given up and reported as a fault once more than
  /// kWindow later reliable packets or fragments have come; what comes of it afterwards is a fault each, because its
  /// receiver may still have waited for it. So is an unreliable packet that stays incomplete, when it makes room for
  /// others. Returns whether it had a valid packet or fragment, even one that comes out later, came before, or is too
  /// late.
  bool datagram(wire::Way way, Bytes bytes, EnetHeard& to);

  /// Datagrams were missed: waiting packets come out, and the next packet on a channel is the next in order. No packet
  /// counts as late or repeated because of what came before.
  void lost(EnetHeard& to);

  /// The capture ends: reliable packets that wait for an earlier one come out.
  void end(EnetHeard& to);

  static constexpr const char* kCommand = "command";        ///< Fault::field of a wrong command
  static constexpr std::size_t kWindow = 1024;              ///< reliable packets and fragments held back behind a gap
  static constexpr std::size_t kLargestPacket = 1U << 20U;  ///< bytes
  /// Bytes kept for one direction, with their bookkeeping: everything behind a gap until it is given up, and two of the
  /// largest packets that are incomplete. ENet limits only what is not acknowledged: while one datagram is lost again
  /// and again, its sender goes on.
  std::size_t budget() const { return 2 * largest_packet_ + kOnTheWay; }
  /// Bytes kept now, for both directions.
  std::size_t kept() const { return sides_[0].kept + sides_[1].kept; }

 private:
  static constexpr std::size_t kBookkeeping = 128;  // bytes for each fragment, and for each packet
  static constexpr std::size_t kDatagram = 1400;    // ENET_HOST_DEFAULT_MTU; a reliable number is at most a datagram
  static constexpr std::size_t kOnTheWay = kWindow * (kDatagram + 2 * kBookkeeping);

  struct Fragment {
    std::uint32_t offset = 0;
    Buffer bytes;
  };
  struct Pieces {
    std::size_t total = 0;    // bytes of the packet
    std::uint32_t count = 0;  // of its fragments, which are also its sequence numbers
    std::map<std::uint32_t, Fragment> came;
    std::size_t filled = 0;  // bytes that came
    EnetDelivery send = EnetDelivery::kReliable;
    bool whole() const { return came.size() == count; }
    std::size_t kept() const { return filled + (came.size() + 1) * kBookkeeping; }
    Buffer packet() const;
  };
  using Held = std::map<std::uint64_t, Pieces>;
  struct Newest {
    bool seen = false;
    std::uint16_t reliable = 0, unreliable = 0;
    bool precedes(const EnetCommand& command) const;
    /// As precedes(). If so, the command is the newest now.
    bool follows(const EnetCommand& command);
  };
  struct Recent {
    static constexpr int kWide = 64;
    bool any = false;  // has come
    std::uint16_t latest = 0;
    std::uint64_t seen = 0;  // bit n: latest - n came
    bool is_new(std::uint16_t number);
  };
  struct Channel {
    static constexpr std::uint64_t kBehind = 0x8000;  // numbers that count as earlier than the next
    void pass(std::uint64_t to, bool came);
    bool has_given_up(std::uint16_t number) const { return given_up && (*given_up)[number % kBehind]; }
    std::uint64_t next = 0;  // the reliable sequence number that comes next, unwrapped; 0 = none seen yet
    std::unique_ptr<std::bitset<kBehind>> given_up;  // of the numbers before `next`; null: none
    Held reliable;
    std::size_t held = 0;  // packets and fragments in `reliable`
    Held unreliable;       // fragments under way, by the numbers of the last reliable packet and of their own
    Newest newest;         // of the unreliable ones
  };
  struct Side {
    std::map<std::uint8_t, Channel> channels;
    Recent unsequenced;
    std::size_t kept = 0;  // Pieces::kept() of all Held
  };

  bool commands(wire::Way way, const EnetUnpacker::Opened& opened, EnetHeard& to);
  const char* act(wire::Way way, const EnetCommand& command, EnetHeard& to);
  void connect(const EnetCommand& command, EnetHeard& to);
  const char* reliable(wire::Way way, const EnetCommand& command, EnetHeard& to);
  const char* fragment(wire::Way way, const EnetCommand& command, EnetHeard& to);
  bool is_too_far(const Channel& channel, const EnetCommand& command) const;
  void drop(Side& side, Held& held, Held::iterator at);
  const char* fill(Side& side, const EnetCommand& command, Held& held, std::uint64_t at);
  void deliver(wire::Way way, std::uint8_t id, Channel& channel, EnetHeard& to, bool over_gaps);
  void release_first(wire::Way way, std::uint8_t id, Channel& channel, EnetHeard& to);
  Side& side(wire::Way way) { return sides_[way == wire::Way::kToServer ? 0 : 1]; }

  EnetUnpacker& unpacker_;
  std::size_t largest_packet_;
  std::array<Side, 2> sides_;
  std::optional<std::uint32_t> connect_;  // the id of the connection that is read
  bool from_start_ = false;               // the connect was seen: each channel's first reliable packet is number 1
};

}  // namespace entente::net
