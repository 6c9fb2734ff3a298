// The WebSocket protocol (RFC 6455) over byte buffers, in either role: frames in, whole messages out, and back.
// It does nothing by itself: no ping, no pong, no answer to a close. The user sees each and decides.
// Invariant: a message is refused because of its announced size before memory is allocated for it. The user is told of
// each frame, even one that ends no message.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "proxy/base/bytes.h"

struct wslay_frame_context;  // NOLINT(readability-identifier-naming)
struct wslay_frame_iocb;     // NOLINT(readability-identifier-naming)

namespace entente::net {

enum class Opcode : std::uint8_t { kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

/// The reason of a close. Codes of RFC 6455 section 7.4 and its registry, and 3000 to 4999.
struct CloseFrame {
  std::uint16_t code = kNoCode;
  std::string reason;

  static constexpr std::uint16_t kGoingAway = 1001, kProtocolError = 1002, kUnsupported = 1003, kNoCode = 1005,
                                 kBadContent = 1007, kPolicy = 1008, kTooLarge = 1009;
};

/// The peer broke the protocol; `code` is the close code to send.
struct Violation {
  const char* what;
  std::uint16_t code;
};

class WebSocket {
 public:
  enum class Role : std::uint8_t { kServer, kClient };  ///< ours

  class User {
   public:
    virtual ~User() = default;
    /// A frame begins, with so many bytes before its payload. `message_goes_on`: it is not the last one of its message.
    virtual void frame_began(std::size_t /*head*/, bool /*message_goes_on*/) {}
    /// A whole message or control frame, except close. `payload` is valid only during the call.
    virtual void message(Opcode opcode, Bytes payload) = 0;
    /// The peer's close, its last frame.
    virtual void close_frame(const CloseFrame& close_frame) = 0;
  };

  /// Frames without payload that a message may have before its last frame.
  static constexpr unsigned kMostEmptyFragments = 64;

  /// `largest`: bytes of a message from the peer.
  WebSocket(Role role, std::size_t largest, User& user);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  /// Delivers what is in `bytes` to the user. After a violation, or the peer's close, nothing more is delivered. The
  /// user must not destroy this in a callback.
  std::optional<Violation> feed(Bytes bytes);
  /// Stops delivering; may be called in a callback.
  void stop() { over_ = true; }
  /// Stops delivering for now; may be called in a callback. The next call of feed() goes on, with rest() first.
  void pause() { paused_ = true; }
  bool paused() const { return paused_ && !over_; }
  /// What the last call of feed() was given, but did not look at. REQUIRES: paused().
  Bytes rest() const { return in_; }

  /// Appends one message, in one frame. REQUIRES: at most 125 bytes of ping or pong.
  void write(Opcode opcode, Bytes payload, Buffer& out);
  /// Appends the beginning of such a message. Its payload, of this size, must follow. REQUIRES: we are the server,
  /// which does not mask.
  void write_header(Opcode opcode, std::size_t size, Buffer& out) const;
  /// Appends a close frame. A reason too long for one is cut between characters.
  void write(const CloseFrame& close_frame, Buffer& out);

 private:
  struct Calls;
  using MaybeViolation = std::optional<Violation>;

  MaybeViolation take(const wslay_frame_iocb& frame);
  MaybeViolation begin(const wslay_frame_iocb& frame);
  void end();
  MaybeViolation tell_goodbye(Bytes payload);

  const Role role_;
  const std::size_t largest_;
  User& user_;
  wslay_frame_context* frames_ = nullptr;
  Bytes in_;               // not yet taken by frames_
  Buffer* out_ = nullptr;  // where frames_ writes

  // The frame that is being read, and the message that it is a part of.
  bool in_frame_ = false, over_ = false, paused_ = false;
  std::uint64_t frame_left_ = 0;
  bool final_ = false, control_ = false;
  std::optional<Opcode> kind_;  // of the message, once it has begun
  Opcode control_kind_ = Opcode::kPing;
  unsigned empty_ = 0;  // fragments of the message without payload
  Buffer message_, control_payload_;
};

}  // namespace entente::net
