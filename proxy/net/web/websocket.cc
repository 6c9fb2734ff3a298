#include "proxy/net/web/websocket.h"

#include <openssl/rand.h>
#include <wslay/wslay.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "proxy/base/text.h"

namespace entente::net {
namespace {

constexpr std::size_t kMostControl = 125;
constexpr std::size_t kKeptMessageRoom = 4 * 1024;  // a message buffer larger than this gives its memory back

bool is_control(std::uint8_t opcode) { return opcode >= 8; }

constexpr std::uint64_t kMostShort = 125, kMostMiddle = 0xFFFF;  // lengths: RFC 6455, 5.2

std::size_t head_size(const wslay_frame_iocb& frame) {
  const std::size_t length = frame.payload_length <= kMostShort ? 0 : frame.payload_length <= kMostMiddle ? 2 : 8;
  return 2 + length + (frame.mask != 0 ? 4 : 0);
}

bool may_travel(std::uint16_t code) {
  return code >= 1000 && code < 5000 && code != 1004 && code != 1005 && code != 1006 && code != 1015;
}

/// Mask keys must be unpredictable (RFC 6455, 10.3), but not each worth a system call. One supply a thread.
void take_random(std::uint8_t* to, std::size_t size) {
  static thread_local std::array<std::uint8_t, 1024> supply;
  static thread_local std::size_t used = supply.size();
  if (supply.size() - used < size) {
    if (RAND_bytes(supply.data(), static_cast<int>(supply.size())) != 1) std::abort();  // no entropy: nothing is safe
    used = 0;
  }
  std::memcpy(to, supply.data() + used, size);
  used += size;
}

}  // namespace

struct WebSocket::Calls {
  static ssize_t send(const std::uint8_t* data, std::size_t size, int, void* self) {
    append(*static_cast<WebSocket*>(self)->out_, Bytes(data, size));
    return static_cast<ssize_t>(size);
  }
  static ssize_t receive(std::uint8_t* to, std::size_t room, int, void* self) {
    Bytes& in = static_cast<WebSocket*>(self)->in_;
    const std::size_t size = std::min(room, in.size());
    if (size > 0) std::memcpy(to, in.data(), size);
    in = in.subspan(size);
    return static_cast<ssize_t>(size);  // 0: wslay asks again when there is more
  }
  static int mask(std::uint8_t* to, std::size_t size, void*) {
    take_random(to, size);
    return 0;
  }
};

WebSocket::WebSocket(Role role, std::size_t largest, User& user) : role_(role), largest_(largest), user_(user) {
  const wslay_frame_callbacks calls{Calls::send, Calls::receive, Calls::mask};
  if (wslay_frame_context_init(&frames_, &calls, this) != 0) std::abort();  // out of memory
}

WebSocket::~WebSocket() { wslay_frame_context_free(frames_); }

// -- Reading ----------------------------------------------------------------------------------------------------------

std::optional<Violation> WebSocket::feed(Bytes bytes) {
  in_ = bytes;
  paused_ = false;
  while (!over_ && !paused_) {
    wslay_frame_iocb frame{};
    const ssize_t got = wslay_frame_recv(frames_, &frame);
    if (got == WSLAY_ERR_WANT_READ) return std::nullopt;
    const MaybeViolation wrong =
        got < 0 ? MaybeViolation(Violation{"malformed frame", CloseFrame::kProtocolError}) : take(frame);
    if (!wrong) continue;
    over_ = true;
    return wrong;
  }
  return std::nullopt;
}

/// A piece of a frame: its payload as far as it is there. wslay has refused control frames that are large or
/// fragmented, and lengths that are longer than needed.
WebSocket::MaybeViolation WebSocket::take(const wslay_frame_iocb& frame) {
  if (!in_frame_)
    if (const MaybeViolation wrong = begin(frame); wrong || over_) return wrong;
  const Bytes piece(frame.data, frame.data_length);
  frame_left_ -= piece.size();
  in_frame_ = frame_left_ > 0;
  Buffer& gathered = control_ ? control_payload_ : message_;
  // A message that is complete in the input is delivered from there, without a copy.
  if (!in_frame_ && gathered.empty() && final_ && !control_) {
    user_.message(*std::exchange(kind_, std::nullopt), piece);
    return std::nullopt;
  }
  append(gathered, piece);
  if (in_frame_ || !final_) return std::nullopt;
  if (control_ && control_kind_ == Opcode::kClose) return tell_goodbye(control_payload_);
  end();
  return std::nullopt;
}

WebSocket::MaybeViolation WebSocket::begin(const wslay_frame_iocb& frame) {
  const auto wrong = [](const char* what) { return Violation{what, CloseFrame::kProtocolError}; };
  if (frame.rsv != 0) return wrong("reserved bits set");
  if ((frame.mask != 0) != (role_ == Role::kServer))
    return wrong(frame.mask != 0 ? "masked by a server" : "not masked by a client");
  control_ = is_control(frame.opcode);
  final_ = frame.fin != 0;
  if (control_) {
    if (frame.opcode > WSLAY_PONG) return wrong("unknown opcode");
    control_kind_ = static_cast<Opcode>(frame.opcode);
    control_payload_.clear();
  } else if (frame.opcode == WSLAY_CONTINUATION_FRAME) {
    if (!kind_) return wrong("continuation without a message");
  } else {
    if (frame.opcode > WSLAY_BINARY_FRAME) return wrong("unknown opcode");
    if (kind_) return wrong("message within a message");
    kind_ = static_cast<Opcode>(frame.opcode);
    empty_ = 0;
  }
  if (!control_ && frame.payload_length > largest_ - message_.size())
    return Violation{"message too large", CloseFrame::kTooLarge};
  const bool goes_on = !control_ && !final_;
  if (goes_on && frame.payload_length == 0 && ++empty_ > kMostEmptyFragments)
    return Violation{"too many empty fragments", CloseFrame::kPolicy};
  frame_left_ = frame.payload_length;
  user_.frame_began(head_size(frame), goes_on);
  return std::nullopt;
}

void WebSocket::end() {
  if (control_) return user_.message(control_kind_, control_payload_);
  user_.message(*std::exchange(kind_, std::nullopt), message_);
  clear_keeping(message_, kKeptMessageRoom);
}

WebSocket::MaybeViolation WebSocket::tell_goodbye(Bytes payload) {
  CloseFrame close_frame;
  if (payload.size() == 1) return Violation{"close frame of one byte", CloseFrame::kProtocolError};
  if (!payload.empty()) {
    close_frame.code = static_cast<std::uint16_t>(payload[0] << 8U | payload[1]);
    if (!may_travel(close_frame.code)) return Violation{"close code out of range", CloseFrame::kProtocolError};
    close_frame.reason = as_text(payload.subspan(2));
    if (!is_text(close_frame.reason)) return Violation{"close reason that is not UTF-8", CloseFrame::kBadContent};
  }
  over_ = true;
  user_.close_frame(close_frame);
  return std::nullopt;
}

// -- Writing ----------------------------------------------------------------------------------------------------------

void WebSocket::write(Opcode opcode, Bytes payload, Buffer& out) {
  assert(!is_control(static_cast<std::uint8_t>(opcode)) || payload.size() <= kMostControl);
  out_ = &out;
  wslay_frame_iocb frame{};
  frame.fin = 1;
  frame.opcode = static_cast<std::uint8_t>(opcode);
  frame.mask = role_ == Role::kClient;
  frame.payload_length = payload.size();
  frame.data = payload.data();
  frame.data_length = payload.size();
  // It takes all at once, because our callback does.
  [[maybe_unused]] const ssize_t sent = wslay_frame_send(frames_, &frame);
  assert(sent == static_cast<ssize_t>(payload.size()));
}

void WebSocket::write_header(Opcode opcode, std::size_t size, Buffer& out) const {
  assert(role_ == Role::kServer);
  const auto number = [&](unsigned bytes) {
    while (bytes-- > 0) out.push_back(static_cast<std::uint8_t>(std::uint64_t{size} >> 8U * bytes));
  };
  out.push_back(static_cast<std::uint8_t>(0x80U | static_cast<unsigned>(opcode)));
  if (size <= kMostShort) return number(1);
  const bool middle = size <= kMostMiddle;
  out.push_back(middle ? 126 : 127);
  number(middle ? 2 : 8);
}

void WebSocket::write(const CloseFrame& close_frame, Buffer& out) {
  Buffer payload;
  if (may_travel(close_frame.code)) {
    payload = {static_cast<std::uint8_t>(close_frame.code >> 8U), static_cast<std::uint8_t>(close_frame.code)};
    const std::string reason = fitted(close_frame.reason, kMostControl - 2);
    append(payload, as_bytes(reason));
  }
  write(Opcode::kClose, payload, out);
}

}  // namespace entente::net
