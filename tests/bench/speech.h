// The messages of the load: the BZFlag 2.4 prologue, which a relay that knows the game requires, then messages that are
// valid in both directions, so that a tap decodes every one of them.
// Invariant: every message of a player has a number, so that a lost, duplicated or changed one is noticed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "proxy/base/bytes.h"

namespace entente::bench {

inline constexpr std::string_view kHeader = "BZFLAG\r\n\r\n";  // the client's greeting
inline constexpr std::string_view kVersion = "BZFS0221";       // the server's; one byte of player id follows,
inline constexpr std::size_t kGreeting = 9;                    // and at once the time of its clock
inline constexpr std::array<std::uint8_t, 12> kGameTime{0, 8, 0x67, 0x74, 0, 0, 0, 1, 2, 3, 4, 5};

inline constexpr std::uint16_t kAccept = 0x6163, kAlive = 0x616c, kUpdate = 0x7075, kSmallUpdate = 0x7073;
inline constexpr std::uint16_t kLinkRequest = 0x6f66;
inline constexpr std::uint16_t kLinkEstablished = 0x6f67;

inline std::uint16_t number16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }
inline std::uint16_t code_of(Bytes frame) { return frame.size() < 4 ? std::uint16_t{0} : number16(frame.data() + 2); }

/// MsgEnter of a rogue player "bench"; the other texts (motto, token, version) are empty.
inline constexpr std::array<std::uint8_t, 250> kEnter{0, 246, 0x65, 0x6e, 0, 0, 0, 0, 'b', 'e', 'n', 'c', 'h'};
inline constexpr std::array<std::uint8_t, 4> kAliveRequest{0, 0, 0x61, 0x6c};

/// MsgMessage with 60 bytes of payload. Up: to, text[59]. Down: from, to, kind, text. Both end at the NUL.
class ChatFrame {
 public:
  static constexpr std::size_t kSize = 64;

  ChatFrame() {
    bytes_.fill('.');
    bytes_[0] = 0, bytes_[1] = kSize - 4, bytes_[2] = 0x6d, bytes_[3] = 0x67;
    bytes_[4] = 254, bytes_[5] = 1, bytes_[6] = 1, bytes_[kSize - 1] = 0;
  }
  void number(std::uint32_t count) {
    for (std::size_t i = 0; i < 8; ++i, count >>= 4)
      bytes_[kNumber + i] = static_cast<std::uint8_t>('a' + (count & 15));
  }
  Bytes bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kNumber = 16;
  std::array<std::uint8_t, kSize> bytes_;
};

/// MsgPlayerUpdate; its number is the order field.
class UpdateFrame {
 public:
  static constexpr std::size_t kSize = 58;  ///< with every optional part, the largest datagram of an ordinary player
  static constexpr std::size_t kPlainSize = 47;

  explicit UpdateFrame(std::uint8_t player, bool plain = false) : size_(plain ? kPlainSize : kSize) {
    bytes_.fill(0x3f);
    bytes_[0] = 0, bytes_[1] = static_cast<std::uint8_t>(size_ - 4), bytes_[2] = 0x70, bytes_[3] = 0x75;
    bytes_[8] = player;
    bytes_[13] = plain ? 0 : 0x07, bytes_[14] = plain ? 0x01 : 0x81;  // alive; the four bits that append a part
  }
  void number(std::uint32_t count) {
    for (std::size_t i = 0; i < 4; ++i) bytes_[kOrder + i] = static_cast<std::uint8_t>(count >> (24 - 8 * i));
  }
  static std::uint32_t number_of(Bytes datagram) {
    const std::uint8_t* at = datagram.data() + kOrder;
    return std::uint32_t{number16(at)} << 16 | number16(at + 2);
  }
  Bytes bytes() const { return Bytes(bytes_).first(size_); }

 private:
  static constexpr std::size_t kOrder = 9;
  std::size_t size_;
  std::array<std::uint8_t, kSize> bytes_;
};

}  // namespace entente::bench
